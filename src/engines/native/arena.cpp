// SPDX-License-Identifier: MIT
#include "engines/native/arena.hpp"

#include <sys/mman.h>

#include <cstring>
#include <new>

namespace sheaf {
namespace {

constexpr std::size_t huge_page = std::size_t{2} << 20;
constexpr std::align_val_t alignment{huge_page};

}  // namespace

Arena::Arena(std::size_t bytes) {
  const std::size_t rounded = (bytes + huge_page - 1) / huge_page * huge_page;
  memory_.reset(static_cast<std::byte*>(::operator new(rounded, alignment)));
#ifdef MADV_HUGEPAGE
  madvise(memory_.get(), rounded, MADV_HUGEPAGE);  // a hint: without huge pages, training is slower
#endif
  std::memset(memory_.get(), 0, rounded);
}

void Arena::Free::operator()(std::byte* memory) const {
  ::operator delete(memory, alignment);
}

}  // namespace sheaf
