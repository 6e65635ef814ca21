// SPDX-License-Identifier: MIT
#include "commands/import/import_arguments.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "commands/line/arguments.hpp"
#include "commands/line/csv_arguments.hpp"
#include "commands/line/data_file_names.hpp"
#include "core/error.hpp"
#include "core/escaped.hpp"
#include "core/quoted.hpp"
#include "core/text.hpp"
#include "files/hdf5/file_format.hpp"
#include "study/value_types.hpp"

namespace sheaf {
namespace {

constexpr const char* usage = "Usage: sheaf import FILE... OUT.h5 [--key=value ...] (see sheaf import --help)";

const std::vector<std::pair<std::string, ImportFormat>> formats = {{"csv", ImportFormat::csv},
                                                                   {"npy", ImportFormat::npy},
                                                                   {"npz", ImportFormat::npz},
                                                                   {"idx", ImportFormat::idx},
                                                                   {"cifar10", ImportFormat::cifar10}};

std::string format_name(ImportFormat format) {
  return choice(formats).write(format);
}

// An option of the command line. `formats`: those that have the option; empty: all.
struct Key {
  std::string name;
  std::vector<ImportFormat> formats;
  void (*apply)(ImportRequest& request, const std::string& key, const std::string& text);
};

std::vector<Key> make_keys() {
  std::vector<Key> keys = {
      {"format",
       {},
       [](ImportRequest& request, const std::string& key, const std::string& text) {
         request.options.format = option_value(choice(formats), key, text);
       }},
      {"compression",
       {},
       [](ImportRequest& request, const std::string& key, const std::string& text) {
         request.compression = static_cast<int>(option_value(integer(0, 9), key, text));
       }},
      {"overwrite",
       {},
       [](ImportRequest& request, const std::string& key, const std::string& text) {
         request.overwrite = option_value(flag(), key, text);
       }},
      {"task",
       {ImportFormat::csv, ImportFormat::npy, ImportFormat::npz},
       [](ImportRequest& request, const std::string& key, const std::string& text) {
         const auto tasks = choice<Task>({{"classification", Task::classification},
                                          {"multilabel", Task::multilabel},
                                          {"regression", Task::regression}});
         request.options.csv.task = option_value(tasks, key, text);
       }},
      {"like",
       {},
       [](ImportRequest& request, const std::string& key, const std::string& text) {
         request.like = option_value(non_empty_text(), key, text);
       }},
      {"features",
       {ImportFormat::npz},
       [](ImportRequest& request, const std::string& key, const std::string& text) {
         request.options.features = option_value(non_empty_text(), key, text);
       }},
      {"targets",
       {ImportFormat::npz},
       [](ImportRequest& request, const std::string& key, const std::string& text) {
         request.options.targets = option_value(non_empty_text(), key, text);
       }},
  };
  const auto apply_csv = [](ImportRequest& request, const std::string& name, const std::string& text) {
    apply_csv_option(request.options.csv, name, text);
  };
  for (const auto& names : {csv_reading_options(), csv_encoding_options()})
    for (const auto& name : names) keys.push_back({name, {ImportFormat::csv}, apply_csv});
  return keys;
}

const std::vector<Key> keys = make_keys();

const Key& key_named(const std::string& name) {
  return *std::find_if(keys.begin(), keys.end(), [&](const Key& key) { return key.name == name; });
}

std::vector<std::string> key_names() {
  std::vector<std::string> names;
  for (const auto& key : keys) names.push_back(key.name);
  return names;
}

// The one format of all inputs.
ImportFormat common_format(const std::vector<std::string>& inputs) {
  std::optional<ImportFormat> common;
  for (const auto& input : inputs) {
    if (format_of_content(input) == FileFormat::hdf5)
      throw UsageError(fmt::format("'{}' is an HDF5 file, which needs no import. Train with: sheaf run {}.", input,
                                   shell_word(input)));
    const auto format = format_of(input);
    if (!format)
      throw UsageError(fmt::format(
          "the format of '{}' cannot be determined from its name (known endings: .csv, .tsv, .npy, .npz, -ubyte "
          "and .bin). Set --format={}.",
          input, choice(formats).values));
    if (common && *common != *format)
      throw UsageError(
          fmt::format("'{}' ({}) and '{}' ({}) have different formats (all inputs must have the same). Import "
                      "them separately, or set --format.",
                      inputs.front(), format_name(*common), input, format_name(*format)));
    common = format;
  }
  return *common;
}

void require_input_count(const ImportRequest& request) {
  const std::size_t count = request.inputs.size();
  const auto refuse = [&](const std::string& expected) {
    throw UsageError(fmt::format("format {} expects {} (it got {}). {}.", format_name(request.options.format), expected,
                                 counted(static_cast<std::int64_t>(count), "input file"), usage));
  };
  if (request.options.format == ImportFormat::npy && count > 2) refuse("one or two files, features and targets");
  if (request.options.format == ImportFormat::npz && count != 1) refuse("one archive");
  if (request.options.format == ImportFormat::idx && count % 2 != 0) refuse("pairs of files, images and labels");
}

// Checks that the options are consistent with each other.
void require_consistent(const ImportRequest& request, const Arguments& command_line) {
  const auto has = [&](const std::string& wanted) {
    return std::any_of(command_line.assignments.begin(), command_line.assignments.end(),
                       [&](const Assignment& option) { return option.key == wanted; });
  };
  const auto kind = request.options.csv.missing.kind;
  if (request.like.empty() && has("unknown"))
    throw UsageError("--unknown has no effect without --like (all texts are categories). Leave it out.");
  if (request.like.empty()) return;
  if (has("missing") && kind != MissingCells::Kind::drop)
    throw UsageError(
        "--missing cannot change empty cells with --like (they are treated as in the training data). Leave it out, "
        "or pass --missing=drop.");
  for (const char* name : {"categorical", "keep"})
    if (has(name))
      throw UsageError(fmt::format(
          "--{} has no effect with --like (the columns and their categories are known). Leave it out.", name));
}

}  // namespace

const LineOptions& import_options() {
  static const LineOptions options{{}, key_names(), {}, {"overwrite"}};
  return options;
}

ImportRequest parse_import_arguments(const std::vector<std::string>& arguments) {
  const Arguments command_line = parse_arguments("import", import_options(), arguments);
  ImportRequest request;
  request.inputs = command_line.positional;
  bool has_format = false;
  for (const auto& [name, text] : command_line.assignments) {
    key_named(name).apply(request, name, text);
    has_format = has_format || name == "format";
  }
  if (request.inputs.size() < 2)
    throw UsageError(fmt::format("'sheaf import' needs input files and an output file (it got {}). {}.",
                                 counted(static_cast<std::int64_t>(request.inputs.size()), "file name"), usage));
  request.output = request.inputs.back();
  request.inputs.pop_back();
  if (!has_hdf5_ending(request.output))
    throw UsageError(
        fmt::format("'{}' is not a valid output file name (the last name must end in .h5, .hdf5, .hdf or .he5). {}.",
                    request.output, usage));
  if (!has_format) request.options.format = common_format(request.inputs);
  require_input_count(request);
  require_consistent(request, command_line);
  for (const auto& [name, text] : command_line.assignments) {
    const auto& with_option = key_named(name).formats;
    if (!with_option.empty() &&
        std::find(with_option.begin(), with_option.end(), request.options.format) == with_option.end())
      throw UsageError(fmt::format("format {} has no option --{}. {}", format_name(request.options.format), name,
                                   request.options.format == ImportFormat::csv && name == "targets" ? "Use --label."
                                   : request.options.format == ImportFormat::npz && name == "label" ? "Use --targets."
                                                                                                    : "Leave it out."));
  }
  return request;
}

std::string import_help() {
  return R"(Converts files to a data file for `sheaf run`: features and targets in HDF5 (see data/README.md). The format
is determined by the file names or by --format=csv|npy|npz|idx|cifar10. Files may be compressed (.gz),
except .npz. All of them must be regular files, not pipes.

  sheaf import train.csv more.csv train.h5 --label=species
  sheaf import X.npy y.npy train.h5
  sheaf import arrays.npz train.h5 --features=x_train --targets=y_train
  sheaf import train-images-idx3-ubyte.gz train-labels-idx1-ubyte.gz mnist.h5
  sheaf import data_batch_1.bin data_batch_2.bin cifar10.h5

all formats
  --compression=0..9    gzip level of the data sets; default: 0, no compression
  --overwrite           replace an existing OUT.h5
  --like=TRAIN.h5|MODEL.pt
                        encode columns and classes as in this data file or model: columns are found by name,
                        texts and labels get the same numbers, empty cells are treated in the same way
csv, npy, npz
  --task=classification|multilabel|regression
                        default: classification for text, for integers 0..K-1, for integers with at most 100
                        different values of which most occur in several rows, and for one-hot targets;
                        multilabel for several columns of 0 and 1 that are not one-hot; otherwise regression
csv (.csv, .tsv; several files are appended)
  --label=NAME|N        column of the targets, by name or number (from 0; negative: from the end); default: the
                        last one that is not dropped; several columns for regression, for several labels per row and for
                        one-hot classes (0 and 1, no and yes, or false and true): --label=a,b; none: a file
                        without targets
  --drop=NAME|N,...     columns to leave out. The data file and models remember them, so that evaluate, predict and
                        --like leave them out, too
  --keep=NAME|N,...     columns to take as categories although nearly all of their texts differ, or they have dates;
                        the former, and dates of no known format, are left out by default, with a note
  --categorical=NAME|N,...
                        columns of numbers or dates that are read as text, that is, as categories
  --groups=NAME|N, --folds=NAME|N, --time=NAME|N, --weights=NAME|N
                        columns that are not features: the group of each row, its fold (0, 1, ...), its time (numbers,
                        or dates such as 2019-03-01 or 2019-03-01T10:30:00) and the weight of its loss. They become the
                        data sets /groups, /folds, /time and /weights. Studies hold out rows by the first three
  --missing=median|mean|NUMBER|drop|error
                        empty cells of features. median, mean, NUMBER: they fill the empty cells of columns of
                        numbers when a study runs (median and mean of its training rows); with median, linear models
                        and MLPs have another input that marks these cells. In columns of text they are a category of
                        their own. drop: leave out the row. error: refuse them. default: median
  --unknown=ignore|error
                        with --like, texts that are not among the categories of a column; ignore (default): they are
                        counted in a note and read as empty cells, which are a category of their own if the training
                        data had some, and otherwise none of the categories
)" + csv_reading_help() +
         R"(npz
  --features=NAME       default: X, features, data, x_train, X_train, x_test or X_test
  --targets=NAME        default: those with the same ending, or y, targets, labels, target

CSV features become 32-bit floating point, after the subtraction of an offset where they are large compared to their
differences; the other formats keep their type. Columns of text become the numbers of up to 1000 categories, which
networks encode (model.categories). A column of dates becomes columns of numbers: NAME.year, NAME.month, NAME.day,
NAME.weekday (0 is Monday) and NAME.days (since 1970, with the time of day as a fraction), if all of its dates have one
of the formats 2024-05-31, 2024/05/31, 31.05.2024, 31/05/2024 and 05/31/2024, the last two only if the cells show which
of them it is. A time of day may follow: 13:45, 13:45:00, T13:45:00.5Z or T13:45:00+02:00. Unnamed first columns are
taken to be row names and left out. Lines above the table, comments (#) and a row of units below the header are
skipped. Numbers may have thousands separators, percent and currency signs if all of their column fit. Labels 0..K-1
are kept; other labels are numbered in sorted order. The attributes feature_names, columns and class_names store the
names and the encoding. IDX files come in pairs: one
file of images and one of labels. IDX images become [N, 1, H, W] and CIFAR-10 images [N, 3, 32, 32], both as unscaled bytes; data.normalize
scales them when a study runs.
)";
}

}  // namespace sheaf
