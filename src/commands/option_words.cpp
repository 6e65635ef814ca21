// SPDX-License-Identifier: MIT
#include "commands/option_words.hpp"

#include <fmt/ranges.h>

#include <algorithm>
#include <filesystem>

#include "core/text.hpp"

namespace sheaf {

OptionWord parse_option_word(const std::string& command, const std::string& word,
                             const std::vector<std::string>& names) {
  const std::size_t equals = word.find('=');
  const std::string name = word.substr(2, equals == word.npos ? word.npos : equals - 2);
  if (std::find(names.begin(), names.end(), name) == names.end())
    throw UsageError(fmt::format("unknown option {} (there are --{}).{} See sheaf {} --help.", quoted("--" + name),
                                 fmt::join(names, ", --"), did_you_mean(name, names), command));
  if (equals == word.npos)
    throw UsageError(fmt::format("--{} has no value (options are --key=value). Write: --{}=...", name, name));
  return {name, word.substr(equals + 1)};
}

bool has_hdf5_ending(const std::string& path) {
  const auto ending = std::filesystem::path(path).extension();
  return ending == ".h5" || ending == ".hdf5";
}

}  // namespace sheaf
