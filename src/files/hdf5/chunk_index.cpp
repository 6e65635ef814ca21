// SPDX-License-Identifier: MIT
#include "files/hdf5/chunk_index.hpp"

#include <cstddef>
#include <memory>

#include "core/error.hpp"
#include "files/hdf5/handle.hpp"
#include "files/hdf5/input_driver.hpp"

namespace sheaf {

ChunkIndex::ChunkIndex(hid_t data_set, const std::vector<std::int64_t>& shape, const std::vector<std::int64_t>& chunk,
                       std::mutex& library)
    : data_set_(data_set), chunk_(chunk), library_(library) {
  for (std::size_t dimension = 0; dimension < shape.size(); ++dimension)
    counts_.push_back((shape[dimension] + chunk[dimension] - 1) / chunk[dimension]);
}

ChunkLocation ChunkIndex::look_up(const std::vector<hsize_t>& corner) const {
  ChunkLocation location;
  hsize_t bytes = 0;
  if (H5Dget_chunk_storage_size(data_set_, corner.data(), &bytes) < 0 || bytes == 0) return location;
  const std::unique_ptr<std::byte[]> destination(new std::byte[bytes]);  // required by H5Dread_chunk
  herr_t status = -1;
  const haddr_t address = find_raw_data(
      [&] { status = H5Dread_chunk(data_set_, H5P_DEFAULT, corner.data(), &location.filter_mask, destination.get()); });
  if (status < 0 || address == HADDR_UNDEF) throw RunError(hdf5_reason());
  location.address = static_cast<std::int64_t>(address);
  location.bytes = static_cast<std::int64_t>(bytes);
  return location;
}

std::optional<ChunkLocation> ChunkIndex::find(const std::vector<hsize_t>& corner) const {
  std::int64_t number = 0;
  for (std::size_t dimension = 0; dimension < counts_.size(); ++dimension)
    number = number * counts_[dimension] + static_cast<std::int64_t>(corner[dimension]) / chunk_[dimension];
  const std::lock_guard lock(library_);
  auto known = found_.find(number);
  if (known == found_.end()) known = found_.emplace(number, look_up(corner)).first;
  return known->second.bytes > 0 ? std::optional(known->second) : std::nullopt;
}

}  // namespace sheaf
