// SPDX-License-Identifier: MIT
#include "commands/evaluate/prediction_file.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <utility>

#include "commands/line/data_file_names.hpp"
#include "core/error.hpp"
#include "core/version.hpp"
#include "files/hdf5/file.hpp"
#include "parallel/mpi/agreement.hpp"

namespace sheaf {
namespace {

std::vector<RowArray> arrays_of(const PredictionContents& contents) {
  if (contents.task == Task::regression)
    return {{"values",
             contents.offsets.empty() ? NumberType::float32 : NumberType::float64,
             {contents.rows, contents.outputs}}};
  std::vector<std::int64_t> shape = {contents.rows};
  if (contents.task == Task::multilabel) shape.push_back(contents.outputs);
  return {{"probabilities", NumberType::float32, {contents.rows, contents.outputs}},
          {"labels", NumberType::int64, std::move(shape)}};
}

bool has_csv_ending(const std::string& path) {
  return std::filesystem::path(path).extension() == ".csv";
}

}  // namespace

void require_prediction_ending(const std::string& path, const std::string& option, const std::string& id) {
  if (!has_csv_ending(path) && !has_hdf5_ending(path))
    throw UsageError(
        fmt::format("{} = '{}' has no known ending (the format follows from it). Use a name that ends in "
                    ".csv or .h5.",
                    option, path));
  if (!id.empty() && !has_csv_ending(path))
    throw UsageError(fmt::format(
        "--id needs predictions in a CSV file ('{}' is an HDF5 file). Leave it out, or use a name that ends "
        "in .csv.",
        path));
}

PredictionFile::PredictionFile(const std::string& path, PredictionContents contents, bool overwrite,
                               const Communicator& world)
    : path_(path), contents_(std::move(contents)), world_(world) {
  agree(world, [&] {
    if (!world.is_root()) return;
    require_other_file(contents_.data, path);
    require_free_name(path, overwrite);
    require_other_id_name(contents_);
    file_.emplace(path);
    std::vector<TextAttribute> attributes = {{"", "program", {"sheaf " + program_version()}},
                                             {"", "model", {contents_.model}},
                                             {"", "data", {contents_.data}}};
    const bool has_labels = contents_.task == Task::multilabel;
    if (!contents_.class_names.empty())
      attributes.push_back({"probabilities", has_labels ? "target_names" : "class_names", contents_.class_names});
    if (!contents_.target_names.empty()) attributes.push_back({"values", "target_names", contents_.target_names});
    offsets_ = create_row_file(file_->temporary(), arrays_of(contents_), attributes);
  });
  world.broadcast_vector(offsets_);
  const std::string temporary = world.broadcast(file_ ? file_->temporary() : "", 0);
  agree(world, [&] { writer_ = std::make_unique<RowFileWriter>(temporary); });
}

void PredictionFile::write(IndexRange rows, const float* predictions, const std::int64_t* labels) const {
  const auto count = static_cast<std::size_t>(rows.count() * contents_.outputs);
  const auto write_values = [&](const auto* values) {
    const auto value_bytes = static_cast<std::int64_t>(sizeof *values);
    writer_->write(values, count * sizeof *values, offsets_[0] + rows.begin * contents_.outputs * value_bytes);
  };
  if (contents_.offsets.empty()) {
    write_values(predictions);
  } else {
    std::vector<double> values(predictions, predictions + count);
    for (std::size_t index = 0; index < count; ++index)
      values[index] += contents_.offsets[index % contents_.offsets.size()];
    write_values(values.data());
  }
  const std::int64_t label_bytes = contents_.labels_per_row() * static_cast<std::int64_t>(sizeof(std::int64_t));
  if (label_bytes > 0)
    writer_->write(labels, static_cast<std::size_t>(rows.count() * label_bytes),
                   offsets_[1] + rows.begin * label_bytes);
}

// Converts the rows of the complete file, some at a time.
template <class Value>
void PredictionFile::write_lines(UnfinishedFile& csv) const {
  constexpr std::int64_t values_per_part = 1 << 18;
  const std::int64_t rows_per_part = std::max<std::int64_t>(1, values_per_part / contents_.outputs);
  const InputFile stored(file_->temporary());
  const DataSetReader predictions = stored.data_set(contents_.task == Task::regression ? "values" : "probabilities");
  std::optional<DataSetReader> all_labels;
  if (contents_.labels_per_row() > 0) all_labels.emplace(stored.data_set("labels"));
  std::vector<Value> values;
  std::vector<std::int64_t> labels;
  for (std::int64_t begin = 0; begin < contents_.rows; begin += rows_per_part) {
    const IndexRange rows{begin, std::min(begin + rows_per_part, contents_.rows)};
    values.resize(static_cast<std::size_t>(rows.count() * contents_.outputs));
    labels.resize(static_cast<std::size_t>(rows.count() * contents_.labels_per_row()));
    predictions.read_rows(rows, values.data());
    if (all_labels) all_labels->read_rows(rows, labels.data());
    csv.file().write(prediction_csv_lines(contents_, rows, values.data(), labels.data()));
  }
}

void PredictionFile::write_csv() const {
  UnfinishedFile csv(path_);
  csv.file().write(prediction_csv_header(contents_));
  if (contents_.offsets.empty())
    write_lines<float>(csv);
  else
    write_lines<double>(csv);
  csv.commit();
}

void PredictionFile::finish() {
  agree(world_, [&] { writer_->sync(); });
  agree(world_, [&] {
    if (!world_.is_root()) return;
    if (has_csv_ending(path_))
      write_csv();
    else
      file_->commit();
  });
}

}  // namespace sheaf
