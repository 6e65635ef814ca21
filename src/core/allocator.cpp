// SPDX-License-Identifier: MIT
#include "core/allocator.hpp"

#include <cstdlib>  // defines __GLIBC__

#ifdef __GLIBC__
#include <malloc.h>
#endif

namespace sheaf {

void keep_freed_memory() {
#ifdef __GLIBC__
  constexpr int one_gib = 1 << 30;
  mallopt(M_MMAP_THRESHOLD, one_gib);
  mallopt(M_TRIM_THRESHOLD, one_gib);
  mallopt(M_TOP_PAD, 64 << 20);
#endif
}

void return_freed_memory() {
#ifdef __GLIBC__
  malloc_trim(0);
#endif
}

}  // namespace sheaf
