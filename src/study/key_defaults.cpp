// SPDX-License-Identifier: MIT
#include "study/key_defaults.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <string>
#include <utility>

#include "study/combinations.hpp"
#include "study/optimizers.hpp"
#include "study/search_spaces.hpp"
#include "study/settings_table.hpp"
#include "study/study.hpp"

namespace sheaf {

double initial_learning_rate(const TrainOptions& train) {
  return train.learning_rate.value_or(optimizer_of(train.optimizer).learning_rate);
}

std::vector<std::int64_t> hidden_widths(const ModelOptions& model) {
  if (model.hidden) return *model.hidden;
  return model.kind == ModelKind::mlp ? std::vector<std::int64_t>{128} : std::vector<std::int64_t>{};
}

std::vector<const Loss*> losses_of(const Study& study) {
  std::vector<const Loss*> losses;
  for (const SearchedKey& searched : keys_of_all_spaces(study.search))
    if (searched.key == "train.loss")
      for (const std::string& candidate : searched.candidates) losses.push_back(find_loss(candidate));
  if (losses.empty() && study.train.loss != automatic) losses.push_back(&loss_of(study.train.loss));
  losses.erase(std::remove(losses.begin(), losses.end(), nullptr), losses.end());
  return losses;
}

MetricChoice score_metric(const Study& study) {
  if (auto chosen = read_metric(study.search.metric)) return *std::move(chosen);
  const Task task = study.data.task;
  const auto keys = keys_of_all_spaces(study.search);
  const auto searched =
      std::find_if(keys.begin(), keys.end(), [](const SearchedKey& key) { return key.key == "train.loss"; });
  if (searched == keys.end()) return default_metric(task, study.train.loss).kind;
  const auto metric_for = [task](const std::string& name) -> const Metric& {
    const Loss* const loss = find_loss(name);
    return loss == nullptr ? default_metric(task) : default_metric(task, loss->kind);
  };
  const Metric& first = metric_for(searched->candidates.front());
  const bool is_shared = std::all_of(searched->candidates.begin(), searched->candidates.end(),
                                     [&](const std::string& loss) { return &metric_for(loss) == &first; });
  return (is_shared ? first : default_metric(task)).kind;
}

AutoOr<SearchMethod> settled_method(const Study& study) {
  const SearchOptions& search = study.search;
  if (search.method != automatic) return search.method;
  if (search.trials > 0 || ((search.patience > 0 || search.time > 0) && has_ranges(search)))
    return SearchMethod::random;
  if (!search.keys.empty() || search.folds > 1 || has_given_folds(study)) return SearchMethod::grid;
  if (may_have_given_folds(study)) return automatic;
  return SearchMethod::none;
}

std::int64_t batch_of(const Study& study) {
  constexpr std::int64_t least = 8, most = 10000, without_trials = 32;
  if (study.search.batch > 0) return study.search.batch;
  if (!study.search.has_trial_count()) return without_trials;
  return std::clamp<std::int64_t>(trial_count(study) / 10, least, most);
}

bool has_given_folds(const Study& study) {
  return study.data.folds && !study.data.folds->empty();
}

bool has_no_validation(const Study& study) {
  if (study.search.folds > 1 || has_given_folds(study) || has_validation_rows(study.data)) return false;
  return study.data.validation || study.data.source == DataSource::synthetic;
}

bool may_have_given_folds(const Study& study) {
  const DataOptions& data = study.data;
  const bool has_others = data.groups.value_or("") != "" || is_ordered(data) || !data.validation_file.empty();
  return data.source == DataSource::file && !data.folds && !has_others;
}

}  // namespace sheaf
