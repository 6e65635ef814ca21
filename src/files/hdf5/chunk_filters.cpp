// SPDX-License-Identifier: MIT
#include "files/hdf5/chunk_filters.hpp"

#include <fmt/format.h>
#include <libdeflate.h>

#include <algorithm>
#include <cassert>
#include <utility>

#include "core/error.hpp"

namespace sheaf {
namespace {

constexpr std::size_t checksum_bytes = 4;

// Reads planes: plane k contains byte k of all elements. The compiler knows the element size and vectorizes the loop,
// which is nine times as fast as the overload below.
template <std::size_t element_bytes>
void interleave(const std::byte* __restrict planes, std::size_t count, std::byte* __restrict to) {
  for (std::size_t element = 0; element < count; ++element)
    for (std::size_t part = 0; part < element_bytes; ++part)
      to[element * element_bytes + part] = planes[part * count + element];
}

void interleave(const std::byte* planes, std::size_t count, std::size_t element_bytes, std::byte* to) {
  constexpr std::size_t tile = 4096;  // elements whose bytes stay in the first-level cache
  for (std::size_t begin = 0; begin < count; begin += tile) {
    const std::size_t end = std::min(count, begin + tile);
    for (std::size_t part = 0; part < element_bytes; ++part) {
      const std::byte* plane = planes + part * count;
      for (std::size_t element = begin; element < end; ++element) to[element * element_bytes + part] = plane[element];
    }
  }
}

// `from` contains planes of bytes. The bytes after the last whole element are at the end, unchanged.
void unshuffle(const std::byte* from, std::size_t bytes, std::size_t element_bytes, std::byte* to) {
  const std::size_t count = bytes / element_bytes;
  switch (element_bytes) {
    case 2:
      interleave<2>(from, count, to);
      break;
    case 4:
      interleave<4>(from, count, to);
      break;
    case 8:
      interleave<8>(from, count, to);
      break;
    default:
      interleave(from, count, element_bytes, to);
  }
  std::copy(from + count * element_bytes, from + bytes, to + count * element_bytes);
}

std::uint32_t little_endian(const std::byte* bytes) {
  std::uint32_t value = 0;
  for (std::size_t index = checksum_bytes; index-- > 0;)
    value = value << 8 | std::to_integer<std::uint32_t>(bytes[index]);
  return value;
}

// HDF5 before 1.6.3 stored the bytes of each half in reverse order on little-endian machines.
std::uint32_t halves_swapped(std::uint32_t sum) {
  return (sum & 0x00ff00ffu) << 8 | (sum >> 8 & 0x00ff00ffu);
}

std::size_t without_checksum(const std::byte* bytes, std::size_t count) {
  require(count >= checksum_bytes, "it is shorter than its checksum");
  const std::size_t data_bytes = count - checksum_bytes;
  const std::uint32_t stored = little_endian(bytes + data_bytes), found = fletcher32(bytes, data_bytes);
  require(stored == found || stored == halves_swapped(found),
          [&] { return fmt::format("its checksum is {:08x}, not {:08x}", found, stored); });
  return data_bytes;
}

}  // namespace

std::uint32_t fletcher32(const std::byte* bytes, std::size_t count) {
  std::uint32_t first = 0, second = 0;
  const auto word = [&](std::size_t index) {
    return std::to_integer<std::uint32_t>(bytes[index]) << 8 |
           (index + 1 < count ? std::to_integer<std::uint32_t>(bytes[index + 1]) : 0);
  };
  constexpr std::size_t max_words = 360;  // with more, the second sum could overflow
  for (std::size_t index = 0; index < count;) {
    const std::size_t end = std::min(count, index + 2 * max_words);
    for (; index < end; index += 2) {
      first += word(index);
      second += first;
    }
    first = (first & 0xffff) + (first >> 16);
    second = (second & 0xffff) + (second >> 16);
  }
  first = (first & 0xffff) + (first >> 16);
  second = (second & 0xffff) + (second >> 16);
  return second << 16 | first;
}

struct ChunkDecoder::Inflater {
  libdeflate_decompressor* state = libdeflate_alloc_decompressor();
  ~Inflater() { libdeflate_free_decompressor(state); }
};

ChunkDecoder::ChunkDecoder(std::vector<ChunkFilter> filters, std::size_t chunk_bytes)
    : filters_(std::move(filters)), chunk_bytes_(chunk_bytes) {
  const auto is_deflate = [](const ChunkFilter& filter) { return filter.kind == ChunkFilter::Kind::deflate; };
  assert(std::count_if(filters_.begin(), filters_.end(), is_deflate) <= 1);
  if (std::none_of(filters_.begin(), filters_.end(), is_deflate)) return;
  inflater_ = std::make_unique<Inflater>();
  require(inflater_->state != nullptr, "memory to decompress it cannot be allocated");
}

ChunkDecoder::~ChunkDecoder() = default;
ChunkDecoder::ChunkDecoder(ChunkDecoder&&) noexcept = default;
ChunkDecoder& ChunkDecoder::operator=(ChunkDecoder&&) noexcept = default;

std::byte* ChunkDecoder::stored(std::size_t bytes) {
  if (stored_.size() < bytes) stored_.resize(bytes);
  return stored_.data();
}

const std::byte* ChunkDecoder::decode(std::size_t bytes, std::uint32_t filter_mask, std::byte* to) {
  const auto applied = [&](std::size_t filter) { return (filter_mask >> filter & 1) == 0; };
  // The input size of each filter when the chunk was written, and the first filter that was applied.
  std::vector<std::size_t> sizes;
  std::size_t size = chunk_bytes_, first = filters_.size();
  for (std::size_t filter = 0; filter < filters_.size(); ++filter) {
    sizes.push_back(size);
    if (!applied(filter)) continue;
    first = std::min(first, filter);
    if (filters_[filter].kind == ChunkFilter::Kind::fletcher32) size += checksum_bytes;
  }
  std::size_t now = bytes;
  const std::byte* found = stored_.data();
  for (std::size_t filter = filters_.size(); filter-- > 0;) {
    if (!applied(filter)) continue;
    if (filters_[filter].kind == ChunkFilter::Kind::fletcher32) {
      now = without_checksum(found, now);
      continue;
    }
    const bool inflates = filters_[filter].kind == ChunkFilter::Kind::deflate;
    const bool in_place = to != nullptr && filter == first && (inflates || now == chunk_bytes_);
    if (!in_place) decoded_.resize(std::max(sizes[filter], now));
    std::byte* into = in_place ? to : decoded_.data();
    if (inflates) {
      const auto result = libdeflate_zlib_decompress(inflater_->state, found, now, into, sizes[filter], &now);
      require(result == LIBDEFLATE_SUCCESS, result == LIBDEFLATE_INSUFFICIENT_SPACE
                                                ? "it decompresses to more than a chunk"
                                                : "it does not decompress");
    } else {
      unshuffle(found, now, filters_[filter].element_bytes, into);
    }
    found = into;
    if (!in_place) std::swap(stored_, decoded_);
  }
  require(now == chunk_bytes_, [&] { return fmt::format("it has {} bytes, not {}", now, chunk_bytes_); });
  return found;
}

}  // namespace sheaf
