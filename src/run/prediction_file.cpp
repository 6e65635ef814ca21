// SPDX-License-Identifier: MIT
#include "run/prediction_file.hpp"

#include <fmt/format.h>

#include <cerrno>
#include <cstdio>
#include <cstring>
#include <filesystem>

#include "core/error.hpp"
#include "core/version.hpp"
#include "mpi/agreement.hpp"

namespace sheaf {
namespace {

std::vector<RowArray> arrays_of(const PredictionShape& shape) {
  if (!shape.classes) return {{"values", NumberType::float32, {shape.rows, shape.outputs}}};
  return {{"probabilities", NumberType::float32, {shape.rows, shape.outputs}},
          {"labels", NumberType::int64, {shape.rows}}};
}

void require_free_name(const std::string& path, bool overwrite) {
  std::error_code ignored;
  if (!std::filesystem::exists(path, ignored)) return;
  require(!std::filesystem::is_directory(path, ignored),
          fmt::format("'{}' is a directory (a file is to be written). Choose another name.", path));
  require(overwrite, fmt::format("'{}' is there already (it would be replaced). Choose another name, or give "
                                 "--overwrite=true.",
                                 path));
}

}  // namespace

PredictionFile::PredictionFile(const std::string& path, const PredictionShape& shape, const std::string& model,
                               const std::string& data, bool overwrite, const Communicator& world)
    : path_(path), temporary_(path + ".partial"), shape_(shape), world_(world) {
  try {
    agree(world, [&] {
      if (!world.is_root()) return;
      require_free_name(path, overwrite);
      offsets_ = create_row_file(temporary_, arrays_of(shape),
                                 {{"program", "sheaf " + program_version()}, {"model", model}, {"data", data}});
    });
    world.broadcast_vector(offsets_);
    agree(world, [&] { writer_ = std::make_unique<RowFileWriter>(temporary_); });
  } catch (...) {
    if (world.is_root()) std::remove(temporary_.c_str());
    throw;
  }
}

PredictionFile::~PredictionFile() {
  if (!finished_ && world_.is_root()) std::remove(temporary_.c_str());
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
    if (!world_.is_root()) return;
    require(std::rename(temporary_.c_str(), path_.c_str()) == 0,
            fmt::format("'{}' cannot be written ({}). Choose another name.", path_, std::strerror(errno)));
  });
  finished_ = true;
}

}  // namespace sheaf
