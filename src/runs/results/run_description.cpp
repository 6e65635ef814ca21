// SPDX-License-Identifier: MIT
#include "runs/results/run_description.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <nlohmann/json.hpp>
#include <vector>

#include "core/text.hpp"
#include "core/version.hpp"
#include "runs/results/summary.hpp"
#include "study/key_defaults.hpp"
#include "study/metrics.hpp"
#include "study/settings.hpp"

namespace sheaf {
namespace {

using Json = nlohmann::ordered_json;  // keeps the order of the members

std::string origin_text(const RunResults& results, const std::string& name) {
  for (const auto& [known, value] : results.provenance)
    if (known == name) return std::visit([](const auto& content) { return fmt::format("{}", content); }, value);
  return "unknown";
}

std::string data_text(const DataSummary& data) {
  std::string text = data.file ? fmt::format("{}\n", printable(*data.file)) : "synthetic\n";
  text += fmt::format("             {}, {}", counted(data.rows, "row"), counted(data.features, "feature"));
  text += data.named_features > 0 ? " with names in the file\n" : "\n";
  if (data.content_hash) text += fmt::format("             content hash {}\n", *data.content_hash);
  for (const auto& [name, other] : {std::pair("validation", &data.validation), {"test data", &data.test}})
    if (*other)
      text +=
          fmt::format("{:<13}{}\n             {}\n", name, printable((*other)->file), counted((*other)->rows, "row"));
  return text;
}

// "2 hosts (node1, node2)", with at most three names.
std::string hosts_text(const std::vector<std::string>& hosts) {
  if (hosts.size() == 1) return hosts.front();
  std::vector<std::string> shown = hosts;
  shown.resize(std::min<std::size_t>(3, hosts.size()));
  return fmt::format("{} hosts ({}{})", hosts.size(), fmt::join(shown, ", "),
                     shown.size() < hosts.size() ? ", ..." : "");
}

std::string use_text(const std::string& directory, const Plan& plan, const RunResults& results) {
  if (!results.any_model()) return "There is no model, since no iteration finished.\n";
  const auto& models = results.models();
  if (models.empty()) return "No model was saved. To get models, repeat the run with --run.models=best (see below).\n";
  constexpr std::size_t max_shown = 3;
  const bool is_refit = results.predicts_with_refit();
  const ModelOptions model = plan.trial(results.trials.front().trial).model;
  const bool is_plugin = model.kind == ModelKind::plugin;
  const char* const file = !is_network(model.kind) ? "XGBoost file" : is_plugin ? "weight file" : "TorchScript file";
  std::string text = fmt::format("The {} is {} {}{}:\n", is_refit ? "refit" : "best model",
                                 models.size() > 1        ? "an ensemble of"
                                 : is_network(model.kind) ? "a"
                                                          : "an",
                                 file, models.size() == 1 ? "" : "s");
  for (std::size_t number = 0; number < std::min(max_shown, models.size()); ++number)
    text += fmt::format("  {}\n", models[number]);
  if (models.size() > max_shown)
    text += fmt::format("  ... ({} files, all in models/{}.txt)\n", models.size(), is_refit ? "refit" : "best");
  if (results.trial_ensemble)
    text += fmt::format(
        "models/ensemble.json lists the ensemble of trials{}. The commands below use the ensemble; with\n"
        "--model={} they use the {}.\n",
        results.trial_ensemble->has_module ? ", and models/ensemble.pt is a TorchScript file of it"
                                           : ". There is no TorchScript file of the ensemble, since some of\nits "
                                             "models are trees, plugins or TorchScript "
                                             "modules, or they need more than 1 GiB",
        is_refit ? "refit" : "best", is_refit ? "refit" : "best model");
  return text +
         fmt::format(
             "Use it from the directory in which the run was started, or with another path of the run:\n"
             "  sheaf predict {0} NEW.csv OUT.csv\n"
             "  sheaf evaluate {0} --data.file=TEST.h5\n",
             directory) +
         (!is_network(model.kind)
              ? fmt::format(
                    "In Python: xgboost.Booster(model_file=\"{}\"), for rows with one value per column, in which "
                    "texts are the codes of their categories.\n",
                    models.front())
          : is_plugin
              ? fmt::format("They need the same plugin in the same place: {}\n"
                            "In Python: torch.load(\"{}\") reads the weights, as a dictionary of names and tensors.\n",
                            printable(model.file), models.front())
              : fmt::format("In Python: torch.jit.load(\"{}\")(features), with raw features as float32 (float64 where "
                            "they are large compared to their differences), texts as the codes of their categories.\n",
                            models.front()));
}

Json json_of(const Study& study, const Plan& plan, const TrialSummary& trial) {
  Json keys = Json::object();
  for (std::size_t key = 0; key < plan.searched_keys().size(); ++key)
    keys[plan.searched_keys()[key]] = plan.value(trial.trial, key);
  Json metrics = Json::object();
  for (std::size_t number = 0; number < study.run.metrics.size(); ++number)
    metrics[study.run.metrics[number].name()] = trial.mean_metrics[number];
  return {{"trial", trial.trial},
          {"keys", keys},
          {"ranked_by", ranking_of(study).by_loss ? "validation loss" : score_metric(study).label()},
          {"metric", score_metric(study).label()},
          {"mean_score", trial.mean_score},
          {"score_deviation", trial.score_deviation},
          {"scores", trial.scores},
          {"undefined_scores", trial.undefined_scores},
          {"mean_validation_loss", trial.mean_validation_loss},
          {"mean_final_loss", trial.mean_final_loss},
          {"mean_metrics", metrics}};
}

Json json_of(const Plan& plan, const RefitResults& refit) {
  Json trials = Json::array();
  for (const RefitResult& trial : refit.trials) {
    const bool to_best_epoch = plan.trial(trial.refit.trial).train.best_weights.value_or(false);
    trials.push_back({{"trial", trial.refit.trial},
                      {"steps", trial.refit.steps()},
                      {"median_epochs", trial.refit.epochs},
                      {"median_best_epoch", to_best_epoch ? Json(trial.refit.epochs - 1) : Json(nullptr)},
                      {"iterations", trial.iterations.count()},
                      {"finished", trial.finished},
                      {"mean_final_loss", trial.final_loss}});
  }
  return {{"rows", refit.rows}, {"trials", trials}, {"models", refit.models}};
}

Json json_of(const TestResult& test) {
  Json metrics = Json::object();
  for (const auto& [metric, value] : test.metrics) metrics[metric.name()] = value;
  return {{"rows", test.rows}, {"loss", test.loss}, {"metrics", metrics}};
}

std::string text_of(const Json& json, int indentation) {
  return json.dump(indentation, ' ', false, Json::error_handler_t::replace);
}

}  // namespace

std::string trial_json(const Study& study, const Plan& plan, const TrialSummary& trial) {
  constexpr int one_line = -1;
  return text_of(json_of(study, plan, trial), one_line);
}

std::string readme_text(const std::string& directory, const Study& study, const Plan& plan, const RunResults& results) {
  const auto origin = [&](const char* name) { return origin_text(results, name); };
  std::string text = fmt::format("{}{} (git {}).\n\n", readme_begin, program_version(), git_revision());
  text += fmt::format("study        {}\n", printable(study.study.name));
  text += fmt::format("trained      {}: {} finished, {} diverged, {} failed{}; in {}\n",
                      counted(results.iterations, "iteration"), results.finished(), results.diverged, results.failed,
                      (results.cut > 0 ? fmt::format(", {} cut", results.cut) : "") +
                          (results.pruned > 0 ? fmt::format(", {} pruned", results.pruned) : "") +
                          (results.unfinished > 0 ? fmt::format(", {} unfinished", results.unfinished) : ""),
                      counted(static_cast<std::int64_t>(results.trials.size()), "trial"));
  text += fmt::format("best         {}\n", best_text(study, plan, results.trials));
  if (results.refit) text += fmt::format("refit        {}\n", refit_text(plan, results));
  if (const auto& ensemble = results.trial_ensemble)
    text += fmt::format("ensemble     {} of {}, {}\n",
                        counted(static_cast<std::int64_t>(ensemble->members.size()), "trial"), ensemble->candidates,
                        ensemble_text(*ensemble));
  if (results.test)
    text += fmt::format("test         {} ({})\n", test_text(*results.test),
                        results.test->of_refit ? "refit" : "best model");
  if (results.trial_ensemble && results.trial_ensemble->test)
    text += fmt::format("             ensemble: {}\n", test_text(*results.trial_ensemble->test));
  if (results.out_of_bag) text += fmt::format("out-of-bag   {}\n", test_text(*results.out_of_bag));
  text += fmt::format("user         {} on {}, {}\n", printable(results.user), hosts_text(results.ranks.hosts()),
                      counted(static_cast<std::int64_t>(results.ranks.size()), "rank"));
  text += fmt::format("time         {} to {} (UTC), job {} of the run\n", origin("started_utc"), origin("finished_utc"),
                      origin("attempts"));
  text += fmt::format("command      {}\n", printable(origin("command_line")));
  text += "data         " + data_text(results.data);
  text += "\n" + use_text(directory, plan, results);
  text += fmt::format("\nRepeat the run ({0} has all keys):\n  sheaf run {0} --run.output=NEW_DIRECTORY\n",
                      results.study_file);
  text += "\nKeys whose values differ from the defaults (those with the default auto have the chosen values):\n";
  for (const auto& [key, value] : changed_settings(study)) text += fmt::format("  {} = {}\n", key, printable(value));
  text +=
      "\nOther files: results.csv (one line per iteration), results.h5 (all tables), summary.json (this summary for\n"
      "programs). jobs/RESULTS.md of sheaf describes them.\n";
  return text;
}

std::string summary_json(const Study& study, const Plan& plan, const RunResults& results) {
  Json json = {{"study", study.study.name}, {"user", results.user}, {"hosts", results.ranks.hosts()}};
  for (const auto& [name, value] : results.provenance)
    std::visit([&, &name = name](const auto& content) { json[name] = content; }, value);
  json["data"] = {{"file", nullptr},
                  {"content_hash", nullptr},
                  {"rows", results.data.rows},
                  {"features", results.data.features},
                  {"named_features", results.data.named_features}};
  if (results.data.file) json["data"]["file"] = *results.data.file;
  if (results.data.content_hash) json["data"]["content_hash"] = *results.data.content_hash;
  for (const auto& [name, other] :
       {std::pair("validation_file", &results.data.validation), {"test_file", &results.data.test}})
    if (*other) json["data"][name] = {{"file", (*other)->file}, {"rows", (*other)->rows}};
  json["iterations"] = {{"total", results.iterations},      {"finished", results.finished()},
                        {"diverged", results.diverged},     {"pruned", results.pruned},
                        {"unfinished", results.unfinished}, {"cut", results.cut},
                        {"failed", results.failed}};
  json["lanes"] = {{"count", results.ranks.lane_count()}, {"idle_share", nullptr}};
  if (results.idle_share) json["lanes"]["idle_share"] = *results.idle_share;
  json["trials"] = results.trials.size();
  json["trials_with_undefined_scores"] = results.trials_with_undefined_scores();
  json["best"] = json_of(study, plan, results.trials.front());
  json["best"]["models"] = results.best_models;
  if (results.refit) json["refit"] = json_of(plan, *results.refit);
  for (const auto& [name, test] : {std::pair("test", &results.test), {"out_of_bag", &results.out_of_bag}}) {
    if (!*test) continue;
    json[name] = json_of(**test);
    json[name]["models"] = (*test)->of_refit ? "refit" : "best";
  }
  if (const auto& ensemble = results.trial_ensemble) {
    json["ensemble"] = Json::parse(ensemble_json(*ensemble));
    json["ensemble"].erase("program");
    if (ensemble->test) json["ensemble"]["test"] = json_of(*ensemble->test);
  }
  Json changed = Json::object();
  for (const auto& [key, value] : changed_settings(study)) changed[key] = value;
  json["changed_keys"] = changed;
  return text_of(json, 2) + "\n";
}

}  // namespace sheaf
