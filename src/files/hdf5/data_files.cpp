// SPDX-License-Identifier: MIT
#include "files/hdf5/data_files.hpp"

#include <fmt/format.h>
#include <sys/stat.h>

#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <filesystem>
#include <functional>
#include <map>
#include <numeric>
#include <optional>
#include <set>
#include <utility>

#include "core/error.hpp"
#include "core/text.hpp"
#include "files/hdf5/handle.hpp"
#include "files/hdf5/input_driver.hpp"
#include "files/hdf5/links.hpp"
#include "files/hdf5/object_identity.hpp"
#include "files/regular_file.hpp"

namespace sheaf {
namespace {

namespace fs = std::filesystem;

constexpr const char* problem = "HDF5 cannot describe where a data set is stored";

Handle owned(hid_t id, Handle::Closer closer) {
  return Handle(id, closer, problem);
}

std::string description_of(hid_t data_set) {
  const std::string name =
      hdf5_text(problem, [&](char* text, std::size_t room) { return H5Iget_name(data_set, text, room); });
  return fmt::format("data set '{}' of '{}'", printable(name), printable(file_of(data_set)));
}

// A regular hyperslab selection. The vectors are empty for any other selection.
struct Hyperslab {
  std::vector<hsize_t> count, block;

  bool is_unlimited() const {
    const auto has_no_end = [](hsize_t extent) { return extent == H5S_UNLIMITED; };
    return std::any_of(count.begin(), count.end(), has_no_end) || std::any_of(block.begin(), block.end(), has_no_end);
  }
};

Hyperslab hyperslab_of(hid_t selection) {
  if (H5Sget_select_type(selection) != H5S_SEL_HYPERSLABS || H5Sis_regular_hyperslab(selection) <= 0) return {};
  Hyperslab slab;
  std::vector<hsize_t> start(extents_of(selection).size()), stride(start);
  slab.count.resize(start.size());
  slab.block.resize(start.size());
  H5Sget_regular_hyperslab(selection, start.data(), stride.data(), slab.count.data(), slab.block.data());
  return slab;
}

// Returns the elements of one block of a selection with an unlimited number of blocks along a dimension.
hssize_t elements_of_block(const Hyperslab& slab) {
  hsize_t elements = 1;
  for (std::size_t dimension = 0; dimension < slab.count.size(); ++dimension)
    elements *= slab.block[dimension] * (slab.count[dimension] == H5S_UNLIMITED ? 1 : slab.count[dimension]);
  return static_cast<hssize_t>(elements);
}

bool has_block_number(const std::string& pattern) {
  for (std::size_t at = pattern.find('%'); at != pattern.npos && at + 1 < pattern.size();
       at = pattern.find('%', at + 2))
    if (pattern[at + 1] == 'b') return true;
  return false;
}

struct Mapping {
  std::string file, data_set;
  bool numbered = false;         // the names contain a block number; the data set ends at the first missing source
  std::vector<hsize_t> highest;  // highest mapped index of the source in each dimension; empty: unknown
  hssize_t elements = 0;         // size of a source that is mapped as a whole; 0: only a part is mapped, or unknown
  std::vector<hsize_t> shape;    // shape of the first numbered source, which HDF5 assumes for all; empty: not yet known
};

Mapping mapping_of(hid_t creation, std::size_t number) {
  Mapping mapping;
  mapping.file = hdf5_text(
      problem, [&](char* text, std::size_t room) { return H5Pget_virtual_filename(creation, number, text, room); });
  mapping.data_set = hdf5_text(
      problem, [&](char* text, std::size_t room) { return H5Pget_virtual_dsetname(creation, number, text, room); });
  const Handle rows = owned(H5Pget_virtual_vspace(creation, number), H5Sclose);
  const Handle source = owned(H5Pget_virtual_srcspace(creation, number), H5Sclose);
  const Hyperslab row_slab = hyperslab_of(rows.id());
  const bool named_by_number = has_block_number(mapping.file) || has_block_number(mapping.data_set);
  mapping.numbered = named_by_number && row_slab.is_unlimited();
  if (!named_by_number) {
    mapping.file = source_name(mapping.file, 0);
    mapping.data_set = source_name(mapping.data_set, 0);
  }
  if (H5Sget_select_type(source.id()) == H5S_SEL_ALL) {  // without an extent
    if (mapping.numbered)
      mapping.elements = elements_of_block(row_slab);
    else if (!row_slab.is_unlimited())
      mapping.elements = std::max<hssize_t>(0, H5Sget_select_npoints(rows.id()));
    return mapping;
  }
  if (hyperslab_of(source.id()).is_unlimited() || H5Sget_select_npoints(source.id()) <= 0) return mapping;
  std::vector<hsize_t> lowest(extents_of(source.id()).size());
  mapping.highest.resize(lowest.size());
  H5Sget_select_bounds(source.id(), lowest.data(), mapping.highest.data());
  return mapping;
}

struct SourceFile {
  std::optional<Handle> handle;  // nullopt: the file cannot be opened
  std::string reason;            // why it cannot be opened; empty: the file does not exist
};

// Opens the first path that HDF5 can open. Throws RunError for FIFOs and devices.
SourceFile open_first(const std::vector<std::string>& paths) {
  const Handle access = input_access();
  SourceFile source;
  std::error_code ignored;
  for (const auto& path : paths) {
    if (fs::status(path, ignored).type() == fs::file_type::not_found) continue;
    refuse_special_file(path);
    const hid_t file = H5Fopen(path.c_str(), H5F_ACC_RDONLY, access.id());
    if (file >= 0) return {Handle(file, H5Fclose, {}), {}};
    source.reason = hdf5_reason();
  }
  return source;
}

using SourceOpener = std::function<SourceFile(const std::string&)>;

class FileCollector {
 public:
  void collect(hid_t data_set) {
    const std::string file = file_of(data_set);
    const ObjectIdentity identity = identity_of(data_set);
    note(file);
    const auto [known, is_new] = complete_.emplace(identity, false);
    require(is_new || known->second, [&] {
      return fmt::format("The {} is virtual and is its own source. Correct its definition.", description_of(data_set));
    });
    if (!is_new) return;
    const Handle creation = owned(H5Dget_create_plist(data_set), H5Pclose);
    if (H5Pget_layout(creation.id()) == H5D_VIRTUAL)
      collect_sources(data_set, creation.id(), file);
    else if (H5Pget_external_count(creation.id()) > 0)
      collect_storage(data_set, creation.id(), file);
    known->second = true;
  }

  std::vector<std::string> files() && { return std::move(files_); }

 private:
  void note(const std::string& file) {
    if (known_.insert(file).second) files_.push_back(file);
  }

  void collect_sources(hid_t data_set, hid_t creation, const std::string& holder);
  void collect_numbered(hid_t data_set, const Mapping& pattern, const SourceOpener& open_source);
  void collect_storage(hid_t data_set, hid_t creation, const std::string& holder);
  std::optional<std::string> collect_source(hid_t data_set, const SourceFile& file, Mapping& mapping);

  std::vector<std::string> files_;
  std::set<std::string> known_;
  std::map<ObjectIdentity, bool> complete_;  // false: its sources are being searched
};

[[noreturn]] void refuse_source(hid_t data_set, const Mapping& mapping, const std::string& source_problem) {
  throw RunError(
      fmt::format("The {} is virtual, and its source '{}' of '{}' {}. Restore the source; HDF5 would read fill values "
                  "or wrong rows.",
                  description_of(data_set), printable(mapping.data_set), printable(mapping.file), source_problem));
}

// Returns why HDF5 would read wrong numbers from a source of this shape, or nullopt if it would not.
std::optional<std::string> find_mismatch(const Mapping& mapping, const std::vector<hsize_t>& shape) {
  const hsize_t elements = std::accumulate(shape.begin(), shape.end(), hsize_t{1}, std::multiplies<>());
  if (mapping.elements > 0 && static_cast<hsize_t>(mapping.elements) != elements)
    return "has a different size than the region it is mapped to";
  if (!mapping.highest.empty() && mapping.highest.size() != shape.size())
    return "has a different number of dimensions than the mapped region";
  for (std::size_t dimension = 0; dimension < mapping.highest.size(); ++dimension)
    if (mapping.highest[dimension] >= shape[dimension]) return "is smaller than the mapped region";
  const auto same_rows = [&] {
    return shape.size() == mapping.shape.size() &&
           std::equal(shape.begin() + 1, shape.end(), mapping.shape.begin() + 1);
  };
  if (!mapping.shape.empty() && !same_rows()) return "has a different row shape than the first source";
  return std::nullopt;
}

// Returns why the source is missing, or nullopt if it exists. Throws RunError if it exists but HDF5 would not read all
// of it.
std::optional<std::string> FileCollector::collect_source(hid_t data_set, const SourceFile& file, Mapping& mapping) {
  if (!file.handle && file.reason.empty()) return "the file does not exist";
  if (!file.handle) refuse_source(data_set, mapping, fmt::format("cannot be opened ({})", file.reason));
  if (!has_link(file.handle->id(), mapping.data_set)) return "the file has no such data set";
  const hid_t id = H5Dopen2(file.handle->id(), mapping.data_set.c_str(), H5P_DEFAULT);
  if (id < 0) {
    const std::string reason = hdf5_reason();
    const auto link = find_broken_link(file.handle->id(), mapping.data_set);
    refuse_source(data_set, mapping, fmt::format("cannot be opened ({})", link.value_or(reason)));
  }
  const Handle source(id, H5Dclose, {});
  collect(source.id());  // before H5Dget_space, which crashes for a data set that is its own source
  const Handle space = owned(H5Dget_space(source.id()), H5Sclose);
  const std::vector<hsize_t> shape = extents_of(space.id());
  if (const auto mismatch = find_mismatch(mapping, shape)) refuse_source(data_set, mapping, *mismatch);
  if (mapping.numbered) mapping.shape = shape;
  return std::nullopt;
}

void FileCollector::collect_numbered(hid_t data_set, const Mapping& pattern, const SourceOpener& open_source) {
  Mapping mapping = pattern;
  for (long long block = 0;; ++block) {
    mapping.file = source_name(pattern.file, block);
    mapping.data_set = source_name(pattern.data_set, block);
    if (collect_source(data_set, open_source(mapping.file), mapping)) return;
  }
}

void FileCollector::collect_sources(hid_t data_set, hid_t creation, const std::string& holder) {
  std::size_t count = 0;
  check_hdf5(H5Pget_virtual_count(creation, &count), problem);
  const char* prefix_variable = std::getenv("HDF5_VDS_PREFIX");
  std::vector<std::string> prefixes = split_prefixes(prefix_variable);
  if (prefix_variable != nullptr) prefixes.push_back(with_origin(prefix_variable, holder));
  const auto open_source = [&](const std::string& name) -> SourceFile {
    if (name == ".") return {owned(H5Iget_file_id(data_set), H5Fclose), {}};
    return open_first(searched_paths(name, holder, prefixes));
  };
  std::map<std::string, std::vector<Mapping>> by_file;  // opens each file once, and one file at a time
  for (std::size_t number = 0; number < count; ++number) {
    Mapping mapping = mapping_of(creation, number);
    by_file[mapping.file].push_back(std::move(mapping));
  }
  for (auto& [file, mappings] : by_file) {
    std::optional<SourceFile> opened;
    for (Mapping& mapping : mappings) {
      if (mapping.numbered) {
        collect_numbered(data_set, mapping, open_source);
        continue;
      }
      if (!opened) opened = open_source(file);
      if (const auto reason = collect_source(data_set, *opened, mapping))
        refuse_source(data_set, mapping, fmt::format("is missing ({})", *reason));
    }
  }
}

void FileCollector::collect_storage(hid_t data_set, hid_t creation, const std::string& holder) {
  const Handle type = owned(H5Dget_type(data_set), H5Tclose);
  const Handle space = owned(H5Dget_space(data_set), H5Sclose);
  hsize_t left =
      static_cast<hsize_t>(std::max<hssize_t>(0, H5Sget_simple_extent_npoints(space.id()))) * H5Tget_size(type.id());
  const char* prefix_variable = std::getenv("HDF5_EXTFILE_PREFIX");
  const std::string prefix = with_origin(prefix_variable == nullptr ? "" : prefix_variable, holder);
  const int count = H5Pget_external_count(creation);
  for (int number = 0; number < count && left > 0; ++number) {
    std::string name(4096, '\0');
    off_t offset = 0;
    hsize_t room = 0;
    check_hdf5(H5Pget_external(creation, static_cast<unsigned>(number), name.size() - 1, name.data(), &offset, &room),
               problem);
    name.resize(name.find('\0'));
    const std::string path = fs::path(prefix) / name;
    const hsize_t bytes = std::min(left, room);
    left -= bytes;
    refuse_special_file(path);
    struct stat status {};
    const bool exists = ::stat(path.c_str(), &status) == 0;
    const hsize_t wanted = bytes + static_cast<hsize_t>(offset);
    require(exists && static_cast<hsize_t>(status.st_size) >= wanted, [&] {
      return fmt::format("The {} stores its numbers in '{}', which {}. Restore that file{}.", description_of(data_set),
                         printable(path), exists ? "is too short" : "is missing",
                         exists ? "; HDF5 would read zeros" : "");
    });
    note(path);
  }
}

}  // namespace

std::string source_name(const std::string& pattern, long long block) {
  std::string name;
  for (std::size_t at = 0; at < pattern.size(); ++at) {
    const char next = pattern[at] == '%' && at + 1 < pattern.size() ? pattern[at + 1] : '\0';
    if (next == 'b') name += std::to_string(block);
    if (next == '%') name += '%';
    if (next == 'b' || next == '%')
      ++at;
    else
      name += pattern[at];
  }
  return name;
}

std::vector<std::string> data_files(hid_t data_set) {
  FileCollector collector;
  collector.collect(data_set);
  return std::move(collector).files();
}

}  // namespace sheaf
