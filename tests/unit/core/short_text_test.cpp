// SPDX-License-Identifier: MIT
#include "core/short_text.hpp"

#include <cstring>
#include <type_traits>

#include "support/catch.hpp"

using namespace sheaf;

TEST_CASE("a short text stores up to 16 bytes") {
  static_assert(std::is_trivially_copyable_v<ShortText> && sizeof(ShortText) == 16);
  CHECK(ShortText().view().empty());
  CHECK(ShortText("native").view() == "native");
  CHECK(ShortText("0123456789abcdef").view() == "0123456789abcdef");
  CHECK_THROWS_AS(ShortText("0123456789abcdefg"), RunError);
  CHECK(ShortText("torch") == ShortText(std::string_view("torchscript").substr(0, 5)));
  CHECK(ShortText("torch") != ShortText("torchs"));
}
