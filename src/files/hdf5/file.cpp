// SPDX-License-Identifier: MIT
#include "files/hdf5/file.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <hdf5.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <filesystem>

#include "core/error.hpp"
#include "core/text.hpp"
#include "files/hdf5/data_files.hpp"
#include "files/hdf5/file_format.hpp"
#include "files/hdf5/input_driver.hpp"
#include "files/hdf5/links.hpp"
#include "files/hdf5/listing.hpp"
#include "files/hdf5/number_meaning.hpp"
#include "files/hdf5/text_values.hpp"
#include "files/regular_file.hpp"

namespace sheaf {
namespace {

// The maximum number of texts of an attribute: more than a CSV file has columns.
constexpr hssize_t max_texts = hssize_t{1} << 23;

// Distinguishes failures that HDF5 reports with one message, "unable to open file".
void require_hdf5_file(const std::string& path) {
  struct stat status {};
  if (::stat(path.c_str(), &status) != 0) {
    if (errno != ENOENT) throw RunError(fmt::format("File '{}' cannot be read ({}).", path, std::strerror(errno)));
    std::error_code ignored;
    throw RunError(fmt::format("File '{}' does not exist (the working directory is '{}'). Check its name.", path,
                               std::filesystem::current_path(ignored).string()));
  }
  require(!S_ISDIR(status.st_mode), fmt::format("'{}' is a directory, not an HDF5 file. Specify a file in it.", path));
  require(S_ISREG(status.st_mode),
          fmt::format("'{}' is not an HDF5 file (it is {}). Specify one.", path, file_kind(status.st_mode)));
  require(::access(path.c_str(), R_OK) == 0, [&] {
    return fmt::format("File '{}' cannot be read ({}). Check its permissions.", path, std::strerror(errno));
  });
  const FileFormat content = format_of_content(path);
  if (const std::string foreign = foreign_format(content); !foreign.empty())
    throw RunError(fmt::format("'{}' is not an HDF5 file{}", path, foreign));
  require(content == FileFormat::hdf5, fmt::format("'{}' is not an HDF5 file ({}). Convert it to HDF5 first.", path,
                                                   status.st_size == 0 ? "it is empty" : "it has no HDF5 signature"));
}

Handle data_set_access() {
  return Handle(H5Pcreate(H5P_DATASET_ACCESS), H5Pclose, "HDF5 cannot prepare to open a data set");
}

const char* type_name(H5T_class_t type) {
  switch (type) {
    case H5T_STRING:
      return "text";
    case H5T_INTEGER:
    case H5T_FLOAT:
      return "numbers";
    case H5T_COMPOUND:
      return "compound values (a table)";
    case H5T_VLEN:
      return "variable-length lists";
    case H5T_ARRAY:
      return "small arrays";
    case H5T_REFERENCE:
      return "references";
    case H5T_BITFIELD:
      return "bit fields";
    case H5T_OPAQUE:
      return "opaque bytes";
    default:
      return "elements of another type";
  }
}

void describe_shape(hid_t data_set, DataSetInfo& info) {
  const Handle space(H5Dget_space(data_set), H5Sclose, "HDF5 cannot describe a data set");
  const int rank = H5Sget_simple_extent_ndims(space.id());
  std::vector<hsize_t> shape(static_cast<std::size_t>(std::max(rank, 0)));
  H5Sget_simple_extent_dims(space.id(), shape.data(), nullptr);
  info.shape.assign(shape.begin(), shape.end());
}

// Returns the extents of a chunk, or an empty vector without chunks. Returns zeros if the rank of the chunks differs
// from that of the data set.
std::vector<hsize_t> describe_layout(hid_t data_set, DataSetInfo& info) {
  const Handle creation(H5Dget_create_plist(data_set), H5Pclose, "HDF5 cannot describe a data set");
  if (H5Pget_layout(creation.id()) != H5D_CHUNKED) return {};
  std::vector<hsize_t> chunk(info.shape.size());
  const auto rank = static_cast<int>(chunk.size());
  if (H5Pget_chunk(creation.id(), rank, chunk.data()) != rank) chunk.assign(chunk.size(), 0);
  info.chunk_rows = static_cast<std::int64_t>(chunk.front());
  return chunk;
}

// Returns whether the sizes of the data set and of a chunk, in any type in which the numbers can be read, fit into
// std::int64_t. A damaged file can declare any extents.
bool is_countable(const DataSetInfo& info, const std::vector<hsize_t>& chunk) {
  auto bytes = static_cast<std::int64_t>(std::max(info.element_bytes, sizeof(double)));
  for (std::size_t dimension = 0; dimension < info.shape.size(); ++dimension) {
    const auto chunk_extent = chunk.empty() ? 1 : static_cast<std::int64_t>(chunk[dimension]);
    if (info.shape[dimension] < 0 || chunk_extent < 1) return false;
    const std::int64_t extent = std::max(info.shape[dimension], chunk_extent);
    if (__builtin_mul_overflow(bytes, extent, &bytes)) return false;
  }
  return true;
}

void require_known_filters(hid_t creation, const std::string& description) {
  for (int number = 0; number < H5Pget_nfilters(creation); ++number) {
    unsigned flags = 0, config = 0;
    std::size_t value_count = 0;
    char name[64] = "";
    const H5Z_filter_t id = H5Pget_filter2(creation, static_cast<unsigned>(number), &flags, &value_count, nullptr,
                                           sizeof name - 1, name, &config);
    require(H5Zfilter_avail(id) > 0, [&] {
      return fmt::format(
          "The {} is stored with filter {} '{}' (this HDF5 library does not have it). Store it with gzip, or set "
          "HDF5_PLUGIN_PATH to the directory of the filter's plugin.",
          description, id, printable(name));
    });
  }
}

// Returns whether the compression ratio is limited: deflate cannot exceed 1032, but other filters may store constant
// data of any size in a few bytes.
bool has_limited_ratio(hid_t creation) {
  for (int number = 0; number < H5Pget_nfilters(creation); ++number) {
    unsigned flags = 0, config = 0;
    std::size_t value_count = 0;
    const H5Z_filter_t id =
        H5Pget_filter2(creation, static_cast<unsigned>(number), &flags, &value_count, nullptr, 0, nullptr, &config);
    if (id != H5Z_FILTER_DEFLATE && id != H5Z_FILTER_SHUFFLE && id != H5Z_FILTER_FLETCHER32) return false;
  }
  return true;
}

// Returns whether the file is large enough for the numbers of the data set. True for virtual data sets and external
// storage, whose numbers are in other files.
bool is_plausible(hid_t data_set, const DataSetInfo& info) {
  constexpr std::int64_t max_ratio = 1100;
  const Handle creation(H5Dget_create_plist(data_set), H5Pclose, "HDF5 cannot describe a data set");
  const bool is_elsewhere = H5Pget_layout(creation.id()) == H5D_VIRTUAL || H5Pget_external_count(creation.id()) > 0;
  if (is_elsewhere || !has_limited_ratio(creation.id())) return true;
  const Handle file(H5Iget_file_id(data_set), H5Fclose, "HDF5 cannot describe a data set");
  hsize_t file_bytes = 0;
  H5Fget_filesize(file.id(), &file_bytes);
  return info.rows() * info.row_elements() / max_ratio <=
         static_cast<std::int64_t>(file_bytes / std::max<std::size_t>(1, info.element_bytes));
}

// The texts of an attribute.
std::vector<std::string> attribute_texts(hid_t attribute, hid_t type, hid_t space, std::size_t count,
                                         const std::string& problem) {
  return read_texts(type, space, count, [&](void* buffer) { check_hdf5(H5Aread(attribute, type, buffer), problem); });
}

// Returns the text of an attribute, or nullopt if there is none or it is not one text.
std::optional<std::string> text_attribute(hid_t object, const char* name, const std::string& description) {
  const std::string problem = fmt::format("HDF5 cannot read the attribute '{}' of {}", name, description);
  if (H5Aexists(object, name) <= 0) return std::nullopt;
  const Handle attribute(H5Aopen(object, name, H5P_DEFAULT), H5Aclose, problem);
  const Handle type(H5Aget_type(attribute.id()), H5Tclose, problem);
  const Handle space(H5Aget_space(attribute.id()), H5Sclose, problem);
  if (H5Tget_class(type.id()) != H5T_STRING || H5Sget_simple_extent_npoints(space.id()) != 1) return std::nullopt;
  return attribute_texts(attribute.id(), type.id(), space.id(), 1, problem).front();
}

// Returns whether HDF5's reason is a version number that it does not know: of a file that a later library has written,
// or of a damaged one.
bool is_unknown_version(const std::string& reason) {
  return reason.find("version") != reason.npos;
}

// Returns the reason and the advice for such a file, the end of a message.
std::string version_advice(const std::string& reason) {
  return fmt::format(
      " ({}: a later version of HDF5 than this library, {}, has written it, or it is damaged). Rewrite the file with "
      "the later version: h5repack --low=0 --high=2 OLD NEW, or h5py.File(NEW, 'w', libver=('earliest', 'v110')).",
      reason, hdf5_version());
}

// Returns how to convert a pandas file, the end of a message.
std::string pandas_advice(const std::string& path, const std::string& object) {
  return fmt::format(
      " ('{0}' is a pandas table). Convert it in Python: pandas.read_hdf('{1}', "
      "'{0}').to_csv('table.csv', index=False); then: sheaf import table.csv table.h5.",
      printable(object), path);
}

}  // namespace

InputFile::InputFile(const std::string& path) : path_(path) {
  silence_hdf5();
  require_hdf5_file(path_);
  const Handle access = input_access();
  const hid_t file = H5Fopen(path_.c_str(), H5F_ACC_RDONLY, access.id());
  const std::string problem = fmt::format("HDF5 cannot open file '{}'", path_);
  if (file < 0)
    if (const std::string reason = hdf5_reason(); is_unknown_version(reason))
      throw RunError(problem + version_advice(reason));
  handle_ = Handle(file, H5Fclose, problem);
}

std::vector<std::string> InputFile::data_set_names() const {
  return list_data_sets(handle_.id());
}

bool InputFile::has(const std::string& name) const {
  return has_link(handle_.id(), name);
}

bool InputFile::has_data_set(const std::string& name) const {
#if H5_VERSION_GE(1, 12, 0)
  H5O_info1_t info;
#else
  H5O_info_t info;
#endif
  return has(name) && H5Oexists_by_name(handle_.id(), name.c_str(), H5P_DEFAULT) > 0 &&
         H5Oget_info_by_name2(handle_.id(), name.c_str(), &info, H5O_INFO_BASIC, H5P_DEFAULT) >= 0 &&
         info.type == H5O_TYPE_DATASET;
}

bool InputFile::has_attribute(const std::string& object, const std::string& attribute) const {
  return (object == "/" || has(object)) &&
         H5Aexists_by_name(handle_.id(), object.c_str(), attribute.c_str(), H5P_DEFAULT) > 0;
}

std::optional<std::vector<std::string>> InputFile::texts(const std::string& object,
                                                         const std::string& attribute) const {
  if (!has_attribute(object, attribute)) return std::nullopt;
  const std::string description =
      fmt::format("attribute '{}' of '{}' in '{}'", printable(attribute), printable(object), path_);
  const std::string problem = fmt::format("The {} cannot be read", description);
  const Handle opened(H5Aopen_by_name(handle_.id(), object.c_str(), attribute.c_str(), H5P_DEFAULT, H5P_DEFAULT),
                      H5Aclose, problem);
  const Handle type(H5Aget_type(opened.id()), H5Tclose, problem);
  if (H5Tget_class(type.id()) != H5T_STRING)
    throw RunError(fmt::format("The {} contains {}, not texts. Store texts, or remove the attribute.", description,
                               type_name(H5Tget_class(type.id()))));
  const Handle space(H5Aget_space(opened.id()), H5Sclose, problem);
  const hssize_t count = H5Sget_simple_extent_npoints(space.id());
  require(count >= 0 && count <= max_texts,
          fmt::format("The {} has too many texts ({}). Remove the attribute.", description, count));
  return attribute_texts(opened.id(), type.id(), space.id(), static_cast<std::size_t>(count), problem);
}

std::optional<std::vector<double>> InputFile::reals(const std::string& object, const std::string& attribute) const {
  if (!has_attribute(object, attribute)) return std::nullopt;
  const std::string problem =
      fmt::format("The attribute '{}' of '{}' in '{}' cannot be read", printable(attribute), printable(object), path_);
  const Handle opened(H5Aopen_by_name(handle_.id(), object.c_str(), attribute.c_str(), H5P_DEFAULT, H5P_DEFAULT),
                      H5Aclose, problem);
  const Handle type(H5Aget_type(opened.id()), H5Tclose, problem);
  const Handle space(H5Aget_space(opened.id()), H5Sclose, problem);
  const hssize_t count = H5Sget_simple_extent_npoints(space.id());
  if (H5Tget_class(type.id()) != H5T_FLOAT || H5Sget_simple_extent_ndims(space.id()) != 1 || count < 1 ||
      count > max_texts)
    return std::nullopt;
  std::vector<double> numbers(static_cast<std::size_t>(count));
  check_hdf5(H5Aread(opened.id(), H5T_NATIVE_DOUBLE, numbers.data()), problem);
  return numbers;
}

// Throws RunError with the reason why `name` cannot be opened as a data set.
void InputFile::refuse(const std::string& name) const {
  const std::string path = with_leading_slash(name);
  const std::string reason = hdf5_reason();
  if (is_unknown_version(reason) && has(name))
    throw RunError(fmt::format("Data set '{}' of '{}' cannot be opened{}", path, path_, version_advice(reason)));
  const auto names = data_set_names();
  if (std::find(names.begin(), names.end(), path) != names.end())
    throw RunError(
        fmt::format("Data set '{}' of '{}' cannot be opened ({}). Copy or recreate the file.", path, path_, reason));
  if (const auto link = find_broken_link(handle_.id(), name))
    throw RunError(fmt::format("File '{}' has no data set '{}' ({}). Restore the target or correct the link.", path_,
                               path, *link));
  if (const auto object = find_pandas_object(handle_.id()))
    throw RunError(fmt::format("File '{}' has no data set '{}'{}", path_, path, pandas_advice(path_, *object)));
  const hid_t object = H5Oopen(handle_.id(), name.c_str(), H5P_DEFAULT);
  const bool is_group = object >= 0 && H5Iget_type(object) == H5I_GROUP;
  if (object >= 0) H5Oclose(object);
  const std::string contents = contents_text(handle_.id());
  if (is_group)
    throw RunError(fmt::format("File '{}' has a group '{}', not a data set of this name ({}). Specify a data set.",
                               path_, path, contents));
  throw RunError(
      fmt::format("File '{}' has no data set '{}' ({}).{}", path_, path, contents, did_you_mean(path, names)));
}

void InputFile::refuse_type(const std::string& description, const std::string& content, bool is_table) const {
  if (is_table)
    if (const auto object = find_pandas_object(handle_.id()))
      throw RunError(
          fmt::format("The {} contains {}, not numbers{}", description, content, pandas_advice(path_, *object)));
  throw RunError(fmt::format("The {} contains {}, not numbers. {}", description, content,
                             is_table ? "Store its columns as one array: "
                                        "numpy.lib.recfunctions.structured_to_unstructured(table)."
                                      : "Store integers or floating-point numbers."));
}

Handle InputFile::open_data_set(const std::string& name, const Handle& access) const {
  const hid_t id = H5Dopen2(handle_.id(), name.c_str(), access.id());
  if (id < 0) refuse(name);
  return Handle(id, H5Dclose, {});
}

TableReader InputFile::table(const std::string& name) const {
  const Handle access = data_set_access();
  return TableReader(open_data_set(name, access), fmt::format("table '{}' of '{}'", with_leading_slash(name), path_));
}

DataSetReader InputFile::data_set(const std::string& name, Values values) const {
  const std::string description = fmt::format("data set '{}' of '{}'", with_leading_slash(name), path_);
  const Handle access = data_set_access();
  Handle handle = open_data_set(name, access);

  const Handle type(H5Dget_type(handle.id()), H5Tclose, "HDF5 cannot describe " + description);
  const H5T_class_t type_class = H5Tget_class(type.id());
  require_plain_values(handle.id(), description);
  const bool is_text = type_class == H5T_STRING && values == Values::numbers_or_texts;
  if (type_class != H5T_INTEGER && type_class != H5T_FLOAT && type_class != H5T_ENUM && !is_text)
    refuse_type(description, type_name(type_class), type_class == H5T_COMPOUND);
  DataSetInfo info;
  info.number_class = is_text ? NumberClass::text : type_class == H5T_FLOAT ? NumberClass::real : NumberClass::integer;
  info.element_bytes = H5Tget_size(type.id());
  info.is_bytes = type_class == H5T_INTEGER && info.element_bytes == 1 && H5Tget_sign(type.id()) == H5T_SGN_NONE;
  const Handle creation(H5Dget_create_plist(handle.id()), H5Pclose, "HDF5 cannot describe " + description);
  require_known_filters(creation.id(), description);
  info.files = data_files(handle.id());
  describe_shape(handle.id(), info);
  info.channels = text_attribute(handle.id(), "channels", description);
  info.fill_values = fill_values(handle.id(), description);
  require(!info.shape.empty(), fmt::format("The {} is a single value, not rows of numbers.", description));

  // HDF5's chunk cache holds 1 MiB by default. A larger chunk would be read and decompressed again for every access.
  // The cache size is set when a data set is opened, so it is closed and opened again.
  const std::vector<hsize_t> chunk = describe_layout(handle.id(), info);
  require(is_countable(info, chunk),
          fmt::format("The {} has too many numbers (its shape is [{}], its chunks [{}]). Copy or recreate the file.",
                      description, fmt::join(info.shape, ", "), fmt::join(chunk, ", ")));
  require(is_plausible(handle.id(), info),
          fmt::format("The {} has {} numbers, but its file is much too small for them (it is damaged, or they were "
                      "never written). Recreate the file.",
                      description, fmt::join(info.shape, " x ")));
  if (!chunk.empty()) {
    constexpr std::size_t default_cache_bytes = std::size_t{1} << 20;
    std::size_t chunk_bytes = info.element_bytes;
    for (const hsize_t extent : chunk) chunk_bytes *= extent;
    handle.close("HDF5 cannot close " + description);
    H5Pset_chunk_cache(access.id(), H5D_CHUNK_CACHE_NSLOTS_DEFAULT, std::max(default_cache_bytes, chunk_bytes),
                       H5D_CHUNK_CACHE_W0_DEFAULT);
    handle = open_data_set(name, access);
  }
  return DataSetReader(std::move(handle), std::move(info), description);
}

}  // namespace sheaf
