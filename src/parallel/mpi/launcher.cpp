// SPDX-License-Identifier: MIT
#include "parallel/mpi/launcher.hpp"

#include <mpi.h>
#include <netinet/in.h>
#include <poll.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <csignal>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <string>
#include <system_error>

#include "core/clock.hpp"

namespace sheaf {
namespace {

constexpr int max_descriptors = 65536;

// With Open MPI 5, mpirun returns 0 after the loss of a host. If a signal ends the job first, it returns 1.
#if defined(OMPI_MAJOR_VERSION) && OMPI_MAJOR_VERSION >= 5
constexpr bool lost_host_hides_exit_code = true;
#else
constexpr bool lost_host_hides_exit_code = false;
#endif

std::string proc_path(pid_t process, const char* name) {
  return "/proc/" + std::to_string(process) + "/" + name;
}

// Checks the program file, because the name of a process can be that of a script.
bool is_open_mpi_launcher(pid_t process) {
  std::error_code unreadable;
  const auto program = std::filesystem::read_symlink(proc_path(process, "exe"), unreadable).filename();
  for (const char* known : {"mpirun", "mpiexec", "orterun", "orted", "prterun", "prte", "prted"})
    if (program == known) return true;
  return false;
}

// Returns 0 if there is no parent.
pid_t parent_of(pid_t process) {
  std::string text;
  std::getline(std::ifstream(proc_path(process, "stat")), text);
  const auto name_end = text.rfind(')');  // "<pid> (<name>) <state> <parent> ..."
  return name_end == std::string::npos ? 0 : std::atoi(text.c_str() + std::min(text.size(), name_end + 4));
}

bool is_of_another_host(const sockaddr_storage& peer) {
  if (peer.ss_family == AF_INET) {
    const auto address = ntohl(reinterpret_cast<const sockaddr_in&>(peer).sin_addr.s_addr);
    return address >> 24 != 127;
  }
  return peer.ss_family == AF_INET6 && !IN6_IS_ADDR_LOOPBACK(&reinterpret_cast<const sockaddr_in6&>(peer).sin6_addr);
}

// Skips the handlers of pthread_atfork if the C library supports that, because they may wait for locks of other
// threads.
pid_t fork_without_handlers() {
#if defined(__GLIBC__) && (__GLIBC__ > 2 || __GLIBC_MINOR__ >= 34)
  return _Fork();
#else
  return fork();
#endif
}

// The functions below run in the new process. They may only use functions that are safe after a fork with threads
// (signal-safety(7)).

bool has_ended(int process, std::chrono::milliseconds patience) {
  const auto end = Clock::now() + patience;
  while (true) {
    const auto left = std::chrono::ceil<std::chrono::milliseconds>(end - Clock::now());
    pollfd ended{process, POLLIN, 0};
    const int found = poll(&ended, 1, static_cast<int>(std::max<std::int64_t>(0, left.count())));
    if (found >= 0 || errno != EINTR) return found > 0;
  }
}

void close_connections(int process) {
  for (int descriptor = 0; descriptor < max_descriptors; ++descriptor) {
    const auto copy = static_cast<int>(syscall(SYS_pidfd_getfd, process, descriptor, 0));
    if (copy < 0) continue;
    sockaddr_storage peer{};
    socklen_t size = sizeof peer;
    if (getpeername(copy, reinterpret_cast<sockaddr*>(&peer), &size) == 0 && is_of_another_host(peer))
      shutdown(copy, SHUT_RDWR);
    close(copy);
  }
}

[[noreturn]] void release(int process, std::chrono::seconds patience) {
  constexpr std::chrono::seconds patience_afterwards{3};
  setsid();  // the launcher ends the process group of this rank
  // Close everything that the rank has open: its files with their locks, and the pipes that the launcher reads.
  dup2(process, 0);
  const auto open_files = std::min<long>(sysconf(_SC_OPEN_MAX), max_descriptors);
  for (int descriptor = 1; descriptor < open_files; ++descriptor) close(descriptor);
  process = 0;
  if (!has_ended(process, patience)) {
    if (lost_host_hides_exit_code) {
      syscall(SYS_pidfd_send_signal, process, SIGTERM, nullptr, 0);
      has_ended(process, std::chrono::seconds(1));
    }
    close_connections(process);
  }
  // Not SIGTERM: it crashes mpirun 4.1.4 while that is ending.
  if (!has_ended(process, patience_afterwards)) syscall(SYS_pidfd_send_signal, process, SIGKILL, nullptr, 0);
  _exit(0);
}

// Returns the launcher of Open MPI, or 0 if there is none. It is the parent, or an earlier ancestor if a wrapper (a
// script, numactl) started the program.
pid_t open_mpi_launcher() {
  for (pid_t process = getppid(); process > 0; process = parent_of(process))
    if (is_open_mpi_launcher(process)) return process;
  return 0;
}

// Returns a descriptor of the launcher, or -1 if there is none.
int open_launcher() {
  const pid_t process = open_mpi_launcher();
  if (process == 0) return -1;
  const auto descriptor = static_cast<int>(syscall(SYS_pidfd_open, process, 0));
  // Check again, since another process may have received the same number meanwhile.
  if (descriptor < 0 || is_open_mpi_launcher(process)) return descriptor;
  close(descriptor);
  return -1;
}

// Whether this process belongs to a step of srun. The batch script has no SLURM_STEP_ID.
bool is_in_slurm_step() {
  return std::getenv("SLURM_PROCID") != nullptr && std::getenv("SLURM_STEP_ID") != nullptr;
}

}  // namespace

std::optional<std::string> launched_rank() {
  for (const char* name : {"OMPI_COMM_WORLD_RANK", "PMIX_RANK", "PMI_RANK", "MV2_COMM_WORLD_RANK"})
    if (const char* rank = std::getenv(name)) return rank;
  if (is_in_slurm_step()) return std::getenv("SLURM_PROCID");
  return std::nullopt;
}

std::optional<std::int64_t> launched_size() {
  for (const char* name : {"OMPI_COMM_WORLD_SIZE", "PMI_SIZE", "MV2_COMM_WORLD_SIZE"})
    if (const char* size = std::getenv(name)) return std::atoll(size);
  // The ranks of a heterogeneous job are in several steps.
  const char* size = std::getenv("SLURM_STEP_NUM_TASKS");
  if (is_in_slurm_step() && size != nullptr && find_launcher() == Launcher::slurm) return std::atoll(size);
  return std::nullopt;
}

Launcher find_launcher() {
  if (!launched_rank()) return Launcher::none;
  if (open_mpi_launcher() != 0) return Launcher::open_mpi;
  return is_in_slurm_step() ? Launcher::slurm : Launcher::other;
}

void release_launcher_after(std::chrono::seconds patience) {
  const int launcher = open_launcher();
  if (launcher < 0) return;
  if (fork_without_handlers() == 0) release(launcher, patience);
  close(launcher);
}

}  // namespace sheaf
