// SPDX-License-Identifier: MIT
#include "core/printable.hpp"

#include <cstring>

#include "support/catch.hpp"

using namespace sheaf;

TEST_CASE("control characters and bytes that are not UTF-8 become question marks") {
  const std::string text = "a\x1b[31m\x07\x7f\t\r\n\xc2\x9b\x9b\xc3\xa9\xff z";
  CHECK(printable_lines(text) == "a?[31m????\n??\xc3\xa9? z");
  char buffer[64];
  std::strcpy(buffer, text.c_str());
  const std::size_t size = make_printable(buffer, text.size());
  CHECK(std::string(buffer, size) == "a?[31m???????\xc3\xa9? z");
  CHECK(make_printable(buffer, 0) == 0);
}
