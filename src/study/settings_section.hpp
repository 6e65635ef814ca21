// Adds the keys of one section to the table of settings.
// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <optional>
#include <sstream>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include "study/setting.hpp"
#include "study/study.hpp"
#include "study/value_types.hpp"

namespace sheaf {

/// Whether results may depend on a key. Results do not depend on where and how a run executes, on the study's name, or
/// on the path of a file (its content has a fingerprint). run.threads and run.device only affect the last digits, and
/// only with LibTorch, so a resumed run may change these keys.
enum class Decides { results, no_results };

/// The kind of values of type `Value`.
template <class Value>
constexpr ValueKind kind_of() {
  if (std::is_same_v<Value, std::optional<double>>) return ValueKind::number;
  if (std::is_same_v<Value, bool> || std::is_same_v<Value, std::optional<bool>>) return ValueKind::flag;
  if (std::is_integral_v<Value> || std::is_same_v<Value, std::optional<std::int64_t>>) return ValueKind::integer;
  return std::is_floating_point_v<Value> ? ValueKind::number : ValueKind::text;
}

/// The row of the key that was added last.
class SettingRow {
 public:
  explicit SettingRow(std::vector<Setting>& table) : table_(table) {}

  /// The key has an effect only if `key`, which is above it in the table, has one of `values`. A value of model.kind
  /// with a file stands for all files. Messages advise the first value.
  SettingRow& only_with(const std::string& key, const std::vector<std::string>& values);
  /// The key has an effect only if `condition` holds.
  SettingRow& only_if(Condition condition) {
    table_.back().conditions.push_back(std::move(condition));
    return *this;
  }
  /// Trials may have different values of the key. Keys of [model] and [train] have this property without it.
  SettingRow& searchable() {
    table_.back().is_searchable = true;
    return *this;
  }
  /// Names of the key in other tools (scikit-learn, Keras, PyTorch, XGBoost, Optuna) and in earlier versions of Sheaf,
  /// in lower case with underscores. Messages about unknown keys use them.
  SettingRow& also_called(const std::vector<std::string>& names) {
    table_.back().other_names = names;
    return *this;
  }
  /// Pairs of a value's name in other tools, in lower case, and the value.
  SettingRow& values_also_called(const std::vector<std::pair<std::string, std::string>>& names) {
    table_.back().other_values = names;
    return *this;
  }

 private:
  std::vector<Setting>& table_;
};

/// Adds the settings of one section to the table. By default a key decides results. Keys of [run] must pass `decides`,
/// because most of them do not.
template <class Options>
class Section {
 public:
  Section(std::vector<Setting>& table, std::string name, Options Study::*options)
      : table_(table), name_(std::move(name)), options_(options) {}

  template <class Value>
  SettingRow add(const std::string& name, Value Options::*value, const ValueType<Value>& type,
                 const std::string& help) {
    static_assert(!std::is_same_v<Options, RunOptions>, "Pass whether the key decides results.");
    return add(name, value, type, help, Decides::results);
  }

  template <class Value>
  SettingRow add(const std::string& name, Value Options::*value, const ValueType<Value>& type, const std::string& help,
                 Decides decides, PathKind path = PathKind::none) {
    return add(
        name, type, [=](const Options& options) { return options.*value; },
        [=](Options& options, const Value& read) { options.*value = read; }, help, decides, path);
  }

  /// For a value that is stored in several members: get(options) returns it, set(options, value) stores it.
  template <class Value, class Get, class Set>
  SettingRow add(const std::string& name, const ValueType<Value>& type, Get get, Set set, const std::string& help,
                 Decides decides, PathKind path) {
    const auto options = options_;
    Setting setting;
    setting.decides_results = decides == Decides::results;
    setting.is_searchable = std::is_same_v<Options, ModelOptions> || std::is_same_v<Options, TrainOptions>;
    setting.path = path;
    setting.path_begin = type.path_begin;
    setting.kind = kind_of<Value>();
    setting.allowed = type.allowed;
    setting.names = type.names;
    setting.advice = type.advice;
    setting.setter = [=](const std::string& text) -> SetValue {
      const auto read = type.read(text);
      if (!read) return {};
      return [=, value = *read](Study& study) { set(study.*options, value); };
    };
    setting.text = [=](const Study& study) { return type.write(get(study.*options)); };
    setting.info = {name_ + "." + name, type.values, setting.text(Study{}), help};
    table_.push_back(std::move(setting));
    return SettingRow(table_);
  }

 private:
  std::vector<Setting>& table_;
  std::string name_;
  Options Study::*options_;
};

/// The choices of a key whose values are the rows of a table (study/kind_table.hpp).
template <class Table>
auto choices_of(const Table& table) {
  std::vector<std::pair<std::string, decltype(table[0].kind)>> choices;
  for (const auto& row : table) choices.emplace_back(row.name, row.kind);
  return choices;
}

/// "name: meaning; name: meaning" of the rows that have a meaning.
template <class Table>
std::string meanings_of(const Table& table) {
  std::string text;
  for (const auto& row : table)
    if (!row.meaning.empty()) text.append(text.empty() ? "" : "; ").append(row.name).append(": ").append(row.meaning);
  return text;
}

/// For values_also_called(): the `other_names` of each row of a table, which spaces separate.
template <class Table>
std::vector<std::pair<std::string, std::string>> other_names_of(const Table& table) {
  std::vector<std::pair<std::string, std::string>> names;
  for (const auto& row : table) {
    std::istringstream words{std::string(row.other_names)};
    for (std::string word; words >> word;) names.emplace_back(word, row.name);
  }
  return names;
}

inline bool is_positive(double value) {
  return value > 0;
}

inline bool is_not_negative(double value) {
  return value >= 0;
}

inline bool is_below_one(double value) {
  return value >= 0 && value < 1;
}

/// Describes is_below_one() in help texts.
inline const char* const below_one_in_words = "number >= 0 and < 1";

/// The keys of each section, in the order of the table.
void add_study_keys(std::vector<Setting>& table);
void add_data_keys(std::vector<Setting>& table);
void add_model_keys(std::vector<Setting>& table);
void add_train_keys(std::vector<Setting>& table);
void add_ensemble_keys(std::vector<Setting>& table);
void add_search_keys(std::vector<Setting>& table);
void add_run_keys(std::vector<Setting>& table);

}  // namespace sheaf
