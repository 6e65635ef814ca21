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
  const bool whole = sampling == Sampling::integer || sampling == Sampling::log_integer;
  if (!(low < high)) return "its first number must be smaller than its second";
  if (sampling == Sampling::log_uniform && low <= 0) return "a logarithmic scale needs numbers above 0";
  if (sampling == Sampling::log_integer && low < 1) return "a logarithmic scale of integers begins at 1 or above";
  if (whole && (low != std::floor(low) || high != std::floor(high))) return "its ends must be integers";
  if (whole && high - low >= most_integers) return "it has more than 2^32 integers";
  if (!whole && kind != ValueKind::number) return "the key takes integers; use integer or log_integer";
  return "";
}

SearchedKey read_range(const std::string& key, const RangeText& range, const std::string& text,
                       std::vector<std::string>& problems) {
  const auto refuse = [&](const std::string& why) {
    problems.push_back(
        fmt::format("search.{} = {} is not a range of this key ({}). Write e.g. uniform(0, 0.5), "
                    "log_uniform(1e-4, 1e-1), integer(1, 8) or log_integer(16, 256), or a list of "
                    "values.",
                    key, quoted(text), why));
    return SearchedKey{key, {}};
  };
  const auto sampling = sampling_named(range.name);
  if (!sampling) return refuse(fmt::format("{} is not a kind of range", quoted(range.name)));
  if (range.ends.size() != 2) return refuse("it needs two numbers");
  const auto low = finite_number(range.ends[0]), high = finite_number(range.ends[1]);
  const ValueKind kind = value_kind(key);
  if (!low || !high || kind == ValueKind::flag) return refuse("its ends must be numbers that the key accepts");
  if (const std::string why = range_problem(*sampling, kind, *low, *high); !why.empty()) return refuse(why);
  SearchedKey searched{key, {}, *sampling};
  Study scratch;
  try {
    for (const auto& end : range.ends) {
      apply_setting(scratch, key, end);
      searched.candidates.push_back(setting_text(scratch, key));
      if (!finite_number(searched.candidates.back())) return refuse("its ends must be numbers that the key accepts");
    }
  } catch (const UsageError& error) {
    problems.push_back(std::string("search.") + error.what());
    return {key, {}};
  }
  return searched;
}

}  // namespace

SearchedKey read_searched_key(const std::string& key, const std::string& text, const PathOrigin& origin,
                              std::vector<std::string>& problems) {
  if (const auto range = split_range(text)) return read_range(key, *range, text, problems);
  SearchedKey searched{key, {}};
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

void set_searched_key(SearchOptions& search, SearchedKey searched) {
  for (auto& known : search.keys) {
    if (known.key != searched.key) continue;
    known = std::move(searched);
    return;
  }
  search.keys.push_back(std::move(searched));
}

}  // namespace sheaf
