// A library to preload. It refuses threads, memory or the start of MPI, according to environment variables:
//   SHEAF_REFUSE_THREAD=K      the K-th thread after the start of MPI (from 1) and all later ones fail
//   SHEAF_REFUSE_MEMORY=K,N    N allocations by operator new fail, from the K-th after the start of MPI
//   SHEAF_REPORT=FILE          no refusal; at exit, writes to FILE: number of threads, number of allocations, peak
//                              address space in kB at the start of MPI, and at exit
//   SHEAF_REFUSE_MPI=start     MPI_Init_thread fails
//   SHEAF_REFUSE_MPI=threads   MPI_Init_thread provides MPI_THREAD_SINGLE only
// SPDX-License-Identifier: MIT
#include <dlfcn.h>
#include <mpi.h>
#include <pthread.h>

#include <atomic>
#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <new>

namespace {

constexpr long never = 1L << 60;

std::atomic<long> threads{-never}, allocations{-never};  // calls since the start of MPI
long started_kb = 0;
long first_thread = never, first_allocation = never, end_allocation = never;

long peak_kb() {
  long kb = 0;
  char line[256];
  std::FILE* file = std::fopen("/proc/self/status", "r");
  while (file != nullptr && std::fgets(line, sizeof line, file) != nullptr &&
         std::sscanf(line, "VmPeak: %ld", &kb) < 1) {
  }
  if (file != nullptr) std::fclose(file);
  return kb;
}

struct Report {
  ~Report() {
    const char* path = std::getenv("SHEAF_REPORT");
    const bool is_program = started_kb > 0;  // not the daemon of Open MPI, which inherits the environment
    std::FILE* file = path != nullptr && is_program ? std::fopen(path, "w") : nullptr;
    if (file == nullptr) return;
    std::fprintf(file, "%ld %ld %ld %ld\n", threads.load(), allocations.load(), started_kb, peak_kb());
    std::fclose(file);
  }
} report;

}  // namespace

extern "C" {

int MPI_Init_thread(int* argc, char*** argv, int required, int* provided) {
  const char* refused = std::getenv("SHEAF_REFUSE_MPI");
  if (refused != nullptr && std::strcmp(refused, "start") == 0) return MPI_ERR_OTHER;
  const int code = PMPI_Init_thread(argc, argv, required, provided);
  if (refused != nullptr) *provided = MPI_THREAD_SINGLE;
  if (const char* text = std::getenv("SHEAF_REFUSE_THREAD")) first_thread = std::atol(text);
  if (const char* text = std::getenv("SHEAF_REFUSE_MEMORY")) {
    long count = 0;
    std::sscanf(text, "%ld,%ld", &first_allocation, &count);
    end_allocation = first_allocation + count;
  }
  started_kb = peak_kb();
  threads = allocations = 0;
  return code;
}

int pthread_create(pthread_t* thread, const pthread_attr_t* attributes, void* (*work)(void*), void* argument) {
  static const auto create = reinterpret_cast<decltype(&pthread_create)>(dlsym(RTLD_NEXT, "pthread_create"));
  return ++threads >= first_thread ? EAGAIN : create(thread, attributes, work, argument);
}

}  // extern "C"

void* operator new(std::size_t size) {
  const long number = ++allocations;
  void* memory = number >= first_allocation && number < end_allocation ? nullptr : std::malloc(size);
  if (memory == nullptr) throw std::bad_alloc();
  return memory;
}

void operator delete(void* memory) noexcept {
  std::free(memory);
}

void operator delete(void* memory, std::size_t) noexcept {
  std::free(memory);
}
