// SPDX-License-Identifier: MIT
#include "files/hdf5/object_copies.hpp"

#include <fmt/format.h>
#include <hdf5.h>

#include <algorithm>
#include <cstddef>
#include <functional>
#include <map>
#include <numeric>
#include <optional>

#include "core/error.hpp"
#include "core/text.hpp"
#include "files/hdf5/data_files.hpp"
#include "files/hdf5/handle.hpp"
#include "files/hdf5/links.hpp"
#include "files/hdf5/object_identity.hpp"

namespace sheaf {
namespace {

// Numbers are copied in tiles of at most this size.
constexpr hsize_t buffer_bytes = hsize_t{4} << 20;

// Allowance for the header, attributes and index of an object, which HDF5 does not report.
constexpr std::int64_t spare_object_bytes = std::int64_t{16} << 10;

// Limit on the total number of copied bytes: far more than any disk has, and far below an overflow.
constexpr std::int64_t limit_bytes = std::int64_t{1} << 60;

std::string problem_with(const std::string& path) {
  return fmt::format("'{}' cannot be copied", printable(path));
}

void copy_attribute(hid_t from, hid_t to, const char* name) {
  const std::string problem = fmt::format("Attribute '{}' cannot be copied", name);
  const Handle source(H5Aopen(from, name, H5P_DEFAULT), H5Aclose, problem);
  const Handle stored(H5Aget_type(source.id()), H5Tclose, problem);
  if (H5Tdetect_class(stored.id(), H5T_REFERENCE) > 0) return;  // refers to objects in the source file
  const Handle type(H5Tcopy(stored.id()), H5Tclose, problem);
  const Handle space(H5Aget_space(source.id()), H5Sclose, problem);
  const Handle creation(H5Aget_create_plist(source.id()), H5Pclose, problem);
  Handle copy(H5Acreate2(to, name, type.id(), space.id(), creation.id(), H5P_DEFAULT), H5Aclose, problem);
  const hssize_t count = H5Sget_simple_extent_npoints(space.id());
  if (count > 0) {
    std::vector<std::byte> values(static_cast<std::size_t>(count) * H5Tget_size(type.id()));
    check_hdf5(H5Aread(source.id(), type.id(), values.data()), problem);
    const herr_t status = H5Awrite(copy.id(), type.id(), values.data());
    H5Dvlen_reclaim(type.id(), space.id(), H5P_DEFAULT, values.data());
    check_hdf5(status, problem);
  }
  copy.close(problem);
}

std::vector<std::string> link_names(hid_t group) {
  H5G_info_t info{};
  check_hdf5(H5Gget_info(group, &info), "A group cannot be listed");
  std::vector<std::string> names;
  for (hsize_t index = 0; index < info.nlinks; ++index)
    names.push_back(hdf5_text("A group cannot be listed", [&](char* text, std::size_t room) {
      return H5Lget_name_by_idx(group, ".", H5_INDEX_NAME, H5_ITER_INC, index, text, room, H5P_DEFAULT);
    }));
  return names;
}

Handle open_object(hid_t file, const std::string& path) {
  return Handle(H5Oopen(file, path.c_str(), H5P_DEFAULT), H5Oclose, problem_with(path));
}

// Returns whether the numbers of a data set are in other files.
bool is_elsewhere(hid_t data_set) {
  const Handle creation(H5Dget_create_plist(data_set), H5Pclose, "HDF5 cannot describe a data set");
  return H5Pget_layout(creation.id()) == H5D_VIRTUAL || H5Pget_external_count(creation.id()) > 0;
}

bool has_references(hid_t data_set) {
  const Handle type(H5Dget_type(data_set), H5Tclose, "HDF5 cannot describe a data set");
  return H5Tdetect_class(type.id(), H5T_REFERENCE) > 0;
}

// Returns an upper bound, or nullopt if it overflows: a damaged file can declare any extents.
std::optional<std::int64_t> bytes_of_numbers(hid_t data_set) {
  const Handle type(H5Dget_type(data_set), H5Tclose, "HDF5 cannot describe a data set");
  const Handle space(H5Dget_space(data_set), H5Sclose, "HDF5 cannot describe a data set");
  auto bytes = static_cast<std::int64_t>(H5Tget_size(type.id()));
  for (const hsize_t extent : extents_of(space.id()))
    if (__builtin_mul_overflow(bytes, extent, &bytes)) return std::nullopt;
  if (H5Tdetect_class(type.id(), H5T_VLEN) > 0 || H5Tis_variable_str(type.id()) > 0) {
    hsize_t varying = 0;
    check_hdf5(H5Dvlen_get_buf_size(data_set, type.id(), space.id(), &varying), "HDF5 cannot read a data set");
    for (int count = 0; count < 2; ++count)
      if (__builtin_add_overflow(bytes, varying, &bytes)) return std::nullopt;
  }
  return std::max(bytes, static_cast<std::int64_t>(H5Dget_storage_size(data_set)));
}

class CopyPlanner {
 public:
  CopyPlanner(hid_t source, hid_t left_out, const std::vector<std::string>& names)
      : left_out_(identity_of(left_out)),
        names_(names),
        root_(open_object(source, "/")),
        root_identity_(identity_of(root_.id())) {
    first_paths_[root_identity_] = "/";
  }

  CopyPlan plan() {
    add_group(root_.id(), "/", true);
    return std::move(plan_);
  }

 private:
  // Paths in soft links are relative to the file that contains the link. Links in other files are replaced by their
  // targets.
  void add_group(hid_t group, const std::string& path, bool is_of_source) {
    for (const auto& name : link_names(group)) {
      const std::string whole = path + name;
      if (std::find(names_.begin(), names_.end(), whole) == names_.end()) add_link(group, name, whole, is_of_source);
    }
  }

  void add_link(hid_t group, const std::string& name, const std::string& path, bool keeps_soft_links) {
    H5L_info_t link{};
    check_hdf5(H5Lget_info(group, name.c_str(), &link, H5P_DEFAULT), problem_with(path));
    if (link.type != H5L_TYPE_SOFT || !keeps_soft_links) return add_object(open_target(group, name, path), path);
    std::string target(link.u.val_size, '\0');
    check_hdf5(H5Lget_val(group, name.c_str(), target.data(), target.size(), H5P_DEFAULT), problem_with(path));
    plan_.copies.push_back({ObjectCopy::Kind::soft_link, path, target.c_str()});
  }

  Handle open_target(hid_t group, const std::string& name, const std::string& path) {
    const hid_t object = H5Oopen(group, name.c_str(), H5P_DEFAULT);
    if (object >= 0) return Handle(object, H5Oclose, {});
    const std::string reason = hdf5_reason();
    throw RunError(fmt::format("{} ({}). Restore the target or pass --copy=false.", problem_with(path),
                               find_broken_link(root_.id(), path).value_or(reason)));
  }

  void add_object(const Handle& object, const std::string& path) {
    const ObjectIdentity identity = identity_of(object.id());
    if (identity == left_out_) return plan_.left_out.push_back(path);
    const H5I_type_t type = H5Iget_type(object.id());
    if (type == H5I_DATASET && has_references(object.id())) return plan_.references.push_back(path);
    const auto [first, is_new] = first_paths_.emplace(identity, path);
    if (!is_new) return plan_.copies.push_back({ObjectCopy::Kind::hard_link, path, first->second});
    const bool elsewhere = type == H5I_DATASET && is_elsewhere(object.id());
    if (elsewhere) data_files(object.id());  // throws if a file is missing
    const bool is_of_source = is_in_same_file(identity, root_identity_);
    if (elsewhere || !is_of_source)
      plan_.bytes_of_others += spare_object_bytes + (type == H5I_DATASET ? bytes_to_copy(object.id(), path) : 0);
    plan_.copies.push_back({type == H5I_GROUP ? ObjectCopy::Kind::group
                            : elsewhere       ? ObjectCopy::Kind::numbers
                                              : ObjectCopy::Kind::object,
                            path,
                            {}});
    if (type == H5I_GROUP) add_group(object.id(), path + "/", is_of_source);
  }

  std::int64_t bytes_to_copy(hid_t data_set, const std::string& path) const {
    const auto bytes = bytes_of_numbers(data_set);
    require(bytes && *bytes < limit_bytes - plan_.bytes_of_others, [&] {
      return fmt::format("{} (it has too many numbers). Recreate its file or pass --copy=false.", problem_with(path));
    });
    return *bytes + *bytes / 256;
  }

  ObjectIdentity left_out_;
  const std::vector<std::string>& names_;
  Handle root_;
  ObjectIdentity root_identity_;
  std::map<ObjectIdentity, std::string> first_paths_;
  CopyPlan plan_;
};

// Stores no time stamps, so that equal inputs produce equal files.
void drop_times(hid_t creation) {
  H5Pset_obj_track_times(creation, false);
}

void copy_group(hid_t source, hid_t to, const std::string& path) {
  const Handle old(H5Gopen2(source, path.c_str(), H5P_DEFAULT), H5Gclose, problem_with(path));
  const Handle creation(H5Gget_create_plist(old.id()), H5Pclose, problem_with(path));
  drop_times(creation.id());
  const Handle group(H5Gcreate2(to, path.c_str(), H5P_DEFAULT, creation.id(), H5P_DEFAULT), H5Gclose,
                     problem_with(path));
  copy_attributes(old.id(), group.id());
}

// Returns the extents of the tiles in which an array is copied. A tile is contiguous and has at most buffer_bytes, or
// one element.
std::vector<hsize_t> tile_extents(const std::vector<hsize_t>& extents, std::size_t element_bytes) {
  std::vector<hsize_t> sides = extents;
  hsize_t bytes = element_bytes;
  for (auto side = sides.rbegin(); side != sides.rend(); ++side) {
    *side = std::clamp<hsize_t>(buffer_bytes / bytes, 1, *side);
    bytes *= *side;
  }
  return sides;
}

// Moves `start` to the next tile; the last dimension is the fastest. Returns false after the last tile.
bool advance(std::vector<hsize_t>& start, const std::vector<hsize_t>& sides, const std::vector<hsize_t>& extents) {
  for (std::size_t dimension = start.size(); dimension-- > 0;) {
    if ((start[dimension] += sides[dimension]) < extents[dimension]) return true;
    start[dimension] = 0;
  }
  return false;
}

// Copies attributes separately: H5Ocopy would also copy references, including those in compound values, as raw
// addresses.
void copy_object(hid_t source, hid_t to, const std::string& path) {
  const Handle options(H5Pcreate(H5P_OBJECT_COPY), H5Pclose, problem_with(path));
  check_hdf5(H5Pset_copy_object(options.id(), H5O_COPY_WITHOUT_ATTR_FLAG), problem_with(path));
  check_hdf5(H5Ocopy(source, path.c_str(), to, path.c_str(), options.id(), H5P_DEFAULT), problem_with(path));
  copy_attributes(open_object(source, path).id(), open_object(to, path).id());
}

void copy_numbers(hid_t source, hid_t to, const std::string& path) {
  const std::string problem = problem_with(path);
  const Handle old(H5Dopen2(source, path.c_str(), H5P_DEFAULT), H5Dclose, problem);
  const Handle stored(H5Dget_type(old.id()), H5Tclose, problem);
  const Handle type(H5Tcopy(stored.id()), H5Tclose, problem);
  const Handle space(H5Dget_space(old.id()), H5Sclose, problem);
  const Handle creation(H5Pcreate(H5P_DATASET_CREATE), H5Pclose, problem);
  drop_times(creation.id());
  const std::vector<hsize_t> extents = extents_of(space.id());
  const int rank = static_cast<int>(extents.size());  // 0: a scalar or empty data set
  const auto space_of = [&](const std::vector<hsize_t>& sides) {
    return Handle(rank > 0 ? H5Screate_simple(rank, sides.data(), nullptr) : H5Scopy(space.id()), H5Sclose, problem);
  };
  const Handle fixed = space_of(extents);
  const Handle copy(H5Dcreate2(to, path.c_str(), type.id(), fixed.id(), H5P_DEFAULT, creation.id(), H5P_DEFAULT),
                    H5Dclose, problem);
  copy_attributes(old.id(), copy.id());
  if (H5Sget_simple_extent_npoints(space.id()) == 0) return;

  const std::vector<hsize_t> sides = tile_extents(extents, H5Tget_size(type.id()));
  std::vector<std::byte> values(
      std::accumulate(sides.begin(), sides.end(), H5Tget_size(type.id()), std::multiplies<>()));
  std::vector<hsize_t> start(extents.size(), 0), count(extents.size());
  do {
    for (std::size_t dimension = 0; dimension < start.size(); ++dimension)
      count[dimension] = std::min(sides[dimension], extents[dimension] - start[dimension]);
    const Handle memory = space_of(count);
    for (const hid_t each : {space.id(), fixed.id()})
      if (rank > 0)
        check_hdf5(H5Sselect_hyperslab(each, H5S_SELECT_SET, start.data(), nullptr, count.data(), nullptr), problem);
    check_hdf5(H5Dread(old.id(), type.id(), memory.id(), space.id(), H5P_DEFAULT, values.data()), problem);
    const herr_t status = H5Dwrite(copy.id(), type.id(), memory.id(), fixed.id(), H5P_DEFAULT, values.data());
    H5Dvlen_reclaim(type.id(), memory.id(), H5P_DEFAULT, values.data());
    check_hdf5(status, problem);
  } while (advance(start, sides, extents));
}

}  // namespace

void copy_attributes(hid_t from, hid_t to) {
  std::vector<std::string> names;
  const auto note = [](hid_t, const char* name, const H5A_info_t*, void* list) -> herr_t {
    static_cast<std::vector<std::string>*>(list)->emplace_back(name);
    return 0;
  };
  check_hdf5(H5Aiterate2(from, H5_INDEX_NAME, H5_ITER_INC, nullptr, note, &names), "Attributes cannot be listed");
  for (const auto& name : names) copy_attribute(from, to, name.c_str());
}

CopyPlan plan_copies(hid_t source, hid_t left_out, const std::vector<std::string>& names_left_out) {
  return CopyPlanner(source, left_out, names_left_out).plan();
}

void make_copies(const CopyPlan& plan, hid_t source, hid_t to) {
  copy_attributes(open_object(source, "/").id(), open_object(to, "/").id());
  for (const auto& copy : plan.copies) {
    const char *path = copy.path.c_str(), *target = copy.target.c_str();
    switch (copy.kind) {
      case ObjectCopy::Kind::soft_link:
        check_hdf5(H5Lcreate_soft(target, to, path, H5P_DEFAULT, H5P_DEFAULT), problem_with(copy.path));
        break;
      case ObjectCopy::Kind::hard_link:
        check_hdf5(H5Lcreate_hard(to, target, to, path, H5P_DEFAULT, H5P_DEFAULT), problem_with(copy.path));
        break;
      case ObjectCopy::Kind::group:
        copy_group(source, to, copy.path);
        break;
      case ObjectCopy::Kind::object:
        copy_object(source, to, copy.path);
        break;
      case ObjectCopy::Kind::numbers:
        copy_numbers(source, to, copy.path);
        break;
    }
  }
}

}  // namespace sheaf
