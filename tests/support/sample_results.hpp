// Sample results, a temporary directory and comparisons, for tests of the journal.
// SPDX-License-Identifier: MIT
#pragma once

#include <algorithm>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <limits>
#include <sstream>
#include <string>
#include <type_traits>

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
  result.best_epoch = 4;
  result.steps = 9007199254740993;
  result.seconds = 0.1;
  result.earlier_seconds = 0.01;
  result.start_seconds = 1e300;
  result.data_seconds = 1e-7;
  result.validation_seconds = 0.025;
  result.wait_seconds = 1.0 / 3;
  return trained;
}

inline bool same_bits(double a, double b) {
  return std::memcmp(&a, &b, sizeof a) == 0;
}

// Whether two results have the same bits in all fields.
template <class Result, class Fields>
bool same_fields(const Result& a, const Result& b, const Fields& fields) {
  return a.iteration == b.iteration && all_stored(fields, [&](const auto& field) {
           if constexpr (std::is_same_v<typename std::decay_t<decltype(field)>::Value, double>)
             return same_bits(field.of(a), field.of(b));
           else
             return field.of(a) == field.of(b);
         });
}

inline bool same(const IterationResult& a, const IterationResult& b) {
  return same_fields(a, b, result_fields);
}

inline bool same(const EpochResult& a, const EpochResult& b) {
  return same_fields(a, b, epoch_fields);
}

inline bool same_metrics(const TrainedIteration& a, const TrainedIteration& b) {
  return std::equal(a.metrics.begin(), a.metrics.end(), b.metrics.begin(), b.metrics.end(), same_bits) &&
         std::equal(a.epoch_metrics.begin(), a.epoch_metrics.end(), b.epoch_metrics.begin(), b.epoch_metrics.end(),
                    same_bits);
}

}  // namespace sheaf
