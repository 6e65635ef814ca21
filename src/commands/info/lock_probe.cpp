// SPDX-License-Identifier: MIT
#include "commands/info/lock_probe.hpp"

#include <fcntl.h>
#include <sys/file.h>
#include <unistd.h>

#include <cerrno>
#include <chrono>
#include <cstdlib>
#include <string>
#include <thread>
#include <vector>

#include "core/clock.hpp"
#include "files/directories.hpp"
#include "parallel/mpi/agreement.hpp"

namespace sheaf {
namespace {

int error_of(int outcome) {
  return outcome == 0 ? 0 : errno;
}

// An open file, or nothing if `descriptor` is negative.
class OpenFile {
 public:
  explicit OpenFile(int descriptor) : descriptor_(descriptor) {}
  ~OpenFile() {
    if (descriptor_ >= 0) close(descriptor_);
  }
  OpenFile(const OpenFile&) = delete;
  OpenFile& operator=(const OpenFile&) = delete;
  int descriptor() const { return descriptor_; }

 private:
  int descriptor_;
};

// Tries to lock the file that rank 0 has created and locked. Network file systems may show a new file late.
LockProbe probe_from_another_host(const std::string& path) {
  constexpr std::chrono::milliseconds patience{5000}, pause{50};
  const auto end = Clock::now() + patience;
  int descriptor = -1;
  while ((descriptor = open(path.c_str(), O_RDWR | O_CLOEXEC | O_NOFOLLOW)) < 0 && Clock::now() < end)
    std::this_thread::sleep_for(pause);
  const OpenFile file(descriptor);
  LockProbe probe;
  probe.is_visible = descriptor >= 0;
  if (!probe.is_visible) return probe;
  const int error = error_of(flock(file.descriptor(), LOCK_EX | LOCK_NB));
  probe.is_exclusive = error == EWOULDBLOCK;
  probe.lock_error = error == EWOULDBLOCK ? 0 : error;
  return probe;
}

}  // namespace

LockProbe probe_locks(const Communicator& world) {
  const Communicator node = world.split_by_node();
  const bool has_rank_0 = node.maximum(std::int64_t{world.is_root()}) == 1, is_one_node = node.size() == world.size();
  std::string path;
  agree(world, [&] { path = current_directory() + "/.sheaf-locks-XXXXXX"; });
  LockProbe probe;
  const OpenFile file(world.is_root() ? mkostemp(path.data(), O_CLOEXEC) : -1);
  if (world.is_root()) {
    probe.create_error = file.descriptor() < 0 ? errno : 0;
    if (probe.create_error == 0) {
      if (is_one_node) unlink(path.c_str());
      probe.lock_error = error_of(flock(file.descriptor(), LOCK_EX | LOCK_NB));
    }
  }
  path = world.broadcast(path, 0);
  const bool was_created = world.maximum(std::int64_t{probe.create_error}) == 0;
  if (!has_rank_0 && node.is_root() && was_created) probe = probe_from_another_host(path);
  world.barrier();
  if (world.is_root() && was_created && !is_one_node) unlink(path.c_str());
  std::vector<LockProbe> of_node{probe};
  node.broadcast_vector(of_node);
  probe = of_node.front();
  probe.create_error = static_cast<int>(world.maximum(std::int64_t{probe.create_error}));
  return probe;
}

}  // namespace sheaf
