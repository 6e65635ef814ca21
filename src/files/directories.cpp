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
  throw RunError(
      fmt::format("the directory '{}' cannot be created ({}). Choose a place with write permission.", path, reason));
}

enum class Outcome { created, existed, parent_removed };

// Creates `part`, `path` or a parent of it. Other jobs may create and remove the same directories at the same time;
// `parent_removed` means that one of them has removed a directory that existed before.
Outcome make_part(const std::string& part, const std::string& path) {
  if (is_directory(part)) return Outcome::existed;
  if (::mkdir(part.c_str(), 0777) == 0) return Outcome::created;
  const int error = errno;
  if (error == ENOENT) return Outcome::parent_removed;
  struct stat status {};
  if (error != EEXIST) refuse(path, fmt::format("'{}': {}", part, std::strerror(error)));
  if (::stat(part.c_str(), &status) != 0 && ::lstat(part.c_str(), &status) != 0) return Outcome::parent_removed;
  if (!S_ISDIR(status.st_mode)) refuse(path, fmt::format("'{}' is not a directory", part));
  return Outcome::existed;
}

// Creates the missing directories of `path` and appends them to `created`. Returns false if another job removed one of
// the directories meanwhile.
bool make_parts(const std::string& path, std::vector<std::string>& created) {
  std::filesystem::path parent;
  for (const auto& part : std::filesystem::path(path)) {
    parent /= part;
    const Outcome outcome = make_part(parent.string(), path);
    if (outcome == Outcome::parent_removed) return false;
    if (outcome == Outcome::created) created.push_back(parent.string());
  }
  return true;
}

}  // namespace

std::string current_directory() {
  std::error_code error;
  const std::string path = std::filesystem::current_path(error).string();
  require(!error,
          fmt::format("the current directory cannot be found ({}). Change to another directory.", error.message()));
  return path;
}

std::vector<std::string> make_directories(const std::string& path) {
  constexpr int max_tries = 100;
  std::vector<std::string> created;
  try {
    for (int tries = 1; !make_parts(path, created); ++tries)
      if (tries == max_tries) refuse(path, std::strerror(ENOENT));
  } catch (const RunError&) {
    remove_empty_directories(created);
    throw;
  }
  return created;
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
  require(S_ISDIR(status.st_mode),
          fmt::format("'{}' is {}, not a directory (files cannot safely be written there). Move it or remove it.", path,
                      file_kind(status.st_mode)));
}

void remove_file(const std::string& path) {
  std::error_code failed;
  std::filesystem::remove(path, failed);
  require(!failed,
          fmt::format("'{}' cannot be removed ({}). Correct the directory's permissions.", path, failed.message()));
}

void remove_empty_directories(const std::vector<std::string>& directories) {
  for (auto directory = directories.rbegin(); directory != directories.rend(); ++directory) ::rmdir(directory->c_str());
}

}  // namespace sheaf
