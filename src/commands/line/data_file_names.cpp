// SPDX-License-Identifier: MIT
#include "commands/line/data_file_names.hpp"

#include <algorithm>
#include <filesystem>
#include <initializer_list>

#include "core/text.hpp"
#include "files/hdf5/file_format.hpp"

namespace sheaf {
namespace {

bool has_ending(const std::string& path, std::initializer_list<const char*> endings) {
  const std::string ending = lower_case(std::filesystem::path(path).extension().string());
  return std::find(endings.begin(), endings.end(), ending) != endings.end();
}

}  // namespace

bool has_hdf5_ending(const std::string& path) {
  return has_ending(path, {".h5", ".hdf5", ".hdf", ".he5"});
}

bool is_data_file(const std::string& path) {
  return has_hdf5_ending(path) || has_ending(path, {".mat", ".nc", ".nc4"}) ||
         format_of_content(path) != FileFormat::other;
}

}  // namespace sheaf
