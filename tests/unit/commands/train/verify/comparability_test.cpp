// SPDX-License-Identifier: MIT
#include "commands/train/verify/comparability.hpp"

#include "support/catch.hpp"

namespace sheaf {
namespace {

const JournalHeader own{
    "0.18.0",
    "study",
    "data",
    journal_format,
    {},
    {},
    0,
    {},
    Platform{"b1", {{"native_engine", "AVX2"}, {"libtorch", "1.13, AVX2"}, {"xgboost", "1.7.4"}}, 1}};

IterationResult result_of(const char* engine, int gpu = -1) {
  IterationResult result;
  result.engine = engine;
  result.gpu = gpu;
  return result;
}

std::string reason(const char* engine, const JournalHeader& stored) {
  return rounding_reason(result_of(engine), result_of(engine), {stored}, own).value_or("the same bits");
}

TEST_CASE("the bits must be the same with the same program, engine and processor") {
  CHECK(reason("native", own) == "the same bits");
  CHECK(reason("torch", own) == "the same bits");
}

TEST_CASE("only what an engine uses decides about its bits") {
  JournalHeader other = own;
  other.platform->engines["native_engine"] = "AVX3";
  CHECK(reason("native", other) == "they were trained with the instruction set AVX3, this is AVX2");
  CHECK(reason("torch", other) == "the same bits");
  other = own;
  other.platform->threads = 4;
  CHECK(reason("native", other) == "the same bits");
  CHECK(reason("torch", other) == "they were trained with run.threads = 4, this is 1");
  other = own;
  other.platform->engines["libtorch"] = "2.0, AVX2";
  CHECK(reason("native", other) == "the same bits");
  CHECK(reason("torch", other) == "they were trained with LibTorch 2.0, AVX2, this is 1.13, AVX2");
  other = own;
  other.platform->threads = 4;
  CHECK(reason("xgboost", other) == "the same bits");
  other.platform->engines.erase("xgboost");
  CHECK(reason("xgboost", other) == "they were trained with XGBoost unknown, this is 1.7.4");
}

TEST_CASE("another program, engine or device agrees to rounding") {
  JournalHeader other = own;
  other.program = "0.17.0";
  CHECK(reason("native", other) == "they were trained with sheaf 0.17.0, this is 0.18.0");
  other = own;
  other.platform->build = "b2";
  CHECK(reason("native", other) == "they were trained with build b2, this is b1");
  other.platform.reset();
  CHECK(reason("native", other) == "the run has not recorded its processor");
  CHECK(rounding_reason(result_of("native"), result_of("torch"), {own}, own) ==
        "they were trained by the engine native, now by torch");
  const auto on = [](int before, int now) {
    return rounding_reason(result_of("torch", before), result_of("torch", now), {own}, own);
  };
  CHECK(on(0, -1) == "they were trained on a GPU, now on cores");
  CHECK(on(-1, 0) == "they were trained on cores, now on a GPU");
  CHECK(on(0, 1) == "sums on GPUs have no fixed order");
}

TEST_CASE("every job that may have trained a part of an iteration counts") {
  JournalHeader other = own;
  other.platform->engines["native_engine"] = "AVX3";
  const IterationResult result = result_of("native");
  CHECK(rounding_reason(result, result, {own, other}, own).has_value());
  CHECK(rounding_reason(result, result, {own, std::nullopt}, own).has_value());
  CHECK_FALSE(rounding_reason(result, result, {own, own}, own).has_value());
}

TEST_CASE("an iteration on a core may have begun on the GPU of its rank") {
  JournalHeader with_gpu = own;
  with_gpu.platform->gpu = "NVIDIA H200";
  IterationResult whole = result_of("torch"), continued = whole;
  continued.earlier_seconds = 1.5;
  const IterationResult now = result_of("torch");
  CHECK(rounding_reason(whole, now, {with_gpu}, own) == std::nullopt);
  CHECK(rounding_reason(continued, now, {own}, own) == std::nullopt);
  for (const auto& reason :
       {rounding_reason(continued, now, {with_gpu}, own), rounding_reason(whole, now, {own, with_gpu}, own)})
    CHECK(reason == "a part may have been trained on a GPU");
  continued.engine = "native";
  CHECK(rounding_reason(continued, result_of("native"), {with_gpu}, own) == std::nullopt);
}

}  // namespace
}  // namespace sheaf
