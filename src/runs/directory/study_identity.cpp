// SPDX-License-Identifier: MIT
#include "runs/directory/study_identity.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <utility>

#include "core/fingerprint.hpp"
#include "study/settings_table.hpp"

namespace sheaf {
namespace {

using Entries = std::vector<std::pair<std::string, std::string>>;

Entries deciding_entries(const Study& study) {
  Entries entries;
  for (const auto& setting : settings_table())
    if (setting.decides_results) entries.emplace_back(setting.info.key, setting.text(study));
  for (const auto& searched : study.search.keys)
    entries.emplace_back("search." + searched.key, fmt::format("{}", fmt::join(searched.candidates, ", ")));
  return entries;
}

std::string shown(const Entries& entries, const std::string& key) {
  const auto found =
      std::find_if(entries.begin(), entries.end(), [&](const auto& entry) { return entry.first == key; });
  if (found == entries.end()) return "not searched";
  return found->second.empty() ? "empty" : found->second;
}

}  // namespace

std::string study_fingerprint(const Study& study) {
  Fingerprint fingerprint;
  for (const auto& [key, text] : deciding_entries(study)) fingerprint.add(key + "=" + text + "\n");
  return fingerprint.text();
}

std::vector<std::string> differing_keys(const Study& study, const Study& stored) {
  const Entries now = deciding_entries(study);
  const Entries before = deciding_entries(stored);
  std::vector<std::string> keys;
  for (const Entries& entries : {now, before})
    for (const auto& entry : entries)
      if (std::find(keys.begin(), keys.end(), entry.first) == keys.end()) keys.push_back(entry.first);
  std::vector<std::string> differing;
  for (const auto& key : keys)
    if (shown(now, key) != shown(before, key))
      differing.push_back(fmt::format("{} = {}, was {}", key, shown(now, key), shown(before, key)));
  // The numbers of trials depend on the order of the searched keys.
  if (differing.empty() && now != before) differing.push_back("the order of the searched keys");
  return differing;
}

}  // namespace sheaf
