// Simulates a machine with little memory: operator new throws std::bad_alloc for large sizes, such as those that a
// damaged file declares. The operator new of the sanitizer would end the program instead. The sanitizer's check for
// mismatched new and free is disabled, since this operator new calls malloc.
// SPDX-License-Identifier: MIT
#include <cstdlib>
#include <new>

extern "C" const char* __asan_default_options() {
  return "alloc_dealloc_mismatch=0";
}

void* operator new(std::size_t bytes) {
  constexpr std::size_t most = std::size_t{256} << 20;
  void* memory = bytes > most ? nullptr : std::malloc(bytes > 0 ? bytes : 1);
  if (memory == nullptr) throw std::bad_alloc();
  return memory;
}

void operator delete(void* memory) noexcept {
  std::free(memory);
}

void operator delete(void* memory, std::size_t) noexcept {
  std::free(memory);
}
