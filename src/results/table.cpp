// SPDX-License-Identifier: MIT
#include "results/table.hpp"

#include <fmt/format.h>

#include <cassert>
#include <cmath>

namespace sheaf {
namespace {

std::string device_text(int gpu) {
  return gpu < 0 ? "cpu" : fmt::format("cuda:{}", gpu);
}

// A column of member values of `rows`.
template <class Value, class Row, class Get>
TableColumn column(const std::string& name, const std::vector<Row>& rows, Get get) {
  std::vector<Value> values;
  values.reserve(rows.size());
  for (const auto& row : rows) values.push_back(static_cast<Value>(get(row)));
  return {name, std::move(values)};
}

// The searched keys' values of trial(row).
template <class Row, class Get>
void add_searched(Table& table, const Plan& plan, const std::vector<Row>& rows, Get trial) {
  for (std::size_t key = 0; key < plan.searched_keys().size(); ++key)
    table.push_back(column<std::string>(plan.searched_keys()[key], rows, [&](const Row& row) {
      return plan.trials()[static_cast<std::size_t>(trial(row))].values[key];
    }));
}

// RFC 4180: quoted when it holds a comma, a quote or a line end.
std::string csv_cell(const std::string& text) {
  if (text.find_first_of(",\"\r\n") == std::string::npos) return text;
  std::string quoted = "\"";
  for (char c : text) quoted += c == '"' ? std::string("\"\"") : std::string(1, c);
  return quoted + "\"";
}

std::string csv_cell(std::int64_t value) {
  return fmt::format("{}", value);
}

std::string csv_cell(double value) {
  return std::isnan(value) ? "" : fmt::format("{}", value);
}

}  // namespace

Table iteration_table(const Plan& plan, const std::vector<IterationRecord>& records,
                      const std::vector<std::string>& messages) {
  assert(messages.size() == records.size());
  using Record = IterationRecord;
  const auto place = [&plan](const Record& record) { return plan.iteration(record.iteration); };
  Table table;
  table.push_back(column<std::int64_t>("iteration", records, [](const Record& r) { return r.iteration; }));
  table.push_back(column<std::int64_t>("trial", records, [&](const Record& r) { return place(r).trial; }));
  table.push_back(column<std::int64_t>("fold", records, [&](const Record& r) { return place(r).fold; }));
  table.push_back(column<std::int64_t>("member", records, [&](const Record& r) { return place(r).member; }));
  table.push_back(column<std::int64_t>("repeat", records, [&](const Record& r) { return place(r).repeat; }));
  table.push_back(column<std::int64_t>("seed", records, [&](const Record& r) { return place(r).seed; }));
  add_searched(table, plan, records, [&](const Record& r) { return place(r).trial; });
  table.push_back(column<std::string>("status", records, [](const Record& r) { return status_name(r.status); }));
  table.push_back(column<double>("final_loss", records, [](const Record& r) { return r.final_loss; }));
  table.push_back(column<double>("validation_loss", records, [](const Record& r) { return r.validation_loss; }));
  table.push_back(column<double>("validation_score", records, [](const Record& r) { return r.validation_score; }));
  table.push_back(column<std::int64_t>("epochs", records, [](const Record& r) { return r.epochs; }));
  table.push_back(column<std::int64_t>("steps", records, [](const Record& r) { return r.steps; }));
  table.push_back(column<double>("seconds", records, [](const Record& r) { return r.seconds; }));
  table.push_back(column<double>("wait_seconds", records, [](const Record& r) { return r.wait_seconds; }));
  table.push_back(column<std::int64_t>("rank", records, [](const Record& r) { return r.rank; }));
  table.push_back(column<std::int64_t>("lane", records, [](const Record& r) { return r.lane; }));
  table.push_back(column<std::string>("device", records, [](const Record& r) { return device_text(r.gpu); }));
  table.push_back(column<std::string>("engine", records, [](const Record& r) { return engine_name(r.engine); }));
  table.push_back({"message", messages});
  return table;
}

Table epoch_table(const std::vector<EpochRecord>& epochs) {
  using Row = EpochRecord;
  return {column<std::int64_t>("iteration", epochs, [](const Row& e) { return e.iteration; }),
          column<std::int64_t>("epoch", epochs, [](const Row& e) { return e.epoch; }),
          column<double>("training_loss", epochs, [](const Row& e) { return e.training_loss; }),
          column<double>("validation_loss", epochs, [](const Row& e) { return e.validation_loss; }),
          column<double>("validation_score", epochs, [](const Row& e) { return e.validation_score; })};
}

Table trial_table(const Plan& plan, const std::vector<TrialSummary>& trials) {
  using Row = TrialSummary;
  Table table;
  table.push_back(column<std::int64_t>("rank", trials, [](const Row& t) { return t.rank; }));
  table.push_back(column<std::int64_t>("trial", trials, [](const Row& t) { return t.trial; }));
  add_searched(table, plan, trials, [](const Row& t) { return t.trial; });
  table.push_back(column<double>("mean_score", trials, [](const Row& t) { return t.mean_score; }));
  table.push_back(column<double>("score_deviation", trials, [](const Row& t) { return t.score_deviation; }));
  table.push_back(column<double>("mean_validation_loss", trials, [](const Row& t) { return t.mean_validation_loss; }));
  table.push_back(column<double>("mean_final_loss", trials, [](const Row& t) { return t.mean_final_loss; }));
  table.push_back(column<std::int64_t>("iterations", trials, [](const Row& t) { return t.iterations; }));
  table.push_back(column<std::int64_t>("diverged", trials, [](const Row& t) { return t.diverged; }));
  table.push_back(column<double>("seconds", trials, [](const Row& t) { return t.seconds; }));
  return table;
}

Table ensemble_table(const std::vector<EnsembleRecord>& ensembles) {
  using Row = EnsembleRecord;
  return {column<std::int64_t>("trial", ensembles, [](const Row& e) { return e.trial; }),
          column<std::int64_t>("repeat", ensembles, [](const Row& e) { return e.repeat; }),
          column<std::int64_t>("fold", ensembles, [](const Row& e) { return e.fold; }),
          column<double>("score", ensembles, [](const Row& e) { return e.score; }),
          column<double>("mean_member_score", ensembles, [](const Row& e) { return e.mean_member_score; })};
}

std::string csv_text(const Table& table) {
  std::string text;
  std::size_t rows = 0;
  for (const auto& cells : table) {
    text += (text.empty() ? "" : ",") + csv_cell(cells.name);
    rows = std::visit([](const auto& values) { return values.size(); }, cells.values);
  }
  text += "\n";
  for (std::size_t row = 0; row < rows; ++row) {
    for (std::size_t number = 0; number < table.size(); ++number) {
      if (number > 0) text += ",";
      text += std::visit([row](const auto& values) { return csv_cell(values[row]); }, table[number].values);
    }
    text += "\n";
  }
  return text;
}

}  // namespace sheaf
