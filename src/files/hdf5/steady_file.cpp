// SPDX-License-Identifier: MIT
#include "files/hdf5/steady_file.hpp"

#include <fmt/format.h>
#include <sys/uio.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <utility>

#include "core/error.hpp"

namespace sheaf {

namespace {

// Fewer bytes are read faster than their pages are checked and mapped.
constexpr std::size_t min_past_caches = std::size_t{192} << 10;

struct stat state_of(const std::string& path, int descriptor) {
  struct stat state {};
  require(::fstat(descriptor, &state) == 0,
          [&] { return fmt::format("File '{}' cannot be read ({}).", path, std::strerror(errno)); });
  return state;
}

struct stat state_of(const std::string& path) {
  struct stat state {};
  require(::stat(path.c_str(), &state) == 0,
          [&] { return fmt::format("File '{}' cannot be read ({}).", path, std::strerror(errno)); });
  return state;
}

bool is_same(const struct stat& one, const struct stat& other) {
  return one.st_dev == other.st_dev && one.st_ino == other.st_ino && one.st_size == other.st_size &&
         one.st_mtim.tv_sec == other.st_mtim.tv_sec && one.st_mtim.tv_nsec == other.st_mtim.tv_nsec;
}

[[noreturn]] void refuse_change(const std::string& path) {
  throw RunError(fmt::format("File '{}' was changed while it was read. Start again when it is complete.", path));
}

}  // namespace

SteadyFile::SteadyFile(const std::string& path, int descriptor)
    : path_(path),
      file_(path, descriptor),
      opened_(state_of(path, file_.descriptor())),
      mapping_(file_.descriptor(), opened_.st_size) {}

void SteadyFile::require_unchanged() const {
  struct stat now {};
  if (::fstat(file_.descriptor(), &now) != 0 || !is_same(now, opened_)) refuse_change(path_);
  require(!mapping_.lost(), [&] {
    return fmt::format("File '{}' cannot be read completely (its storage fails). Copy or recreate it.", path_);
  });
}

// Returns false if the system does not support the check.
bool SteadyFile::is_in_memory(std::int64_t offset) const {
  char byte = 0;
  const struct iovec to { &byte, 1 };
  return ::preadv2(file_.descriptor(), &to, 1, offset, RWF_NOWAIT) == 1;
}

// Returns false if the bytes must be read instead. Access to a mapping would read pages from storage one by one.
bool SteadyFile::read_past_caches(std::byte* to, std::size_t bytes, std::int64_t offset) const {
  const auto count = static_cast<std::int64_t>(bytes);
  if (!is_in_memory(offset + count - 1)) return false;
  const std::byte* found = view(offset, count);
  if (found == nullptr) return false;
  copy_past_caches(found, bytes, to);
  require(!mapping_.lost(), "its storage fails");
  return true;
}

void SteadyFile::read(std::byte* to, std::size_t bytes, std::int64_t offset, NextUse next_use) const {
  if (next_use == NextUse::late && bytes >= min_past_caches && read_past_caches(to, bytes, offset)) return;
  while (bytes > 0) {
    const ssize_t got = ::pread(file_.descriptor(), to, bytes, offset);
    if (got < 0 && errno == EINTR) continue;
    require(got >= 0, [&] { return std::strerror(errno); });
    require(got > 0, "the file ends too early");
    to += got;
    bytes -= static_cast<std::size_t>(got);
    offset += got;
  }
}

const std::byte* SteadyFile::view(std::int64_t offset, std::int64_t bytes) const {
  return mapping_.view(offset, bytes);
}

WatchedFiles::WatchedFiles(std::vector<std::string> paths) : paths_(std::move(paths)) {
  for (const auto& path : paths_) states_.push_back(state_of(path));
}

void WatchedFiles::require_unchanged() const {
  for (std::size_t number = 0; number < paths_.size(); ++number) {
    struct stat now {};
    if (::stat(paths_[number].c_str(), &now) != 0 || !is_same(now, states_[number])) refuse_change(paths_[number]);
  }
}

}  // namespace sheaf
