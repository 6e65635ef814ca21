// SPDX-License-Identifier: MIT
#include "commands/info/finding.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>

#include "core/text.hpp"

namespace sheaf {
namespace {

// "rank 3" or "ranks 0-2, 5 and 8-9", ascending.
std::string ranks_text(const std::vector<std::size_t>& ranks) {
  std::vector<std::string> ranges;
  for (std::size_t first = 0; first < ranks.size();) {
    std::size_t last = first;
    while (last + 1 < ranks.size() && ranks[last + 1] == ranks[last] + 1) ++last;
    ranges.push_back(first == last ? fmt::format("{}", ranks[first]) : fmt::format("{}-{}", ranks[first], ranks[last]));
    first = last + 1;
  }
  return (ranks.size() == 1 ? "rank " : "ranks ") + listed(ranges);
}

struct Group {
  const Finding* finding;
  std::vector<std::size_t> ranks;
};

bool are_equal(const Finding& one, const Finding& other) {
  return one.is_fine == other.is_fine && one.text == other.text;
}

}  // namespace

std::string finding_lines(const std::vector<std::vector<Finding>>& by_rank) {
  std::string lines;
  for (std::size_t check = 0; check < by_rank.front().size(); ++check) {
    std::vector<Group> groups;
    for (std::size_t rank = 0; rank < by_rank.size(); ++rank) {
      const Finding& finding = by_rank[rank][check];
      auto same = std::find_if(groups.begin(), groups.end(),
                               [&](const Group& group) { return are_equal(*group.finding, finding); });
      if (same == groups.end()) same = groups.insert(groups.end(), {&finding, {}});
      same->ranks.push_back(rank);
    }
    for (const Group& group : groups)
      lines += fmt::format("{:<9}{}{}: {}\n", group.finding->is_fine ? "fine" : "ADVICE", group.finding->name,
                           groups.size() > 1 ? fmt::format(" ({})", ranks_text(group.ranks)) : "", group.finding->text);
  }
  return lines;
}

}  // namespace sheaf
