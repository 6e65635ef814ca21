// SPDX-License-Identifier: MIT
#include "data/import/class_labels.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>
#include <unordered_map>

#include "core/error.hpp"
#include "core/quoted.hpp"
#include "core/text.hpp"

namespace sheaf {
namespace {

constexpr std::size_t most_undeclared_classes = 100;

// The different values, in ascending order.
std::vector<std::int64_t> distinct(std::vector<std::int64_t> values) {
  std::sort(values.begin(), values.end());
  values.erase(std::unique(values.begin(), values.end()), values.end());
  return values;
}

// Whether the ascending `values` are 0, 1, ..., K-1.
bool counts_from_zero(const std::vector<std::int64_t>& values) {
  return values.front() == 0 && values.back() == static_cast<std::int64_t>(values.size()) - 1;
}

std::vector<std::string> names_of(const std::vector<std::int64_t>& classes) {
  std::vector<std::string> names;
  if (classes.size() > most_class_names) return names;
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
  return classes.size() <= most_undeclared_classes || counts_from_zero(classes);
}

std::int64_t known_class(const std::string& name, const std::vector<std::string>& known,
                         const std::string& description) {
  const auto found = std::find(known.begin(), known.end(), name);
  if (found != known.end()) return found - known.begin();
  throw RunError(fmt::format(
      "The label {} contains the class {}, which is unknown (there are {} classes, {} to {}).{} "
      "Correct the label, or remove its rows.",
      description, quoted(name), known.size(), quoted(known.front()), quoted(known.back()), did_you_mean(name, known)));
}

CodedTargets code_integers(const std::vector<std::int64_t>& values, const std::vector<std::string>& known,
                           const std::string& description) {
  const auto classes = distinct(values);
  if (known.empty() && counts_from_zero(classes)) return {label_array(values), names_of(classes), false};
  require(classes.size() <= most_class_names, [&] {
    return fmt::format(
        "The label {} has more than {} different values (too many class names). Choose another one, or "
        "pass --task=regression if it is a quantity.",
        description, most_class_names);
  });
  std::unordered_map<std::int64_t, std::int64_t> numbers;
  for (const std::int64_t value : classes)
    numbers[value] = known.empty() ? static_cast<std::int64_t>(numbers.size())
                                   : known_class(std::to_string(value), known, description);
  std::vector<std::int64_t> labels;
  labels.reserve(values.size());
  for (const std::int64_t value : values) labels.push_back(numbers.at(value));
  return {label_array(labels), known.empty() ? names_of(classes) : known, false};
}

}  // namespace sheaf
