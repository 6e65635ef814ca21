// SPDX-License-Identifier: MIT
#include "manual/help_blocks.hpp"

#include <algorithm>
#include <sstream>
#include <utility>

namespace sheaf {
namespace {

using Kind = HelpBlock::Kind;

// The indent of items.
constexpr std::size_t item_indent = 2;

std::vector<std::string> lines_of(const std::string& text) {
  std::istringstream stream(text);
  std::vector<std::string> lines;
  for (std::string line; std::getline(stream, line);) lines.push_back(line);
  return lines;
}

std::size_t indent_of(const std::string& line) {
  return std::min(line.find_first_not_of(' '), line.size());
}

void append(std::string& text, const std::string& more) {
  text += (text.empty() ? "" : " ") + more;
}

class Splitter {
 public:
  explicit Splitter(const std::string& help) : lines_(lines_of(help)) {}

  std::vector<HelpBlock> split() {
    while (next_ < lines_.size()) {
      if (line(next_).empty())
        ++next_;
      else if (is_item(next_))
        add_item();
      else if (indent_of(line(next_)) > 0)
        add_lines(Kind::literal);
      else if (is_item(next_ + 1))
        blocks_.push_back({Kind::heading, {}, lines_[next_++]});
      else
        add_lines(Kind::paragraph);
    }
    return std::move(blocks_);
  }

 private:
  // The empty text behind the last line.
  std::string line(std::size_t number) const { return number < lines_.size() ? lines_[number] : ""; }

  bool is_item(std::size_t number) const {
    const std::string text = line(number);
    if (indent_of(text) != item_indent || text.size() == item_indent) return false;
    return text.compare(item_indent, 2, "--") == 0 || text.find("  ", item_indent) != text.npos ||
           indent_of(line(number + 1)) > item_indent;
  }

  void add_lines(Kind kind) {
    HelpBlock block{kind};
    const bool is_literal = kind == Kind::literal;
    for (; !line(next_).empty() && (indent_of(line(next_)) > 0) == is_literal && !is_item(next_); ++next_) {
      if (is_literal)
        block.examples.push_back(lines_[next_]);
      else
        append(block.text, lines_[next_]);
    }
    blocks_.push_back(std::move(block));
  }

  void add_item() {
    HelpBlock block{Kind::item};
    std::size_t column = std::string::npos;  // of the description
    while (block.text.empty() && is_item(next_)) {
      const std::string text = lines_[next_++];
      const std::size_t gap = text.find("  ", item_indent);
      block.terms.push_back(text.substr(item_indent, gap == text.npos ? gap : gap - item_indent));
      if (gap != text.npos) column = text.find_first_not_of(' ', gap);
      if (column != text.npos) block.text = text.substr(column);
      if (indent_of(line(next_)) > item_indent) break;
    }
    for (; indent_of(line(next_)) > item_indent; ++next_) {
      const std::size_t indent = indent_of(lines_[next_]);
      if (column == std::string::npos) column = indent;
      if (indent > column)
        block.examples.push_back(lines_[next_].substr(indent));
      else
        append(block.text, lines_[next_].substr(indent));
    }
    blocks_.push_back(std::move(block));
  }

  std::vector<std::string> lines_;
  std::size_t next_ = 0;
  std::vector<HelpBlock> blocks_;
};

}  // namespace

std::vector<HelpBlock> help_blocks(const std::string& help) {
  return Splitter(help).split();
}

}  // namespace sheaf
