// The study: all settings of a job, as plain values with their defaults. settings.hpp has their names and ranges, and
// parses them.
// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <string>

#include "study/data_options.hpp"
#include "study/model_options.hpp"
#include "study/run_options.hpp"
#include "study/search_options.hpp"
#include "study/train_options.hpp"

namespace sheaf {

/// The maximum number of iterations of a study: a claim packs two iteration numbers into one 64-bit word.
constexpr std::int64_t max_iterations = (std::int64_t{1} << 32) - 1;

struct StudyOptions {
  std::string name = "study";
  std::uint64_t seed = 0;
  std::int64_t iterations = 1;  ///< independent repeats of the whole study
};

struct EnsembleOptions {
  std::int64_t members = 1;
  bool bootstrap = false;  ///< each member trains on its own bootstrap of the training rows
};

/// All settings of one job.
struct Study {
  StudyOptions study;
  DataOptions data;
  ModelOptions model;
  TrainOptions train;
  EnsembleOptions ensemble;
  SearchOptions search;
  RunOptions run;
};

}  // namespace sheaf
