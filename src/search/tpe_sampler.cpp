// SPDX-License-Identifier: MIT
#include "search/tpe_sampler.hpp"

#include <cstddef>
#include <utility>

#include "search/tpe.hpp"
#include "study/search_spaces.hpp"
#include "study/study.hpp"

namespace sheaf {
namespace {

// Has an estimator for each space of the search, which knows the trials whose values are in the space.
class TpeSampler : public TrialSampler {
 public:
  TpeSampler(const Study& study, const Plan& plan) : plan_(plan) {
    for (std::size_t space = 0; space < plan.space_count(); ++space)
      spaces_.push_back({keys_of_space(study.search, space), {keys_of_space(study.search, space), study.study.seed}});
  }

  void add(const TrialOutcome& outcome) override {
    TpeResult result{outcome.costs.front(), {}};
    if (outcome.is_pruned) result.pruned_after = outcome.fits;
    const std::int64_t trial = added_++;
    const TrialValues values = with_effect(plan_.given(trial));
    for (std::size_t space = plan_.space_of(trial); space < spaces_.size(); ++space)
      if (plan_.space_has(space, trial)) spaces_[space].tpe.add(values, result);
  }

  std::vector<std::string> draw(std::int64_t trial) override {
    std::vector<std::string> values;
    const std::size_t space = plan_.space_of(trial);
    const auto& [keys, tpe] = spaces_[space];
    if (plan_.is_start(trial) || tpe.finished_count() < Tpe::startup_trials) {
      for (std::size_t key = 0; key < keys.size(); ++key) values.push_back(plan_.value(trial, key));
      return values;
    }
    std::vector<TrialValues> pending;
    for (std::int64_t other = added_; other < trial; ++other)
      if (plan_.space_has(space, other)) pending.push_back(with_effect(plan_.given(other)));
    values = tpe.draw(trial, pending);
    const std::vector<bool> effects = plan_.effects(values);
    for (std::size_t key = 0; key < values.size(); ++key)
      if (!effects[key]) values[key] = keys[key].candidates.front();
    return values;
  }

 private:
  // The values of the keys that have an effect.
  TrialValues with_effect(std::vector<std::string> values) const {
    const std::vector<bool> effects = plan_.effects(values);
    TrialValues all(values.size());
    for (std::size_t key = 0; key < values.size(); ++key)
      if (effects[key]) all[key] = std::move(values[key]);
    return all;
  }

  struct Space {
    std::vector<SearchedKey> keys;
    Tpe tpe;
  };

  const Plan& plan_;
  std::vector<Space> spaces_;
  std::int64_t added_ = 0;  // trials with an outcome
};

}  // namespace

std::unique_ptr<TrialSampler> make_tpe_sampler(const Study& study, const Plan& plan) {
  return std::make_unique<TpeSampler>(study, plan);
}

}  // namespace sheaf
