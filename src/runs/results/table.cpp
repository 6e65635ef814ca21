// SPDX-License-Identifier: MIT
#include "runs/results/table.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <limits>
#include <optional>
#include <string_view>
#include <system_error>
#include <type_traits>
#include <utility>

#include "core/text.hpp"
#include "study/metrics.hpp"
#include "study/settings.hpp"

namespace sheaf {
namespace {

// A column with the value get(row) for each of `rows`.
template <class Value, class Row, class Get>
TableColumn column(const std::string& name, const std::vector<Row>& rows, Get get) {
  std::vector<Value> values;
  values.reserve(rows.size());
  for (const auto& row : rows) values.push_back(static_cast<Value>(get(row)));
  return {name, std::move(values)};
}

// The value of a field in a table.
std::int64_t cell(std::int64_t value) {
  return value;
}

std::int64_t cell(std::int32_t value) {
  return value;
}

double cell(double value) {
  return value;
}

std::string cell(IterationStatus value) {
  return status_name(value);
}

std::string cell(const EngineName& value) {
  return std::string(value.view());
}

std::string cell(std::string value) {
  return value;
}

template <class Field>
using CellOf = decltype(cell(std::declval<typename std::decay_t<Field>::Value>()));

// Adds a column for each field that tables have. `get`: returns the result of a row.
template <class Fields, class Row, class Get>
void add_fields(Table& table, const Fields& fields, const std::vector<Row>& rows, Get get) {
  for_each_field(fields, [&](const auto& field) {
    if (!field.is_in_tables()) return;
    table.push_back(column<CellOf<decltype(field)>>(std::string(field.name()), rows,
                                                    [&](const Row& row) { return cell(field.of(get(row))); }));
  });
}

template <class Number>
std::optional<Number> number_in(const std::string& text) {
  Number value{};
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  return error == std::errc{} && end == text.data() + text.size() ? std::optional(value) : std::nullopt;
}

// A column of `Number` with the values of a searched key, or of text if one of all its candidates is a word such as
// "full". The type of a column thus depends on the plan only.
template <class Number, class Row, class Get>
TableColumn number_column(const Plan& plan, std::size_t key, const std::vector<Row>& rows, Get text) {
  const std::string& name = plan.searched_keys()[key];
  for (const auto& candidate : plan.candidates(key))
    if (!number_in<Number>(candidate)) return column<std::string>(name, rows, text);
  return column<Number>(name, rows, [&](const Row& row) { return *number_in<Number>(text(row)); });
}

// Adds a column for each searched key, of the key's type, with its values in the trials trial(row).
template <class Row, class Get>
void add_searched(Table& table, const Plan& plan, const std::vector<Row>& rows, Get trial) {
  for (std::size_t key = 0; key < plan.searched_keys().size(); ++key) {
    const std::string& name = plan.searched_keys()[key];
    const auto text = [&](const Row& row) { return plan.value(trial(row), key); };
    switch (value_kind(name)) {
      case ValueKind::integer:
        table.push_back(number_column<std::int64_t>(plan, key, rows, text));
        break;
      case ValueKind::number:
        table.push_back(number_column<double>(plan, key, rows, text));
        break;
      case ValueKind::flag:
        table.push_back(column<bool>(name, rows, [&](const Row& row) { return text(row) == "true"; }));
        break;
      case ValueKind::text:
        table.push_back(column<std::string>(name, rows, text));
        break;
    }
  }
}

using Text = fmt::memory_buffer;

void add(Text& text, std::string_view more) {
  text.append(more.data(), more.data() + more.size());
}

void add_cell(Text& text, const std::string& cell) {
  add(text, csv_field(cell));
}

void add_cell(Text& text, bool value) {
  add(text, value ? "true" : "false");
}

void add_cell(Text& text, std::int64_t value) {
  const fmt::format_int digits(value);
  text.append(digits.data(), digits.data() + digits.size());
}

void add_cell(Text& text, float value) {
  if (!std::isnan(value)) fmt::format_to(fmt::appender(text), "{}", value);
}

void add_cell(Text& text, double value) {
  if (!std::isnan(value)) fmt::format_to(fmt::appender(text), "{}", value);
}

// Makes the column of each searched key wide enough for its longest candidate.
void widen_searched(std::vector<ColumnType>& types, const Plan& plan) {
  for (auto& type : types)
    for (std::size_t key = 0; key < plan.searched_keys().size(); ++key)
      if (type.name == plan.searched_keys()[key])
        for (const auto& candidate : plan.candidates(key))
          type.text_bytes = std::max(type.text_bytes, candidate.size());
}

}  // namespace

Table iteration_table(const Plan& plan, const std::vector<TrainedIteration>& iterations,
                      const std::vector<MetricChoice>& metrics) {
  using Row = TrainedIteration;
  std::vector<Iteration> descriptions;
  descriptions.reserve(iterations.size());
  for (const auto& iteration : iterations) descriptions.push_back(plan.iteration(iteration.result.iteration));
  Table table;
  table.push_back(column<std::int64_t>("iteration", iterations, [](const Row& r) { return r.result.iteration; }));
  table.push_back(column<std::int64_t>("stage", descriptions, [](const Iteration& i) { return i.stage; }));
  table.push_back(column<std::int64_t>("trial", descriptions, [](const Iteration& i) { return i.trial; }));
  table.push_back(column<std::int64_t>("fold", descriptions, [](const Iteration& i) { return i.fold; }));
  table.push_back(column<std::int64_t>("member", descriptions, [](const Iteration& i) { return i.member; }));
  table.push_back(column<std::int64_t>("repeat", descriptions, [](const Iteration& i) { return i.repeat; }));
  table.push_back(column<std::int64_t>("seed", descriptions, [](const Iteration& i) { return i.seed; }));
  add_searched(table, plan, descriptions, [](const Iteration& i) { return i.trial; });
  add_fields(table, result_fields, iterations, [](const Row& r) -> const IterationResult& { return r.result; });
  for (std::size_t number = 0; number < metrics.size(); ++number)
    table.push_back(column<double>(metrics[number].name(), iterations, [number](const Row& r) {
      return number < r.metrics.size() ? r.metrics[number] : std::numeric_limits<double>::quiet_NaN();
    }));
  table.push_back(column<std::string>("message", iterations, [](const Row& r) { return r.message; }));
  return table;
}

constexpr std::size_t text_columns = std::apply(
    [](const auto&... field) {
      return (std::size_t{1} + ... +
              (std::is_same_v<CellOf<decltype(field)>, std::string> && field.is_in_tables() ? 1 : 0));
    },
    result_fields);  // and the message
static_assert(std::tuple_size_v<decltype(TableExtent::longest_texts)> == text_columns);

void TableExtent::add(const TrainedIteration& iteration) {
  std::size_t text = 0;
  const auto add_text = [&](const std::string& value) {
    longest_texts[text] = std::max(longest_texts[text], static_cast<std::int64_t>(value.size()));
    ++text;
  };
  for_each_field(result_fields, [&](const auto& field) {
    if constexpr (std::is_same_v<CellOf<decltype(field)>, std::string>)
      if (field.is_in_tables()) add_text(cell(field.of(iteration.result)));
  });
  add_text(iteration.message);
  epochs += static_cast<std::int64_t>(iteration.epochs.size());
}

std::vector<ColumnType> iteration_columns(const Plan& plan, const TableExtent& extent,
                                          const std::vector<MetricChoice>& metrics) {
  const auto& searched = plan.searched_keys();
  auto types = column_types(iteration_table(plan, {}, metrics));
  widen_searched(types, plan);
  std::size_t text = 0;
  for (auto& type : types)
    if (type.kind == ColumnType::Kind::text && std::count(searched.begin(), searched.end(), type.name) == 0)
      type.text_bytes = static_cast<std::size_t>(extent.longest_texts[text++]);
  return types;
}

std::vector<ColumnType> trial_columns(const Plan& plan, const std::vector<MetricChoice>& metrics) {
  auto types = column_types(trial_table(plan, {}, metrics));
  widen_searched(types, plan);
  return types;
}

Table epoch_table(const std::vector<TrainedIteration>& iterations, const std::vector<MetricChoice>& metrics) {
  std::vector<EpochResult> epochs;
  for (const auto& iteration : iterations)
    epochs.insert(epochs.end(), iteration.epochs.begin(), iteration.epochs.end());
  Table table = {column<std::int64_t>("iteration", epochs, [](const EpochResult& e) { return e.iteration; })};
  add_fields(table, epoch_fields, epochs, [](const EpochResult& e) -> const EpochResult& { return e; });
  for (std::size_t number = 0; number < metrics.size(); ++number) {
    std::vector<double> values;
    for (const auto& iteration : iterations)
      for (std::size_t epoch = 0; epoch < iteration.epochs.size(); ++epoch)
        values.push_back(number < iteration.metrics.size()
                             ? iteration.epoch_metrics[epoch * iteration.metrics.size() + number]
                             : std::numeric_limits<double>::quiet_NaN());
    table.push_back({metrics[number].name(), std::move(values)});
  }
  return table;
}

Table prediction_table(std::int64_t iteration, const std::vector<float>& predictions, const DataSet& data,
                       const RowSet& rows) {
  const auto width = static_cast<std::size_t>(data.output_count);
  std::vector<std::int64_t> numbers, labels;
  std::vector<double> targets, values;
  const auto offset = [&](std::size_t output) { return data.target_offsets.empty() ? 0 : data.target_offsets[output]; };
  const RowCounts counts = data.counts();
  const std::int64_t first = counts.validation_file > 0 ? counts.validation_rows().begin : 0;  // of their file
  rows.for_each([&](std::int64_t row) {
    numbers.push_back(row - first);
    if (data.task == Task::classification) {
      labels.push_back(data.labels[row]);
    } else {
      for (std::size_t output = 0; output < width; ++output)
        targets.push_back(double{data.targets[static_cast<std::size_t>(row) * width + output]} + offset(output));
    }
  });
  std::vector<std::int64_t> iterations(numbers.size(), iteration);
  Table table = {{"iteration", std::move(iterations)}, {"row", std::move(numbers)}};
  if (data.task == Task::classification) {
    table.push_back({"target", std::move(labels)});
    table.push_back({"probabilities", predictions, width});
    return table;
  }
  table.push_back({"targets", std::move(targets), width});
  if (data.target_offsets.empty()) {
    table.push_back({data.task == Task::multilabel ? "probabilities" : "values", predictions, width});
    return table;
  }
  for (std::size_t at = 0; at < predictions.size(); ++at)
    values.push_back(double{predictions[at]} + offset(at % width));
  table.push_back({"values", std::move(values), width});
  return table;
}

std::vector<ColumnType> prediction_columns(const DataSet& data) {
  return column_types(prediction_table(0, {}, data, RowSet::all(0)));
}

Table trial_table(const Plan& plan, const std::vector<TrialSummary>& trials, const std::vector<MetricChoice>& metrics) {
  using Row = TrialSummary;
  Table table;
  table.push_back(column<std::int64_t>("rank", trials, [](const Row& t) { return t.rank; }));
  table.push_back(column<std::int64_t>("stage", trials, [](const Row& t) { return t.stage; }));
  table.push_back(column<std::int64_t>("trial", trials, [](const Row& t) { return t.trial; }));
  add_searched(table, plan, trials, [](const Row& t) { return t.trial; });
  table.push_back(column<double>("mean_score", trials, [](const Row& t) { return t.mean_score; }));
  table.push_back(column<double>("score_deviation", trials, [](const Row& t) { return t.score_deviation; }));
  table.push_back(column<std::int64_t>("scores", trials, [](const Row& t) { return t.scores; }));
  table.push_back(column<double>("mean_validation_loss", trials, [](const Row& t) { return t.mean_validation_loss; }));
  table.push_back(column<double>("mean_final_loss", trials, [](const Row& t) { return t.mean_final_loss; }));
  for (std::size_t number = 0; number < metrics.size(); ++number)
    table.push_back(column<double>("mean_" + metrics[number].name(), trials,
                                   [number](const Row& t) { return t.mean_metrics[number]; }));
  table.push_back(column<std::int64_t>("iterations", trials, [](const Row& t) { return t.iterations; }));
  table.push_back(column<std::int64_t>("diverged", trials, [](const Row& t) { return t.diverged; }));
  table.push_back(column<std::int64_t>("left_out", trials, [](const Row& t) { return t.left_out; }));
  table.push_back(column<std::int64_t>("cut", trials, [](const Row& t) { return t.cut; }));
  table.push_back(column<double>("seconds", trials, [](const Row& t) { return t.seconds; }));
  return table;
}

Table ensemble_table(const std::vector<EnsembleResult>& ensembles, const std::vector<MetricChoice>& metrics) {
  using Row = EnsembleResult;
  Table table = {column<std::int64_t>("stage", ensembles, [](const Row& e) { return e.stage; }),
                 column<std::int64_t>("trial", ensembles, [](const Row& e) { return e.trial; }),
                 column<std::int64_t>("repeat", ensembles, [](const Row& e) { return e.repeat; }),
                 column<std::int64_t>("fold", ensembles, [](const Row& e) { return e.fold; }),
                 column<double>("score", ensembles, [](const Row& e) { return e.score; }),
                 column<double>("mean_member_score", ensembles, [](const Row& e) { return e.mean_member_score; })};
  for (std::size_t number = 0; number < metrics.size(); ++number)
    table.push_back(
        column<double>(metrics[number].name(), ensembles, [number](const Row& e) { return e.metrics[number]; }));
  return table;
}

std::string csv_header(const Table& table) {
  Text text;
  for (const auto& cells : table) {
    if (text.size() > 0) text.push_back(',');
    add_cell(text, cells.name);
  }
  text.push_back('\n');
  return fmt::to_string(text);
}

std::string csv_rows(const Table& table) {
  Text text;
  const std::size_t rows = std::visit([](const auto& values) { return values.size(); }, table.front().values);
  for (std::size_t row = 0; row < rows; ++row) {
    for (std::size_t number = 0; number < table.size(); ++number) {
      if (number > 0) text.push_back(',');
      std::visit([&](const auto& values) { add_cell(text, values[row]); }, table[number].values);
    }
    text.push_back('\n');
  }
  return fmt::to_string(text);
}

}  // namespace sheaf
