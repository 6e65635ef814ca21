// SPDX-License-Identifier: MIT
#include "hdf5/data_files.hpp"

#include <fmt/format.h>
#include <sys/stat.h>

#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <filesystem>
#include <map>
#include <optional>
#include <set>
#include <utility>

#include "core/error.hpp"
#include "core/regular_file.hpp"
#include "core/text.hpp"
#include "hdf5/handle.hpp"
#include "hdf5/input_driver.hpp"
#include "hdf5/links.hpp"
#include "hdf5/object_identity.hpp"

namespace sheaf {
namespace {

namespace fs = std::filesystem;

constexpr const char* problem = "HDF5 cannot describe where a data set is stored";

Handle described(hid_t id, Handle::Closer closer) {
  return Handle(id, closer, problem);
}

std::string description_of(hid_t data_set) {
  const std::string name =
      hdf5_text(problem, [&](char* text, std::size_t room) { return H5Iget_name(data_set, text, room); });
  return fmt::format("data set '{}' of '{}'", printable(name), printable(file_of(data_set)));
}

std::vector<hsize_t> extents_of(hid_t space) {
  std::vector<hsize_t> extents(static_cast<std::size_t>(std::max(0, H5Sget_simple_extent_ndims(space))));
  H5Sget_simple_extent_dims(space, extents.data(), nullptr);
  return extents;
}

bool is_unlimited(hid_t selection) {
  if (H5Sget_select_type(selection) != H5S_SEL_HYPERSLABS || H5Sis_regular_hyperslab(selection) <= 0) return false;
  std::vector<hsize_t> start(extents_of(selection).size()), stride(start), count(start), block(start);
  H5Sget_regular_hyperslab(selection, start.data(), stride.data(), count.data(), block.data());
  const auto has_no_end = [](const std::vector<hsize_t>& sides) {
    return std::find(sides.begin(), sides.end(), H5S_UNLIMITED) != sides.end();
  };
  return has_no_end(count) || has_no_end(block);
}

bool has_block_number(const std::string& pattern) {
  for (std::size_t at = pattern.find('%'); at != pattern.npos && at + 1 < pattern.size();
       at = pattern.find('%', at + 2))
    if (pattern[at + 1] == 'b') return true;
  return false;
}

struct Mapping {
  std::string file, data_set;
  bool numbered = false;         // the names contain the number of a block, from 0 to the last that is there
  std::vector<hsize_t> highest;  // element of the source that is mapped, in each dimension; none: not known
  hssize_t elements = 0;         // of the source, all of which are mapped; 0: not all, or not known
};

Mapping mapping_of(hid_t creation, std::size_t number) {
  Mapping mapping;
  mapping.file = hdf5_text(
      problem, [&](char* text, std::size_t room) { return H5Pget_virtual_filename(creation, number, text, room); });
  mapping.data_set = hdf5_text(
      problem, [&](char* text, std::size_t room) { return H5Pget_virtual_dsetname(creation, number, text, room); });
  const Handle rows = described(H5Pget_virtual_vspace(creation, number), H5Sclose);
  const Handle source = described(H5Pget_virtual_srcspace(creation, number), H5Sclose);
  const bool named_by_number = has_block_number(mapping.file) || has_block_number(mapping.data_set);
  mapping.numbered = named_by_number && is_unlimited(rows.id());
  if (!named_by_number) {
    mapping.file = source_name(mapping.file, 0);
    mapping.data_set = source_name(mapping.data_set, 0);
  }
  if (H5Sget_select_type(source.id()) == H5S_SEL_ALL) {  // without an extent
    if (!is_unlimited(rows.id())) mapping.elements = std::max<hssize_t>(0, H5Sget_select_npoints(rows.id()));
    return mapping;
  }
  if (is_unlimited(source.id()) || H5Sget_select_npoints(source.id()) <= 0) return mapping;
  std::vector<hsize_t> lowest(extents_of(source.id()).size());
  mapping.highest.resize(lowest.size());
  H5Sget_select_bounds(source.id(), lowest.data(), mapping.highest.data());
  return mapping;
}

// Nothing: HDF5 opens none of them. Throws RunError for FIFOs and devices.
std::optional<Handle> open_first(const std::vector<std::string>& paths) {
  const Handle access = input_access();
  std::error_code ignored;
  for (const auto& path : paths) {
    if (!fs::exists(path, ignored)) continue;
    refuse_special_file(path);
    const hid_t file = H5Fopen(path.c_str(), H5F_ACC_RDONLY, access.id());
    if (file >= 0) return Handle(file, H5Fclose, {});
  }
  return std::nullopt;
}

class FileCollector {
 public:
  void collect(hid_t data_set) {
    const std::string file = file_of(data_set);
    const ObjectIdentity identity = identity_of(data_set);
    note(file);
    const auto [known, is_new] = complete_.emplace(identity, false);
    require(is_new || known->second,
            fmt::format("The {} is virtual and is its own source. Correct its definition.", description_of(data_set)));
    if (!is_new) return;
    const Handle creation = described(H5Dget_create_plist(data_set), H5Pclose);
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
  void collect_storage(hid_t data_set, hid_t creation, const std::string& holder);
  std::optional<std::string> collect_source(hid_t file, const Mapping& mapping);

  std::vector<std::string> files_;
  std::set<std::string> known_;
  std::map<ObjectIdentity, bool> complete_;  // false: the search is still in one of its sources
};

// Returns why the source cannot be read; nothing when it can.
std::optional<std::string> FileCollector::collect_source(hid_t file, const Mapping& mapping) {
  const hid_t id = H5Dopen2(file, mapping.data_set.c_str(), H5P_DEFAULT);
  if (id < 0) return find_broken_link(file, mapping.data_set).value_or("the file has no such data set");
  const Handle source(id, H5Dclose, {});
  collect(source.id());  // first: to ask a data set that is its own source for its extents crashes HDF5
  const Handle space = described(H5Dget_space(source.id()), H5Sclose);
  if (mapping.elements > 0 && mapping.elements != H5Sget_simple_extent_npoints(space.id()))
    return "the data set has another size than the part that it is mapped to";
  const std::vector<hsize_t> extents = extents_of(space.id());
  for (std::size_t dimension = 0; dimension < std::min(extents.size(), mapping.highest.size()); ++dimension)
    if (mapping.highest[dimension] >= extents[dimension]) return "the data set is smaller than the part that is mapped";
  return std::nullopt;
}

void FileCollector::collect_sources(hid_t data_set, hid_t creation, const std::string& holder) {
  std::size_t count = 0;
  check_hdf5(H5Pget_virtual_count(creation, &count), problem);
  const char* prefixes = std::getenv("HDF5_VDS_PREFIX");
  const auto open_source = [&](const std::string& name) -> std::optional<Handle> {
    if (name == ".") return described(H5Iget_file_id(data_set), H5Fclose);
    return open_first(searched_paths(name, holder, split_prefixes(prefixes)));
  };
  std::map<std::string, std::vector<Mapping>> by_file;  // each is opened once, and one at a time
  for (std::size_t number = 0; number < count; ++number) {
    Mapping mapping = mapping_of(creation, number);
    by_file[mapping.file].push_back(std::move(mapping));
  }
  for (const auto& [file, mappings] : by_file) {
    std::optional<Handle> opened;
    for (const Mapping& mapping : mappings) {
      if (mapping.numbered) {
        for (long long block = 0;; ++block) {
          Mapping of_block = mapping;
          of_block.data_set = source_name(mapping.data_set, block);
          const auto numbered_file = open_source(source_name(file, block));
          if (!numbered_file || collect_source(numbered_file->id(), of_block)) break;
        }
        continue;
      }
      if (!opened) opened = open_source(file);
      const auto reason = opened ? collect_source(opened->id(), mapping) : "HDF5 cannot open the file";
      require(!reason,
              fmt::format("The {} is virtual, and its source '{}' of '{}' is missing ({}). Restore the source: "
                          "HDF5 would read fill values instead.",
                          description_of(data_set), printable(mapping.data_set), printable(file), reason.value_or("")));
    }
  }
}

void FileCollector::collect_storage(hid_t data_set, hid_t creation, const std::string& holder) {
  const Handle type = described(H5Dget_type(data_set), H5Tclose);
  const Handle space = described(H5Dget_space(data_set), H5Sclose);
  hsize_t left =
      static_cast<hsize_t>(std::max<hssize_t>(0, H5Sget_simple_extent_npoints(space.id()))) * H5Tget_size(type.id());
  const char* prefix_variable = std::getenv("HDF5_EXTFILE_PREFIX");
  std::string prefix = prefix_variable == nullptr ? "" : prefix_variable;
  constexpr std::string_view origin = "${ORIGIN}";
  if (prefix.compare(0, origin.size(), origin) == 0)
    prefix = fs::absolute(holder).parent_path().string() + prefix.substr(origin.size());
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
    const bool is_there = ::stat(path.c_str(), &status) == 0;
    const hsize_t wanted = bytes + static_cast<hsize_t>(offset);
    require(is_there && static_cast<hsize_t>(status.st_size) >= wanted,
            fmt::format("The {} stores its numbers in '{}', which {}. Restore that file{}.", description_of(data_set),
                        printable(path), is_there ? "is too short" : "is missing",
                        is_there ? ": HDF5 would read zeros instead" : ""));
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
