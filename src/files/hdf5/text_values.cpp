// SPDX-License-Identifier: MIT
#include "files/hdf5/text_values.hpp"

#include <algorithm>

#include "core/text.hpp"

namespace sheaf {
namespace {

std::vector<std::string> fixed_texts(hid_t type, std::size_t count, const std::function<void(void*)>& read) {
  const std::size_t bytes = H5Tget_size(type);
  std::vector<char> characters(count * bytes);
  if (count > 0) read(characters.data());
  std::vector<std::string> texts;
  texts.reserve(count);
  for (std::size_t index = 0; index < count; ++index) {
    const char* begin = characters.data() + index * bytes;
    std::string text(begin, std::find(begin, begin + bytes, '\0'));
    if (H5Tget_strpad(type) == H5T_STR_SPACEPAD) text.erase(text.find_last_not_of(' ') + 1);
    texts.push_back(as_utf8(text));
  }
  return texts;
}

std::vector<std::string> variable_texts(hid_t type, hid_t space, std::size_t count,
                                        const std::function<void(void*)>& read) {
  std::vector<char*> pointers(count, nullptr);
  if (count > 0) read(pointers.data());
  std::vector<std::string> texts;
  texts.reserve(count);
  for (const char* text : pointers) texts.push_back(as_utf8(text == nullptr ? "" : text));
  if (count > 0) H5Dvlen_reclaim(type, space, H5P_DEFAULT, pointers.data());
  return texts;
}

}  // namespace

std::vector<std::string> read_texts(hid_t type, hid_t space, std::size_t count,
                                    const std::function<void(void* buffer)>& read) {
  return H5Tis_variable_str(type) > 0 ? variable_texts(type, space, count, read) : fixed_texts(type, count, read);
}

}  // namespace sheaf
