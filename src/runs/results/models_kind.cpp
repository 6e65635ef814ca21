// SPDX-License-Identifier: MIT
#include "runs/results/models_kind.hpp"

#include <fmt/format.h>

#include "core/text.hpp"

namespace sheaf {

std::string models_text(const std::vector<std::string>& files, const std::optional<ModelsKind>& kind) {
  const std::string text = files.size() == 1 ? fmt::format("'{}'", printable(files.front()))
                                             : fmt::format("ensemble of {}, '{}' to '{}'", files.size(),
                                                           printable(files.front()), printable(files.back()));
  return kind ? fmt::format("{} ({})", text, row_of(*kind).text) : text;
}

}  // namespace sheaf
