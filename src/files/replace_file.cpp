// SPDX-License-Identifier: MIT
#include "files/replace_file.hpp"

#include <fmt/format.h>
#include <signal.h>
#include <sys/stat.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstdint>
#include <cstdio>
#include <cstring>
#include <random>

#include "core/error.hpp"
#include "files/regular_file.hpp"

namespace sheaf {
namespace {

constexpr int ending_signals[] = {SIGTERM, SIGINT, SIGHUP};

// For the handler, which may use little else. Threads write files side by side.
std::array<std::atomic<const char*>, 256> unfinished{};
static_assert(std::atomic<const char*>::is_always_lock_free, "read by a handler");

// Random: different for all jobs of a directory, and impossible to predict.
std::string temporary_name(const std::string& path) {
  std::random_device device;
  const std::uint64_t high = device(), low = device();
  return fmt::format("{}.{:012x}.partial", path, (high << 32 | low) & 0xffffffffffff);
}

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

void require_free_name(const std::string& path, bool overwrite) {
  struct stat status {};
  if (::stat(path.c_str(), &status) != 0) return;
  require(S_ISREG(status.st_mode), fmt::format("'{}' is {} (a regular file is to be written). Choose another name.",
                                               path, file_kind(status.st_mode)));
  require(overwrite, fmt::format("'{}' is there already (it would be replaced). Choose another name, or give "
                                 "--overwrite=true.",
                                 path));
}

UnfinishedFile::Watched::Watched(const std::string& path) : path_(path), place_(enter(path_.c_str())) {
  watch_signals();
}

UnfinishedFile::Watched::~Watched() {
  if (place_ != nullptr) *place_ = nullptr;
}

UnfinishedFile::UnfinishedFile(const std::string& path)
    : path_(path), temporary_(temporary_name(path)), watched_(temporary_), file_(temporary_, path) {}

UnfinishedFile::~UnfinishedFile() {
  if (!committed_) ::unlink(temporary_.c_str());
}

void UnfinishedFile::commit() {
  file_.sync_and_close();
  if (std::rename(temporary_.c_str(), path_.c_str()) != 0)
    throw RunError(fmt::format("'{}' cannot be written ({}). Choose another name.", path_, std::strerror(errno)));
  committed_ = true;
}

void write_then_rename(const std::string& path, const std::function<void(const std::string& temporary)>& write) {
  UnfinishedFile file(path);
  write(file.temporary());
  file.commit();
}

void write_whole_file(const std::string& path, const std::string& text) {
  UnfinishedFile file(path);
  file.file().write(text);
  file.commit();
}

}  // namespace sheaf
