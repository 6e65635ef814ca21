// SPDX-License-Identifier: MIT
#include "files/hdf5/number_meaning.hpp"

#include <fmt/format.h>
#include <hdf5.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <string_view>

#include "core/error.hpp"
#include "core/quoted.hpp"
#include "files/hdf5/handle.hpp"
#include "files/hdf5/text_values.hpp"

namespace sheaf {
namespace {

// Attributes with more numbers than this have another meaning.
constexpr hssize_t max_numbers = 1024;

// The numbers of an attribute; none if there is no such attribute, or it contains no numbers.
std::vector<double> numbers_of(hid_t data_set, const char* name, const std::string& description) {
  if (H5Aexists(data_set, name) <= 0) return {};
  const std::string problem = fmt::format("HDF5 cannot read the attribute '{}' of {}", name, description);
  const Handle attribute(H5Aopen(data_set, name, H5P_DEFAULT), H5Aclose, problem);
  const Handle type(H5Aget_type(attribute.id()), H5Tclose, problem);
  const Handle space(H5Aget_space(attribute.id()), H5Sclose, problem);
  const H5T_class_t kind = H5Tget_class(type.id());
  const hssize_t count = H5Sget_simple_extent_npoints(space.id());
  if ((kind != H5T_INTEGER && kind != H5T_FLOAT) || count < 1 || count > max_numbers) return {};
  std::vector<double> numbers(static_cast<std::size_t>(count));
  check_hdf5(H5Aread(attribute.id(), H5T_NATIVE_DOUBLE, numbers.data()), problem);
  return numbers;
}

// The class of a MATLAB array; empty if MATLAB has not written it.
std::string matlab_class(hid_t data_set, const std::string& description) {
  constexpr const char* name = "MATLAB_class";
  if (H5Aexists(data_set, name) <= 0) return "";
  const std::string problem = fmt::format("HDF5 cannot read the attribute '{}' of {}", name, description);
  const Handle attribute(H5Aopen(data_set, name, H5P_DEFAULT), H5Aclose, problem);
  const Handle type(H5Aget_type(attribute.id()), H5Tclose, problem);
  const Handle space(H5Aget_space(attribute.id()), H5Sclose, problem);
  if (H5Tget_class(type.id()) != H5T_STRING || H5Sget_simple_extent_npoints(space.id()) != 1) return "";
  return read_texts(type.id(), space.id(), 1,
                    [&](void* text) { check_hdf5(H5Aread(attribute.id(), type.id(), text), problem); })
      .front();
}

void require_numbers_of_matlab(hid_t data_set, const std::string& description) {
  constexpr std::array<std::string_view, 11> classes = {"double", "single", "int8",  "uint8",  "int16",  "uint16",
                                                        "int32",  "uint32", "int64", "uint64", "logical"};
  const std::string found = matlab_class(data_set, description);
  require(found.empty() || std::find(classes.begin(), classes.end(), found) != classes.end(), [&] {
    return fmt::format(
        "The {} is a MATLAB array of class {}, not of numbers (its elements are codes). In MATLAB, number the labels: "
        "targets = findgroups(cellstr(labels)) - 1; then save them with the option '-v7.3'.",
        description, quoted(found));
  });
}

void require_unpacked(hid_t data_set, const std::string& description) {
  struct Packing {
    const char* name;
    double neutral;
  };
  for (const auto& [name, neutral] : {Packing{"scale_factor", 1}, Packing{"add_offset", 0}})
    for (const double number : numbers_of(data_set, name, description))
      require(number == neutral, [&, name = name] {
        return fmt::format(
            "The {} is packed (its attribute {} is {}, so other numbers are meant than those that are stored). Read it "
            "with xarray.open_dataset() and store the decoded .values with h5py, or remove the attribute.",
            description, name, number);
      });
}

}  // namespace

void require_plain_values(hid_t data_set, const std::string& description) {
  require_numbers_of_matlab(data_set, description);
  require_unpacked(data_set, description);
}

std::vector<FillValue> fill_values(hid_t data_set, const std::string& description) {
  std::vector<FillValue> found;
  for (const char* name : {"_FillValue", "missing_value"})
    for (const double number : numbers_of(data_set, name, description))
      if (!std::isnan(number)) found.push_back({name, number});
  return found;
}

}  // namespace sheaf
