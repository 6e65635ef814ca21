// Chunks as HDF5's shuffle and deflate make them, made outside the library: in any number of threads. Pure.
// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>
#include <memory>
#include <vector>

namespace sheaf {

/// Encodes the chunks of one data set. Keeps its memory; not shared between threads.
class ChunkEncoder {
 public:
  /// `level`: 1 to 9, of gzip. Throws RunError when there is no memory.
  ChunkEncoder(std::size_t element_bytes, int level);
  ~ChunkEncoder();
  ChunkEncoder(ChunkEncoder&&) noexcept;
  ChunkEncoder& operator=(ChunkEncoder&&) noexcept;

  /// A whole chunk, shuffled and deflated.
  std::vector<std::byte> encode(const std::byte* chunk, std::size_t bytes);

 private:
  struct Deflater;
  std::size_t element_bytes_;
  std::vector<std::byte> shuffled_;
  std::unique_ptr<Deflater> deflater_;
};

}  // namespace sheaf
