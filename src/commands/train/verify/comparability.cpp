// SPDX-License-Identifier: MIT
#include "commands/train/verify/comparability.hpp"

#include <fmt/format.h>

#include "core/text.hpp"
#include "engines/engine_table.hpp"

namespace sheaf {
namespace {

// Why this job computes otherwise than the one that wrote a journal.
std::optional<std::string> platform_reason(std::string_view engine, const std::optional<JournalHeader>& stored,
                                           const JournalHeader& own) {
  if (!stored) return "the header of their journal is damaged";
  const auto differ = [](std::string_view what, const auto& before, const auto& now) -> std::optional<std::string> {
    if (before == now) return std::nullopt;
    return fmt::format("they were trained with {} {}, this is {}", what, printable(fmt::format("{}", before)), now);
  };
  if (const auto reason = differ("sheaf", stored->program, own.program)) return reason;
  if (!stored->platform) return "the run has not recorded its processor";
  const Platform &before = *stored->platform, &now = *own.platform;
  if (const auto reason = differ("build", before.build, now.build)) return reason;
  const EngineEntry& entry = engine_named(engine);
  const auto text = [&](const Platform& platform) {
    return platform.engine(entry.services.platform_key).value_or("unknown");
  };
  if (const auto reason = differ(entry.services.platform_name, text(before), text(now))) return reason;
  return entry.uses_threads ? differ("run.threads =", before.threads, now.threads) : std::nullopt;
}

}  // namespace

std::optional<std::string> rounding_reason(const IterationResult& before, const IterationResult& now,
                                           const std::vector<std::optional<JournalHeader>>& stored,
                                           const JournalHeader& own) {
  if (before.engine != now.engine)
    return fmt::format("they were trained by the engine {}, now by {}", before.engine.view(), now.engine.view());
  if (before.gpu >= 0 && now.gpu < 0) return "they were trained on a GPU, now on cores";
  if (before.gpu < 0 && now.gpu >= 0) return "they were trained on cores, now on a GPU";
  if (now.gpu >= 0) return "sums on GPUs have no fixed order";
  const bool has_parts = before.earlier_seconds > 0 || stored.size() > 1;
  for (const auto& header : stored)
    if (has_parts && header && header->platform && header->platform->gpu && engine_named(now.engine.view()).uses_gpus)
      return "a part may have been trained on a GPU";
  for (const auto& header : stored)
    if (auto reason = platform_reason(now.engine.view(), header, own)) return reason;
  return std::nullopt;
}

Tolerance tolerance_of(Precision precision) {
  return precision == Precision::float64 ? Tolerance{1e-7, 1e-7} : Tolerance{1e-2, 2e-2};
}

}  // namespace sheaf
