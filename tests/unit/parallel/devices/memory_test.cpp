// SPDX-License-Identifier: MIT
#include "parallel/devices/memory.hpp"

#include <unistd.h>

#include <filesystem>
#include <fstream>

#include "support/catch.hpp"

using namespace sheaf;

namespace {

namespace fs = std::filesystem;
using Files = std::vector<std::string>;

const std::string mount_1 = "35 31 0:32 / /sys/fs/cgroup/memory rw,relatime shared:9 - cgroup cgroup rw,memory\n";
const std::string mount_2 = "30 23 0:26 / /sys/fs/cgroup rw,nosuid - cgroup2 cgroup2 rw,nsdelegate\n";
const std::string other_mounts =
    "22 1 254:1 / / rw,relatime shared:1 - ext4 /dev/vda1 rw\n"
    "33 31 0:30 / /sys/fs/cgroup/cpu rw,relatime - cgroup cgroup rw,cpu\n"
    "damaged line\n";

void write(const fs::path& path, const std::string& text) {
  fs::create_directories(path.parent_path());
  std::ofstream(path) << text;
}

}  // namespace

TEST_CASE("memory limits are read from the process's control group and all its ancestors") {
  CHECK(memory_limit_files("0::/slurm/job_7/step_0\n", other_mounts + mount_2) ==
        Files{"/sys/fs/cgroup/slurm/job_7/step_0/memory.max", "/sys/fs/cgroup/slurm/job_7/memory.max",
              "/sys/fs/cgroup/slurm/memory.max", "/sys/fs/cgroup/memory.max"});
  CHECK(memory_limit_files("9:name=systemd:/a\n4:memory:/job\n1:cpu:/b\n", other_mounts + mount_1) ==
        Files{"/sys/fs/cgroup/memory/job/memory.limit_in_bytes", "/sys/fs/cgroup/memory/memory.limit_in_bytes"});
  CHECK(memory_limit_files("4:cpu,memory:/job\n0::/\n", mount_1 + mount_2) ==
        Files{"/sys/fs/cgroup/memory/job/memory.limit_in_bytes", "/sys/fs/cgroup/memory/memory.limit_in_bytes",
              "/sys/fs/cgroup/memory.max"});
}

TEST_CASE("in a container, the control group is the root or has the host's name") {
  CHECK(memory_limit_files("0::/\n", mount_2) == Files{"/sys/fs/cgroup/memory.max"});
  CHECK(memory_limit_files("0::/../other\n", mount_2) == Files{"/sys/fs/cgroup/memory.max"});
  const std::string mounted = "35 31 0:32 /docker/5f /sys/fs/cgroup/memory ro - cgroup cgroup rw,memory\n";
  const std::string file = "/sys/fs/cgroup/memory/memory.limit_in_bytes";
  CHECK(memory_limit_files("4:memory:/docker/5f\n", mounted) == Files{file});
  CHECK(memory_limit_files("4:memory:/docker/5f0\n", mounted) == Files{file});
  CHECK(memory_limit_files("4:memory:/docker/5f/inner\n", mounted) ==
        Files{"/sys/fs/cgroup/memory/inner/memory.limit_in_bytes", file});
}

TEST_CASE("without control groups for memory there are no limits") {
  CHECK(memory_limit_files("", "").empty());
  CHECK(memory_limit_files("0::/a\n", other_mounts + mount_1).empty());
  CHECK(memory_limit_files("1:cpu:/a\nodd\n", other_mounts + mount_1 + mount_2).empty());
}

TEST_CASE("a memory limit is a positive number of bytes; other text means no limit") {
  CHECK(memory_limit("1073741824\n") == std::int64_t{1} << 30);
  CHECK(memory_limit("9223372036854771712\n") == 9223372036854771712);
  for (const char* text : {"max\n", "", "-1\n", "0\n", "99999999999999999999\n"}) CHECK_FALSE(memory_limit(text));
}

TEST_CASE("the smallest limit of all ancestors applies") {
  const fs::path root = fs::current_path() / "control_groups";
  fs::remove_all(root);
  CHECK_FALSE(control_group_limit(root.string()));
  write(root / "proc/self/cgroup", "0::/job/step\n");
  write(root / "proc/self/mountinfo", other_mounts + mount_2);
  CHECK_FALSE(control_group_limit(root.string()));
  write(root / "sys/fs/cgroup/job/step/memory.max", "max\n");
  CHECK_FALSE(control_group_limit(root.string()));
  write(root / "sys/fs/cgroup/job/memory.max", "2000000000\n");
  CHECK(control_group_limit(root.string()) == 2000000000);
  write(root / "sys/fs/cgroup/job/step/memory.max", "3000000000\n");
  CHECK(control_group_limit(root.string()) == 2000000000);
  write(root / "sys/fs/cgroup/job/step/memory.max", "1000000000\n");
  CHECK(control_group_limit(root.string()) == 1000000000);
}

TEST_CASE("the usable memory does not exceed the memory of the machine") {
  const std::int64_t machine = static_cast<std::int64_t>(::sysconf(_SC_PHYS_PAGES)) * ::sysconf(_SC_PAGESIZE);
  CHECK(usable_memory_bytes() > 0);
  CHECK(usable_memory_bytes() <= machine);
}
