// Reserves memory for the BLAS library.
// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>

namespace sheaf {

/// If the address space is limited (RLIMIT_AS) and OpenBLAS is loaded, makes OpenBLAS allocate the buffers that
/// `threads` threads need at the same time. Otherwise OpenBLAS allocates a buffer at the first product of each thread,
/// and tries again forever if that fails. Throws RunError if the address space is too small. Call this before threads
/// compute. Local.
void reserve_blas_memory(std::int64_t threads);

}  // namespace sheaf
