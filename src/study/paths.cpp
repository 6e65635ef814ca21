// SPDX-License-Identifier: MIT
#include "study/paths.hpp"

#include <fmt/format.h>

#include <cstdlib>
#include <filesystem>

#include "core/error.hpp"
#include "core/quoted.hpp"

namespace sheaf {
namespace {

bool begins_at_home(const std::string& text) {
  return text == "~" || text.rfind("~/", 0) == 0;
}

bool is_name_letter(char letter) {
  return (letter >= 'a' && letter <= 'z') || (letter >= 'A' && letter <= 'Z') || (letter >= '0' && letter <= '9') ||
         letter == '_';
}

// The name of a variable at `begin`, behind the $, and the position behind it. The name is empty if there is none.
struct VariableName {
  std::string name;
  std::size_t end;
};

VariableName name_at(const std::string& text, std::size_t begin) {
  const bool in_braces = begin < text.size() && text[begin] == '{';
  const std::size_t first = begin + (in_braces ? 1 : 0);
  std::size_t end = first;
  while (end < text.size() && is_name_letter(text[end])) ++end;
  const bool is_closed = !in_braces || (end < text.size() && text[end] == '}');
  const bool is_number = first < text.size() && text[first] >= '0' && text[first] <= '9';
  if (!is_closed || is_number) return {"", end};
  return {text.substr(first, end - first), end + (in_braces ? 1 : 0)};
}

}  // namespace

std::optional<std::string> environment_variable(const std::string& name) {
  const char* value = std::getenv(name.c_str());
  return value == nullptr || *value == '\0' ? std::nullopt : std::optional<std::string>(value);
}

std::string read_path(const std::string& key, const std::string& text, const PathOrigin& origin) {
  const auto value_of = [&](const std::string& name) {
    if (const auto value = origin.variable(name)) return *value;
    throw UsageError(
        fmt::format("{} cannot be {} (the environment variable {} is not defined). Define it, or write the "
                    "path without it.",
                    key, quoted(text), name));
  };
  std::string path;
  std::size_t next = 0;
  if (begins_at_home(text)) {
    path = value_of("HOME");
    next = 1;
  }
  while (next < text.size()) {
    const char letter = text[next++];
    if (letter != '$') {
      path += letter;
    } else if (next < text.size() && text[next] == '$') {
      path += text[next++];
    } else {
      const auto [name, end] = name_at(text, next);
      if (name.empty())
        throw UsageError(fmt::format("{} cannot be {} (a $ needs the name of a variable). Write $$ for a dollar sign.",
                                     key, quoted(text)));
      path += value_of(name);
      next = end;
    }
  }
  const std::filesystem::path read(path);
  if (path.empty() || read.is_absolute() || origin.folder.empty()) return path;
  return (origin.folder / read).lexically_normal().string();
}

std::string written_path(const std::string& path) {
  std::string text = begins_at_home(path) ? "./" : "";
  for (const char letter : path) text += letter == '$' ? std::string("$$") : std::string(1, letter);
  return text;
}

}  // namespace sheaf
