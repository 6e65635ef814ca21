// SPDX-License-Identifier: MIT
#include "commands/line/arguments.hpp"

#include <algorithm>
#include <filesystem>

#include "core/problem_list.hpp"
#include "core/text.hpp"
#include "study/other_names.hpp"

namespace sheaf {
namespace {

bool contains(const std::vector<std::string>& names, const std::string& name) {
  return std::find(names.begin(), names.end(), name) != names.end();
}

bool is_digit(const std::string& text, std::size_t position) {
  return position < text.size() && text[position] >= '0' && text[position] <= '9';
}

std::string unknown_option(const std::string& command, const LineOptions& known, const std::string& name) {
  std::vector<std::string> names = known.keys;
  names.insert(names.end(), known.options.begin(), known.options.end());
  names.insert(names.end(), known.flags.begin(), known.flags.end());
  return fmt::format("unknown option {}.{} See sheaf {} --help.", quoted("--" + name),
                     unknown_name_hint(name, names, "--"), command);
}

// Splits one command line.
class Splitter {
 public:
  Splitter(const std::string& command, const LineOptions& known, const std::vector<std::string>& arguments)
      : command_(command), known_(known), arguments_(arguments) {}

  Arguments split() {
    for (; next_ < arguments_.size(); ++next_) {
      const std::string& argument = arguments_[next_];
      if (argument == "--") {
        parsed_.positional.insert(parsed_.positional.end(), arguments_.begin() + static_cast<std::ptrdiff_t>(next_) + 1,
                                  arguments_.end());
        break;
      }
      if (argument.rfind("--", 0) == 0)
        add_option(argument);
      else if (is_option(argument))
        refuse("unknown option {} (options begin with two dashes). Write: --name=value.", quoted(argument));
      else
        parsed_.positional.push_back(argument);
    }
    return std::move(parsed_);
  }

 private:
  template <class... Values>
  void refuse(const char* message, const Values&... values) {
    parsed_.problems.push_back(fmt::format(fmt::runtime(message), values...));
  }

  void add_option(const std::string& argument) {
    const std::size_t equals = argument.find('=');
    const std::string name = argument.substr(2, equals == argument.npos ? argument.npos : equals - 2);
    const auto own_text = equals == argument.npos ? std::nullopt : std::optional(argument.substr(equals + 1));
    const bool is_flag = contains(known_.flags, name);
    const bool is_known = is_flag || contains(known_.options, name) || contains(known_.keys, name);
    if (is_known && contains(seen_, name)) refuse("--{} is given twice. Remove one.", name);
    seen_.push_back(name);
    if (is_flag) {
      if (own_text) refuse("--{} takes no value (it got {}). Write --{} alone.", name, quoted(*own_text), name);
      parsed_.flags.push_back(name);
      return;
    }
    const auto text = own_text                          ? own_text
                      : contains(known_.switches, name) ? std::optional(next_truth().value_or("true"))
                                                        : next_value();
    if (!is_known)
      parsed_.problems.push_back(unknown_option(command_, known_, name));
    else if (text)
      parsed_.assignments.push_back({name, *text});
    else
      refuse_missing_value(name);
  }

  void refuse_missing_value(const std::string& name) {
    const std::string follows = next_ + 1 < arguments_.size() ? arguments_[next_ + 1] : "";
    refuse("--{} has no value{}. Write: --{}=VALUE.", name,
           follows.empty() ? "" : fmt::format(" ({} follows)", quoted(follows)), name);
    if (!follows.empty() && follows.rfind("--", 0) != 0) ++next_;  // it was meant as the value
  }

  // Takes the next argument if it can be a value.
  std::optional<std::string> next_value() {
    if (next_ + 1 == arguments_.size() || is_option(arguments_[next_ + 1])) return std::nullopt;
    return arguments_[++next_];
  }

  // Takes the next argument if it is true or false.
  std::optional<std::string> next_truth() {
    const std::string next = next_ + 1 < arguments_.size() ? arguments_[next_ + 1] : "";
    if (next != "true" && next != "false") return std::nullopt;
    ++next_;
    return next;
  }

  const std::string& command_;
  const LineOptions& known_;
  const std::vector<std::string>& arguments_;
  std::size_t next_ = 0;
  std::vector<std::string> seen_;
  Arguments parsed_;
};

}  // namespace

bool Arguments::has_flag(const std::string& flag) const {
  return contains(flags, flag);
}

Arguments split_arguments(const std::string& command, const LineOptions& known,
                          const std::vector<std::string>& arguments) {
  return Splitter(command, known, arguments).split();
}

Arguments parse_arguments(const std::string& command, const LineOptions& known,
                          const std::vector<std::string>& arguments) {
  Arguments parsed = split_arguments(command, known, arguments);
  if (!parsed.problems.empty()) throw UsageError(problem_list(parsed.problems));
  return parsed;
}

std::string only_name(const Arguments& arguments, const std::string& command, const std::string& what,
                      const std::string& usage) {
  const auto& names = arguments.positional;
  const bool is_one = names.size() == 1 && !names[0].empty();
  // An unknown option may have taken the name as its value, or left its value as the name.
  if (!arguments.problems.empty() && (!is_one || !std::filesystem::exists(names[0])))
    throw UsageError(problem_list(arguments.problems));
  if (is_one) return names[0];
  if (names.size() > 1)
    throw UsageError(fmt::format("'sheaf {}' takes one {} (it got {} and {}). {}", command, what, quoted(names[0]),
                                 quoted(names[1]), usage));
  throw UsageError(fmt::format("'sheaf {}' needs a {}. {}", command, what, usage));
}

std::optional<HelpArgument> read_help_argument(const std::string& argument) {
  const std::string with_topic = "--help=";
  if (argument == "--help" || argument == "-h") return HelpArgument{};
  if (argument.rfind(with_topic, 0) == 0) return HelpArgument{argument.substr(with_topic.size())};
  return std::nullopt;
}

bool is_option(const std::string& argument) {
  if (argument.size() < 2 || argument[0] != '-') return false;
  return !is_digit(argument, argument[1] == '.' ? 2 : 1);
}

}  // namespace sheaf
