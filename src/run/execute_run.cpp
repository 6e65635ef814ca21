// SPDX-License-Identifier: MIT
#include "run/execute_run.hpp"

#include <fmt/chrono.h>
#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <ctime>
#include <optional>

#include "core/error.hpp"
#include "core/log.hpp"
#include "core/text.hpp"
#include "core/version.hpp"
#include "engine/engine_choice.hpp"
#include "hdf5/file.hpp"
#include "mpi/agreement.hpp"
#include "mpi/session.hpp"
#include "plan/estimate.hpp"
#include "results/result_files.hpp"
#include "results/summary.hpp"
#include "run/curves.hpp"
#include "run/ensemble_score.hpp"
#include "run/place_ranks.hpp"
#include "run/study_data.hpp"
#include "run/train_share.hpp"

namespace sheaf {
namespace {

using Clock = std::chrono::steady_clock;

// A reference BLAS makes every product 15 times slower; OpenBLAS reaches 80 and more on any core of the last decade.
constexpr double slow_blas_flops = 15e9;

void warn_of_slow_blas(const std::vector<std::string>& engine_reasons) {
  const bool torch_trains = std::any_of(engine_reasons.begin(), engine_reasons.end(),
                                        [](const std::string& reason) { return !reason.empty(); });
  if (!torch_trains && !resident_engine_needs_blas()) return;
  const double flops = measure_blas_flops();
  if (flops < slow_blas_flops)
    warn_root(
        fmt::format("LibTorch's matrix products run at {:.1f} GFLOP/s (the BLAS library behind it is slow, or the "
                    "core is busy). Install OpenBLAS's OpenMP build (libopenblas0-openmp on Debian).",
                    flops / 1e9));
}

// All records on rank 0, in order, each iteration exactly once.
std::vector<IterationRecord> gather_records(const std::vector<TrainedIteration>& trained, std::int64_t total,
                                            const Communicator& world) {
  std::vector<IterationRecord> mine;
  mine.reserve(trained.size());
  for (const auto& iteration : trained) mine.push_back(iteration.record);
  auto records = world.gather(mine);
  agree(world, [&] {
    if (!world.is_root()) return;
    std::sort(records.begin(), records.end(),
              [](const IterationRecord& a, const IterationRecord& b) { return a.iteration < b.iteration; });
    bool complete = static_cast<std::int64_t>(records.size()) == total;
    for (std::size_t number = 0; complete && number < records.size(); ++number)
      complete = records[number].iteration == static_cast<std::int64_t>(number);
    require(complete,
            fmt::format("{} records came in for {} iterations (an iteration was lost or trained twice). This is "
                        "an error of sheaf, please report it.",
                        records.size(), total));
  });
  return records;
}

// Why LibTorch trained, for each trial; where ranks differ, those on GPUs are the ones that needed it. Collective.
std::vector<std::string> engine_reasons(const Plan& plan, const RunOptions& options, bool on_gpu,
                                        const Communicator& world) {
  const bool any_on_gpu = world.maximum(std::int64_t{on_gpu}) > 0;
  std::vector<std::string> reasons;
  for (const auto& trial : plan.trials()) reasons.push_back(torch_reason(trial, options, any_on_gpu));
  return reasons;
}

std::string utc_text(std::time_t time) {
  return fmt::format("{:%Y-%m-%dT%H:%M:%SZ}", fmt::gmtime(time));
}

std::vector<std::pair<std::string, std::string>> provenance(const std::string& command_line, const StudyData& data,
                                                            const Communicator& world, std::time_t started,
                                                            double seconds) {
  const TorchInfo torch = torch_info();
  return {{"program", "sheaf " + program_version()},
          {"git_revision", git_revision()},
          {"command_line", command_line},
          {"started_utc", utc_text(started)},
          {"finished_utc", utc_text(std::time(nullptr))},
          {"wall_seconds", fmt::format("{:.6f}", seconds)},
          {"rank_count", fmt::format("{}", world.size())},
          {"mpi", MpiSession::library_version()},
          {"libtorch", torch.version},
          {"blas", torch.blas},
          {"resident_engine", resident_engine_info()},
          {"hdf5", hdf5_version()},
          {"random_numbers", "Philox4x32-10"},
          {"data_fingerprint", data.data ? data.data->fingerprint : "drawn for each iteration from its seed"}};
}

}  // namespace

void execute_run(const Study& study, const std::string& command_line, const Communicator& world) {
  const auto start = Clock::now();
  const std::time_t started = std::time(nullptr);
  const Communicator node = world.split_by_node();
  const std::string directory = run_directory(study);

  // 1. Everything that can be wrong is found before anything is written.
  std::optional<Plan> plan;
  agree(world, [&] {
    plan.emplace(study);
    if (study.run.curves) require_countable_epochs(*plan);
  });
  const Placement placement = place_ranks(study.run, world, node);
  const bool on_gpu = placement.gpu >= 0;
  agree(world, [&] { require_engine(*plan, study.run, on_gpu); });
  const auto ranks = gather_rank_infos(placement, world);
  const auto reasons = engine_reasons(*plan, study.run, on_gpu, world);
  const StudyData data = prepare_study_data(study, *plan, placement, world, node);
  agree(world, [&] {
    if (world.is_root()) create_run_directory(directory, study);
  });
  if (world.is_root()) {
    for (const auto& line : placement_lines(ranks)) log_root(line);
    log_root(fmt::format("{}: {} iterations into '{}'", study.study.name, plan->iteration_count(), directory));
    warn_of_slow_blas(reasons);
  }

  // 2. Train.
  const TrainingContext context{study, *plan, data.data ? &*data.data : nullptr, data.splits.get(), data.stream.get()};
  const EngineFactory lane_engine = [&] {
    return make_engine(context, {placement.gpu, static_cast<int>(placement.threads)});
  };
  const auto trained = train_share(study.run, plan->iteration_count(), lane_engine, placement, world, node);

  const auto seconds = [start] { return std::chrono::duration<double>(Clock::now() - start).count(); };

  // 3. Gather, write, tell.
  RunResults results;
  results.records = gather_records(trained, plan->iteration_count(), world);
  if (study.run.curves) results.epochs = gather_epochs(trained, world);
  results.ensembles = score_ensembles(context, trained, results.records, world);
  results.ranks = ranks;
  results.streamed_bytes = world.sum(data.stream ? data.stream->bytes_read() : 0);
  results.engine_reasons = reasons;
  results.provenance = provenance(command_line, data, world, started, seconds());
  agree(world, [&] {
    if (world.is_root()) write_results(directory, study, *plan, results);
  });
  if (!world.is_root()) return;
  std::fputs(summary_text(study, *plan, results).c_str(), stdout);
  std::fflush(stdout);
  log_root(fmt::format("done in {}; results in '{}'", human_seconds(seconds()), directory));
}

}  // namespace sheaf
