// Splits the arguments of a command into names, options and flags. The same for all commands. Pure.
// SPDX-License-Identifier: MIT
#pragma once

#include <fmt/format.h>

#include <optional>
#include <string>
#include <vector>

#include "core/error.hpp"
#include "core/quoted.hpp"
#include "study/parse_study.hpp"
#include "study/value_types.hpp"

namespace sheaf {

/// The options that a command accepts, without their dashes.
struct LineOptions {
  std::vector<std::string> keys;        ///< keys of a study
  std::vector<std::string> options;     ///< options of the command itself, which have a value
  std::vector<std::string> flags;       ///< options without a value
  std::vector<std::string> switches{};  ///< of `options`: those that are true or false; the name alone means true
};

/// The arguments of a command, in order.
struct Arguments {
  std::vector<std::string> positional;
  std::vector<Assignment> assignments;  ///< keys and options with their values
  std::vector<std::string> flags;
  std::vector<std::string> problems;  ///< one sentence each: unknown or repeated options, a missing value, ...

  bool has_flag(const std::string& flag) const;
};

/// Splits the arguments of `command`. A value follows "=" or is the next argument: "--key=value", "--key value". The
/// next argument is not a value if it begins with "-", unless it is a number. That of a switch is true or false. All
/// arguments after "--" are positional. Unknown options may have values.
Arguments split_arguments(const std::string& command, const LineOptions& known,
                          const std::vector<std::string>& arguments);

/// Same, but throws one UsageError with all problems, one per line.
Arguments parse_arguments(const std::string& command, const LineOptions& known,
                          const std::vector<std::string>& arguments);

/// The only positional argument of `command`. `what`: its meaning, and `usage`: a sentence, for messages. An unknown
/// option may have taken the name as its value, or left its value as the name: the problems of `arguments` are thrown
/// first if the name is missing or no such file exists. Throws UsageError. Local.
std::string only_name(const Arguments& arguments, const std::string& command, const std::string& what,
                      const std::string& usage);

/// An argument that asks for help: "--help", "-h" or "--help=TOPIC".
struct HelpArgument {
  std::optional<std::string> topic;
};

/// Reads such an argument. Returns nothing for other arguments.
std::optional<HelpArgument> read_help_argument(const std::string& argument);

/// Whether an argument is the name of an option, and therefore not a value: it begins with "-" and is not a number.
bool is_option(const std::string& argument);

/// The value of option `name`. Throws UsageError with the allowed values if `text` is not valid.
template <class Value>
Value option_value(const ValueType<Value>& type, const std::string& name, const std::string& text) {
  const auto value = type.read(text);
  if (!value) {
    const std::string advice = type.advice ? type.advice(text) : "";
    throw UsageError(fmt::format("--{} = {} is not valid (allowed: {}).{}", name, quoted(text), type.allowed,
                                 advice.empty() ? " Correct it." : advice));
  }
  return *value;
}

}  // namespace sheaf
