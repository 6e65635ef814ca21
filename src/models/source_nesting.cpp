// SPDX-License-Identifier: MIT
#include "models/source_nesting.hpp"

#include <algorithm>
#include <array>
#include <cstddef>
#include <vector>

namespace sheaf {
namespace {

constexpr std::string_view operators = "+-*/%<>=!&|^~@.";
constexpr std::array<std::string_view, 8> operator_words = {"not", "if", "else", "and", "or", "in", "is", "lambda"};
constexpr std::string_view type_comment = "# type:";  // LibTorch parses the rest of the line

bool is_digit(char character) {
  return character >= '0' && character <= '9';
}

bool is_word(char character) {
  return is_digit(character) || character == '_' || (character >= 'a' && character <= 'z') ||
         (character >= 'A' && character <= 'Z');
}

class Scanner {
 public:
  explicit Scanner(std::string_view source) : rest_(source) {}

  std::int64_t deepest() {
    begin_line();
    while (!rest_.empty()) {
      step();
      deepest_ = std::max(deepest_, block_depth_ + expression_depth_);
    }
    return deepest_;
  }

 private:
  // A block of statements with the same indentation. `elifs`: in the chain of the latest `if`.
  struct Block {
    std::size_t indentation = 0;
    std::int64_t elifs = 0;
  };

  bool starts_with(std::string_view text) const { return rest_.substr(0, text.size()) == text; }
  void skip(std::size_t count) { rest_.remove_prefix(std::min(count, rest_.size())); }

  void step() {
    const char next = rest_.front();
    if (next == '"' || next == '\'') {
      skip_string();
    } else if (next == '#') {
      skip(starts_with(type_comment) ? type_comment.size() : std::min(rest_.find('\n'), rest_.size()));
    } else if (starts_with("\\\n")) {
      skip(2);
    } else if (next == '\n') {
      skip(1);
      if (chains_.size() == 1) begin_line();
    } else if (is_word(next)) {
      read_word();
    } else {
      skip(1);
      read_sign(next);
    }
  }

  void skip_string() {
    const char quote = rest_.front();
    const std::string_view three = quote == '"' ? "\"\"\"" : "'''";
    const std::string_view end = starts_with(three) ? three : three.substr(0, 1);
    skip(end.size());
    while (!rest_.empty() && !starts_with(end) && (end.size() == 3 || rest_.front() != '\n'))
      skip(rest_.front() == '\\' ? 2 : 1);
    if (starts_with(end)) skip(end.size());
  }

  void read_word() {
    const auto end = std::find_if_not(rest_.begin(), rest_.end(), is_word);
    const std::string_view word = rest_.substr(0, static_cast<std::size_t>(end - rest_.begin()));
    skip(word.size());
    if (is_digit(word.front()) && starts_with(".")) skip(1);  // the point of a number
    if (std::find(operator_words.begin(), operator_words.end(), word) != operator_words.end()) lengthen_chain();
  }

  void read_sign(char sign) {
    if (sign == '(' || sign == '[' || sign == '{') {
      lengthen_chain();  // calls and subscripts
      chains_.push_back(0);
      ++expression_depth_;
    } else if (sign == ')' || sign == ']' || sign == '}') {
      if (chains_.size() == 1) return;
      end_chain();
      chains_.pop_back();
      --expression_depth_;
    } else if (sign == ',' || sign == ';') {
      end_chain();
    } else if (operators.find(sign) != operators.npos) {
      lengthen_chain();
    }
  }

  void lengthen_chain() {
    ++chains_.back();
    ++expression_depth_;
  }

  void end_chain() {
    expression_depth_ -= chains_.back();
    chains_.back() = 0;
  }

  // The first line of a statement. Empty lines belong to no block.
  void begin_line() {
    end_chain();
    const std::size_t indentation = std::min(rest_.find_first_not_of(" \t"), rest_.size());
    skip(indentation);
    if (rest_.empty() || rest_.front() == '\n') return;
    while (!blocks_.empty() && blocks_.back().indentation > indentation) leave_block();
    if (blocks_.empty() || blocks_.back().indentation < indentation) {
      blocks_.push_back({indentation, 0});
      ++block_depth_;
    }
    Block& block = blocks_.back();
    if (starts_with("elif")) {
      ++block.elifs;
      ++block_depth_;
    } else if (!starts_with("else")) {
      block_depth_ -= block.elifs;
      block.elifs = 0;
    }
  }

  void leave_block() {
    block_depth_ -= blocks_.back().elifs + 1;
    blocks_.pop_back();
  }

  std::string_view rest_;
  std::vector<Block> blocks_;
  std::vector<std::int64_t> chains_ = {0};  // length of the current chain in each open bracket
  std::int64_t block_depth_ = 0;
  std::int64_t expression_depth_ = 0;  // open brackets and the lengths of their chains
  std::int64_t deepest_ = 0;
};

}  // namespace

std::int64_t source_nesting(std::string_view source) {
  return Scanner(source).deepest();
}

}  // namespace sheaf
