// SPDX-License-Identifier: MIT
#include "search/single_stage.hpp"

#include "search/sampler_table.hpp"
#include "study/study.hpp"

namespace sheaf {
namespace {

class SingleStage : public Searcher {
 public:
  explicit SingleStage(const Study& study) : study_(study) {}

  std::int64_t max_stages() const override { return 1; }

  std::vector<StageSize> sizes(const Plan& plan) const override {
    return {{{0, plan.trial_count()}, 0, 0, std::nullopt}};
  }

  std::optional<Stage> next(const KnownResults& known) const override {
    if (known.plan().stage_count() > 0) return std::nullopt;
    return whole_stage(known.plan());
  }

  std::unique_ptr<GradualTrials> gradual(Plan& plan) const override {
    if (!study_.search.is_gradual()) return nullptr;
    return std::make_unique<GradualTrials>(plan, gradual_rules(study_), make_sampler(study_, plan));
  }

 private:
  const Study study_;
};

}  // namespace

std::unique_ptr<const Searcher> make_single_stage(const Study& study) {
  return std::make_unique<SingleStage>(study);
}

}  // namespace sheaf
