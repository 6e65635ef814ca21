// SPDX-License-Identifier: MIT
#include "commands/info/info_command.hpp"

#include <fmt/format.h>

#include <cstdint>
#include <optional>

#include "commands/info/finding.hpp"
#include "commands/info/installation_test.hpp"
#include "commands/info/rank_findings.hpp"
#include "core/error.hpp"
#include "core/text.hpp"
#include "core/version.hpp"
#include "engines/native/kernels/blas_library.hpp"
#include "engines/native/kernels/product_speed.hpp"
#include "engines/native/native_trainer.hpp"
#include "engines/torch_backend.hpp"
#include "engines/usable_gpus.hpp"
#include "files/hdf5/file.hpp"
#include "parallel/devices/cores.hpp"
#include "parallel/devices/gpus.hpp"
#include "parallel/devices/rank_placement.hpp"
#include "parallel/mpi/agreement.hpp"
#include "parallel/mpi/job_output.hpp"
#include "parallel/mpi/session.hpp"

namespace sheaf {

namespace {

// Whether this rank has loaded LibTorch.
enum class LoadedTorch { yes, not_installed, failed };

std::string torch_text(LoadedTorch loaded) {
  if (loaded == LoadedTorch::not_installed) return "not installed (package sheaf-torch)";
  if (loaded == LoadedTorch::failed) return "cannot be loaded";
  const TorchInfo torch = torch_backend().info();
  if (torch.cuda_device_count > 0)
    return fmt::format("{}, {}", torch.version, counted(torch.cuda_device_count, "CUDA device"));
  return fmt::format("{}, {}", torch.version, torch.built_with_cuda ? "no CUDA device" : "built without CUDA");
}

// `speeds`: FLOP/s of each rank. `usable`: the GPUs on which this rank could train.
std::string info_text(const RankTable& ranks, const std::vector<double>& speeds, LoadedTorch torch,
                      const VisibleGpus& usable) {
  const BoundCores machine = find_bound_cores();
  const VisibleGpus visible = find_gpus();
  std::string text = fmt::format("sheaf        {} ({}, build {})\n", program_version(), git_revision(), build_id());
  text += fmt::format("MPI          {}\n", MpiSession::library_version());
  text += fmt::format("HDF5         {}, parallel\n", hdf5_version());
  text += fmt::format("LibTorch     {}\n", torch_text(torch));
  text += fmt::format("BLAS         {}\n", blas_library());
  text += fmt::format("engine       native: {}\n", native_engine_info());
  text += fmt::format("host         {}: {}, {} in {}, {}\n", MpiSession::host_name(),
                      machine.processor.empty() ? "unknown processor" : machine.processor,
                      counted(machine.machine_cores, "core"), counted(machine.sockets, "socket"),
                      human_bytes(machine.memory_bytes));
  for (const auto& gpu : visible.gpus)
    text += fmt::format("GPU          {}, {}\n", gpu.name, human_bytes(gpu.memory_bytes));
  if (usable.gpus.empty())
    text += fmt::format("GPUs         {} ({})\n", visible.gpus.empty() ? "none" : "not used", usable.none_reason);
  text += "\n";
  std::vector<std::vector<std::string>> rows(1, {"rank", "host", "device", "lanes", "cores", "GFLOP/s per core"});
  for (std::size_t number = 0; number < ranks.size(); ++number) {
    const RankInfo rank = ranks[number];
    rows.push_back({fmt::format("{}", number), rank.host, rank.device, fmt::format("{}", rank.lanes),
                    fmt::format("{}", rank.cores), fmt::format("{:.1f}", speeds[number] / 1e9)});
  }
  return text + format_table(rows);
}

std::string help() {
  return R"(Shows the ranks of the job with their hosts, devices, lanes and cores, the libraries, and an approximate
matrix-product speed for one core of each rank. Then it checks cores, threads, GPUs, LibTorch, XGBoost, BLAS, MPI, signals,
file locks, disk, memory and open files: each line is fine, or has advice. Start it as you start runs, in the directory
where they go. The exit code is 0 whatever it finds.

  --test   test the installation instead: train a small model and predict with it, with each engine that is installed,
           in a temporary directory (TMPDIR; on several nodes in the current directory, which all of them must see).
           Prints one line per check; the exit code is 1 if one of them fails
)";
}

const LineOptions& options() {
  static const LineOptions all{{}, {}, {"test"}};
  return all;
}

// The findings of all ranks on rank 0, from those of each rank; no findings on other ranks. Collective over world.
std::vector<std::vector<Finding>> gather_findings(const std::vector<Finding>& own, const Communicator& world) {
  std::vector<std::vector<Finding>> by_rank(world.is_root() ? static_cast<std::size_t>(world.size()) : 0);
  for (const Finding& finding : own) {
    const auto fine_ranks = world.gather(std::vector<std::int8_t>{finding.is_fine});
    const auto texts = world.gather(finding.text);
    for (std::size_t rank = 0; rank < by_rank.size(); ++rank)
      by_rank[rank].push_back({finding.name, fine_ranks[rank] != 0, texts[rank]});
  }
  return by_rank;
}

// Shows the information about the job, and checks it. Collective over world.
void show_info(const Communicator& world) {
  KnownFacts known;
  LoadedTorch torch = has_torch_library() ? LoadedTorch::yes : LoadedTorch::not_installed;
  agree(world, [&] {
    if (torch == LoadedTorch::yes) {
      try {
        known.flops = torch_backend().measure_blas_flops();
        known.torch_version = torch_backend().info().version;
        known.has_torch = true;
        return;
      } catch (const RunError& error) {
        known.torch_problem = error.what();
        torch = LoadedTorch::failed;
      }
    }
    known.flops = measure_native_flops();
  });
  const Communicator node = world.split_by_node();
  const Placement placement = place_ranks(
      RunOptions{},
      [&] {
        known.usable = torch == LoadedTorch::yes      ? find_usable_gpus()
                       : torch == LoadedTorch::failed ? VisibleGpus{{}, "LibTorch cannot be loaded"}
                                                      : VisibleGpus{{}, "LibTorch is not installed"};
        return known.usable;
      },
      world, node);
  known.lanes = placement.lane_count();
  const auto ranks = gather_rank_infos(placement, world);
  const auto speeds = world.gather(std::vector<double>{known.flops});
  const auto findings = gather_findings(check_rank(known, world, node), world);
  agree(world, [&] {
    if (world.is_root())
      print_job_result(info_text(ranks, speeds, torch, known.usable) + "\n" + finding_lines(findings));
  });
}

ExitCode run(const CommandCall& call, const Communicator& world) {
  bool tests = false;
  agree(world, [&] {
    const Arguments arguments = parse_arguments("info", options(), call.arguments);
    if (!arguments.positional.empty())
      throw UsageError(fmt::format("'sheaf info' takes no arguments (it got {}). Write: sheaf info.",
                                   quoted(arguments.positional[0])));
    tests = arguments.has_flag("test");
  });
  if (tests) return test_installation(world) ? ExitCode::done : ExitCode::failed;
  show_info(world);
  return ExitCode::done;
}

}  // namespace

Command info_command() {
  return {"info", "[--test]", "show ranks, hosts, devices, cores and libraries, and check them", help, options, run};
}

}  // namespace sheaf
