// Pieces: a word of bytes that say filters and sizes, then a chunk. Options: 0 the chunk is the numbers, to be filtered
// here and given back by the decoder; else it is what the file holds.
// SPDX-License-Identifier: MIT
#include "files/hdf5/chunk_filters.hpp"

#include <zlib.h>

#include <cstring>

#include "fuzzing.hpp"

using namespace sheaf;
using Kind = ChunkFilter::Kind;

namespace {

struct Layout {
  std::vector<ChunkFilter> filters;
  std::size_t chunk_bytes = 0;
  std::uint32_t skipped = 0;
};

// Two bytes for the size, one for the filters left out, one for each filter.
Layout layout_of(const std::string& word) {
  const auto byte = [&](std::size_t place) {
    return place < word.size() ? static_cast<unsigned>(static_cast<unsigned char>(word[place])) : 0u;
  };
  Layout layout;
  layout.chunk_bytes = byte(0) | (byte(1) & 0x1f) << 8;
  layout.skipped = byte(2);
  bool deflated = false;
  for (std::size_t place = 3; place < std::min<std::size_t>(word.size(), 8); ++place) {
    const auto kind = static_cast<Kind>(byte(place) % 3);
    if (kind == Kind::deflate && std::exchange(deflated, true)) continue;
    layout.filters.push_back({kind, 1 + byte(place) / 3 % 17});
  }
  return layout;
}

std::string shuffled(const std::string& bytes, std::size_t element_bytes) {
  std::string planes = bytes;
  const std::size_t count = bytes.size() / element_bytes;
  for (std::size_t element = 0; element < count; ++element)
    for (std::size_t part = 0; part < element_bytes; ++part)
      planes[part * count + element] = bytes[element * element_bytes + part];
  return planes;
}

std::string deflated(const std::string& bytes) {
  uLongf size = compressBound(static_cast<uLong>(bytes.size()));
  std::string packed(size, '\0');
  compress(reinterpret_cast<Bytef*>(packed.data()), &size, reinterpret_cast<const Bytef*>(bytes.data()),
           static_cast<uLong>(bytes.size()));
  packed.resize(size);
  return packed;
}

std::string summed(std::string bytes) {
  const std::uint32_t sum = fletcher32(reinterpret_cast<const std::byte*>(bytes.data()), bytes.size());
  for (int place = 0; place < 4; ++place) bytes.push_back(static_cast<char>(sum >> 8 * place));
  return bytes;
}

// What HDF5 writes.
std::string filtered(std::string chunk, const Layout& layout) {
  for (std::size_t filter = 0; filter < layout.filters.size(); ++filter) {
    if ((layout.skipped >> filter & 1) != 0) continue;
    const ChunkFilter& what = layout.filters[filter];
    chunk = what.kind == Kind::shuffle   ? shuffled(chunk, what.element_bytes)
            : what.kind == Kind::deflate ? deflated(chunk)
                                         : summed(chunk);
  }
  return chunk;
}

std::string decoded(const Layout& layout, const std::string& stored) {
  ChunkDecoder decoder(layout.filters, layout.chunk_bytes);
  const auto decode = [&](std::byte* to) {
    if (!stored.empty()) std::memcpy(decoder.stored(stored.size()), stored.data(), stored.size());
    const std::byte* numbers = decoder.decode(stored.size(), layout.skipped, to);
    return std::string(reinterpret_cast<const char*>(numbers), layout.chunk_bytes);
  };
  const std::string numbers = decode(nullptr);
  std::vector<std::byte> room(layout.chunk_bytes);
  fuzz::must(decode(room.data()) == numbers, "a chunk is the same wherever it is decoded to");
  return numbers;
}

}  // namespace

int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const fuzz::Input input(data, size);
  Layout layout = layout_of(input.piece(0));
  const std::string chunk = input.piece(1);
  if (input.option(0)) {
    layout.chunk_bytes = chunk.size();
    fuzz::must(decoded(layout, filtered(chunk, layout)) == chunk, "a chunk comes back as it was");
  } else {
    fuzz::accepts([&] { decoded(layout, chunk); });
  }
  return 0;
}
