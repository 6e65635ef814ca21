// Classes that users name. Pure.
// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace sheaf {

/// Whether a study file can contain the name of the class in a list; another class is named by its number.
bool is_class_text(const std::string& text);

/// The number of a class, given by its name or its number; names come before numbers. `class_names`: of the classes 0,
/// 1, ..., or empty. Nothing if there is no such class.
std::optional<std::int64_t> find_class(const std::string& text, const std::vector<std::string>& class_names,
                                       std::int64_t classes);

/// The message for a text that names no class. `assignment`: "search.metric = f1:setossa". `data`: the data or the
/// model with these classes, such as "'iris.h5'".
std::string class_problem(const std::string& assignment, const std::string& text,
                          const std::vector<std::string>& class_names, std::int64_t classes, const std::string& data);

}  // namespace sheaf
