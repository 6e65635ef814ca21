// The checks of `sheaf info`: each finds that something is fine, or has advice.
// SPDX-License-Identifier: MIT
#pragma once

#include <string>
#include <vector>

namespace sheaf {

/// The result of one check on one rank.
struct Finding {
  std::string name;  ///< of the check, such as "binding"
  bool is_fine = true;
  std::string text;  ///< without a period if it is fine, otherwise sentences, the last one with the remedy
};

inline Finding fine(const std::string& name, const std::string& text) {
  return {name, true, text};
}
inline Finding advice(const std::string& name, const std::string& text) {
  return {name, false, text};
}

/// "fine     binding: 2 ranks ..." or "ADVICE   locks: ...": one line per check if all ranks have the same finding,
/// otherwise one per distinct finding, with its ranks. `by_rank` has the same checks, in the same order, for each rank.
/// Each line ends in "\n". Pure.
std::string finding_lines(const std::vector<std::vector<Finding>>& by_rank);

}  // namespace sheaf
