// SPDX-License-Identifier: MIT
#include "manual/man_pages.hpp"

#include <algorithm>
#include <regex>
#include <sstream>
#include <string>
#include <vector>

#include "commands/command_table.hpp"
#include "study/settings_table.hpp"
#include "support/catch.hpp"

using namespace sheaf;

namespace {

const std::string& page_text(const std::vector<ManPage>& pages, const std::string& name) {
  static const std::string none;
  const auto found = std::find_if(pages.begin(), pages.end(), [&](const ManPage& page) { return page.name == name; });
  return found == pages.end() ? none : found->text;
}

// An option as the pages have it.
std::string in_roff(const std::string& option) {
  std::string text = "\\-\\-";
  for (const char letter : option) text += letter == '-' ? "\\-" : std::string(1, letter);
  return text;
}

}  // namespace

TEST_CASE("every command has a page with all its options") {
  const std::vector<ManPage> pages = man_pages("2026-01-31");
  CHECK(pages.size() == command_table().size() + 2);
  const std::string& main = page_text(pages, "sheaf");
  CHECK_THAT(main, ContainsSubstring(".TH SHEAF 1 2026-01-31 "));
  for (const Command& command : command_table()) {
    const std::string name = "sheaf-" + std::string(command.name);
    const std::string& text = page_text(pages, name);
    CAPTURE(name);
    CHECK_THAT(text, ContainsSubstring(".SH NAME\nsheaf\\-" + std::string(command.name) + " \\- "));
    CHECK_THAT(main, ContainsSubstring(".BR sheaf\\-" + std::string(command.name) + " (1)"));
    for (const auto* options : {&command.options().options, &command.options().flags})
      for (const std::string& option : *options) CHECK_THAT(text, ContainsSubstring(in_roff(option)));
    if (!command.options().keys.empty()) CHECK_THAT(text, ContainsSubstring(".BR sheaf\\-study (5)"));
  }
}

TEST_CASE("sheaf-study(5) has all keys") {
  const std::vector<ManPage> pages = man_pages("2026-01-31");
  const std::string& text = page_text(pages, "sheaf-study");
  std::size_t position = text.find(".SH KEYS");
  for (const SettingInfo& setting : all_settings()) {
    const std::string name = setting.key.substr(setting.key.find('.') + 1);
    CAPTURE(setting.key);
    position = std::min(text.find("\n\\fB" + name, position + 1), text.size());  // in the order of the table
    CHECK(position < text.size());
  }
}

TEST_CASE("only macros begin with a dot or a quote, and options can be copied") {
  const std::regex macro("[.](TH|SH|SS|PP|TP|TQ|RS|RE|BR|nf|fi|br)( .*)?");
  for (const ManPage& page : man_pages("2026-01-31")) {
    std::istringstream lines(page.text);
    for (std::string line; std::getline(lines, line);) {
      CAPTURE(page.name, line);
      if (line.find_first_of(".'") == 0) CHECK(std::regex_match(line, macro));
      CHECK(line.find("--") == line.npos);
    }
  }
}
