// SPDX-License-Identifier: MIT
#include "commands/import/import_command.hpp"

#include <fmt/format.h>
#include <sys/stat.h>

#include <optional>

#include "commands/import/import_arguments.hpp"
#include "commands/line/arguments.hpp"
#include "commands/line/data_file_names.hpp"
#include "core/allocator.hpp"
#include "core/clock.hpp"
#include "core/error.hpp"
#include "core/log.hpp"
#include "core/text.hpp"
#include "data/file_schema.hpp"
#include "data/node_data.hpp"
#include "data/stored_description.hpp"
#include "data/stored_offsets.hpp"
#include "data/target_coding.hpp"
#include "files/hdf5/data_set.hpp"
#include "files/hdf5/table_writer.hpp"
#include "files/replace_file.hpp"
#include "models/saved_model_record.hpp"
#include "parallel/mpi/agreement.hpp"
#include "parallel/mpi/job_output.hpp"
#include "study/value_types.hpp"

namespace sheaf {
namespace {

// The description that an import takes from a data file, with the offsets that a run on it uses, or from a model.
struct LikeData {
  DataDescription description;
  Task task = Task::regression;
};

// `requested`: the task of the import, if the user has set it.
LikeData read_like(const std::string& path, std::optional<Task> requested) {
  if (!is_data_file(path)) {
    const auto model = read_saved_model_record(path);
    require(model.has_value(), fmt::format("'{}' was not saved by sheaf, so its columns and classes are not known. "
                                           "Pass the data file that the model was trained on.",
                                           path));
    return {with_columns(model->description.data, model->description.shape.features), model->description.task};
  }
  DataOptions options;
  options.file = path;
  options.groups = options.folds = options.time = "";
  const InputFile file(path);
  FileSchema schema = inspect_features(file, options);
  const Communicator self = Communicator::self();
  const bool has_targets = file.has(options.targets);
  if (has_targets) schema = agree_on_file(options, self);
  if (schema.coding == TargetCoding::texts) {
    const StoredRows texts(options.file, options.targets, Values::numbers_or_texts);
    std::vector<std::int64_t> labels(static_cast<std::size_t>(schema.rows));
    schema.description.class_names = read_text_labels(texts, schema, self, self, labels.data());
  }
  const Task task = schema.coding == TargetCoding::multilabel ? Task::multilabel
                    : has_targets && schema.has_classes()     ? Task::classification
                                                              : Task::regression;
  const bool has_numbers = has_targets && schema.coding == TargetCoding::numbers;
  options.task = has_numbers ? requested.value_or(task) : Task::classification;  // whose targets have no offsets
  schema = with_offsets(options, std::move(schema), self);
  return {with_columns(schema.description, schema.feature_count), task};
}

// Writes the data and frees each array after it is written.
void write_data(const std::string& path, ImportedData data, int compression) {
  constexpr bool long_attributes = true;
  Hdf5Writer file(path, long_attributes);
  const auto write = [&](const char* name, NumberArray& array) {
    file.write_numbers(name, array, compression);
    array.bytes = std::vector<std::byte>();  // = {} would not free the memory
  };
  write("features", data.features);
  for (const auto& [name, array] : {std::pair("targets", &data.targets),
                                    {"groups", &data.groups},
                                    {"folds", &data.folds},
                                    {"time", &data.times},
                                    {"weights", &data.weights}})
    if (*array) write(name, **array);
  return_freed_memory();
  if (data.channels) file.write_text("features", "channels", name_of(*data.channels));
  write_description(file, "features", data.targets ? "targets" : "", data.description);
  file.close();
}

// "'train.h5': 150 rows, features [150, 4] float32, 3 classes; 12.3 KiB in 0.02 s"
std::string report(const ImportRequest& request, const std::string& content, double seconds) {
  struct stat status {};
  ::stat(request.output.c_str(), &status);
  return fmt::format("'{}': {}; {} in {}\n", printable(request.output), content,
                     human_bytes(static_cast<double>(status.st_size)), human_seconds(seconds));
}

// "train.csv and more.csv"
std::string source_of(const ImportRequest& request) {
  constexpr std::size_t max_shown = 8;
  return printable(listed(request.inputs, max_shown));
}

// "3 classes": all that have names, even if some have no rows.
std::string counted_classes(const ImportedData& data) {
  const auto names = static_cast<std::int64_t>(data.description.class_names.size());
  const std::int64_t classes = names > 0 ? names : data.classes();
  return fmt::format("{} {}", classes, classes == 1 ? "class" : "classes");
}

std::string content_of(const ImportedData& data) {
  const std::string targets =
      !data.targets ? "no targets"
      : is_real(data.targets->type)
          ? fmt::format("targets {} {}", shape_text(data.targets->shape), number_type_name(data.targets->type))
      : data.description.is_multilabel ? fmt::format("{} labels", data.targets->row_elements())
                                       : counted_classes(data);
  return fmt::format("{}, features {} {}, {}", counted(data.features.rows(), "row"), shape_text(data.features.shape),
                     number_type_name(data.features.type), targets);
}

void import_files(const ImportRequest& request) {
  const auto start = Clock::now();
  for (const auto& input : request.inputs) require_other_file(input, request.output);
  if (!request.like.empty()) require_other_file(request.like, request.output);
  require_free_name(request.output, request.overwrite);
  ImportOptions options = request.options;
  const auto like = request.like.empty() ? std::nullopt : std::optional(read_like(request.like, options.csv.task));
  if (like) {
    options.csv.like = &like->description;
    options.csv.like_name = fmt::format("'{}'", request.like);
    if (!options.csv.task) options.csv.task = like->task;
  }
  ImportedData data = import_files(request.inputs, options);
  data.description.source = source_of(request);
  data.description.content_hash = content_hash(data);
  for (const auto& note : data.notes) log_root(note);
  if (data.weights) log_root("the weights of the rows count in a study with data.weights = weights");
  return_freed_memory();
  const std::string content = content_of(data);
  write_then_rename(request.output,
                    [&](const std::string& temporary) { write_data(temporary, std::move(data), request.compression); });
  print_job_result(report(request, content, seconds_since(start)), fmt::format("'{}' is complete.", request.output));
}

ExitCode run(const CommandCall& call, const Communicator& world) {
  agree(world, [&] {
    const ImportRequest request = parse_import_arguments(call.arguments);
    if (world.is_root()) import_files(request);
  });
  return ExitCode::done;
}

}  // namespace

Command import_command() {
  return {"import",
          "FILE... OUT.h5 [--key=value ...]",
          "convert CSV, NumPy, IDX or CIFAR-10 files to a data file",
          import_help,
          import_options,
          run};
}

}  // namespace sheaf
