// SPDX-License-Identifier: MIT
#include "core/past_caches.hpp"

#include <hwy/cache_control.h>
#include <hwy/highway.h>

#include <algorithm>
#include <cstdint>

HWY_BEFORE_NAMESPACE();
namespace sheaf {
namespace {

namespace hn = hwy::HWY_NAMESPACE;

constexpr std::size_t line = 64;

// Copies whole cache lines. The stores of a line follow each other, so the processor combines them into one write.
void stream_lines(const std::uint8_t* from, std::size_t lines, std::uint8_t* to) {
  const hn::Full128<std::uint8_t> tag;
  for (; lines > 0; --lines, from += line, to += line) {
    const auto first = hn::LoadU(tag, from), second = hn::LoadU(tag, from + 16);
    const auto third = hn::LoadU(tag, from + 32), fourth = hn::LoadU(tag, from + 48);
    hn::Stream(first, tag, to);
    hn::Stream(second, tag, to + 16);
    hn::Stream(third, tag, to + 32);
    hn::Stream(fourth, tag, to + 48);
  }
  hwy::FlushStream();  // the stores are visible before anything that follows
}

}  // namespace

void copy_past_caches(const std::byte* from, std::size_t bytes, std::byte* to) {
  const std::size_t head = std::min(bytes, static_cast<std::size_t>(-reinterpret_cast<std::uintptr_t>(to) % line));
  const std::size_t lines = (bytes - head) / line, middle = lines * line;
  std::copy_n(from, head, to);
  stream_lines(reinterpret_cast<const std::uint8_t*>(from + head), lines, reinterpret_cast<std::uint8_t*>(to + head));
  std::copy_n(from + head + middle, bytes - head - middle, to + head + middle);
}

}  // namespace sheaf
HWY_AFTER_NAMESPACE();
