// Encodes chunks with HDF5's shuffle and deflate filters outside the library, so that several threads can do it. Pure.
// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>
#include <memory>
#include <vector>

namespace sheaf {

/// Encodes the chunks of one data set. Reuses its buffers. Not thread-safe.
class ChunkEncoder {
 public:
  /// `level` is a gzip level, 1 to 9. Throws RunError if memory cannot be allocated.
  ChunkEncoder(std::size_t element_bytes, int level);
  ~ChunkEncoder();
  ChunkEncoder(ChunkEncoder&&) noexcept;
  ChunkEncoder& operator=(ChunkEncoder&&) noexcept;

  /// Returns a whole chunk, shuffled and deflated.
  std::vector<std::byte> encode(const std::byte* chunk, std::size_t bytes);

 private:
  struct Deflater;
  std::size_t element_bytes_;
  std::vector<std::byte> shuffled_;
  std::unique_ptr<Deflater> deflater_;
};

}  // namespace sheaf
