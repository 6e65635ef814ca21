// SPDX-License-Identifier: MIT
#include "core/fingerprint.hpp"

#include "support/catch.hpp"

using namespace sheaf;

TEST_CASE("fingerprints are FNV-1a of all bytes, however they are added") {
  Fingerprint whole, parts;
  CHECK(whole.text() == "cbf29ce484222325");
  whole.add("foobar");
  CHECK(whole.text() == "85944171f73967e8");  // test vector of the hash's authors
  parts.add("foo");
  parts.add("bar");
  CHECK(parts.text() == whole.text());
}
