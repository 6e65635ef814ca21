// SPDX-License-Identifier: MIT
#include "engines/libtorch/torch_messages.hpp"

#include <c10/util/Exception.h>

#include <algorithm>

namespace sheaf {

std::string torch_messages(const std::exception& error) {
  const auto* torch_error = dynamic_cast<const c10::Error*>(&error);
  std::string text = torch_error != nullptr ? torch_error->what_without_backtrace() : error.what();
  text.erase(text.find_last_not_of(" \n") + 1);
  // The TorchScript interpreter puts its trace before the message of LibTorch or of an exception in the module.
  const std::string mark = "RuntimeError: ";
  const std::size_t marked = text.rfind(mark);
  std::size_t begin = marked == std::string::npos ? 0 : marked + mark.size();
  if (marked == std::string::npos && text.find("TorchScript interpreter") != std::string::npos)
    begin = text.rfind('\n') + 1;
  return text.substr(begin, std::min(text.find('\n', begin), text.size()) - begin);
}

}  // namespace sheaf
