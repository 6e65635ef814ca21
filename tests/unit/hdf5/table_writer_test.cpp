// SPDX-License-Identifier: MIT
#include "hdf5/table_writer.hpp"

#include "core/error.hpp"
#include "hdf5/file.hpp"
#include "support/catch.hpp"

using namespace sheaf;

TEST_CASE("arrays read back as written, and a file of the same name is replaced") {
  for (const double first : {1.0, 7.0}) {
    Hdf5Writer writer("array.h5");
    writer.write_array("group/array", 2, 2, {first, 2, 3, 4.5});
    writer.close();
    const InputFile file("array.h5");
    const DataSetReader reader = file.data_set("group/array");
    CHECK(reader.info().shape == std::vector<std::int64_t>{2, 2});
    std::vector<double> values(4);
    reader.read_rows({0, 2}, values.data(), Transfer::independent);
    CHECK(values == std::vector<double>{first, 2, 3, 4.5});
  }
}

TEST_CASE("a file that cannot be made is an error with its name and the reason") {
  CHECK_THROWS_WITH(Hdf5Writer("nowhere/file.h5"),
                    "HDF5 file 'nowhere/file.h5' cannot be written (No such file or directory).");
}

TEST_CASE("two data sets of one name are an error") {
  Hdf5Writer writer("twice.h5");
  writer.write_array("array", 1, 1, {0});
  CHECK_THROWS_AS(writer.write_array("array", 1, 1, {0}), RunError);
}

TEST_CASE("a full disk is an error when the file is closed") {
  Hdf5Writer writer("/dev/full");
  writer.write_attribute("name", std::string("value"));
  CHECK_THROWS_WITH(writer.close(), "HDF5 file '/dev/full' cannot be written (No space left on device).");
}
