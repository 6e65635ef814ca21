// SPDX-License-Identifier: MIT
#include "files/hdf5/file.hpp"

#include <fcntl.h>
#include <sys/file.h>
#include <unistd.h>

#include <cmath>
#include <filesystem>
#include <fstream>

#include "core/error.hpp"
#include "support/hdf5_fixture.hpp"

#include "support/catch.hpp"

using namespace sheaf;
using namespace sheaf::test;

namespace {

std::vector<double> counting(std::size_t count) {
  std::vector<double> values(count);
  for (std::size_t i = 0; i < count; ++i) values[i] = static_cast<double>(i % 120);
  return values;
}

template <class T>
std::vector<T> read(const DataSetReader& reader, IndexRange rows) {
  std::vector<T> values(static_cast<std::size_t>(rows.count() * reader.info().row_elements()));
  reader.read_rows(rows, values.data());
  return values;
}

std::string error_of(const std::string& path, const std::string& name = "/x") {
  try {
    InputFile(path).data_set(name);
  } catch (const RunError& error) {
    return error.what();
  }
  return "no error";
}

}  // namespace

TEST_CASE("numbers of every type and layout are read as float, double and int64") {
  const std::vector<hid_t> types = {H5T_STD_U8LE,   H5T_STD_I16LE,  H5T_STD_I64BE, H5T_STD_U64LE,
                                    H5T_IEEE_F32LE, H5T_IEEE_F64BE, H5T_IEEE_F64LE};
  const auto values = counting(70);
  for (const hid_t type : types) {
    for (const bool chunked : {false, true}) {
      StoredAs stored{type};
      if (chunked) stored = {type, {4, 3}, true, true};
      FixtureFile("numbers.h5").numbers("/x", {10, 7}, values, stored);
      const InputFile file("numbers.h5");
      const DataSetReader reader = file.data_set("/x");
      CHECK(reader.info().shape == std::vector<std::int64_t>{10, 7});
      CHECK(reader.info().row_elements() == 7);
      CHECK(reader.info().chunk_rows == (chunked ? 4 : 1));
      CHECK(reader.info().element_bytes == H5Tget_size(type));
      CHECK((reader.info().number_class == NumberClass::real) == (H5Tget_class(type) == H5T_FLOAT));
      CHECK(read<double>(reader, {0, 10}) == values);
      CHECK(read<float>(reader, {3, 9}) == std::vector<float>(values.begin() + 21, values.begin() + 63));
      CHECK(read<std::int64_t>(reader, {9, 10}) == std::vector<std::int64_t>(values.begin() + 63, values.end()));
      CHECK(read<double>(reader, {5, 5}).empty());
    }
  }
}

TEST_CASE("numbers out of float's range are read as infinity") {
  FixtureFile("huge.h5").numbers("/x", {2}, {1e300, -1e300}, {H5T_IEEE_F64LE});
  const InputFile file("huge.h5");
  CHECK(read<float>(file.data_set("x"), {0, 2}) == std::vector<float>{INFINITY, -INFINITY});
}

TEST_CASE("h5py's booleans are read as integers") {
  FixtureFile("booleans.h5").booleans("/x", {1, 0, 1});
  const InputFile file("booleans.h5");
  const DataSetReader reader = file.data_set("/x");
  CHECK(reader.info().number_class == NumberClass::integer);
  CHECK(read<std::int64_t>(reader, {0, 3}) == std::vector<std::int64_t>{1, 0, 1});
  CHECK(read<float>(reader, {0, 3}) == std::vector<float>{1, 0, 1});
}

TEST_CASE("a chunk larger than HDF5's default cache is read correctly row by row") {
  const auto values = counting(std::size_t{1} << 19);  // 4 MiB of double
  FixtureFile("large.h5").numbers("/x", {512, 1024}, values, {H5T_IEEE_F64LE, {512, 1024}, true});
  const InputFile file("large.h5");
  const DataSetReader reader = file.data_set("/x");
  for (std::int64_t row = 0; row < 512; ++row)
    CHECK(read<double>(reader, {row, row + 1}) ==
          std::vector<double>(values.begin() + row * 1024, values.begin() + (row + 1) * 1024));
}

TEST_CASE("a file that is not an HDF5 file is refused with its name and the reason") {
  std::ofstream("empty.h5");
  std::ofstream("text.h5") << "features, targets\n1, 2\n";
  std::filesystem::create_directories("directory.h5");
  const std::string here = std::filesystem::current_path().string();
  CHECK(error_of("missing.h5") ==
        "File 'missing.h5' does not exist (the working directory is '" + here + "'). Check its name.");
  CHECK(error_of("text.h5/x") == "File 'text.h5/x' cannot be read (Not a directory).");
  CHECK(error_of("directory.h5") == "'directory.h5' is a directory, not an HDF5 file. Specify a file in it.");
  CHECK(error_of("/dev/null") == "'/dev/null' is not an HDF5 file (it is a device). Specify one.");
  CHECK(error_of("empty.h5") == "'empty.h5' is not an HDF5 file (it is empty). Convert it to HDF5 first.");
  CHECK(error_of("text.h5") == "'text.h5' is not an HDF5 file (it has no HDF5 signature). Convert it to HDF5 first.");
  if (geteuid() != 0) {  // root can read any file
    FixtureFile("secret.h5").numbers("/x", {1}, {1});
    std::filesystem::permissions("secret.h5", std::filesystem::perms::none);
    CHECK(error_of("secret.h5") == "File 'secret.h5' cannot be read (Permission denied).");
    std::filesystem::permissions("secret.h5", std::filesystem::perms::owner_all);
  }
}

TEST_CASE("a file that is locked for writing is refused") {
  FixtureFile("locked.h5").numbers("/x", {1}, {1});
  const int writer = ::open("locked.h5", O_RDWR);
  REQUIRE(::flock(writer, LOCK_EX) == 0);
  CHECK(error_of("locked.h5") == "HDF5 cannot open file 'locked.h5' (another program has it open for writing).");
  ::close(writer);
  CHECK(error_of("locked.h5") == "no error");
}

TEST_CASE("a truncated file is refused") {
  FixtureFile("truncated.h5").numbers("/x", {1000}, counting(1000));
  std::filesystem::resize_file("truncated.h5", 3000);
  CHECK_THAT(error_of("truncated.h5"), ContainsSubstring("'truncated.h5' (truncated file: eof = 3000"));
}

TEST_CASE("an object that is not a data set of numbers is refused with its name and the reason") {
  {
    FixtureFile file("sets.h5");
    file.numbers("/features", {2, 2}, {1, 2, 3, 4});
    file.numbers("/group/targets", {2}, {1, 2});
    file.numbers("/scalar", {}, {1});
    file.text("/text", 2);
    file.table("/table", 2);
  }
  CHECK(error_of("sets.h5", "/featuers") ==
        "File 'sets.h5' has no data set '/featuers' (it has '/features', '/group/targets', '/text', '/table' "
        "and '/scalar'). Did you mean '/features'?");
  CHECK(error_of("sets.h5", "targets/deeper/still") ==
        "File 'sets.h5' has no data set '/targets/deeper/still' (it has '/features', '/group/targets', '/text', "
        "'/table' and '/scalar').");
  CHECK(error_of("sets.h5", "/group") ==
        "File 'sets.h5' has a group '/group', not a data set of this name (it has '/features', '/group/targets', "
        "'/text', '/table' and '/scalar'). Specify a data set.");
  CHECK(error_of("sets.h5", "/text") ==
        "The data set '/text' of 'sets.h5' contains text, not numbers. Store integers or floating-point numbers.");
  CHECK(error_of("sets.h5", "table") ==
        "The data set '/table' of 'sets.h5' contains compound values (a table), not numbers. Store its columns as "
        "one array: numpy.lib.recfunctions.structured_to_unstructured(table).");
  CHECK(error_of("sets.h5", "/scalar") ==
        "The data set '/scalar' of 'sets.h5' is a single value, not rows of numbers.");
}

TEST_CASE("elements of a type that has no name here are refused too") {
  FixtureFile("times.h5").unwritten("/x", {2}, {2}, H5T_UNIX_D32LE);
  CHECK(error_of("times.h5") ==
        "The data set '/x' of 'times.h5' contains elements of another type, not numbers. Store integers or "
        "floating-point numbers.");
}

TEST_CASE("a shape with too many numbers for the file is refused") {
  constexpr hsize_t huge = hsize_t{1} << 62;
  for (const auto& shape : {std::vector<hsize_t>{4, huge}, {huge, 4}, {0, huge, 16}, {huge}}) {
    FixtureFile("huge.h5").unwritten("/x", shape, std::vector<hsize_t>(shape.size(), 1));
    CHECK_THAT(error_of("huge.h5"), StartsWith("The data set '/x' of 'huge.h5' has too many numbers (its shape is ["));
  }
  FixtureFile("huge.h5").unwritten("/x", {huge >> 8}, {1 << 20});
  CHECK(error_of("huge.h5") ==
        "The data set '/x' of 'huge.h5' has 18014398509481984 numbers, but its file is much too small for them (it "
        "is damaged, or they were never written). Recreate the file.");
  FixtureFile("huge.h5").unwritten("/x", {50, 1000}, {10, 1000});
  CHECK(error_of("huge.h5") == "no error");
}

TEST_CASE("a damaged chunk is an error that names the rows") {
  FixtureFile("spoiled.h5").numbers("/x", {40}, counting(40), {H5T_IEEE_F64LE, {10}, true, true});
  spoil_chunk("spoiled.h5", "/x", 2);
  const InputFile file("spoiled.h5");
  const DataSetReader reader = file.data_set("/x");
  CHECK(read<double>(reader, {0, 20}).size() == 20);
  CHECK_THROWS_WITH(read<double>(reader, {20, 30}),
                    StartsWith("Rows 20 to 29 of data set '/x' of 'spoiled.h5' cannot be read ("));
}
