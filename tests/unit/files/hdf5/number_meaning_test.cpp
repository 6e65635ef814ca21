// SPDX-License-Identifier: MIT
#include "files/hdf5/number_meaning.hpp"

#include <cmath>

#include "core/error.hpp"
#include "files/hdf5/stored_rows.hpp"
#include "support/hdf5_fixture.hpp"

#include "support/catch.hpp"

using namespace sheaf;
using namespace sheaf::test;

namespace {

// A file with /x [3, 2] and an attribute of it.
template <class Value>
void write(const std::string& name, const Value& value, const StoredAs& stored = {}) {
  FixtureFile file("meaning.h5");
  file.numbers("/x", {3, 2}, {1, 2, 3, 200, 5, 6}, stored);
  file.attribute("/x", name, value);
}

DataSetInfo opened() {
  return InputFile("meaning.h5").data_set("/x", Values::numbers_or_texts).info();
}

template <class T>
void read(IndexRange rows) {
  const StoredRows stored("meaning.h5", "/x");
  std::vector<T> values(static_cast<std::size_t>(rows.count() * 2));
  RowBuffers buffers;
  stored.read(rows, values.data(), buffers);
}

}  // namespace

TEST_CASE("packed numbers are refused, and attributes that change nothing are accepted") {
  write("scale_factor", std::vector<double>{0.01});
  CHECK_THROWS_WITH(opened(), StartsWith("The data set '/x' of 'meaning.h5' is packed (its attribute scale_factor is "
                                         "0.01, so other numbers are meant than those that are stored)."));
  write("add_offset", std::vector<double>{0, -5});
  CHECK_THROWS_WITH(opened(), ContainsSubstring("(its attribute add_offset is -5,"));
  for (const char* name : {"scale_factor", "_FillValue", "missing_value"}) {
    write(name, std::string("a text"));
    CHECK(opened().fill_values.empty());
  }
  write("scale_factor", std::vector<double>{1});
  CHECK(opened().rows() == 3);
  write("add_offset", std::vector<double>{0});
  CHECK(opened().rows() == 3);
}

TEST_CASE("rows with a fill value are refused with its place, and other rows are read") {
  const std::vector<StoredAs> forms = {{H5T_IEEE_F32LE}, {H5T_IEEE_F32LE, {2, 2}, true}, {H5T_STD_U8LE}};
  for (const StoredAs& stored : forms) {
    write("_FillValue", std::vector<double>{200}, stored);
    const std::string problem =
        "The data set '/x' of 'meaning.h5' contains 200 in row 1, column 1, which stands for a missing value "
        "(attribute _FillValue). Read it with xarray.open_dataset() and store the decoded .values with h5py, or remove "
        "the attribute.";
    CHECK_THROWS_WITH(read<float>({0, 3}), problem);
    CHECK_THROWS_WITH(read<double>({1, 2}), problem);
    CHECK_NOTHROW(read<float>({2, 3}));
    const StoredRows rows("meaning.h5", "/x");
    AlignedVector<float> memory;
    RowBuffers buffers;
    CHECK_THROWS_WITH(rows.view({0, 3}, memory, buffers), problem);
  }
  write("missing_value", std::vector<double>{std::nan(""), 7});
  CHECK(opened().fill_values.size() == 1);
  CHECK_NOTHROW(read<float>({0, 3}));
}

TEST_CASE("fill values of float are found whatever their last digits") {
  {
    FixtureFile file("meaning.h5");
    file.numbers("/x", {1, 2}, {9.969209968386869e36, 0.1});
    file.attribute("/x", "_FillValue", std::vector<double>{0.1});
  }
  CHECK_THROWS_WITH(read<float>({0, 1}), ContainsSubstring("row 0, column 1"));
}

TEST_CASE("texts of MATLAB are refused, and its numbers are read") {
  for (const char* kind : {"char", "cell", "categorical"}) {
    write("MATLAB_class", std::string(kind), {H5T_STD_U16LE});
    CHECK_THROWS_WITH(opened(), StartsWith("The data set '/x' of 'meaning.h5' is a MATLAB array of class '" +
                                           std::string(kind) + "', not of numbers"));
  }
  for (const char* kind : {"double", "logical", "int64"}) {
    write("MATLAB_class", std::string(kind), {H5T_STD_U16LE});
    CHECK(opened().rows() == 3);
  }
}
