// Writes the result files of a run while its iterations arrive.
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
#include "training/iteration_result.hpp"

namespace sheaf {

class SettledStudy;

/// Writes results.h5 and results.csv of a run directory, both under temporary names until finish(). Stores no rows in
/// memory. Local, for rank 0.
class ResultStream {
 public:
  /// `extent`: of all iterations of the run. `data`: with run.predictions; null: no table of predictions. `study`,
  /// `plan` and `data` outlive the object. Throws RunError.
  ResultStream(const std::string& directory, const SettledStudy& study, const Plan& plan, const TableExtent& extent,
               const DataSet* data = nullptr);

  /// Appends the next iterations, in order. Throws RunError.
  void append(const std::vector<TrainedIteration>& iterations);

  /// Appends the predictions of the next iteration that has some. Throws RunError.
  void append_predictions(std::int64_t iteration, const std::vector<float>& predictions, const RowSet& rows);

  /// Writes the other tables after the last iteration, waits until both files are on disk, and renames results.h5, then
  /// results.csv. So a directory with results.csv is complete. Throws RunError. No other function may be called after
  /// this.
  void finish(const RunResults& results);

 private:
  const SettledStudy& study_;
  const Plan& plan_;
  UnfinishedFile h5_file_, csv_;
  Hdf5Writer h5_;
  Hdf5Table iterations_;
  std::optional<Hdf5Table> epochs_;  // if run.curves is set
  const DataSet* const data_;
  std::optional<Hdf5Table> predictions_;  // if there are data
};

}  // namespace sheaf
