// The text of searched keys: lists such as "16, 64 32" and ranges such as "log_uniform(1e-4, 1e-1)". Pure.
// SPDX-License-Identifier: MIT
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "study/search_options.hpp"

namespace sheaf {

/// The values of a searched key, as in a study file.
std::string searched_text(const SearchedKey& searched);

/// Splits a list. Commas in quotes do not split. A text with quotes that are not closed is one part.
std::vector<std::string> split_at_commas(const std::string& text);

struct RangeText {
  std::string name;
  std::vector<std::string> ends;
};

/// Splits a text of the form "name(a, b)"; nothing: it is a list.
std::optional<RangeText> split_range(const std::string& text);

/// The kind of range with this name, which is not case-sensitive.
std::optional<Sampling> sampling_named(const std::string& name);

/// Whether the text begins as a range of a known kind, such as "uniform(0". It may not end as one.
bool begins_range(const std::string& text);

}  // namespace sheaf
