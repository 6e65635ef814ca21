// "--key=value" words of the commands that have keys of their own. Pure.
// SPDX-License-Identifier: MIT
#pragma once

#include <fmt/format.h>

#include <string>
#include <vector>

#include "core/error.hpp"
#include "options/quoted.hpp"
#include "options/setting_forms.hpp"

namespace sheaf {

struct OptionWord {
  std::string name, text;
};

/// Splits a word that begins with "--". Throws UsageError when its name is none of `names`, or when it has no value.
OptionWord parse_option_word(const std::string& command, const std::string& word,
                             const std::vector<std::string>& names);

/// The value of `key`. Throws UsageError that says what may be written.
template <class Value>
Value option_value(const Form<Value>& form, const std::string& key, const std::string& text) {
  const auto value = form.read(text);
  if (!value)
    throw UsageError(
        fmt::format("--{} = {} is not possible (allowed: {}). Correct it.", key, quoted(text), form.allowed));
  return *value;
}

/// Whether the name is one of an HDF5 file.
bool has_hdf5_ending(const std::string& path);

}  // namespace sheaf
