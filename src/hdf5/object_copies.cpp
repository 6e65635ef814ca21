// SPDX-License-Identifier: MIT
#include "hdf5/object_copies.hpp"

#include <fmt/format.h>
#include <hdf5.h>

#include <algorithm>
#include <cstddef>
#include <map>

#include "core/error.hpp"
#include "core/text.hpp"
#include "hdf5/data_files.hpp"
#include "hdf5/handle.hpp"
#include "hdf5/links.hpp"
#include "hdf5/object_identity.hpp"

namespace sheaf {
namespace {

// Of numbers copied at a time.
constexpr hsize_t buffer_bytes = hsize_t{4} << 20;

// Of an object's header, attributes and index, beyond what HDF5 reports.
constexpr std::int64_t spare_object_bytes = std::int64_t{16} << 10;

std::string problem_with(const std::string& path) {
  return fmt::format("'{}' cannot be copied", printable(path));
}

void copy_attribute(hid_t from, hid_t to, const char* name) {
  const std::string problem = fmt::format("Attribute '{}' cannot be copied", name);
  const Handle source(H5Aopen(from, name, H5P_DEFAULT), H5Aclose, problem);
  const Handle stored(H5Aget_type(source.id()), H5Tclose, problem);
  if (H5Tdetect_class(stored.id(), H5T_REFERENCE) > 0) return;  // to objects of the other file
  const Handle type(H5Tcopy(stored.id()), H5Tclose, problem);
  const Handle space(H5Aget_space(source.id()), H5Sclose, problem);
  Handle copy(H5Acreate2(to, name, type.id(), space.id(), H5P_DEFAULT, H5P_DEFAULT), H5Aclose, problem);
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
  for (hsize_t place = 0; place < info.nlinks; ++place)
    names.push_back(hdf5_text("A group cannot be listed", [&](char* text, std::size_t room) {
      return H5Lget_name_by_idx(group, ".", H5_INDEX_NAME, H5_ITER_INC, place, text, room, H5P_DEFAULT);
    }));
  return names;
}

Handle open_object(hid_t file, const std::string& path) {
  return Handle(H5Oopen(file, path.c_str(), H5P_DEFAULT), H5Oclose, problem_with(path));
}

// Whether the numbers of a data set are outside of the file that contains it.
bool is_elsewhere(hid_t data_set) {
  const Handle creation(H5Dget_create_plist(data_set), H5Pclose, "HDF5 cannot describe a data set");
  return H5Pget_layout(creation.id()) == H5D_VIRTUAL || H5Pget_external_count(creation.id()) > 0;
}

std::int64_t bytes_of_numbers(hid_t data_set) {
  const Handle type(H5Dget_type(data_set), H5Tclose, "HDF5 cannot describe a data set");
  const Handle space(H5Dget_space(data_set), H5Sclose, "HDF5 cannot describe a data set");
  auto bytes = static_cast<std::int64_t>(H5Sget_simple_extent_npoints(space.id())) *
               static_cast<std::int64_t>(H5Tget_size(type.id()));
  if (H5Tdetect_class(type.id(), H5T_VLEN) > 0 || H5Tis_variable_str(type.id()) > 0) {
    hsize_t varying = 0;
    check_hdf5(H5Dvlen_get_buf_size(data_set, type.id(), space.id(), &varying), "HDF5 cannot read a data set");
    bytes += 2 * static_cast<std::int64_t>(varying);
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
  // The paths in soft links hold in the file that contains them: those of other files are replaced by their targets.
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
    throw RunError(fmt::format("{} ({}). Restore the target, or give --copy=false.", problem_with(path),
                               find_broken_link(root_.id(), path).value_or(reason)));
  }

  void add_object(const Handle& object, const std::string& path) {
    const ObjectIdentity identity = identity_of(object.id());
    if (identity == left_out_) return plan_.left_out.push_back(path);
    const auto [first, is_new] = first_paths_.emplace(identity, path);
    if (!is_new) return plan_.copies.push_back({ObjectCopy::Kind::hard_link, path, first->second});
    const H5I_type_t type = H5Iget_type(object.id());
    const bool elsewhere = type == H5I_DATASET && is_elsewhere(object.id());
    if (elsewhere) data_files(object.id());  // which finds what is missing
    const bool is_of_source = is_in_same_file(identity, root_identity_);
    if (elsewhere || !is_of_source)
      plan_.bytes_of_others +=
          spare_object_bytes + (type == H5I_DATASET ? bytes_of_numbers(object.id()) * 257 / 256 : 0);
    plan_.copies.push_back({type == H5I_GROUP ? ObjectCopy::Kind::group
                            : elsewhere       ? ObjectCopy::Kind::numbers
                                              : ObjectCopy::Kind::object,
                            path,
                            {}});
    if (type == H5I_GROUP) add_group(object.id(), path + "/", is_of_source);
  }

  ObjectIdentity left_out_;
  const std::vector<std::string>& names_;
  Handle root_;
  ObjectIdentity root_identity_;
  std::map<ObjectIdentity, std::string> first_paths_;
  CopyPlan plan_;
};

// Without times, so that the same work makes the same bytes.
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

void copy_numbers(hid_t source, hid_t to, const std::string& path) {
  const std::string problem = problem_with(path);
  const Handle old(H5Dopen2(source, path.c_str(), H5P_DEFAULT), H5Dclose, problem);
  const Handle stored(H5Dget_type(old.id()), H5Tclose, problem);
  const Handle type(H5Tcopy(stored.id()), H5Tclose, problem);
  const Handle space(H5Dget_space(old.id()), H5Sclose, problem);
  const Handle creation(H5Pcreate(H5P_DATASET_CREATE), H5Pclose, problem);
  drop_times(creation.id());
  std::vector<hsize_t> extents(static_cast<std::size_t>(std::max(1, H5Sget_simple_extent_ndims(space.id()))), 1);
  H5Sget_simple_extent_dims(space.id(), extents.data(), nullptr);
  const int rank = static_cast<int>(extents.size());
  const Handle fixed(H5Screate_simple(rank, extents.data(), nullptr), H5Sclose, problem);
  const Handle copy(H5Dcreate2(to, path.c_str(), type.id(), fixed.id(), H5P_DEFAULT, creation.id(), H5P_DEFAULT),
                    H5Dclose, problem);
  copy_attributes(old.id(), copy.id());

  hsize_t row_bytes = H5Tget_size(type.id());
  for (std::size_t dimension = 1; dimension < extents.size(); ++dimension) row_bytes *= extents[dimension];
  const hsize_t most_rows = std::max<hsize_t>(1, buffer_bytes / std::max<hsize_t>(1, row_bytes));
  std::vector<std::byte> values(static_cast<std::size_t>(std::min(most_rows, extents.front()) * row_bytes));
  std::vector<hsize_t> start(extents.size(), 0), count = extents;
  for (; start.front() < extents.front() && row_bytes > 0; start.front() += count.front()) {
    count.front() = std::min(most_rows, extents.front() - start.front());
    const Handle memory(H5Screate_simple(rank, count.data(), nullptr), H5Sclose, problem);
    for (const hid_t each : {space.id(), fixed.id()})
      check_hdf5(H5Sselect_hyperslab(each, H5S_SELECT_SET, start.data(), nullptr, count.data(), nullptr), problem);
    check_hdf5(H5Dread(old.id(), type.id(), memory.id(), space.id(), H5P_DEFAULT, values.data()), problem);
    const herr_t status = H5Dwrite(copy.id(), type.id(), memory.id(), fixed.id(), H5P_DEFAULT, values.data());
    H5Dvlen_reclaim(type.id(), memory.id(), H5P_DEFAULT, values.data());
    check_hdf5(status, problem);
  }
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
        check_hdf5(H5Ocopy(source, path, to, path, H5P_DEFAULT, H5P_DEFAULT), problem_with(copy.path));
        break;
      case ObjectCopy::Kind::numbers:
        copy_numbers(source, to, copy.path);
        break;
    }
  }
}

}  // namespace sheaf
