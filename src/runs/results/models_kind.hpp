// Which models of a run predict, and how reports name them. Pure.
// SPDX-License-Identifier: MIT
#pragma once

#include <array>
#include <cstddef>
#include <optional>
#include <string>
#include <vector>

namespace sheaf {

/// Which models of a run predict. ensemble: the ensemble of trials (search.ensemble); refit: those of the best trial,
/// trained again on all rows; best: those of the best repeat and fold of the best trial.
enum class ModelsKind { ensemble, refit, best };

struct ModelsKindRow {
  ModelsKind kind;
  const char* name;  ///< as the option --model and the reports have it
  const char* text;
};

/// In the order of ModelsKind, in which a run prefers them.
inline constexpr std::array models_kinds = {ModelsKindRow{ModelsKind::ensemble, "ensemble", "ensemble of trials"},
                                            ModelsKindRow{ModelsKind::refit, "refit", "refit on all rows"},
                                            ModelsKindRow{ModelsKind::best, "best", "best model"}};

constexpr const ModelsKindRow& row_of(ModelsKind kind) {
  return models_kinds[static_cast<std::size_t>(kind)];
}

/// "'runs/x/models/iteration-3.pt' (best model)", or "ensemble of 3, 'FIRST.pt' to 'LAST.pt' (refit on all rows)".
/// `kind`: none if the files were named one by one.
std::string models_text(const std::vector<std::string>& files, const std::optional<ModelsKind>& kind);

}  // namespace sheaf
