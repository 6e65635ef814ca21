// SPDX-License-Identifier: MIT
#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <sstream>
#include <string>
#include <vector>

#include "study/parse_study.hpp"
#include "study/settings.hpp"
#include "study/settings_table.hpp"

namespace sheaf {
namespace {

std::vector<std::string> words_of(const std::string& text) {
  std::istringstream stream(text);
  return {std::istream_iterator<std::string>(stream), {}};
}

// `label`, followed by the words from column `indent` on, in lines of at most `width` columns.
std::string wrapped(const std::string& label, const std::vector<std::string>& words, std::size_t indent,
                    std::size_t width) {
  std::string block, line = fmt::format("{:<{}}", label, indent);
  bool first = true;
  for (const auto& word : words) {
    if (!first && line.size() + 1 + word.size() > width) {
      block += line + "\n";
      line = std::string(indent, ' ');
      first = true;
    }
    line += (first ? "" : " ") + word;
    first = false;
  }
  return block + line + "\n";
}

// The help sentence, then the allowed values in parentheses, on a line of their own if they fit.
std::vector<std::string> description(const SettingInfo& setting, std::size_t width) {
  std::vector<std::string> words = words_of(setting.help);
  const std::string values = "(" + setting.values + ")";
  const auto parts = values.size() <= width ? std::vector<std::string>{values} : words_of(values);
  words.insert(words.end(), parts.begin(), parts.end());
  return words;
}

}  // namespace

std::string settings_help(const std::vector<std::string>& keys, int width) {
  const auto assignment = [](const SettingInfo& setting) {
    const std::string name = setting.key.substr(setting.key.find('.') + 1);
    return fmt::format("  {} = {}", name, setting.default_value);
  };
  std::size_t indent = 0;
  for (const auto& setting : all_settings()) indent = std::max(indent, assignment(setting).size() + 2);
  const std::size_t columns = std::max<std::size_t>(static_cast<std::size_t>(std::max(width, 0)), indent + 30);

  std::string help, section;
  const auto end_section = [&] {
    if (section != "search") return;
    help += wrapped("  <key> = a, b, c",
                    words_of("Candidates of data.normalize or any key of [model] or [train], separated by commas: "
                             "train.learning_rate = 1e-3, 1e-2 or model.hidden = 16, 64 32."),
                    indent, columns);
  };
  for (const auto& setting : all_settings()) {
    if (std::find(keys.begin(), keys.end(), setting.key) == keys.end()) continue;
    const std::string its_section = setting.key.substr(0, setting.key.find('.'));
    if (its_section != section) {
      end_section();
      help += fmt::format("{}[{}]\n", help.empty() ? "" : "\n", its_section);
      section = its_section;
    }
    help += wrapped(assignment(setting), description(setting, columns - indent), indent, columns);
  }
  end_section();
  return help;
}

}  // namespace sheaf
