// Finds the addresses of the stored chunks of a data set, so that several threads can read them. HDF5 itself reads
// chunks in one thread at a time, and its search for an address visits all chunks before it.
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
  std::int64_t address = 0;       ///< offset in the file, in bytes
  std::int64_t bytes = 0;         ///< stored size; 0: the chunk was never written
  std::uint32_t filter_mask = 0;  ///< bit k is set if filter k was not applied
};

/// Thread-safe, provided that all other uses of HDF5 hold the mutex `library`.
class ChunkIndex {
 public:
  /// `data_set` is chunked, was opened by InputFile and must stay open as long as this object. Local.
  ChunkIndex(hid_t data_set, const std::vector<std::int64_t>& shape, const std::vector<std::int64_t>& chunk,
             std::mutex& library);

  /// Returns the location of the chunk whose first element is `corner`, or nullopt if it was never written. Looks up
  /// each chunk once. Throws RunError with HDF5's reason, a part of a sentence.
  std::optional<ChunkLocation> find(const std::vector<hsize_t>& corner) const;

 private:
  ChunkLocation look_up(const std::vector<hsize_t>& corner) const;

  hid_t data_set_;
  std::vector<std::int64_t> chunk_, counts_;  // extents of a chunk; number of chunks along each dimension
  std::mutex& library_;
  mutable std::unordered_map<std::int64_t, ChunkLocation> found_;
};

}  // namespace sheaf
