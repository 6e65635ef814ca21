// SPDX-License-Identifier: MIT
#include "engines/native/kernels/blas_memory.hpp"

#include <dlfcn.h>
#include <fmt/format.h>
#include <sys/mman.h>
#include <sys/resource.h>

#include <vector>

#include "core/error.hpp"

namespace sheaf {
namespace {

// Larger than OpenBLAS's buffers on all processors (128 MiB on x86, 256 on POWER).
constexpr std::size_t buffer_bytes = std::size_t{257} << 20;

bool is_memory_limited() {
  for (const auto kind : {RLIMIT_AS, RLIMIT_DATA}) {
    struct rlimit limit {};
    if (::getrlimit(kind, &limit) == 0 && limit.rlim_cur != RLIM_INFINITY) return true;
  }
  return false;
}

bool has_memory(std::size_t bytes) {
  void* memory = ::mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  return memory != MAP_FAILED && ::munmap(memory, bytes) == 0;
}

}  // namespace

void require_blas_memory() {
  constexpr std::size_t needed = 2 * buffer_bytes;  // OpenBLAS allocates one for the process and one for its thread
  require(!is_memory_limited() || has_memory(needed),
          "The memory limit is too low for OpenBLAS (it may need two buffers of 256 MiB when it is loaded). Raise the "
          "limit (ulimit -v, ulimit -d).");
}

void reserve_blas_memory(std::int64_t threads) {
  // Only OpenBLAS has these functions. They are the same in all of its versions.
  const auto allocate = reinterpret_cast<void* (*)(int)>(dlsym(RTLD_DEFAULT, "blas_memory_alloc"));
  const auto release = reinterpret_cast<void (*)(void*)>(dlsym(RTLD_DEFAULT, "blas_memory_free"));
  if (allocate == nullptr || release == nullptr || !is_memory_limited()) return;
  std::vector<void*> buffers;
  bool enough = true;
  while (static_cast<std::int64_t>(buffers.size()) < threads && (enough = has_memory(buffer_bytes)))
    buffers.push_back(allocate(0));
  for (void* buffer : buffers) release(buffer);
  require(enough,
          fmt::format("The memory limit is too low for OpenBLAS ({} threads need a buffer of up to 256 MiB each). "
                      "Raise the limit (ulimit -v, ulimit -d) or use fewer lanes (run.lanes).",
                      threads));
}

}  // namespace sheaf
