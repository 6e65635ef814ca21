// The result files of a run, written row by row while its iterations come.
// SPDX-License-Identifier: MIT
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "files/hdf5/table_writer.hpp"
#include "files/replace_file.hpp"
#include "runs/results/run_results.hpp"
#include "runs/results/table.hpp"
#include "study/plan.hpp"
#include "study/study.hpp"
#include "training/iteration_result.hpp"

namespace sheaf {

/// Writes results.h5 and results.csv of a run directory, both under temporary names until they are finished. Keeps no
/// row in memory. Local, for rank 0.
class ResultStream {
 public:
  /// `extent`: of all iterations that will come. Throws RunError. `study` and `plan` outlive it.
  ResultStream(const std::string& directory, const Study& study, const Plan& plan, const TableExtent& extent);

  /// Appends the next iterations, in order. Throws RunError.
  void append(const std::vector<TrainedIteration>& iterations);

  /// After the last iteration: writes the other tables, waits until both files are on the disk, and gives results.h5,
  /// then results.csv its name: a directory with results.csv is complete. Throws RunError. The last call.
  void finish(const RunResults& results);

 private:
  const Study& study_;
  const Plan& plan_;
  UnfinishedFile h5_file_, csv_;
  Hdf5Writer h5_;
  Hdf5Table iterations_;
  std::optional<Hdf5Table> epochs_;  // of studies with run.curves
};

}  // namespace sheaf
