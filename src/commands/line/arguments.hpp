// The arguments of commands that have options of their own: "--name=value". Pure.
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

/// The arguments of a command in their order.
struct Arguments {
  std::vector<std::string> positional;
  std::vector<std::pair<std::string, std::string>> options;  ///< name, value
};

/// Splits `arguments` of `command`. Throws UsageError for an option that is none of `names`, has no value or is given
/// twice.
Arguments parse_arguments(const std::string& command, const std::vector<std::string>& arguments,
                          const std::vector<std::string>& names);

/// The value of option `name`. Throws UsageError with the values that are allowed.
template <class Value>
Value option_value(const ValueType<Value>& form, const std::string& name, const std::string& text) {
  const auto value = form.read(text);
  if (!value)
    throw UsageError(
        fmt::format("--{} = {} is not possible (allowed: {}). Correct it.", name, quoted(text), form.allowed));
  return *value;
}

/// Whether the name is one of an HDF5 file.
bool has_hdf5_ending(const std::string& path);

}  // namespace sheaf
