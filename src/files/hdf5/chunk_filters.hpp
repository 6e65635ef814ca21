// Reverses HDF5's filters outside the library, which decompresses in one thread only. Several threads can use this
// code. Pure. Source: HDF5 File Format Specification 3.0, "Filter Pipeline Message", and the library's documentation of
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

/// Decodes the chunks of one data set. Reuses its buffers. Not thread-safe.
class ChunkDecoder {
 public:
  /// `filters` are in the order in which they were applied, with deflate at most once. `chunk_bytes` is the size of a
  /// decoded chunk.
  ChunkDecoder(std::vector<ChunkFilter> filters, std::size_t chunk_bytes);
  ~ChunkDecoder();
  ChunkDecoder(ChunkDecoder&&) noexcept;
  ChunkDecoder& operator=(ChunkDecoder&&) noexcept;

  /// Returns a buffer for a stored chunk of `bytes`.
  std::byte* stored(std::size_t bytes);

  /// Decodes the chunk of `bytes` in stored() and returns its numbers. They are at `to` (a buffer for a whole chunk) if
  /// it is not null and a filter can write there; otherwise they are valid until the next call. If bit k of
  /// `filter_mask` is set, filter k was not applied to the chunk. Throws RunError with the reason, a part of a
  /// sentence.
  const std::byte* decode(std::size_t bytes, std::uint32_t filter_mask, std::byte* to);

 private:
  struct Inflater;
  std::vector<ChunkFilter> filters_;
  std::size_t chunk_bytes_;
  std::vector<std::byte> stored_, decoded_;
  std::unique_ptr<Inflater> inflater_;
};

/// The checksum of HDF5's Fletcher-32 filter: 16-bit words, high byte first. Source: Fletcher, IEEE Transactions on
/// Communications 30 (1982), as in H5_checksum_fletcher32.
std::uint32_t fletcher32(const std::byte* bytes, std::size_t count);

}  // namespace sheaf
