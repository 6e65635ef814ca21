// A machine with little memory: what a file merely promises fails here as it would there, by std::bad_alloc. The
// sanitizer's own operator new ends the program instead, and its check that what new gave is not freed by free is off.
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
