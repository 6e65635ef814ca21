// SPDX-License-Identifier: MIT
#include "commands/report/stored_results.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <nlohmann/json.hpp>

#include "core/error.hpp"
#include "core/log.hpp"
#include "core/text.hpp"
#include "files/hdf5/file.hpp"
#include "files/regular_file.hpp"
#include "models/saved_model_record.hpp"
#include "runs/directory/run_directory.hpp"
#include "runs/results/feature_importance.hpp"
#include "runs/run_reader.hpp"
#include "study/losses.hpp"
#include "study/metrics.hpp"

namespace sheaf {
namespace {

using Json = nlohmann::json;

std::string results_path(const RunState& run) {
  return run.directory + "/results.h5";
}

// Calls read(), which may find a file missing or damaged: a report does without it.
template <class Read>
void read_if_possible(const Read& read) {
  try {
    read();
  } catch (const RunError& error) {
    warn_root(error.what());
  }
}

// summary.json; null if it is missing or not JSON.
Json summary_of(const RunState& run) {
  Json summary;
  const std::string path = run.directory + "/summary.json";
  if (!run.has_results || !std::filesystem::exists(path)) return summary;
  read_if_possible([&] {
    constexpr bool with_exceptions = false;
    summary = Json::parse(RegularFile(path).read_all(), nullptr, with_exceptions);
    require(summary.is_object(), fmt::format("'{}' is not a JSON object. It is left out.", path));
  });
  return summary.is_object() ? summary : Json();
}

// A member as text; empty if it is missing or null.
std::string text_at(const Json& object, const char* name) {
  if (!object.is_object() || !object.contains(name)) return "";
  const Json& value = object[name];
  if (value.is_string()) return value.get<std::string>();
  return value.is_number() ? value.dump() : "";
}

std::vector<std::string> texts_at(const Json& object, const char* name) {
  std::vector<std::string> texts;
  if (object.is_object() && object.contains(name) && object[name].is_array())
    for (const Json& value : object[name])
      if (value.is_string()) texts.push_back(value.get<std::string>());
  return texts;
}

using Origin = std::vector<std::pair<std::string, std::string>>;

Origin origin_of(const RunState& run, const Json& summary) {
  Origin origin;
  const auto add = [&](const char* name, const std::string& text) {
    if (!text.empty()) origin.emplace_back(name, text);
  };
  const Json data = summary.is_object() && summary.contains("data") ? summary["data"] : Json();
  std::string data_text = text_at(data, "file");
  if (data_text.empty()) data_text = run.study.data.file.empty() ? "synthetic" : run.study.data.file;
  if (data.is_object())
    data_text += fmt::format(" ({} rows, {} features)", text_at(data, "rows"), text_at(data, "features"));
  add("data", data_text);
  if (!text_at(data, "content_hash").empty()) add("content hash", text_at(data, "content_hash"));
  if (summary.is_object()) {
    add("user", fmt::format("{} on {}", text_at(summary, "user"), listed(texts_at(summary, "hosts"))));
    add("time", fmt::format("{} to {} (UTC), job {} of the run", text_at(summary, "started_utc"),
                            text_at(summary, "finished_utc"), text_at(summary, "attempts")));
    add("command", text_at(summary, "command_line"));
  }
  std::string program = run.program.empty() ? "sheaf of an unknown version" : "sheaf " + run.program;
  if (const std::string revision = text_at(summary, "git_revision"); !revision.empty())
    program += fmt::format(" (git {})", revision);
  add("program", program);
  std::vector<std::string> libraries;
  for (const char* name : {"mpi", "hdf5", "libtorch", "blas", "native_engine"})
    if (const std::string version = text_at(summary, name); !version.empty())
      libraries.push_back(fmt::format("{}: {}", name, version));
  add("libraries", libraries.empty() ? "" : fmt::format("{}", fmt::join(libraries, "; ")));
  return origin;
}

// A member that is an object; otherwise null.
Json object_at(const Json& object, const char* name) {
  return object.is_object() && object.contains(name) && object[name].is_object() ? object[name] : Json();
}

std::string test_text(const Json& test) {
  std::string text = fmt::format("loss {}", text_at(test, "loss"));
  const Json metrics = object_at(test, "metrics");
  for (const auto& [name, value] : metrics.items())
    if (value.is_number()) text += fmt::format(", {} {:.4f}", name, value.get<double>());
  return text + fmt::format(" on {} rows", text_at(test, "rows"));
}

// Of the best model or the refit, and of the ensemble of trials.
std::vector<std::pair<std::string, std::string>> tests_of(const Json& summary) {
  std::vector<std::pair<std::string, std::string>> tests;
  if (const Json test = object_at(summary, "test"); test.is_object())
    tests.emplace_back(text_at(test, "models") == "refit" ? "refit" : "best model", test_text(test));
  if (const Json test = object_at(object_at(summary, "ensemble"), "test"); test.is_object())
    tests.emplace_back("ensemble of trials", test_text(test));
  return tests;
}

// The kinds of models that the run has, in the order in which it prefers them.
std::vector<ModelsKind> models_of(const RunState& run) {
  std::vector<ModelsKind> kinds;
  const RunReader reader(run.directory);
  for (const ModelsKindRow& row : models_kinds)
    read_if_possible([&] {
      if (reader.models(row.kind)) kinds.push_back(row.kind);
    });
  return kinds;
}

std::vector<StoredRank> ranks_of(const InputFile& file) {
  const TableReader table = file.table("/ranks");
  const IndexRange all{0, table.rows()};
  const auto hosts = table.read_texts("host", all), devices = table.read_texts("device", all);
  const auto cores = table.read<std::int64_t>("cores", all), lanes = table.read<std::int64_t>("lanes", all);
  std::vector<StoredRank> ranks;
  for (std::size_t rank = 0; rank < hosts.size(); ++rank)
    ranks.push_back({hosts[rank], devices[rank], cores[rank], lanes[rank]});
  return ranks;
}

std::vector<EnsembleResult> ensembles_of(const InputFile& file, const Study& study) {
  const TableReader table = file.table("/ensembles");
  const IndexRange all{0, table.rows()};
  const auto whole = [&](const char* name) { return table.read<std::int64_t>(name, all); };
  const auto stages = whole("stage"), trials = whole("trial"), repeats = whole("repeat"), folds = whole("fold");
  const auto scores = table.read<double>("score", all), means = table.read<double>("mean_member_score", all);
  std::vector<std::vector<double>> metrics;
  for (const MetricChoice& metric : study.run.metrics) metrics.push_back(table.read<double>(metric.name(), all));
  std::vector<EnsembleResult> ensembles;
  for (std::size_t at = 0; at < scores.size(); ++at) {
    ensembles.push_back({stages[at], trials[at], repeats[at], folds[at], scores[at], means[at], {}});
    for (const auto& column : metrics) ensembles.back().metrics.push_back(column[at]);
  }
  return ensembles;
}

// The rows of a table whose column `iteration`, in ascending order, has a value in a range.
IndexRange rows_of(const TableReader& table, IndexRange iterations) {
  const auto first_from = [&](std::int64_t iteration) {
    std::int64_t low = 0, high = table.rows();
    while (low < high) {
      const std::int64_t middle = low + (high - low) / 2;
      if (table.read<std::int64_t>("iteration", {middle, middle + 1}).front() < iteration)
        low = middle + 1;
      else
        high = middle;
    }
    return low;
  };
  return {first_from(iterations.begin), first_from(iterations.end)};
}

// Replaces the predictions of the members of each ensemble by their mean. The rows of the members follow each other.
void average_members(std::vector<double>& predictions, std::size_t members) {
  const std::size_t size = predictions.size() / members;
  for (std::size_t at = 0; at < size; ++at) {
    for (std::size_t member = 1; member < members; ++member) predictions[at] += predictions[member * size + at];
    predictions[at] /= static_cast<double>(members);
  }
  predictions.resize(size);
}

// Adds the rows of one model: of the iterations `members`, which have the same rows.
void add_model(HeldOutRows& held_out, const TableReader& table, IndexRange members) {
  const IndexRange rows = rows_of(table, members);
  const auto count = static_cast<std::size_t>(members.count());
  if (rows.empty() || rows.count() % members.count() != 0) return;
  const bool are_classes = held_out.kind == HeldOutRows::Kind::classes;
  const char* outputs = table.has_column("values") ? "values" : "probabilities";
  std::vector<double> predictions = table.read<double>(outputs, rows);
  average_members(predictions, count);
  const IndexRange first{rows.begin, rows.begin + rows.count() / members.count()};
  const auto classes = are_classes ? table.read<std::int64_t>("target", first) : std::vector<std::int64_t>{};
  const auto targets = are_classes ? std::vector<double>{} : table.read<double>("targets", first);
  const std::size_t width = held_out.outputs;
  for (std::size_t row = 0; row < static_cast<std::size_t>(first.count()); ++row) {
    const auto begin = predictions.begin() + static_cast<std::ptrdiff_t>(row * width);
    const auto end = begin + static_cast<std::ptrdiff_t>(width);
    if (!std::all_of(begin, end, [](double value) { return std::isfinite(value); })) continue;
    held_out.predictions.insert(held_out.predictions.end(), begin, end);
    if (are_classes)
      held_out.classes.push_back(classes[row]);
    else
      for (std::size_t output = 0; output < width; ++output) held_out.targets.push_back(targets[row * width + output]);
  }
}

// The iterations of the best trial; without a search, those of the best model.
IndexRange best_iterations(const RunReport& report) {
  const TrialSummary& best = report.results->trials.front();
  return report.is_search() ? report.run.plan.iterations_of_trial(best.stage, best.trial) : report.results->best_model;
}

std::vector<std::string> output_names(const ModelDescription& model) {
  if (model.task != Task::regression) return names_of_classes(model.data, model.task);
  std::vector<std::string> names = model.data.target_names;
  if (!model.quantiles.empty()) {
    names.clear();
    for (const double quantile : model.quantiles) names.push_back(fmt::format("quantile {}", quantile));
  }
  return names;
}

HeldOutRows held_out_of(const RunReport& report, const TableReader& table) {
  constexpr std::size_t max_numbers = std::size_t{1} << 24;
  HeldOutRows held_out;
  held_out.kind = table.has_column("target")          ? HeldOutRows::Kind::classes
                  : table.has_column("probabilities") ? HeldOutRows::Kind::labels
                                                      : HeldOutRows::Kind::values;
  held_out.outputs = table.width(table.has_column("values") ? "values" : "probabilities");
  const RunState& run = report.run;
  const IndexRange iterations = best_iterations(report);
  const Iteration first = run.plan.iteration(iterations.begin);
  held_out.has_probabilities =
      held_out.kind != HeldOutRows::Kind::values && loss_of(run.plan.trial(first.trial).train.loss).needs_classes();
  const std::int64_t members = run.plan.stage(first.stage).members;
  for (std::int64_t model = iterations.begin; model < iterations.end; model += members) {
    held_out.is_part = held_out.predictions.size() > max_numbers;
    if (held_out.is_part) break;
    add_model(held_out, table, {model, model + members});
  }
  return held_out;
}

}  // namespace

StoredResults read_stored_results(const RunState& run) {
  StoredResults stored;
  const Json summary = summary_of(run);
  stored.origin = origin_of(run, summary);
  stored.tests = tests_of(summary);
  if (const Json score = object_at(summary, "out_of_bag"); score.contains("rows")) stored.out_of_bag = test_text(score);
  if (const Json lanes = object_at(summary, "lanes"); lanes.contains("idle_share") && lanes["idle_share"].is_number())
    stored.idle_share = lanes["idle_share"].get<double>();
  if (const Json refit = object_at(summary, "refit"); refit.contains("rows") && refit["rows"].is_number_integer())
    stored.refit_rows = refit["rows"].get<std::int64_t>();
  read_if_possible([&] { stored.importances = read_importances(importance_path(run.directory)); });
  const std::vector<std::string> best_models = texts_at(object_at(summary, "best"), "models");
  if (!run.has_results) return stored;
  stored.models = models_of(run);
  read_if_possible([&] {
    const InputFile file(results_path(run));
    if (file.has_data_set("/ranks")) stored.ranks = ranks_of(file);
    if (file.has_data_set("/ensembles")) stored.ensembles = ensembles_of(file, run.study);
  });
  if (best_models.empty()) return stored;
  read_if_possible([&] {
    const std::string path = run.directory + "/" + best_models.front();
    if (!std::filesystem::exists(path)) return;
    if (const auto model = read_saved_model_record(path)) stored.output_names = output_names(model->description);
  });
  return stored;
}

void read_held_out(RunReport& report) {
  const RunState& run = report.run;
  if (!report.results || report.results->best_model.empty()) {
    report.no_held_out = fmt::format("No {} is complete yet.", report.object_name());
  } else if (!run.has_results) {
    report.no_held_out = "Predictions for held-out rows are in the results when the run is complete.";
  } else {
    report.no_held_out =
        "The run has no predictions for held-out rows: --run.predictions=held_out keeps them, if rows are held out.";
    read_if_possible([&] {
      const InputFile file(results_path(run));
      if (!file.has_data_set("/predictions")) return;
      HeldOutRows rows = held_out_of(report, file.table("/predictions"));
      if (rows.rows() > 0) report.held_out = std::move(rows);
    });
  }
}

}  // namespace sheaf
