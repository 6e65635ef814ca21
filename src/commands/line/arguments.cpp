// SPDX-License-Identifier: MIT
#include "commands/line/arguments.hpp"

#include <fmt/ranges.h>

#include <algorithm>
#include <filesystem>

#include "core/text.hpp"

namespace sheaf {
namespace {

std::pair<std::string, std::string> parse_option(const std::string& command, const std::string& argument,
                                                 const std::vector<std::string>& names) {
  const std::size_t equals = argument.find('=');
  const std::string name = argument.substr(2, equals == argument.npos ? argument.npos : equals - 2);
  if (std::find(names.begin(), names.end(), name) == names.end())
    throw UsageError(fmt::format("unknown option {} (options: --{}).{} See sheaf {} --help.", quoted("--" + name),
                                 fmt::join(names, ", --"), did_you_mean(name, names), command));
  if (equals == argument.npos)
    throw UsageError(fmt::format("--{} has no value (options are --key=value). Write: --{}=...", name, name));
  return {name, argument.substr(equals + 1)};
}

}  // namespace

Arguments parse_arguments(const std::string& command, const std::vector<std::string>& arguments,
                          const std::vector<std::string>& names) {
  Arguments parsed;
  for (const auto& argument : arguments) {
    if (argument.compare(0, 2, "--") != 0) {
      parsed.positional.push_back(argument);
      continue;
    }
    auto option = parse_option(command, argument, names);
    for (const auto& earlier : parsed.options)
      if (earlier.first == option.first)
        throw UsageError(fmt::format("--{} is given twice. Remove one.", option.first));
    parsed.options.push_back(std::move(option));
  }
  return parsed;
}

bool has_hdf5_ending(const std::string& path) {
  const auto ending = std::filesystem::path(path).extension();
  return ending == ".h5" || ending == ".hdf5";
}

}  // namespace sheaf
