// SPDX-License-Identifier: MIT
#include "core/fingerprint.hpp"

#include <set>
#include <string>

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

TEST_CASE("the hash of an array depends on every bit of it, and on its length") {
  const std::string zeros(21, '\0');
  const auto hash = [](const std::string& bytes) {
    Fingerprint fingerprint;
    fingerprint.add_array(bytes.data(), bytes.size());
    return fingerprint.text();
  };
  std::set<std::string> different = {hash(zeros), hash(std::string(20, '\0')), hash("")};
  for (std::size_t bit = 0; bit < 8 * zeros.size(); ++bit) {
    std::string bytes = zeros;
    bytes[bit / 8] = static_cast<char>(1 << bit % 8);
    different.insert(hash(bytes));
  }
  CHECK(different.size() == 3 + 8 * zeros.size());
  CHECK(hash("abc") == hash("abc"));
}
