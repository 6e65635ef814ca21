// Trains studies and writes the data that another program needs to repeat the trainings. `dump_training STUDY.cfg...`
// prints a JSON list with one entry for each iteration of each study. Initial weights are written to files in the
// folder of the study, as float32.
// SPDX-License-Identifier: MIT
#include <fmt/format.h>

#include <cmath>
#include <cstdio>
#include <exception>
#include <fstream>
#include <string>
#include <vector>

#include "core/allocator.hpp"
#include "core/error.hpp"
#include "data/node_data.hpp"
#include "data/row_draws.hpp"
#include "engines/lane_engine.hpp"
#include "models/initial_weights.hpp"
#include "parallel/mpi/communicator.hpp"
#include "parallel/mpi/session.hpp"
#include "study/parse_study.hpp"
#include "support/loading.hpp"
#include "support/settled.hpp"
#include "support/whole_plan.hpp"
#include "training/training_cost.hpp"

using namespace sheaf;
using namespace sheaf::test;

namespace {

template <class Value>
std::string json_list(const std::vector<Value>& values) {
  return fmt::format("[{:.9g}]", fmt::join(values, ","));  // nine digits represent every float exactly
}

template <>
std::string json_list(const std::vector<std::int64_t>& values) {
  return fmt::format("[{}]", fmt::join(values, ","));
}

std::string json_number(double value) {
  return std::isfinite(value) ? fmt::format("{:.17g}", value) : "null";
}

// Returns the order of the training rows in each epoch.
std::string json_orders(const Trial& trial, const Iteration& iteration, const Split& split) {
  std::vector<std::string> orders;
  for (std::int64_t epoch = 0; epoch < trial.train.epochs; ++epoch) {
    orders.push_back(json_list(epoch_order(split.training_rows, trial.train.shuffle, iteration.seed, epoch)));
  }
  return fmt::format("[{}]", fmt::join(orders, ","));
}

std::string json_values(const Plan& plan, const Trial& trial) {
  std::vector<std::string> values;
  for (std::size_t key = 0; key < trial.values.size(); ++key)
    values.push_back(fmt::format("\"{}\":\"{}\"", plan.searched_keys()[key], trial.values[key]));
  return fmt::format("{{{}}}", fmt::join(values, ","));
}

// Writes initial weights; returns the path of the file.
std::string dump_weights(const std::string& study_path, std::int64_t iteration, const std::vector<float>& weights) {
  const std::string path = fmt::format("{}.{}.f32", study_path, iteration);
  std::ofstream file(path, std::ios::binary);
  file.write(reinterpret_cast<const char*>(weights.data()),
             static_cast<std::streamsize>(weights.size() * sizeof(float)));
  require(file.flush().good(), fmt::format("'{}' cannot be written.", path));
  return path;
}

std::string json_iteration(const std::string& path, const Study& study, const Plan& plan, const DataSet& data,
                           Splits& splits, const IterationResult& result) {
  const Iteration iteration = plan.iteration(result.iteration);
  const Trial trial = plan.trial(iteration.trial);
  const auto split = splits.split(iteration.repeat, iteration.fold);
  const auto scaling = splits.scaling(iteration.repeat, iteration.fold, scaling_kind(trial));
  const auto weights = initial_weights(network_layout(trial.model, shape_of(data, study.data)),
                                       trial.model.initialization, iteration.seed);
  return fmt::format(
      "{{\"study\":\"{}\",\"iteration\":{},\"engine\":\"{}\",\"values\":{},\"weights\":\"{}\",\"orders\":{},"
      "\"validation_rows\":{},\"stopping_rows\":{},\"shift\":{},\"scale\":{},\"final_loss\":{},"
      "\"validation_loss\":{},\"validation_score\":{},\"epochs\":{},\"best_epoch\":{}}}",
      study.study.name, result.iteration, result.engine.view(), json_values(plan, trial),
      dump_weights(path, result.iteration, weights), json_orders(trial, iteration, *split),
      json_list(split->validation_rows.list()), json_list(split->stopping_rows.list()), json_list(scaling->shift),
      json_list(scaling->scale), json_number(result.final_loss), json_number(result.validation_loss),
      json_number(result.validation_score), result.epochs, result.best_epoch);
}

// Appends one entry for each iteration.
void dump_study(const std::string& path, const Communicator& world, std::vector<std::string>& entries) {
  const Study study = parse_study(path, {});
  const Plan plan = whole_plan(study);
  const DataSet data = load_to_memory(study.data, world, world);
  Splits splits(study, data);
  const SettledStudy settled = test::settled(study);
  const auto engine = make_engine({settled, plan, &data, &splits}, {-1, 1});
  engine->train({{0, plan.iteration_count()}},
                {[&](TrainedIteration&& trained) {
                   entries.push_back(json_iteration(path, study, plan, data, splits, trained.result));
                 },
                 [] { return false; }});
}

}  // namespace

int main(int argc, char** argv) {
  keep_freed_memory();
  try {
    MpiSession session(argc, argv);
    const Communicator world = Communicator::world();
    std::vector<std::string> entries;
    for (int place = 1; place < argc; ++place) dump_study(argv[place], world, entries);
    std::puts(fmt::format("[{}]", fmt::join(entries, ",\n")).c_str());
  } catch (const std::exception& error) {
    std::fprintf(stderr, "%s\n", error.what());
    return 1;
  }
  return 0;
}
