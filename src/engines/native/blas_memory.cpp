// SPDX-License-Identifier: MIT
#include "engines/native/blas_memory.hpp"

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

bool is_address_space_limited() {
  struct rlimit limit {};
  return ::getrlimit(RLIMIT_AS, &limit) == 0 && limit.rlim_cur != RLIM_INFINITY;
}

bool has_address_space(std::size_t bytes) {
  void* memory = ::mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  return memory != MAP_FAILED && ::munmap(memory, bytes) == 0;
}

}  // namespace

void reserve_blas_memory(std::int64_t threads) {
  // Only OpenBLAS has these functions. They are the same in all of its versions.
  const auto allocate = reinterpret_cast<void* (*)(int)>(dlsym(RTLD_DEFAULT, "blas_memory_alloc"));
  const auto release = reinterpret_cast<void (*)(void*)>(dlsym(RTLD_DEFAULT, "blas_memory_free"));
  if (allocate == nullptr || release == nullptr || !is_address_space_limited()) return;
  std::vector<void*> buffers;
  bool enough = true;
  while (static_cast<std::int64_t>(buffers.size()) < threads && (enough = has_address_space(buffer_bytes)))
    buffers.push_back(allocate(0));
  for (void* buffer : buffers) release(buffer);
  require(enough,
          fmt::format("The address space is too small for OpenBLAS ({} threads need a buffer of up to 256 MiB each). "
                      "Raise the memory limit (ulimit -v) or use fewer lanes (run.lanes).",
                      threads));
}

}  // namespace sheaf
