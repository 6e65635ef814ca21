// SPDX-License-Identifier: MIT
#include "commands/evaluate/prediction_file.hpp"

#include "core/version.hpp"
#include "parallel/mpi/agreement.hpp"

namespace sheaf {
namespace {

std::vector<RowArray> arrays_of(const PredictionShape& shape) {
  if (!shape.classes) return {{"values", NumberType::float32, {shape.rows, shape.outputs}}};
  return {{"probabilities", NumberType::float32, {shape.rows, shape.outputs}},
          {"labels", NumberType::int64, {shape.rows}}};
}

}  // namespace

PredictionFile::PredictionFile(const std::string& path, const PredictionShape& shape, const std::string& model,
                               const std::string& data, bool overwrite, const Communicator& world)
    : shape_(shape), world_(world) {
  agree(world, [&] {
    if (!world.is_root()) return;
    require_free_name(path, overwrite);
    file_.emplace(path);
    offsets_ = create_row_file(file_->temporary(), arrays_of(shape),
                               {{"program", "sheaf " + program_version()}, {"model", model}, {"data", data}});
  });
  world.broadcast_vector(offsets_);
  const std::string temporary = world.broadcast(file_ ? file_->temporary() : "", 0);
  agree(world, [&] { writer_ = std::make_unique<RowFileWriter>(temporary); });
}

void PredictionFile::write(IndexRange rows, const float* predictions, const std::int64_t* labels) const {
  const std::int64_t row_bytes = shape_.outputs * static_cast<std::int64_t>(sizeof(float));
  constexpr auto label_bytes = static_cast<std::int64_t>(sizeof(std::int64_t));
  writer_->write(predictions, static_cast<std::size_t>(rows.count() * row_bytes), offsets_[0] + rows.begin * row_bytes);
  if (shape_.classes)
    writer_->write(labels, static_cast<std::size_t>(rows.count() * label_bytes),
                   offsets_[1] + rows.begin * label_bytes);
}

void PredictionFile::finish() {
  agree(world_, [&] { writer_->sync(); });
  agree(world_, [&] {
    if (world_.is_root()) file_->commit();
  });
}

}  // namespace sheaf
