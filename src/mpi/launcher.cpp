// SPDX-License-Identifier: MIT
#include "mpi/launcher.hpp"

#include <netinet/in.h>
#include <poll.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>
#include <csignal>
#include <cstdlib>
#include <fstream>
#include <string>

namespace sheaf {
namespace {

constexpr int most_descriptors = 65536;

bool is_open_mpi_launcher(pid_t process) {
  std::string name;
  std::getline(std::ifstream("/proc/" + std::to_string(process) + "/comm"), name);
  for (const char* known : {"mpirun", "mpiexec", "orterun", "orted", "prterun", "prte", "prted"})
    if (name == known) return true;
  return false;
}

bool is_of_another_host(const sockaddr_storage& peer) {
  if (peer.ss_family == AF_INET) {
    const auto address = ntohl(reinterpret_cast<const sockaddr_in&>(peer).sin_addr.s_addr);
    return address >> 24 != 127;
  }
  return peer.ss_family == AF_INET6 && !IN6_IS_ADDR_LOOPBACK(&reinterpret_cast<const sockaddr_in6&>(peer).sin6_addr);
}

// The functions below run in the new process: only what is safe after a fork with threads.

bool has_ended(int process, int seconds) {
  pollfd end{process, POLLIN, 0};
  return poll(&end, 1, 1000 * seconds) > 0;
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

[[noreturn]] void release(int process, int seconds) {
  constexpr int patience_seconds = 3;
  setsid();  // the launcher ends the group of this rank
  // Nothing of the rank stays open: neither its files and their locks nor the pipes on which the launcher listens.
  dup2(process, 0);
  const auto open_files = std::min<long>(sysconf(_SC_OPEN_MAX), most_descriptors);
  for (int descriptor = 1; descriptor < open_files; ++descriptor) close(descriptor);
  process = 0;
  if (!has_ended(process, seconds)) close_connections(process);
  // Not SIGTERM: mpirun 4.1.4, which is ending already, crashes on it.
  if (!has_ended(process, patience_seconds)) syscall(SYS_pidfd_send_signal, process, SIGKILL, nullptr, 0);
  _exit(0);
}

}  // namespace

void release_launcher_after(int seconds) {
  const pid_t launcher = getppid();
  const auto process = static_cast<int>(syscall(SYS_pidfd_open, launcher, 0));
  if (process < 0 || !is_open_mpi_launcher(launcher)) return;
  if (fork() == 0) release(process, seconds);
  close(process);
}

}  // namespace sheaf
