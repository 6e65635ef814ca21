// SPDX-License-Identifier: MIT
#include "commands/report/stored_summary.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <nlohmann/json.hpp>

#include "core/error.hpp"
#include "core/text.hpp"

namespace sheaf {
namespace {

using Json = nlohmann::json;

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

NamedTexts origin_of(const Json& summary, const std::string& data_file, const std::string& program_version) {
  NamedTexts origin;
  const auto add = [&](const char* name, const std::string& text) {
    if (!text.empty()) origin.emplace_back(name, text);
  };
  const Json data = summary.is_object() && summary.contains("data") ? summary["data"] : Json();
  std::string data_text = text_at(data, "file");
  if (data_text.empty()) data_text = data_file.empty() ? "synthetic" : data_file;
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
  std::string program = program_version.empty() ? "sheaf of an unknown version" : "sheaf " + program_version;
  if (const std::string revision = text_at(summary, "git_revision"); !revision.empty())
    program += fmt::format(" (git {})", revision);
  add("program", program);
  std::vector<std::string> libraries;
  for (const char* name : {"mpi", "hdf5", "libtorch", "xgboost", "blas", "native_engine"})
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
  const bool has_loss = test.contains("loss") && test["loss"].is_number();
  std::string text = has_loss ? fmt::format("loss {:.5g}", test["loss"].get<double>()) : "no loss";
  const Json metrics = object_at(test, "metrics");
  for (const auto& [name, value] : metrics.items())
    if (value.is_number()) text += fmt::format(", {} {:.4f}", name, value.get<double>());
  return text + fmt::format(" on {} rows", text_at(test, "rows"));
}

// Of the best model or the refit, and of the ensemble of trials.
NamedTexts tests_of(const Json& summary) {
  NamedTexts tests;
  if (const Json test = object_at(summary, "test"); test.is_object())
    tests.emplace_back(text_at(test, "models") == "refit" ? "refit" : "best model", test_text(test));
  if (const Json test = object_at(object_at(summary, "ensemble"), "test"); test.is_object())
    tests.emplace_back("ensemble of trials", test_text(test));
  return tests;
}

}  // namespace

StoredSummary stored_summary(const std::optional<std::string>& text, const std::string& data_file,
                             const std::string& program_version) {
  constexpr bool with_exceptions = false;
  const Json summary = text ? Json::parse(*text, nullptr, with_exceptions) : Json();
  StoredSummary stored;
  stored.is_damaged = text && !summary.is_object();
  stored.origin = origin_of(stored.is_damaged ? Json() : summary, data_file, program_version);
  stored.tests = tests_of(summary);
  if (const Json score = object_at(summary, "out_of_bag"); score.contains("rows")) stored.out_of_bag = test_text(score);
  if (const Json lanes = object_at(summary, "lanes"); lanes.contains("idle_share") && lanes["idle_share"].is_number())
    stored.idle_share = lanes["idle_share"].get<double>();
  if (const Json refit = object_at(summary, "refit"); refit.contains("rows") && refit["rows"].is_number_integer())
    stored.refit_rows = refit["rows"].get<std::int64_t>();
  stored.best_models = texts_at(object_at(summary, "best"), "models");
  return stored;
}

}  // namespace sheaf
