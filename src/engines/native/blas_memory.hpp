// Memory of the BLAS library.
// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>

namespace sheaf {

/// Where address space is limited (RLIMIT_AS), makes OpenBLAS, if it is loaded, take the buffers that `threads` threads
/// need at the same time: it asks for them at a thread's first product and repeats that for ever when it gets none.
/// Throws RunError when there is too little. Call it before threads compute. Local.
void reserve_blas_memory(std::int64_t threads);

}  // namespace sheaf
