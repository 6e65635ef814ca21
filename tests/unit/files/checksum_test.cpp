// SPDX-License-Identifier: MIT
#include "files/checksum.hpp"

#include "support/catch.hpp"

using namespace sheaf;

TEST_CASE("the checksum is CRC-32 and can be continued from the checksum of the first part") {
  CHECK(checksum("123456789", 9) == 0xcbf43926);
  CHECK(checksum("56789", 5, checksum("1234", 4)) == 0xcbf43926);
  CHECK(checksum("", 0) == 0);
}
