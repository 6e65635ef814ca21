// SPDX-License-Identifier: MIT
#include "runs/directory/study_identity.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <utility>

#include "core/fingerprint.hpp"
#include "study/combinations.hpp"
#include "study/search_spaces.hpp"
#include "study/searched_text.hpp"
#include "study/settings.hpp"
#include "study/settings_table.hpp"
#include "study/study.hpp"

namespace sheaf {
namespace {

using Entries = std::vector<std::pair<std::string, std::string>>;

// Keys that decide how many iterations a run has, but not their results.
constexpr const char* count_keys[] = {"study.iterations", "search.trials",   "search.repeats",
                                      "search.time",      "search.patience", "run.refit"};

// Whether a key does not belong to the identity of a run of `study`. The repeats with which a search of several trials
// began do: they decide the numbers of iterations.
bool is_extent(const std::string& key, const Study& study) {
  if (key == "search.repeats") return study.search.keys.empty();
  return key == "search.earlier" || key == "search.earlier_repeats" ||
         std::find(std::begin(count_keys), std::end(count_keys), key) != std::end(count_keys);
}

// The keys of a study that belong to the identity of a run of `stored`. `keys`: searched keys, which count with their
// candidates. No trial has their base values.
Entries deciding_entries(const Study& study, const std::vector<SearchedKey>& keys, const Study& stored) {
  Entries entries;
  for (const auto& setting : settings_table())
    if (setting.decides_results && !is_extent(setting.info.key, stored) && !is_searched(study, setting.info.key))
      entries.emplace_back(setting.info.key, setting.info.key == std::string("search.repeats")
                                                 ? std::to_string(study.search.first_repeats())
                                                 : setting.text(study));
  for (const auto& searched : keys) entries.emplace_back("search." + searched.key, searched_text(searched));
  return entries;
}

// nullptr: the study has no such entry.
const std::string* find_entry(const Entries& entries, const std::string& key) {
  const auto found =
      std::find_if(entries.begin(), entries.end(), [&](const auto& entry) { return entry.first == key; });
  return found == entries.end() ? nullptr : &found->second;
}

// Whether the iterations of a run keep their numbers if this count changes: trials vary slowest, then repeats.
// The order in which racing trains the folds depends on the number of repeats.
bool may_change(const std::string& key, const Study& stored) {
  if (key == "study.iterations") return stored.search.keys.empty();
  if (key == "search.repeats") return stored.search.keys.empty() && stored.search.racing == Racing::none;
  return key != "search.trials" || stored.search.method_row().can_grow;
}

std::string shown(const std::string* text) {
  if (text == nullptr) return "not searched";
  return text->empty() ? "empty" : *text;
}

}  // namespace

std::string study_fingerprint(const Study& study) {
  Fingerprint fingerprint;
  for (const auto& [key, text] : deciding_entries(study, keys_of_space(study.search, 0), study))
    fingerprint.add(key + "=" + text + "\n");
  return fingerprint.text();
}

std::vector<std::string> differing_keys(const Study& study, const Study& stored) {
  const bool same_keys = have_same_keys(study.search.keys, stored.search.keys);
  const auto entries_of = [&](const Study& of) {
    return deciding_entries(of, same_keys ? keys_of_space(of.search, 0) : of.search.keys, stored);
  };
  const Entries now = entries_of(study), before = entries_of(stored);
  std::vector<std::string> keys;
  for (const Entries& entries : {now, before})
    for (const auto& entry : entries)
      if (std::find(keys.begin(), keys.end(), entry.first) == keys.end()) keys.push_back(entry.first);
  std::vector<std::string> differing;
  for (const auto& key : keys) {
    const std::string *text = find_entry(now, key), *old_text = find_entry(before, key);
    // A key that only one of the studies searches differs by its candidates.
    const bool is_searched_in_one = (text == nullptr) != (old_text == nullptr) && key.rfind("search.", 0) != 0;
    if (!is_searched_in_one && shown(text) != shown(old_text))
      differing.push_back(fmt::format("{} = {}, was {}", key, shown(text), shown(old_text)));
  }
  for (const char* key : count_keys)
    if (const std::string text = setting_text(study, key), old_text = setting_text(stored, key);
        text != old_text && is_extent(key, stored) && !may_change(key, stored))
      differing.push_back(fmt::format("{} = {}, was {}", key, text, old_text));
  // The numbers of trials depend on the order of the searched keys.
  if (differing.empty() && now != before) differing.push_back("the order of the searched keys");
  return differing;
}

bool has_other_values(const Study& study, const Study& stored) {
  const auto &keys = study.search.keys, &before = stored.search.keys;
  return stored.search.has_one_stage() && study.search.method == stored.search.method && have_same_keys(keys, before) &&
         keys != before;
}

Study extended(Study study, const Study& stored, std::int64_t known) {
  SearchOptions& search = study.search;
  search.earlier = stored.search.earlier;
  extend_repeats(stored.search, search);
  if (!has_other_values(study, stored)) return study;
  const std::int64_t kept = stored.search.draws_trials()
                                ? std::max(known, static_cast<std::int64_t>(stored.search.start.size()))
                                : trial_count(stored);
  search.earlier.push_back({kept, stored.search.keys});
  return study;
}

bool has_other_extent(const Study& study, const Study& stored) {
  return study.search.keys != stored.search.keys || study.search.earlier != stored.search.earlier ||
         study.search.earlier_repeats != stored.search.earlier_repeats ||
         std::any_of(std::begin(count_keys), std::end(count_keys),
                     [&](const char* key) { return setting_text(study, key) != setting_text(stored, key); });
}

Study with_extent_of(const Study& study, Study stored) {
  for (const char* key : count_keys) apply_setting(stored, key, setting_text(study, key));
  if (stored.run.refit) stored.run.models = study.run.models;  // a refit needs saved models
  stored.search.keys = study.search.keys;
  stored.search.earlier = study.search.earlier;
  stored.search.earlier_repeats = study.search.earlier_repeats;
  return stored;
}

}  // namespace sheaf
