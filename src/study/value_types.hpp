// The types of setting values: each parses its values from text and writes them back. Pure.
// SPDX-License-Identifier: MIT
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "core/text.hpp"
#include "study/data_options.hpp"
#include "study/model_options.hpp"

namespace sheaf {

/// The type of a setting.
template <class Value>
struct ValueType {
  std::string values;                                            ///< allowed values, e.g. "integer >= 1"
  std::string allowed;                                           ///< the same with all limits, for messages
  std::function<std::optional<Value>(const std::string&)> read;  ///< parses; nullopt: wrong type or out of range
  std::function<std::string(const Value&)> write;                ///< returns text that `read` accepts
  std::vector<std::string> names{};                              ///< the names of a choice; empty for other types
  /// Advice for a text that `read` refuses, with a leading space, or ""; none: that for `names`.
  std::function<std::string(const std::string&)> advice{};
  /// Where the path begins in a text that `read` accepts; npos: the text has none. For keys whose values are paths;
  /// none: the whole text is a path.
  std::function<std::size_t(const std::string&)> path_begin{};
};

/// The most rows, also as a number of batches, and the most epochs of a training. The number of its optimizer steps
/// fits into 64 bits.
inline constexpr std::int64_t max_rows = 1000000000000;
inline constexpr std::int64_t max_epochs = 1000000;

/// Every integer has an upper limit, so that products of two of them fit into 64 bits.
ValueType<std::int64_t> integer(std::int64_t least, std::int64_t most);
ValueType<std::int64_t> odd_integer(std::int64_t least, std::int64_t most);

/// An integer, or `keyword` for 0.
ValueType<std::int64_t> integer_or(const std::string& keyword, std::int64_t least, std::int64_t most);

ValueType<std::uint64_t> any_unsigned_integer();

/// A number from `least` > 0 to `most`, or `keyword` for 0.
ValueType<double> number_or(const std::string& keyword, double least, double most);

/// A finite number for which `allowed` returns true. `values` describes the condition.
ValueType<double> number(const std::string& values, bool (*allowed)(double));

/// true, yes, on or 1; false, no, off or 0.
ValueType<bool> flag();

/// Text that can be stored in a study file: no '#', no control characters, no leading or trailing spaces.
ValueType<std::string> text();
ValueType<std::string> non_empty_text();

/// Text, or `none` for the empty text.
ValueType<std::string> name_or_none();

/// Text that is valid as the name of a directory.
ValueType<std::string> directory_name();

/// Integers separated by spaces; `none` or empty text is the empty list. `example`: for messages.
ValueType<std::vector<std::int64_t>> integers(std::int64_t minimum, std::int64_t maximum, const std::string& example);
ValueType<std::vector<std::int64_t>> layer_widths();

/// `type`, or `auto` for nullopt.
template <class Value>
ValueType<std::optional<Value>> or_auto(const ValueType<Value>& type) {
  ValueType<std::optional<Value>> with_auto;
  const std::string more = type.values.find(" | ") == std::string::npos ? ", or auto" : " | auto";
  with_auto.values = type.values + more;
  with_auto.allowed = type.allowed + more;
  with_auto.names = type.names;
  if (!type.names.empty()) with_auto.names.push_back("auto");
  with_auto.read = [type](const std::string& text) -> std::optional<std::optional<Value>> {
    if (lower_case(text) == "auto") return std::optional<Value>();
    auto value = type.read(text);
    if (!value) return std::nullopt;
    return std::make_optional(std::move(value));
  };
  with_auto.write = [type](const std::optional<Value>& value) { return value ? type.write(*value) : "auto"; };
  return with_auto;
}

/// "CxHxW", or `auto` for all zero.
ValueType<ImageShape> image_shape();

/// "first" or "last".
ValueType<ChannelOrder> channel_order();
std::string name_of(ChannelOrder order);

/// The kind of a model: a name, "torchscript:FILE" or "plugin:FILE".
struct ModelSource {
  AutoOr<ModelKind> kind;
  std::string file;
};
ValueType<ModelSource> model_source();

/// One name of a list, with upper- or lower-case letters, as for all names and keywords. If a value has several names,
/// the first is written; the others are aliases.
template <class Value>
ValueType<Value> choice(const std::vector<std::pair<std::string, Value>>& choices) {
  ValueType<Value> type;
  for (const auto& [name, value] : choices) {
    type.values += (type.values.empty() ? "" : " | ") + name;
    type.names.push_back(name);
  }
  type.allowed = type.values;
  type.read = [choices](const std::string& text) -> std::optional<Value> {
    for (const auto& [name, value] : choices)
      if (lower_case(name) == lower_case(text)) return value;
    return std::nullopt;
  };
  type.write = [choices](const Value& wanted) {
    const auto is_wanted = [&](const auto& entry) { return entry.second == wanted; };
    return std::find_if(choices.begin(), choices.end(), is_wanted)->first;
  };
  return type;
}

/// `auto`, or one of these choices.
template <class Value>
ValueType<AutoOr<Value>> choice_or_auto(const std::vector<std::pair<std::string, Value>>& choices) {
  std::vector<std::pair<std::string, AutoOr<Value>>> all = {{"auto", automatic}};
  all.insert(all.end(), choices.begin(), choices.end());
  return choice(all);
}

}  // namespace sheaf
