// SPDX-License-Identifier: MIT
#include "files/directories.hpp"

#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <filesystem>

#include "core/error.hpp"
#include "files/regular_file.hpp"

namespace sheaf {
namespace {

bool is_directory(const std::string& path) {
  struct stat status {};
  return ::stat(path.c_str(), &status) == 0 && S_ISDIR(status.st_mode);
}

[[noreturn]] void refuse(const std::string& path, const std::string& reason) {
  throw RunError(fmt::format(
      "the directory '{}' cannot be made ({}). Choose a place where you may write, by run.output.", path, reason));
}

enum class Made { by_us, earlier, not_yet };

// Makes `part` on the way to `path`. Other jobs may make and remove the same directories at the same time: `not_yet`
// when one that was there has gone.
Made make_part(const std::string& part, const std::string& path) {
  if (is_directory(part)) return Made::earlier;
  if (::mkdir(part.c_str(), 0777) == 0) return Made::by_us;
  const int error = errno;
  if (error == ENOENT) return Made::not_yet;
  struct stat status {};
  if (error != EEXIST) refuse(path, fmt::format("'{}': {}", part, std::strerror(error)));
  if (::stat(part.c_str(), &status) != 0 && ::lstat(part.c_str(), &status) != 0) return Made::not_yet;
  if (!S_ISDIR(status.st_mode)) refuse(path, fmt::format("'{}' is not a directory", part));
  return Made::earlier;
}

// Makes what is missing of `path`; false when a part has gone meanwhile.
bool make_parts(const std::string& path, std::vector<std::string>& made) {
  std::filesystem::path parent;
  for (const auto& part : std::filesystem::path(path)) {
    parent /= part;
    const Made outcome = make_part(parent.string(), path);
    if (outcome == Made::not_yet) return false;
    if (outcome == Made::by_us) made.push_back(parent.string());
  }
  return true;
}

}  // namespace

std::vector<std::string> make_directories(const std::string& path) {
  constexpr int most_tries = 100;
  std::vector<std::string> made;
  try {
    for (int tries = 1; !make_parts(path, made); ++tries)
      if (tries == most_tries) refuse(path, std::strerror(ENOENT));
  } catch (const RunError&) {
    remove_empty_directories(made);
    throw;
  }
  return made;
}

bool make_new_directory(const std::string& path) {
  if (::mkdir(path.c_str(), 0777) == 0) return true;
  if (errno != EEXIST) refuse(path, std::strerror(errno));
  return false;
}

void make_directory(const std::string& path) {
  if (!make_new_directory(path)) require_directory_or_nothing(path);
}

void require_directory_or_nothing(const std::string& path) {
  struct stat status {};
  if (::lstat(path.c_str(), &status) != 0) return;
  require(
      S_ISDIR(status.st_mode),
      fmt::format("'{}' is {}, not a directory (files would be written elsewhere, or nowhere). Remove it, or choose "
                  "another run.output.",
                  path, file_kind(status.st_mode)));
}

void remove_empty_directories(const std::vector<std::string>& directories) {
  for (auto directory = directories.rbegin(); directory != directories.rend(); ++directory) ::rmdir(directory->c_str());
}

}  // namespace sheaf
