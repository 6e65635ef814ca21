// SPDX-License-Identifier: MIT
#include "commands/train/identified_data.hpp"

#include "data/content_identity.hpp"
#include "parallel/mpi/agreement.hpp"
#include "runs/run_reader.hpp"

namespace sheaf {

DataIdentity identify_data(const PreparedStudy& prepared, const std::optional<std::string>& directory,
                           const Communicator& world, const Communicator& node) {
  const auto& data = prepared.data.data;
  if (!data) return {"drawn for each iteration from its seed", ""};
  if (!prepared.file) return {data->fingerprint, ""};
  const std::string files = world.broadcast(prepared.file->files, 0);
  const std::int64_t threads = prepared.placement.thread_count();
  if (!prepared.data.stream) return {content_in_memory(*data, threads, world, node), files};
  std::string known;
  agree(world, [&] {
    if (world.is_root() && directory) known = RunReader(*directory).content_of_files(files);
  });
  known = world.broadcast(known, 0);
  if (!known.empty()) return {known, files};
  return {streamed_content(prepared.study.data, *prepared.file, *data, threads, world), files};
}

}  // namespace sheaf
