// SPDX-License-Identifier: MIT
#include "search/sampler_table.hpp"

#include "search/tpe_sampler.hpp"
#include "study/study.hpp"

namespace sheaf {

std::unique_ptr<TrialSampler> make_sampler(const Study& study, const Plan& plan) {
  return study.search.method == SearchMethod::tpe ? make_tpe_sampler(study, plan) : nullptr;
}

}  // namespace sheaf
