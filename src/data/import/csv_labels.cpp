// SPDX-License-Identifier: MIT
#include "data/import/csv_labels.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <cstring>
#include <numeric>
#include <utility>

#include "core/error.hpp"
#include "core/quoted.hpp"
#include "core/text.hpp"
#include "data/import/csv_numbers.hpp"

namespace sheaf {
namespace {

bool is_integer(std::string_view text) {
  if (!text.empty() && (text.front() == '-' || text.front() == '+')) text.remove_prefix(1);
  return !text.empty() && std::all_of(text.begin(), text.end(), [](char c) { return c >= '0' && c <= '9'; });
}

std::optional<std::int64_t> parse_integer(std::string_view text) {
  if (!is_integer(text)) return std::nullopt;
  if (text.front() == '+') text.remove_prefix(1);
  std::int64_t value = 0;
  const auto [stop, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  return error == std::errc() ? std::optional(value) : std::nullopt;
}

NumberArray real_targets(const std::vector<double>& numbers) {
  NumberArray array{NumberType::float64, {static_cast<std::int64_t>(numbers.size())}, {}};
  array.bytes.resize(numbers.size() * sizeof(double));
  if (!numbers.empty()) std::memcpy(array.bytes.data(), numbers.data(), array.bytes.size());
  return array;
}

// The numbers as integers; nothing if one has a fraction or is too large to be exact.
std::optional<std::vector<std::int64_t>> integers_of(const std::vector<double>& numbers) {
  constexpr double exact = 0x1p53;
  std::vector<std::int64_t> integers;
  integers.reserve(numbers.size());
  for (const double number : numbers) {
    if (std::floor(number) != number || std::abs(number) > exact) return std::nullopt;
    integers.push_back(static_cast<std::int64_t>(number));
  }
  return integers;
}

}  // namespace

void LabelColumn::add(std::string_view text, std::optional<double> number) {
  if (all_numbers_ && number) {
    numbers_.push_back(*number);
    written_as_integers_ = written_as_integers_ && is_integer(text);
  } else {
    all_numbers_ = false;
    numbers_ = std::vector<double>();
  }
  const auto integer = all_numbers_ && all_integers_ ? parse_integer(text) : std::nullopt;
  if (integer) {
    integers_.push_back(*integer);
  } else {
    all_integers_ = false;
    integers_ = std::vector<std::int64_t>();
  }
  if (few_texts_) {
    key_ = as_utf8(text);
    const auto found = texts_.try_emplace(key_, static_cast<std::int32_t>(texts_.size())).first;
    text_of_row_.push_back(found->second);
    if (texts_.size() > max_class_names) {
      few_texts_ = false;
      texts_.clear();
      text_of_row_ = std::vector<std::int32_t>();
    }
  }
}

CodedTargets LabelColumn::finish(std::optional<Task> task, const KnownNames& known,
                                 const std::string& description) const {
  const auto integers = !all_numbers_ ? std::nullopt : all_integers_ ? std::optional(integers_) : integers_of(numbers_);
  const bool undecided = !task && integers;
  if (undecided && all_integers_) task = looks_like_classes(*integers) ? Task::classification : Task::regression;
  // Integers beyond 64 bits are classes by their texts.
  const bool are_codes = all_numbers_ && !integers && written_as_integers_ && few_texts_;
  if (!task && are_codes && texts_.size() <= max_undeclared_classes) task = Task::classification;
  CodedTargets targets;
  if (all_numbers_ && task.value_or(Task::regression) == Task::regression) {
    targets = {real_targets(numbers_), {}, false};
  } else {
    // Texts are exact; integers are known when there are more texts than class names.
    const bool has_names = known && !known->empty();
    require(few_texts_ || integers, [&] {
      return fmt::format(
          "The label {} has more than {} different values (too many class names). Choose another column with --label.",
          description, max_class_names);
    });
    targets = integers && !(has_names && few_texts_) ? code_integers(*integers, known, description)
              : known                                ? coded_like(*known, description)
                                                     : numbered();
  }
  targets.could_be_either = undecided;
  return targets;
}

// The different texts, by their number in text_of_row_.
std::vector<std::string> LabelColumn::names() const {
  std::vector<std::string> names(texts_.size());
  for (const auto& [text, number] : texts_) names[static_cast<std::size_t>(number)] = text;
  return names;
}

// `classes`: the class of each text.
CodedTargets LabelColumn::of_texts(const std::vector<std::int64_t>& classes,
                                   std::vector<std::string> class_names) const {
  std::vector<std::int64_t> labels;
  labels.reserve(text_of_row_.size());
  for (const std::int32_t text : text_of_row_) labels.push_back(classes[static_cast<std::size_t>(text)]);
  return {label_array(labels), std::move(class_names), false};
}

CodedTargets LabelColumn::coded_like(const std::vector<std::string>& known, const std::string& description) const {
  const auto texts = names();
  require(!known.empty(), [&] {
    const auto bad = std::find_if_not(texts.begin(), texts.end(), is_integer);
    return fmt::format(
        "The label {} contains {} (no class names are known, so labels must be class numbers from 0). "
        "Correct it.",
        description, quoted(bad == texts.end() ? texts.front() : *bad));
  });
  const KnownClasses known_classes(known, description);
  std::vector<std::int64_t> classes;
  for (const auto& text : texts) classes.push_back(known_classes.find(text));
  return of_texts(classes, known);
}

// Sorted by value if all labels are numbers, otherwise by text.
CodedTargets LabelColumn::numbered() const {
  const auto texts = names();
  std::vector<double> value_of(texts.size());
  if (all_numbers_)
    for (std::size_t row = 0; row < numbers_.size(); ++row)
      value_of[static_cast<std::size_t>(text_of_row_[row])] = numbers_[row];
  std::vector<std::size_t> order(texts.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) {
    return value_of[a] != value_of[b] ? value_of[a] < value_of[b] : texts[a] < texts[b];
  });

  std::vector<std::string> class_names;
  std::vector<std::int64_t> classes(texts.size());
  for (std::size_t i = 0; i < order.size(); ++i) {
    // "0.5" and "0.50" are the same class.
    const bool same = all_numbers_ && i > 0 && value_of[order[i]] == value_of[order[i - 1]] &&
                      number_of_code(texts[order[i]]).has_value();
    if (!same) class_names.push_back(texts[order[i]]);
    classes[order[i]] = static_cast<std::int64_t>(class_names.size()) - 1;
  }
  return of_texts(classes, std::move(class_names));
}

}  // namespace sheaf
