// Where the chunks of a data set lie in its file, so that any number of threads can read them: the library hands out
// their bytes to one thread at a time, and tells their addresses only by a walk through all that come before.
// SPDX-License-Identifier: MIT
#pragma once

#include <hdf5.h>

#include <cstdint>
#include <mutex>
#include <optional>
#include <unordered_map>
#include <vector>

namespace sheaf {

struct ChunkPlace {
  std::int64_t address = 0;   ///< in the file, in bytes from its beginning
  std::int64_t bytes = 0;     ///< as stored
  std::uint32_t skipped = 0;  ///< bit k: filter k was not applied
};

/// Thread-safe, as far as no one else uses the library meanwhile who does not hold `library`.
class ChunkPlaces {
 public:
  /// `data_set`: chunked, opened by InputFile, and open as long as this. Local.
  ChunkPlaces(hid_t data_set, const std::vector<std::int64_t>& shape, const std::vector<std::int64_t>& chunk,
              std::mutex& library);

  /// Of the chunk whose first element is `corner`; nothing when it was never written. Asks the library once per chunk.
  /// Throws RunError with the library's reason, as half a sentence.
  std::optional<ChunkPlace> find(const std::vector<hsize_t>& corner) const;

 private:
  ChunkPlace ask(const std::vector<hsize_t>& corner) const;

  hid_t data_set_;
  std::vector<std::int64_t> chunk_, counts_;  // a chunk's sides; chunks along each
  std::mutex& library_;
  mutable std::unordered_map<std::int64_t, ChunkPlace> found_;  // of no bytes: never written
};

}  // namespace sheaf
