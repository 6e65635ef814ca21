// SPDX-License-Identifier: MIT
#include "commands/train/prepare/stored_run.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "commands/train/prepare/settle_study.hpp"
#include "core/error.hpp"
#include "core/log.hpp"
#include "core/text.hpp"
#include "parallel/mpi/agreement.hpp"
#include "runs/directory/run_directory.hpp"
#include "runs/directory/study_identity.hpp"
#include "runs/run_reader.hpp"
#include "study/combinations.hpp"
#include "study/settings.hpp"
#include "study/stored_study.hpp"

namespace sheaf {

bool joins_run(const std::string& directory, const RunRequest& request, const ArraySlice& slice) {
  return (request.resume || !slice.is_whole()) && holds_run(directory);
}

void require_same_keys(const std::string& directory, const Study& study, const Study& stored) {
  const auto differing = differing_keys(study, stored);
  if (!differing.empty())
    throw UsageError(
        fmt::format("'{}' has a run of another study ({}). Resume it with the same values, or start a new run "
                    "with another run.output.",
                    directory, fmt::join(differing, "; ")));
}

void require_same_study(const std::string& directory, const Study& study, const Study& stored) {
  require_same_keys(directory, study, stored);
  const std::int64_t patience = study.search.patience, before = stored.search.patience;
  if (patience > 0 && (before == 0 || patience < before))
    throw UsageError(
        fmt::format("search.patience = {} cannot be less than that of '{}', {} (results of trials would be dropped). "
                    "Increase it, or start a new run with another run.output.",
                    patience, directory, setting_text(stored, "search.patience")));
  if ((!study.search.earlier_repeats.empty() || !stored.search.earlier_repeats.empty()) &&
      (trial_count(study) != trial_count(stored) || study.search.earlier != stored.search.earlier))
    throw UsageError(fmt::format(
        "the trials of '{}' cannot be extended together with its repeats, or after them (iterations are numbered "
        "by the trials before an extension). Extend the trials first, in another job, or start a new run with "
        "another run.output.",
        directory));
  if (trial_count(study) < trial_count(stored) || study.study.iterations < stored.study.iterations ||
      study.search.repeats < stored.search.repeats)
    require_all_results(study, read_run(directory));
}

void require_all_results(const Study& study, const RunState& run) {
  const Plan& plan = run.plan;
  const ResultStore& results = run.progress.journals.iterations;
  const std::int64_t end = results.positions_of(plan.search_iterations()).end;
  if (end == 0) return;
  const Iteration last = plan.iteration(results.packed(static_cast<std::size_t>(end - 1)).iteration());
  if (!study.search.keys.empty() && study.search.repeats < run.study->search.repeats) {
    // Repeats end where a stage does: otherwise, iterations of the stage would get other numbers.
    const std::int64_t reached = plan.stage(last.stage).repeats.end / study.study.iterations;
    if (study.search.repeats < reached)
      throw UsageError(fmt::format(
          "search.repeats = {} is too small for '{}' (it has results of up to {} repeats, and keeps them). Set "
          "search.repeats to {} or more.",
          study.search.repeats, run.directory, reached, reached));
    return;
  }
  const bool can_grow = study.search.method_row().can_grow;
  const bool by_repeats = study.search.repeats < run.study->search.repeats;
  const char* const key = can_grow ? "search.trials" : by_repeats ? "search.repeats" : "study.iterations";
  const std::int64_t count = can_grow ? trial_count(study) : by_repeats ? study.search.repeats : study.study.iterations;
  const std::int64_t reached =
      can_grow ? last.trial : last.repeat / (by_repeats ? study.study.iterations : study.search.repeats);
  if (count <= reached)
    throw UsageError(
        fmt::format("{} = {} is too small for '{}' (it has results up to {} {}, and keeps them). Set {} to "
                    "{} or more.",
                    key, count, run.directory, can_grow ? "trial" : "repeat", reached, key, reached + 1));
}

std::int64_t known_trials(const RunState& run) {
  const ResultStore& results = run.progress.journals.iterations;
  const std::int64_t end = results.positions_of(run.plan.search_iterations()).end;
  return end == 0 ? 0 : run.plan.iteration(results.packed(static_cast<std::size_t>(end - 1)).iteration()).trial + 1;
}

void require_new_trials(const Study& study, const RunState& run) {
  const SearchOptions& search = study.search;
  std::vector<std::string> changed;
  for (std::size_t key = 0; key < search.keys.size(); ++key)
    if (!(search.keys[key] == search.earlier.back().keys[key])) changed.push_back("search." + search.keys[key].key);
  const std::int64_t kept = search.earlier.back().trials;
  if (trial_count(study) <= kept && !search.draws_trials())
    throw UsageError(fmt::format("the new values of {} give no new combination ('{}' has all of them, {}). Add values.",
                                 listed(changed), run.directory, counted(kept, "trial")));
  if (trial_count(study) <= kept)
    throw UsageError(fmt::format(
        "search.trials = {} leaves no trial for the new values of {} ('{}' has {}, which keep their "
        "values). Set search.trials to {} or more.",
        setting_text(study, "search.trials"), listed(changed), run.directory, counted(kept, "trial"), kept + 1));
}

void require_time_left(const Study& study, const RunState& run) {
  const auto& end = run.progress.journals.end;
  if (end && study.search.time > 0 && end->time == study.search.time && trial_count(study) > end->trials)
    throw UsageError(
        fmt::format("search.time = {} leaves no time for new trials (it has ended the search of '{}'). Increase it, or "
                    "set search.time = none.",
                    setting_text(study, "search.time"), run.directory));
}

Study joined_study(const Study& requested, const StoredRun& stored) {
  return extended(with_stored_choices(requested, stored.study), stored.study, stored.known_trials);
}

void require_same_extension(const std::string& directory, const Study& study, const Study& stored) {
  const bool has_values = has_other_values(study, stored);
  const SearchOptions again = extended(study, stored, has_values ? known_trials(read_run(directory)) : 0).search;
  if ((has_values && again.earlier != study.search.earlier) || again.earlier_repeats != study.search.earlier_repeats)
    throw UsageError(fmt::format(
        "another job has trained trials of '{}' while this one began. Start the command again.", directory));
}

std::optional<StoredRun> find_stored_run(const Study& requested, const RunRequest& request, const ArraySlice& slice,
                                         const Communicator& world) {
  const std::string directory = run_directory(requested);
  std::string text;
  std::int64_t known = 0;
  agree(world, [&] {
    if (!world.is_root() || !joins_run(directory, request, slice)) return;
    const SettledStudy stored = RunReader(directory).study(request.force);
    const bool is_extended = has_other_values(with_stored_choices(requested, stored), stored);
    std::optional<RunState> run;
    if (is_extended) known = known_trials(run.emplace(read_run(directory)));
    const Study joined = joined_study(requested, {stored, known});
    require_same_study(directory, joined, stored);
    if (run) require_new_trials(joined, *run);
    if (!run && joined.search.time > 0 && joined.search.trials != stored->search.trials)
      run.emplace(read_run(directory));
    if (run) require_time_left(joined, *run);
    if (const auto problems = problems_in(joined); !problems.empty()) throw UsageError(problems.front().sentence);
    if (joined.run.engine != EngineKind::native && joined.run.threads != stored->run.threads)
      warn_root(
          fmt::format("the run began with run.threads = {}, now {}: models that LibTorch trains on CPUs will agree "
                      "with earlier iterations only up to rounding.",
                      stored->run.threads, joined.run.threads));
    text = study_file_text(stored);
  });
  text = world.broadcast(text, 0);
  known = world.maximum(known);
  std::optional<StoredRun> stored;
  agree(world, [&] {
    if (!text.empty()) stored = StoredRun{parse_stored_study(text, study_path(directory)), known};
  });
  return stored;
}

std::string models_warning(const Study& study, const Study& stored, std::int64_t finished, std::int64_t left) {
  if (study.run.models == ModelsSaved::none || study.run.models == stored.run.models || finished == 0) return "";
  const std::string models = setting_text(study, "run.models"), before = setting_text(stored, "run.models");
  const std::string directory = run_directory(study);
  if (left == 0)
    throw UsageError(
        fmt::format("run.models = {} has no effect on '{}' (all of its iterations were trained with run.models = {}, "
                    "and resume does not train them again). Train the study again: sheaf run {} --run.models={} "
                    "--run.output=NEW_DIR.",
                    models, directory, before, latest_study_path(directory), models));
  return fmt::format(
      "run.models = {} applies only to the {} that remain ({} with run.models = {}, and resume does not train them "
      "again). For all models, train the study again with another run.output.",
      models, counted(left, "iteration"), finished == 1 ? "1 was trained" : fmt::format("{} were trained", finished),
      before);
}

}  // namespace sheaf
