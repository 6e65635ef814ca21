// SPDX-License-Identifier: MIT
#include "core/directories.hpp"

#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <filesystem>

#include "core/error.hpp"
#include "core/regular_file.hpp"

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

// Makes `part` on the way to `path`; returns whether this call made it. Another job may make it at the same time.
bool make_part(const std::string& part, const std::string& path) {
  if (is_directory(part)) return false;
  if (::mkdir(part.c_str(), 0777) == 0) return true;
  const int error = errno;
  if (error == EEXIST && is_directory(part)) return false;
  refuse(path, error == EEXIST ? fmt::format("'{}' is not a directory", part)
                               : fmt::format("'{}': {}", part, std::strerror(error)));
}

}  // namespace

std::vector<std::string> make_directories(const std::string& path) {
  std::vector<std::string> made;
  try {
    std::filesystem::path parent;
    for (const auto& part : std::filesystem::path(path)) {
      parent /= part;
      if (make_part(parent.string(), path)) made.push_back(parent.string());
    }
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
