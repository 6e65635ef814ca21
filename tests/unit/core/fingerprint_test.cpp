// SPDX-License-Identifier: MIT
#include "core/fingerprint.hpp"

#include <fstream>

#include "core/error.hpp"
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

TEST_CASE("a file's fingerprint is that of its content") {
  const std::string content(200000, 'x');
  std::ofstream("fingerprint_test.bin", std::ios::binary) << content;
  Fingerprint fingerprint;
  fingerprint.add(content);
  CHECK(file_fingerprint("fingerprint_test.bin") == fingerprint.text());
  CHECK_THROWS_WITH(file_fingerprint("absent.bin"),
                    "File 'absent.bin' cannot be read (No such file or directory). Check its name and permissions.");
}
