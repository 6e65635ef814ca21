// SPDX-License-Identifier: MIT
#include "files/hdf5/listing.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstdint>

#include "core/text.hpp"
#include "files/hdf5/object_identity.hpp"

namespace sheaf {
namespace {

// Calls note(name, type) for each object of the file, in the order of the names.
template <class Note>
void visit_objects(hid_t file, Note& note) {
#if H5_VERSION_GE(1, 12, 0)
  const auto visit = [](hid_t, const char* name, const H5O_info2_t* info, void* data) -> herr_t {
    (*static_cast<Note*>(data))(name, info->type);
    return 0;
  };
  H5Ovisit3(file, H5_INDEX_NAME, H5_ITER_INC, visit, &note, H5O_INFO_BASIC);
#else
  const auto visit = [](hid_t, const char* name, const H5O_info_t* info, void* data) -> herr_t {
    (*static_cast<Note*>(data))(name, info->type);
    return 0;
  };
  H5Ovisit2(file, H5_INDEX_NAME, H5_ITER_INC, visit, &note, H5O_INFO_BASIC);  // without reading how data are stored
#endif
}

std::vector<std::string> names_of(hid_t file, H5O_type_t wanted) {
  std::vector<std::string> names;
  auto note = [&](const char* name, H5O_type_t type) {
    if (type == wanted) names.push_back(std::string("/") + name);
  };
  visit_objects(file, note);
  return names;
}

// How useful a data set may be: lower is better.
struct Usefulness {
  int kind = 0;               // 0: rows of numbers, or not readable; 1: texts; 2: tables; 3: others
  std::int64_t elements = 0;  // more are better
};

Usefulness usefulness_of(hid_t file, const std::string& name) {
  if (name.find("/_i_") != name.npos) return {3, 0};
  const hid_t data_set = H5Dopen2(file, name.c_str(), H5P_DEFAULT);
  if (data_set < 0) return {};
  Usefulness found{3, 0};
  const hid_t type = H5Dget_type(data_set), space = H5Dget_space(data_set);
  const H5T_class_t kind = H5Tget_class(type);
  const std::vector<hsize_t> extents = extents_of(space);
  found.elements = std::max<std::int64_t>(0, H5Sget_simple_extent_npoints(space));
  if (!extents.empty() && found.elements > 0)
    found.kind = kind == H5T_INTEGER || kind == H5T_FLOAT || kind == H5T_ENUM ? 0
                 : kind == H5T_STRING                                         ? 1
                 : kind == H5T_COMPOUND                                       ? 2
                                                                              : 3;
  H5Sclose(space);
  H5Tclose(type);
  H5Dclose(data_set);
  return found;
}

}  // namespace

std::vector<std::string> list_data_sets(hid_t file) {
  auto names = names_of(file, H5O_TYPE_DATASET);
  for (auto& name : names) name = printable(name);
  return names;
}

std::string contents_text(hid_t file) {
  constexpr std::size_t max_shown = 10, max_inspected = 1000;
  auto names = names_of(file, H5O_TYPE_DATASET);
  if (names.empty()) return "it has no data sets";
  std::vector<std::pair<Usefulness, std::string>> ranked;
  for (std::size_t number = 0; number < names.size(); ++number)
    ranked.emplace_back(number < max_inspected ? usefulness_of(file, names[number]) : Usefulness{3, 0}, names[number]);
  const bool by_size = names.size() > max_shown;
  std::stable_sort(ranked.begin(), ranked.end(), [by_size](const auto& one, const auto& other) {
    const Usefulness &a = one.first, &b = other.first;
    return a.kind != b.kind ? a.kind < b.kind : by_size && a.elements > b.elements;
  });
  for (std::size_t number = 0; number < names.size(); ++number)
    names[number] = fmt::format("'{}'", printable(ranked[number].second));
  return "it has " + listed(names, max_shown);
}

std::optional<std::string> find_pandas_object(hid_t file) {
  for (const auto& name : names_of(file, H5O_TYPE_GROUP))
    if (H5Aexists_by_name(file, name.c_str(), "pandas_type", H5P_DEFAULT) > 0) return name;
  return std::nullopt;
}

}  // namespace sheaf
