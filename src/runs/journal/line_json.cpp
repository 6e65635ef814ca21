// SPDX-License-Identifier: MIT
#include "runs/journal/line_json.hpp"

#include <fmt/format.h>

#include "files/checksum.hpp"

namespace sheaf {
namespace {

constexpr std::size_t ending_size = sizeof(R"(,"crc32":"01234567"})") - 1;

std::string ending(std::uint32_t sum) {
  return fmt::format(R"(,"crc32":"{:08x}"}})", sum);
}

}  // namespace

void close_line(std::string& text, std::size_t begin, std::uint32_t seed) {
  text.pop_back();
  text += ending(checksum(text.data() + begin, text.size() - begin, seed));
  text += '\n';
}

std::string closed_line(std::string text, std::uint32_t seed) {
  close_line(text, 0, seed);
  return text;
}

std::string quoted_text(const std::string& text) {
  return Json(text).dump(-1, ' ', false, Json::error_handler_t::replace);
}

std::optional<std::string_view> verified_text(const std::string& line, std::uint32_t seed) {
  if (line.size() <= ending_size) return std::nullopt;
  const std::size_t size = line.size() - ending_size;
  if (line.compare(size, ending_size, ending(checksum(line.data(), size, seed))) != 0) return std::nullopt;
  return std::string_view(line).substr(0, size);
}

void append_integers(std::string& text, const std::vector<std::int64_t>& numbers) {
  for (const std::int64_t number : numbers) {
    if (text.back() != '[') text += ',';
    append_integer(text, number);
  }
  text += ']';
}

void read_integers(const Json& list, std::vector<std::int64_t>& numbers) {
  for (const Json& value : list) numbers.push_back(integer_of<std::int64_t>(value));
}

}  // namespace sheaf
