// SPDX-License-Identifier: MIT
#include "study/parse_study.hpp"
#include "study/key_defaults.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <boost/program_options.hpp>
#include <filesystem>
#include <sstream>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

#include "core/error.hpp"
#include "core/problem_list.hpp"
#include "core/quoted.hpp"
#include "files/regular_file.hpp"
#include "study/combinations.hpp"
#include "study/paths.hpp"
#include "study/quoted_value.hpp"
#include "study/search_spaces.hpp"
#include "study/searched_keys.hpp"
#include "study/settings.hpp"
#include "study/settings_table.hpp"

namespace po = boost::program_options;

namespace sheaf {
namespace {

// A larger file is not a study file; more messages do not help.
constexpr std::size_t largest_file = 1 << 20;
constexpr std::size_t max_problems_shown = 50;

// The problems found so far.
struct Findings {
  std::vector<std::string> problems;
  std::vector<std::string> invalid_keys;  ///< keys that were set to an invalid value
};

bool is_blank(const std::string& line) {
  return line.find_first_not_of(" \t\r") == std::string::npos;
}

// Returns the position of the comment, or npos. A '#' in double quotes does not begin one.
std::size_t comment_of(const std::string& line) {
  const auto places = positions_outside_quotes(line, '#');
  if (!places) return line.find('#');  // quotes that are not closed, perhaps in the comment
  return places->empty() ? line.npos : places->front();
}

// Returns the problem of a line, or an empty string. Boost would report problems without line numbers.
std::string line_problem(const std::string& line) {
  const std::size_t comment = comment_of(line);
  std::string content = line.substr(0, comment);
  content.erase(content.find_last_not_of(" \t\r") + 1);
  const bool assigns = content.find('=') != std::string::npos;
  if (is_blank(content)) return "";
  const std::string shown = content.substr(content.find_first_not_of(" \t\r"));
  if (shown.front() == '[' && shown.back() == ']')
    return is_blank(shown.substr(1, shown.size() - 2)) ? "the section has no name. Write e.g. [train]." : "";
  if (!assigns)
    return quoted(shown) + " is neither [section] nor key = value. Correct the line, or comment it out with #.";
  if (comment != std::string::npos && content.size() == comment)
    return "'#' would cut the value short (it starts a comment). Put a space before a comment, or write the value in "
           "double quotes.";
  if (!positions_outside_quotes(content, '#'))
    return quoted(shown) + " has no closing quote. Add it; within quotes, write \\\" for a quote.";
  return "";
}

// Returns the line without its comment. Boost would take each '#' as the beginning of a comment, so those in quotes
// become escapes.
std::string without_comment(const std::string& line) {
  std::string content;
  for (const char letter : line.substr(0, comment_of(line)))
    content += letter == '#' ? "\\x23" : std::string(1, letter);
  return content;
}

// Returns the lines that Boost can parse: without byte order mark, comments, and lines with a problem.
std::string readable_lines(const std::string& text, const std::string& origin, Findings& findings) {
  const std::string byte_order_mark = "\xef\xbb\xbf";
  std::istringstream lines(text.rfind(byte_order_mark, 0) == 0 ? text.substr(byte_order_mark.size()) : text);
  std::string readable, line;
  for (int number = 1; std::getline(lines, line); ++number) {
    const std::size_t first = line.find_first_not_of(" \t\r");
    if (first == std::string::npos || line[first] == ';') continue;
    const std::string problem = line_problem(line);
    if (problem.empty())
      readable += without_comment(line) + "\n";
    else
      findings.problems.push_back(fmt::format("{}:{}: {}", origin, number, problem));
  }
  return readable;
}

std::vector<Assignment> file_entries(const std::string& text, const std::string& origin, Findings& findings) {
  std::istringstream lines(readable_lines(text, origin, findings));
  constexpr bool allow_unregistered = true;  // apply_entries() reports all unknown keys, with suggestions
  std::vector<Assignment> entries;
  for (const auto& option : po::parse_config_file(lines, po::options_description(), allow_unregistered).options)
    entries.push_back({option.string_key, option.value.empty() ? "" : option.value.front()});
  return entries;
}

void apply_entry(Study& study, const Assignment& entry, const PathOrigin& paths, Findings& findings,
                 std::vector<std::string>& problems) {
  const std::string prefix = "search.";
  const bool in_search = entry.key.rfind(prefix, 0) == 0;
  const std::string searched = in_search ? entry.key.substr(prefix.size()) : "";
  const std::size_t problems_before = problems.size();
  if (is_searchable(searched)) {
    SearchedKey key = read_searched_key(searched, entry.text, paths, problems);
    if (!key.candidates.empty()) set_searched_key(study.search, std::move(key));
  } else if (std::any_of(all_settings().begin(), all_settings().end(),
                         [&](const auto& setting) { return setting.key == searched; })) {
    problems.push_back(
        fmt::format("{} cannot be searched. Only data.normalize and the keys of [model] and [train] can.", searched));
  } else {
    try {
      apply_setting(study, entry.key, with_read_path(entry.key, entry.text, paths));
    } catch (const UsageError& error) {
      problems.push_back(error.what());
    }
  }
  if (problems.size() == problems_before) return;
  findings.invalid_keys.push_back(is_searchable(searched) ? searched : entry.key);
  if (in_search) findings.invalid_keys.push_back("search.method");  // it may lack the candidates of this key
}

void apply_entries(Study& study, const std::vector<Assignment>& entries, const std::string& origin,
                   const PathOrigin& paths, Findings& findings) {
  std::vector<std::string> problems;
  std::unordered_map<std::string, int> times;
  for (const auto& entry : entries) {
    if (++times[entry.key] == 2)
      problems.push_back(fmt::format("{} is set more than once. Remove the duplicates.", quoted(entry.key)));
    apply_entry(study, entry, paths, findings, problems);
  }
  for (const auto& problem : problems) findings.problems.push_back(origin + ": " + problem);
}

// Adds the problems between keys. Skips those that involve a key with an invalid value, since they may disappear with a
// valid one.
void add_problems_between_keys(const Study& study, Findings& findings) {
  for (const auto& problem : problems_in(study)) {
    const auto is_invalid = [&](const std::string& key) {
      return std::find(findings.invalid_keys.begin(), findings.invalid_keys.end(), key) != findings.invalid_keys.end();
    };
    if (std::none_of(problem.keys.begin(), problem.keys.end(), is_invalid))
      findings.problems.push_back(problem.sentence);
  }
}

bool has_key(const std::vector<Assignment>& entries, const std::string& key) {
  return std::any_of(entries.begin(), entries.end(), [&](const Assignment& entry) { return entry.key == key; });
}

// Reports keys that have both a value and candidates, since the value would have no effect. Candidates on the command
// line replace a value in the file.
void add_values_of_searched_keys(const std::vector<Assignment>& file, const std::vector<Assignment>& overrides,
                                 const std::string& origin, Findings& findings) {
  for (const auto& key : searchable_keys()) {
    const std::string searched = "search." + key;
    if (has_key(file, key) && has_key(file, searched) && !has_key(overrides, searched))
      findings.problems.push_back(
          fmt::format("{}: {} is set in [{}] and has candidates in [search]. Remove one of them.", origin, key,
                      key.substr(0, key.find('.'))));
    if (!has_key(overrides, key)) continue;
    if (has_key(overrides, searched))
      findings.problems.push_back(fmt::format(
          "command line: {} is set by --{} and has candidates in --{}. Remove one of them.", key, key, searched));
    else if (has_key(file, searched))
      findings.problems.push_back(
          fmt::format("command line: --{} has no effect, since {} has candidates in [search] of '{}'. Leave it out, or "
                      "replace the candidates with --{}.",
                      key, key, origin, searched));
  }
}

// The value of a searched key without effect is not stored, so that equal searches have equal studies.
void reset_searched_keys(Study& study) {
  const Study defaults;
  for (const auto& searched : study.search.keys)
    apply_setting(study, searched.key, setting_text(defaults, searched.key));
}

// Makes the searched keys of `stored` those of its trials, if `search` has other values of them, and its repeats those
// of its stages.
void keep_values_of(const SearchOptions& stored, SearchOptions& search) {
  extend_repeats(stored, search);
  if (!stored.has_one_stage() || !have_same_keys(search.keys, stored.keys) || search.keys == stored.keys) return;
  Study study;
  study.search = stored;
  const std::int64_t drawn = std::max(stored.trials, static_cast<std::int64_t>(stored.start.size()));
  search.earlier.push_back({stored.draws_trials() ? drawn : trial_count(study), stored.keys});
}

// `paths`: of the text. `extends`: see parse_extension().
Study parse(const std::string& text, const std::string& origin, const PathOrigin& paths,
            const std::vector<Assignment>& overrides, bool extends = false) {
  Study study;
  Findings findings;
  const std::vector<Assignment> entries = file_entries(text, origin, findings);
  apply_entries(study, entries, origin, paths, findings);
  const SearchOptions stored = study.search;
  apply_entries(study, overrides, "command line", PathOrigin{}, findings);
  if (extends) keep_values_of(stored, study.search);
  add_values_of_searched_keys(entries, overrides, origin, findings);
  study.search.method = settled_method(study);
  reset_searched_keys(study);
  add_problems_between_keys(study, findings);

  auto& problems = findings.problems;
  if (problems.empty()) return study;
  if (problems.size() > max_problems_shown) {
    const std::size_t more = problems.size() - max_problems_shown;
    problems.resize(max_problems_shown);
    problems.push_back(fmt::format("and {} more {}.", more, more == 1 ? "problem" : "problems"));
  }
  throw UsageError(problem_list(problems));
}

}  // namespace

// Every rank reads the file, so it must be a regular file: only one rank would get the text of a pipe.
std::string read_study_text(const std::string& path) try {
  std::string text = RegularFile(path).read(largest_file + 1);
  if (text.size() > largest_file || text.find('\0') != std::string::npos)
    throw UsageError(
        fmt::format("'{}' is not a text file of at most {} MiB. Pass a study file.", path, largest_file >> 20));
  return text;
} catch (const RunError& error) {
  throw UsageError(error.what());
}

Study parse_study_text(const std::string& text, const std::string& origin, const std::vector<Assignment>& overrides) {
  return parse(text, origin, PathOrigin{}, overrides);
}

Study parse_extension(const std::string& text, const std::string& origin, const std::vector<Assignment>& overrides) {
  constexpr bool extends = true;
  return parse(text, origin, PathOrigin{}, overrides, extends);
}

Study parse_study(const std::string& path, const std::vector<Assignment>& overrides) {
  const PathOrigin paths{std::filesystem::path(path).parent_path().string()};
  return parse(read_study_text(path), path, paths, overrides);
}

}  // namespace sheaf
