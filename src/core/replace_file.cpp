// SPDX-License-Identifier: MIT
#include "core/replace_file.hpp"

#include <fmt/format.h>
#include <signal.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <utility>

#include "core/error.hpp"

namespace sheaf {
namespace {

constexpr int ending_signals[] = {SIGTERM, SIGINT, SIGHUP};

// For the handler, which may use little else. Threads write files side by side.
std::array<std::atomic<const char*>, 256> unfinished{};
static_assert(std::atomic<const char*>::is_always_lock_free, "read by a handler");

// Where the path stands now; null when there is no room, and a signal would leave the file behind.
std::atomic<const char*>* enter(const char* path) {
  for (auto& place : unfinished) {
    const char* none = nullptr;
    if (place.compare_exchange_strong(none, path)) return &place;
  }
  return nullptr;
}

extern "C" void remove_unfinished(int number) {
  for (const auto& place : unfinished)
    if (const char* path = place) ::unlink(path);
  ::raise(number);  // which has its usual effect again (SA_RESETHAND), once this returns
}

// Signals that end a process as ever, from now on; those that are ignored or handled stay so.
void watch_signals() {
  for (const int number : ending_signals) {
    struct sigaction action {};
    ::sigaction(number, nullptr, &action);
    if (action.sa_handler != SIG_DFL) continue;
    action.sa_handler = remove_unfinished;
    action.sa_flags = static_cast<int>(SA_RESETHAND);
    ::sigaction(number, &action, nullptr);
  }
}

}  // namespace

UnfinishedFile::UnfinishedFile(std::string path)
    : path_(std::move(path)), temporary_(path_ + ".partial"), watched_(enter(temporary_.c_str())) {
  watch_signals();
}

UnfinishedFile::~UnfinishedFile() {
  std::remove(temporary_.c_str());
  if (watched_ != nullptr) *watched_ = nullptr;
}

void UnfinishedFile::keep() {
  if (std::rename(temporary_.c_str(), path_.c_str()) != 0)
    throw RunError(fmt::format("'{}' cannot be written ({}). Choose another name.", path_, std::strerror(errno)));
}

void write_then_rename(const std::string& path, const std::function<void(const std::string& temporary)>& write) {
  UnfinishedFile file(path);
  write(file.temporary());
  file.keep();
}

}  // namespace sheaf
