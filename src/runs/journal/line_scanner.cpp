// SPDX-License-Identifier: MIT
#include "runs/journal/journal_line.hpp"

#include <charconv>
#include <limits>
#include <system_error>

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

  template <class Integer>
  bool integer(std::string_view key, Integer& value) {
    return skip(key) && integer(value);
  }

  bool number(std::string_view key, double& value) { return skip(key) && number(value); }

  // A name of lower-case letters, digits and underscores, and the quotation mark after it.
  bool name(std::string_view key, ShortText& value) {
    if (!skip(key)) return false;
    std::size_t size = 0;
    while (is_name_character(at(size))) ++size;
    if (size == 0 || size > ShortText::max_bytes) return false;
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

bool scan_status(Scanner& scan, IterationStatus& status) {
  if (scan.skip(R"(,"status":"finished")"))
    status = IterationStatus::finished;
  else if (scan.skip(R"(,"status":"diverged")"))
    status = IterationStatus::diverged;
  else if (scan.skip(R"(,"status":"failed")"))
    status = IterationStatus::failed;
  else
    return false;
  return true;
}

bool scan_members(Scanner& scan, IterationResult& result) {
  return scan.integer(R"({"iteration":)", result.iteration) && scan_status(scan, result.status) &&
         scan.integer(R"(,"rank":)", result.rank) && scan.integer(R"(,"lane":)", result.lane) &&
         scan.integer(R"(,"gpu":)", result.gpu) && scan.name(R"(,"engine":")", result.engine) &&
         scan.number(R"(,"final_loss":)", result.final_loss) &&
         scan.number(R"(,"validation_loss":)", result.validation_loss) &&
         scan.number(R"(,"validation_score":)", result.validation_score) &&
         scan.integer(R"(,"epochs":)", result.epochs) && scan.integer(R"(,"steps":)", result.steps) &&
         scan.number(R"(,"seconds":)", result.seconds) && scan.number(R"(,"start_seconds":)", result.start_seconds) &&
         scan.number(R"(,"wait_seconds":)", result.wait_seconds);
}

bool scan_curve(Scanner& scan, std::int64_t iteration, std::vector<EpochResult>& epochs) {
  do {
    EpochResult epoch;
    epoch.iteration = iteration;
    if (!scan.integer("[", epoch.epoch) || !scan.number(",", epoch.training_loss) ||
        !scan.number(",", epoch.validation_loss) || !scan.number(",", epoch.validation_score) || !scan.skip("]"))
      return false;
    epochs.push_back(epoch);
  } while (scan.skip(","));
  return scan.skip("]");
}

bool scan_location(Scanner& scan, PredictionsLocation& location) {
  return scan.integer(location.offset) && scan.integer(",", location.bytes) && scan.integer(",", location.checksum) &&
         scan.skip("]");
}

}  // namespace

std::optional<JournalLine> scan_journal_line(std::string_view text) {
  Scanner scan(text);
  JournalLine line;
  const IterationResult& result = line.iteration.result;
  if (!scan_members(scan, line.iteration.result)) return std::nullopt;
  if (scan.skip(R"(,"curve":[)") && !scan_curve(scan, result.iteration, line.iteration.epochs)) return std::nullopt;
  if (scan.skip(R"(,"predictions":[)") && !scan_location(scan, line.predictions)) return std::nullopt;
  if (!scan.at_end()) return std::nullopt;
  return line;
}

}  // namespace sheaf
