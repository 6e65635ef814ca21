// SPDX-License-Identifier: MIT
#include "commands/import/import_command.hpp"

#include <fmt/format.h>
#include <sys/stat.h>

#include "commands/import/import_arguments.hpp"
#include "core/allocator.hpp"
#include "core/clock.hpp"
#include "core/error.hpp"
#include "core/standard_output.hpp"
#include "core/text.hpp"
#include "data/import/image_files.hpp"
#include "data/import/numpy_files.hpp"
#include "files/hdf5/data_set.hpp"
#include "files/hdf5/table_writer.hpp"
#include "files/replace_file.hpp"
#include "files/zip.hpp"
#include "parallel/mpi/agreement.hpp"

namespace sheaf {
namespace {

ImportedData read_inputs(const ImportRequest& request) {
  std::vector<std::unique_ptr<ByteSource>> sources;
  for (const auto& input : request.inputs) sources.push_back(open_source(input));
  switch (request.format) {
    case ImportFormat::csv:
      return import_csv(sources, request.csv);
    case ImportFormat::npy:
      return import_npy(*sources[0], *sources[1], request.task);
    case ImportFormat::npz:
      return import_npz(read_archive(*sources[0]), request.inputs[0],
                        {request.features, request.targets, request.task});
    case ImportFormat::idx:
      return import_idx(sources);
    case ImportFormat::cifar10:
      break;
  }
  return import_cifar10(sources);
}

// Writes the data and frees each array after it is written.
void write_data(const std::string& path, ImportedData data, int compression) {
  Hdf5Writer file(path);
  for (const auto& [name, array] :
       {std::pair<const char*, NumberArray*>{"features", &data.features}, {"targets", &data.targets}}) {
    file.write_numbers(name, *array, compression);
    array->bytes = std::vector<std::byte>();  // = {} would not free the memory
  }
  return_freed_memory();
  if (!data.class_names.empty()) file.write_texts("targets", "class_names", data.class_names);
  file.close();
}

// "'train.h5': 150 rows, features [150, 4] float32, 3 classes; 12.3 KiB in 0.02 s"
std::string report(const ImportRequest& request, const std::string& content, double seconds) {
  struct stat status {};
  ::stat(request.output.c_str(), &status);
  return fmt::format("'{}': {}; {} in {}\n", request.output, content, human_bytes(static_cast<double>(status.st_size)),
                     human_seconds(seconds));
}

std::string content_of(const ImportedData& data) {
  return fmt::format("{}, features {} {}, {}", counted(data.features.rows(), "row"), shape_text(data.features.shape),
                     number_type_name(data.features.type),
                     is_real(data.targets.type) ? fmt::format("targets {} {}", shape_text(data.targets.shape),
                                                              number_type_name(data.targets.type))
                                                : fmt::format("{} classes", data.classes()));
}

void import_files(const ImportRequest& request) {
  const auto start = Clock::now();
  require_free_name(request.output, request.overwrite);
  ImportedData data = read_inputs(request);
  return_freed_memory();
  const std::string content = content_of(data);
  write_then_rename(request.output,
                    [&](const std::string& temporary) { write_data(temporary, std::move(data), request.compression); });
  print_result(report(request, content, seconds_since(start)), fmt::format("'{}' is complete.", request.output));
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
  return {"import", "FILE... OUT.h5 [--key=value ...]", "convert CSV, NumPy, IDX or CIFAR-10 files to a data file",
          import_help, run};
}

}  // namespace sheaf
