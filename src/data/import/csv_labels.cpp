// SPDX-License-Identifier: MIT
#include "data/import/csv_labels.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <cstdlib>
#include <cstring>
#include <numeric>

#include "core/error.hpp"

namespace sheaf {
namespace {

// The maximum number of class names that fit into an HDF5 attribute. A column with more different values is probably a
// quantity or an identifier of the rows.
constexpr std::size_t most_names = 4000;

template <class T>
void put(NumberArray& array, std::size_t index, T value) {
  std::memcpy(array.bytes.data() + index * sizeof value, &value, sizeof value);
}

bool is_integer(std::string_view text) {
  if (text.front() == '-' || text.front() == '+') text.remove_prefix(1);
  return !text.empty() && std::all_of(text.begin(), text.end(), [](char c) { return c >= '0' && c <= '9'; });
}

NumberArray float_targets(const std::vector<double>& numbers) {
  NumberArray array{NumberType::float32, {static_cast<std::int64_t>(numbers.size())}, {}};
  array.bytes.resize(numbers.size() * sizeof(float));
  for (std::size_t row = 0; row < numbers.size(); ++row) put(array, row, static_cast<float>(numbers[row]));
  return array;
}

NumberArray empty_labels(std::size_t rows) {
  NumberArray array{NumberType::int64, {static_cast<std::int64_t>(rows)}, {}};
  array.bytes.resize(rows * sizeof(std::int64_t));
  return array;
}

}  // namespace

template <class T>
std::optional<T> parse_number(std::string_view text) {
  if (text.size() > 1 && text.front() == '+' && text[1] != '-') text.remove_prefix(1);
  T value = 0;
  const char* end = text.data() + text.size();
  const auto [stop, error] = std::from_chars(text.data(), end, value);
  if (error == std::errc::invalid_argument || stop != end) return std::nullopt;
  if (error == std::errc::result_out_of_range)  // strtod returns infinity if too large, 0 or a subnormal if too small
    value = static_cast<T>(std::strtod(std::string(text).c_str(), nullptr));
  return value;
}

template std::optional<float> parse_number(std::string_view);
template std::optional<double> parse_number(std::string_view);

void LabelColumn::add(std::string_view text) {
  ++rows_;
  if (all_numbers_) {
    if (const auto number = parse_number<double>(text)) {
      numbers_.push_back(*number);
      all_integers_ = all_integers_ && is_integer(text);
    } else {
      all_numbers_ = false;
      numbers_ = std::vector<double>();
    }
  }
  if (few_texts_) {
    key_.assign(text);
    const auto found = texts_.try_emplace(key_, static_cast<std::int32_t>(texts_.size())).first;
    text_of_row_.push_back(found->second);
    if (texts_.size() > most_names) {
      few_texts_ = false;
      texts_.clear();
      text_of_row_ = std::vector<std::int32_t>();
    }
  }
}

LabelColumn::Targets LabelColumn::finish(std::optional<Task> task, const std::string& description) const {
  const bool has_fractions = all_numbers_ && !all_integers_;
  if (task.value_or(has_fractions ? Task::regression : Task::classification) == Task::regression)
    return {float_targets(numbers_), {}};
  const auto is_class = [&](double number) {
    return number >= 0 && number < static_cast<double>(rows_) && std::floor(number) == number;
  };
  if (!all_numbers_ || !std::all_of(numbers_.begin(), numbers_.end(), is_class)) return numbered(description);
  Targets targets{empty_labels(rows_), {}};
  for (std::size_t row = 0; row < rows_; ++row) put(targets.array, row, static_cast<std::int64_t>(numbers_[row]));
  return targets;
}

LabelColumn::Targets LabelColumn::numbered(const std::string& description) const {
  require(few_texts_,
          fmt::format("The label {} has more than {} different values (too many class names). Choose another column "
                      "with --label{}.",
                      description, most_names, all_numbers_ ? ", or pass --task=regression if it is a quantity" : ""));
  std::vector<std::string> names(texts_.size());
  for (const auto& [text, number] : texts_) names[static_cast<std::size_t>(number)] = text;
  const auto value = [&](std::size_t index) { return *parse_number<double>(names[index]); };
  std::vector<std::size_t> order(names.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) {
    if (all_numbers_ && value(a) != value(b)) return value(a) < value(b);
    return names[a] < names[b];
  });

  Targets targets{empty_labels(rows_), {}};
  std::vector<std::int64_t> class_of(names.size());
  for (std::size_t i = 0; i < order.size(); ++i) {
    // "1" and "1.0" are the same class.
    const bool same = all_numbers_ && i > 0 && value(order[i]) == value(order[i - 1]);
    if (!same) targets.class_names.push_back(names[order[i]]);
    class_of[order[i]] = static_cast<std::int64_t>(targets.class_names.size()) - 1;
  }
  for (std::size_t row = 0; row < rows_; ++row)
    put(targets.array, row, class_of[static_cast<std::size_t>(text_of_row_[row])]);
  return targets;
}

}  // namespace sheaf
