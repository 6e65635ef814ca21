// The order of trials and models. Pure.
// SPDX-License-Identifier: MIT
#pragma once

#include <array>
#include <cstddef>
#include <optional>

namespace sheaf {

struct Study;

/// The order of trials and models: by score, then validation loss, then final loss; or by validation loss first.
struct Ranking {
  bool by_loss = false;          ///< validation loss first, then score
  bool larger_is_better = true;  ///< whether a larger score is better
  bool one_loss = true;          ///< all trials have the same kind of loss, so that their losses are comparable
  std::size_t metric_count = 0;  ///< further metrics of each iteration, which do not decide the order
};

/// Values of a trial or a model in the order of a ranking. Smaller is better; infinity is worst.
using RankingCosts = std::array<double, 3>;

/// Values that are not finite are worst.
RankingCosts costs_of(const Ranking& ranking, double score, double validation_loss, double final_loss);

/// Whether all trials have the same train.loss.
bool has_one_loss(const Study& study);

/// The ranking that search.metric selects. For the default, loss, these are ranked by their score: ensembles, whose
/// loss is not known, and trials with different kinds of losses, which are not comparable.
Ranking ranking_of(const Study& study);

/// The least first value of RankingCosts that any model can have; nothing if there is no limit.
std::optional<double> least_cost(const Study& study);

}  // namespace sheaf
