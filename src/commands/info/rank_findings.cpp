// SPDX-License-Identifier: MIT
#include "commands/info/rank_findings.hpp"

#include <sys/resource.h>
#include <sys/statvfs.h>
#include <unistd.h>

#include <charconv>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <set>
#include <system_error>

#include "commands/info/launcher_findings.hpp"
#include "commands/info/lock_probe.hpp"
#include "commands/info/system_findings.hpp"
#include "core/environment.hpp"
#include "core/error.hpp"
#include "files/directories.hpp"
#include "parallel/devices/cores.hpp"
#include "parallel/devices/memory.hpp"
#include "parallel/devices/rank_placement.hpp"
#include "parallel/mpi/agreement.hpp"
#include "parallel/mpi/launcher.hpp"
#include "parallel/mpi/session.hpp"

namespace sheaf {
namespace {

std::string file_text(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), {}};
}

// The environment with which this process was started, before prepare_environment().
Environment environment_at_start() {
  Environment environment;
  const std::string text = file_text("/proc/self/environ");
  for (std::size_t begin = 0; begin < text.size();) {
    const std::size_t end = std::min(text.find('\0', begin), text.size());
    const std::string entry = text.substr(begin, end - begin);
    if (const std::size_t equals = entry.find('='); equals != entry.npos)
      environment[entry.substr(0, equals)] = entry.substr(equals + 1);
    begin = end + 1;
  }
  return environment;
}

// nullopt if there is no limit.
std::optional<std::int64_t> soft_limit(decltype(RLIMIT_NOFILE) resource) {
  rlimit limit{};
  if (getrlimit(resource, &limit) != 0 || limit.rlim_cur == RLIM_INFINITY) return std::nullopt;
  return static_cast<std::int64_t>(limit.rlim_cur);
}

std::optional<std::int64_t> number_in(const Environment& environment, const char* name) {
  const auto found = environment.find(name);
  std::int64_t number = 0;
  if (found == environment.end()) return std::nullopt;
  const std::string& text = found->second;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  return error == std::errc{} && number > 0 ? std::optional(number) : std::nullopt;
}

ThreadFacts thread_facts(const Environment& started, std::int64_t cores, std::int64_t lanes_on_node,
                         std::int64_t ranks_on_node) {
  constexpr std::int64_t of_libraries = 8;  // a rank has a thread for its journal, and MPI and OpenBLAS have their own
  ThreadFacts facts;
  facts.cores = cores;
  facts.needed = lanes_on_node + ranks_on_node * of_libraries;
  facts.omp_limit = number_in(started, "OMP_THREAD_LIMIT");
  for (const auto& [name, value] : environment_changes(started))
    if (!value && started.count(name) > 0) facts.ignored.push_back(name);
  if (started.count("OMP_NUM_THREADS") > 0) facts.ignored.emplace_back("OMP_NUM_THREADS");
  if (geteuid() != 0) facts.user_limit = soft_limit(RLIMIT_NPROC);
  return facts;
}

bool has_opencl_runtime() {
  std::error_code failed;
  const std::filesystem::directory_iterator files("/etc/OpenCL/vendors", failed);
  return !failed && files != std::filesystem::directory_iterator{};
}

SignalFacts signal_facts(const Environment& started) {
  const auto components = started.find("HWLOC_COMPONENTS");
  const bool excludes_opencl = components != started.end() && components->second.find("-opencl") != std::string::npos;
  return {find_launcher(), has_opencl_runtime() && !excludes_opencl};
}

DiskFacts disk_facts(const std::string& directory) {
  struct statvfs status {};
  DiskFacts facts{directory};
  if (statvfs(directory.c_str(), &status) != 0) return facts;
  facts.free_bytes = static_cast<double>(status.f_bavail) * static_cast<double>(status.f_frsize);
  if (status.f_files > 0) facts.free_files = static_cast<std::int64_t>(status.f_favail);
  return facts;
}

MemoryFacts memory_facts(std::int64_t ranks) {
  MemoryFacts facts;
  facts.ranks = ranks;
  facts.usable_bytes = static_cast<double>(usable_memory_bytes());
  facts.is_limited = control_group_limit().value_or(INT64_MAX) <= usable_memory_bytes();
  if (const auto limit = soft_limit(RLIMIT_AS)) facts.address_limit = static_cast<double>(*limit);
  facts.shared_bytes = disk_facts("/dev/shm").free_bytes;
  return facts;
}

}  // namespace

std::vector<Finding> check_rank(const KnownFacts& known, const Communicator& world, const Communicator& node) {
  BoundCores bound;
  std::string directory;
  agree(world, [&] {
    bound = find_bound_cores();
    directory = current_directory();
  });
  const std::vector<std::int32_t> cores_of_node = node.all_gather(bound.cores);
  const std::int64_t lanes_of_node = node.sum(known.lanes), hosts = world.sum(std::int64_t{node.is_root()});
  const LockProbe locks = probe_locks(world);
  std::vector<Finding> findings;
  agree(world, [&] {
    const Environment started = environment_at_start();
    const auto ranks = std::int64_t{node.size()}, own_cores = static_cast<std::int64_t>(bound.cores.size());
    const auto used = static_cast<std::int64_t>(std::set(cores_of_node.begin(), cores_of_node.end()).size());
    const MemoryFacts memory = memory_facts(ranks);
    findings = {
        binding_finding({ranks, used, bound.machine_cores, launched_rank().has_value()}),
        thread_finding(thread_facts(started, own_cores, lanes_of_node, ranks)),
        gpu_finding(
            {ranks, static_cast<std::int64_t>(known.usable.gpus.size()), known.usable.none_reason, machine_has_gpu()}),
    };
    for (const LibraryFacts& library : known.libraries) findings.push_back(library_finding(library));
    const std::vector<Finding> others = {
        blas_finding(known.speed),
        mpi_finding({MpiSession::library_version(), world.size(), hosts, launched_size(),
                     transports_in(file_text("/proc/self/maps"))}),
        signal_finding(signal_facts(started)),
        lock_finding(locks, mount_of(directory, file_text("/proc/self/mountinfo")), directory),
        disk_finding(disk_facts(directory)),
        memory_finding(memory),
        shared_memory_finding(memory),
        open_files_finding(soft_limit(RLIMIT_NOFILE), world.size()),
    };
    findings.insert(findings.end(), others.begin(), others.end());
  });
  return findings;
}

}  // namespace sheaf
