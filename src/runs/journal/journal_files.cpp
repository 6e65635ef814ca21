// SPDX-License-Identifier: MIT
#include "runs/journal/journal_files.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>

#include "core/error.hpp"
#include "files/directories.hpp"
#include "files/output_file.hpp"
#include "files/regular_file.hpp"

namespace sheaf {
namespace {

namespace fs = std::filesystem;

constexpr const char* extension = ".jsonl";
constexpr const char* predictions_extension = ".predictions";

fs::path journal_directory(const std::string& run_directory) {
  return fs::path(run_directory) / "journal";
}

// Returns list(); turns its errors about the directory into RunError.
template <class List>
auto reading(const std::string& run_directory, const List& list) {
  try {
    return list();
  } catch (const fs::filesystem_error& error) {
    throw RunError(fmt::format("the journal of '{}' cannot be read ({}). Check the directory and its permissions.",
                               run_directory, error.code().message()));
  }
}

// The sorted paths in a directory; empty if it does not exist.
std::vector<fs::path> sorted_paths(const fs::path& directory) {
  std::vector<fs::path> paths;
  if (!fs::exists(directory)) return paths;
  for (const auto& entry : fs::directory_iterator(directory)) paths.push_back(entry.path());
  std::sort(paths.begin(), paths.end());
  return paths;
}

std::vector<fs::path> attempts_of(const std::string& run_directory) {
  auto paths = sorted_paths(journal_directory(run_directory));
  const auto is_other = [](const fs::path& path) { return !fs::is_directory(path); };
  paths.erase(std::remove_if(paths.begin(), paths.end(), is_other), paths.end());
  return paths;
}

}  // namespace

std::string begin_attempt(const std::string& run_directory) {
  const std::string journal = journal_directory(run_directory).string();
  make_directories(run_directory);
  make_directory(journal);
  for (std::int64_t number = count_attempts(run_directory) + 1;; ++number) {
    std::string attempt = fmt::format("{}/{:05}", journal, number);
    if (!make_new_directory(attempt)) continue;  // another job has created it
    sync_directory(journal);
    return attempt;
  }
}

std::string journal_path(const std::string& attempt, int rank) {
  return fmt::format("{}/{:05}{}", attempt, rank, extension);
}

std::string predictions_path(const std::string& journal_path) {
  return fs::path(journal_path).replace_extension(predictions_extension).string();
}

std::string sibling_journal(const std::string& journal, int rank) {
  return journal_path(fs::path(journal).parent_path().string(), rank);
}

std::vector<std::string> list_journals(const std::string& run_directory) {
  return reading(run_directory, [&] {
    std::vector<std::string> journals;
    for (const auto& attempt : attempts_of(run_directory))
      for (const auto& path : sorted_paths(attempt))
        if (path.extension() == extension) {
          refuse_special_file(path.string());
          journals.push_back(path.string());
        } else if (path.extension() == predictions_extension) {
          refuse_special_file(path.string());
        }
    return journals;
  });
}

std::vector<std::string> list_attempts(const std::string& run_directory) {
  return reading(run_directory, [&] {
    std::vector<std::string> names;
    for (const auto& attempt : attempts_of(run_directory)) names.push_back(attempt.filename().string());
    return names;
  });
}

std::string attempt_of(const std::string& journal_path) {
  return fs::path(journal_path).parent_path().filename().string();
}

std::int64_t count_attempts(const std::string& run_directory) {
  return reading(run_directory, [&] { return static_cast<std::int64_t>(attempts_of(run_directory).size()); });
}

}  // namespace sheaf
