// SPDX-License-Identifier: MIT
#include "study/searched_keys.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <optional>
#include <system_error>
#include <utility>

#include "core/error.hpp"
#include "core/quoted.hpp"
#include "study/searched_text.hpp"
#include "study/settings.hpp"
#include "study/settings_table.hpp"

namespace sheaf {
namespace {

std::optional<double> finite_number(const std::string& text) {
  double value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  const bool is_number = error == std::errc{} && end == text.data() + text.size() && std::isfinite(value);
  return is_number ? std::optional(value) : std::nullopt;
}

// The problem of a range with two numbers as its ends, for values of the kind `kind`; or nothing.
std::string range_problem(Sampling sampling, ValueKind kind, double low, double high) {
  constexpr double most_integers = 4294967296;  // RandomStream::below
  const bool whole = draws_integers(sampling);
  if (!(low < high)) return "its first number must be smaller than its second";
  if (sampling == Sampling::log_uniform && low <= 0) return "a logarithmic scale needs numbers above 0";
  if (sampling == Sampling::log_integer && low < 1) return "a logarithmic scale of integers begins at 1 or above";
  if (whole && (low != std::floor(low) || high != std::floor(high))) return "its ends must be integers";
  if (whole && high - low >= most_integers) return "it has more than 2^32 integers";
  if (!whole && kind != ValueKind::number) return "the key takes integers; use integer or log_integer";
  return "";
}

const Setting& setting_of(const std::string& key) {
  const auto& table = settings_table();
  return *std::find_if(table.begin(), table.end(), [&](const Setting& setting) { return setting.info.key == key; });
}

bool accepts(const Setting& setting, const std::string& text) {
  return setting.setter(text) != nullptr;
}

// Whether the key takes numbers, or lists of them, but not names, or true and false.
bool takes_numbers(const Setting& setting) {
  return setting.kind != ValueKind::flag && (setting.kind != ValueKind::text || accepts(setting, "1"));
}

// A range within the allowed numbers, if only its ends are not: "uniform(0, 0.99)" for uniform(0, 1) of a key below 1.
std::optional<std::string> inner_range(const Setting& setting, const RangeText& range, bool whole, double low,
                                       double high) {
  const double step = whole ? 1 : (high - low) / 100;
  std::vector<std::string> ends = range.ends;
  if (!accepts(setting, ends[0])) ends[0] = fmt::format("{:.{}g}", low + step, whole ? 15 : 2);
  if (!accepts(setting, ends[1])) ends[1] = fmt::format("{:.{}g}", high - step, whole ? 15 : 2);
  if (!accepts(setting, ends[0]) || !accepts(setting, ends[1])) return std::nullopt;
  return fmt::format("{}({}, {})", range.name, ends[0], ends[1]);
}

SearchedKey read_range(const std::string& key, const RangeText& range, const std::string& text,
                       std::vector<std::string>& problems) {
  const auto refuse = [&](const std::string& why, const std::string& advice =
                                                      "Write e.g. uniform(0, 0.5), log_uniform(1e-4, 1e-1), integer(1, "
                                                      "8) or log_integer(16, 256), or a list of values") {
    problems.push_back(
        fmt::format("search.{} = {} is not a range of this key ({}). {}.", key, quoted(text), why, advice));
    return SearchedKey{key, {}};
  };
  const Setting& setting = setting_of(key);
  const auto sampling = sampling_named(range.name);
  if (!sampling) return refuse(fmt::format("{} is not a kind of range", quoted(range.name)));
  if (!takes_numbers(setting))
    return refuse("it does not take numbers", fmt::format("Write a list of its values ({})", setting.allowed));
  if (range.ends.size() != 2) return refuse("it needs two numbers");
  const auto low = finite_number(range.ends[0]), high = finite_number(range.ends[1]);
  if (!low || !high) return refuse("its ends must be numbers that the key accepts");
  if (const std::string why = range_problem(*sampling, setting.kind, *low, *high); !why.empty()) return refuse(why);
  const bool whole = draws_integers(*sampling);
  for (const auto& end : range.ends)
    if (!accepts(setting, end)) {
      if (const auto inner = inner_range(setting, range, whole, *low, *high))
        return refuse(fmt::format("its end {} is not allowed: {}", end, setting.allowed),
                      fmt::format("Write e.g. {}", *inner));
      return refuse(fmt::format("{} cannot be {}; allowed: {}", key, end, setting.allowed));
    }
  SearchedKey searched{key, {}, *sampling};
  Study scratch;
  for (const auto& end : range.ends) {
    apply_setting(scratch, key, end);
    searched.candidates.push_back(setting_text(scratch, key));
    if (!finite_number(searched.candidates.back())) return refuse("its ends must be numbers that the key accepts");
  }
  return searched;
}

// The problem of a text that is no range but has one: "0.1, uniform(1, 2)" or "uniform(0, 1"; nothing: it is a list.
std::optional<std::string> misplaced_range(const std::string& key, const std::string& text) {
  const std::vector<std::string> parts = split_at_commas(text);
  const auto begin = std::find_if(parts.begin(), parts.end(), begins_range);
  if (begin == parts.end()) return std::nullopt;
  const std::string range =
      begin + 1 < parts.end() && begin->find(')') == std::string::npos ? *begin + ", " + begin[1] : *begin;
  if (text.find(')') == std::string::npos)
    return fmt::format("search.{} = {} has no closing parenthesis. Write e.g. {}).", key, quoted(text), range);
  return fmt::format(
      "search.{} = {} mixes a range and other values (a key has one range, or a list of values). Write "
      "e.g. {}, or list the values.",
      key, quoted(text), range);
}

}  // namespace

SearchedKey read_searched_key(const std::string& key, const std::string& text, const PathOrigin& origin,
                              std::vector<std::string>& problems) {
  if (const auto range = split_range(text)) return read_range(key, *range, text, problems);
  SearchedKey searched{key, {}};
  if (auto problem = misplaced_range(key, text)) {
    problems.push_back(std::move(*problem));
    return searched;
  }
  Study scratch;
  for (const auto& candidate : split_at_commas(text)) {
    if (candidate.empty()) {
      problems.push_back(
          fmt::format("search.{} = {} has an empty candidate. Write values separated by commas.", key, quoted(text)));
      return searched;
    }
    try {
      apply_setting(scratch, key, with_read_path(key, candidate, origin));
    } catch (const UsageError& error) {
      problems.push_back(std::string("search.") + error.what());
      continue;
    }
    const std::string canonical = setting_text(scratch, key);
    if (std::find(searched.candidates.begin(), searched.candidates.end(), canonical) != searched.candidates.end())
      problems.push_back(
          fmt::format("search.{} has the candidate {} more than once. Remove the duplicates.", key, quoted(canonical)));
    else
      searched.candidates.push_back(canonical);
  }
  return searched;
}

std::optional<std::string> searched_value(const SearchedKey& searched, const std::string& text) try {
  Study scratch;
  apply_setting(scratch, searched.key, text);
  const std::string value = setting_text(scratch, searched.key);
  const auto& candidates = searched.candidates;
  const bool is_range = searched.sampling != Sampling::list;
  const auto number = is_range ? finite_number(value) : std::nullopt;
  const bool is_inside =
      is_range ? number && *number >= *finite_number(candidates.front()) && *number <= *finite_number(candidates.back())
               : std::find(candidates.begin(), candidates.end(), value) != candidates.end();
  return is_inside ? std::optional(value) : std::nullopt;
} catch (const UsageError&) {
  return std::nullopt;
}

void set_searched_key(SearchOptions& search, SearchedKey searched) {
  for (auto& known : search.keys) {
    if (known.key != searched.key) continue;
    known = std::move(searched);
    return;
  }
  search.keys.push_back(std::move(searched));
}

}  // namespace sheaf
