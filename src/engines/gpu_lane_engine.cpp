// SPDX-License-Identifier: MIT
#include "engines/gpu_lane_engine.hpp"

#include <fmt/format.h>

#include <atomic>
#include <cstdint>
#include <mutex>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "core/log.hpp"
#include "training/gpu_error.hpp"

namespace sheaf {
namespace {

std::atomic<bool> has_gpu_failed{false};  // in this process

// Keeps an engine until the process ends.
void keep_forever(std::unique_ptr<Engine> engine) {
  static std::mutex mutex;
  static auto* const kept = new std::vector<std::unique_ptr<Engine>>;
  const std::lock_guard lock(mutex);
  kept->push_back(std::move(engine));
}

// The iterations of `claimed` that are not in `finished`, in order.
std::vector<IndexRange> rest_of(const std::vector<IndexRange>& claimed, const std::set<std::int64_t>& finished) {
  std::vector<IndexRange> rest;
  for (const IndexRange& range : claimed)
    for (std::int64_t number = range.begin; number < range.end; ++number)
      if (finished.count(number) == 0) rest.push_back({number, number + 1});
  return rest;
}

class GpuLaneEngine : public Engine {
 public:
  GpuLaneEngine(std::unique_ptr<Engine> on_gpu, std::function<std::unique_ptr<Engine>()> make_on_core)
      : on_gpu_(std::move(on_gpu)), make_on_core_(std::move(make_on_core)) {}

  ~GpuLaneEngine() override {
    if (on_gpu_ && has_gpu_failed) keep_forever(std::move(on_gpu_));
  }

  bool train(const std::vector<IndexRange>& claim, const EngineCalls& calls) override {
    if (on_core_) return on_core_->train(claim, calls);
    std::vector<IndexRange> claimed = claim;
    std::set<std::int64_t> finished;
    EngineCalls counted = calls;
    counted.sink = [&](TrainedIteration&& trained) {
      finished.insert(trained.result.iteration);
      calls.sink(std::move(trained));
    };
    if (calls.more)
      counted.more = [&](std::int64_t room) {
        const std::vector<IndexRange> more = calls.more(room);
        claimed.insert(claimed.end(), more.begin(), more.end());
        return more;
      };
    try {
      return on_gpu_->train(claim, counted);
    } catch (const GpuError& error) {
      leave_gpu(error);
    }
    on_core_->train(rest_of(claimed, finished), calls);
    return !claim.empty();
  }

  std::int64_t width() const override { return current().width(); }

  void train_ahead(const Plan& plan, const std::vector<IndexRange>& iterations,
                   const std::function<bool()>& stop_requested) override {
    try {
      current().train_ahead(plan, iterations, stop_requested);
    } catch (const GpuError& error) {
      leave_gpu(error);  // the stage of the iterations will train them
    }
  }

  bool has_lost_gpu() const override { return on_core_ != nullptr; }

 private:
  Engine& current() const { return on_core_ ? *on_core_ : *on_gpu_; }

  void leave_gpu(const GpuError& error) {
    has_gpu_failed = true;
    const std::string problem = fmt::format("the GPU has failed ({})", error.what());
    if (!make_on_core_) throw GpuError(problem);
    log_rank(problem + ": the lane goes on with a core; results agree to rounding");
    keep_forever(std::move(on_gpu_));
    on_core_ = make_on_core_();
  }

  std::unique_ptr<Engine> on_gpu_;  // null after its GPU has failed, if there is an engine on a core
  const std::function<std::unique_ptr<Engine>()> make_on_core_;
  std::unique_ptr<Engine> on_core_;  // null until the GPU fails
};

}  // namespace

std::unique_ptr<Engine> make_gpu_lane_engine(std::unique_ptr<Engine> on_gpu,
                                             std::function<std::unique_ptr<Engine>()> make_on_core) {
  return std::make_unique<GpuLaneEngine>(std::move(on_gpu), std::move(make_on_core));
}

}  // namespace sheaf
