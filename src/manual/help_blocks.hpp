// The structure of a help text. Pure.
// SPDX-License-Identifier: MIT
#pragma once

#include <string>
#include <vector>

namespace sheaf {

/// A part of a help text.
struct HelpBlock {
  enum class Kind {
    heading,    ///< one line above a list of items
    paragraph,  ///< text
    item,       ///< an option, command or name, and its description
    literal     ///< indented lines, such as examples
  };
  Kind kind;
  std::vector<std::string> terms{};     ///< of an item; several terms share a description
  std::string text{};                   ///< of a heading, a paragraph or an item
  std::vector<std::string> examples{};  ///< lines of a literal; of an item, lines below its description
};

/// Splits a help text. Paragraphs begin in the first column; items are indented by two columns, and begin with "--", or
/// have a description after two spaces or in the next line, which is indented further. A heading is a line directly
/// above an item. Lines of an item that are indented further than its description are examples. All other indented
/// lines are literal.
std::vector<HelpBlock> help_blocks(const std::string& help);

}  // namespace sheaf
