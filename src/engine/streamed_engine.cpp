// SPDX-License-Identifier: MIT
#include "engine/streamed_engine.hpp"

#include <algorithm>
#include <vector>

#include "engine/engine_choice.hpp"
#include "engine/resident_trainer.hpp"
#include "engine/streamed_course.hpp"
#include "engine/torch_trainer.hpp"
#include "plan/estimate.hpp"

namespace sheaf {
namespace {

// What the models of a lane may take together: every reading of the file serves them all.
constexpr double models_bytes = 256.0 * 1024 * 1024;
constexpr std::size_t most_models = 64;

class StreamedEngine : public Engine {
 public:
  StreamedEngine(const TrainingContext& context, LaneDevice device)
      : context_(context), device_(device), lane_(*context.stream) {
    set_lane_threads(device.gpu < 0 ? device.thread_count : 1);
  }

  bool train(IndexRange claim, const TrainedIterationSink& sink, const std::function<bool()>&) override {
    do {
      auto courses = begin_courses(claim);
      if (!train_round(courses)) return false;
      for (auto& course : courses) {
        TrainedIteration trained = course->finish();
        trained.record.wait_seconds = waited_in_round_ / static_cast<double>(courses.size());
        sink(std::move(trained));
      }
    } while (!claim.empty());
    return true;
  }

 private:
  using Courses = std::vector<std::unique_ptr<StreamedCourse>>;

  // Takes as many iterations from the front of the claim as fit into memory together, but at least one.
  Courses begin_courses(IndexRange& claim) {
    Courses courses;
    epochs_ = 0;
    for (double bytes = 0; !claim.empty() && courses.size() < most_models; ++claim.begin) {
      const Iteration iteration = context_.plan.iteration(claim.begin);
      const Trial& trial = context_.plan.trials()[static_cast<std::size_t>(iteration.trial)];
      bytes += memory_of(trial);
      if (!courses.empty() && bytes > models_bytes) break;
      const bool resident = torch_reason(trial, context_.study.run, device_.gpu >= 0).empty();
      courses.push_back(std::make_unique<StreamedCourse>(
          context_, iteration, resident ? make_resident_trainer() : make_torch_trainer(device_, nullptr),
          resident ? TrainedBy::resident : TrainedBy::torch));
      epochs_ = std::max(epochs_, trial.train.epochs);
    }
    return courses;
  }

  // Networks from files are of unknown size: one at a time.
  double memory_of(const Trial& trial) const {
    if (!has_layout(trial.model.kind)) return models_bytes;
    const DataShape shape = shape_of(*context_.data, context_.study.data);
    return estimate_trial(trial, shape, parameter_count(network_layout(trial.model, shape)), context_.data->rows)
        .memory_bytes;
  }

  // False when no lane of the node has had anything to train.
  bool train_round(const Courses& courses) {
    if (lane_.begin_round(epochs_) == 0) return false;
    const double waited_before = lane_.waited_seconds();
    while (const Window* window = lane_.next())
      for (const auto& course : courses) course->use(*window);
    waited_in_round_ = lane_.waited_seconds() - waited_before;
    return true;
  }

  const TrainingContext context_;
  const LaneDevice device_;
  StreamLane lane_;
  std::int64_t epochs_ = 0;  // of the models at hand
  double waited_in_round_ = 0;
};

}  // namespace

std::unique_ptr<Engine> make_streamed_engine(const TrainingContext& context, LaneDevice device) {
  return std::make_unique<StreamedEngine>(context, device);
}

}  // namespace sheaf
