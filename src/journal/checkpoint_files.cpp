// SPDX-License-Identifier: MIT
#include "journal/checkpoint_files.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <vector>

#include "core/bytes.hpp"
#include "core/error.hpp"
#include "core/output_file.hpp"

namespace sheaf {
namespace {

namespace fs = std::filesystem;

constexpr std::uint64_t format_word = 0x31706b6361656873;  // "sheackp1"
constexpr std::size_t files_kept = 2;

std::string directory_of(const std::string& run_directory) {
  return run_directory + "/checkpoints";
}

struct Head {
  std::uint64_t format = format_word;
  std::int64_t iteration = 0;
  std::uint32_t run = 0;       // fingerprints of study and data
  std::uint32_t checksum = 0;  // of the state
};

struct Name {
  std::int64_t iteration = 0, number = 0;
};

// What a file's name says; nothing for one that is not whole or not of a checkpoint.
std::optional<Name> parse_name(const std::string& text) {
  Name name;
  const char* end = text.data() + text.size();
  const auto [dot, error] = std::from_chars(text.data(), end, name.iteration);
  if (error != std::errc{} || dot == end || *dot != '.') return std::nullopt;
  const auto [rest, other_error] = std::from_chars(dot + 1, end, name.number);
  if (other_error != std::errc{} || rest != end) return std::nullopt;
  return name;
}

std::vector<Name> names_in(const std::string& directory) {
  std::vector<Name> names;
  std::error_code none;
  for (const auto& entry : fs::directory_iterator(directory, none))
    if (const auto name = parse_name(entry.path().filename().string())) names.push_back(*name);
  return names;
}

// Numbers of an iteration's files, ascending.
std::vector<std::int64_t> numbers_of(const std::string& directory, std::int64_t iteration) {
  std::vector<std::int64_t> numbers;
  for (const Name& name : names_in(directory))
    if (name.iteration == iteration) numbers.push_back(name.number);
  std::sort(numbers.begin(), numbers.end());
  return numbers;
}

std::string path_of(const std::string& directory, std::int64_t iteration, std::int64_t number) {
  return fmt::format("{}/{}.{}", directory, iteration, number);
}

}  // namespace

CheckpointFiles::CheckpointFiles(const std::string& run_directory, const JournalHeader& header)
    : directory_(directory_of(run_directory)), seed_(header.seed()) {
  for (const Name& name : names_in(directory_)) kept_.insert(name.iteration);
}

bool CheckpointFiles::has(std::int64_t iteration) const {
  const std::lock_guard lock(mutex_);
  return kept_.count(iteration) > 0;
}

std::optional<std::string> CheckpointFiles::load(std::int64_t iteration) const {
  if (!has(iteration)) return std::nullopt;
  auto numbers = numbers_of(directory_, iteration);
  for (auto number = numbers.rbegin(); number != numbers.rend(); ++number) {
    std::ifstream file(path_of(directory_, iteration, *number), std::ios::binary);
    Head head;
    if (!file.read(reinterpret_cast<char*>(&head), sizeof head)) continue;
    std::string state{std::istreambuf_iterator<char>(file), {}};
    if (head.format == format_word && head.iteration == iteration && head.run == seed_ &&
        head.checksum == checksum(state.data(), state.size()))
      return state;
  }
  return std::nullopt;
}

void CheckpointFiles::save(std::int64_t iteration, const std::string& state) {
  {
    const std::lock_guard lock(mutex_);
    kept_.insert(iteration);
  }
  std::error_code failed;
  fs::create_directories(directory_, failed);
  const auto numbers = numbers_of(directory_, iteration);
  const std::string path = path_of(directory_, iteration, numbers.empty() ? 0 : numbers.back() + 1);
  const std::string temporary = path + ".partial";
  try {
    OutputFile file(temporary);
    const Head head{format_word, iteration, seed_, checksum(state.data(), state.size())};
    file.write(&head, sizeof head);
    file.write(state);
    file.sync_and_close();
    fs::rename(temporary, path);
    sync_directory(directory_);
  } catch (const fs::filesystem_error& error) {
    throw RunError(fmt::format("'{}' cannot be written ({}). Choose a place where you may write, by run.output.", path,
                               error.code().message()));
  } catch (const RunError&) {
    fs::remove(temporary, failed);
    throw;
  }
  for (std::size_t place = 0; place + files_kept <= numbers.size(); ++place)
    fs::remove(path_of(directory_, iteration, numbers[place]), failed);
}

void CheckpointFiles::discard(std::int64_t iteration) {
  {
    const std::lock_guard lock(mutex_);
    if (kept_.erase(iteration) == 0) return;
  }
  std::error_code failed;
  for (const std::int64_t number : numbers_of(directory_, iteration))
    fs::remove(path_of(directory_, iteration, number), failed);
}

void remove_checkpoints(const std::string& run_directory) {
  std::error_code failed;
  fs::remove_all(directory_of(run_directory), failed);
}

}  // namespace sheaf
