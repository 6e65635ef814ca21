// The sampler of search.method = tpe.
// SPDX-License-Identifier: MIT
#pragma once

#include <memory>

#include "search/trial_sampler.hpp"
#include "study/plan.hpp"

namespace sheaf {

struct Study;

/// Creates a sampler of the study's searched keys. `plan` outlives it.
std::unique_ptr<TrialSampler> make_tpe_sampler(const Study& study, const Plan& plan);

}  // namespace sheaf
