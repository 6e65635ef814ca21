// SPDX-License-Identifier: MIT
#include "runs/results/trial_ensemble.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <fstream>
#include <limits>
#include <nlohmann/json.hpp>
#include <sstream>

#include "core/error.hpp"
#include "core/text.hpp"
#include "core/version.hpp"
#include "files/regular_file.hpp"

namespace sheaf {
namespace {

using Json = nlohmann::ordered_json;  // keeps the order of the members

constexpr std::size_t shown_members = 10;

Json json_of(const EnsembleMember& member) {
  Json keys = Json::object();
  for (const auto& [key, value] : member.values) keys[key] = value;
  return {{"trial", member.trial}, {"weight", member.weight},  {"loss", member.loss},  {"score", member.score},
          {"keys", keys},          {"refit", member.is_refit}, {"files", member.files}};
}

double number_of(const Json& json) {
  return json.is_null() ? std::numeric_limits<double>::quiet_NaN() : json.get<double>();
}

EnsembleMember member_of(const Json& json) {
  EnsembleMember member;
  member.trial = json.at("trial");
  member.weight = json.at("weight");
  member.loss = number_of(json.at("loss"));
  member.score = number_of(json.at("score"));
  for (const auto& [key, value] : json.at("keys").items()) member.values.emplace_back(key, value);
  member.is_refit = json.at("refit");
  member.files = json.at("files").get<std::vector<std::string>>();
  require(member.weight > 0 && std::isfinite(member.weight), "a weight is not positive");
  require(!member.files.empty(), "a member has no models");
  for (const std::string& file : member.files)
    require(file.find('/') == std::string::npos && !file.empty(), "a model is not a file in the directory");
  return member;
}

TrialEnsemble parse(const Json& json) {
  TrialEnsemble ensemble;
  ensemble.task = json.at("task");
  ensemble.outputs = json.at("outputs");
  ensemble.class_names = json.at("class_names").get<std::vector<std::string>>();
  ensemble.rows = json.at("rows");
  ensemble.candidates = json.at("candidates");
  ensemble.selections = json.at("selections");
  ensemble.loss = number_of(json.at("loss"));
  ensemble.metric = json.at("metric");
  ensemble.score = number_of(json.at("score"));
  for (const Json& loss : json.at("step_losses")) ensemble.step_losses.push_back(number_of(loss));
  ensemble.has_module = !json.at("module").is_null();
  for (const Json& member : json.at("members")) ensemble.members.push_back(member_of(member));
  require(!ensemble.members.empty(), "it has no members");
  return ensemble;
}

std::string values_text(const std::string& metric, double loss, double score) {
  return fmt::format("loss {:.5g}, {} {}", loss, metric,
                     std::isnan(score) ? "not defined" : fmt::format("{:.4f}", score));
}

}  // namespace

const EnsembleMember& TrialEnsemble::best_member() const {
  return *std::min_element(members.begin(), members.end(),
                           [](const EnsembleMember& a, const EnsembleMember& b) { return a.loss < b.loss; });
}

WeightedFiles weighted_files(const TrialEnsemble& ensemble) {
  WeightedFiles all;
  for (const EnsembleMember& member : ensemble.members)
    for (const std::string& file : member.files) {
      all.files.push_back(file);
      all.weights.push_back(member.weight / static_cast<double>(member.files.size()));
    }
  return all;
}

std::string ensemble_json(const TrialEnsemble& ensemble) {
  Json members = Json::array();
  for (const EnsembleMember& member : ensemble.members) members.push_back(json_of(member));
  const Json json = {{"program", "sheaf " + program_version()},
                     {"task", ensemble.task},
                     {"outputs", ensemble.outputs},
                     {"class_names", ensemble.class_names},
                     {"module", ensemble.has_module ? Json("ensemble.pt") : Json(nullptr)},
                     {"rows", ensemble.rows},
                     {"candidates", ensemble.candidates},
                     {"selections", ensemble.selections},
                     {"loss", ensemble.loss},
                     {"metric", ensemble.metric},
                     {"score", ensemble.score},
                     {"best_member", ensemble.best_member().trial},
                     {"members", members},
                     {"step_losses", ensemble.step_losses}};
  return json.dump(2, ' ', false, Json::error_handler_t::replace) + "\n";
}

std::optional<TrialEnsemble> read_ensemble(const std::string& path) {
  refuse_special_file(path);
  std::ifstream file(path);
  if (!file) return std::nullopt;
  try {
    return parse(Json::parse(file));
  } catch (const std::exception& error) {
    throw RunError(fmt::format("'{}' is damaged ({}). Use --model=best, or train the study again.", path,
                               printable(error.what())));
  }
}

std::string ensemble_text(const TrialEnsemble& ensemble) {
  const EnsembleMember& best = ensemble.best_member();
  return fmt::format("{} (its member with the least loss, trial {}: {})",
                     values_text(ensemble.metric, ensemble.loss, ensemble.score), best.trial,
                     values_text(ensemble.metric, best.loss, best.score));
}

std::string member_lines(const TrialEnsemble& ensemble) {
  std::string text;
  const std::size_t shown = std::min(ensemble.members.size(), shown_members);
  for (std::size_t number = 0; number < shown; ++number) {
    const EnsembleMember& member = ensemble.members[number];
    text += fmt::format("  weight {:.3f}, trial {}", member.weight, member.trial);
    for (const auto& [key, value] : member.values) text += fmt::format(", {} = {}", key, printable(value));
    text += "\n";
  }
  if (shown < ensemble.members.size())
    text += fmt::format("  ... and {} more in models/ensemble.json\n", ensemble.members.size() - shown);
  return text;
}

}  // namespace sheaf
