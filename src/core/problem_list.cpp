// SPDX-License-Identifier: MIT
#include "core/problem_list.hpp"

#include <algorithm>
#include <cstddef>

namespace sheaf {
namespace {

constexpr char separator = '\x1e';  // ASCII "record separator"

}  // namespace

std::string problem_list(const std::vector<std::string>& problems) {
  std::string message;
  for (const auto& problem : problems) message += (message.empty() ? "" : std::string(1, separator)) + problem;
  return message;
}

std::vector<std::string> problems_of(const std::string& message) {
  std::vector<std::string> problems;
  for (std::size_t begin = 0; begin <= message.size();) {
    const std::size_t end = std::min(message.find(separator, begin), message.size());
    if (end > begin) problems.push_back(message.substr(begin, end - begin));
    begin = end + 1;
  }
  return problems;
}

}  // namespace sheaf
