// SPDX-License-Identifier: MIT
#include "data/import/numpy_files.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "core/error.hpp"
#include "core/quoted.hpp"
#include "core/text.hpp"
#include "data/import/npy.hpp"
#include "files/zip.hpp"

namespace sheaf {
namespace {

using Names = std::vector<std::string>;

// The archive member `wanted`, or, if that is empty, the first member with one of the `usual` names.
ZipMember choose_member(const std::vector<ZipMember>& members, const std::string& wanted, const Names& usual,
                        const std::string& option, const std::string& archive) {
  for (const auto& name : wanted.empty() ? usual : Names{wanted})
    for (const auto& member : members)
      if (member.name == name + ".npy" || member.name == name) return member;
  Names present;
  for (const auto& member : members) present.push_back(printable(member.name.substr(0, member.name.rfind(".npy"))));
  const std::string nearest = wanted.empty() ? "" : did_you_mean(wanted, present);
  constexpr std::size_t max_shown = 20;
  if (present.size() > max_shown) {
    present.resize(max_shown);
    present.push_back("...");
  }
  throw RunError(fmt::format("'{}' has no array {} (it has: {}).{} Select one with --{}=NAME.", archive,
                             wanted.empty() ? fmt::format("{}", fmt::join(usual, ", ")) : quoted(wanted),
                             fmt::join(present, ", "), nearest, option));
}

NumberArray read_member(std::string_view archive, const std::string& archive_name, const ZipMember& member) {
  const auto source = open_member(archive, archive_name, member);
  const NpyHeader header = read_npy_header(*source);
  require(
      header.header_bytes + header.data_bytes == member.bytes,
      fmt::format("'{}' has inconsistent sizes ({} bytes in the archive's directory, {} in its own header). Create the "
                  "archive again.",
                  source->name(), member.bytes, header.header_bytes + header.data_bytes));
  return read_npy_numbers(*source, header);
}

}  // namespace

ImportedData import_npy(ByteSource& features, ByteSource* targets, const TargetOptions& options) {
  ImportedData data;
  data.features = read_npy(features);
  if (targets != nullptr)
    data.set_targets(as_targets(read_npy(*targets), options.task, options.known_classes, targets->name()));
  require_fit(data, features.name(), targets != nullptr ? targets->name() : "");
  return data;
}

ImportedData import_npz(std::string_view archive, const std::string& name, const NpzOptions& options) {
  const auto members = zip_directory(archive, name);
  const ZipMember features =
      choose_member(members, options.features, {"X", "features", "data", "x_train"}, "features", name);
  std::optional<ZipMember> targets;
  if (options.has_targets)
    targets = choose_member(members, options.targets, {"y", "targets", "labels", "y_train"}, "targets", name);
  const std::string features_name = printable(name + ":" + features.name);
  const std::string targets_name = targets ? printable(name + ":" + targets->name) : "";
  ImportedData data;
  data.features = read_member(archive, name, features);
  if (targets)
    data.set_targets(as_targets(read_member(archive, name, *targets), options.coding.task, options.coding.known_classes,
                                targets_name));
  require_fit(data, features_name, targets_name);
  return data;
}

}  // namespace sheaf
