// Parses the arguments of commands that have their own options, "--name=value". Pure.
// SPDX-License-Identifier: MIT
#pragma once

#include <fmt/format.h>

#include <string>
#include <utility>
#include <vector>

#include "core/error.hpp"
#include "core/quoted.hpp"
#include "study/value_types.hpp"

namespace sheaf {

/// The arguments of a command, in order.
struct Arguments {
  std::vector<std::string> positional;
  std::vector<std::pair<std::string, std::string>> options;  ///< name, value
};

/// Splits the arguments of `command`. Throws UsageError for an option that is not in `names`, has no value or is given
/// twice.
Arguments parse_arguments(const std::string& command, const std::vector<std::string>& arguments,
                          const std::vector<std::string>& names);

/// The value of option `name`. Throws UsageError with the allowed values if `text` is not valid.
template <class Value>
Value option_value(const ValueType<Value>& type, const std::string& name, const std::string& text) {
  const auto value = type.read(text);
  if (!value)
    throw UsageError(
        fmt::format("--{} = {} is not valid (allowed: {}). Correct it.", name, quoted(text), type.allowed));
  return *value;
}

/// Whether the name ends in .h5 or .hdf5.
bool has_hdf5_ending(const std::string& path);

}  // namespace sheaf
