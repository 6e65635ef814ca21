// SPDX-License-Identifier: MIT
#include "engines/native/kernels/arena.hpp"

#include <sys/mman.h>

#include <cstring>
#include <new>

namespace sheaf {
namespace {

constexpr std::size_t huge_page = std::size_t{2} << 20;
constexpr std::size_t cache_line = 64;

// Smaller arenas would waste most of a huge page, which the system clears.
std::align_val_t alignment_of(std::size_t bytes) {
  return std::align_val_t{bytes < huge_page / 2 ? cache_line : huge_page};
}

}  // namespace

Arena::Arena(std::size_t bytes) {
  const std::align_val_t alignment = alignment_of(bytes);
  const auto unit = static_cast<std::size_t>(alignment);
  const std::size_t rounded = (bytes + unit - 1) / unit * unit;
  memory_ = {static_cast<std::byte*>(::operator new(rounded, alignment)), AlignedFree{alignment}};
#ifdef MADV_HUGEPAGE
  if (unit == huge_page) madvise(memory_.get(), rounded, MADV_HUGEPAGE);  // a hint: training is slower without
#endif
  std::memset(memory_.get(), 0, rounded);
}

}  // namespace sheaf
