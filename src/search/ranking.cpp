// SPDX-License-Identifier: MIT
#include "search/ranking.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <string>

#include "study/key_defaults.hpp"
#include "study/losses.hpp"
#include "study/metrics.hpp"
#include "study/search_spaces.hpp"
#include "study/study.hpp"

namespace sheaf {
namespace {

double cost(double value) {
  return std::isfinite(value) ? value : std::numeric_limits<double>::infinity();
}

}  // namespace

RankingCosts costs_of(const Ranking& ranking, double score, double validation_loss, double final_loss) {
  const double of_score = cost(ranking.larger_is_better ? -score : score), of_loss = cost(validation_loss);
  return ranking.by_loss ? RankingCosts{of_loss, of_score, cost(final_loss)}
                         : RankingCosts{of_score, of_loss, cost(final_loss)};
}

bool has_one_loss(const Study& study) {
  const auto keys = keys_of_all_spaces(study.search);
  return std::none_of(keys.begin(), keys.end(), [](const SearchedKey& searched) {
    const auto& values = searched.candidates;
    const bool changes_loss = searched.key == "train.loss" || searched.key == "train.huber_delta";
    return changes_loss && (searched.sampling != Sampling::list ||
                            std::any_of(values.begin(), values.end(),
                                        [&](const std::string& value) { return value != values.front(); }));
  });
}

Ranking ranking_of(const Study& study) {
  const bool one_loss = has_one_loss(study);
  // The loss of an ensemble is not known, only those of its members.
  const bool by_loss = study.search.metric == "loss" && study.ensemble.members == 1 && one_loss;
  return {by_loss, score_metric(study).metric().larger_is_better(), one_loss, study.run.metrics.size()};
}

std::optional<double> least_cost(const Study& study) {
  if (!ranking_of(study).by_loss) return score_metric(study).metric().larger_is_better() ? -1.0 : 0.0;
  const auto losses = losses_of(study);
  const bool is_limited =
      std::none_of(losses.begin(), losses.end(), [](const Loss* loss) { return loss->needs_counts(); });
  return is_limited ? std::optional(0.0) : std::nullopt;
}

}  // namespace sheaf
