// SPDX-License-Identifier: MIT
#include "runs/journal/journal_line.hpp"

#include <charconv>
#include <limits>
#include <system_error>
#include <utility>

#include "runs/journal/field_values.hpp"

namespace sheaf {
namespace {

bool is_digit(char c) {
  return c >= '0' && c <= '9';
}

bool is_name_character(char c) {
  return is_digit(c) || (c >= 'a' && c <= 'z') || c == '_';
}

// Reads tokens from the front of a text. Each function skips its token and returns true, or returns false if the text
// does not begin with it.
class Scanner {
 public:
  explicit Scanner(std::string_view text) : rest_(text) {}

  bool at_end() const { return rest_.empty(); }

  bool skip(std::string_view expected) {
    if (rest_.substr(0, expected.size()) != expected) return false;
    rest_.remove_prefix(expected.size());
    return true;
  }

  // A name of lower-case letters, digits and underscores in quotation marks.
  bool name(std::string_view& value) {
    if (!skip("\"")) return false;
    std::size_t size = 0;
    while (is_name_character(at(size))) ++size;
    if (size == 0) return false;
    value = rest_.substr(0, size);
    rest_.remove_prefix(size);
    return skip("\"");
  }

  template <class Integer>
  bool integer(Integer& value) {
    const std::size_t size = integer_size();
    return size > 0 && convert(size, value);
  }

  // An integer, a decimal number, or a string for NaN or infinity.
  bool number(double& value) {
    constexpr double infinity = std::numeric_limits<double>::infinity();
    if (skip(R"("nan")"))
      value = std::numeric_limits<double>::quiet_NaN();
    else if (skip(R"("inf")"))
      value = infinity;
    else if (skip(R"("-inf")"))
      value = -infinity;
    else {
      std::size_t size = integer_size();
      if (size == 0) return false;
      // The JSON parser reads "-0" as the integer 0 without its sign.
      if (rest_.substr(0, size) == "-0" && at(size) != '.' && at(size) != 'e') return false;
      if (at(size) == '.') {
        const std::size_t digits = digits_from(size + 1);
        if (digits == 0) return false;
        size += 1 + digits;
      }
      if (at(size) == 'e') {
        const std::size_t sign = at(size + 1) == '+' || at(size + 1) == '-' ? 1 : 0;
        const std::size_t digits = digits_from(size + 1 + sign);
        if (digits == 0) return false;
        size += 1 + sign + digits;
      }
      return convert(size, value);
    }
    return true;
  }

 private:
  char at(std::size_t index) const { return index < rest_.size() ? rest_[index] : '\0'; }

  std::size_t digits_from(std::size_t index) const {
    std::size_t count = 0;
    while (is_digit(at(index + count))) ++count;
    return count;
  }

  // The length of a JSON integer, which has no leading zeros; 0 if there is none.
  std::size_t integer_size() const {
    const std::size_t sign = at(0) == '-' ? 1 : 0;
    const std::size_t digits = digits_from(sign);
    if (digits == 0 || (digits > 1 && at(sign) == '0')) return 0;
    return sign + digits;
  }

  // Returns false if the number is out of range.
  template <class Number>
  bool convert(std::size_t size, Number& value) {
    const char* const end = rest_.data() + size;
    const auto [stop, error] = std::from_chars(rest_.data(), end, value);
    if (error != std::errc{} || stop != end) return false;
    rest_.remove_prefix(size);
    return true;
  }

  std::string_view rest_;
};

bool scan(Scanner& scan, std::int64_t& value) {
  return scan.integer(value);
}

bool scan(Scanner& scan, std::int32_t& value) {
  return scan.integer(value);
}

bool scan(Scanner& scan, double& value) {
  return scan.number(value);
}

bool scan(Scanner& scan, EngineName& value) {
  std::string_view name;
  if (!scan.name(name) || name.size() > EngineName::max_bytes) return false;
  value = name;
  return true;
}

bool scan(Scanner& scan, IterationStatus& value) {
  std::string_view name;
  if (!scan.name(name)) return false;
  for (const IterationStatus status : known_statuses)
    if (name == status_name(status)) {
      value = status;
      return true;
    }
  return false;
}

bool scan_fields(Scanner& scanner, IterationResult& result) {
  return scanner.skip(journal_line_beginning) && scanner.integer(result.iteration) &&
         all_stored(result_fields,
                    [&](const auto& field) { return !scanner.skip(field.key()) || scan(scanner, field.in(result)); }) &&
         result.status != IterationStatus::missing;
}

bool scan_metrics(Scanner& scanner, std::vector<double>& metrics) {
  do {
    if (!scanner.number(metrics.emplace_back())) return false;
  } while (scanner.skip(","));
  return scanner.skip("]");
}

bool scan_reductions(Scanner& scanner, std::vector<std::int64_t>& epochs) {
  do {
    if (!scanner.integer(epochs.emplace_back())) return false;
  } while (scanner.skip(","));
  return scanner.skip("]");
}

bool scan_curve(Scanner& scanner, TrainedIteration& iteration) {
  do {
    EpochResult epoch;
    epoch.iteration = iteration.result.iteration;
    bool first = true;
    const auto scan_value = [&](const auto& field) {
      return scanner.skip(std::exchange(first, false) ? "[" : ",") && scan(scanner, field.in(epoch));
    };
    if (!all_stored(epoch_fields, scan_value)) return false;
    iteration.epochs.push_back(epoch);
    for (std::size_t number = 0; number < iteration.metrics.size(); ++number)
      if (!scanner.skip(",") || !scanner.number(iteration.epoch_metrics.emplace_back())) return false;
    if (!scanner.skip("]")) return false;
  } while (scanner.skip(","));
  return scanner.skip("]");
}

bool scan_location(Scanner& scanner, PredictionsLocation& location) {
  return scanner.integer(location.offset) && scanner.skip(",") && scanner.integer(location.bytes) &&
         scanner.skip(",") && scanner.integer(location.checksum) && scanner.skip("]");
}

}  // namespace

std::optional<JournalLine> scan_journal_line(std::string_view text) {
  Scanner scanner(text);
  JournalLine line;
  TrainedIteration& iteration = line.iteration;
  if (!scan_fields(scanner, iteration.result)) return std::nullopt;
  if (scanner.skip(metrics_key) && !scan_metrics(scanner, iteration.metrics)) return std::nullopt;
  if (scanner.skip(reductions_key) && !scan_reductions(scanner, iteration.rate_reductions)) return std::nullopt;
  if (scanner.skip(curve_key) && !scan_curve(scanner, iteration)) return std::nullopt;
  if (scanner.skip(predictions_key) && !scan_location(scanner, line.predictions)) return std::nullopt;
  if (!scanner.at_end()) return std::nullopt;
  return line;
}

}  // namespace sheaf
