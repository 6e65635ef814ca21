// SPDX-License-Identifier: MIT
#include "files/hdf5/chunk_encoder.hpp"

#include <libdeflate.h>

#include <algorithm>
#include <cassert>

#include "core/error.hpp"

namespace sheaf {
namespace {

// Puts byte k of all elements together, for each k.
void shuffle(const std::byte* from, std::size_t bytes, std::size_t element_bytes, std::byte* to) {
  const std::size_t count = bytes / element_bytes;
  constexpr std::size_t tile = 4096;  // elements whose bytes stay in the first-level cache
  for (std::size_t begin = 0; begin < count; begin += tile) {
    const std::size_t end = std::min(count, begin + tile);
    for (std::size_t byte = 0; byte < element_bytes; ++byte) {
      std::byte* plane = to + byte * count;
      for (std::size_t element = begin; element < end; ++element) plane[element] = from[element * element_bytes + byte];
    }
  }
}

}  // namespace

struct ChunkEncoder::Deflater {
  explicit Deflater(int level) : state(libdeflate_alloc_compressor(level)) {}
  ~Deflater() { libdeflate_free_compressor(state); }
  libdeflate_compressor* state;
};

ChunkEncoder::ChunkEncoder(std::size_t element_bytes, int level)
    : element_bytes_(element_bytes), deflater_(std::make_unique<Deflater>(level)) {
  require(deflater_->state != nullptr, "Cannot allocate memory for compression. Use fewer ranks.");
}

ChunkEncoder::~ChunkEncoder() = default;
ChunkEncoder::ChunkEncoder(ChunkEncoder&&) noexcept = default;
ChunkEncoder& ChunkEncoder::operator=(ChunkEncoder&&) noexcept = default;

std::vector<std::byte> ChunkEncoder::encode(const std::byte* chunk, std::size_t bytes) {
  assert(bytes % element_bytes_ == 0);
  shuffled_.resize(bytes);
  shuffle(chunk, bytes, element_bytes_, shuffled_.data());
  std::vector<std::byte> encoded(libdeflate_zlib_compress_bound(deflater_->state, bytes));
  encoded.resize(libdeflate_zlib_compress(deflater_->state, shuffled_.data(), bytes, encoded.data(), encoded.size()));
  assert(!encoded.empty());
  return encoded;
}

}  // namespace sheaf
