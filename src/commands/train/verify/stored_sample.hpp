// The iterations that a job trains again, with their stored results, on all ranks.
// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "parallel/mpi/communicator.hpp"
#include "runs/journal/journal_line.hpp"
#include "runs/journal/replay.hpp"
#include "runs/journal/result_store.hpp"
#include "study/plan.hpp"

namespace sheaf {

/// A number of iterations, or all.
struct SampleSize {
  std::optional<std::int64_t> count = 10;  ///< nullopt: all
  std::uint64_t seed = 0;
};

/// How many iterations of a run have no result that can be compared.
struct LeftOut {
  std::int64_t pruned = 0, unfinished = 0, failed = 0;
  std::int64_t of_other_data = 0;  ///< with a result of other data or model files, by resume --force

  /// "3 pruned, 1 failed"; nullopt: none.
  std::optional<std::string> text() const;
};

/// The iterations with a result.
struct Comparable {
  std::vector<std::int64_t> iterations;  ///< ascending
  LeftOut left_out;
};

/// The iterations of a run that finished or diverged, on the same data and with the same model files as `own`. Pure.
Comparable comparable_iterations(const Replay& journals, const JournalHeader& own);

/// The stored results of some iterations.
struct StoredSample {
  ResultStore results;                                ///< settled; files are indices of the next two
  std::vector<std::string> journals;                  ///< their paths
  std::vector<std::optional<JournalHeader>> headers;  ///< [journals]; nullopt: damaged

  /// The iterations, ascending.
  std::vector<std::int64_t> iterations() const;
  /// The numbers of epochs of those that were cut.
  std::map<std::int64_t, std::int64_t> cut_epochs() const;
  /// The headers of the journals whose jobs may have trained a part of the iteration: all if it continues another
  /// stage or a checkpoint.
  std::vector<std::optional<JournalHeader>> headers_of(const JournaledIteration& stored, const Plan& plan) const;
};

/// Gives all ranks the results of `iterations`, which rank 0 has in `journals`, and the drawn values of their trials.
/// On other ranks `iterations` is empty. Collective over world.
StoredSample share_sample(const Replay& journals, const std::vector<std::int64_t>& iterations, Plan& plan,
                          const Communicator& world);

}  // namespace sheaf
