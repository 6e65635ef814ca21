// The job of `sheaf preprocess`: all cores of all ranks transform one HDF5 file into another.
// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "data/transform/transform_plan.hpp"
#include "parallel/mpi/communicator.hpp"

namespace sheaf {

struct PreprocessRequest {
  std::string input, output;
  std::string features = "features";
  TransformOptions steps;
  std::optional<std::string> like;  ///< a scaled file, whose shift and divisor are used instead of steps.normalize
  std::int64_t chunk_rows = 0;      ///< rows per chunk of the output; 0: chunks of about 1 MiB
  int compression = 0;              ///< gzip level, 0 to 9
  bool copy = true;                 ///< also copy the other contents of the file
  bool overwrite = false;
};

/// Writes the output file, which gets its name only when it is complete. Its bytes are the same for any number of ranks
/// and threads. Rank 0 prints one line to stdout. Throws AgreedError. Collective over world.
void execute_preprocess(const PreprocessRequest& request, const Communicator& world);

}  // namespace sheaf
