// SPDX-License-Identifier: MIT
#include "manual/man_pages.hpp"

#include <fmt/format.h>

#include <cctype>

#include "commands/command_table.hpp"
#include "commands/text_answer.hpp"
#include "commands/train/study_arguments.hpp"
#include "core/version.hpp"
#include "manual/help_blocks.hpp"
#include "study/settings_table.hpp"

namespace sheaf {
namespace {

// A line of roff that prints `text` as it is: minus signs, not hyphens, so that options can be copied.
std::string literal(const std::string& text) {
  std::string line = text.empty() || (text[0] != '.' && text[0] != '\'') ? "" : "\\&";
  for (const char letter : text) {
    switch (letter) {
      case '\\':
        line += "\\e";
        break;
      case '-':
        line += "\\-";
        break;
      case '\'':
        line += "\\(aq";
        break;
      case '`':
        line += "\\(ga";
        break;
      case '^':
        line += "\\(ha";
        break;
      case '~':
        line += "\\(ti";
        break;
      default:
        line += letter;
    }
  }
  return line;
}

// A paragraph. Text between two backticks is bold. A dash is a hyphen only between two letters.
std::string prose(const std::string& text) {
  std::string line, rest = literal(text);
  bool bold = false;
  for (std::size_t tick; (tick = rest.find("\\(ga")) != rest.npos; bold = !bold) {
    line += rest.substr(0, tick) + (bold ? "\\fR" : "\\fB");
    rest = rest.substr(tick + 4);
  }
  line += rest + (bold ? "\\fR" : "");
  const auto is_letter = [&](std::size_t at) {
    return at < line.size() && std::isalpha(static_cast<unsigned char>(line[at])) != 0;
  };
  for (std::size_t dash = 0; (dash = line.find("\\-", dash)) != line.npos; ++dash)
    if (dash > 0 && is_letter(dash - 1) && is_letter(dash + 2)) line.erase(dash, 1);
  return line + "\n";
}

std::string upper_case(std::string text) {
  for (char& letter : text) letter = static_cast<char>(std::toupper(static_cast<unsigned char>(letter)));
  return text;
}

std::string section(const std::string& name) {
  return fmt::format(".SH {}\n", upper_case(name));
}

// Lines with the indent of the text above them, or 2 more columns: `margin` is ".RS" or ".RS 2".
std::string example(const std::string& margin, const std::vector<std::string>& lines) {
  std::string text = margin + "\n.nf\n";
  for (const std::string& line : lines) text += literal(line) + "\n";
  return text + ".fi\n.RE\n";
}

// A term may be broken after a '|'.
std::string term_text(const std::string& term) {
  std::string text;
  for (const char letter : literal(term)) text += letter == '|' ? std::string("|\\:") : std::string(1, letter);
  return text;
}

std::string item(const std::vector<std::string>& terms, const std::string& description) {
  std::string text = ".TP\n";
  for (std::size_t number = 0; number < terms.size(); ++number)
    text += fmt::format("{}\\fB{}\\fR\n", number > 0 ? ".TQ\n" : "", term_text(terms[number]));
  return text + prose(description);
}

// The body of a page from a help text. Headings become sections of the page or of its description.
std::string body(const std::string& help, const std::string& heading_macro) {
  std::string text;
  bool follows_heading = true;
  for (const HelpBlock& block : help_blocks(help)) {
    const std::string paragraph = follows_heading ? "" : ".PP\n";
    follows_heading = block.kind == HelpBlock::Kind::heading;
    switch (block.kind) {
      case HelpBlock::Kind::heading:
        text += heading_macro + " " + literal(heading_macro == ".SH" ? upper_case(block.text) : block.text) + "\n";
        break;
      case HelpBlock::Kind::paragraph:
        text += paragraph + prose(block.text);
        break;
      case HelpBlock::Kind::literal:
        text += paragraph + example(".RS 2", block.examples);
        break;
      case HelpBlock::Kind::item:
        if (block.text.empty()) {
          for (const std::string& term : block.terms) text += paragraph + prose(term);
        } else {
          text += item(block.terms, block.text);
          if (!block.examples.empty()) text += example(".RS", block.examples);
        }
    }
  }
  return text;
}

std::string head(const std::string& name, int number, const std::string& summary, const std::string& date) {
  return fmt::format(".TH {} {} {} \"Sheaf {}\" \"Sheaf Manual\"\n.SH NAME\n{} \\- {}\n", literal(upper_case(name)),
                     number, date, program_version(), literal(name), prose(summary));
}

std::string see_also(const std::vector<std::string>& pages) {
  std::string text = section("see also");
  for (const std::string& page : pages) {
    const std::size_t open = page.find('(');
    text += fmt::format(".BR {} {}{}\n", literal(page.substr(0, open)), page.substr(open),
                        &page == &pages.back() ? "" : ",");
  }
  return text;
}

// The help of a study without the list of keys, which sheaf-study(5) has: it begins with the first section's name.
std::string without_keys(const std::string& help) {
  return help.substr(0, help.find("\n[") + 1);
}

bool has_key_list(const Command& command) {
  return command.help().find("\n[") != std::string::npos;
}

ManPage main_page(const std::string& date) {
  const std::string help = text_answer({"--help"}).value_or("");
  std::string text = head("sheaf", 1, "train many models in one MPI job", date);
  text += section("synopsis") + "\\fBsheaf\\fR \\fICOMMAND\\fR [...]\n.br\n" +
          "\\fBmpirun \\-n\\fR \\fIP\\fR \\fBsheaf\\fR \\fICOMMAND\\fR [...]\n";
  text += section("description") +
          prose(
              "Sheaf trains many models in one MPI job: repeats, ensembles and hyper-parameter searches with "
              "cross-validation, on CPU cores and GPUs. Results survive a killed job. A study file describes the "
              "data, the models and the search.");
  text += body(help.substr(help.find("\n\n", help.find("usage: ")) + 2), ".SH");
  std::vector<std::string> pages;
  for (const Command& command : command_table()) pages.push_back(fmt::format("sheaf-{}(1)", command.name));
  pages.emplace_back("sheaf-study(5)");
  pages.emplace_back("mpirun(1)");
  return {"sheaf", 1, text + see_also(pages)};
}

ManPage command_page(const Command& command, const std::string& date) {
  const std::string name = fmt::format("sheaf-{}", command.name);
  std::string text = head(name, 1, std::string(command.summary), date);
  text += section("synopsis") + fmt::format("\\fBsheaf {}\\fR {}\n", command.name, literal(std::string(command.usage)));
  std::string help = command.help();
  std::vector<std::string> pages = {"sheaf(1)"};
  if (has_key_list(command)) help = without_keys(help);
  if (!command.options().keys.empty()) pages.emplace_back("sheaf-study(5)");
  text += section("description") + body(help, ".SS");
  return {name, 1, text + see_also(pages)};
}

ManPage study_page(const std::string& date) {
  std::string text = head("sheaf-study", 5, "study files of Sheaf, and all keys", date);
  text += section("description") + body(without_keys(study_help()), ".SS");
  text += section("keys");
  std::string its_section;
  for (const SettingInfo& setting : all_settings()) {
    const std::size_t dot = setting.key.find('.');
    if (setting.key.substr(0, dot) != its_section) {
      its_section = setting.key.substr(0, dot);
      text += fmt::format(".SS [{}]\n", its_section);
    }
    const std::string name = setting.key.substr(dot + 1), value = setting.default_value;
    text += item({value.empty() ? name : fmt::format("{} = {}", name, value)},
                 fmt::format("{} ({})", setting.help, setting.values));
  }
  return {"sheaf-study", 5, text + see_also({"sheaf(1)", "sheaf-run(1)", "sheaf-plan(1)"})};
}

}  // namespace

std::vector<ManPage> man_pages(const std::string& date) {
  std::vector<ManPage> pages = {main_page(date)};
  for (const Command& command : command_table()) pages.push_back(command_page(command, date));
  pages.push_back(study_page(date));
  return pages;
}

}  // namespace sheaf
