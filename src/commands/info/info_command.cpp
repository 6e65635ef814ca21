// SPDX-License-Identifier: MIT
#include "commands/info/info_command.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstdint>
#include <optional>

#include "commands/info/finding.hpp"
#include "commands/info/installation_test.hpp"
#include "commands/info/rank_findings.hpp"
#include "core/error.hpp"
#include "core/text.hpp"
#include "core/version.hpp"
#include "engines/usable_gpus.hpp"
#include "engines/used_engines.hpp"
#include "files/hdf5/file.hpp"
#include "parallel/devices/cores.hpp"
#include "parallel/devices/gpus.hpp"
#include "parallel/devices/rank_placement.hpp"
#include "parallel/mpi/agreement.hpp"
#include "parallel/mpi/job_output.hpp"
#include "parallel/mpi/session.hpp"

namespace sheaf {

namespace {

// Loads the library of an engine, and measures its products if it has some, since that may fail, too.
LibraryFacts check_library(const EngineEntry& engine, KnownFacts& known) {
  const EngineLibrary& library = *engine.services.shared_library;
  LibraryFacts facts{std::string(library.name), std::nullopt, std::nullopt};
  if (library.is_installed != nullptr && !library.is_installed()) return facts;
  try {
    std::string version = library.version();
    if (engine.services.measure_flops != nullptr) known.speed = measure_products(engine);
    facts.version = std::move(version);
  } catch (const RunError& error) {
    facts.problem = error.what();
  }
  return facts;
}

// Measures the products of the engines that are a part of the program only if no library does.
void check_engines(KnownFacts& known) {
  for (const EngineEntry& engine : engine_table())
    if (engine.services.shared_library != nullptr) known.libraries.push_back(check_library(engine, known));
  for (const EngineEntry& engine : engine_table())
    if (engine.services.shared_library == nullptr && known.speed.owner.empty()) known.speed = measure_products(engine);
}

// The facts about the library of this engine; null if it has none.
const LibraryFacts* facts_of(const EngineEntry& engine, const KnownFacts& known) {
  const EngineLibrary* library = engine.services.shared_library;
  const auto found = std::find_if(known.libraries.begin(), known.libraries.end(), [&](const LibraryFacts& facts) {
    return library != nullptr && facts.name == library->name;
  });
  return found != known.libraries.end() ? &*found : nullptr;
}

// "1.13.0, 2 CUDA devices"
std::string library_text(const EngineLibrary& library, const LibraryFacts& facts) {
  if (facts.problem) return "cannot be loaded";
  if (!facts.version) return fmt::format("not installed (package {})", library.package);
  return fmt::format("{}, {}", *facts.version, library.devices());
}

// The GPUs of the engines whose libraries are loaded.
VisibleGpus usable_gpus(const KnownFacts& known) {
  return find_usable_gpus_unless([&](const EngineEntry& engine) -> std::optional<std::string> {
    const LibraryFacts* facts = facts_of(engine, known);
    if (facts == nullptr || facts->version) return std::nullopt;
    return fmt::format("{} {}", facts->name, facts->problem ? "cannot be loaded" : "is not installed");
  });
}

// `speeds`: FLOP/s of each rank.
std::string info_text(const RankTable& ranks, const std::vector<double>& speeds, const KnownFacts& known) {
  const VisibleGpus& usable = known.usable;
  const BoundCores machine = find_bound_cores();
  const VisibleGpus visible = find_gpus();
  std::string text = fmt::format("sheaf        {} ({}, build {})\n", program_version(), git_revision(), build_id());
  text += fmt::format("MPI          {}\n", MpiSession::library_version());
  text += fmt::format("HDF5         {}, parallel\n", hdf5_version());
  for (const EngineEntry& engine : engine_table())
    if (const EngineLibrary* library = engine.services.shared_library;
        library != nullptr && library->devices != nullptr)
      text += fmt::format("{:<13}{}\n", library->name, library_text(*library, *facts_of(engine, known)));
  text += fmt::format("BLAS         {}\n", blas_version());
  for (const EngineEntry& engine : engine_table())
    if (engine.services.shared_library == nullptr)
      text += fmt::format("engine       {}: {}\n", engine.name, engine.services.platform());
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
  agree(world, [&] { check_engines(known); });
  const Communicator node = world.split_by_node();
  const Placement placement = place_ranks(
      RunOptions{}, [&] { return known.usable = usable_gpus(known); }, world, node);
  known.lanes = placement.lane_count();
  const auto ranks = gather_rank_infos(placement, world);
  const auto speeds = world.gather(std::vector<double>{known.speed.flops});
  const auto findings = gather_findings(check_rank(known, world, node), world);
  agree(world, [&] {
    if (world.is_root()) print_job_result(info_text(ranks, speeds, known) + "\n" + finding_lines(findings));
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
