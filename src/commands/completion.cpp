// SPDX-License-Identifier: MIT
#include "commands/completion.hpp"

#include <algorithm>
#include <optional>
#include <regex>

#include "commands/command_table.hpp"
#include "study/metrics.hpp"
#include "study/settings_table.hpp"

namespace sheaf {
namespace {

using Words = std::vector<std::string>;

const std::string search_section = "search.";

bool contains(const Words& words, const std::string& word) {
  return std::find(words.begin(), words.end(), word) != words.end();
}

bool begins_with(const std::string& text, const std::string& beginning) {
  return text.compare(0, beginning.size(), beginning) == 0;
}

// "f1:CLASS" without what the user replaces: "f1:".
std::string without_parameter(const std::string& pattern) {
  return pattern.substr(0, std::min(pattern.find(':'), pattern.size() - 1) + 1);
}

// The words that a description of values allows: auto of "integer >= 1, or auto"; cnn and plugin: of "cnn |
// plugin:FILE.so".
Words words_of_values(const std::string& values) {
  static const std::regex separator(R"( \| |, or |, | or )"), word("[a-z][a-z0-9_]*(:[A-Z].*)?");
  static const Words placeholders = {"name", "text", "time"};
  Words words;
  for (std::sregex_token_iterator part(values.begin(), values.end(), separator, -1), end; part != end; ++part)
    if (const std::string text = *part; std::regex_match(text, word) && !contains(placeholders, text))
      words.push_back(without_parameter(text));
  return words;
}

// The values of an option as its help has them: text and json of "--output=text|json".
Words values_in_help(const std::string& help, const std::string& option) {
  static const std::regex word("[a-z][a-z0-9_]*");
  const std::string start = "--" + option + "=";
  const std::size_t found = help.find(start);
  Words values;
  if (found == help.npos) return values;
  const std::size_t begin = found + start.size();
  const std::string listed = help.substr(begin, help.find_first_of(" \n", begin) - begin);
  for (std::size_t from = 0; from <= listed.size();) {
    const std::size_t end = std::min(listed.find('|', from), listed.size());
    if (const std::string value = listed.substr(from, end - from); std::regex_match(value, word))
      values.push_back(value);
    from = end + 1;
  }
  return values;
}

Words metric_names() {
  Words names;
  for (const Metric& metric : metric_table) names.push_back(without_parameter(metric_pattern(metric)));
  return names;
}

// The key whose candidates `option` lists, for example model.kind for search.model.kind.
std::optional<std::string> listed_key(const std::string& option) {
  const std::string key = begins_with(option, search_section) ? option.substr(search_section.size()) : "";
  return is_searchable(key) ? std::optional(key) : std::nullopt;
}

bool lists_metrics(const std::string& option) {
  return option == "run.metrics" || option == "metrics";
}

bool names_metrics(const std::string& option) {
  return lists_metrics(option) || option == "metric";
}

Words values_of(const Command& command, const std::string& option) {
  Words values;
  if (const Setting* const setting = find_setting(listed_key(option).value_or(option)))
    values = words_of_values(setting->info.values);
  else if (contains(command.options().options, option))
    values = values_in_help(command.help(), option);
  if (contains(command.options().switches, option)) values = {"true", "false"};
  if (names_metrics(option))
    for (const std::string& name : metric_names()) values.push_back(name);
  return values;
}

// The candidates that begin with `start` + `text`. After a comma, the next item of a list.
Words value_candidates(const Command& command, const std::string& option, const std::string& start,
                       const std::string& text) {
  const bool is_list = listed_key(option) || lists_metrics(option);
  const std::size_t comma = is_list ? text.rfind(',') : text.npos;
  const std::size_t item = comma == text.npos ? 0 : std::min(text.find_first_not_of(' ', comma + 1), text.size());
  const std::string before = start + text.substr(0, item);
  Words candidates;
  for (const std::string& value : values_of(command, option)) candidates.push_back(before + value);
  return candidates;
}

Words option_names(const Command& command) {
  const LineOptions& known = command.options();
  Words names = {"--help"};
  for (const std::string& name : known.flags) names.push_back("--" + name);
  for (const Words* with_values : {&known.options, &known.keys})
    for (const std::string& name : *with_values)
      if (std::find(known.flags.begin(), known.flags.end(), name) == known.flags.end())
        names.push_back("--" + name + "=");
  return names;
}

// Whether `word` is the name of an option whose value is the next word.
bool takes_next(const Command& command, const std::string& word) {
  const LineOptions& known = command.options();
  const std::string name = word.substr(std::min<std::size_t>(2, word.size()));
  return begins_with(word, "--") && (contains(known.keys, name) || contains(known.options, name)) &&
         !contains(known.switches, name);
}

Words command_names() {
  Words names;
  for (const Command& command : command_table()) names.emplace_back(command.name);
  return names;
}

// For the words after the name of a command.
Words candidates_of(const Command& command, const Words& words) {
  const std::string& current = words.back();
  const std::string previous = words.size() > 1 ? words[words.size() - 2] : "";
  if (std::find(words.begin(), words.end() - 1, "--") != words.end() - 1) return {};
  if (previous == "--help" || previous == "-h") return help_topics(command);
  if (!begins_with(current, "-"))
    return takes_next(command, previous) ? value_candidates(command, previous.substr(2), "", current) : Words();
  const std::size_t equals = current.find('=');
  if (equals == current.npos) return option_names(command);
  if (begins_with(current, "--help=")) {
    Words topics = help_topics(command);
    for (std::string& topic : topics) topic = "--help=" + topic;
    return topics;
  }
  return value_candidates(command, current.substr(2, equals - 2), current.substr(0, equals + 1),
                          current.substr(equals + 1));
}

Words all_candidates(const Words& words) {
  if (words.size() == 1) {
    Words names = command_names();
    for (const char* other : {"help", "--help", "--version"}) names.emplace_back(other);
    return names;
  }
  const bool asks_help = contains({"help", "--help", "-h"}, words[0]);
  if (asks_help && words.size() == 2) return command_names();
  for (const Command& command : command_table()) {
    if (asks_help && words.size() == 3 && command.name == words[1]) return help_topics(command);
    if (command.name == words[0]) return candidates_of(command, {words.begin() + 1, words.end()});
  }
  return {};
}

}  // namespace

std::vector<std::string> completions(const std::vector<std::string>& words) {
  if (words.empty()) return {};
  Words found = all_candidates(words);
  const auto differs = [&](const std::string& candidate) { return !begins_with(candidate, words.back()); };
  found.erase(std::remove_if(found.begin(), found.end(), differs), found.end());
  return found;
}

}  // namespace sheaf
