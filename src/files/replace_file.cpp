// SPDX-License-Identifier: MIT
#include "files/replace_file.hpp"

#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <climits>
#include <cstdint>
#include <cstdio>
#include <cstring>
#include <filesystem>
#include <random>
#include <string_view>
#include <system_error>

#include "core/error.hpp"
#include "core/interruption.hpp"
#include "files/regular_file.hpp"

namespace sheaf {
namespace {

// Paths of unfinished files. Lock-free atomics, because a signal handler reads them and several threads write files.
std::array<std::atomic<const char*>, 256> unfinished{};
static_assert(std::atomic<const char*>::is_always_lock_free, "a signal handler reads these");

constexpr std::size_t random_digits = 12;
constexpr std::string_view temporary_ending = ".partial";

constexpr std::size_t added_bytes = 1 + random_digits + temporary_ending.size();

// The name is random, so that jobs in the same directory do not collide and the name cannot be predicted. It begins
// with the name of the file, as far as file systems allow (NAME_MAX).
std::string temporary_name(const std::string& path) {
  std::random_device device;
  const std::uint64_t high = device(), low = device();
  const std::size_t name_begin = path.rfind('/') + 1;  // 0 without a slash
  const std::string begin = path.substr(0, std::min(path.size(), name_begin + NAME_MAX - added_bytes));
  return fmt::format("{}.{:0{}x}{}", begin, (high << 32 | low) & 0xffffffffffff, random_digits, temporary_ending);
}

// Returns the slot that now contains the path, or null if all slots are taken; a signal then leaves the file behind.
std::atomic<const char*>* register_path(const char* path) {
  for (auto& slot : unfinished) {
    const char* none = nullptr;
    if (slot.compare_exchange_strong(none, path)) return &slot;
  }
  return nullptr;
}

void remove_unfinished() {
  for (const auto& slot : unfinished)
    if (const char* path = slot) ::unlink(path);
}

// Writes small pieces together, so that a file of many pieces takes few calls of write(2).
class JoinedWrites {
 public:
  explicit JoinedWrites(OutputFile& file) : file_(file) {}

  void put(std::string_view bytes) {
    if (joined_.size() + bytes.size() > most_bytes) flush();
    if (bytes.size() > most_bytes)
      file_.write(bytes.data(), bytes.size());
    else
      joined_ += bytes;
  }
  void flush() {
    file_.write(joined_);
    joined_.clear();
  }

 private:
  static constexpr std::size_t most_bytes = std::size_t{1} << 18;
  OutputFile& file_;
  std::string joined_;
};

}  // namespace

void require_free_name(const std::string& path, bool overwrite) {
  struct stat status {};
  if (::stat(path.c_str(), &status) != 0) return;
  require(S_ISREG(status.st_mode), fmt::format("'{}' is {} (the output must be a regular file). Choose another name.",
                                               path, file_kind(status.st_mode)));
  require(overwrite,
          fmt::format("'{}' already exists (it would be replaced). Choose another name or pass --overwrite.", path));
}

void require_other_file(const std::string& input, const std::string& output) {
  std::error_code ignored;
  require(!std::filesystem::equivalent(input, output, ignored),
          fmt::format("'{}' and '{}' are the same file. Choose another name for the output.", input, output));
}

UnfinishedFile::Watched::Watched(const std::string& path) : path_(path), slot_(register_path(path_.c_str())) {
  call_before_fatal_signals(remove_unfinished);
}

UnfinishedFile::Watched::~Watched() {
  if (slot_ != nullptr) *slot_ = nullptr;
}

UnfinishedFile::UnfinishedFile(const std::string& path)
    : path_(path), temporary_(temporary_name(path)), watched_(temporary_), file_(temporary_, path) {}

UnfinishedFile::~UnfinishedFile() {
  if (!committed_) ::unlink(temporary_.c_str());
}

void UnfinishedFile::commit() {
  file_.sync_and_close();
  rename();
}

void UnfinishedFile::commit_unsynced() {
  file_.close();
  rename();
}

void UnfinishedFile::rename() {
  if (std::rename(temporary_.c_str(), path_.c_str()) != 0)
    throw RunError(fmt::format("'{}' cannot be written ({}). Choose another name.", path_, std::strerror(errno)));
  committed_ = true;
}

std::optional<std::string> final_path(const std::string& path) {
  if (path.size() <= added_bytes) return std::nullopt;
  const std::size_t dot = path.size() - added_bytes;
  const std::string digits = path.substr(dot + 1, random_digits);
  const bool is_temporary = path[dot] == '.' && digits.find_first_not_of("0123456789abcdef") == std::string::npos &&
                            path.substr(dot + 1 + random_digits) == temporary_ending;
  return is_temporary ? std::optional(path.substr(0, dot)) : std::nullopt;
}

void write_then_rename(const std::string& path, const std::function<void(const std::string& temporary)>& write) {
  UnfinishedFile file(path);
  write(file.temporary());
  file.commit();
}

void write_whole_file(const std::string& path, const std::function<void(const ByteSink&)>& produce) {
  UnfinishedFile file(path);
  JoinedWrites writes(file.file());
  produce([&writes](std::string_view bytes) { writes.put(bytes); });
  writes.flush();
  file.commit();
}

void write_whole_file(const std::string& path, const std::string& text) {
  UnfinishedFile file(path);
  file.file().write(text);
  file.commit();
}

}  // namespace sheaf
