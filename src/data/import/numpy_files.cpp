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

// Names of features and targets that belong together.
struct Pair {
  std::string features, targets;
};
using Pairs = std::vector<Pair>;

// The usual names, in the order of preference. New data are those of a test, if an archive has both.
Pairs usual_pairs(bool are_new_data) {
  Pairs pairs = {{"X", "y"}, {"features", "targets"}, {"data", "labels"}, {"data", "target"}};
  const Pairs train = {{"x_train", "y_train"}, {"X_train", "y_train"}, {"X_train", "Y_train"}};
  const Pairs test = {{"x_test", "y_test"}, {"X_test", "y_test"}, {"X_test", "Y_test"}};
  for (const Pairs& more : {are_new_data ? test : train, are_new_data ? train : test})
    pairs.insert(pairs.end(), more.begin(), more.end());
  return pairs;
}

std::string name_of(const ZipMember& member) {
  const std::string ending = ".npy";
  const std::size_t stem = member.name.size() - std::min(member.name.size(), ending.size());
  return member.name.compare(stem, ending.size(), ending) == 0 ? member.name.substr(0, stem) : member.name;
}

const ZipMember* find_member(const std::vector<ZipMember>& members, const std::string& name) {
  const auto found =
      std::find_if(members.begin(), members.end(), [&](const ZipMember& member) { return name_of(member) == name; });
  return found == members.end() ? nullptr : &*found;
}

// The first member with one of the `names`.
ZipMember choose_member(const std::vector<ZipMember>& members, const Names& names, const std::string& option,
                        const std::string& archive) {
  for (const auto& name : names)
    if (const ZipMember* member = find_member(members, name)) return *member;
  Names present;
  for (const auto& member : members) present.push_back(printable(name_of(member)));
  const std::string nearest = names.size() == 1 ? did_you_mean(names.front(), present) : "";
  constexpr std::size_t max_shown = 20;
  if (present.size() > max_shown) {
    present.resize(max_shown);
    present.push_back("...");
  }
  throw RunError(fmt::format("'{}' has no array {} (it has: {}).{} Select one with --{}=NAME.", archive,
                             names.size() == 1 ? quoted(names.front()) : fmt::format("{}", fmt::join(names, ", ")),
                             fmt::join(present, ", "), nearest, option));
}

// One of the two names in each pair, without repetition.
Names names_in(const Pairs& pairs, std::string Pair::*part) {
  Names names;
  for (const Pair& pair : pairs)
    if (std::find(names.begin(), names.end(), pair.*part) == names.end()) names.push_back(pair.*part);
  return names;
}

ZipMember choose_features(const std::vector<ZipMember>& members, const NpzOptions& options,
                          const std::string& archive) {
  const Pairs usual = usual_pairs(options.are_new_data);
  return choose_member(members, options.features.empty() ? names_in(usual, &Pair::features) : Names{options.features},
                       "features", archive);
}

// Prefers the targets that belong to the features.
ZipMember choose_targets(const std::vector<ZipMember>& members, const ZipMember& features, const NpzOptions& options,
                         const std::string& archive) {
  if (!options.targets.empty()) return choose_member(members, {options.targets}, "targets", archive);
  Pairs usual = usual_pairs(options.are_new_data);
  std::stable_partition(usual.begin(), usual.end(),
                        [name = name_of(features)](const Pair& pair) { return pair.features == name; });
  return choose_member(members, names_in(usual, &Pair::targets), "targets", archive);
}

// "x_test" for "x_train", and the reverse; empty for other names.
std::string counterpart_of(const std::string& name) {
  const std::size_t place = name.rfind('_');
  const std::string stem = name.substr(0, place), ending = place == name.npos ? "" : name.substr(place);
  return ending == "_train" ? stem + "_test" : ending == "_test" ? stem + "_train" : "";
}

// Says which arrays were taken if others may have been meant; otherwise empty.
std::string note_on_choice(const std::vector<ZipMember>& members, const std::string& archive, const Names& used,
                           const std::string& option_prefix) {
  Names others, options;
  for (std::size_t number = 0; number < used.size(); ++number) {
    const std::string other = counterpart_of(used[number]);
    if (other.empty() || find_member(members, other) == nullptr) continue;
    others.push_back(other);
    options.push_back(fmt::format("{}{}={}", option_prefix, number == 0 ? "features" : "targets", other));
  }
  if (others.empty()) return "";
  return printable(fmt::format("'{}': {} {} used; it also has {} ({})", archive, fmt::join(used, " and "),
                               used.size() == 1 ? "is" : "are", fmt::join(others, " and "), fmt::join(options, " ")));
}

// Calls read(source, header) with the array of a member.
template <class Read>
auto read_member(std::string_view archive, const std::string& archive_name, const ZipMember& member, Read read) {
  const auto source = open_member(archive, archive_name, member);
  const NpyHeader header = read_npy_header(*source);
  require(
      header.header_bytes + header.data_bytes == member.bytes,
      fmt::format("'{}' has inconsistent sizes ({} bytes in the archive's directory, {} in its own header). Create the "
                  "archive again.",
                  source->name(), member.bytes, header.header_bytes + header.data_bytes));
  return read(*source, header);
}

CodedTargets read_targets(ByteSource& source, const NpyHeader& header, const TargetOptions& options,
                          const std::string& name) {
  if (!header.is_text()) return as_targets(read_npy_numbers(source, header), options, name);
  require(options.task != Task::regression,
          [&] { return fmt::format("'{}' contains text (regression needs numbers). Use numbers.", name); });
  require(header.shape.front() > 0, [&] { return fmt::format("'{}' has no rows. Use a file with labels.", name); });
  return code_texts(read_npy_texts(source, header), options.known_classes, fmt::format("array '{}'", name));
}

}  // namespace

ImportedData import_npy(ByteSource& features, ByteSource* targets, const TargetOptions& options) {
  ImportedData data;
  data.features = read_npy(features);
  if (targets != nullptr)
    data.set_targets(read_targets(*targets, read_npy_header(*targets), options, targets->name()), options.task_option);
  require_fit(data, features.name(), targets != nullptr ? targets->name() : "");
  return data;
}

ImportedData import_npz(std::string_view archive, const std::string& name, const NpzOptions& options) {
  const auto members = zip_directory(archive, name);
  const ZipMember features = choose_features(members, options, name);
  std::optional<ZipMember> targets;
  if (options.has_targets) targets = choose_targets(members, features, options, name);
  const std::string features_name = printable(name + ":" + features.name);
  const std::string targets_name = targets ? printable(name + ":" + targets->name) : "";
  ImportedData data;
  data.features = read_member(archive, name, features, read_npy_numbers);
  if (targets)
    data.set_targets(read_member(archive, name, *targets,
                                 [&](ByteSource& source, const NpyHeader& header) {
                                   return read_targets(source, header, options.coding, targets_name);
                                 }),
                     options.coding.task_option);
  if (options.features.empty()) {
    Names used = {name_of(features)};
    if (targets) used.push_back(name_of(*targets));
    const std::string note = note_on_choice(members, name, used, options.are_new_data ? "--data." : "--");
    if (!note.empty()) data.notes.push_back(note);
  }
  require_fit(data, features_name, targets_name);
  return data;
}

}  // namespace sheaf
