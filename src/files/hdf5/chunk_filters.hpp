// What HDF5's filters did to a chunk, undone outside the library: it decompresses in one thread, these in any number.
// Pure. Source: HDF5 File Format Specification 3.0, "Filter Pipeline Message", and the library's documentation of
// H5Pset_shuffle, H5Pset_deflate and H5Pset_fletcher32.
// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

namespace sheaf {

struct ChunkFilter {
  enum class Kind { shuffle, deflate, fletcher32 };
  Kind kind = Kind::deflate;
  std::size_t element_bytes = 1;  ///< shuffle only
};

/// Decodes the chunks of one data set. Keeps its memory; not shared between threads.
class ChunkDecoder {
 public:
  /// `filters` in the order in which they were applied, deflate at most once. A whole chunk has `chunk_bytes` without
  /// them.
  ChunkDecoder(std::vector<ChunkFilter> filters, std::size_t chunk_bytes);
  ~ChunkDecoder();
  ChunkDecoder(ChunkDecoder&&) noexcept;
  ChunkDecoder& operator=(ChunkDecoder&&) noexcept;

  /// Room for a chunk as it is stored.
  std::byte* stored(std::size_t bytes);

  /// Decodes the chunk of `bytes` in stored(). Returns its numbers: at `to`, room for a whole chunk, if it is not null
  /// and a filter could write there, else in memory that is valid until the next call. Bit k of `filter_mask` says that
  /// filter k was not applied to the chunk. Throws RunError with the reason, as part of a sentence.
  const std::byte* decode(std::size_t bytes, std::uint32_t filter_mask, std::byte* to);

 private:
  struct Inflater;
  std::vector<ChunkFilter> filters_;
  std::size_t chunk_bytes_;
  std::vector<std::byte> stored_, decoded_;
  std::unique_ptr<Inflater> inflater_;
};

/// The sum of HDF5's filter: 16-bit words, the high byte first. Source: Fletcher, IEEE Transactions on Communications
/// 30 (1982), in the form of H5_checksum_fletcher32.
std::uint32_t fletcher32(const std::byte* bytes, std::size_t count);

}  // namespace sheaf
