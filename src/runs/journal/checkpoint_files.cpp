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
#include <utility>

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
constexpr std::uint32_t checkpoint_format = 5;  // increases with every change of the contents of a state
constexpr std::size_t files_per_iteration = 2;
constexpr std::string_view unusable_ending = ".unusable";
constexpr std::int64_t max_number = 1000000000000;  // more than one run writes; files with larger ones are not its own

struct CheckpointHead {
  std::uint32_t magic = sheaf::magic;
  std::uint32_t format = checkpoint_format;
  std::int64_t iteration = 0;
  std::int64_t bytes = 0;      // of the state
  std::uint32_t run = 0;       // fingerprints of study and data
  std::uint32_t checksum = 0;  // of the state
};

std::string name_text(const CheckpointName& name) {
  return fmt::format("{}.{}", name.iteration, name.number);
}

// Parses the name of a checkpoint; nothing for other names.
std::optional<CheckpointName> parse_name(const std::string& text) {
  CheckpointName name;
  const char* end = text.data() + text.size();
  const auto [dot, error] = std::from_chars(text.data(), end, name.iteration);
  if (error != std::errc{} || dot == end || *dot != '.') return std::nullopt;
  const auto [rest, other_error] = std::from_chars(dot + 1, end, name.number);
  if (other_error != std::errc{} || rest != end) return std::nullopt;
  const bool is_own = name.iteration >= 0 && name.number >= 0 && name.number <= max_number &&
                      text == name_text(name);  // not "-1.0" or "01.0"
  return is_own ? std::optional(name) : std::nullopt;
}

// Whether this program gives files such names: checkpoints, unusable ones and unfinished ones.
bool is_own_name(const std::string& text) {
  const std::size_t end = text.rfind(unusable_ending);
  const bool is_unusable = end != std::string::npos && end + unusable_ending.size() == text.size();
  return parse_name(is_unusable ? text.substr(0, end) : final_path(text).value_or(text)).has_value();
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

std::vector<CheckpointName> list_checkpoints(const std::string& run_directory) {
  std::vector<CheckpointName> names;
  std::error_code none;
  for (const auto& entry : fs::directory_iterator(checkpoint_directory(run_directory), none))
    if (const auto name = parse_name(entry.path().filename().string())) names.push_back(*name);
  return names;
}

CheckpointFiles::CheckpointFiles(const std::string& run_directory, const JournalHeader& header,
                                 const std::vector<CheckpointName>& earlier)
    : directory_(checkpoint_directory(run_directory)), seed_(header.seed()) {
  for (const CheckpointName& name : earlier) numbers_[name.iteration].push_back(name.number);
  for (auto& [iteration, numbers] : numbers_) std::sort(numbers.begin(), numbers.end());
}

// Copies the numbers, so that files are accessed without the lock.
std::vector<std::int64_t> CheckpointFiles::numbers_of(std::int64_t iteration) const {
  const std::lock_guard lock(mutex_);
  const auto found = numbers_.find(iteration);
  return found == numbers_.end() ? std::vector<std::int64_t>() : found->second;
}

void CheckpointFiles::set_numbers(std::int64_t iteration, std::vector<std::int64_t> numbers) {
  const std::lock_guard lock(mutex_);
  if (numbers.empty())
    numbers_.erase(iteration);
  else
    numbers_[iteration] = std::move(numbers);
}

std::string CheckpointFiles::path_of(std::int64_t iteration, std::int64_t number) const {
  return directory_ + "/" + name_text({iteration, number});
}

std::optional<std::string> CheckpointFiles::load(std::int64_t iteration) {
  for (;;) {
    auto numbers = numbers_of(iteration);
    if (numbers.empty()) return std::nullopt;
    const std::string path = path_of(iteration, numbers.back());
    std::error_code ignored;
    if (fs::symlink_status(path, ignored).type() == fs::file_type::not_found) {
      numbers.pop_back();
      set_numbers(iteration, std::move(numbers));
      continue;
    }
    std::string state;
    const auto problem = read_state(path, iteration, seed_, state);
    if (!problem) return state;
    set_aside(iteration, *problem);
  }
}

void CheckpointFiles::set_aside(std::int64_t iteration, const std::string& reason) {
  auto numbers = numbers_of(iteration);
  if (numbers.empty()) return;
  const std::string path = path_of(iteration, numbers.back());
  const std::string aside = path + std::string(unusable_ending);
  std::error_code failed;
  fs::rename(path, aside, failed);
  require(!failed,
          fmt::format("checkpoint '{}' cannot be used ({}) and cannot be renamed ({}). Correct the permissions "
                      "of '{}'.",
                      path, reason, failed.message(), directory_));
  numbers.pop_back();
  log_rank(
      fmt::format("warning: checkpoint '{}' cannot be used ({}). Iteration {} continues from {}. The file was renamed "
                  "to '{}'.",
                  path, reason, iteration, numbers.empty() ? "its beginning" : "the previous checkpoint", aside));
  set_numbers(iteration, std::move(numbers));
}

void CheckpointFiles::save(std::int64_t iteration, const std::string& state) {
  make_directory(directory_);
  auto numbers = numbers_of(iteration);
  const std::int64_t number = numbers.empty() ? 0 : numbers.back() + 1;
  UnfinishedFile unfinished(path_of(iteration, number));
  CheckpointHead head;
  head.iteration = iteration;
  head.bytes = static_cast<std::int64_t>(state.size());
  head.run = seed_;
  head.checksum = checksum(state.data(), state.size());
  unfinished.file().write(&head, sizeof head);
  unfinished.file().write(state);
  unfinished.commit();
  numbers.push_back(number);
  set_numbers(iteration, numbers);
  sync_directory(directory_);
  std::error_code failed;
  while (numbers.size() > files_per_iteration) {
    fs::remove(path_of(iteration, numbers.front()), failed);
    numbers.erase(numbers.begin());
  }
  set_numbers(iteration, std::move(numbers));
}

void CheckpointFiles::discard(std::int64_t iteration) {
  const auto numbers = numbers_of(iteration);
  if (numbers.empty()) return;
  std::error_code failed;
  for (const std::int64_t number : numbers) fs::remove(path_of(iteration, number), failed);
  set_numbers(iteration, {});
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
