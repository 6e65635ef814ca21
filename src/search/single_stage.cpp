// SPDX-License-Identifier: MIT
#include "search/single_stage.hpp"

#include "search/sampler_table.hpp"
#include "study/study.hpp"

namespace sheaf {
namespace {

// Trains all trials. A search that was extended by more repeats has a stage for each extension.
class SingleStage : public Searcher {
 public:
  explicit SingleStage(const Study& study) : study_(study) {}

  std::int64_t max_stages() const override {
    return static_cast<std::int64_t>(study_.search.earlier_repeats.size()) + 1;
  }

  std::vector<StageSize> sizes(const Plan& plan) const override {
    const std::int64_t trials = plan.trial_count();
    std::vector<StageSize> all;
    for (std::int64_t number = 0; number < max_stages(); ++number)
      all.push_back({{0, number == 0 ? trials : 0}, number == 0 ? 0 : trials, 0, std::nullopt, repeats_of(number)});
    return all;
  }

  std::optional<Stage> next(const KnownResults& known) const override {
    const std::int64_t number = known.plan().stage_count();
    if (number == max_stages()) return std::nullopt;
    Stage stage = whole_stage(known.plan());
    stage.number = number;
    stage.repeats = repeats_of(number);
    return stage;
  }

  std::unique_ptr<GradualTrials> gradual(Plan& plan) const override {
    if (!study_.search.is_gradual()) return nullptr;
    return std::make_unique<GradualTrials>(plan, gradual_rules(study_), make_sampler(study_, plan));
  }

 private:
  // Stage::repeats of a stage.
  IndexRange repeats_of(std::int64_t number) const {
    const SearchOptions& search = study_.search;
    const auto end = [&](std::int64_t of) {
      const auto stage = static_cast<std::size_t>(of);
      return stage < search.earlier_repeats.size() ? search.earlier_repeats[stage] : search.repeats;
    };
    const std::int64_t iterations = study_.study.iterations;
    return {number == 0 ? 0 : iterations * end(number - 1), iterations * end(number)};
  }

  const Study study_;
};

}  // namespace

std::unique_ptr<const Searcher> make_single_stage(const Study& study) {
  return std::make_unique<SingleStage>(study);
}

}  // namespace sheaf
