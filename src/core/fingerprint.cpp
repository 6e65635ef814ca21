// SPDX-License-Identifier: MIT
#include "core/fingerprint.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace sheaf {
namespace {

__extension__ using Wide = unsigned __int128;

// Odd numbers with equally many zeros and ones.
constexpr std::uint64_t keys[] = {0xa0761d6478bd642f, 0xe7037ed1a0b428db, 0x8ebc6af09c88c6e3, 0x589965cc75374cc3};

std::uint64_t folded_product(std::uint64_t a, std::uint64_t b) {
  const Wide product = Wide{a} * b;
  return static_cast<std::uint64_t>(product) ^ static_cast<std::uint64_t>(product >> 64);
}

std::uint64_t word_at(const unsigned char* bytes) {
  std::uint64_t word = 0;
  std::memcpy(&word, bytes, sizeof word);
  return word;
}

std::uint64_t mixed(const unsigned char* bytes, std::uint64_t key, std::uint64_t hash) {
  return folded_product(word_at(bytes) ^ key, word_at(bytes + 8) ^ hash);
}

}  // namespace

std::uint64_t hash_bytes(const void* bytes, std::size_t size, std::uint64_t seed) {
  const auto* next = static_cast<const unsigned char*>(bytes);
  std::uint64_t hash = folded_product(seed ^ keys[0], size ^ keys[1]);
  std::size_t left = size;
  if (left >= 64) {  // four independent chains of products
    std::uint64_t lanes[] = {hash, hash ^ keys[1], hash ^ keys[2], hash ^ keys[3]};
    for (; left >= 64; next += 64, left -= 64)
      for (std::size_t lane = 0; lane < 4; ++lane) lanes[lane] = mixed(next + 16 * lane, keys[lane], lanes[lane]);
    hash = folded_product(lanes[0] ^ keys[2], lanes[1] ^ hash) ^ folded_product(lanes[2] ^ keys[3], lanes[3] ^ hash);
  }
  for (; left >= 16; next += 16, left -= 16) hash = mixed(next, keys[1], hash);
  if (left > 0) {
    unsigned char rest[16] = {};
    std::copy(next, next + left, rest);
    hash = mixed(rest, keys[2], hash);
  }
  return folded_product(hash ^ keys[3], keys[0]);
}

std::string Fingerprint::text() const {
  return fmt::format("{:016x}", hash_);
}

}  // namespace sheaf
