// SPDX-License-Identifier: MIT
#include "engines/streamed_engine.hpp"

#include <algorithm>
#include <deque>
#include <limits>
#include <string>
#include <utility>
#include <vector>

#include "core/clock.hpp"
#include "core/error.hpp"
#include "engines/engine_choice.hpp"
#include "training/iteration_failure.hpp"
#include "training/piece_size.hpp"
#include "training/streamed_training.hpp"
#include "training/training_cost.hpp"

namespace sheaf {
namespace {

// The memory limit for the models that a lane trains side by side, so that each window is read once for all of them.
constexpr double models_bytes = 256.0 * 1024 * 1024;
constexpr std::size_t max_models = 64;

// An iteration in a round, or waiting for one.
struct Model {
  std::int64_t number = 0;
  std::int64_t attempt = 0;                    ///< counts from 0
  double bytes = 0;                            ///< memory of its training; set when it enters a round
  std::int64_t epochs = 0;                     ///< also set when it enters a round
  std::unique_ptr<StreamedTraining> training;  ///< null after a failure
  std::string failure;
  double waited_seconds = 0;  ///< time that the lane waited, divided by the models of the round

  bool is_over() const { return !training || training->is_done(); }
};

class StreamedEngine : public Engine {
 public:
  StreamedEngine(const TrainingContext& context, LaneDevice device)
      : context_(context),
        device_(device),
        shape_(shape_of(*context.data, context.study->data)),
        lane_(*context.stream) {}

  bool train(const std::vector<IndexRange>& claim, const EngineCalls& calls) override {
    const auto& stop_requested = calls.stop_requested;
    std::deque<Model> waiting;
    for (const IndexRange& range : claim)
      for (std::int64_t number = range.begin; number < range.end && !stop_requested(); ++number)
        waiting.push_back(model_of(number, 0));
    models_.clear();
    do {
      begin_models(waiting);
      const double waited_before = lane_.waited_seconds();
      if (!train_round(stop_requested)) {
        save_checkpoints();
        return false;
      }
      const double waited = (lane_.waited_seconds() - waited_before) / static_cast<double>(models_.size());
      auto unfinished = models_.begin();  // where the next one is kept
      for (auto& model : models_) {
        model.waited_seconds += waited;
        if (model.training && lane_.is_left()) model.training->cut_if_due();
        const bool again = !model.failure.empty() && model.attempt < context_.study->run.retries;
        if (again)
          waiting.push_back(model_of(model.number, model.attempt + 1));
        else if (model.is_over())
          calls.sink(finish(model));
        else if (Model& kept = *unfinished++; &kept != &model)
          kept = std::move(model);
      }
      models_.erase(unfinished, models_.end());
      if (stop_requested()) waiting.clear();
    } while (!lane_.is_left() && (!waiting.empty() || !models_.empty()));
    save_checkpoints();  // not empty only if the lane left the stream
    return !lane_.is_left();
  }

 private:
  // Stores an error of this iteration in `model`. Errors of the data or the device are thrown.
  template <class Use>
  static void attempt(Model& model, const Use& use) {
    const auto failure = failure_of(use);
    if (!failure) return;
    model.failure = failure->message;
    model.training.reset();
  }

  // Saves checkpoints of the unfinished models.
  void save_checkpoints() {
    for (auto& model : models_)
      if (!model.is_over()) model.training->save();
  }

  static Model model_of(std::int64_t number, std::int64_t attempt) {
    Model model;
    model.number = number;
    model.attempt = attempt;
    return model;
  }

  // Moves waiting models to `models_` as far as memory allows; at least one if `models_` is empty.
  void begin_models(std::deque<Model>& waiting) {
    double bytes = 0;
    for (const auto& model : models_) bytes += model.bytes;
    for (; !waiting.empty() && models_.size() < max_models; waiting.pop_front()) {
      const Iteration iteration = context_.plan.iteration(waiting.front().number);
      const Trial trial = context_.plan.trial(iteration.trial);
      const double bytes_of_model = memory_of(trial);
      bytes += bytes_of_model;
      if (!models_.empty() && bytes > models_bytes) break;
      Model& model = models_.emplace_back(std::move(waiting.front()));
      model.bytes = bytes_of_model;
      model.epochs = trial.train.epochs;  // if it fails now
      attempt(model, [&] {
        model.training = make_training(iteration, trial);
        model.epochs = model.training->end_epoch();
      });
    }
    epochs_ = 0;
    first_window_ = std::numeric_limits<std::int64_t>::max();
    for (const auto& model : models_) {
      epochs_ = std::max(epochs_, model.epochs);
      if (model.training) first_window_ = std::min(first_window_, model.training->next_window());
    }
  }

  std::unique_ptr<StreamedTraining> make_training(const Iteration& iteration, const Trial& trial) const {
    const EngineEntry& engine = engine_of(trial, shape_, context_.study.engine(), device_);
    return std::make_unique<StreamedTraining>(context_, iteration, engine.make_trainer(device_, nullptr));
  }

  // Whether the validating pass is so far away that fewer windows are read if the round ends now and the validation
  // follows in a separate round.
  bool is_validation_far() const {
    const StreamOptions& stream = context_.stream->options();
    return stream.validation.any() && stream.validation.every >= epochs_ && !stream.plan.keeps_all() &&
           lane_.windows_left() > stream.plan.windows() + stream.plan.slots;
  }

  // Returns false if no lane of the node had anything to train. Some models may be unfinished when the round ends,
  // because the job is stopping or they await their validation.
  bool train_round(const std::function<bool()>& stop_requested) {
    if (lane_.begin_round(epochs_, first_window_) == 0) return false;
    const auto start = Clock::now();
    auto saved_at = start;
    const auto should_stop = [&] {
      if (context_.checkpoints == nullptr || models_.empty()) return false;
      if (!lane_.is_left() && stop_requested() && seconds_left(start) > max_seconds_after_stop) lane_.leave();
      return lane_.is_left();
    };
    const auto end_if_unneeded = [&] {
      const bool is_far = is_validation_far();
      const auto needs_no_more = [is_far](const Model& model) {
        return model.is_over() || (is_far && model.training->awaits_validation());
      };
      if (std::all_of(models_.begin(), models_.end(), needs_no_more)) lane_.need_no_more();
    };
    end_if_unneeded();
    while (const Window* window = should_stop() ? nullptr : lane_.next(should_stop)) {
      for (auto& model : models_)
        if (model.training) attempt(model, [&] { model.training->use(*window, should_stop); });
      end_if_unneeded();
      if (context_.checkpoints == nullptr || seconds_since(saved_at) < context_.checkpoints->interval_seconds) continue;
      save_checkpoints();
      saved_at = Clock::now();
    }
    return true;
  }

  // The time until the end of the round, estimated from the time so far.
  double seconds_left(Clock::time_point start) const {
    const auto given = static_cast<double>(lane_.windows_given());  // the current one may be unfinished
    return given < 2 ? std::numeric_limits<double>::infinity()
                     : seconds_since(start) * static_cast<double>(lane_.windows_left() + 1) / (given - 1);
  }

  static TrainedIteration finish(Model& model) {
    TrainedIteration trained;
    if (model.training) attempt(model, [&] { trained = model.training->finish(); });
    if (!model.training) {
      trained.result.iteration = model.number;
      trained.result.status = IterationStatus::failed;
      trained.message = model.failure;
    }
    trained.result.wait_seconds += model.waited_seconds;
    return trained;
  }

  // Networks from files have an unknown size and are trained one at a time.
  double memory_of(const Trial& trial) const {
    if (!has_layout(trial.model.kind)) return models_bytes;
    return estimate_trial(trial, shape_, parameter_count(network_layout(trial.model, shape_)), context_.data->rows)
        .model_bytes;
  }

  const TrainingContext context_;
  const LaneDevice device_;
  const DataShape shape_;
  StreamLane lane_;
  std::vector<Model> models_;      // of the round
  std::int64_t epochs_ = 0;        // largest number of epochs among the current models
  std::int64_t first_window_ = 0;  // first window that one of them needs
};

}  // namespace

std::unique_ptr<Engine> make_streamed_engine(const TrainingContext& context, LaneDevice device) {
  return std::make_unique<StreamedEngine>(context, device);
}

}  // namespace sheaf
