// SPDX-License-Identifier: MIT
#include "files/hdf5/data_files.hpp"

#include <filesystem>
#include <fstream>

#include "core/error.hpp"
#include "files/hdf5/file.hpp"
#include "files/hdf5/links.hpp"
#include "files/hdf5/object_identity.hpp"
#include "files/hdf5/steady_file.hpp"
#include "files/hdf5/stored_rows.hpp"
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

// Creates a file whose '/x' is an external link to '/x' of `target`.
void link_to(const std::string& path, const std::string& target) {
  const hid_t file = good(H5Fcreate(path.c_str(), H5F_ACC_TRUNC, H5P_DEFAULT, H5P_DEFAULT));
  good(H5Lcreate_external(target.c_str(), "/x", file, "/x", H5P_DEFAULT, H5P_DEFAULT));
  H5Fclose(file);
}

// Creates a file whose '/x' is a virtual data set with the source '/x' of `target`: all of it, or the first rows of a
// source with the shape `selected_from`.
void map_to(const std::string& path, const std::string& target, const std::vector<hsize_t>& shape,
            const std::vector<hsize_t>& selected_from = {}) {
  const auto rank = static_cast<int>(shape.size());
  const auto& source_shape = selected_from.empty() ? shape : selected_from;
  const hid_t file = good(H5Fcreate(path.c_str(), H5F_ACC_TRUNC, H5P_DEFAULT, H5P_DEFAULT));
  const hid_t space = good(H5Screate_simple(rank, shape.data(), nullptr));
  const hid_t source = good(H5Screate_simple(rank, source_shape.data(), nullptr));
  const std::vector<hsize_t> first(shape.size());
  if (!selected_from.empty())
    good(H5Sselect_hyperslab(source, H5S_SELECT_SET, first.data(), nullptr, shape.data(), nullptr));
  const hid_t creation = good(H5Pcreate(H5P_DATASET_CREATE));
  good(H5Pset_virtual(creation, space, target.c_str(), "/x", source));
  H5Dclose(good(H5Dcreate2(file, "/x", H5T_IEEE_F32LE, space, H5P_DEFAULT, creation, H5P_DEFAULT)));
  H5Pclose(creation);
  H5Sclose(source);
  H5Sclose(space);
  H5Fclose(file);
}

std::vector<std::string> files_of(const std::string& path) {
  const std::vector<std::string> files = InputFile(path).data_set("/x").info().files;
  std::vector<std::string> names;
  for (const auto& file : files) names.push_back(std::filesystem::path(file).filename());
  return names;
}

}  // namespace

TEST_CASE("source_name inserts the number into a name pattern") {
  CHECK(source_name("part%b.h5", 12) == "part12.h5");
  CHECK(source_name("%b%%b%", 3) == "3%b%");
  CHECK(source_name("part.h5", 3) == "part.h5");
}

TEST_CASE("sources are searched for in the same paths as HDF5 does") {
  std::filesystem::create_directories("real");
  std::ofstream("real/v.h5");
  std::filesystem::remove("v.h5");
  std::filesystem::create_symlink("real/v.h5", "v.h5");
  const std::string here = std::filesystem::current_path().string();
  CHECK(searched_paths("s.h5", "v.h5", {}) == std::vector<std::string>{here + "/s.h5", "s.h5", here + "/real/s.h5"});
  CHECK(searched_paths("/far/s.h5", here + "/real/v.h5", split_prefixes("a::b")) ==
        std::vector<std::string>{"/far/s.h5", "a/s.h5", "b/s.h5", here + "/real/s.h5", "s.h5", here + "/real/s.h5"});
}

TEST_CASE("${ORIGIN} is the directory of the referring file") {
  const std::string here = std::filesystem::current_path().string();
  CHECK(with_origin("${ORIGIN}/parts", "v.h5") == here + "//parts");
  CHECK(with_origin("${ORIGIN}parts", "real/v.h5") == here + "/real/parts");
  CHECK(with_origin("a/${ORIGIN}", "v.h5") == "a/${ORIGIN}");
  CHECK(split_prefixes("${ORIGIN}/a:b") == std::vector<std::string>{"${ORIGIN}/a", "b"});
  CHECK(split_prefixes(nullptr).empty());
}

TEST_CASE("the files of a data set include those behind external links and virtual data sets") {
  FixtureFile("end.h5").numbers("/x", {40}, counting(40));
  CHECK(files_of("end.h5") == std::vector<std::string>{"end.h5"});
  link_to("link.h5", "end.h5");
  CHECK(files_of("link.h5") == std::vector<std::string>{"end.h5"});
  map_to("inner.h5", "link.h5", {40});
  map_to("outer.h5", "inner.h5", {40});
  CHECK(files_of("outer.h5") == std::vector<std::string>{"outer.h5", "inner.h5", "end.h5"});
  map_to("self.h5", "other.h5", {40});
  map_to("other.h5", "self.h5", {40});
  CHECK_THROWS_WITH(files_of("self.h5"), ContainsSubstring("is virtual and is its own source."));
}

TEST_CASE("a source with another number of dimensions than the mapped region is an error") {
  FixtureFile("flat.h5").numbers("/x", {60}, counting(60));
  map_to("square.h5", "flat.h5", {2, 20}, {3, 20});
  CHECK_THROWS_WITH(files_of("square.h5"),
                    "The data set '/x' of 'square.h5' is virtual, and its source '/x' of 'flat.h5' has a different "
                    "number of dimensions than the mapped region. Restore the source; HDF5 would read fill values or "
                    "wrong rows.");
}

TEST_CASE("a linked data set is checked against the size of the file that contains it") {
  FixtureFile("large.h5").numbers("/x", {1 << 20}, counting(1 << 20), {H5T_IEEE_F32LE, {1 << 16}});
  link_to("small.h5", "large.h5");
  CHECK(InputFile("small.h5").data_set("/x").info().rows() == 1 << 20);
}

TEST_CASE("a source that changes during reading is an error") {
  FixtureFile("changing.h5").numbers("/x", {40}, counting(40));
  map_to("virtual.h5", "changing.h5", {40});
  link_to("linked.h5", "changing.h5");
  for (const std::string path : {"virtual.h5", "linked.h5"}) {
    const StoredRows stored(path, "/x");
    stored.require_unchanged();
    std::filesystem::last_write_time("changing.h5", std::filesystem::file_time_type::clock::now());
    CHECK_THROWS_WITH(stored.require_unchanged(), ContainsSubstring("changing.h5' was changed while it was read."));
  }
}

TEST_CASE("the file that HDF5 has open is read even if another file replaces it") {
  FixtureFile("opened.h5").numbers("/x", {40}, counting(40));
  FixtureFile("another.h5").numbers("/x", {40}, std::vector<double>(40, 7));
  const InputFile input("opened.h5");
  const DataSetReader reader = input.data_set("/x");
  const ObjectIdentity identity = identity_of(reader.id());
  std::filesystem::rename("another.h5", "opened.h5");
  CHECK(identity_of(reader.id()) == identity);
  const SteadyFile file("opened.h5", descriptor_of(reader.id()));
  std::vector<float> values(40);
  file.read(reinterpret_cast<std::byte*>(values.data()), 40 * sizeof(float),
            static_cast<std::int64_t>(H5Dget_offset(reader.id())));
  CHECK(std::vector<double>(values.begin(), values.end()) == counting(40));
  file.require_unchanged();
}

TEST_CASE("unfiltered partial chunks at the edge are read correctly") {
  const std::vector<hsize_t> shape{10, 7}, chunk{4, 7};
  const auto values = counting(70);
  {
    const hid_t file = good(H5Fcreate("edge.h5", H5F_ACC_TRUNC, H5P_DEFAULT, H5P_DEFAULT));
    const hid_t creation = good(H5Pcreate(H5P_DATASET_CREATE));
    H5Pset_chunk(creation, 2, chunk.data());
    H5Pset_shuffle(creation);
    good(H5Pset_chunk_opts(creation, H5D_CHUNK_DONT_FILTER_PARTIAL_CHUNKS));
    const hid_t space = good(H5Screate_simple(2, shape.data(), nullptr));
    const hid_t data_set = good(H5Dcreate2(file, "/x", H5T_IEEE_F32LE, space, H5P_DEFAULT, creation, H5P_DEFAULT));
    good(H5Dwrite(data_set, H5T_NATIVE_DOUBLE, H5S_ALL, H5S_ALL, H5P_DEFAULT, values.data()));
    H5Dclose(data_set);
    H5Sclose(space);
    H5Pclose(creation);
    H5Fclose(file);
  }
  const StoredRows stored("edge.h5", "/x");
  RowBuffers buffers;
  std::vector<double> read(70);
  stored.read({0, 10}, read.data(), buffers);
  CHECK(read == values);
}
