// SPDX-License-Identifier: MIT
#include "files/hdf5/stored_rows.hpp"

#include <fmt/format.h>
#include <hdf5.h>

#include <algorithm>
#include <cassert>
#include <mutex>
#include <type_traits>
#include <utility>

#include "core/error.hpp"
#include "files/hdf5/chunk_index.hpp"
#include "files/hdf5/chunk_part.hpp"
#include "files/hdf5/object_identity.hpp"
#include "files/hdf5/steady_file.hpp"
#include "files/hdf5/stored_form.hpp"

namespace sheaf {
namespace {

// Size of a block. Small, because streamed data is shuffled by blocks first, but large enough to make the cost of
// system calls negligible.
constexpr std::int64_t block_bytes = std::int64_t{64} << 10;

// Time between two checks for changes, per file. A check takes up to a twentieth of the time to read a block.
constexpr std::chrono::milliseconds check_interval{1};

// Parallel HDF5 supports only one thread at a time.
std::mutex library_mutex;

// An error of HDF5 whose message is complete.
struct LibraryError : RunError {
  using RunError::RunError;
};

}  // namespace

struct StoredRows::State {
  enum class Path { contiguous, chunks, library };

  InputFile file;
  DataSetReader reader;
  SteadyFile bytes;     // the file that contains the data set
  WatchedFiles others;  // files that the library reads

  bool element_known = false;
  StoredElement element;  // valid if element_known
  Path path = Path::library;
  std::int64_t address = 0;         // address of a contiguous data set
  std::vector<std::int64_t> chunk;  // extents of a chunk
  std::optional<ChunkIndex> chunks;
  std::vector<ChunkFilter> filters;  // filters of each chunk
  std::size_t chunk_bytes = 0;       // size of a decoded chunk
  std::int64_t block_rows = 1;

  State(const std::string& file_path, const std::string& name, Values values)
      : file(file_path),
        reader(file.data_set(name, values)),
        bytes(reader.info().files.front(), descriptor_of(reader.id())),
        others({reader.info().files.begin() + 1, reader.info().files.end()}) {
    inspect_storage(reader.id());
    if (path == Path::chunks) chunks.emplace(reader.id(), reader.info().shape, chunk, library_mutex);
    const DataSetInfo& info = reader.info();
    const std::int64_t step = std::max<std::int64_t>(1, info.chunk_rows);
    const auto step_bytes = step * std::max<std::int64_t>(1, info.row_elements()) *
                            static_cast<std::int64_t>(std::max(info.element_bytes, sizeof(float)));
    block_rows = step * std::max<std::int64_t>(1, block_bytes / step_bytes);
  }

  void inspect_storage(hid_t data_set) {
    const Handle type(H5Dget_type(data_set), H5Tclose, "HDF5 cannot describe a data set");
    const Handle creation(H5Dget_create_plist(data_set), H5Pclose, "HDF5 cannot describe a data set");
    const auto known = element_of(type.id());
    if (!known) return;
    element = *known;
    element_known = true;
    const H5D_layout_t layout = H5Pget_layout(creation.id());
    if (layout == H5D_CONTIGUOUS) {
      if (H5Dget_storage_size(data_set) == 0) return;  // never written
      const haddr_t offset = H5Dget_offset(data_set);
      if (offset == HADDR_UNDEF || H5Pget_external_count(creation.id()) > 0) return;
      address = static_cast<std::int64_t>(offset);
      path = Path::contiguous;
    } else if (layout == H5D_CHUNKED) {
      auto supported = filters_of(creation.id());
      if (!supported) return;
      filters = *std::move(supported);
      std::vector<hsize_t> sides(reader.info().shape.size());
      H5Pget_chunk(creation.id(), static_cast<int>(sides.size()), sides.data());
      chunk.assign(sides.begin(), sides.end());
      chunk_bytes = element.bytes;
      for (const hsize_t side : sides) chunk_bytes *= side;
      path = Path::chunks;
    }
  }

  // Returns whether the numbers are stored in the representation of T in memory.
  template <class T>
  bool is_native() const {
    const bool real = element.kind == StoredElement::Kind::real;
    return !element.swapped && element.bytes == sizeof(T) && real == std::is_floating_point_v<T> &&
           (real || (element.kind == StoredElement::Kind::signed_integer) == std::is_signed_v<T>);
  }

  // Returns whether each row is within one chunk.
  bool has_whole_rows() const { return std::equal(chunk.begin() + 1, chunk.end(), reader.info().shape.begin() + 1); }

  // Rows that are contiguous in the file.
  struct Run {
    std::int64_t offset = 0;
    std::int64_t rows = 0;
  };

  template <class T>
  Run run_of(IndexRange rows) const;
  template <class T>
  void read_rows(IndexRange rows, T* values, RowBuffers& buffers) const;
  template <class T>
  void read_converted(IndexRange rows, T* values, RowBuffers& buffers) const;
  template <class T>
  void read_by_library(IndexRange rows, T* values) const;
  template <class T>
  bool read_row_of_chunks(IndexRange rows, T* values, RowBuffers& buffers) const;
  template <class T>
  std::byte* destination_of_chunk(const std::vector<hsize_t>& corner, IndexRange rows, T* values) const;
  const std::byte* read_chunk(const std::vector<hsize_t>& corner, std::byte* to, RowBuffers& buffers) const;
  template <class T>
  void copy_from_chunk(const std::byte* chunk_values, const std::vector<hsize_t>& corner, IndexRange rows,
                       T* values) const;
};

// Returns the longest run at the beginning of `rows` that is stored as T. The run is empty if the first row is not.
template <class T>
StoredRows::State::Run StoredRows::State::run_of(IndexRange rows) const {
  if (path == Path::library || !is_native<T>()) return {};
  const std::int64_t row_bytes = reader.info().row_elements() * static_cast<std::int64_t>(sizeof(T));
  if (path == Path::contiguous) return {address + rows.begin * row_bytes, rows.count()};
  if (!filters.empty() || !has_whole_rows()) return {};
  Run run;
  std::vector<hsize_t> corner(chunk.size(), 0);
  for (std::int64_t row = rows.begin; row < rows.end; row = rows.begin + run.rows) {
    const std::int64_t first = row / chunk.front() * chunk.front();
    corner.front() = static_cast<hsize_t>(first);
    const auto location = chunks->find(corner);
    if (!location || location->bytes != static_cast<std::int64_t>(chunk_bytes)) break;
    const std::int64_t offset = location->address + (row - first) * row_bytes;
    if (run.rows == 0) run.offset = offset;
    if (offset != run.offset + run.rows * row_bytes) break;
    run.rows += std::min(rows.end, first + chunk.front()) - row;
  }
  return run;
}

// Reads rows of a contiguous data set whose numbers are not stored as T.
template <class T>
void StoredRows::State::read_converted(IndexRange rows, T* values, RowBuffers& buffers) const {
  const std::int64_t width = reader.info().row_elements();
  const auto element_bytes = static_cast<std::int64_t>(element.bytes);
  std::int64_t offset = address + rows.begin * width * element_bytes;
  std::int64_t left = rows.count() * width;
  buffers.bytes_.resize(static_cast<std::size_t>(block_bytes));
  while (left > 0) {
    const std::int64_t count = std::min(left, block_bytes / element_bytes);
    bytes.read(buffers.bytes_.data(), static_cast<std::size_t>(count * element_bytes), offset);
    convert_elements(buffers.bytes_.data(), element, values, count);
    values += count;
    offset += count * element_bytes;
    left -= count;
  }
}

// Returns the destination if the chunk can be decoded directly into `values`, the values of `rows`; otherwise null.
template <class T>
std::byte* StoredRows::State::destination_of_chunk(const std::vector<hsize_t>& corner, IndexRange rows,
                                                   T* values) const {
  const auto first = static_cast<std::int64_t>(corner.front());
  const bool whole = first >= rows.begin && first + chunk.front() <= rows.end && has_whole_rows();
  if (!whole || !is_native<T>()) return nullptr;
  return reinterpret_cast<std::byte*>(values + (first - rows.begin) * reader.info().row_elements());
}

// Reads and decodes the chunk at `corner` and returns its numbers, or null if it was never written. The numbers are at
// `to` if it is not null and that saves a copy.
const std::byte* StoredRows::State::read_chunk(const std::vector<hsize_t>& corner, std::byte* to,
                                               RowBuffers& buffers) const {
  const auto location = chunks->find(corner);
  if (!location) return nullptr;
  const auto stored_bytes = static_cast<std::size_t>(location->bytes);
  if (!buffers.decoder_) buffers.decoder_.emplace(filters, chunk_bytes);
  bytes.read(buffers.decoder_->stored(stored_bytes), stored_bytes, location->address);
  return buffers.decoder_->decode(stored_bytes, location->filter_mask, to);
}

// Copies the part of a chunk that is in `rows`.
template <class T>
void StoredRows::State::copy_from_chunk(const std::byte* chunk_values, const std::vector<hsize_t>& corner,
                                        IndexRange rows, T* values) const {
  const auto element_bytes = static_cast<std::int64_t>(element.bytes);
  const ChunkPart part(corner, chunk, reader.info().shape, rows);
  part.for_each_run([&](std::int64_t from, std::int64_t to, std::int64_t count) {
    convert_elements(chunk_values + from * element_bytes, element, values + to, count);
  });
}

// Reads rows from all chunks that contain them. `rows` must be within one row of chunks. Returns false if one of the
// chunks was never written.
template <class T>
bool StoredRows::State::read_row_of_chunks(IndexRange rows, T* values, RowBuffers& buffers) const {
  const auto& shape = reader.info().shape;
  std::vector<hsize_t> corner(shape.size(), 0);
  corner.front() = static_cast<hsize_t>(rows.begin / chunk.front() * chunk.front());
  for (;;) {
    std::byte* destination = destination_of_chunk(corner, rows, values);
    const std::byte* found = read_chunk(corner, destination, buffers);
    if (found == nullptr) return false;
    if (found != destination) copy_from_chunk(found, corner, rows, values);
    std::size_t dimension = shape.size() - 1;  // advance to the next chunk; the last dimension is the fastest
    for (; dimension > 0; corner[dimension--] = 0)
      if ((corner[dimension] += static_cast<hsize_t>(chunk[dimension])) < static_cast<hsize_t>(shape[dimension])) break;
    if (dimension == 0) return true;
  }
}

template <class T>
void StoredRows::State::read_by_library(IndexRange rows, T* values) const {
  const std::lock_guard lock(library_mutex);
  try {
    reader.read_rows(rows, values);
  } catch (const RunError& error) {
    throw LibraryError(error.what());
  }
}

template <class T>
void StoredRows::State::read_rows(IndexRange rows, T* values, RowBuffers& buffers) const {
  const std::int64_t width = reader.info().row_elements();
  while (!rows.empty()) {
    const Run run = run_of<T>(rows);
    IndexRange next{rows.begin, rows.begin + run.rows};
    if (run.rows > 0) {
      bytes.read(reinterpret_cast<std::byte*>(values), static_cast<std::size_t>(run.rows * width) * sizeof(T),
                 run.offset, buffers.next_use_);
    } else if (path == Path::contiguous) {
      next = rows;
      read_converted(next, values, buffers);
    } else {
      next.end = std::min(rows.end, (rows.begin / chunk.front() + 1) * chunk.front());
      if (!read_row_of_chunks(next, values, buffers)) read_by_library(next, values);
    }
    values += next.count() * width;
    rows.begin = next.end;
  }
}

StoredRows::StoredRows(const std::string& path, const std::string& name, Values values)
    : state_(std::make_unique<State>(path, name, values)) {}

StoredRows::~StoredRows() = default;

const DataSetInfo& StoredRows::info() const {
  return state_->reader.info();
}

const std::string& StoredRows::description() const {
  return state_->reader.description();
}

std::optional<NumberType> StoredRows::number_type() const {
  return state_->element_known ? std::optional(number_type_of(state_->element)) : std::nullopt;
}

std::int64_t StoredRows::block_count() const {
  return (info().rows() + state_->block_rows - 1) / state_->block_rows;
}

IndexRange StoredRows::block(std::int64_t number) const {
  assert(number >= 0 && number < block_count());
  const std::int64_t begin = number * state_->block_rows;
  return {begin, std::min(begin + state_->block_rows, info().rows())};
}

std::int64_t StoredRows::max_block_elements() const {
  return std::min(state_->block_rows, info().rows()) * info().row_elements();
}

void StoredRows::require_unchanged() const {
  state_->bytes.require_unchanged();
  state_->others.require_unchanged();
}

void StoredRows::check_files(RowBuffers& buffers) const {
  const auto now = Clock::now();
  if (now - buffers.checked_ <= check_interval * state_->reader.info().files.size()) return;
  require_unchanged();
  buffers.checked_ = now;
}

// Calls `work` and adds the rows to the message of an error.
template <class Work>
void StoredRows::attempt(IndexRange rows, const Work& work) const {
  try {
    work();
  } catch (const LibraryError&) {
    require_unchanged();  // if the file has changed, report that: it is the likely cause
    throw;
  } catch (const RunError& error) {
    require_unchanged();
    throw RunError(fmt::format("Rows {} to {} of {} cannot be read ({}). Copy or recreate the file.", rows.begin,
                               rows.end - 1, description(), error.what()));
  }
}

template <class T>
void StoredRows::require_no_fill_value(IndexRange rows, const T* values) const {
  const std::int64_t width = info().row_elements();
  for (const FillValue& fill : info().fill_values) {
    const double wanted = std::is_same_v<T, float> ? double{static_cast<float>(fill.number)} : fill.number;
    const T* end = values + rows.count() * width;
    const T* found = std::find_if(values, end, [wanted](T value) { return static_cast<double>(value) == wanted; });
    require(found == end, [&] {
      return fmt::format(
          "The {} contains {} in row {}, column {}, which stands for a missing value (attribute {}). Read it with "
          "xarray.open_dataset() and store the decoded .values with h5py, or remove the attribute.",
          description(), fill.number, rows.begin + (found - values) / width, (found - values) % width, fill.attribute);
    });
  }
}

template <class T>
const T* StoredRows::view(IndexRange rows, AlignedVector<T>& memory, RowBuffers& buffers) const {
  check_files(buffers);
  const std::byte* found = nullptr;
  attempt(rows, [&] {
    const State::Run run = state_->run_of<T>(rows);
    const std::int64_t bytes = rows.count() * info().row_elements() * static_cast<std::int64_t>(sizeof(T));
    const bool fits = run.rows == rows.count() && run.offset % static_cast<std::int64_t>(alignof(T)) == 0;
    if (fits) found = state_->bytes.view(run.offset, bytes);
  });
  if (found != nullptr) {
    require_no_fill_value(rows, reinterpret_cast<const T*>(found));
    return reinterpret_cast<const T*>(found);
  }
  memory.resize(static_cast<std::size_t>(rows.count() * info().row_elements()));
  read(rows, memory.data(), buffers);
  return memory.data();
}

template <class T>
void StoredRows::read(IndexRange rows, T* values, RowBuffers& buffers, NextUse next_use) const {
  assert(rows.begin >= 0 && rows.end <= info().rows());
  if (rows.empty() || info().row_elements() == 0) return;
  check_files(buffers);
  buffers.next_use_ = next_use;
  attempt(rows, [&] {
    if (state_->path == State::Path::library)
      state_->read_by_library(rows, values);
    else
      state_->read_rows(rows, values, buffers);
  });
  require_no_fill_value(rows, values);
}

std::vector<std::string> StoredRows::read_texts(IndexRange rows) const {
  require_unchanged();
  const std::lock_guard lock(library_mutex);
  return state_->reader.read_text_rows(rows);
}

template const float* StoredRows::view(IndexRange, AlignedVector<float>&, RowBuffers&) const;
template const std::uint8_t* StoredRows::view(IndexRange, AlignedVector<std::uint8_t>&, RowBuffers&) const;
template void StoredRows::read(IndexRange, float*, RowBuffers&, NextUse) const;
template void StoredRows::read(IndexRange, double*, RowBuffers&, NextUse) const;
template void StoredRows::read(IndexRange, std::int64_t*, RowBuffers&, NextUse) const;
template void StoredRows::read(IndexRange, std::uint8_t*, RowBuffers&, NextUse) const;

}  // namespace sheaf
