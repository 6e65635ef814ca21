// SPDX-License-Identifier: MIT
#include "data/import/csv_first_line.hpp"

#include <algorithm>
#include <cmath>

#include "core/text.hpp"

namespace sheaf {
namespace {

using Cells = std::vector<std::string_view>;

// Whether the numbers are first, first + 1, ...
bool counts_from(const Cells& cells, std::size_t begin, int first) {
  for (std::size_t index = begin; index < cells.size(); ++index)
    if (cells[index] != std::to_string(static_cast<std::size_t>(first) + index - begin)) return false;
  return cells.size() > begin + 1;
}

// Whether numbers are like those of names: they rise, or they fall in nearly equal steps, such as wave numbers.
bool are_ordered(const std::vector<double>& values) {
  if (values.size() < 2) return false;
  std::vector<double> steps;
  for (std::size_t index = 1; index < values.size(); ++index) steps.push_back(values[index] - values[index - 1]);
  const auto [least, most] = std::minmax_element(steps.begin(), steps.end());
  return *least > 0 || (*most < 0 && values.size() > 2 && *least > 1.2 * *most);
}

// The first row of a table that may be a header, and the evidence of the rows below.
class FirstLine {
 public:
  FirstLine(const Cells& cells, const std::vector<ColumnEvidence>& columns, std::optional<std::size_t> label,
            const EmptyCells& empty, bool is_unnamed)
      : cells_(cells), columns_(columns), label_(label), empty_(empty), is_unnamed_(is_unnamed) {
    for (std::size_t column = 0; column < columns_.size(); ++column) count(column);
  }

  HeaderVerdict verdict() const {
    const bool is_new_label = label_ && !label_occurs();
    const bool is_text_label = label_ && !is_number(cells_[*label_]) && !empty_.is_empty_number(cells_[*label_]);
    if (texts_above_ > 0) {
      const bool are_more = texts_above_ > numbers_above_.size();
      const bool is_clear = broken_numbers_
                                ? are_more && is_new_label
                                : are_more || are_ordered(numbers_above_) || (is_new_label && is_text_label);
      return is_clear ? HeaderVerdict::header : HeaderVerdict::contradictory;
    }
    if (const auto unnamed = counted_after()) {
      const bool is_clear = is_new_label || !label_ || (*unnamed > 0 && cells_[*unnamed] == "0");
      return is_clear ? HeaderVerdict::header : contradictory_count();
    }
    const bool has_text_labels = label_ && columns_[*label_].numbers == 0 && is_text_label;
    if (is_new_label && has_text_labels && are_ordered(numbers_above_)) return HeaderVerdict::header;
    if (is_unnamed_) return HeaderVerdict::row;
    if (is_new_label && is_text_label && labels_repeat()) {
      const bool are_rows = !numbers_above_.empty() || (texts_ > 1 && texts_again_ == texts_ - 1);
      return are_rows ? HeaderVerdict::contradictory : HeaderVerdict::header;
    }
    if (is_new_label && looks_like_years()) return HeaderVerdict::contradictory;
    if (numeric_ > 0 || texts_ == 0) return HeaderVerdict::row;
    if (texts_again_ == 0) return HeaderVerdict::header;
    return 2 * texts_again_ >= texts_ ? HeaderVerdict::row : HeaderVerdict::contradictory;
  }

 private:
  void count(std::size_t column) {
    const std::string_view cell = cells_[column];
    const ColumnEvidence& below = columns_[column];
    const bool means_empty = empty_.is_empty_number(cell);
    if (below.is_numeric()) {
      ++numeric_;
      if (is_number(cell)) {
        numbers_above_.push_back(parse_number<double>(cell).value_or(std::nan("")));
        fractions_below_ += 2 * below.whole < below.numbers;
      } else if (!means_empty) {
        ++texts_above_;
        broken_numbers_ = broken_numbers_ || resembles_number(cell);
      }
      return;
    }
    const auto different = static_cast<std::int64_t>(below.different_texts.size());
    const bool repeats = 10 * different < 9 * below.texts || below.texts < 10;
    if (below.texts == 0 || means_empty || !repeats) return;
    ++texts_;
    texts_again_ += below.occurs(cell);
  }

  bool label_occurs() const { return columns_[*label_].occurs(cells_[*label_]); }

  bool labels_repeat() const {
    const ColumnEvidence& label = columns_[*label_];
    const auto different = static_cast<std::int64_t>(label.different_texts.size() + label.different_numbers.size());
    return 2 * different <= label.texts + label.numbers;
  }

  // Whether the line is 0, 1, ... or 1, 2, ..., perhaps after unnamed columns, whose number it returns, and perhaps
  // with a text as the label.
  std::optional<std::size_t> counted_after() const {
    Cells cells = cells_;
    if (label_ && !is_number(cells[*label_])) cells.erase(cells.begin() + static_cast<std::ptrdiff_t>(*label_));
    std::size_t begin = 0;
    while (begin < cells.size() && is_row_number_name(std::string(cells[begin]))) ++begin;
    return counts_from(cells, begin, 0) || counts_from(cells, begin, 1) ? std::optional(begin) : std::nullopt;
  }

  // Two or three integers may count by chance.
  HeaderVerdict contradictory_count() const {
    const bool are_above_fractions = fractions_below_ > 0 && fractions_below_ + 1 >= numbers_above_.size();
    return cells_.size() > 3 || are_above_fractions ? HeaderVerdict::contradictory : HeaderVerdict::row;
  }

  bool looks_like_years() const {
    const auto is_whole = [](double value) { return std::floor(value) == value; };
    return numbers_above_.size() > 3 && are_ordered(numbers_above_) && 2 * fractions_below_ > numbers_above_.size() &&
           std::all_of(numbers_above_.begin(), numbers_above_.end(), is_whole);
  }

  const Cells& cells_;
  const std::vector<ColumnEvidence>& columns_;
  std::optional<std::size_t> label_;
  const EmptyCells& empty_;
  bool is_unnamed_;
  std::vector<double> numbers_above_;  // cells above columns of numbers that are numbers
  std::size_t texts_above_ = 0;        // cells above columns of numbers that are texts
  bool broken_numbers_ = false;        // of these texts, whether one resembles a number
  std::size_t fractions_below_ = 0;    // of numbers_above_: those whose column has mostly fractions
  std::size_t numeric_ = 0;            // columns of numbers
  std::size_t texts_ = 0;              // columns of texts, apart from identifiers
  std::size_t texts_again_ = 0;        // of these: those in which the cell of the line occurs
};

}  // namespace

HeaderVerdict header_verdict(const std::vector<std::string_view>& cells, const std::vector<ColumnEvidence>& columns,
                             std::optional<std::size_t> label, const EmptyCells& empty, bool is_unnamed) {
  return FirstLine(cells, columns, label, empty, is_unnamed).verdict();
}

bool is_number(std::string_view cell) {
  CommonForm form;
  return form.add(cell);
}

bool is_row_number_name(const std::string& name) {
  constexpr std::string_view start = "Unnamed: ";
  if (name.empty()) return true;
  return name.compare(0, start.size(), start) == 0 && name.size() > start.size() &&
         name.find_first_not_of("0123456789.", start.size()) == std::string::npos;
}

}  // namespace sheaf
