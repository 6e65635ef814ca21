// SPDX-License-Identifier: MIT
#include "study/stored_study.hpp"

#include <fmt/format.h>

#include <utility>

#include "core/error.hpp"
#include "core/text.hpp"
#include "core/version.hpp"
#include "study/parse_study.hpp"
#include "study/settings.hpp"

namespace sheaf {
namespace {

const std::string comment = "# Written by sheaf ";

}  // namespace

std::string stored_study_text(const SettledStudy& study) {
  return comment + program_version() + "\n" + study_file_text(study);
}

SettledStudy parse_stored_study(const std::string& text, const std::string& path) {
  Study stored = parse_study_text(text, path, {});
  if (stored.search.ensemble == automatic) stored.search.ensemble = EnsembleKind::none;
  if (stored.run.predictions == automatic) stored.run.predictions = PredictionsKept::none;
  if (stored.run.models == automatic) stored.run.models = ModelsSaved::none;
  if (!stored.run.curves) stored.run.curves = false;
  if (!stored.run.stack) stored.run.stack = StackSize{};
  if (stored.data.normalize_targets == automatic && stored.data.task == Task::regression)
    stored.data.normalize_targets = NormalizeTargets::none;
  if (const auto key = unsettled_key(stored))
    throw RunError(
        fmt::format("'{}' does not store how the run was trained ({} = auto; an old version of sheaf wrote it, or it "
                    "was changed). Start "
                    "a new run with another run.output.",
                    path, *key));
  return SettledStudy(std::move(stored));
}

std::optional<std::string> storing_version(const std::string& text) {
  if (text.compare(0, comment.size(), comment) != 0) return std::nullopt;
  return text.substr(comment.size(), text.find_first_of("\r\n") - comment.size());
}

void require_this_version(const std::string& text, const std::string& path, bool forced) {
  require(
      text.find('=') != std::string::npos,
      fmt::format("'{}' has no keys (it was emptied after the run began). Restore the file, or start a new run with "
                  "another run.output.",
                  path));
  const auto version = storing_version(text);
  require(
      forced || !version || *version == program_version(),
      fmt::format("'{}' is a run of sheaf {}, but this is sheaf {} (results may differ). Use that version, start a new "
                  "run with another run.output, or continue with --force.",
                  path.substr(0, path.rfind('/')), printable(version.value_or("")), program_version()));
}

}  // namespace sheaf
