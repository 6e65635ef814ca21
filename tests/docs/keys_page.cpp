// Prints the tables of keys for jobs/studies/README.md.
// SPDX-License-Identifier: MIT
#include <cstdio>
#include <string>

#include "study/settings_table.hpp"

namespace {

std::string cell(const std::string& text) {
  std::string escaped;
  for (const char letter : text) {
    if (letter == '|' || letter == '<') escaped += '\\';
    escaped += letter;
  }
  return escaped;
}

std::string code(const std::string& text) {
  std::string escaped;
  for (const char letter : text) escaped += letter == '|' ? std::string("\\|") : std::string(1, letter);
  return escaped.empty() ? "" : "`" + escaped + "`";
}

}  // namespace

int main() {
  std::string section;
  for (const auto& setting : sheaf::all_settings()) {
    const std::size_t dot = setting.key.find('.');
    if (setting.key.substr(0, dot) != section) {
      section = setting.key.substr(0, dot);
      std::printf("\n### [%s]\n\n| key | value | default | meaning |\n|---|---|---|---|\n", section.c_str());
    }
    std::printf("| `%s` | %s | %s | %s |\n", setting.key.substr(dot + 1).c_str(), cell(setting.values).c_str(),
                code(setting.default_value).c_str(), cell(setting.help).c_str());
  }
}
