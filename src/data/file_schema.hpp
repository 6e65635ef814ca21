// Checks the data sets of a study's HDF5 file and describes them. Reads metadata only, not rows.
// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "data/column_encoding.hpp"
#include "data/data_description.hpp"
#include "data/description_text.hpp"
#include "data/row_counts.hpp"
#include "data/row_layout.hpp"
#include "data/row_marks.hpp"
#include "files/hdf5/data_set.hpp"
#include "files/hdf5/file.hpp"
#include "study/data_options.hpp"

namespace sheaf {

/// How the targets of a file store classes, if they do. one_hot: [rows, classes], a 1 in the column of the class;
/// multilabel: [rows, labels], a 1 in the column of each label that the row has.
enum class TargetCoding { numbers, texts, one_hot, multilabel };

/// What the rows of a file are for: those of data.file are divided, those of data.validation_file and data.test_file
/// are all held out.
enum class RowUse { divided, validation, test };

/// The features, targets and weights of a file, after inspect_file() has checked that they match.
struct FileSchema {
  std::string path;
  RowUse use = RowUse::divided;
  std::vector<FileSchema> held_out;  ///< of data.file: the files of validation rows and of test rows, if there are any
  DataSetInfo features;
  DataSetInfo targets;
  std::optional<DataSetInfo> weights;           ///< only with data.weights
  MarkSource marks;                             ///< the data set of groups, folds or times, if there is one
  std::int64_t rows = 0;                        ///< without those of `held_out`
  std::int64_t feature_count = 0;               ///< per row in memory, after `encoding`
  std::int64_t target_columns = 1;              ///< in memory; a single stored column may be copied to several
  TargetCoding coding = TargetCoding::numbers;  ///< the last two only after settle_target_coding()
  std::int64_t classes = 0;     ///< data.classes, or the number of class names; 0: not known before the labels are read
  std::string classes_of;       ///< the file that determines the classes of a held-out file; otherwise empty
  DataDescription description;  ///< from the attributes of the file
  FeatureForm form = FeatureForm::features;
  ColumnEncoding encoding;                   ///< how stored rows become features
  std::vector<double> subtracted_targets{};  ///< offsets to subtract from targets when they are read; empty: none
  RowLayout layout;                          ///< how the rows of the features are seen
  std::string shapes;                        ///< names and shapes of the data sets, with those of `held_out`
  std::string files;  ///< name, size and time of the file, and of all other files that it takes values from (external
                      ///< links, virtual data sets), and of `held_out`

  RowCounts counts() const;

  /// Whether the features are a table of floating-point numbers, in which NaN is an empty cell. It is an error in
  /// images.
  bool may_have_empty_cells() const {
    return features.number_class == NumberClass::real && features.shape.size() <= 2 && layout.image.channels == 0;
  }
  /// Whether features are unsigned bytes in memory.
  bool has_byte_features() const { return features.is_bytes && encoding.is_identity(); }
  /// Whether the targets are classes: integers, one per row, or texts or one-hot.
  bool has_classes() const {
    return coding == TargetCoding::texts || coding == TargetCoding::one_hot ||
           (coding == TargetCoding::numbers && targets.number_class == NumberClass::integer && target_columns == 1);
  }
};

/// A file's name, size and modification time, as text. Bytes of the name that are not UTF-8, control characters and
/// backslashes are escapes. Throws RunError if the file cannot be accessed. Local.
std::string file_identity(const std::string& path);

/// Same, for several files; for many files, a fingerprint. Throws as file_identity(). Local.
std::string file_identities(const std::vector<std::string>& paths);

/// Checks the features only, for a file without targets. `expected`: the image shape that rows should have if their
/// size fits it and data.image is not set, such as that of a model; all zero: none. Throws as inspect_file(). Local.
FileSchema inspect_features(const InputFile& file, const DataOptions& options, const ImageShape& expected = {});

/// Throws RunError unless a data set is a list of sample weights, one for each row of the features. Pure.
void check_weights(const DataOptions& options, const DataSetInfo& features, const DataSetInfo& weights);
/// The sentence about a weight that is not finite or negative. `weights`: "data set '/weights' of 'train.h5'". Pure.
std::string bad_weight_text(const std::string& weights, double value, std::int64_t row);

/// `options` for reading a file of the study: with its path as `file`, and for held-out files without marks and
/// without weights that they do not have. Pure.
DataOptions options_of(const FileSchema& file, DataOptions options);

/// Checks the metadata of options.file, and of the files of validation and test rows. Throws RunError for the first
/// problem found. Local.
FileSchema inspect_file(const DataOptions& options);

/// Returns a warning for each data set (features, targets if the file has them, weights) of options.file with rows that
/// were never written. Throws RunError. Local.
std::vector<std::string> unwritten_warnings(const DataOptions& options);

/// Throws RunError if the layout of the rows is not certain: call it for models of images. Pure.
void require_certain_layout(const FileSchema& schema, const DataOptions& options);

}  // namespace sheaf
