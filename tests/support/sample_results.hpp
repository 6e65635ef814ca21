// Sample results, a temporary directory and comparisons, for tests of the journal.
// SPDX-License-Identifier: MIT
#pragma once

#include <cstring>
#include <filesystem>
#include <fstream>
#include <limits>
#include <sstream>
#include <string>

#include "training/iteration_result.hpp"

namespace sheaf {

// A new empty directory. The destructor removes it.
struct Scratch {
  std::filesystem::path path;
  explicit Scratch(const std::string& name) : path(std::filesystem::absolute(name)) {
    std::filesystem::remove_all(path);
    std::filesystem::create_directories(path);
  }
  ~Scratch() { std::filesystem::remove_all(path); }
};

inline std::string text_of(const std::filesystem::path& path) {
  std::ostringstream text;
  text << std::ifstream(path, std::ios::binary).rdbuf();
  return text.str();
}

// A result whose members all differ, with numbers that are hard to store exactly as text.
inline TrainedIteration sample_iteration(std::int64_t number) {
  TrainedIteration trained;
  IterationResult& result = trained.result;
  result.iteration = number;
  result.status = IterationStatus::finished;
  result.rank = 3;
  result.lane = 5;
  result.gpu = 1;
  result.engine = "native";
  result.final_loss = 1.0 / 3 + static_cast<double>(number);
  result.validation_loss = std::numeric_limits<double>::denorm_min();
  result.validation_score = -0.0;
  result.epochs = 7;
  result.steps = 9007199254740993;
  result.seconds = 0.1;
  result.start_seconds = 1e300;
  result.wait_seconds = 1.0 / 3;
  return trained;
}

inline bool same_bits(double a, double b) {
  return std::memcmp(&a, &b, sizeof a) == 0;
}

inline bool same(const IterationResult& a, const IterationResult& b) {
  return a.iteration == b.iteration && a.status == b.status && a.rank == b.rank && a.lane == b.lane && a.gpu == b.gpu &&
         a.engine == b.engine && same_bits(a.final_loss, b.final_loss) &&
         same_bits(a.validation_loss, b.validation_loss) && same_bits(a.validation_score, b.validation_score) &&
         a.epochs == b.epochs && a.steps == b.steps && same_bits(a.seconds, b.seconds) &&
         same_bits(a.start_seconds, b.start_seconds) && same_bits(a.wait_seconds, b.wait_seconds);
}

inline bool same(const EpochResult& a, const EpochResult& b) {
  return a.iteration == b.iteration && a.epoch == b.epoch && same_bits(a.training_loss, b.training_loss) &&
         same_bits(a.validation_loss, b.validation_loss) && same_bits(a.validation_score, b.validation_score);
}

}  // namespace sheaf
