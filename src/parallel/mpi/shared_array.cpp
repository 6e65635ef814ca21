// SPDX-License-Identifier: MIT
#include "parallel/mpi/shared_array.hpp"

#include <sys/statvfs.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <exception>
#include <filesystem>
#include <string>

#include "core/error.hpp"
#include "core/index_range.hpp"
#include "core/text.hpp"
#include "parallel/mpi/agreement.hpp"
#include "parallel/mpi/session.hpp"

namespace sheaf {
namespace {

constexpr std::size_t alignment = 64;
constexpr std::size_t page = 4096;

// Estimate of the additional memory of the MPI library: one page per rank and a few more.
std::size_t overhead(int ranks) {
  return 65536 + 4096 * static_cast<std::size_t>(ranks);
}

// The directory in which Open MPI 4 and 5 create the files behind shared windows. MPI's tool interface also provides
// it, but initializing that loads all plugins of the library, which takes 0.2 s.
std::string backing_directory() {
  if (const char* chosen = std::getenv("OMPI_MCA_osc_sm_backing_directory")) return chosen;
  if (access("/dev/shm", W_OK) == 0) return "/dev/shm";
  return std::filesystem::temp_directory_path().string();
}

// Called before the allocation. The MPI library maps files without reserving memory, so the first write could otherwise
// end the process by SIGBUS.
void require_shared_memory(std::size_t bytes) {
  const std::string directory = backing_directory();
  struct statvfs space {};
  require(statvfs(directory.c_str(), &space) == 0, "Shared memory is not available in " + directory + " on " +
                                                       MpiSession::host_name() + " (" + std::strerror(errno) +
                                                       "). Mount a tmpfs there.");
  const double free_bytes = static_cast<double>(space.f_bavail) * static_cast<double>(space.f_frsize);
  require(static_cast<double>(bytes) <= free_bytes,
          "There is too little shared memory (" + directory + " on " + MpiSession::host_name() + " has " +
              human_bytes(free_bytes) + " free, " + human_bytes(static_cast<double>(bytes)) +
              " are needed). Delete unused files there or enlarge it (for containers: --shm-size).");
}

}  // namespace

SharedArray::SharedArray(const Communicator& node, std::size_t bytes) : node_(node.handle()), bytes_(bytes) {
  agree(node, [&] {
    if (node.is_root()) require_shared_memory(bytes + alignment + overhead(node.size()));
  });
  const MPI_Aint own_bytes = node.is_root() ? static_cast<MPI_Aint>(bytes + alignment) : 0;
  std::byte* base = nullptr;
  check_mpi(MPI_Win_allocate_shared(own_bytes, 1, MPI_INFO_NULL, node_, static_cast<void*>(&base), &window_),
            "MPI_Win_allocate_shared");
  check_mpi(MPI_Win_set_errhandler(window_, MPI_ERRORS_RETURN), "MPI_Win_set_errhandler");
  MPI_Aint size = 0;
  int unit = 0;
  check_mpi(MPI_Win_shared_query(window_, 0, &size, &unit, static_cast<void*>(&base)), "MPI_Win_shared_query");
  // The owner's offset is valid for all ranks, because each rank maps the window at a page boundary.
  std::int64_t offset = static_cast<std::int64_t>(-reinterpret_cast<std::uintptr_t>(base) % alignment);
  check_mpi(MPI_Bcast(&offset, 1, MPI_INT64_T, 0, node_), "MPI_Bcast");
  data_ = base + offset;
  check_mpi(MPI_Win_lock_all(MPI_MODE_NOCHECK, window_), "MPI_Win_lock_all");
  zero_own_part(node);
  synchronize();
}

// MPI does not guarantee zeroed memory, and Open MPI allocates it by malloc() for a single rank. The first rank that
// writes to a page determines its NUMA node, so each rank zeroes a range, in the order in which ranks read data into
// it.
void SharedArray::zero_own_part(const Communicator& node) {
  const auto pages = static_cast<std::int64_t>((bytes_ + page - 1) / page);
  const IndexRange own = split_evenly(pages, node.size(), node.rank());
  const std::size_t begin = static_cast<std::size_t>(own.begin) * page;
  const std::size_t end = std::min(static_cast<std::size_t>(own.end) * page, bytes_);
  if (begin < end) std::memset(data_ + begin, 0, end - begin);
}

SharedArray::~SharedArray() {
  // MPI_Win_free waits for all ranks of the node. During unwinding they may never call it; the job then ends soon
  // anyway.
  if (std::uncaught_exceptions() > 0) return;
  MPI_Win_unlock_all(window_);
  MPI_Win_free(&window_);
}

void SharedArray::synchronize() {
  check_mpi(MPI_Win_sync(window_), "MPI_Win_sync");
  check_mpi(MPI_Barrier(node_), "MPI_Barrier");
  check_mpi(MPI_Win_sync(window_), "MPI_Win_sync");
}

}  // namespace sheaf
