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

constexpr std::uint32_t magic = 0x4b434853;      // "SHCK"
constexpr std::uint32_t checkpoint_format = 11;  // increases with every change of the contents of a state
constexpr std::size_t files_per_training = 2;
constexpr std::string_view unusable_ending = ".unusable";
constexpr std::int64_t max_number =
    1000000000000000;  // more than one run reaches; files with larger ones are not its own

struct CheckpointHead {
  std::uint32_t magic = sheaf::magic;
  std::uint32_t format = checkpoint_format;
  IterationKey training;
  std::int64_t bytes = 0;      // of the state
  std::uint32_t run = 0;       // fingerprints of study and data
  std::uint32_t checksum = 0;  // of the state
};

std::string name_text(const CheckpointName& name) {
  const IterationKey& of = name.training;
  return fmt::format("{}-{}-{}-{}.{}", of.trial, of.repeat, of.fold, of.member, name.steps);
}

// Parses the name of a checkpoint; nothing for other names.
std::optional<CheckpointName> parse_name(const std::string& text) {
  CheckpointName name;
  IterationKey& of = name.training;
  const char* next = text.data();
  const char* end = next + text.size();
  const std::pair<std::int64_t*, char> parts[] = {
      {&of.trial, '-'}, {&of.repeat, '-'}, {&of.fold, '-'}, {&of.member, '.'}, {&name.steps, '\0'}};
  for (const auto& [number, delimiter] : parts) {
    const auto [rest, error] = std::from_chars(next, end, *number);
    if (error != std::errc{} || *number < 0 || *number > max_number) return std::nullopt;
    if (delimiter == '\0' ? rest != end : rest == end || *rest != delimiter) return std::nullopt;
    next = rest == end ? end : rest + 1;
  }
  return text == name_text(name) ? std::optional(name) : std::nullopt;  // not "01-0-0-0.0"
}

// Whether this program gives files such names: checkpoints, unusable ones and unfinished ones.
bool is_own_name(const std::string& text) {
  const std::size_t end = text.rfind(unusable_ending);
  const bool is_unusable = end != std::string::npos && end + unusable_ending.size() == text.size();
  return parse_name(is_unusable ? text.substr(0, end) : final_path(text).value_or(text)).has_value();
}

// Reads the file at `path` into `state`. Returns the reason if the file cannot be used, otherwise nothing. Throws
// RunError if it cannot be opened.
std::optional<std::string> read_state(const std::string& path, const IterationKey& training, std::uint32_t run,
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
  if (!(head.training == training) || head.run != run) return "it belongs to another study or other data";
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
  keep(earlier);
}

// Copies the list, so that files are accessed without the lock.
std::vector<std::int64_t> CheckpointFiles::steps_of(const IterationKey& training) const {
  const std::lock_guard lock(mutex_);
  const auto found = steps_.find(training);
  return found == steps_.end() ? std::vector<std::int64_t>() : found->second;
}

void CheckpointFiles::set_steps(const IterationKey& training, std::vector<std::int64_t> saved) {
  const std::lock_guard lock(mutex_);
  if (saved.empty())
    steps_.erase(training);
  else
    steps_[training] = std::move(saved);
}

std::string CheckpointFiles::path_of(const IterationKey& training, std::int64_t steps) const {
  return directory_ + "/" + name_text({training, steps});
}

void CheckpointFiles::expect(const IterationKey& training, std::int64_t steps) {
  auto saved = steps_of(training);
  if (!saved.empty() && saved.back() >= steps) return;
  saved.push_back(steps);
  set_steps(training, std::move(saved));
}

std::optional<std::string> CheckpointFiles::load(const IterationKey& training) {
  for (;;) {
    auto saved = steps_of(training);
    if (saved.empty()) return std::nullopt;
    const std::string path = path_of(training, saved.back());
    std::error_code ignored;
    if (fs::symlink_status(path, ignored).type() == fs::file_type::not_found) {
      saved.pop_back();
      set_steps(training, std::move(saved));
      continue;
    }
    std::string state;
    const auto problem = read_state(path, training, seed_, state);
    if (!problem) return state;
    rename_newest(training, *problem, "");
  }
}

void CheckpointFiles::set_aside(const IterationKey& training, const std::string& reason) {
  constexpr int logged = 3;  // on another device, all checkpoints of a rank may be unusable
  const int number = [&] {
    const std::lock_guard lock(mutex_);
    return ++set_aside_[reason];
  }();
  if (number > logged) return rename_newest(training, reason, std::nullopt);
  rename_newest(training, reason, number == logged ? " Others with this reason are renamed without a warning." : "");
}

void CheckpointFiles::rename_newest(const IterationKey& training, const std::string& reason,
                                    const std::optional<std::string>& warning_end) {
  auto saved = steps_of(training);
  if (saved.empty()) return;
  const std::string path = path_of(training, saved.back());
  const std::string aside = path + std::string(unusable_ending);
  std::error_code failed;
  fs::rename(path, aside, failed);
  require(!failed,
          fmt::format("checkpoint '{}' cannot be used ({}) and cannot be renamed ({}). Correct the permissions "
                      "of '{}'.",
                      path, reason, failed.message(), directory_));
  saved.pop_back();
  if (warning_end)
    log_rank(fmt::format(
        "warning: checkpoint '{}' cannot be used ({}). Trial {} (repeat {}, fold {}, member {}) continues from "
        "{}. The file was renamed to '{}'.{}",
        path, reason, training.trial, training.repeat, training.fold, training.member,
        saved.empty() ? "its beginning" : "the previous checkpoint", aside, *warning_end));
  set_steps(training, std::move(saved));
}

void CheckpointFiles::save(const IterationKey& training, std::int64_t steps, const std::string& state, bool paused) {
  make_directory(directory_);
  UnfinishedFile unfinished(path_of(training, steps));
  CheckpointHead head;
  head.training = training;
  head.bytes = static_cast<std::int64_t>(state.size());
  head.run = seed_;
  head.checksum = checksum(state.data(), state.size());
  unfinished.file().write(&head, sizeof head);
  unfinished.file().write(state);
  if (paused)
    unfinished.commit_unsynced();
  else
    unfinished.commit();
  auto saved = steps_of(training);
  saved.erase(std::lower_bound(saved.begin(), saved.end(), steps), saved.end());
  saved.push_back(steps);
  set_steps(training, saved);
  if (!paused) sync_directory(directory_);
  std::error_code failed;
  while (saved.size() > files_per_training) {
    fs::remove(path_of(training, saved.front()), failed);
    saved.erase(saved.begin());
  }
  set_steps(training, std::move(saved));
}

void CheckpointFiles::keep(const std::vector<CheckpointName>& names) {
  const std::lock_guard lock(mutex_);
  const auto own = std::exchange(steps_, {});
  for (const CheckpointName& name : names) steps_[name.training].push_back(name.steps);
  for (auto& [training, saved] : steps_) {
    // The listing of a shared directory may lack files that this rank has just written.
    if (const auto found = own.find(training); found != own.end())
      saved.insert(saved.end(), found->second.begin(), found->second.end());
    std::sort(saved.begin(), saved.end());
    saved.erase(std::unique(saved.begin(), saved.end()), saved.end());
  }
}

void CheckpointFiles::discard(const IterationKey& training) {
  const auto saved = steps_of(training);
  if (saved.empty()) return;
  std::error_code failed;
  for (const std::int64_t number : saved) fs::remove(path_of(training, number), failed);
  set_steps(training, {});
}

std::vector<CheckpointName> remove_other_checkpoints(const std::string& run_directory,
                                                     const std::function<bool(const IterationKey&)>& continues) {
  std::vector<CheckpointName> kept;
  std::error_code ignored;
  for (const CheckpointName& name : list_checkpoints(run_directory))
    if (continues(name.training))
      kept.push_back(name);
    else
      fs::remove(checkpoint_directory(run_directory) + "/" + name_text(name), ignored);
  return kept;
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
