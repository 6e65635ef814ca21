// SPDX-License-Identifier: MIT
#include "commands/preprocess/preprocess_job.hpp"

#include <fmt/format.h>
#include <sys/stat.h>

#include <algorithm>
#include <memory>
#include <optional>
#include <utility>

#include "commands/preprocess/column_units.hpp"
#include "commands/preprocess/feature_units.hpp"
#include "commands/preprocess/preprocess_passes.hpp"
#include "core/clock.hpp"
#include "core/error.hpp"
#include "core/log.hpp"
#include "core/text.hpp"
#include "data/file_schema.hpp"
#include "files/hdf5/derived_file.hpp"
#include "files/hdf5/unwritten_rows.hpp"
#include "files/output_bytes.hpp"
#include "files/replace_file.hpp"
#include "parallel/devices/rank_placement.hpp"
#include "parallel/mpi/agreement.hpp"
#include "parallel/mpi/job_output.hpp"
#include "parallel/mpi/session.hpp"
#include "study/value_types.hpp"

namespace sheaf {
namespace {

// HDF5 stores the size of a chunk in 32 bits.
constexpr std::int64_t max_chunk_bytes = (std::int64_t{1} << 32) - 1;

// Throws if nodes see different files under this name. Collective.
void require_same_input(const std::string& path, const StoredRows& rows, const Communicator& world) {
  std::string state;
  agree(world, [&] { state = file_identity(path) + ", from " + file_identities(rows.info().files); });
  require_same_as_root(world, state, [&](const std::string&) {
    throw RunError(
        fmt::format("File '{}' on host {} differs from that of rank 0 (in size or time). Put the file into a directory "
                    "that all nodes share.",
                    path, MpiSession::host_name()));
  });
}

// Throws if a rank does not see the file that rank 0 has created. Collective.
void require_same_output(const std::string& temporary, const Communicator& world) {
  const auto inode_text = [&] { return fmt::format("{}", OutputBytes(temporary).inode()); };
  std::string number;
  agree(world, [&] {
    if (world.is_root()) number = inode_text();
  });
  number = world.broadcast(number, 0);
  agree(world, [&] {
    bool same = false;
    try {
      same = inode_text() == number;
    } catch (const RunError&) {
      // The file does not exist on this host.
    }
    require(same, fmt::format("File '{}' of rank 0 is not visible on host {} (all ranks write to it). Choose an output "
                              "directory that all nodes share.",
                              temporary, MpiSession::host_name()));
  });
}

std::string with_leading_slash(const std::string& name) {
  return !name.empty() && name.front() == '/' ? name : "/" + name;
}

DerivedRows rows_of(const PreprocessRequest& request, const TransformPlan& plan) {
  DerivedRows rows;
  rows.name = with_leading_slash(request.features);
  rows.type = plan.type;
  rows.shape = plan.shape;
  rows.compression = request.compression;
  rows.chunk_rows = request.chunk_rows > 0 ? std::min(request.chunk_rows, plan.shape.front())
                                           : default_chunk_rows(plan.shape.front(), rows.row_bytes());
  require(
      rows.chunk_bytes() <= max_chunk_bytes,
      fmt::format("Chunks of {} rows are too large ({}; HDF5 requires less than 4 GiB). Set a smaller --chunk-rows.",
                  rows.chunk_rows, human_bytes(static_cast<double>(rows.chunk_bytes()))));
  return rows;
}

// Creates the output file without its rows and sets the address of the first row. `scaling`: in table units. Local,
// for rank 0.
std::unique_ptr<DerivedFile> begin_file(const PreprocessRequest& request, const TransformPlan& plan,
                                        const DerivedRows& rows, const std::optional<RowScaling>& scaling,
                                        const DescribedColumns& stored, bool changes_features,
                                        const std::string& temporary, std::int64_t& address) {
  const std::string shift = shift_name(rows.name), divisor = divisor_name(rows.name);
  const std::int64_t scaling_bytes = scaling ? 2 * plan.row_elements * static_cast<std::int64_t>(sizeof(double)) : 0;
  const auto left_out = scaling ? std::vector{shift, divisor} : std::vector<std::string>{};
  auto file = std::make_unique<DerivedFile>(temporary, request.input, rows, request.copy, left_out, scaling_bytes);
  if (request.copy) file->copy_others();
  address = file->make_rows();
  file->write_note("preprocess", describe(plan));
  constexpr bool of_file = true;
  file->remove_notes({"content_hash"}, of_file);
  if (changes_features) file->remove_notes({"feature_names", "columns"}, !of_file);
  if (scaling) file->write_note("scaling", units_text(plan, *scaling, stored_units(request.input, rows.name)));
  if (scaling && !stored.columns.empty()) {
    const DescribedColumns scaled = scaled_columns(stored, *scaling);
    file->write_note("columns", columns_text(scaled.columns, scaled.dropped, scaled.reading));
  }
  if (plan.order) file->write_note("channels", name_of(*plan.order));
  if (scaling) {
    file->write_values(shift, scaling->shift);
    file->write_values(divisor, scaling->divisor);
  }
  return file;
}

void print_report(const PreprocessRequest& request, const TransformPlan& plan, double seconds) {
  struct stat status {};
  ::stat(request.output.c_str(), &status);
  const std::string text =
      fmt::format("'{}': {} {} ({}); {} in {}\n", printable(request.output), request.features, shape_text(plan.shape),
                  describe(plan), human_bytes(static_cast<double>(status.st_size)), human_seconds(seconds));
  print_job_result(text, fmt::format("'{}' is complete.", request.output));
}

}  // namespace

void execute_preprocess(const PreprocessRequest& request, const Communicator& world) {
  const auto start = Clock::now();
  agree(world, [&] {
    if (!world.is_root()) return;  // whether the others see the same file system is not known yet
    require_other_file(request.input, request.output);
    require_free_name(request.output, request.overwrite);
  });
  std::optional<StoredRows> source;
  std::optional<TransformPlan> plan;
  std::optional<RowScaling> scaling;
  DerivedRows rows;
  DescribedColumns stored;
  agree(world, [&] {
    source.emplace(request.input, request.features);
    if (world.is_root())
      if (const auto warning = unwritten_warning(InputFile(request.input).data_set(request.features)))
        warn_root(*warning);
    stored = stored_columns(request.input, with_leading_slash(request.features));
    TransformOptions steps = request.steps;
    std::optional<StoredScaling> like;
    if (request.like) {
      like = read_stored_scaling(*request.like, with_leading_slash(request.features));
      steps.normalize = like->normalize;
      steps.unit = like->unit;
    }
    plan = plan_transform(steps, source->info(), source->number_type(), source->description());
    require_convertible(stored, *plan, request.input);
    rows = rows_of(request, *plan);
    if (!like) return;
    require_same_features(*like, *plan, request.input, *request.like, rows.name);
    const auto elements = static_cast<std::size_t>(plan->row_elements);
    require(like->values.shift.size() == elements && like->values.divisor.size() == elements, [&] {
      return fmt::format("the scaling in '{}' is damaged (it has {} for {} of a row). Pass another file.",
                         *request.like, counted(static_cast<std::int64_t>(like->values.shift.size()), "number"),
                         elements);
    });
    require_codes_stay(stored, like->values, request.input, *request.like);
    scaling = std::move(like->values);
  });
  require_same_input(request.input, *source, world);
  RunOptions options;
  options.device = DeviceRequest::cpu;
  const Placement placement = place_ranks(
      options, [] { return VisibleGpus{}; }, world, world.split_by_node());
  const PreprocessJob job{world, placement.thread_count(), *source, *plan};

  if (scaling) {  // files of this name may differ between nodes
    world.broadcast_vector(scaling->shift);
    world.broadcast_vector(scaling->divisor);
  } else {
    scaling = find_scaling(job);
    if (scaling) scaling = in_table_units(stored, without_codes(stored, std::move(*scaling)));
  }
  std::optional<RowScaling> scaling_of_stored;
  if (scaling) scaling_of_stored = in_stored_units(stored, *scaling);
  const RowScaling* scaling_used = scaling_of_stored ? &*scaling_of_stored : nullptr;
  std::optional<UnfinishedFile> output;
  std::unique_ptr<DerivedFile> file;
  std::int64_t address = 0;
  agree(world, [&] {
    if (!world.is_root()) return;
    output.emplace(request.output);
    const bool changes_features = plan->row_elements != source->info().row_elements();
    file = begin_file(request, *plan, rows, scaling, stored, changes_features, output->temporary(), address);
    if (rows.compression == 0) file->close();
  });
  const std::string temporary = world.broadcast(output ? output->temporary() : "", 0);
  if (rows.compression == 0) {
    address = world.maximum(address);
    require_same_output(temporary, world);
    write_in_place(job, scaling_used, temporary, address);
  } else {
    write_compressed(job, scaling_used, rows, file.get());
  }
  agree(world, [&] {
    if (!world.is_root()) return;
    if (rows.compression > 0) file->close();
    output->commit();
    print_report(request, *plan, seconds_since(start));
  });
}

}  // namespace sheaf
