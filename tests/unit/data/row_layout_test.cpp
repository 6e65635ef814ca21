// SPDX-License-Identifier: MIT
#include "data/row_layout.hpp"

#include <fmt/format.h>

#include "core/error.hpp"
#include "support/catch.hpp"

using namespace sheaf;

namespace {

constexpr std::nullopt_t none = std::nullopt;
constexpr ChannelOrder first = ChannelOrder::first, last = ChannelOrder::last;

// "3x32x32 last", "5x6x7 uncertain", "not an image", or "error: " and the message.
std::string seen(const RowFacts& facts) {
  try {
    const auto [image, channels, certain] = row_layout(facts, "data.channels", "data set '/x' of 'x.h5'");
    if (image.channels == 0) return "not an image";
    return fmt::format("{}x{}x{} {}", image.channels, image.height, image.width,
                       !certain           ? "uncertain"
                       : channels == last ? "last"
                                          : "first");
  } catch (const RunError& error) {
    return fmt::format("error: {}", error.what());
  }
}

}  // namespace

TEST_CASE("the layout of rows follows from a key, the attribute, a known image and the shape, in this order") {
  struct Case {
    RowFacts facts;
    std::string expected;
  };
  for (const Case& one : std::vector<Case>{
           // the shape alone
           {{{9}, none, none, {}, {}}, "not an image"},
           {{{9, 64}, none, none, {}, {}}, "not an image"},
           {{{9, 8, 8}, none, none, {}, {}}, "not an image"},
           {{{9, 2, 3, 8, 8}, none, none, {}, {}}, "not an image"},
           {{{9, 1, 28, 28}, none, none, {}, {}}, "1x28x28 first"},
           {{{9, 28, 28, 1}, none, none, {}, {}}, "1x28x28 last"},
           {{{9, 2, 30, 20}, none, none, {}, {}}, "2x30x20 first"},
           {{{9, 30, 20, 2}, none, none, {}, {}}, "2x30x20 last"},
           {{{9, 3, 32, 24}, none, none, {}, {}}, "3x32x24 first"},
           {{{9, 32, 24, 3}, none, none, {}, {}}, "3x32x24 last"},
           {{{9, 4, 4, 16}, none, none, {}, {}}, "4x4x16 first"},
           {{{9, 16, 16, 4}, none, none, {}, {}}, "4x16x16 last"},
           {{{9, 5, 6, 7}, none, none, {}, {}}, "5x6x7 uncertain"},
           {{{9, 3, 8, 3}, none, none, {}, {}}, "3x8x3 uncertain"},
           {{{9, 1, 8, 1}, none, none, {}, {}}, "1x8x1 uncertain"},
           // a key or the attribute
           {{{9, 32, 32, 3}, first, none, {}, {}}, "32x32x3 first"},
           {{{9, 5, 6, 7}, last, none, {}, {}}, "7x5x6 last"},
           {{{9, 5, 6, 7}, none, "last", {}, {}}, "7x5x6 last"},
           {{{9, 3, 8, 3}, none, "first", {}, {}}, "3x8x3 first"},
           {{{9, 3, 8, 3}, last, "last", {}, {}}, "3x3x8 last"},
           {{{9, 5, 6, 7}, last, "RGB", {}, {}}, "7x5x6 last"},
           {{{9, 64}, none, "RGB", {}, {}}, "not an image"},
           {{{9, 64}, none, "last", {}, {}}, "not an image"},
           // a known image
           {{{9, 192}, none, none, {3, 8, 8}, {}}, "3x8x8 first"},
           {{{9, 192}, last, none, {3, 8, 8}, {}}, "3x8x8 last"},
           {{{9, 192}, none, "last", {3, 8, 8}, {}}, "3x8x8 last"},
           {{{9, 5, 6, 7}, none, none, {5, 6, 7}, {}}, "5x6x7 first"},
           {{{9, 6, 7, 5}, none, none, {5, 6, 7}, {}}, "5x6x7 last"},
           {{{9, 6, 7, 5}, last, "last", {5, 6, 7}, {}}, "5x6x7 last"},
           {{{9, 3, 3, 3}, none, none, {3, 3, 3}, {}}, "3x3x3 uncertain"},
           {{{9, 3, 3, 3}, none, "last", {3, 3, 3}, {}}, "3x3x3 last"},
           {{{9, 2, 4, 8}, none, none, {1, 8, 8}, {}}, "1x8x8 first"},
           {{{9, 8, 24, 1}, last, none, {3, 8, 8}, {}}, "3x8x8 last"},
           // the image that a model expects
           {{{9, 6, 7, 5}, none, none, {}, {5, 6, 7}}, "5x6x7 last"},
           {{{9, 192}, none, "last", {}, {3, 8, 8}}, "3x8x8 last"},
           {{{9, 3, 4, 16}, none, none, {}, {3, 8, 8}}, "3x4x16 first"},
           {{{9, 3, 8, 8}, none, none, {3, 8, 8}, {8, 8, 3}}, "3x8x8 first"},
           // contradictions
           {{{9, 3, 8, 8}, last, "first", {}, {}},
            "error: data.channels = last contradicts the attribute 'channels' of data set '/x' of 'x.h5', which is "
            "'first'. Leave out data.channels, or correct the attribute."},
           {{{9, 3, 8, 8}, none, "RGB", {}, {}},
            "error: The attribute 'channels' of data set '/x' of 'x.h5' is 'RGB' (it must be 'first' or 'last'). "
            "Correct it, or set data.channels."},
           {{{9, 8, 8, 3}, first, none, {3, 8, 8}, {}},
            "error: Rows [8, 8, 3] of data set '/x' of 'x.h5' are not images of 3x8x8 with channels first, but with "
            "channels last. Correct data.channels, or the attribute 'channels' of the data set."},
       }) {
    CAPTURE(one.expected);
    CHECK(seen(one.facts) == one.expected);
  }
}

TEST_CASE("an uncertain layout is explained, and rows are described by their images or features") {
  CHECK(uncertain_layout_problem({9, 5, 6, 7}, "data set 'x'") ==
        "The shape [9, 5, 6, 7] of data set 'x' does not show which dimension is the channels (neither the second nor "
        "the last is 1 to 4).");
  CHECK(uncertain_layout_problem({9, 3, 8, 4}, "data set 'x'") ==
        "The shape [9, 3, 8, 4] of data set 'x' does not show which dimension is the channels (the second and the last "
        "are both 1 to 4).");
  CHECK(row_text({{3, 32, 24}, last}, 2304) == "images, 3 channels x 32 x 24 (channels last)");
  CHECK(row_text({{1, 8, 8}, first}, 64) == "images, 1 channel x 8 x 8 (channels first)");
  CHECK(row_text({{5, 6, 7}, first, false}, 210) == "210 features");
  CHECK(row_text({}, 1) == "1 feature");
}
