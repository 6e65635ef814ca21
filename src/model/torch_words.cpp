// SPDX-License-Identifier: MIT
#include "model/torch_words.hpp"

#include <c10/util/Exception.h>

#include <algorithm>

namespace sheaf {

std::string torch_words(const std::exception& error) {
  const auto* own = dynamic_cast<const c10::Error*>(&error);
  const std::string text = own != nullptr ? own->what_without_backtrace() : error.what();
  const std::string mark = "RuntimeError: ";  // TorchScript's interpreter puts its trace before this
  const std::size_t marked = text.rfind(mark);
  const std::size_t begin = marked == std::string::npos ? 0 : marked + mark.size();
  return text.substr(begin, std::min(text.find('\n', begin), text.size()) - begin);
}

}  // namespace sheaf
