// SPDX-License-Identifier: MIT
#include "files/hdf5/links.hpp"

#include <fmt/format.h>
#include <sys/stat.h>

#include <cstddef>
#include <cstdlib>
#include <filesystem>
#include <sstream>
#include <string_view>

#include "core/text.hpp"
#include "files/hdf5/handle.hpp"
#include "files/hdf5/object_identity.hpp"
#include "files/regular_file.hpp"

namespace sheaf {
namespace {

namespace fs = std::filesystem;

// Returns "/a", "/a/b", "/a/b/c" for "a/b/c".
std::vector<std::string> paths_to(const std::string& name) {
  const std::string path = with_leading_slash(name);
  std::vector<std::string> paths;
  for (std::size_t end = 1; end < path.size(); ++end)
    if (path[end] == '/') paths.push_back(path.substr(0, end));
  paths.push_back(path);
  return paths;
}

// Returns for example "the file is a pipe (FIFO)" if the first existing path is a special file. HDF5 would open that
// one.
std::optional<std::string> find_special_file(const std::vector<std::string>& paths) {
  struct stat status {};
  for (const auto& path : paths) {
    if (::stat(path.c_str(), &status) != 0) continue;
    if (S_ISREG(status.st_mode)) return std::nullopt;
    return "the file is " + file_kind(status.st_mode);
  }
  return std::nullopt;
}

// Returns the file that contains the link `path`.
std::string file_of_link(hid_t file, const std::string& path) {
  const std::string group = path.substr(0, path.rfind('/'));
  return file_of(
      Handle(H5Oopen(file, group.empty() ? "/" : group.c_str(), H5P_DEFAULT), H5Oclose, "HDF5 cannot describe a link")
          .id());
}

}  // namespace

std::string with_leading_slash(const std::string& name) {
  return !name.empty() && name.front() == '/' ? name : "/" + name;
}

bool has_link(hid_t file, const std::string& name) {
  for (const auto& path : paths_to(name))
    if (H5Lexists(file, path.c_str(), H5P_DEFAULT) == 0) return false;
  return true;
}

std::optional<std::string> find_broken_link(hid_t file, const std::string& name) {
  for (const auto& path : paths_to(name)) {
    H5L_info_t link{};
    if (H5Lget_info(file, path.c_str(), &link, H5P_DEFAULT) < 0) return std::nullopt;
    if (link.type == H5L_TYPE_HARD) continue;
    const hid_t object = H5Oopen(file, path.c_str(), H5P_DEFAULT);
    if (object >= 0) {
      H5Oclose(object);
      continue;
    }
    std::string reason = hdf5_reason();
    reason = reason.substr(0, reason.find(", "));  // drop the file name: "unable to open file, file name = ..."
    std::vector<char> value(link.u.val_size + 1, '\0');
    if (H5Lget_val(file, path.c_str(), value.data(), link.u.val_size, H5P_DEFAULT) < 0) return std::nullopt;
    std::string target = fmt::format("'{}'", printable(value.data()));
    const char *linked_file = nullptr, *linked_object = nullptr;
    if (link.type == H5L_TYPE_EXTERNAL &&
        H5Lunpack_elink_val(value.data(), link.u.val_size, nullptr, &linked_file, &linked_object) >= 0) {
      target = fmt::format("'{}' of file '{}'", printable(linked_object), printable(linked_file));
      const auto prefixes = split_prefixes(std::getenv("HDF5_EXT_PREFIX"));
      const auto special = find_special_file(searched_paths(linked_file, file_of_link(file, path), prefixes));
      if (special) reason = *special;
    }
    return fmt::format("'{}' is a link to {}, which cannot be opened: {}", printable(path), target, printable(reason));
  }
  return std::nullopt;
}

std::string with_origin(const std::string& prefix, const std::string& holder) {
  constexpr std::string_view origin = "${ORIGIN}";
  if (prefix.compare(0, origin.size(), origin) != 0) return prefix;
  std::error_code ignored;
  return (fs::absolute(holder, ignored).parent_path() / "").string() + prefix.substr(origin.size());
}

std::vector<std::string> split_prefixes(const char* prefixes) {
  std::vector<std::string> split;
  std::istringstream text(prefixes == nullptr ? "" : prefixes);
  for (std::string prefix; std::getline(text, prefix, ':');)
    if (!prefix.empty()) split.push_back(prefix);
  return split;
}

std::vector<std::string> searched_paths(const std::string& name, const std::string& holder,
                                        const std::vector<std::string>& prefixes) {
  std::vector<std::string> paths;
  if (fs::path(name).is_absolute()) paths.push_back(name);
  const fs::path relative = fs::path(name).is_absolute() ? fs::path(name).filename() : fs::path(name);
  for (const auto& prefix : prefixes) paths.push_back(fs::path(prefix) / relative);
  std::error_code ignored;
  paths.push_back(fs::absolute(holder, ignored).parent_path() / relative);
  paths.push_back(relative);
  paths.push_back(fs::canonical(holder, ignored).parent_path() / relative);
  return paths;
}

}  // namespace sheaf
