// SPDX-License-Identifier: MIT
#include "core/replace_file.hpp"

#include <fmt/format.h>
#include <signal.h>
#include <unistd.h>

#include <atomic>
#include <cassert>
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <utility>

#include "core/error.hpp"

namespace sheaf {
namespace {

constexpr int ending_signals[] = {SIGTERM, SIGINT, SIGHUP};

// For the handler, which may use little else.
std::atomic<const char*> unfinished{nullptr};

extern "C" void remove_unfinished(int number) {
  if (const char* path = unfinished) ::unlink(path);
  ::raise(number);  // which has its usual effect again (SA_RESETHAND), once this returns
}

// Signals that end a process as ever; those that are ignored or handled stay so.
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

void leave_signals() {
  for (const int number : ending_signals) {
    struct sigaction action {};
    ::sigaction(number, nullptr, &action);
    if (action.sa_handler == remove_unfinished) ::signal(number, SIG_DFL);
  }
}

}  // namespace

UnfinishedFile::UnfinishedFile(std::string path) : path_(std::move(path)), temporary_(path_ + ".partial") {
  assert(unfinished == nullptr);
  unfinished = temporary_.c_str();
  watch_signals();
}

UnfinishedFile::~UnfinishedFile() {
  std::remove(temporary_.c_str());
  leave_signals();
  unfinished = nullptr;
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
