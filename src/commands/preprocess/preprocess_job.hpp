// The job of `sheaf preprocess`: one HDF5 file made of another by all ranks and their cores.
// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <string>

#include "data/transform/transform_plan.hpp"
#include "parallel/mpi/communicator.hpp"

namespace sheaf {

struct PreprocessRequest {
  std::string input, output;
  std::string features = "features";
  TransformOptions steps;
  std::int64_t chunk_rows = 0;  ///< of the result; 0: chunks of about 1 MiB
  int compression = 0;          ///< of gzip, 0 to 9
  bool copy = true;             ///< the file's other contents, too
  bool overwrite = false;
};

/// Makes the file: whole, or none under its name. The bytes are the same for any number of ranks and threads. Throws
/// AgreedError on every rank. Rank 0 prints a line to stdout. Collective over world.
void execute_preprocess(const PreprocessRequest& request, const Communicator& world);

}  // namespace sheaf
