// SPDX-License-Identifier: MIT
#include "engines/fallback_engine.hpp"

#include <fmt/format.h>

#include <cstdint>
#include <mutex>
#include <set>
#include <utility>
#include <vector>

#include "core/log.hpp"
#include "training/gpu_error.hpp"

namespace sheaf {
namespace {

// Keeps an engine until the process ends, without destroying it: its tensors would call the failed GPU.
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

class FallbackEngine : public Engine {
 public:
  FallbackEngine(std::unique_ptr<Engine> first, std::function<std::unique_ptr<Engine>()> make_other)
      : first_(std::move(first)), make_other_(std::move(make_other)) {}

  bool train(const std::vector<IndexRange>& claim, const EngineCalls& calls) override {
    if (other_) return other_->train(claim, calls);
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
      return first_->train(claim, counted);
    } catch (const GpuError& error) {
      replace(error);
    }
    other_->train(rest_of(claimed, finished), calls);
    return !claim.empty();
  }

  std::int64_t width() const override { return current().width(); }

  void train_ahead(const Plan& plan, const std::vector<IndexRange>& iterations,
                   const std::function<bool()>& stop_requested) override {
    try {
      current().train_ahead(plan, iterations, stop_requested);
    } catch (const GpuError& error) {
      replace(error);  // the stage of the iterations will train them
    }
  }

  bool has_lost_gpu() const override { return other_ != nullptr; }

 private:
  Engine& current() const { return other_ ? *other_ : *first_; }

  void replace(const GpuError& error) {
    log_rank(
        fmt::format("the GPU has failed ({}): the lane goes on with a core; results agree to rounding", error.what()));
    keep_forever(std::move(first_));
    other_ = make_other_();
  }

  std::unique_ptr<Engine> first_;
  const std::function<std::unique_ptr<Engine>()> make_other_;
  std::unique_ptr<Engine> other_;  // null until the GPU fails
};

}  // namespace

std::unique_ptr<Engine> make_fallback_engine(std::unique_ptr<Engine> first,
                                             std::function<std::unique_ptr<Engine>()> make_other) {
  return std::make_unique<FallbackEngine>(std::move(first), std::move(make_other));
}

}  // namespace sheaf
