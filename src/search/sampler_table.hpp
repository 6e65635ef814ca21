// Creates the samplers of search methods.
// SPDX-License-Identifier: MIT
#pragma once

#include <memory>

#include "search/trial_sampler.hpp"
#include "study/plan.hpp"

namespace sheaf {

struct Study;

/// Creates the sampler of a method that draws trials from results; null for all others. `plan` outlives it.
std::unique_ptr<TrialSampler> make_sampler(const Study& study, const Plan& plan);

}  // namespace sheaf
