// Numbers of the rows of a file that decide how rows are held out: groups of rows that stay together, given folds, or
// the order of the rows in time.
// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <memory>
#include <string>

#include "files/hdf5/data_set.hpp"
#include "files/hdf5/file.hpp"
#include "parallel/mpi/communicator.hpp"
#include "study/data_options.hpp"

namespace sheaf {

/// What the numbers of the rows mean.
enum class MarkKind { none, groups, folds, times };

/// The numbers of all rows, in memory that the ranks of a node share.
struct RowMarks {
  MarkKind kind = MarkKind::none;
  std::int64_t count = 0;  ///< of the groups or folds
  /// [rows]: groups 0..count-1; folds 0..count-1; places 0..rows-1 in time. Null without marks, and for times in the
  /// order of the file.
  const std::int64_t* numbers = nullptr;
  std::shared_ptr<void> owner;

  std::int64_t number(std::int64_t row) const { return numbers == nullptr ? row : numbers[row]; }
};

/// The data set of a file that has the numbers of its rows.
struct MarkSource {
  MarkKind kind = MarkKind::none;
  std::string name;        ///< of the data set, or file_order
  DataSetInfo info;        ///< not for file_order
  std::int64_t folds = 0;  ///< their number, after settle_folds()

  bool is_data_set() const { return kind != MarkKind::none && !info.shape.empty(); }
};

/// The value of data.time for rows that are in the order of time.
inline const std::string file_order = "file_order";

/// The data set that data.groups, data.folds or data.time names. If none of them names one, those that are `auto` stand
/// for the data sets /groups, /folds and /time of the file. Throws RunError if a data set that was named is missing, if
/// a data set is not a list of numbers, one for each of `rows` rows, or if the file has several with `auto`. Local.
MarkSource find_marks(const InputFile& file, const DataOptions& options, std::int64_t rows);

/// Reads given folds and sets their number. Throws AgreedError if a number is out of range or missing. Collective over
/// `world`.
void settle_folds(const std::string& file, MarkSource& source, const Communicator& world);

/// Reads the numbers once per node. Groups are numbered in the order of their numbers in the file; rows with equal
/// times keep the order of the file. Throws AgreedError. The memory is freed as in load_to_node_memory(). Collective
/// over `world`.
RowMarks load_marks(const std::string& file, const MarkSource& source, const Communicator& world,
                    const Communicator& node);

/// How the rows of the file are held out because of its data set, and how to ignore it; empty without one. Pure.
std::string marks_text(const MarkSource& source);

}  // namespace sheaf
