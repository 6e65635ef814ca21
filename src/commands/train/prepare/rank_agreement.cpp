// SPDX-License-Identifier: MIT
#include "commands/train/prepare/rank_agreement.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstdint>
#include <map>

#include "core/error.hpp"
#include "core/text.hpp"
#include "core/version.hpp"
#include "data/file_schema.hpp"
#include "files/checksum.hpp"
#include "parallel/mpi/agreement.hpp"
#include "study/settings.hpp"

namespace sheaf {

std::string odd_rank_problem(const std::string& what, const std::vector<std::string>& texts,
                             const std::string& advice) {
  std::map<std::string, std::size_t> counts;
  for (const auto& text : texts) ++counts[text];
  std::string usual = texts.front();
  for (const auto& [text, count] : counts)
    if (count > counts[usual]) usual = text;
  const auto odd = std::find_if(texts.begin(), texts.end(), [&](const std::string& text) { return text != usual; });
  if (odd == texts.end()) return "";
  return fmt::format("rank {} of {} has a different {} ({}; {}: {}). {}", odd - texts.begin(), texts.size(), what, *odd,
                     counted(static_cast<std::int64_t>(counts[usual]), "other rank"), usual, advice);
}

namespace {

void require_same(const std::string& what, const std::string& own, const std::string& advice,
                  const Communicator& world) {
  // The texts of all ranks are sent only for the message.
  const auto sum = static_cast<std::int64_t>(checksum(own.data(), own.size()));
  if (world.minimum(sum) == world.maximum(sum)) return;
  const auto texts = world.gather(own);
  agree(world, [&] {
    if (!world.is_root()) return;
    const std::string problem = odd_rank_problem(what, texts, advice);
    require(problem.empty(), problem);
  });
}

}  // namespace

void require_same_study_on_all_ranks(const Study& study, const Communicator& world) {
  const std::string text = study_file_text(study);
  require_same("program", fmt::format("sheaf {}, {}, build {}", program_version(), git_revision(), build_id()),
               "Use the same build on all nodes.", world);
  require_same("study", fmt::format("checksum {:08x}", checksum(text.data(), text.size())),
               "Use the same study file, current directory and environment on all nodes.", world);
}

void require_same_files_on_all_ranks(const Study& study, const ModelFingerprints& models, const Communicator& world) {
  std::string data;
  agree(world, [&] {
    if (study.data.source == DataSource::file) {
      const FileSchema file = inspect_file(study.data);
      data = file.files + ", " + file.shapes;
    }
  });
  require_same("data file", data, "Use the same file on all nodes; cp -p and sbcast -p keep the time of a copy.",
               world);
  for (const auto& [file, fingerprint] : models)
    require_same("model file", fmt::format("'{}' with fingerprint {}", file, fingerprint),
                 "Use the same file on all nodes.", world);
}

void require_same_library_on_all_ranks(const std::string& name, const std::string& version, const Communicator& world) {
  require_same(name, "version " + version, "Use the same version of its library on all nodes.", world);
}

}  // namespace sheaf
