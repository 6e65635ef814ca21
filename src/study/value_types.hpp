// How the values of settings are written: text to value and back, a form for each kind of value. Pure.
// SPDX-License-Identifier: MIT
#pragma once

#include <algorithm>
#include <cstdint>
#include <functional>
#include <limits>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "study/study.hpp"

namespace sheaf {

template <class Value>
struct ValueType {
  std::string values;                                            ///< what may be written, e.g. "integer >= 1"
  std::string allowed;                                           ///< the same in full, for messages
  std::function<std::optional<Value>(const std::string&)> read;  ///< nothing: not such a value, or out of range
  std::function<std::string(const Value&)> write;                ///< what `read` takes back
  std::vector<std::string> names;                                ///< of a choice; empty for other forms
};

inline constexpr std::int64_t unlimited = std::numeric_limits<std::int64_t>::max();

ValueType<std::int64_t> integer(std::int64_t least, std::int64_t most = unlimited);
ValueType<std::int64_t> odd_integer(std::int64_t least, std::int64_t most);

/// An integer, or `word`, which stands for 0.
ValueType<std::int64_t> integer_or(const std::string& word, std::int64_t least, std::int64_t most = unlimited);

ValueType<std::uint64_t> any_unsigned_integer();

/// A number from `least` > 0 to `most`, or the word, which is 0.
ValueType<double> number_or(const std::string& word, double least, double most);

/// A finite number that is `allowed`; `values` says the same in words.
ValueType<double> number(const std::string& values, bool (*allowed)(double));

ValueType<bool> flag();

/// Text that survives a study file: no '#', no control characters, no blanks around it.
ValueType<std::string> text();
ValueType<std::string> non_empty_text();

/// Text that can name a directory.
ValueType<std::string> directory_name();

/// Widths separated by blanks; `none` (or nothing) is the empty list.
ValueType<std::vector<std::int64_t>> layer_widths();

/// "CxHxW"; `auto` is all zero.
ValueType<ImageShape> image_shape();

/// What a model is: a name, or "torchscript:FILE" or "plugin:FILE".
struct ModelSource {
  ModelKind kind = ModelKind::linear;
  std::string file;
};
ValueType<ModelSource> model_source();

/// "90", "90s", "45m", "2h", "1d", or "1h30m": a time; `auto`; `none`.
ValueType<TimeLimit> time_limit();

/// "K/N": task K of 0..N-1; `auto`; `none`.
ValueType<ArrayTask> array_task();

/// One name of a list. Several names of one value are aliases: the first is the one that is written.
template <class Value>
ValueType<Value> choice(const std::vector<std::pair<std::string, Value>>& choices) {
  ValueType<Value> form;
  for (const auto& [name, value] : choices) {
    form.values += (form.values.empty() ? "" : " | ") + name;
    form.names.push_back(name);
  }
  form.allowed = form.values;
  form.read = [choices](const std::string& text) -> std::optional<Value> {
    for (const auto& [name, value] : choices)
      if (name == text) return value;
    return std::nullopt;
  };
  form.write = [choices](const Value& wanted) {
    const auto is_wanted = [&](const auto& entry) { return entry.second == wanted; };
    return std::find_if(choices.begin(), choices.end(), is_wanted)->first;
  };
  return form;
}

}  // namespace sheaf
