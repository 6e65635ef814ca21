// SPDX-License-Identifier: MIT
#include "report/report_json.hpp"

#include <nlohmann/json.hpp>

#include "report/advice.hpp"
#include "report/status_report.hpp"
#include "report/text_report.hpp"
#include "runs/results/feature_importance.hpp"
#include "runs/results/run_description.hpp"

namespace sheaf {

std::string json_report(const RunReport& report) {
  using Json = nlohmann::ordered_json;  // keeps the order of the members
  Json json = Json::parse(status_json(report.run, report.status));
  json["value"] = {{"name", report.value.name}, {"larger_is_better", report.value.larger_is_better}};
  json["verdict"] = verdict_of(report);
  if (report.run.plan.has_refit())
    json["refit"]["rows"] = report.stored.refit_rows ? Json(*report.stored.refit_rows) : Json(nullptr);
  if (report.run.ensemble) {
    json["ensemble"]["step_losses"] = report.run.ensemble->step_losses;
    json["ensemble"]["weights"] = Json::array();
    for (const EnsembleMember& member : report.run.ensemble->members)
      json["ensemble"]["weights"].push_back(
          {{"trial", member.trial}, {"weight", member.weight}, {"loss", member.loss}, {"score", member.score}});
  }
  json["origin"] = Json::object();
  for (const auto& [name, text] : report.stored.origin) json["origin"][name] = text;
  json["ranked"] = Json::array();
  if (report.is_search() && report.results)
    for (const TrialSummary& trial : report.results->trials) {
      json["ranked"].push_back(Json::parse(trial_json(report.run.study, report.run.plan, trial)));
      json["ranked"].back()["rank"] = trial.rank;
    }
  json["importances"] = Json::object();
  json["variance_shares"] = Json::object();
  for (const ReportedKey& key : report.keys) {
    json["importances"][key.searched.key] = key.importance;
    if (key.share) json["variance_shares"][key.searched.key] = *key.share;
  }
  const auto& features = report.stored.importances;
  json["feature_importance"] = features ? Json::parse(importance_json(*features)) : Json(nullptr);
  const RunCost& cost = report.cost;
  json["time"] = {{"seconds", cost.seconds}, {"lanes", cost.lanes}, {"core_seconds", cost.core_seconds()}};
  for (const TimePart& part : time_parts) json["time"][part.key] = cost.shares.*part.seconds;
  json["time"]["lost_core_seconds"] = cost.core_seconds(cost.shares.lost());
  json["time"]["expected_seconds"] = cost.expected_seconds ? Json(*cost.expected_seconds) : Json(nullptr);
  json["repeat"] = report.repeat_text();
  json["predict"] = report.predict_commands();
  json["advice"] = advice_for(advice_facts(report));
  constexpr int one_line = -1;
  return json.dump(one_line, ' ', false, Json::error_handler_t::replace) + "\n";
}

}  // namespace sheaf
