// Reserves memory for the BLAS library.
// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>

namespace sheaf {

/// Throws RunError if memory is limited (RLIMIT_AS, RLIMIT_DATA) and OpenBLAS could not allocate its first buffers: it
/// would try again forever. Call this before OpenBLAS is loaded. Local.
void require_blas_memory();

/// If memory is limited (RLIMIT_AS, RLIMIT_DATA) and OpenBLAS is loaded, makes OpenBLAS allocate the buffers that
/// `threads` threads need at the same time. Otherwise OpenBLAS allocates a buffer at the first product of each thread,
/// and tries again forever if that fails. Throws RunError if the limit is too low. Call this before threads
/// compute. Local.
void reserve_blas_memory(std::int64_t threads);

}  // namespace sheaf
