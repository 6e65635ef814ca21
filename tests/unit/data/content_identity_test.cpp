// SPDX-License-Identifier: MIT
#include "data/content_identity.hpp"

#include <set>

#include "core/fingerprint.hpp"
#include "support/catch.hpp"

using namespace sheaf;

namespace {

// Three rows of two features each.
struct Rows {
  std::vector<float> features = {1, 2, 3, 4, 5, 6};
  std::vector<std::int64_t> labels = {0, 1, 0};
  std::vector<float> targets = {0.5f, 1.5f, 2.5f};
  std::vector<float> weights = {1, 2, 1};

  std::uint64_t hash(bool classes, bool weighted, IndexRange rows = {0, 3}) const {
    DataSet data;
    data.output_count = classes ? 2 : 1;
    if (classes) data.labels = labels.data();
    if (!classes) data.targets = targets.data();
    if (weighted) data.weights = weights.data();
    return hash_rows(data, rows, reinterpret_cast<const std::byte*>(features.data() + 2 * rows.begin),
                     2 * sizeof(float));
  }
};

}  // namespace

TEST_CASE("every value and the number of a row decide the hash") {
  const Rows rows;
  std::set<std::uint64_t> hashes = {rows.hash(true, false), rows.hash(false, false), rows.hash(true, true),
                                    rows.hash(true, false, {0, 2}), rows.hash(true, false, {1, 3})};
  Rows other = rows;
  other.features[5] = 6.0000005f;
  hashes.insert(other.hash(true, false));
  other = rows;
  other.labels[2] = 1;
  hashes.insert(other.hash(true, false));
  other = rows;
  other.features = {3, 4, 1, 2, 5, 6};
  hashes.insert(other.hash(true, false));
  other = rows;
  other.targets[0] = 0.25f;
  hashes.insert(other.hash(false, false));
  other = rows;
  other.weights[1] = 3;
  hashes.insert(other.hash(true, true));
  CHECK(hashes.size() == 10);
  Rows equal = {{1, 2, 1, 2, 1, 2}, {0, 0, 0}, {}, {}};
  CHECK(equal.hash(true, false, {0, 1}) != equal.hash(true, false, {1, 2}));
}

TEST_CASE("hash_bytes depends on every byte, the size and the seed") {
  std::set<std::uint64_t> hashes;
  std::size_t expected = 0;
  for (const std::size_t size : {0, 1, 7, 8, 15, 16, 17, 63, 64, 65, 130}) {
    std::vector<unsigned char> bytes(size);
    hashes.insert({hash_bytes(bytes.data(), size, 0), hash_bytes(bytes.data(), size, 1)});
    expected += 2 + size;
    for (auto& byte : bytes) {
      byte ^= 0x10;
      hashes.insert(hash_bytes(bytes.data(), size, 0));
      byte ^= 0x10;
    }
  }
  CHECK(hashes.size() == expected);
}
