// SPDX-License-Identifier: MIT
#include "runs/journal/checkpoint_files.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cerrno>
#include <charconv>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <string_view>
#include <vector>

#include "core/bytes.hpp"
#include "core/error.hpp"
#include "core/log.hpp"
#include "files/checksum.hpp"
#include "files/directories.hpp"
#include "files/output_file.hpp"
#include "files/replace_file.hpp"

namespace sheaf {
namespace {

namespace fs = std::filesystem;

constexpr std::uint32_t magic = 0x4b434853;     // "SHCK"
constexpr std::uint32_t checkpoint_format = 4;  // increases with every change of the contents of a state
constexpr std::size_t files_per_iteration = 2;
constexpr std::string_view unusable_ending = ".unusable";

struct CheckpointHead {
  std::uint32_t magic = sheaf::magic;
  std::uint32_t format = checkpoint_format;
  std::int64_t iteration = 0;
  std::int64_t bytes = 0;      // of the state
  std::uint32_t run = 0;       // fingerprints of study and data
  std::uint32_t checksum = 0;  // of the state
};

struct Name {
  std::int64_t iteration = 0, number = 0;
};

std::string name_text(const Name& name) {
  return fmt::format("{}.{}", name.iteration, name.number);
}

// Parses the name of a checkpoint; nothing for other names.
std::optional<Name> parse_name(const std::string& text) {
  Name name;
  const char* end = text.data() + text.size();
  const auto [dot, error] = std::from_chars(text.data(), end, name.iteration);
  if (error != std::errc{} || dot == end || *dot != '.') return std::nullopt;
  const auto [rest, other_error] = std::from_chars(dot + 1, end, name.number);
  if (other_error != std::errc{} || rest != end) return std::nullopt;
  const bool is_own = name.iteration >= 0 && name.number >= 0 && text == name_text(name);  // not "-1.0" or "01.0"
  return is_own ? std::optional(name) : std::nullopt;
}

// Whether this program gives files such names: checkpoints, unusable ones and unfinished ones.
bool is_own_name(const std::string& text) {
  const std::size_t end = text.rfind(unusable_ending);
  const bool is_unusable = end != std::string::npos && end + unusable_ending.size() == text.size();
  return parse_name(is_unusable ? text.substr(0, end) : final_path(text).value_or(text)).has_value();
}

std::vector<Name> names_in(const std::string& directory) {
  std::vector<Name> names;
  std::error_code none;
  for (const auto& entry : fs::directory_iterator(directory, none))
    if (const auto name = parse_name(entry.path().filename().string())) names.push_back(*name);
  return names;
}

// Numbers of the files of an iteration, ascending.
std::vector<std::int64_t> numbers_of(const std::string& directory, std::int64_t iteration) {
  std::vector<std::int64_t> numbers;
  for (const Name& name : names_in(directory))
    if (name.iteration == iteration) numbers.push_back(name.number);
  std::sort(numbers.begin(), numbers.end());
  return numbers;
}

std::string path_of(const std::string& directory, std::int64_t iteration, std::int64_t number) {
  return directory + "/" + name_text({iteration, number});
}

// Reads the file at `path` into `state`. Returns the reason if the file cannot be used, otherwise nothing. Throws
// RunError if it cannot be opened.
std::optional<std::string> read_state(const std::string& path, std::int64_t iteration, std::uint32_t run,
                                      std::string& state) {
  std::error_code ignored;
  if (!fs::is_regular_file(path, ignored)) return "it is not a regular file";
  std::ifstream file(path, std::ios::binary | std::ios::ate);
  // An error, not a reason to rename the file, since it may be readable later.
  require(file.is_open(), fmt::format("checkpoint '{}' cannot be read ({}). Check its permissions and the disk.", path,
                                      std::strerror(errno)));
  const std::int64_t bytes = file.tellg();
  CheckpointHead head;
  file.seekg(0);
  if (!file.read(reinterpret_cast<char*>(&head), sizeof head) || head.magic != magic) return "it is damaged";
  if (head.format != checkpoint_format)
    return fmt::format("it has format {}; this program reads format {}", head.format, checkpoint_format);
  if (head.iteration != iteration || head.run != run) return "it belongs to another study or other data";
  if (head.bytes != bytes - static_cast<std::int64_t>(sizeof head)) return "it is damaged";
  state.resize(static_cast<std::size_t>(head.bytes));
  if (!file.read(state.data(), head.bytes) || head.checksum != checksum(state.data(), state.size()))
    return "it is damaged";
  return std::nullopt;
}

}  // namespace

std::string checkpoint_directory(const std::string& run_directory) {
  return run_directory + "/checkpoints";
}

CheckpointFiles::CheckpointFiles(const std::string& run_directory, const JournalHeader& header)
    : directory_(checkpoint_directory(run_directory)), seed_(header.seed()) {
  for (const Name& name : names_in(directory_)) with_files_.insert(name.iteration);
}

bool CheckpointFiles::has(std::int64_t iteration) const {
  const std::lock_guard lock(mutex_);
  return with_files_.count(iteration) > 0;
}

std::optional<std::string> CheckpointFiles::load(std::int64_t iteration) {
  if (!has(iteration)) return std::nullopt;
  for (;;) {
    const auto numbers = numbers_of(directory_, iteration);
    if (numbers.empty()) return std::nullopt;
    std::string state;
    const auto problem = read_state(path_of(directory_, iteration, numbers.back()), iteration, seed_, state);
    if (!problem) return state;
    set_aside(iteration, *problem);
  }
}

void CheckpointFiles::set_aside(std::int64_t iteration, const std::string& reason) {
  const auto numbers = numbers_of(directory_, iteration);
  if (numbers.empty()) return;
  const std::string path = path_of(directory_, iteration, numbers.back());
  const std::string aside = path + std::string(unusable_ending);
  std::error_code failed;
  fs::rename(path, aside, failed);
  require(!failed,
          fmt::format("checkpoint '{}' cannot be used ({}) and cannot be renamed ({}). Correct the permissions "
                      "of '{}'.",
                      path, reason, failed.message(), directory_));
  log_rank(
      fmt::format("warning: checkpoint '{}' cannot be used ({}). Iteration {} continues from {}. The file was renamed "
                  "to '{}'.",
                  path, reason, iteration, numbers.size() > 1 ? "the previous checkpoint" : "its beginning", aside));
}

void CheckpointFiles::save(std::int64_t iteration, const std::string& state) {
  {
    const std::lock_guard lock(mutex_);
    with_files_.insert(iteration);
  }
  make_directory(directory_);
  const auto numbers = numbers_of(directory_, iteration);
  const std::string path = path_of(directory_, iteration, numbers.empty() ? 0 : numbers.back() + 1);
  UnfinishedFile unfinished(path);
  CheckpointHead head;
  head.iteration = iteration;
  head.bytes = static_cast<std::int64_t>(state.size());
  head.run = seed_;
  head.checksum = checksum(state.data(), state.size());
  unfinished.file().write(&head, sizeof head);
  unfinished.file().write(state);
  unfinished.commit();
  sync_directory(directory_);
  std::error_code failed;
  for (std::size_t index = 0; index + files_per_iteration <= numbers.size(); ++index)
    fs::remove(path_of(directory_, iteration, numbers[index]), failed);
}

void CheckpointFiles::discard(std::int64_t iteration) {
  {
    const std::lock_guard lock(mutex_);
    if (with_files_.erase(iteration) == 0) return;
  }
  std::error_code failed;
  for (const std::int64_t number : numbers_of(directory_, iteration))
    fs::remove(path_of(directory_, iteration, number), failed);
}

void remove_checkpoints(const std::string& run_directory) {
  const std::string directory = checkpoint_directory(run_directory);
  std::vector<fs::path> own;
  std::error_code ignored;
  for (const auto& entry : fs::directory_iterator(directory, ignored))
    if (is_own_name(entry.path().filename().string())) own.push_back(entry.path());
  for (const auto& path : own) fs::remove(path, ignored);
  remove_empty_directories({directory});
}

}  // namespace sheaf
