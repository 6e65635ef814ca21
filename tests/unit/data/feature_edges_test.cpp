// SPDX-License-Identifier: MIT
#include "data/feature_edges.hpp"

#include <cmath>
#include <limits>

#include "data/split_scaling.hpp"
#include "sample_data.hpp"
#include "support/catch.hpp"
#include "support/row_sets.hpp"

using namespace sheaf;
using namespace sheaf::test;

namespace {

constexpr float infinity = std::numeric_limits<float>::infinity();

// The edges of one feature, without infinity.
std::vector<float> edges_of(const std::vector<float>& sample, const FeatureScaling& scaling = {}) {
  std::vector<float> edges = feature_edges(sample, 1, {}, scaling);
  REQUIRE(static_cast<std::int64_t>(edges.size()) == max_edges);
  while (!edges.empty() && edges.back() == infinity) edges.pop_back();
  for (const float edge : edges) CHECK(std::isfinite(edge));
  return edges;
}

}  // namespace

TEST_CASE("edges are the different values of 49 quantiles, as NumPy computes them") {
  // numpy.unique(numpy.quantile(values, numpy.linspace(0, 1, 49)).astype("f4"))
  CHECK(edges_of({0, 1, 1, 0, 1, 0, 0}) ==
        std::vector<float>{0, 0.125f, 0.25f, 0.375f, 0.5f, 0.625f, 0.75f, 0.875f, 1});
  const std::vector<float> few = edges_of({5, 1, 2, 2, 9});
  REQUIRE(few.size() == 37);
  CHECK(few[1] == Approx(1.0833333730697632).epsilon(1e-7));
  CHECK(few[12] == 2);
  CHECK(few[13] == 2.25f);
  CHECK(few.back() == 9);
  const std::vector<float> values = {2.04f,  -2.56f, 0.42f,  -0.57f, -0.45f, -0.22f, -2.02f, -0.23f, -0.87f, 3.32f,
                                     0.23f,  -0.35f, -0.28f, -0.67f, -1.06f, -0.39f, 0.48f,  -0.24f, 0.96f,  -0.2f,
                                     0.02f,  1.55f,  0.55f,  -0.51f, -0.18f, 0.54f,  1.94f,  -0.27f, -0.24f, 1.f,
                                     -0.89f, -0.29f, 0.88f,  0.58f,  0.09f,  0.67f,  -2.83f, 1.02f,  -0.96f, -1.67f,
                                     0.28f,  0.7f,   -0.44f, -1.08f, 0.03f,  -0.05f, 1.41f,  0.75f,  0.19f,  1.11f,
                                     -0.21f, -0.93f, 0.58f,  0.58f,  -0.21f, -0.78f, 0.23f,  -2.49f, 0.69f,  0.49f};
  const std::vector<double> expected = {
      -2.82999992,  -2.54395819,   -2.27458334,  -1.77937496,  -1.12916672,  -1.04541659,  -0.948750019, -0.905833304,
      -0.873333335, -0.773124993,  -0.640833318, -0.538749993, -0.464999974, -0.440208316, -0.38166666,  -0.323749989,
      -0.283333331, -0.271041691,  -0.239999995, -0.236458331, -0.224166662, -0.211874992, -0.209583327, -0.194583341,
      -0.115000002, 0.00104166614, 0.0295833331, 0.108750001,  0.206666663,  0.230000004,  0.273750007,  0.426249981,
      0.483333319,  0.518124998,   0.547916651,  0.579999983,  0.623125017,  0.68416667,   0.699374974,  0.771666646,
      0.911666632,  0.985000014,   1.01708329,   1.13499999,   1.45375001,   1.76125002,   2.01708341,   3.31999993};
  const std::vector<float> found = edges_of(values);
  REQUIRE(found.size() == expected.size());
  for (std::size_t edge = 0; edge < found.size(); ++edge)
    CHECK(found[edge] == Approx(expected[edge]).epsilon(1e-6).margin(1e-7));
}

TEST_CASE("a feature that is constant, or nearly so, has one edge") {
  CHECK(edges_of({3, 3, 3}) == std::vector<float>{3});
  CHECK(edges_of({1, 1 + 2e-7f, 1 + 5e-7f}) == std::vector<float>{1});
  CHECK(edges_of({}).empty());
  // Only the edges that are too close to the one before are left out.
  std::vector<float> values(48, 0.0f);
  values[0] = -1e-7f;
  values.push_back(2);
  CHECK(edges_of(values) == std::vector<float>{-1e-7f, 2});
}

TEST_CASE("edges are those of filled and scaled values") {
  const float nan = std::numeric_limits<float>::quiet_NaN();
  FeatureScaling scaling{{2}, {0.5f}, {}, {6}};
  const std::vector<float> filled = edges_of({2, nan, 4}, scaling), plain = edges_of({0, 2, 1});
  CHECK(filled == plain);
  scaling.clip = {1};
  const std::vector<float> clipped = edges_of({2, nan, 4}, scaling);
  CHECK(clipped.back() == Approx(2 / std::sqrt(5.0)));
  CHECK(edges_of({1, nan, 3}) == edges_of({1, 3}));  // without a fill value
}

TEST_CASE("only numbers have edges") {
  const std::vector<float> sample = {1, 5, 0, 8, 0, 5, 1, 9};  // two rows
  const std::vector<float> edges = feature_edges(sample, 4, {0, 2}, {});
  REQUIRE(static_cast<std::int64_t>(edges.size()) == 2 * max_edges);
  CHECK(edges[0] == 5);
  CHECK(edges[1] == infinity);
  CHECK(edges[max_edges] == 8);
  CHECK(edges[2 * max_edges - 1] == 9);
}

TEST_CASE("a value is in the bin of the inner edges below it") {
  std::vector<float> edges(max_edges, infinity);
  edges[0] = 1, edges[1] = 2, edges[2] = 4;
  edges.resize(2 * max_edges, infinity);
  edges[max_edges] = 7;
  const FeatureBins<double> bins = feature_bins<double>(edges);
  REQUIRE(static_cast<std::int64_t>(bins.inner.size()) == 2 * (max_bins - 1));
  REQUIRE(static_cast<std::int64_t>(bins.lower.size()) == 2 * max_bins);
  REQUIRE(bins.width.size() == bins.lower.size());
  CHECK(bins.inner[0] == 2);
  CHECK(bins.inner[1] == infinity);
  CHECK(bins.lower[0] == 1);
  CHECK(bins.lower[1] == 2);
  CHECK(bins.lower[2] == infinity);
  CHECK(bins.width[0] == 1);
  CHECK(bins.width[1] == 2);
  CHECK(bins.width[2] == 1);
  CHECK(bins.inner[max_bins - 1] == infinity);  // of the second feature, whose place is always 0
  CHECK(bins.lower[max_bins] == infinity);
  CHECK(bins.width[max_bins] == 1);
}

TEST_CASE("edges belong to the scaling of the training rows, for the trials that need them") {
  std::vector<float> features;
  for (int row = 0; row < 200; ++row) features.push_back(static_cast<float>(row * 37 % 101));
  const DataSet data = data_with_features(2, features);
  std::vector<std::int64_t> all(100), some(50);
  for (std::size_t row = 0; row < 100; ++row) all[row] = static_cast<std::int64_t>(row);
  for (std::size_t row = 0; row < 50; ++row) some[row] = static_cast<std::int64_t>(2 * row);
  for (const Normalize normalize : {Normalize::none, Normalize::standard, Normalize::robust}) {
    const ScalingKind kind(normalize, Embedding::piecewise);
    const FeatureScaling scaling = feature_scaling(data, row_set(some), kind, all);
    const FeatureScaling plain = feature_scaling(data, row_set(some), normalize, all);
    CHECK(plain.edges.empty());
    CHECK(plain.shift == scaling.shift);
    std::vector<float> sample;
    for (const std::int64_t row : some)
      for (std::size_t feature = 0; feature < 2; ++feature)
        sample.push_back(features[static_cast<std::size_t>(2 * row) + feature]);
    CHECK(scaling.edges == feature_edges(sample, 2, {}, plain));
    CHECK(scaling.edges != feature_scaling(data, row_set(all), kind, all).edges);
  }
}
