// Addresses of the stored chunks of a data set, so that any number of threads can read them: HDF5 reads chunks in one
// thread at a time, and finds an address only by a walk through all chunks before it.
// SPDX-License-Identifier: MIT
#pragma once

#include <hdf5.h>

#include <cstdint>
#include <mutex>
#include <optional>
#include <unordered_map>
#include <vector>

namespace sheaf {

struct ChunkLocation {
  std::int64_t address = 0;       ///< in the file, in bytes from its beginning
  std::int64_t bytes = 0;         ///< as stored; 0: the chunk was never written
  std::uint32_t filter_mask = 0;  ///< bit k: filter k was not applied
};

/// Thread-safe while all other uses of HDF5 hold the mutex `library`.
class ChunkIndex {
 public:
  /// `data_set`: chunked, opened by InputFile, and open as long as this. Local.
  ChunkIndex(hid_t data_set, const std::vector<std::int64_t>& shape, const std::vector<std::int64_t>& chunk,
             std::mutex& library);

  /// The location of the chunk whose first element is `corner`; none when it was never written. HDF5 looks it up once.
  /// Throws RunError with HDF5's reason, as part of a sentence.
  std::optional<ChunkLocation> find(const std::vector<hsize_t>& corner) const;

 private:
  ChunkLocation look_up(const std::vector<hsize_t>& corner) const;

  hid_t data_set_;
  std::vector<std::int64_t> chunk_, counts_;  // a chunk's sides; chunks along each
  std::mutex& library_;
  mutable std::unordered_map<std::int64_t, ChunkLocation> found_;
};

}  // namespace sheaf
