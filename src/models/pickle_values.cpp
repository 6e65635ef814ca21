// SPDX-License-Identifier: MIT
#include "models/pickle_values.hpp"

#include <fmt/format.h>

#include "files/byte_order.hpp"

namespace sheaf {
namespace {

std::string number(char instruction, std::uint64_t value, std::size_t bytes) {
  std::string text(1, instruction);
  append_unsigned(text, value, bytes);
  return text;
}

}  // namespace

std::string pickled_bool(bool value) {
  return value ? "\x88" : "\x89";  // NEWTRUE, NEWFALSE
}

std::string pickled_integer(std::int64_t value) {
  if (value >= 0 && value <= 0xff) return number('K', static_cast<std::uint64_t>(value), 1);                // BININT1
  if (value == static_cast<std::int32_t>(value)) return number('J', static_cast<std::uint64_t>(value), 4);  // BININT
  return "\x8a" + number(8, static_cast<std::uint64_t>(value), 8);  // LONG1, with the number of bytes
}

std::string pickled_text(std::string_view text) {
  return number('X', text.size(), 4).append(text);  // BINUNICODE
}

std::string pickled_tuple(const std::vector<std::string>& items) {
  if (items.empty()) return ")";                     // EMPTY_TUPLE
  return fmt::format("({}t", fmt::join(items, ""));  // MARK, TUPLE
}

std::string pickled_global(std::string_view module, std::string_view name) {
  return fmt::format("c{}\n{}\n", module, name);  // GLOBAL
}

std::string pickled_call(const std::string& function, const std::string& arguments) {
  return function + arguments + "R";  // REDUCE
}

std::string pickled_persistent(const std::string& id) {
  return id + "Q";  // BINPERSID
}

std::string pickled_dictionary(const std::vector<PickledAttribute>& items) {
  std::string text;
  for (const PickledAttribute& item : items) text += pickled_text(item.name) + item.value;
  return "}(" + text + "u";  // EMPTY_DICT, MARK, SETITEMS
}

std::string pickled_object(const std::string& type, const std::vector<PickledAttribute>& attributes) {
  return type + ")\x81" + pickled_dictionary(attributes) + "b";  // NEWOBJ without arguments, BUILD
}

std::string pickle_of(const std::string& value) {
  return "\x80\x02" + value + ".";  // PROTO 2, STOP
}

}  // namespace sheaf
