// SPDX-License-Identifier: MIT
#include "data/import/csv_targets.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <utility>

#include "core/error.hpp"
#include "core/quoted.hpp"
#include "core/text.hpp"
#include "data/target_coding.hpp"

namespace sheaf {
namespace {

// The maximum length of a class name, in bytes.
constexpr std::size_t longest_label = 4096;

template <class T>
void append_bytes(std::vector<std::byte>& bytes, T value) {
  const auto* begin = reinterpret_cast<const std::byte*>(&value);
  bytes.insert(bytes.end(), begin, begin + sizeof value);
}

// Subtracts an offset from each column of the float64 `targets` and rounds them to float32. `known`: the offsets to
// use; null: sampled_offset(). `offsets`: those used, or nothing if all are 0.
NumberArray with_offsets(NumberArray targets, const std::vector<double>* known, std::vector<double>& offsets) {
  const std::int64_t columns = targets.row_elements(), rows = targets.rows();
  CellBlocks cells;
  visit_numbers(targets, [&](const auto* values) {
    for (std::size_t index = 0; index < targets.elements(); ++index) cells.add(static_cast<double>(values[index]));
  });
  targets.bytes = std::vector<std::byte>();
  offsets.assign(static_cast<std::size_t>(columns), 0);
  for (std::int64_t column = 0; column < columns; ++column)
    offsets[static_cast<std::size_t>(column)] = known == nullptr ? sampled_offset(cells, rows, column, columns)
                                                : known->size() != offsets.size()
                                                    ? 0
                                                    : known->at(static_cast<std::size_t>(column));
  NumberArray floats{NumberType::float32, targets.shape, {}};
  floats.bytes.reserve(floats.elements() * sizeof(float));
  std::size_t column = 0;
  cells.consume([&](double value) {
    append_bytes(floats.bytes, static_cast<float>(value - offsets[column]));
    if (++column == offsets.size()) column = 0;
  });
  if (std::all_of(offsets.begin(), offsets.end(), [](double offset) { return offset == 0; })) offsets.clear();
  return floats;
}

// The value of a label that is written as a word; nullopt: it is not one.
std::optional<double> value_of_word(std::string_view text) {
  const std::string word = lower_case(std::string(text));
  if (word == "true" || word == "yes") return 1;
  if (word == "false" || word == "no") return 0;
  return std::nullopt;
}

// The class of each row of one-hot labels; negative for other rows.
std::vector<std::int64_t> one_hot_classes(const NumberArray& labels) {
  const std::int64_t width = labels.row_elements();
  const auto* values = reinterpret_cast<const std::uint8_t*>(labels.bytes.data());
  std::vector<std::int64_t> classes;
  for (std::int64_t row = 0; row < labels.rows(); ++row) classes.push_back(one_hot_class(values + row * width, width));
  return classes;
}

// The task of targets that are coded like others.
Task task_of(const DataDescription& like) {
  if (like.is_multilabel) return Task::multilabel;
  return like.class_names.empty() ? Task::regression : Task::classification;
}

std::string listed_names(std::vector<std::string> names) {
  for (std::string& name : names) name = quoted(name);
  return listed(names);
}

bool has_words(const ColumnEvidence& column) {
  const auto is_word = [](std::string_view text) { return value_of_word(text).has_value(); };
  return column.texts > 0 && std::all_of(column.different_texts.begin(), column.different_texts.end(), is_word);
}

// "contains 'NA', which means an empty cell (a number is expected)"
std::string empty_reason(std::string_view text, const std::string& expected) {
  return text.empty() ? fmt::format("is empty ({})", expected)
                      : fmt::format("contains {}, which means an empty cell ({})", quoted(std::string(text)), expected);
}

}  // namespace

std::string drop_row_advice(const CsvOptions& options) {
  return options.like == nullptr && !options.numbers_only ? ", or leave out its row with --missing=drop"
                                                          : ", or leave out its row";
}

CsvTargets::CsvTargets(const CsvBeginning& first, const CsvLayout& layout, const ChosenDecimal& decimal,
                       const CsvOptions& options)
    : layout_(layout), options_(options) {
  const auto& columns = layout.roles.targets;
  are_words_ = columns.size() > 1 && options.task != Task::regression &&
               std::any_of(columns.begin(), columns.end(),
                           [&](std::size_t column) { return has_words(first.evidence[column]); });
  if (layout.roles.targets.size() != 1 || layout.has_numbers) return;
  if (options.like != nullptr || options.task == Task::classification) {
    has_text_labels_ = true;
    return;
  }
  const std::size_t column = layout.roles.targets.front();
  const ColumnEvidence& evidence = first.evidence[column];
  const ColumnKind kind = kind_of(evidence, decimal.mark);
  has_text_labels_ = (kind != ColumnKind::number && kind != ColumnKind::undecided) || evidence.leading_zeros > 0;
  const auto refuse = [&](const std::string& problem, std::string_view example) {
    throw RunError(fmt::format(
        "The label {} of '{}' {} ({}). Choose another column with --label, or pass {}=classification to make each "
        "text a class.",
        layout.text_of(column), first.name(), problem, quoted(as_utf8(example)), options.task_option));
  };
  if (kind == ColumnKind::unclear)
    refuse(
        "has texts that look like numbers, but cannot all be read as such",
        first_unreadable(first, column, decimal.is_known ? std::optional(decimal.mark) : std::nullopt, options.empty));
  if (kind == ColumnKind::date || kind == ColumnKind::other_date) refuse("has dates or times", evidence.example);
  if (kind == ColumnKind::identifier)
    refuse("has a different text in nearly every row, like an identifier", evidence.example);
}

bool CsvTargets::is_known_class(std::string_view label) const {
  if (options_.like == nullptr) return false;
  const auto& names = options_.like->class_names;
  return std::find(names.begin(), names.end(), label) != names.end();
}

bool CsvTargets::is_empty(std::string_view text, const NumberForm& form) const {
  const EmptyCells& empty = options_.empty;
  if (has_text_labels_) return empty.is_empty(text) && !is_known_class(text);
  if (empty.is_empty_number(text)) return true;
  const auto number = empty.has_numbers() ? parse_cell(text, form) : std::nullopt;
  return number && empty.is_empty_value(*number);
}

double CsvTargets::number(std::string_view text, const NumberForm& form) const {
  const auto value = options_.empty.has_numbers() && is_empty(text, form) ? std::nullopt : parse_cell(text, form);
  if (value && std::abs(*value) <= 3.4028234663852886e38) return *value;
  if (is_empty(text, form)) throw BadCell{empty_reason(text, "a number is expected"), drop_row_advice(options_)};
  const std::string cell = quoted(std::string(text));
  if (value) throw BadCell{fmt::format("contains {} (values must be finite in 32-bit floating point)", cell), ""};
  throw BadCell{fmt::format("contains {} (a number is expected)", cell),
                layout_.has_numbers
                    ? ""
                    : fmt::format(", or pass {}=classification to make each text a class", options_.task_option)};
}

double CsvTargets::label(std::string_view text, const NumberForm& form) const {
  if (const auto value = value_of_word(text)) return *value;
  const double value = number(text, form);
  if (value != 0 && value != 1)
    throw BadCell{fmt::format("contains {} (labels are 0 or 1, no or yes, false or true)", quoted(std::string(text))),
                  ""};
  return value;
}

void CsvTargets::add_label(std::string_view text, const NumberForm& form) {
  if (text.size() > longest_label)
    throw BadCell{fmt::format("has a label of {} bytes (the limit is {})", text.size(), longest_label),
                  ", or choose another column with --label"};
  if (!has_text_labels_) {
    labels_.add(text, number(text, form));
    return;
  }
  if (is_empty(text, form))
    throw BadCell{
        empty_reason(text, "a label is expected"),
        drop_row_advice(options_) + (text.empty() ? "" : ", or keep it as a class with --keep_default_na=false")};
  const auto value = parse_cell(text, form);
  // An infinite label is an error, as for numbers. Any other text is a number or a class name.
  if (value && !std::isfinite(static_cast<float>(*value))) static_cast<void>(number(text, form));
  labels_.add(text, has_leading_zeros(text) ? std::nullopt : value);
}

void CsvTargets::add(std::string_view text, const NumberForm& form) {
  if (options_.task == Task::multilabel || are_words_)
    numbers_.add(label(text, form));
  else if (layout_.has_numbers)
    numbers_.add(number(text, form));
  else
    add_label(text, form);
}

// Codes several columns as labels or, if they are one-hot, as classes; otherwise they stay numbers.
void CsvTargets::code_several(CodedTargets& coded, const std::string& file) const {
  std::optional<Task> task = options_.task;
  if (!task && options_.like != nullptr) task = task_of(*options_.like);
  if (task == Task::regression) return;
  auto labels = as_labels(coded.array);
  std::vector<std::int64_t> classes;
  if (labels && task != Task::multilabel) classes = one_hot_classes(*labels);
  const auto other = std::find_if(classes.begin(), classes.end(), [](std::int64_t label) { return label < 0; });
  require(task != Task::classification || (labels && other == classes.end()), [&] {
    return fmt::format(
        "Classification needs one label column, or columns with a 1 for the class of each row and otherwise 0 (there "
        "are "
        "{} label columns in '{}'{}). Name one with --label, or pass {}=multilabel or {}=regression.",
        layout_.roles.targets.size(), file,
        labels ? fmt::format(", and row {} does not have exactly one 1", other - classes.begin()) : "",
        options_.task_option, options_.task_option);
  });
  if (!labels) return;
  if (task == Task::multilabel || other != classes.end()) {
    coded.array = *std::move(labels);
    coded.are_labels = true;
    coded.could_be_either = !task;
    return;
  }
  std::vector<std::string> names;
  for (const std::size_t column : layout_.roles.targets)
    if (!layout_.names.empty()) names.push_back(layout_.names[column]);
  const bool are_known = options_.like == nullptr || names.empty() || options_.like->class_names == names;
  require(are_known, [&] {
    return fmt::format(
        "The label columns {} of '{}' are not the classes of {}, {}. Use one label column, or columns with "
        "the names of the classes.",
        listed_names(names), file, options_.like_name, listed_names(options_.like->class_names));
  });
  coded.array = label_array(classes);
  coded.one_hot_columns = static_cast<std::int64_t>(layout_.roles.targets.size());
  coded.class_names = options_.like == nullptr ? std::move(names) : options_.like->class_names;
}

void CsvTargets::finish(std::int64_t rows, const std::string& file, ImportedData& data) {
  const auto& columns = layout_.roles.targets;
  if (columns.empty()) return;
  CodedTargets coded;
  if (layout_.has_numbers) {
    coded.array = {NumberType::float64, {rows}, {}};
    if (columns.size() > 1) coded.array.shape.push_back(static_cast<std::int64_t>(columns.size()));
    coded.array.bytes.reserve(coded.array.elements() * sizeof(double));
    numbers_.consume([&](double value) { append_bytes(coded.array.bytes, value); });
    if (columns.size() > 1) code_several(coded, file);
  } else {
    coded = labels_.finish(options_.task, options_.known_classes(),
                           fmt::format("{} of '{}'", layout_.text_of(columns.front()), file));
  }
  if (is_real(coded.array.type)) {
    const auto* known = options_.like == nullptr ? nullptr : &options_.like->target_offsets;
    coded.array = with_offsets(std::move(coded.array), known, data.description.target_offsets);
  }
  data.set_targets(std::move(coded), options_.task_option);
  if (layout_.names.empty()) return;
  for (const std::size_t column : columns) data.description.target_names.push_back(layout_.names[column]);
}

}  // namespace sheaf
