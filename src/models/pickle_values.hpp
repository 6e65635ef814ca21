// Values as pickles of protocol 2: each function returns the instructions that put one value on the stack of the
// unpickler. Only what TorchScript's archives need. Pure. Source: Python's pickletools.
// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace sheaf {

std::string pickled_bool(bool value);
std::string pickled_integer(std::int64_t value);
/// `text`: UTF-8, shorter than 4 GiB.
std::string pickled_text(std::string_view text);
/// A tuple of pickled `items`.
std::string pickled_tuple(const std::vector<std::string>& items);
/// The class or function `name` of a Python module.
std::string pickled_global(std::string_view module, std::string_view name);
/// The result of a call of the pickled `function` with a pickled tuple of arguments.
std::string pickled_call(const std::string& function, const std::string& arguments);
/// The object that the reader has for a pickled persistent `id`.
std::string pickled_persistent(const std::string& id);

struct PickledAttribute {
  std::string name;
  std::string value;  ///< pickled
};

/// A dictionary with the names as keys.
std::string pickled_dictionary(const std::vector<PickledAttribute>& items);

/// A new object of the pickled class `type` with these attributes.
std::string pickled_object(const std::string& type, const std::vector<PickledAttribute>& attributes);

/// The content of a file with the pickled `value`.
std::string pickle_of(const std::string& value);

}  // namespace sheaf
