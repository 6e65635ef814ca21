// SPDX-License-Identifier: MIT
#include "files/hdf5/chunk_encoder.hpp"

#include <algorithm>
#include <vector>

#include "files/hdf5/chunk_filters.hpp"
#include "support/catch.hpp"

using namespace sheaf;

TEST_CASE("decoding an encoded chunk restores it, for any element size and chunk length") {
  for (const std::size_t element_bytes : {1, 2, 4, 8})
    for (const std::size_t elements : {1, 3, 4095, 4096, 10000}) {
      std::vector<std::byte> chunk(elements * element_bytes);
      for (std::size_t index = 0; index < chunk.size(); ++index)
        chunk[index] = static_cast<std::byte>(index * index / 7);
      ChunkEncoder encoder(element_bytes, 4);
      ChunkDecoder decoder({{ChunkFilter::Kind::shuffle, element_bytes}, {ChunkFilter::Kind::deflate}}, chunk.size());
      for (int time = 0; time < 2; ++time) {
        const std::vector<std::byte> encoded = encoder.encode(chunk.data(), chunk.size());
        std::copy(encoded.begin(), encoded.end(), decoder.stored(encoded.size()));
        const std::byte* decoded = decoder.decode(encoded.size(), 0, nullptr);
        CHECK(std::equal(chunk.begin(), chunk.end(), decoded));
        std::reverse(chunk.begin(), chunk.end());
      }
    }
}

TEST_CASE("a higher compression level gives fewer bytes") {
  std::vector<std::byte> chunk(1 << 16);
  for (std::size_t index = 0; index < chunk.size(); ++index)
    chunk[index] = static_cast<std::byte>(index * index / 7 % 61);
  CHECK(ChunkEncoder(4, 9).encode(chunk.data(), chunk.size()).size() <
        ChunkEncoder(4, 1).encode(chunk.data(), chunk.size()).size());
}
