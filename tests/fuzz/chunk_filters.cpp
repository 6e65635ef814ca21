// Input parts: bytes that describe filters and sizes, then a chunk. Option 0: the chunk has unfiltered values, which
// are filtered here and must be restored by the decoder. Otherwise the chunk has stored bytes.
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

// Reads two bytes for the size, one for the mask of skipped filters, and one for each filter.
Layout layout_of(const std::string& description) {
  const auto byte = [&](std::size_t index) {
    return index < description.size() ? static_cast<unsigned>(static_cast<unsigned char>(description[index])) : 0u;
  };
  Layout layout;
  layout.chunk_bytes = byte(0) | (byte(1) & 0x1f) << 8;
  layout.skipped = byte(2);
  bool deflated = false;
  for (std::size_t index = 3; index < std::min<std::size_t>(description.size(), 8); ++index) {
    const auto kind = static_cast<Kind>(byte(index) % 3);
    if (kind == Kind::deflate && std::exchange(deflated, true)) continue;
    layout.filters.push_back({kind, 1 + byte(index) / 3 % 17});
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
  for (int i = 0; i < 4; ++i) bytes.push_back(static_cast<char>(sum >> 8 * i));
  return bytes;
}

// Returns the bytes that HDF5 would store.
std::string filtered(std::string chunk, const Layout& layout) {
  for (std::size_t filter = 0; filter < layout.filters.size(); ++filter) {
    if ((layout.skipped >> filter & 1) != 0) continue;
    const ChunkFilter& applied = layout.filters[filter];
    chunk = applied.kind == Kind::shuffle   ? shuffled(chunk, applied.element_bytes)
            : applied.kind == Kind::deflate ? deflated(chunk)
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
  std::vector<std::byte> buffer(layout.chunk_bytes);
  fuzz::must(decode(buffer.data()) == numbers, "a chunk decodes to the same values with and without a target buffer");
  return numbers;
}

}  // namespace

int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const fuzz::Input input(data, size);
  Layout layout = layout_of(input.part(0));
  const std::string chunk = input.part(1);
  if (input.option(0)) {
    layout.chunk_bytes = chunk.size();
    fuzz::must(decoded(layout, filtered(chunk, layout)) == chunk, "filtering and decoding restore a chunk");
  } else {
    fuzz::accepts([&] { decoded(layout, chunk); });
  }
  return 0;
}
