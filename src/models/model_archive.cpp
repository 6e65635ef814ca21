// SPDX-License-Identifier: MIT
#include "models/model_archive.hpp"

#include <fmt/format.h>

#include <cstdint>
#include <vector>

#include "core/error.hpp"
#include "core/text.hpp"
#include "files/file_content.hpp"
#include "files/zip.hpp"
#include "models/pickle_nesting.hpp"
#include "models/source_nesting.hpp"

namespace sheaf {
namespace {

// LibTorch stores members without compression. Weights can hardly be compressed; code and zeros can.
constexpr std::uint64_t most_unpacked_ratio = 4, always_unpacked_bytes = std::uint64_t{16} << 20;

// Code and values that PyTorch saves are nested a few dozen levels deep.
constexpr std::int64_t max_nesting = 1000;

constexpr const char* advice =
    "Use a model file of sheaf, or save the module with torch.jit.script(module).save(path).";

std::vector<ZipMember> members_of(std::string_view archive, const std::string& path) {
  try {
    return zip_directory(archive, path);
  } catch (const RunError&) {
    throw RunError(
        fmt::format("'{}' is not a complete TorchScript file (it is not a complete ZIP archive). {}", path, advice));
  }
}

void require_reasonable_size(const std::vector<ZipMember>& members, std::uint64_t archive_bytes,
                             const std::string& path) {
  std::uint64_t left = most_unpacked_ratio * archive_bytes + always_unpacked_bytes;
  for (const ZipMember& member : members) {
    require(member.bytes <= left, [&] {
      return fmt::format(
          "'{}' unpacks to more than {} ({} packed; model files are at most {} times as large as packed, "
          "plus {}). {}",
          path, human_bytes(static_cast<double>(most_unpacked_ratio * archive_bytes + always_unpacked_bytes)),
          human_bytes(static_cast<double>(archive_bytes)), most_unpacked_ratio,
          human_bytes(static_cast<double>(always_unpacked_bytes)), advice);
    });
    left -= member.bytes;
  }
}

bool has_ending(const ZipMember& member, std::string_view ending) {
  const std::string_view name = member.name;
  return name.size() > ending.size() && name.substr(name.size() - ending.size()) == ending;
}

// `nesting`: of the member.
void require_shallow(std::int64_t nesting, const ZipMember& member, const std::string& path) {
  require(nesting <= max_nesting, [&] {
    return fmt::format("'{}' is nested more than {} levels deep ('{}'; LibTorch could crash). {}", path, max_nesting,
                       printable(member.name), advice);
  });
}

}  // namespace

void verify_model_archive(std::string_view archive, const std::string& path) {
  const auto members = members_of(archive, path);
  require_reasonable_size(members, archive.size(), path);
  for (const ZipMember& member : members) {
    const auto content = [&] { return read_all(*open_member(archive, path, member)); };
    if (has_ending(member, ".py"))
      require_shallow(source_nesting(content()), member, path);
    else if (has_ending(member, "pkl"))  // also .debug_pkl
      require_shallow(pickle_nesting(content()), member, path);
    else
      verify_member(archive, path, member);
  }
}

void verify_model_file(const std::string& path) {
  const FileContent content(path);
  verify_model_archive(content.bytes(), path);
  content.require_intact();
}

}  // namespace sheaf
