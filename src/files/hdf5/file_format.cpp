// SPDX-License-Identifier: MIT
#include "files/hdf5/file_format.hpp"

#include <unistd.h>

#include <algorithm>
#include <array>
#include <cstdint>
#include <string_view>

#include "files/regular_file.hpp"

namespace sheaf {
namespace {

using namespace std::string_view_literals;

constexpr std::string_view hdf5_signature = "\x89HDF\r\n\x1a\n"sv;

std::string_view bytes_at(int descriptor, std::int64_t offset, std::array<char, 32>& memory) {
  const ssize_t count = ::pread(descriptor, memory.data(), memory.size(), static_cast<off_t>(offset));
  return {memory.data(), static_cast<std::size_t>(std::max<ssize_t>(0, count))};
}

bool begins_with(std::string_view text, std::string_view beginning) {
  return text.substr(0, beginning.size()) == beginning;
}

}  // namespace

FileFormat format_of_content(const std::string& path) {
  constexpr std::int64_t first_user_block = 512;
  struct stat status {};
  const int descriptor = open_regular_file(path, status);
  if (descriptor < 0) return FileFormat::other;
  std::array<char, 32> memory{};
  const std::string_view beginning = bytes_at(descriptor, 0, memory);
  FileFormat content = FileFormat::other;
  if (begins_with(beginning, "\x0e\x03\x13\x01"sv)) content = FileFormat::hdf4;
  if (begins_with(beginning, "MATLAB 5.0 MAT-file"sv)) content = FileFormat::matlab5;
  for (const auto version : {"CDF\x01"sv, "CDF\x02"sv, "CDF\x05"sv})
    if (begins_with(beginning, version)) content = FileFormat::netcdf3;
  for (std::int64_t offset = 0; offset < status.st_size; offset = std::max(first_user_block, 2 * offset))
    if (begins_with(bytes_at(descriptor, offset, memory), hdf5_signature)) {
      content = FileFormat::hdf5;
      break;
    }
  ::close(descriptor);
  return content;
}

std::string foreign_format(FileFormat content) {
  switch (content) {
    case FileFormat::hdf4:
      return " (it is an HDF4 file). Convert it with h4toh5.";
    case FileFormat::matlab5:
      return " (it is a MAT-file of a version before 7.3). Save it again in MATLAB with the option '-v7.3' of save, or "
             "read it with scipy.io.loadmat and store it with h5py.";
    case FileFormat::netcdf3:
      return " (it is a netCDF-3 file). Convert it to netCDF-4 with nccopy -k nc4.";
    case FileFormat::hdf5:
    case FileFormat::other:
      break;
  }
  return "";
}

}  // namespace sheaf
