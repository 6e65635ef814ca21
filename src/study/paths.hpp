// Paths in study files and on the command line: home directory, environment variables, relative paths.
// SPDX-License-Identifier: MIT
#pragma once

#include <functional>
#include <optional>
#include <string>

namespace sheaf {

/// The value of an environment variable; nothing if it is not defined or empty. Local.
std::optional<std::string> environment_variable(const std::string& name);

/// The place where a path was written.
struct PathOrigin {
  std::string folder;  ///< of the study file, for relative paths; empty: they are relative to the current directory
  std::function<std::optional<std::string>(const std::string& name)> variable = environment_variable;
};

/// The path that `text` means: a leading ~ is replaced by $HOME, $NAME and ${NAME} by environment variables, $$ by a
/// dollar sign; a relative path is then relative to the folder of the origin. Symbolic links are not followed. An empty
/// text stays empty. `key` is for the message. Throws UsageError for an undefined variable or a $ without a name. Pure,
/// except for the variables.
std::string read_path(const std::string& key, const std::string& text, const PathOrigin& origin);

/// The text that means `path` where relative paths are relative to the current directory. Pure.
std::string written_path(const std::string& path);

}  // namespace sheaf
