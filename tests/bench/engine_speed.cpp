// Measures the training speed of the engines: small networks on one core, compared with its peak and with each other,
// then whole studies on lanes and ranks. See README.md. One rank or two.
// SPDX-License-Identifier: MIT
#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "bench/fma_peak.hpp"
#include "core/allocator.hpp"
#include "core/clock.hpp"
#include "data/node_data.hpp"
#include "data/split_scaling.hpp"
#include "data/synthetic.hpp"
#include "engines/lane_engine.hpp"
#include "engines/libtorch/torch_stack_trainer.hpp"
#include "engines/libtorch/torch_trainer.hpp"
#include "engines/native/kernels/product.hpp"
#include "engines/native/native_trainer.hpp"
#include "models/initial_weights.hpp"
#include "parallel/mpi/session.hpp"
#include "support/epochs.hpp"
#include "support/loading.hpp"
#include "support/one_stage.hpp"
#include "support/plain_study.hpp"
#include "support/regression_study.hpp"
#include "support/settled.hpp"
#include "support/whole_plan.hpp"
#include "training/batches.hpp"
#include "training/epoch_rows.hpp"
#include "training/stack_shape.hpp"
#include "training/training_cost.hpp"

using namespace sheaf;
using namespace sheaf::test;

namespace {

// Returns the seconds per unit of each kind of work, the best of several turns. Kinds alternate, since the speed of the
// machine varies. A call does some units of work and returns their number.
std::vector<double> unit_seconds(double seconds, const std::vector<std::function<std::int64_t()>>& kinds) {
  std::vector<double> best(kinds.size(), 1e300);
  for (const auto begin = Clock::now(); seconds_since(begin) < seconds * static_cast<double>(kinds.size());) {
    for (std::size_t kind = 0; kind < kinds.size(); ++kind) {
      const auto start = Clock::now();
      double spent = 0;
      std::int64_t units = 0;
      for (; spent < seconds / 50; spent = seconds_since(start)) units += kinds[kind]();
      best[kind] = std::min(best[kind], spent / static_cast<double>(units));
    }
  }
  return best;
}

// ---- Steps of one model on one core

struct Shape {
  std::int64_t features, hidden, outputs, rows, batch;

  // Whether a stack is measured, too.
  bool is_small() const { return features * hidden <= 10000; }
};

// Floating-point operations in the matrix products of a step: forward pass and weight gradients of each layer, input
// gradients of all layers but the first.
double product_flops(const std::vector<Layer>& layers, std::int64_t batch) {
  double multiply_adds = 0;
  for (std::size_t index = 0; index < layers.size(); ++index)
    multiply_adds += (index == 0 ? 2.0 : 3.0) * static_cast<double>(layers[index].weight_count() * batch);
  return 2 * multiply_adds;
}

// Trains for an epoch and returns its number of steps.
std::int64_t steps_of_epoch(Epochs& epochs) {
  const std::int64_t before = epochs.steps();
  epochs.train_epoch();
  return epochs.steps() - before;
}

// Trains the models of a stack, all of them the same, for an epoch and returns the number of their steps.
class StackEpochs {
 public:
  static constexpr std::int64_t width = 32;

  StackEpochs(const TrainingTask& task, const DataSet& data)
      : steps_(epoch_steps(task.trial.train, task.rows.count())),
        rate_(task.trial.train, steps_),
        order_(task.rows, task.trial.train, task.trial.model, task.seed),
        stack_(make_torch_stack_trainer({-1, 1}, data,
                                        stack_shape(task.trial, task.layers, task.scaling, task.rows.count()), width)),
        sums_(static_cast<std::size_t>(width)) {
    for (std::int64_t slot = 0; slot < width; ++slot) {
      stack_->start(slot, task);
      rows_.push_back({{order_.of(0), task.rows.count(), 0}, &rate_});
    }
  }

  std::int64_t train_epoch() {
    stack_->train(rows_, sums_.data());
    return width * steps_;
  }

 private:
  const std::int64_t steps_;  // per epoch
  const LearningRate rate_;
  EpochRows order_;
  std::unique_ptr<StackTrainer> stack_;
  std::vector<SlotRows> rows_;
  std::vector<double> sums_;
};

void measure_shape(const Shape& shape, double seconds, double peak) {
  DataOptions options = test::plain_data();
  options.task = Task::classification;
  options.rows = shape.rows;
  options.columns = shape.features;
  options.classes = shape.outputs;
  const DataSet data = draw_synthetic(options, 1);
  Trial trial;
  trial.model.kind = ModelKind::mlp;
  trial.model.hidden = {shape.hidden};
  trial.train.loss = LossKind::cross_entropy;
  trial.train.optimizer = OptimizerKind::adam;
  trial.train.learning_rate = 1e-4;
  trial.train.batch_size = shape.batch;
  const auto layers = network_layout(trial.model, {shape.rows, shape.features, shape.outputs, {}});
  const auto weights = initial_weights(layers, trial.model.initialization, 1);
  Split split;
  split.training_rows = RowSet::all(shape.rows);
  const FeatureScaling scaling = feature_scaling(data, split.training_rows, Normalize::standard, {});
  const TrainingTask task{trial, layers, weights, data, split, scaling, split.training_rows, 1};

  const auto torch = make_torch_trainer({-1, 1}, &data);
  const auto native = make_native_trainer();
  Epochs torch_epochs(*torch, task), native_epochs(*native, task);
  torch_epochs.train_epoch();
  native_epochs.train_epoch();
  std::vector<std::function<std::int64_t()>> kinds = {[&] { return steps_of_epoch(torch_epochs); },
                                                      [&] { return steps_of_epoch(native_epochs); }};
  std::optional<StackEpochs> stack;
  if (shape.is_small()) {
    stack.emplace(task, data);
    kinds.push_back([&] { return stack->train_epoch(); });
  }
  const auto best = unit_seconds(seconds, kinds);
  const double torch_step = best[0], native_step = best[1];
  const double flops = product_flops(layers, shape.batch) / native_step;
  std::printf("%4lld-%4lld-%2lld, batch %4lld  %9.2f %9.2f %7.1f %9.1f %7.0f %%",
              static_cast<long long>(shape.features), static_cast<long long>(shape.hidden),
              static_cast<long long>(shape.outputs), static_cast<long long>(shape.batch), 1e6 * torch_step,
              1e6 * native_step, torch_step / native_step, flops / 1e9, 100 * flops / peak);
  if (stack) std::printf(" %9.2f %12.1f %14.2f", 1e6 * best[2], torch_step / best[2], native_step / best[2]);
  std::printf("\n");
}

void measure_shapes(double seconds) {
  const double peak = measure_fma_peak(seconds / 4);
  std::printf("One core: peak %.1f GFLOP/s of fused multiply-adds; products by %s\n", peak / 1e9,
              product_library().c_str());
  std::printf(
      "MLP, Adam                torch us  native us   ratio   GFLOP/s  of peak  stack us  torch/stack   "
      "native/stack\n");
  for (const Shape& shape : {Shape{64, 32, 10, 1437, 32}, Shape{64, 32, 10, 1437, 256}, Shape{64, 128, 10, 1437, 32},
                             Shape{256, 64, 10, 2000, 32}, Shape{784, 128, 10, 6000, 64},
                             Shape{784, 128, 10, 6000, 256}, Shape{784, 1024, 10, 2000, 128}})
    measure_shape(shape, seconds, peak);
}

// ---- The classic benchmark: Linear(10, 1), five full-batch epochs on 1000 rows drawn for each iteration

Study iterations_study(EngineKind engine) {
  Study study = test::regression_study();
  study.study.iterations = 100000;
  study.data.source = DataSource::synthetic;
  study.train.epochs = 5;
  study.train.batch_size = 0;
  study.train.learning_rate = 1e-3;
  study.run.engine = engine;
  return study;
}

void measure_iterations(double seconds) {
  const SettledStudy studies[] = {test::settled(iterations_study(EngineKind::torch)),
                                  test::settled(iterations_study(EngineKind::native))};
  const Plan plans[] = {whole_plan(studies[0]), whole_plan(studies[1])};
  const auto torch = make_engine({studies[0], plans[0], nullptr, nullptr}, {-1, 1});
  const auto native = make_engine({studies[1], plans[1], nullptr, nullptr}, {-1, 1});
  std::int64_t drawn = 0, trained = 0;
  const auto draw = [&] {
    draw_synthetic(studies[0]->data, static_cast<std::uint64_t>(++drawn));
    return 1;
  };
  const auto train = [&](Engine& engine) {
    trained = (trained + 1) % 90000;
    engine.train({{trained, trained + 1}}, {[](TrainedIteration&&) {}, [] { return false; }});
    return 1;
  };
  const auto best = unit_seconds(seconds, {draw, [&] { return train(*torch); }, [&] { return train(*native); }});
  std::printf(
      "Linear(10,1) iterations  %9.2f %9.2f %7.1f; drawing the data takes %.2f us, ratio native / drawing %.2f\n",
      1e6 * best[1], 1e6 * best[2], best[1] / best[2], 1e6 * best[0], best[2] / best[0]);
}

// ---- Whole studies

Study search_study(const std::string& digits) {
  Study study = test::regression_study();
  study.data.file = digits;
  study.data.task = Task::classification;
  study.data.normalize = Normalize::standard;
  study.model.kind = ModelKind::mlp;
  study.model.hidden = {32};
  study.train.epochs = 30;
  study.train.batch_size = 32;
  study.train.loss = LossKind::cross_entropy;
  study.train.optimizer = OptimizerKind::adam;
  study.search.method = SearchMethod::grid;
  study.search.folds = 5;
  study.search.keys = {{"train.learning_rate", {"1e-4", "3e-4", "1e-3", "3e-3", "1e-2"}},
                       {"train.weight_decay", {"0", "1e-5", "1e-4", "1e-3"}}};
  return study;
}

enum class Features { floats, bytes };

Study bagging_study(Features features) {
  Study study = test::regression_study();
  if (features == Features::bytes) study.data.normalize = Normalize::standard;
  study.data.source = DataSource::synthetic;
  study.data.draw = Draw::study;
  study.data.task = Task::classification;
  study.data.rows = 6000;
  study.data.columns = 784;
  study.data.classes = 10;
  study.data.relation = Relation::linear;
  study.model.kind = ModelKind::mlp;
  study.model.hidden = {128};
  study.train.epochs = 2;
  study.train.batch_size = 64;
  study.train.loss = LossKind::cross_entropy;
  study.train.optimizer = OptimizerKind::adam;
  study.train.learning_rate = 1e-3;
  study.ensemble.members = 50;
  study.ensemble.bootstrap = true;
  return study;
}

// Converts normal random features to bytes, like those of pixels.
DataSet as_bytes(DataSet data) {
  const auto count = static_cast<std::size_t>(data.rows * data.feature_count);
  const auto bytes = std::make_shared<std::pair<std::shared_ptr<void>, std::vector<std::uint8_t>>>(
      data.owner, std::vector<std::uint8_t>(count));
  for (std::size_t index = 0; index < count; ++index)
    bytes->second[index] = static_cast<std::uint8_t>(std::clamp(128 + 32 * data.features[index], 0.0f, 255.0f));
  data.features = nullptr;
  data.byte_features = bytes->second.data();
  data.owner = bytes;
  return data;
}

// A study that is trained on the ranks of a communicator.
class StudyRun {
 public:
  StudyRun(const Study& study, Features features, const Communicator& ranks)
      : study_(study),
        ranks_(ranks),
        node_(ranks.split_by_node()),
        plan_(whole_plan(study)),
        data_(study.data.source == DataSource::file ? load_to_memory(study.data, ranks, node_)
                                                    : draw_synthetic(study.data, 1)) {
    if (features == Features::bytes) data_ = as_bytes(std::move(data_));
  }

  // Seconds from the first claim to the last result. Collective over the ranks.
  double seconds(std::int64_t lanes) const {
    Splits splits(study_, data_);
    const SettledStudy settled = test::settled(study_);
    const TrainingContext context{settled, plan_, &data_, &splits};
    RunOptions run = study_.run;
    run.progress = ProgressKind::none;
    Placement placement;
    placement.lanes.resize(static_cast<std::size_t>(lanes));
    ranks_.barrier();
    const auto start = Clock::now();
    const RemainingIterations work({{0, plan_.iteration_count()}});
    const EngineFactory lane_engine = [&](int) { return make_engine(context, {-1, 1}); };
    test::train_one_stage({run, lane_engine, placement}, PartitionKind::factoring, work, ranks_, node_);
    return ranks_.maximum(seconds_since(start));
  }

 private:
  const Study study_ = test::plain_study();
  const Communicator& ranks_;
  const Communicator node_;
  const Plan plan_;
  DataSet data_;
};

// Prints the best times of `study_turns` turns.
void measure_study(const char* name, const Study& study, Features features, int study_turns,
                   const Communicator& world) {
  const Communicator self = Communicator::self();
  std::optional<StudyRun> alone;
  if (world.is_root()) alone.emplace(study, features, self);
  const StudyRun together(study, features, world);
  double one_lane = 1e300, two_lanes = 1e300, two_ranks = 1e300;
  for (int turn = 0; turn < study_turns; ++turn) {
    if (alone) {
      one_lane = std::min(one_lane, alone->seconds(1));
      two_lanes = std::min(two_lanes, alone->seconds(2));
    }
    world.patient_barrier([](double) { return 1.0; });  // sleeps, since rank 0 needs both cores
    if (world.size() == 2) two_ranks = std::min(two_ranks, together.seconds(1));
  }
  if (!world.is_root()) return;
  std::printf("%-38s 1 lane %6.3f s; 2 lanes %6.3f s, %.2f times as fast", name, one_lane, two_lanes,
              one_lane / two_lanes);
  if (world.size() == 2) std::printf("; 2 ranks %6.3f s, %.2f times", two_ranks, one_lane / two_ranks);
  std::printf("\n");
}

}  // namespace

// engine_speed DIGITS.h5 [SECONDS]: SECONDS per measurement on one core (1); below 0.1, whole studies are left out.
int main(int argc, char** argv) {
  keep_freed_memory();
  MpiSession session(argc, argv);
  const Communicator world = Communicator::world();
  if (argc < 2 || world.size() > 2) {
    std::fputs("engine_speed DIGITS.h5 [SECONDS], on one rank or two\n", stderr);
    MpiSession::abort(2);
  }
  const double seconds = argc > 2 ? std::atof(argv[2]) : 1.0;
  if (world.is_root()) {
    measure_shapes(seconds);
    measure_iterations(seconds);
    std::fflush(stdout);
  }
  world.patient_barrier([](double) { return 1.0; });
  if (seconds >= 0.1) {
    measure_study("digits 64-32-10, 100 iterations of 30 epochs", search_study(argv[1]), Features::floats, 15, world);
    measure_study("bagging, 50 times 784-128-10, 2 epochs", bagging_study(Features::floats), Features::floats, 5,
                  world);
    measure_study("the same from scaled bytes", bagging_study(Features::bytes), Features::bytes, 5, world);
  }
  return 0;
}
