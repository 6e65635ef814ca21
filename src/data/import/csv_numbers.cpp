// SPDX-License-Identifier: MIT
#include "data/import/csv_numbers.hpp"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <cstdlib>
#include <iterator>

#include "core/text.hpp"

namespace sheaf {
namespace {

// The number forms, apart from percent signs and currencies. Ungrouped forms come first.
struct Separators {
  char decimal;
  char grouping;
};
constexpr Separators all_separators[] = {{'.', 0}, {',', 0}, {'.', ','}, {',', '.'}, {'.', ' '}, {',', ' '}};

constexpr std::string_view currencies[] = {"US$", "$",   "\xe2\x82\xac", "\xc2\xa3", "\xc2\xa5", "\xe2\x82\xb9",
                                           "EUR", "USD", "GBP",          "CHF",      "JPY"};

bool is_digit(char c) {
  return c >= '0' && c <= '9';
}

bool are_digits(std::string_view text) {
  return std::all_of(text.begin(), text.end(), is_digit);
}

bool has_digit(std::string_view text) {
  return std::any_of(text.begin(), text.end(), is_digit);
}

void trim(std::string_view& text) {
  while (!text.empty() && text.front() == ' ') text.remove_prefix(1);
  while (!text.empty() && text.back() == ' ') text.remove_suffix(1);
}

void replace_all(std::string& text, std::string_view from, std::string_view to) {
  for (std::size_t at = text.find(from); at != std::string::npos; at = text.find(from, at + to.size()))
    text.replace(at, from.size(), to);
}

// A cell without currency and percent sign.
struct Undecorated {
  std::string number;
  bool percent = false;
  bool parentheses = false;
  std::string_view currency;
};

// Nothing if no text with a digit remains.
std::optional<Undecorated> undecorated(std::string_view cell) {
  if (!has_digit(cell) || cell.size() > 64) return std::nullopt;
  std::string text = as_utf8(cell);
  replace_all(text, "\xc2\xa0", " ");      // no-break space
  replace_all(text, "\xe2\x80\xaf", " ");  // narrow no-break space
  replace_all(text, "\xe2\x88\x92", "-");  // minus
  Undecorated result;
  std::string_view rest = text;
  std::string_view sign;
  const auto take_sign = [&] {
    if (!sign.empty() || rest.empty() || (rest.front() != '-' && rest.front() != '+')) return;
    sign = rest.substr(0, 1);
    rest.remove_prefix(1);
    trim(rest);
  };
  trim(rest);
  if (rest.size() > 2 && rest.front() == '(' && rest.back() == ')') {
    result.parentheses = true;
    rest = rest.substr(1, rest.size() - 2);
    sign = "-";
    trim(rest);
  }
  take_sign();
  for (const auto currency : currencies) {
    if (rest.size() <= currency.size()) continue;
    if (rest.substr(0, currency.size()) == currency)
      rest.remove_prefix(currency.size());
    else if (rest.substr(rest.size() - currency.size()) == currency)
      rest.remove_suffix(currency.size());
    else
      continue;
    result.currency = currency;
    trim(rest);
    break;
  }
  take_sign();
  if (!rest.empty() && rest.back() == '%') {
    result.percent = true;
    rest.remove_suffix(1);
    trim(rest);
  }
  result.number = std::string(sign) + std::string(rest);
  return result;
}

// Removes the separators of groups. Returns whether all groups but the first have three digits. A number with groups
// does not begin with 0.
bool take_groups(std::string& text, const Separators& separators) {
  const std::size_t begin = !text.empty() && (text.front() == '-' || text.front() == '+') ? 1 : 0;
  const std::size_t end = std::min(text.find(separators.decimal), text.size());
  std::string digits;
  std::size_t group = 0;
  bool is_first = true;
  for (std::size_t at = begin; at < end; ++at) {
    const bool separates =
        separators.grouping == ' ' ? text[at] == ' ' || text[at] == '\'' : text[at] == separators.grouping;
    if (is_digit(text[at])) {
      digits.push_back(text[at]);
      ++group;
    } else if (separates && (is_first ? group >= 1 && group <= 3 : group == 3)) {
      is_first = false;
      group = 0;
    } else {
      return false;
    }
  }
  if (is_first ? group < 1 || group > 3 : group != 3) return false;
  if (!is_first && digits.front() == '0') return false;
  text.replace(begin, end - begin, digits);
  return true;
}

// The forms, as bits, that a number with a decimal point and without decoration may have.
unsigned forms_of_plain(std::string_view text) {
  constexpr unsigned point = 1, comma = 2, point_and_groups = 4 | 16, groups_of_points = 8, all = 63;
  if (text.front() == '-' || text.front() == '+') text.remove_prefix(1);
  const std::size_t whole = std::min(text.find('.'), text.size());
  if (text.find_first_of("eE") != std::string_view::npos) return whole == text.size() ? point | comma : point;
  const bool is_short = whole >= 1 && whole <= 3;
  if (whole == text.size()) return is_short ? all : point | comma;
  return point | (is_short ? point_and_groups : 0) |
         (is_short && text.front() != '0' && text.size() - whole == 4 ? groups_of_points : 0);
}

std::optional<double> parse_separated(std::string text, const Separators& separators) {
  if (separators.grouping != 0 && !take_groups(text, separators)) return std::nullopt;
  if (separators.decimal == ',') {
    if (text.find('.') != std::string::npos) return std::nullopt;
    const std::size_t comma = text.find(',');
    if (comma != std::string::npos) text[comma] = '.';
  }
  return parse_number<double>(text);
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

void EmptyCells::add(std::vector<std::string> more) {
  more_ = std::move(more);
  numbers_.clear();
  for (const auto& text : more_)
    if (const auto number = parse_number<double>(text)) numbers_.push_back(*number);
}

void EmptyCells::complete(const CellReading& known) {
  if (more_.empty()) add(known.na_values);
  if (!usual_) usual_ = known.keep_default_na;
}

bool EmptyCells::is_empty(std::string_view text) const {
  constexpr std::string_view words[] = {"na",    "n/a",    "nan",     "null",    "none",  "?",
                                        "#n/a",  "<na>",   "#div/0!", "#value!", "#ref!", "#name?",
                                        "#num!", "#null!", "nil",     "\\n",     "n.a.",  "#n/a n/a"};
  if (text.empty()) return true;
  if (std::find(more_.begin(), more_.end(), text) != more_.end()) return true;
  if (!uses_default() || text.size() > 8) return false;
  return std::find(std::begin(words), std::end(words), lower_case(std::string(text))) != std::end(words);
}

bool EmptyCells::is_empty_number(std::string_view text) const {
  constexpr std::string_view words[] = {
      ".",       "..",   "-",  "--",           "---",          "*",      "unknown", "missing", "unk", "not available",
      "no data", "n.d.", "nd", "\xe2\x80\x93", "\xe2\x80\x94", "(null)", "(blank)"};
  if (is_empty(text)) return true;
  if (!uses_default() || text.size() > 13) return false;
  return std::find(std::begin(words), std::end(words), lower_case(std::string(text))) != std::end(words);
}

bool operator==(const NumberForm& a, const NumberForm& b) {
  return a.decimal == b.decimal && a.grouping == b.grouping && a.percent == b.percent && a.currency == b.currency &&
         a.parentheses == b.parentheses;
}

std::optional<double> parse_decorated(std::string_view text, const NumberForm& form) {
  if (!form.is_decorated()) return parse_separated(std::string(text), {form.decimal, 0});
  const auto cell = undecorated(text);
  if (!cell || (cell->parentheses && !form.parentheses)) return std::nullopt;
  if (cell->percent != form.percent || cell->currency != form.currency) return std::nullopt;
  return parse_separated(cell->number, {form.decimal, form.grouping});
}

bool CommonForm::add(std::string_view text) {
  if (const auto plain = parse_number<double>(text)) {
    if (!std::isfinite(*plain)) return false;
    count(forms_of_plain(text), text);
    return true;
  }
  const auto cell = undecorated(text);
  if (!cell) return false;
  unsigned forms = 0;
  for (unsigned bit = 0; bit < std::size(all_separators); ++bit) {
    const auto value = parse_separated(cell->number, all_separators[bit]);
    if (value && std::isfinite(*value)) forms |= 1U << bit;
  }
  if (forms == 0) return false;
  count(forms, text);
  parentheses_ += cell->parentheses;
  percents_ += cell->percent;
  if (!cell->currency.empty()) {
    one_currency_ = one_currency_ && (currencies_ == 0 || currency_ == cell->currency);
    currency_ = cell->currency;
    ++currencies_;
  }
  return true;
}

void CommonForm::count(unsigned forms, std::string_view text) {
  ++count_;
  forms_ &= forms;
  for (std::size_t bit = 0; bit < form_count; ++bit) counts_[bit] += (forms >> bit) & 1U;
  has_point_ = has_point_ || text.find('.') != std::string_view::npos;
  has_comma_ = has_comma_ || text.find(',') != std::string_view::npos;
}

std::optional<char> CommonForm::decimal() const {
  unsigned points = 0, commas = 0;
  for (unsigned bit = 0; bit < std::size(all_separators); ++bit)
    (all_separators[bit].decimal == '.' ? points : commas) |= forms_ & 1U << bit;
  if (count_ == 0 || (points == 0) == (commas == 0)) return std::nullopt;
  return points != 0 ? '.' : ',';
}

bool CommonForm::is_ambiguous(char mark) const {
  return forms_ != 0 && !decimal() && (mark == ',' ? has_comma_ : has_point_);
}

std::optional<NumberForm> CommonForm::form(char decimal) const {
  const auto all_or_none = [this](std::int64_t part) { return part == 0 || part == count_; };
  if (!all_or_none(percents_) || !all_or_none(currencies_) || !one_currency_) return std::nullopt;
  for (unsigned bit = 0; bit < form_count; ++bit)
    if ((forms_ & 1U << bit) != 0 && all_separators[bit].decimal == decimal)
      return NumberForm{decimal, all_separators[bit].grouping, percents_ > 0, currency_, parentheses_ > 0};
  return std::nullopt;
}

NumberForm CommonForm::likely_form(std::optional<char> decimal) const {
  std::size_t likely = decimal == ',' ? 1 : 0;
  for (std::size_t bit = 0; bit < form_count; ++bit)
    if (counts_[bit] > counts_[likely] && all_separators[bit].decimal == decimal.value_or(all_separators[bit].decimal))
      likely = bit;
  return {all_separators[likely].decimal, all_separators[likely].grouping, 2 * percents_ > count_,
          2 * currencies_ > count_ ? currency_ : "", parentheses_ > 0};
}

bool resembles_number(std::string_view text) {
  while (!text.empty() && (text.front() == '<' || text.front() == '>' || text.front() == '=' || text.front() == '~' ||
                           text.front() == ' ' || text.front() == '-' || text.front() == '('))
    text.remove_prefix(1);
  std::size_t digits = 0;
  while (digits < text.size() && (is_digit(text[digits]) || text[digits] == '.' || text[digits] == ',')) ++digits;
  return digits > 0 && has_digit(text.substr(0, digits)) && text.size() <= digits + 8;
}

bool is_date(std::string_view text) {
  if (text.size() < 4 || text.size() > 35 || !is_digit(text.front())) return false;
  // The shape: digits become 0, one for each run; letters become a.
  std::string shape;
  std::vector<std::size_t> runs;
  for (const char c : text) {
    const bool is_letter = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
    const char kind = is_digit(c) ? '0' : is_letter ? 'a' : c;
    if (kind == '0' && !shape.empty() && shape.back() == '0') {
      ++runs.back();
    } else if (kind != 'a' || shape.empty() || shape.back() != 'a') {
      if (kind == '0') runs.push_back(1);
      shape.push_back(kind);
    }
  }
  constexpr std::string_view days[] = {"0-0-0", "0/0/0", "0.0.0", "0-a-0", "0 a 0", "0. a 0", "0/a/0"};
  for (const auto day : days) {
    if (shape.compare(0, day.size(), day) != 0) continue;
    const std::size_t first = runs.front(), last = runs[day.find('a') == std::string_view::npos ? 2 : 1];
    const bool fits = first == 4 ? last <= 2 : first <= 2 && (last == 4 || last == 2);
    const std::string_view rest = std::string_view(shape).substr(day.size());
    return fits && (rest.empty() || ((rest[0] == ' ' || rest[0] == 'a') && rest.find("0:0") != std::string_view::npos));
  }
  const bool is_time =
      shape == "0:0" || shape == "0:0:0" || shape == "0:0:0.0" || shape == "0:0 a" || shape == "0:0:0 a";
  return is_time && runs[0] <= 2 && runs[1] == 2;
}

bool has_leading_zeros(std::string_view text) {
  if (!text.empty() && text.front() == '-') text.remove_prefix(1);
  return text.size() > 1 && text.front() == '0' && are_digits(text);
}

std::optional<double> number_of_code(std::string_view text) {
  constexpr double exact = 0x1p53;
  const auto number = parse_number<double>(text);
  if (!number || !(std::abs(*number) < exact) || has_leading_zeros(text)) return std::nullopt;
  return number;
}

}  // namespace sheaf
