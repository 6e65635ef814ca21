// SPDX-License-Identifier: MIT
#include "data/import/csv_start.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <map>
#include <string_view>
#include <unordered_set>

#include "core/error.hpp"
#include "core/text.hpp"
#include "data/import/csv_first_line.hpp"

namespace sheaf {
namespace {

using Cells = std::vector<std::string_view>;
using ColumnList = std::vector<ColumnEvidence>;
using Records = std::vector<CsvSample::Record>;

constexpr std::size_t max_lines_above = 100;

// The number of comments at the beginning. If all lines begin with #, or if it begins an error value (#N/A), it belongs
// to the cell.
std::size_t count_comments(const Records& records, const EmptyCells& empty) {
  const auto is_row = [&](const CsvSample::Record& record) {
    return record.text.front() != '#' || (!record.cells.empty() && empty.is_empty(record.cells.front()));
  };
  const auto row = std::find_if(records.begin(), records.end(), is_row);
  return row == records.end() ? 0 : static_cast<std::size_t>(row - records.begin());
}

std::size_t empty_cells_at_end(const Cells& cells) {
  return static_cast<std::size_t>(
      std::find_if(cells.rbegin(), cells.rend(), [](std::string_view cell) { return !cell.empty(); }) - cells.rbegin());
}

// Whether a line is a border between the rows of a printed table: "+----+----+", "----+----", "|---|---|", or one of
// box-drawing characters. Lines of dashes between delimiters may be empty cells.
bool is_border(std::string_view line) {
  if (line.find("\xe2\x94\x80\xe2\x94\x80") != line.npos) return true;
  const bool has_corners = line.find('+') != line.npos || (line.front() == '|' && line.back() == '|');
  return has_corners && line.find("--") != line.npos && line.find_first_not_of("+-|=: \t") == line.npos;
}

bool has_number(const Cells& cells) {
  return std::any_of(cells.begin(), cells.end(), is_number);
}

// The number of cells that most records have, apart from the first one after the comments, which may be a header.
std::size_t usual_size(const Records& records, std::size_t comments) {
  const Cells& first = records[comments].cells;
  if (comments + 1 == records.size()) return first.size();
  std::map<std::size_t, std::size_t> times;
  for (std::size_t index = comments + 1; index < records.size(); ++index) ++times[records[index].cells.size()];
  std::size_t usual = 0, most = 0;
  for (std::size_t index = comments + 1; index < records.size(); ++index) {
    const std::size_t size = records[index].cells.size();
    const auto found = times.find(size);
    if (found != times.end() && found->second > most) {
      most = found->second;
      usual = size;
    }
  }
  const bool may_be_short = usual == first.size() + 1 && !has_number(first);
  return most == 1 && !may_be_short ? first.size() : usual;
}

// How many cells at the end of nearly all records are empty; `size`: their usual number of cells.
std::size_t common_empty_ends(const Records& records, std::size_t size) {
  std::vector<std::size_t> ends;
  for (std::size_t index = 1; index < records.size(); ++index)
    if (records[index].cells.size() == size) ends.push_back(empty_cells_at_end(records[index].cells));
  if (ends.empty()) return 0;
  std::sort(ends.begin(), ends.end());
  const std::size_t common = ends[ends.size() / 10];
  return common == size ? 0 : common;
}

// Looks for the start of a table.
class StartFinder {
 public:
  StartFinder(const CsvSample& sample, const StartHints& hints, const EmptyCells& empty, const std::string& file)
      : records_(sample.records), sample_(sample), hints_(hints), empty_(empty), file_(file) {}

  CsvStart find() {
    refuse_borders();
    comments_ = count_comments(records_, empty_);
    const std::size_t usual = usual_size(records_, comments_);
    const std::size_t empty_ends = common_empty_ends(records_, usual);
    start_.columns = usual - empty_ends;
    pass_lines_above();
    require_cells(start_.first);
    if (hints_.header != false && is_wide_title(start_.first)) ++start_.first;
    const Cells& first = records_[start_.first].cells;
    choose_columns(first, usual, empty_ends);
    const bool is_short = first.size() + 1 == usual && empty_cells_at_end(first) == empty_ends;
    const bool lacks_name = is_short && start_.columns + empty_ends == usual && !has_number(first);
    if (lacks_name && hints_.header.value_or(true)) {
      take_header(first);
      start_.names.insert(start_.names.begin(), "");
      start_.names.resize(start_.columns);
    } else if (is_header()) {
      take_header(first);
    } else if (const auto comment = header_comment()) {
      start_.first = start_.first - 1;
      start_.header = true;
      start_.names = *comment;
    }
    start_.units = start_.header && has_units(start_.first + 1);
    return start_;
  }

 private:
  void refuse_borders() const {
    constexpr std::size_t max_lines = 5;
    for (std::size_t index = 0; index < std::min(records_.size(), max_lines); ++index)
      require(!is_border(records_[index].text), [&] {
        return fmt::format(
            "Line {} of '{}' is a border, as programs print tables on a screen. Export the table as CSV, for example "
            "with psql --csv or mysql --batch.",
            records_[index].line, file_);
      });
  }

  // Whether only a header can have a text above a column of numbers in this record.
  bool is_clearly_header(std::size_t index) const {
    if (index + 1 >= records_.size() || records_[index].cells.size() != start_.columns) return false;
    const ColumnList columns = collect_evidence(sample_, index + 1, start_.columns, std::nullopt, empty_);
    const Cells& cells = records_[index].cells;
    bool has_text = false;
    for (std::size_t column = 0; column < columns.size(); ++column)
      if (columns[column].is_numeric()) {
        if (is_number(cells[column])) return false;
        has_text = has_text || !empty_.is_empty_number(cells[column]);
      }
    return has_text;
  }

  // Whether the first record that is as wide as the table is clearly a header, so that shorter ones above it are no
  // rows.
  bool has_clear_header() const {
    const auto is_wide = [this](const CsvSample::Record& record) { return record.cells.size() >= start_.columns; };
    const auto wide = std::find_if(records_.begin() + static_cast<std::ptrdiff_t>(comments_), records_.end(), is_wide);
    return wide != records_.end() && is_clearly_header(static_cast<std::size_t>(wide - records_.begin()));
  }

  void pass_lines_above() {
    const std::size_t last = std::min(records_.size() - 1, max_lines_above);
    std::optional<bool> is_header_clear;
    // Whether a line with numbers describes the file, such as "height,120".
    const auto is_description = [&](const Cells& cells) {
      if (cells.empty() || cells.front().empty() || is_number(cells.front())) return false;
      if (!is_header_clear) is_header_clear = has_clear_header();
      return *is_header_clear;
    };
    std::size_t index = comments_;
    for (; index < last; ++index) {
      const Cells& cells = records_[index].cells;
      if (cells.size() >= start_.columns || (has_number(cells) && !is_description(cells))) break;
      const bool may_be_header =
          cells.size() + 1 == start_.columns && cells.size() > 1 && records_[index + 1].cells.size() >= start_.columns;
      if (may_be_header && !is_clearly_header(index + 1)) break;
    }
    start_.first = index;
  }

  // Whether a line as wide as the table is a title above the header, and not a header above units. Throws RunError if
  // that is not clear.
  bool is_wide_title(std::size_t index) const {
    if (index + 1 >= records_.size()) return false;
    const Cells& title = records_[index].cells;
    const Cells& next = records_[index + 1].cells;
    if (title.size() != next.size() || has_number(title) || has_number(next) || !is_clearly_header(index + 1))
      return false;
    const auto has_names = [](const Cells& cells, const std::vector<std::string>& names) {
      return std::any_of(names.begin(), names.end(), [&](const std::string& name) {
        return std::find(cells.begin(), cells.end(), name) != cells.end();
      });
    };
    for (const auto* names : {&hints_.columns, &hints_.features}) {
      if (has_names(title, *names)) return false;
      if (has_names(next, *names)) return true;
    }
    const auto count_if = [](const Cells& cells, const auto& is_counted) {
      return std::count_if(cells.begin(), cells.end(), is_counted);
    };
    const auto has_text = [](std::string_view cell) { return !cell.empty(); };
    const auto is_phrase = [](std::string_view cell) { return cell.find(' ') != std::string_view::npos; };
    const auto is_remark = [](std::string_view cell) { return cell.find(": ") != std::string_view::npos; };
    const auto is_sign = [](std::string_view cell) {
      return cell.find_first_of("/%[(^*") != std::string_view::npos ||
             std::any_of(cell.begin(), cell.end(), [](char c) { return static_cast<unsigned char>(c) >= 0x80; });
    };
    const bool looks_like_units = count_if(next, is_sign) > 0 || count_if(next, has_text) < count_if(title, has_text);
    if (count_if(title, has_text) < count_if(next, has_text) && empty_cells_at_end(title) > 0 &&
        count_if(title, has_text) == 1)
      return true;
    if (count_if(title, is_remark) > 0 && !looks_like_units) return true;
    const bool is_header =
        looks_like_units || 2 * count_if(title, is_phrase) < count_if(title, has_text) || count_if(next, is_phrase) > 0;
    require(is_header || hints_.header, [&] {
      return fmt::format(
          "Line {} of '{}' may be a title or the header (line {} may be the header or a row of units). Name a column "
          "of the header with --label, or pass --header=true if line {} is the header.",
          records_[index].line, file_, records_[index + 1].line, records_[index].line);
    });
    return false;
  }

  // `usual`: the number of cells of rows, of which `empty_ends` at the end are empty. The header may have none of
  // these, or the same, or names for them, and one more delimiter than the rows.
  void choose_columns(const Cells& first, std::size_t usual, std::size_t empty_ends) {
    const std::size_t named = first.size() - empty_cells_at_end(first);
    start_.columns = std::max(named, usual - empty_ends);
    start_.empty_ends = usual - std::min(usual, start_.columns);
  }

  void require_cells(std::size_t index) const {
    require(!records_[index].cells.empty(), [&] {
      return fmt::format(
          "Text follows a closing quote in line {} of '{}' (a quoted field ends there). Double the quotes inside a "
          "field.",
          records_[index].line, file_);
    });
  }

  // A comment directly above the rows may be the header: "# a,b,y", "#,b,y". Returns the names.
  std::optional<std::vector<std::string>> header_comment() const {
    if (start_.first == 0 || hints_.header == false || start_.first != comments_) return std::nullopt;
    std::string_view text = records_[start_.first - 1].text;
    text.remove_prefix(std::min(text.find_first_not_of("# \t"), text.size()));
    CsvFields fields;
    if (!fields.split(text, sample_.syntax.delimiter) || fields.size() != start_.columns || fields.size() < 2)
      return std::nullopt;
    std::vector<std::string> names;
    for (std::size_t field = 0; field < fields.size(); ++field) {
      if (is_number(fields[field])) return std::nullopt;
      names.push_back(as_utf8(fields[field]));
    }
    if (names.front().empty()) names.front() = "#";
    return names;
  }

  void take_header(const Cells& cells) {
    start_.header = true;
    for (std::size_t column = 0; column < std::min(cells.size(), start_.columns); ++column)
      start_.names.push_back(as_utf8(cells[column]));
  }

  std::optional<std::size_t> position_of(const std::string& column, const Cells& first) const {
    const auto named = std::find(first.begin(), first.end(), column);
    if (named != first.end()) return static_cast<std::size_t>(named - first.begin());
    std::int64_t number = 0;
    const char* end = column.data() + column.size();
    if (std::from_chars(column.data(), end, number).ptr != end) return std::nullopt;
    if (number < 0) number += static_cast<std::int64_t>(start_.columns);
    if (number < 0 || number >= static_cast<std::int64_t>(start_.columns)) return std::nullopt;
    return static_cast<std::size_t>(number);
  }

  std::optional<std::size_t> label_position(const Cells& first) const {
    if (hints_.label == "none") return std::nullopt;
    if (hints_.label) return position_of(hints_.label->substr(0, hints_.label->find(',')), first);
    for (std::size_t column = start_.columns; column-- > 0;) {
      const auto is_here = [&](const std::string& name) { return position_of(name, first) == column; };
      if (std::none_of(hints_.left_out.begin(), hints_.left_out.end(), is_here)) return column;
    }
    return std::nullopt;
  }

  bool is_header() const {
    if (hints_.header) return *hints_.header;
    const Cells& first = records_[start_.first].cells;
    const std::unordered_set<std::string_view> texts(first.begin(), first.end());  // there may be thousands
    const auto is_here = [&](const std::string& name) { return texts.count(name) > 0; };
    const auto is_name = [&](const std::string& name) { return !is_number(name) && is_here(name); };
    if (!hints_.features.empty() && std::all_of(hints_.features.begin(), hints_.features.end(), is_here)) return true;
    if (std::any_of(hints_.columns.begin(), hints_.columns.end(), is_name)) return true;
    if (start_.first + 1 == records_.size()) return !has_number(first);
    if (first.size() < start_.columns) return false;
    const auto label = label_position(first);
    const ColumnList columns = collect_evidence(sample_, start_.first + 1, start_.columns, label, empty_);
    const Cells cells(first.begin(), first.begin() + static_cast<std::ptrdiff_t>(start_.columns));
    const HeaderVerdict verdict = header_verdict(cells, columns, label, empty_, hints_.is_unnamed);
    require(verdict != HeaderVerdict::contradictory, [&] {
      return fmt::format(
          "Line {} of '{}' may be a header or a row (some of its cells are like those below, others are not). Pass "
          "--header=true or --header=false.",
          records_[start_.first].line, file_);
    });
    return verdict == HeaderVerdict::header;
  }

  // Whether a record has texts, no numbers, above columns of numbers, and no text that occurs again in other columns.
  bool has_units(std::size_t index) const {
    if (index + 2 >= records_.size() || records_[index].cells.size() < start_.columns) return false;
    const ColumnList columns = collect_evidence(sample_, index + 1, start_.columns, std::nullopt, empty_);
    bool has_unit = false;
    for (std::size_t column = 0; column < start_.columns; ++column) {
      const std::string_view cell = records_[index].cells[column];
      const bool means_empty = empty_.is_empty_number(cell);
      if (columns[column].is_numeric()) {
        if (is_number(cell) || (!means_empty && resembles_number(cell))) return false;
        has_unit = has_unit || !means_empty;
      } else if (columns[column].occurs(cell) && !means_empty) {
        return false;
      }
    }
    return has_unit;
  }

  const Records& records_;
  const CsvSample& sample_;
  const StartHints& hints_;
  const EmptyCells& empty_;
  const std::string& file_;
  std::size_t comments_ = 0;  // records at the beginning
  CsvStart start_;
};

}  // namespace

CsvStart find_start(const CsvSample& sample, const StartHints& hints, const EmptyCells& empty,
                    const std::string& file) {
  return StartFinder(sample, hints, empty, file).find();
}

}  // namespace sheaf
