// SPDX-License-Identifier: MIT
#include "commands/train/prepare/identified_data.hpp"

#include "core/fingerprint.hpp"
#include "data/content_identity.hpp"
#include "data/data_description.hpp"
#include "data/description_text.hpp"
#include "parallel/mpi/agreement.hpp"
#include "runs/run_reader.hpp"

namespace sheaf {
namespace {

// The description decides about features, and enters the saved models. Where the data come from does not count.
std::string described(const std::string& content, DataDescription description) {
  description.source.clear();
  description.content_hash.clear();
  Fingerprint fingerprint;
  fingerprint.add(description_text(description));
  return content + ", description " + fingerprint.text();
}

}  // namespace

DataIdentity identify_data(const PreparedStudy& prepared, const std::optional<std::string>& directory,
                           const Communicator& world, const Communicator& node) {
  const auto& data = prepared.data.data;
  if (!data) return {"drawn for each iteration from its seed", ""};
  if (!prepared.file) return {data->fingerprint, ""};
  const std::string files = world.broadcast(prepared.file->files, 0);
  const std::int64_t threads = prepared.placement.thread_count();
  const DataDescription& description = prepared.data.description;
  if (!prepared.data.stream) return {described(content_in_memory(*data, threads, world, node), description), files};
  std::string known;
  agree(world, [&] {
    if (world.is_root() && directory) known = RunReader(*directory).content_of_files(files);
  });
  known = world.broadcast(known, 0);
  if (!known.empty()) return {known, files};
  return {described(streamed_content(prepared.study->data, *prepared.data.file, *data, threads, world), description),
          files};
}

}  // namespace sheaf
