// SPDX-License-Identifier: MIT
#include "files/hdf5/file_format.hpp"

#include <filesystem>
#include <fstream>

#include "core/error.hpp"
#include "files/hdf5/file.hpp"
#include "support/hdf5_fixture.hpp"

#include "support/catch.hpp"

using namespace sheaf;
using namespace sheaf::test;

namespace {

FileFormat content_of_bytes(const std::string& bytes) {
  std::ofstream("bytes", std::ios::binary) << bytes;
  return format_of_content("bytes");
}

const std::string signature = "\x89HDF\r\n\x1a\n";

}  // namespace

TEST_CASE("HDF5 files are recognized by their signature, also behind a user block") {
  FixtureFile("numbers").numbers("/x", {1}, {1});
  CHECK(format_of_content("numbers") == FileFormat::hdf5);
  CHECK(content_of_bytes(signature) == FileFormat::hdf5);
  for (const std::size_t block : {512, 1024, 4096})
    CHECK(content_of_bytes(std::string(block, 'x') + signature) == FileFormat::hdf5);
  for (const std::size_t block : {1, 256, 768})
    CHECK(content_of_bytes(std::string(block, 'x') + signature) == FileFormat::other);
  CHECK(content_of_bytes("MATLAB 7.3 MAT-file" + std::string(493, ' ') + signature) == FileFormat::hdf5);
}

TEST_CASE("other formats with the same endings are named") {
  CHECK(content_of_bytes("MATLAB 5.0 MAT-file, Platform: PCWIN64") == FileFormat::matlab5);
  for (const char version : {'\1', '\2', '\5'})
    CHECK(content_of_bytes(std::string("CDF") + version + "xyz") == FileFormat::netcdf3);
  CHECK(content_of_bytes("\x0e\x03\x13\x01") == FileFormat::hdf4);
  CHECK(content_of_bytes("CDF,a,b") == FileFormat::other);
  CHECK(content_of_bytes("") == FileFormat::other);
  CHECK(format_of_content("missing") == FileFormat::other);
  CHECK(format_of_content(".") == FileFormat::other);
  content_of_bytes("CDF\x01");
  CHECK_THROWS_WITH(InputFile("bytes"),
                    "'bytes' is not an HDF5 file (it is a netCDF-3 file). Convert it to netCDF-4 "
                    "with nccopy -k nc4.");
}
