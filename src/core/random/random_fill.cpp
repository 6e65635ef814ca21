// Compiled once for each instruction set (Highway includes this file again). Compiled without contraction
// (CMakeLists.txt), since a fused multiply-add rounds once instead of twice.
// SPDX-License-Identifier: MIT
#include "core/random/random_fill.hpp"

#include <algorithm>
#include <cassert>
#include <cstring>

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "core/random/random_fill.cpp"
#include <hwy/foreach_target.h>
#include <hwy/highway.h>

HWY_BEFORE_NAMESPACE();
namespace sheaf {
namespace HWY_NAMESPACE {
namespace {

namespace hn = hwy::HWY_NAMESPACE;

constexpr hn::ScalableTag<std::uint32_t> words_tag;
constexpr hn::ScalableTag<std::int32_t> integers_tag;
constexpr hn::ScalableTag<float> floats_tag;
constexpr hn::ScalableTag<std::uint64_t> blocks_tag;  // one block per lane
using Words = hn::Vec<decltype(words_tag)>;
using Floats = hn::Vec<decltype(floats_tag)>;
using Blocks = hn::Vec<decltype(blocks_tag)>;

// ---- Words: Philox4x32-10

// Multiplies the lower half of each lane by `factor`.
HWY_INLINE Blocks product(Blocks words, std::uint64_t factor) {
  return hn::MulEven(hn::BitCast(words_tag, words), hn::BitCast(words_tag, hn::Set(blocks_tag, factor)));
}

// Joins the lower halves of the lanes of two vectors.
HWY_INLINE Blocks join(Blocks lower, Blocks upper) {
  return hn::BitCast(blocks_tag,
                     hn::OddEven(hn::BitCast(words_tag, hn::ShiftLeft<32>(upper)), hn::BitCast(words_tag, lower)));
}

// Draws the words of the blocks in the lanes: those of the even lanes go to `lower`, those of the odd lanes to `upper`.
// During the rounds each word is in the lower half of its lane; the upper half contains remains of products.
HWY_INLINE void draw(StreamPlace place, Blocks blocks, Words& lower, Words& upper) {
  Blocks word0 = blocks;
  Blocks word1 = hn::Set(blocks_tag, place.index & 0xffffffffu);
  Blocks word2 = hn::Set(blocks_tag, place.index >> 32);
  // A stream has 2^32 blocks. The upper bits of the purpose take the overflow, so a longer stream does not repeat.
  Blocks word3 = hn::Add(hn::Set(blocks_tag, static_cast<std::uint64_t>(place.purpose)),
                         hn::ShiftLeft<16>(hn::ShiftRight<32>(blocks)));
  std::uint64_t key0 = place.seed & 0xffffffffu;
  std::uint64_t key1 = place.seed >> 32;
#pragma GCC unroll 10
  for (int round = 0; round < 10; ++round) {
    const Blocks product0 = product(word0, 0xD2511F53u);
    const Blocks product2 = product(word2, 0xCD9E8D57u);
    word0 = hn::Xor(hn::ShiftRight<32>(product2), hn::Xor(word1, hn::Set(blocks_tag, key0)));
    word1 = product2;
    word2 = hn::Xor(hn::ShiftRight<32>(product0), hn::Xor(word3, hn::Set(blocks_tag, key1)));
    word3 = product0;
    key0 += 0x9E3779B9u;
    key1 += 0xBB67AE85u;
  }
  const Blocks words01 = join(word0, word1);
  const Blocks words23 = join(word2, word3);
  lower = hn::BitCast(words_tag, hn::InterleaveLower(words01, words23));
  upper = hn::BitCast(words_tag, hn::InterleaveUpper(blocks_tag, words01, words23));
}

// Returns the blocks from `first`, in the lanes in which `draw` yields their words in the order of the stream.
HWY_INLINE Blocks blocks_from(std::uint64_t first) {
  const Blocks half = hn::ShiftRight<1>(hn::Iota(blocks_tag, 0));
  const Blocks odd = hn::Add(half, hn::Set(blocks_tag, hn::Lanes(blocks_tag) / 2));
  return hn::Add(hn::Set(blocks_tag, first), hn::OddEven(odd, half));
}

// ---- Values: each functor converts two vectors of words in place to the bits of as many values

struct ToBits {
  HWY_INLINE void operator()(Words&, Words&) const {}
};

struct ToUniform {
  HWY_INLINE void operator()(Words& first, Words& second) const {
    first = uniform(first);
    second = uniform(second);
  }

 private:
  static HWY_INLINE Words uniform(Words words) {
    const Floats whole = hn::ConvertTo(floats_tag, hn::BitCast(integers_tag, hn::ShiftRight<8>(words)));
    return hn::BitCast(words_tag, hn::Mul(whole, hn::Set(floats_tag, 0x1p-24f)));
  }
};

struct ToMask {
  std::uint32_t threshold;

  HWY_INLINE void operator()(Words& first, Words& second) const {
    first = mask_of(first);
    second = mask_of(second);
  }

 private:
  HWY_INLINE Words mask_of(Words words) const {
    const Words one = hn::BitCast(words_tag, hn::Set(floats_tag, 1.0f));
    return hn::IfThenZeroElse(hn::Lt(words, hn::Set(words_tag, threshold)), one);
  }
};

HWY_INLINE Floats polynomial(Floats, float constant) {
  return hn::Set(floats_tag, constant);
}

// The coefficients are in ascending order.
template <class... Higher>
HWY_INLINE Floats polynomial(Floats x, float constant, Higher... higher) {
  return hn::Add(hn::Mul(polynomial(x, higher...), x), hn::Set(floats_tag, constant));
}

// ln x for normal x > 0. Source: Cephes, logf.c.
HWY_INLINE Floats logarithm(Floats x) {
  // x = (1 + m) 2^e with 1 + m in [sqrt(1/2), sqrt(2))
  const auto root_half = hn::Set(integers_tag, 0x3f3504f3);
  const auto bits = hn::Sub(hn::BitCast(integers_tag, x), root_half);
  const Floats e = hn::ConvertTo(floats_tag, hn::ShiftRight<23>(bits));
  const auto fraction = hn::Add(hn::And(bits, hn::Set(integers_tag, 0x7fffff)), root_half);
  const Floats m = hn::Sub(hn::BitCast(floats_tag, fraction), hn::Set(floats_tag, 1.0f));
  const Floats square = hn::Mul(m, m);
  const Floats series =
      polynomial(m, 3.3333331174E-1f, -2.4999993993E-1f, 2.0000714765E-1f, -1.6668057665E-1f, 1.4249322787E-1f,
                 -1.2420140846E-1f, 1.1676998740E-1f, -1.1514610310E-1f, 7.0376836292E-2f);
  Floats rest = hn::Mul(hn::Mul(m, square), series);
  rest = hn::Add(rest, hn::Mul(e, hn::Set(floats_tag, -2.12194440e-4f)));  // ln 2 in two parts; the larger is exact
  rest = hn::Sub(rest, hn::Mul(square, hn::Set(floats_tag, 0.5f)));
  return hn::Add(hn::Add(m, rest), hn::Mul(e, hn::Set(floats_tag, 0.693359375f)));
}

// Two words map to each value of `radius`.
HWY_INLINE Floats radius_of(Words words) {
  const Floats whole = hn::ConvertTo(floats_tag, hn::BitCast(integers_tag, hn::ShiftRight<1>(words)));
  const Floats u = hn::Mul(hn::Add(whole, hn::Set(floats_tag, 0.5f)), hn::Set(floats_tag, 0x1p-31f));
  return hn::Sqrt(hn::Mul(logarithm(u), hn::Set(floats_tag, -2.0f)));
}

// Cosine and sine of an angle: the upper two bits count quarter turns, the others are a signed fraction of one.
HWY_INLINE void direction_of(Words words, Floats& cosine, Floats& sine) {
  const Words part = hn::ShiftLeft<2>(words);
  const Floats x = hn::Mul(hn::ConvertTo(floats_tag, hn::BitCast(integers_tag, part)),
                           hn::Set(floats_tag, 0x1.921fb6p-1f * 0x1p-31f));  // pi/4 / 2^31
  // Source: Cephes, sinf.c, for -pi/4..pi/4.
  const Floats square = hn::Mul(x, x);
  const Floats s = hn::Add(
      hn::Mul(hn::Mul(polynomial(square, -1.6666654611E-1f, 8.3321608736E-3f, -1.9515295891E-4f), square), x), x);
  const Floats c =
      polynomial(square, 1.0f, -0.5f, 4.166664568298827E-2f, -1.388731625493765E-3f, 2.443315711809948E-5f);
  const Words odd = hn::ShiftLeft<1>(words);  // the sign bit is set for an odd number of quarter turns
  const Words sign = hn::Set(words_tag, 0x80000000u);
  const Floats swapped = hn::BitCast(floats_tag, odd);
  cosine = hn::Xor(hn::IfNegativeThenElse(swapped, s, c), hn::BitCast(floats_tag, hn::And(hn::Xor(words, odd), sign)));
  sine = hn::Xor(hn::IfNegativeThenElse(swapped, c, s), hn::BitCast(floats_tag, hn::And(words, sign)));
}

struct ToNormal {
  HWY_INLINE void operator()(Words& first, Words& second) const {
    transpose(first, second);
    const Floats radius = radius_of(first);
    Floats cosine, sine;
    direction_of(second, cosine, sine);
    first = hn::BitCast(words_tag, hn::Mul(radius, cosine));
    second = hn::BitCast(words_tag, hn::Mul(radius, sine));
    transpose(first, second);
  }

 private:
  // In each pair of lanes, moves both even words to `first` and both odd words to `second`. Its own inverse.
  static HWY_INLINE void transpose(Words& first, Words& second) {
    const Blocks pairs = hn::BitCast(blocks_tag, first);
    const Blocks others = hn::BitCast(blocks_tag, second);
    first = hn::OddEven(hn::BitCast(words_tag, hn::ShiftLeft<32>(others)), first);
    second = hn::OddEven(second, hn::BitCast(words_tag, hn::ShiftRight<32>(pairs)));
  }
};

// ---- Arrays

template <class Value>
HWY_INLINE void store(Words first, Words second, Value* values) {
  constexpr hn::ScalableTag<Value> tag;
  hn::StoreU(hn::BitCast(tag, first), tag, values);
  hn::StoreU(hn::BitCast(tag, second), tag, values + hn::Lanes(tag));
}

template <class Convert, class Value>
HWY_INLINE void fill(StreamPlace place, Convert convert, Value* values, std::int64_t count) {
  const auto lanes = static_cast<std::int64_t>(hn::Lanes(words_tag));
  const Blocks step = hn::Set(blocks_tag, hn::Lanes(blocks_tag));
  Blocks blocks = blocks_from(place.block);
  Words first, second, third, fourth;
  // Draws two vectors of blocks at a time, because the products of one are a chain of dependent operations.
  for (; count >= 4 * lanes; count -= 4 * lanes, values += 4 * lanes) {
    draw(place, blocks, first, second);
    draw(place, hn::Add(blocks, step), third, fourth);
    convert(first, second);
    convert(third, fourth);
    store(first, second, values);
    store(third, fourth, values + 2 * lanes);
    blocks = hn::Add(blocks, hn::Add(step, step));
  }
  for (; count >= 2 * lanes; count -= 2 * lanes, values += 2 * lanes) {
    draw(place, blocks, first, second);
    convert(first, second);
    store(first, second, values);
    blocks = hn::Add(blocks, step);
  }
  if (count == 0) return;
  Value last[2 * hn::MaxLanes(words_tag)];
  draw(place, blocks, first, second);
  convert(first, second);
  store(first, second, last);
  std::memcpy(values, last, static_cast<std::size_t>(count) * sizeof(Value));
}

void bits(const StreamPlace& place, std::uint32_t* bits, std::int64_t count) {
  fill(place, ToBits{}, bits, count);
}

void uniforms(const StreamPlace& place, float* values, std::int64_t count) {
  fill(place, ToUniform{}, values, count);
}

void mask(const StreamPlace& place, std::uint32_t threshold, float* values, std::int64_t count) {
  fill(place, ToMask{threshold}, values, count);
}

void normals(const StreamPlace& place, float* values, std::int64_t count) {
  fill(place, ToNormal{}, values, count);
}

void normals_of_words(const std::uint32_t* words, float* values, std::int64_t count) {
  const auto lanes = static_cast<std::int64_t>(hn::Lanes(words_tag));
  for (std::int64_t done = 0; done < count; done += 2 * lanes) {
    std::uint32_t chosen[2 * hn::MaxLanes(words_tag)] = {};
    float computed[2 * hn::MaxLanes(words_tag)];
    const auto length = static_cast<std::size_t>(std::min(2 * lanes, count - done));
    std::memcpy(chosen, words + done, length * sizeof *words);
    Words first = hn::LoadU(words_tag, chosen);
    Words second = hn::LoadU(words_tag, chosen + lanes);
    ToNormal{}(first, second);
    store(first, second, computed);
    std::memcpy(values + done, computed, length * sizeof *values);
  }
}

}  // namespace
}  // namespace HWY_NAMESPACE
}  // namespace sheaf
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace sheaf {
namespace {

HWY_EXPORT(bits);
HWY_EXPORT(uniforms);
HWY_EXPORT(mask);
HWY_EXPORT(normals);
HWY_EXPORT(normals_of_words);

}  // namespace

void fill_bits(const StreamPlace& place, std::uint32_t* values, std::int64_t count) {
  HWY_DYNAMIC_DISPATCH(bits)(place, values, count);
}

void fill_uniform(const StreamPlace& place, float* values, std::int64_t count) {
  HWY_DYNAMIC_DISPATCH(uniforms)(place, values, count);
}

void fill_mask(const StreamPlace& place, std::uint32_t threshold, float* values, std::int64_t count) {
  HWY_DYNAMIC_DISPATCH(mask)(place, threshold, values, count);
}

void fill_normal(const StreamPlace& place, float* values, std::int64_t count) {
  HWY_DYNAMIC_DISPATCH(normals)(place, values, count);
}

void normals_of(const std::uint32_t* words, float* values, std::int64_t count) {
  assert(count % 2 == 0);
  HWY_DYNAMIC_DISPATCH(normals_of_words)(words, values, count);
}

}  // namespace sheaf
#endif
