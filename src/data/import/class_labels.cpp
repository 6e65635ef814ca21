// SPDX-License-Identifier: MIT
#include "data/import/class_labels.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cstring>
#include <utility>

#include "core/error.hpp"
#include "core/quoted.hpp"
#include "core/text.hpp"
#include "data/import/csv_numbers.hpp"

namespace sheaf {
namespace {

// The different values, in ascending order.
std::vector<std::int64_t> distinct(std::vector<std::int64_t> values) {
  const auto [lowest, highest] = std::minmax_element(values.begin(), values.end());
  const auto span = static_cast<std::uint64_t>(*highest) - static_cast<std::uint64_t>(*lowest);
  if (span < values.size()) {  // usual; faster than sorting
    const std::int64_t first = *lowest;
    std::vector<bool> occurs(static_cast<std::size_t>(span) + 1);
    for (const std::int64_t value : values) occurs[static_cast<std::size_t>(value - first)] = true;
    values.clear();
    for (std::size_t offset = 0; offset < occurs.size(); ++offset)
      if (occurs[offset]) values.push_back(first + static_cast<std::int64_t>(offset));
    return values;
  }
  std::sort(values.begin(), values.end());
  values.erase(std::unique(values.begin(), values.end()), values.end());
  return values;
}

// How many values occur once.
std::size_t count_single(std::vector<std::int64_t> values) {
  std::sort(values.begin(), values.end());
  std::size_t count = 0;
  for (std::size_t index = 0; index < values.size(); ++index) {
    const bool is_first = index == 0 || values[index - 1] != values[index];
    const bool is_last = index + 1 == values.size() || values[index + 1] != values[index];
    count += is_first && is_last;
  }
  return count;
}

// Whether values are those of a quantity: most rows have one of their own.
bool are_mostly_single(const std::vector<std::int64_t>& values, std::size_t different) {
  constexpr std::size_t min_rows = 20;  // fewer may be different by chance
  return values.size() >= min_rows && 2 * different > values.size() && 2 * count_single(values) > values.size();
}

// Whether the ascending `values` are 0, 1, ..., K-1.
bool counts_from_zero(const std::vector<std::int64_t>& values) {
  return values.front() == 0 && values.back() == static_cast<std::int64_t>(values.size()) - 1;
}

std::vector<std::string> names_of(const std::vector<std::int64_t>& classes) {
  std::vector<std::string> names;
  if (classes.size() > max_class_names) return names;
  names.reserve(classes.size());
  for (const std::int64_t value : classes) names.push_back(std::to_string(value));
  return names;
}

}  // namespace

NumberArray label_array(const std::vector<std::int64_t>& labels) {
  NumberArray array{NumberType::int64, {static_cast<std::int64_t>(labels.size())}, {}};
  array.bytes.resize(labels.size() * sizeof(std::int64_t));
  if (!labels.empty()) std::memcpy(array.bytes.data(), labels.data(), array.bytes.size());
  return array;
}

bool looks_like_classes(const std::vector<std::int64_t>& values) {
  const auto classes = distinct(values);
  return counts_from_zero(classes) ||
         (classes.size() <= max_undeclared_classes && !are_mostly_single(values, classes.size()));
}

KnownClasses::KnownClasses(std::vector<std::string> names, std::string description)
    : names_(std::move(names)), description_(std::move(description)) {
  for (std::size_t number = 0; number < names_.size(); ++number) {
    const auto label = static_cast<std::int64_t>(number);
    by_name_.try_emplace(names_[number], label);
    if (const auto value = number_of_code(names_[number])) by_number_.try_emplace(*value, label);
  }
}

std::int64_t KnownClasses::find(const std::string& label) const {
  if (const auto named = by_name_.find(label); named != by_name_.end()) return named->second;
  const auto value = number_of_code(label);
  if (const auto equal = value ? by_number_.find(*value) : by_number_.end(); equal != by_number_.end())
    return equal->second;
  throw RunError(fmt::format(
      "The label {} contains {}, which is not one of the {} known classes ({} to {}).{} Correct the label, or remove "
      "its rows.",
      description_, quoted(label), names_.size(), quoted(names_.front()), quoted(names_.back()),
      did_you_mean(label, names_)));
}

TextLabels::TextLabels(const std::vector<std::string>& names, std::string description)
    : description_(std::move(description)) {
  if (!names.empty()) known_.emplace(names, description_);
}

std::int64_t TextLabels::find(const std::string& text) const {
  if (known_) return known_->find(text);
  std::int64_t number = -1;
  const char* end = text.data() + text.size();
  const auto [stop, error] = std::from_chars(text.data(), end, number);
  require(error == std::errc() && stop == end && number >= 0, [&] {
    return fmt::format(
        "The label {} contains {} (the training data have no class names, so labels are class numbers from 0). "
        "Correct it.",
        description_, quoted(text));
  });
  return number;
}

CodedTargets code_texts(const std::vector<std::string>& texts, const KnownNames& known,
                        const std::string& description) {
  TextClasses different;
  std::vector<std::int64_t> labels;
  labels.reserve(texts.size());
  for (const auto& text : texts) labels.push_back(different.add(text, description));
  std::vector<std::string> names = known ? *known : class_names_of(different.texts());
  std::vector<std::int64_t> classes;
  if (known) {
    const TextLabels coded(names, description);
    for (const auto& text : different.texts()) classes.push_back(coded.find(text));
  } else {
    classes = classes_of(different.texts(), names);
  }
  for (std::int64_t& label : labels) label = classes[static_cast<std::size_t>(label)];
  return {label_array(labels), std::move(names), false};
}

CodedTargets code_integers(const std::vector<std::int64_t>& values, const KnownNames& known,
                           const std::string& description) {
  const auto classes = distinct(values);
  if (known && known->empty()) {
    require(classes.front() >= 0, [&] {
      return fmt::format(
          "The label {} contains {} (no class names are known, so labels must be class numbers from 0). "
          "Correct it.",
          description, classes.front());
    });
    return {label_array(values), {}, false};
  }
  if (!known && counts_from_zero(classes)) return {label_array(values), names_of(classes), false};
  require(classes.size() <= max_class_names, [&] {
    return fmt::format(
        "The label {} has more than {} different values (too many class names). Choose another one, or "
        "predict it by regression if it is a quantity.",
        description, max_class_names);
  });
  std::unordered_map<std::int64_t, std::int64_t> numbers;
  if (known) {
    const KnownClasses known_classes(*known, description);
    for (const std::int64_t value : classes) numbers[value] = known_classes.find(std::to_string(value));
  } else {
    for (const std::int64_t value : classes) numbers[value] = static_cast<std::int64_t>(numbers.size());
  }
  std::vector<std::int64_t> labels;
  labels.reserve(values.size());
  for (const std::int64_t value : values) labels.push_back(numbers.at(value));
  return {label_array(labels), known ? *known : names_of(classes), false};
}

}  // namespace sheaf
