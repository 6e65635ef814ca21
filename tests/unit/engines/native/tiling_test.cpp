// SPDX-License-Identifier: MIT
#include "engines/native/tiling.hpp"

#include "models/network_layout.hpp"
#include "support/catch.hpp"
#include "support/plain_study.hpp"

using namespace sheaf;

namespace {

std::vector<Layer> mlp(std::int64_t features, std::vector<std::int64_t> hidden, std::int64_t outputs) {
  ModelOptions model = test::plain_model();
  model.kind = ModelKind::mlp;
  model.hidden = std::move(hidden);
  return network_layout(model, {1000, features, outputs, {}});
}

}  // namespace

TEST_CASE("tiles cover all rows with the smallest possible number of tiles, within the limit") {
  for (const std::int64_t limit : {16, 64, 80, 256}) {
    for (std::int64_t rows = 1; rows <= 1000; ++rows) {
      const std::int64_t tile = tile_rows(rows, limit), last = last_tile_rows(rows, tile);
      INFO(rows << " rows, limit " << limit << ": tiles of " << tile << ", the last of " << last);
      REQUIRE(tile % padding == 0);
      REQUIRE(tile <= limit);
      REQUIRE((last >= 1 && last <= std::min(tile, rows)));
      REQUIRE((rows - last) % tile == 0);
      REQUIRE((rows - last) / tile + 1 == (rows + limit - 1) / limit);
    }
  }
}

TEST_CASE("tiles have almost equal size") {
  CHECK(tile_rows(257, 256) == 144);
  CHECK(last_tile_rows(257, 144) == 113);
  CHECK(tile_rows(32, 256) == 32);
  CHECK(tile_rows(33, 256) == 48);
}

TEST_CASE("cached rows fill half of a typical second-level cache, with a minimum number of rows") {
  // Values per row for two copies of the inputs, slopes and gradients: (3 x 64 + 32) + (3 x 32 + 10) + 2 x 10.
  CHECK(cached_rows(mlp(64, {32}, 10), 4) == (256 << 10) / (350 * 4) / 16 * 16);
  CHECK(cached_rows(mlp(64, {32}, 10), 8) == (256 << 10) / (350 * 8) / 16 * 16);
  // Linear models with few outputs need one copy of the inputs and four values per output.
  CHECK(cached_rows(mlp(10, {}, 1), 4) == (256 << 10) / (14 * 4) / 16 * 16);
  CHECK(cached_rows(mlp(4000, {4000}, 10), 8) == 64);
  for (const std::int64_t width : {1, 3, 17, 100, 500}) CHECK(cached_rows(mlp(width, {width}, 3), 4) % padding == 0);
}

TEST_CASE("tiles fit the first-level cache for linear models with few outputs, and the second-level otherwise") {
  CHECK(best_tile_rows(mlp(10, {}, 1), 32, 4) == (28 << 10) / (14 * 4) / 16 * 16);
  CHECK(best_tile_rows(mlp(10, {}, 3), 32, 8) == (28 << 10) / (22 * 8) / 16 * 16);
  CHECK(best_tile_rows(mlp(10000, {}, 1), 32, 4) == 64);
  for (const auto& layers : {mlp(10, {}, narrow_outputs), mlp(10, {3}, 1)})
    CHECK(best_tile_rows(layers, 1000, 4) == cached_rows(layers, 4));
}

TEST_CASE("tiles have one value for each one-hot encoded feature") {
  std::vector<Layer> encoded = mlp(9, {64}, 1);
  EncodedFeature number{0}, category{1, EncodedFeature::Use::one_hot, 30};
  Layer encoding{Layer::Kind::encoding, 9, 125};
  encoding.features.assign(5, number);
  encoding.features.resize(9, category);
  encoded.front().inputs = 125;
  encoded.insert(encoded.begin(), encoding);
  const std::int64_t of_encoding = 3 * 16 + 9;
  CHECK(cached_rows(mlp(9, {64}, 1), 4) == (256 << 10) / (307 * 4) / 16 * 16);
  CHECK(cached_rows(encoded, 4) == (256 << 10) / ((307 + of_encoding) * 4) / 16 * 16);
}

TEST_CASE("a batch is one tile if there are batch norms") {
  std::vector<Layer> layers = mlp(4000, {4000}, 10);
  layers.insert(layers.begin() + 1, {Layer::Kind::batch_norm, 4000, 4000});
  CHECK(best_tile_rows(layers, 1001, 4) == 1008);
  CHECK(best_tile_rows(layers, 10, 4) == cached_rows(layers, 4));
}

TEST_CASE("the blocks of a matrix are contiguous and whole cache lines wide") {
  for (std::int64_t features = 1; features <= 200; ++features) {
    const FeatureBlocks blocks{features};
    for (const std::int64_t n : {1, 10, 128}) {
      std::int64_t columns = 0, end = 0;
      for (std::int64_t block = 0; block < blocks.count(); ++block) {
        REQUIRE(blocks.offset(block, n) == end);
        REQUIRE(blocks.columns(block) >= 1);
        REQUIRE(blocks.padded(block) == round_up(blocks.columns(block), padding));
        columns += blocks.columns(block);
        end += n * blocks.padded(block);
      }
      REQUIRE(columns == features);
      REQUIRE(end == n * blocks.total_columns());
    }
  }
}
