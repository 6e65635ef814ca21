// SPDX-License-Identifier: MIT
#include "engines/libtorch/stack_evaluation.hpp"

#include <algorithm>
#include <cstdint>
#include <vector>

#include "support/catch.hpp"

using namespace sheaf;

namespace {

std::vector<Layer> dense_layers(std::int64_t inputs, std::int64_t outputs) {
  Layer layer;
  layer.inputs = inputs;
  layer.outputs = outputs;
  return {layer};
}

std::vector<EvaluationChunk> chunks_of(const std::vector<std::int64_t>& counts, std::int64_t width,
                                       std::int64_t most_values) {
  std::vector<SlotEvaluation> evaluations;
  for (const std::int64_t count : counts) evaluations.push_back({0, nullptr, count, nullptr});
  const std::vector<Layer> layers = dense_layers(64, 10);
  return evaluation_chunks(evaluations, {layers, width, most_values});
}

}  // namespace

TEST_CASE("evaluations with as many rows share chunks") {
  const auto chunks = chunks_of({1500, 470, 0, 1024, 480}, 3, 1 << 30);
  REQUIRE(chunks.size() == 2);
  CHECK(chunks[0].rows == 1024);
  REQUIRE(chunks[0].pieces.size() == 2);
  CHECK(chunks[0].pieces[0].evaluation == 0);
  CHECK(chunks[0].pieces[0].count == 1024);
  CHECK(chunks[0].pieces[1].evaluation == 3);
  CHECK(chunks[1].rows == 480);
  REQUIRE(chunks[1].pieces.size() == 3);
  CHECK(chunks[1].pieces[0].begin == 1024);
  CHECK(chunks[1].pieces[0].count == 476);
  CHECK(chunks[1].pieces[1].evaluation == 1);
  CHECK(chunks[1].pieces[2].evaluation == 4);
  for (const EvaluationChunk& chunk : chunks) CHECK(chunk.places == 3);
}

TEST_CASE("chunks of a stack are limited and have the same number of places") {
  const std::vector<std::int64_t> counts(20, 100);
  const auto chunks = chunks_of(counts, 20, 8 * 128 * 64);
  REQUIRE(chunks.size() == 3);
  for (const EvaluationChunk& chunk : chunks) CHECK(chunk.places == 7);  // 20 in three chunks
  CHECK(chunks[2].pieces.size() == 6);
  CHECK(chunks_of({100}, 20, 8 * 128 * 64)[0].places == 7);
  CHECK(chunks_of({100}, 20, 1)[0].places == 1);
}

TEST_CASE("the pieces of an evaluation are in order") {
  for (const std::int64_t width : {1, 2, 7}) {
    std::vector<std::int64_t> ends(3);
    for (const EvaluationChunk& chunk : chunks_of({5000, 3000, 17}, width, 1 << 30)) {
      CHECK(static_cast<std::int64_t>(chunk.pieces.size()) <= chunk.places);
      for (const EvaluationPiece& piece : chunk.pieces) {
        CHECK(piece.begin == ends[piece.evaluation]);
        CHECK(piece.count <= chunk.rows);
        ends[piece.evaluation] += piece.count;
      }
    }
    CHECK(ends == std::vector<std::int64_t>{5000, 3000, 17});
  }
}
