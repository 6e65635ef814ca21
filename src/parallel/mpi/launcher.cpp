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

constexpr int most_descriptors = 65536;

// mpirun then returns 0, unless a signal ended the job before: 1.
#if defined(OMPI_MAJOR_VERSION) && OMPI_MAJOR_VERSION >= 5
constexpr bool lost_host_hides_exit_code = true;
#else
constexpr bool lost_host_hides_exit_code = false;
#endif

std::string proc_path(pid_t process, const char* name) {
  return "/proc/" + std::to_string(process) + "/" + name;
}

// By the program that it runs: the name of a process may also be that of a script.
bool is_open_mpi_launcher(pid_t process) {
  std::error_code unreadable;
  const auto program = std::filesystem::read_symlink(proc_path(process, "exe"), unreadable).filename();
  for (const char* known : {"mpirun", "mpiexec", "orterun", "orted", "prterun", "prte", "prted"})
    if (program == known) return true;
  return false;
}

// 0: there is none.
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

// Without the handlers of pthread_atfork, where the C library has that: they may wait for what other threads hold.
pid_t fork_without_handlers() {
#if defined(__GLIBC__) && (__GLIBC__ > 2 || __GLIBC_MINOR__ >= 34)
  return _Fork();
#else
  return fork();
#endif
}

// The functions below run in the new process: only what is safe after a fork with threads (signal-safety(7)).

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
  for (int descriptor = 0; descriptor < most_descriptors; ++descriptor) {
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
  setsid();  // the launcher ends the group of this rank
  // Nothing of the rank stays open: neither its files and their locks nor the pipes on which the launcher listens.
  dup2(process, 0);
  const auto open_files = std::min<long>(sysconf(_SC_OPEN_MAX), most_descriptors);
  for (int descriptor = 1; descriptor < open_files; ++descriptor) close(descriptor);
  process = 0;
  if (!has_ended(process, patience)) {
    if (lost_host_hides_exit_code) {
      syscall(SYS_pidfd_send_signal, process, SIGTERM, nullptr, 0);
      has_ended(process, std::chrono::seconds(1));
    }
    close_connections(process);
  }
  // Not SIGTERM: mpirun 4.1.4, which is ending already, crashes on it.
  if (!has_ended(process, patience_afterwards)) syscall(SYS_pidfd_send_signal, process, SIGKILL, nullptr, 0);
  _exit(0);
}

// A descriptor of the launcher: the parent, or an ancestor where a wrapper (a script, numactl) started the program.
// -1: there is none.
int open_launcher() {
  for (pid_t process = getppid(); process > 0; process = parent_of(process)) {
    if (!is_open_mpi_launcher(process)) continue;
    const auto descriptor = static_cast<int>(syscall(SYS_pidfd_open, process, 0));
    // Again, since another process may have got the number meanwhile.
    if (descriptor < 0 || is_open_mpi_launcher(process)) return descriptor;
    close(descriptor);
    return -1;
  }
  return -1;
}

}  // namespace

std::optional<std::string> launched_rank() {
  for (const char* name : {"OMPI_COMM_WORLD_RANK", "PMIX_RANK", "PMI_RANK", "MV2_COMM_WORLD_RANK"})
    if (const char* rank = std::getenv(name)) return rank;
  // A step of srun. The batch script has SLURM_PROCID alone.
  if (const char* rank = std::getenv("SLURM_PROCID"); rank != nullptr && std::getenv("SLURM_STEP_ID") != nullptr)
    return rank;
  return std::nullopt;
}

void release_launcher_after(std::chrono::seconds patience) {
  const int launcher = open_launcher();
  if (launcher < 0) return;
  if (fork_without_handlers() == 0) release(launcher, patience);
  close(launcher);
}

}  // namespace sheaf
