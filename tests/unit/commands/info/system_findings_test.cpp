// SPDX-License-Identifier: MIT
#include "commands/info/system_findings.hpp"

#include <cerrno>

#include "support/catch.hpp"

using namespace sheaf;

namespace {

constexpr double mib = 1 << 20;

const char* const mounts =
    "22 1 254:0 / / rw,relatime shared:1 - ext4 /dev/vda rw\n"
    "30 22 0:40 / /scratch rw - lustre 10.0.0.1@o2ib:/fs rw,localflock\n"
    "31 22 0:41 / /home rw,relatime - nfs4 server:/home rw,vers=4.2,local_lock=none\n"
    "32 31 0:42 / /home/old rw - nfs server:/old rw,nolock,local_lock=all\n"
    "a damaged line\n";

bool mentions(const Finding& finding, const std::string& text) {
  return finding.text.find(text) != std::string::npos;
}

}  // namespace

TEST_CASE("the file system of a path is that of the longest mount point") {
  CHECK(mount_of("/var/runs", mounts).type == "ext4");
  CHECK(mount_of("/home/ann", mounts).type == "nfs4");
  CHECK(mount_of("/home", mounts).type == "nfs4");
  CHECK(mount_of("/home/older", mounts).type == "nfs4");
  CHECK(mount_of("/home/old/runs", mounts).type == "nfs");
  CHECK(mount_of("/scratch/runs", mounts).options == "rw,rw,localflock");
  CHECK(mount_of("/home/old", std::string(mounts) + "33 32 0:43 / /home/old rw - tmpfs none rw\n").type == "tmpfs");
  CHECK(mount_of("/home", "").type.empty());
}

TEST_CASE("locks are fine if they work between all hosts") {
  const Mount ext4 = mount_of("/", mounts), home = mount_of("/home", mounts);
  CHECK(lock_finding({}, ext4, "/runs").text == "flock works in '/runs' (ext4)");
  CHECK(lock_finding({}, ext4, "/runs").is_fine);
  CHECK(lock_finding({}, home, "/home").is_fine);
  CHECK(lock_finding({}, {}, "/runs").text == "flock works in '/runs'");
}

TEST_CASE("each problem of locks has its advice") {
  const Mount ext4 = mount_of("/", mounts);
  LockProbe probe;
  probe.create_error = EACCES;
  CHECK(mentions(lock_finding(probe, ext4, "/runs"), "'/runs' (ext4) cannot be written (Permission denied). Start"));
  CHECK_FALSE(lock_finding(probe, ext4, "/runs").is_fine);
  probe = {};
  probe.is_visible = false;
  CHECK(mentions(lock_finding(probe, ext4, "/runs"), "a directory that all hosts share."));
  CHECK_FALSE(lock_finding(probe, ext4, "/runs").is_fine);
  probe = {};
  probe.lock_error = ENOLCK;
  CHECK(mentions(lock_finding(probe, ext4, "/runs"), "cannot be locked (No locks available)"));
  CHECK(mentions(lock_finding(probe, {"lustre", "rw"}, "/runs"), "Mount it with the option flock, or "));
  CHECK(mentions(lock_finding(probe, {"nfs", "rw"}, "/runs"), "a lock daemon"));
  CHECK_FALSE(lock_finding(probe, ext4, "/runs").is_fine);
  probe = {};
  probe.is_exclusive = false;
  CHECK(mentions(lock_finding(probe, ext4, "/runs"), "hold on one host only"));
  for (const char* path : {"/scratch", "/home/old"}) {  // by the options of the mount
    CHECK_FALSE(lock_finding({}, mount_of(path, mounts), path).is_fine);
    CHECK(mentions(lock_finding({}, mount_of(path, mounts), path), "hold on one host only"));
  }
}

TEST_CASE("a full disk and few free files give advice") {
  CHECK(disk_finding({"/runs", 2048 * mib, std::nullopt}).text == "2.0 GiB free in '/runs'");
  CHECK(disk_finding({"/runs", 2048 * mib, 10000}).is_fine);
  CHECK(mentions(disk_finding({"/runs", 1000 * mib, 10000}), "only 1000.0 MiB free in '/runs'. "));
  CHECK_FALSE(disk_finding({"/runs", 1000 * mib, 10000}).is_fine);
  CHECK(mentions(disk_finding({"/runs", 2048 * mib, 9999}), "only 9999 more files fit"));
  CHECK_FALSE(disk_finding({"/runs", 2048 * mib, 9999}).is_fine);
}

TEST_CASE("little memory, few addresses and a small /dev/shm give advice") {
  MemoryFacts facts{4, 1024 * mib, false, std::nullopt, 256 * mib};
  CHECK(memory_finding(facts).text == "1.0 GiB per host");
  CHECK(memory_finding(facts).is_fine);
  CHECK(shared_memory_finding(facts).is_fine);
  facts.is_limited = true;
  CHECK(memory_finding(facts).text == "1.0 GiB per host (limit of the control group)");
  facts.ranks = 5;
  CHECK(mentions(memory_finding(facts), "only 1.0 GiB per host for 5 ranks (limit of the control group). "));
  CHECK_FALSE(memory_finding(facts).is_fine);
  facts.ranks = 4;
  facts.address_limit = 8191 * mib;
  CHECK(mentions(memory_finding(facts), "(ulimit -v)"));
  CHECK_FALSE(memory_finding(facts).is_fine);
  facts.shared_bytes = 64 * mib;
  CHECK_FALSE(shared_memory_finding(facts).is_fine);
  CHECK(mentions(shared_memory_finding(facts), "only 64.0 MiB free in /dev/shm"));
  facts.ranks = 1;
  CHECK(shared_memory_finding(facts).text == "not needed by one rank per host");
}

TEST_CASE("rank 0 may open a connection to each rank") {
  CHECK(open_files_finding(std::nullopt, 1000).is_fine);
  CHECK(open_files_finding(1024, 896).text == "1024 per process");
  CHECK_FALSE(open_files_finding(1024, 897).is_fine);
}
