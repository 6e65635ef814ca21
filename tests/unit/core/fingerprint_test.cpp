// SPDX-License-Identifier: MIT
#include "core/fingerprint.hpp"

#include "support/catch.hpp"

using namespace sheaf;

TEST_CASE("a fingerprint is the FNV-1a hash of all added bytes and does not depend on how they are split") {
  Fingerprint whole, parts;
  CHECK(whole.text() == "cbf29ce484222325");
  whole.add("foobar");
  CHECK(whole.text() == "85944171f73967e8");  // test vector from the authors of FNV
  parts.add("foo");
  parts.add("bar");
  CHECK(parts.text() == whole.text());
}
