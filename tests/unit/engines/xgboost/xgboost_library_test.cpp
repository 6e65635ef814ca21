// SPDX-License-Identifier: MIT
#include "engines/xgboost/xgboost_library.hpp"

#include <type_traits>

#if __has_include(<xgboost/c_api.h>)
#include <xgboost/c_api.h>
#define SHEAF_HAS_XGBOOST_HEADER
#endif

#include "core/error.hpp"
#include "engines/xgboost/booster.hpp"
#include "support/catch.hpp"

using namespace sheaf;

#ifdef SHEAF_HAS_XGBOOST_HEADER
// The functions have the types of XGBoost's header.
template <class Own, class Declared>
constexpr bool same = std::is_same_v<Own, Declared*>;
static_assert(same<decltype(XgboostFunctions::last_error), decltype(XGBGetLastError)>);
static_assert(same<decltype(XgboostFunctions::version), decltype(XGBoostVersion)>);
static_assert(same<decltype(XgboostFunctions::create_matrix), decltype(XGDMatrixCreateFromDense)>);
static_assert(same<decltype(XgboostFunctions::free_matrix), decltype(XGDMatrixFree)>);
static_assert(same<decltype(XgboostFunctions::set_matrix_info), decltype(XGDMatrixSetInfoFromInterface)>);
static_assert(same<decltype(XgboostFunctions::set_matrix_texts), decltype(XGDMatrixSetStrFeatureInfo)>);
static_assert(same<decltype(XgboostFunctions::create_booster), decltype(XGBoosterCreate)>);
static_assert(same<decltype(XgboostFunctions::free_booster), decltype(XGBoosterFree)>);
static_assert(same<decltype(XgboostFunctions::set_parameter), decltype(XGBoosterSetParam)>);
static_assert(same<decltype(XgboostFunctions::update), decltype(XGBoosterUpdateOneIter)>);
static_assert(same<decltype(XgboostFunctions::predict), decltype(XGBoosterPredictFromDMatrix)>);
static_assert(same<decltype(XgboostFunctions::slice), decltype(XGBoosterSlice)>);
static_assert(same<decltype(XgboostFunctions::save), decltype(XGBoosterSaveModelToBuffer)>);
static_assert(same<decltype(XgboostFunctions::load), decltype(XGBoosterLoadModelFromBuffer)>);
#endif

TEST_CASE("an error of XGBoost is its first line, without the place in its source") {
  CHECK_THAT(xgboost_version(), Catch::Matchers::Matches("[0-9]+\\.[0-9]+\\.[0-9]+"));
  const TreeMatrix rows({1, 2}, 2, {false});  // without labels
  Booster booster({{"verbosity", "0"}}, {&rows});
  try {
    booster.update(0, rows);
    FAIL("no error");
  } catch (const RunError& error) {
    CHECK_THAT(error.what(), StartsWith("XGBoost: Check failed: "));
    CHECK_THAT(error.what(), !ContainsSubstring("\n") && !ContainsSubstring(".cc:"));
  }
}

TEST_CASE("a model must have as many outputs as its description says") {
  TreeMatrix rows({1, 2, 3, 4}, 4, {false});
  rows.set("label", {0, 1, 0, 1});
  Booster booster({{"objective", "binary:logistic"}, {"tree_method", "hist"}, {"verbosity", "0"}}, {&rows});
  booster.update(0, rows);
  CHECK(booster.predict(rows, 4, 1).size() == 4);
  CHECK_THROWS_WITH(booster.predict(rows, 4, 3), "XGBoost: the model has 4 outputs for 4 rows, not 3 per row");
}
