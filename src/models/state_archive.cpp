// SPDX-License-Identifier: MIT
#include "models/state_archive.hpp"

#include <fmt/format.h>

#include <map>

#include "files/file_content.hpp"
#include "files/zip.hpp"
#include "models/module_archive.hpp"
#include "models/saved_model_record.hpp"

namespace sheaf {
namespace {

constexpr const char* format_version = "3\n";  // of torch.save

}  // namespace

void write_state_archive(const SavedModel& trained, const std::vector<ModuleTensor>& tensors, const ByteSink& sink) {
  std::vector<PickledAttribute> items;
  for (std::size_t number = 0; number < tensors.size(); ++number)
    items.push_back({tensors[number].name, pickled_tensor(tensors[number], number)});
  const std::string state = pickle_of(pickled_dictionary(items)), record = saved_model_record(trained);
  std::vector<NewZipMember> members{{"archive/data.pkl", {state}},
                                    {"archive/version", {format_version}},
                                    {fmt::format("archive/extra/{}", saved_model_record_name), {record}}};
  const auto of_tensors = tensor_members(tensors);
  members.insert(members.end(), of_tensors.begin(), of_tensors.end());
  write_zip_archive(members, sink);
}

std::vector<std::string> read_state_archive(const std::string& path) {
  const FileContent content(path);
  std::map<std::string, ZipMember> members;
  for (const ZipMember& member : zip_directory(content.bytes(), path)) members[member.name] = member;
  std::vector<std::string> tensors;
  for (;;) {
    const auto found = members.find(fmt::format("archive/data/{}", tensors.size()));
    if (found == members.end()) break;
    tensors.push_back(read_all(*open_member(content.bytes(), path, found->second)));
  }
  content.require_intact();
  return tensors;
}

}  // namespace sheaf
