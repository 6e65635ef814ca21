// SPDX-License-Identifier: MIT
#include "search/tpe_sampler.hpp"

#include <cstddef>
#include <utility>

#include "search/tpe.hpp"
#include "study/study.hpp"

namespace sheaf {
namespace {

class TpeSampler : public TrialSampler {
 public:
  TpeSampler(const Study& study, const Plan& plan) : plan_(plan), tpe_(study.search.keys, study.study.seed) {}

  void add(const TrialOutcome& outcome) override {
    TpeResult result{outcome.costs.front(), {}};
    if (outcome.is_pruned) result.pruned_after = outcome.fits;
    tpe_.add(with_effect(plan_.given(tpe_.finished_count())), result);
  }

  std::vector<std::string> draw(std::int64_t trial) override {
    std::vector<std::string> values;
    if (plan_.is_start(trial) || tpe_.finished_count() < Tpe::startup_trials) {
      for (std::size_t key = 0; key < plan_.searched_keys().size(); ++key) values.push_back(plan_.value(trial, key));
      return values;
    }
    std::vector<TrialValues> pending;
    for (std::int64_t other = tpe_.finished_count(); other < trial; ++other)
      pending.push_back(with_effect(plan_.given(other)));
    values = tpe_.draw(pending);
    const std::vector<bool> effects = plan_.effects(values);
    for (std::size_t key = 0; key < values.size(); ++key)
      if (!effects[key]) values[key] = plan_.candidates(key).front();
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

  const Plan& plan_;
  Tpe tpe_;
};

}  // namespace

std::unique_ptr<TrialSampler> make_tpe_sampler(const Study& study, const Plan& plan) {
  return std::make_unique<TpeSampler>(study, plan);
}

}  // namespace sheaf
