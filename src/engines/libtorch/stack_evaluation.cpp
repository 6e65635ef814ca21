// SPDX-License-Identifier: MIT
#include "engines/libtorch/stack_evaluation.hpp"

#include <algorithm>

#include "core/padding.hpp"
#include "training/stack_limits.hpp"

namespace sheaf {
namespace {

std::int64_t padded_rows(const EvaluationPiece& piece) {
  return round_up(piece.count, stack_padding);
}

// All chunks with so many rows have about the same size.
std::int64_t places_of(std::int64_t rows, const EvaluatingStack& stack) {
  std::int64_t widest = 1;
  for (const Layer& layer : stack.layers) widest = std::max({widest, layer.inputs, layer.outputs});
  const std::int64_t most = std::max<std::int64_t>(1, stack.most_values / (rows * widest));
  const std::int64_t chunks = (stack.width + most - 1) / most;
  return (stack.width + chunks - 1) / chunks;
}

}  // namespace

std::vector<EvaluationChunk> evaluation_chunks(const std::vector<SlotEvaluation>& evaluations,
                                               const EvaluatingStack& stack) {
  std::vector<EvaluationPiece> pieces;
  for (std::size_t index = 0; index < evaluations.size(); ++index)
    for (std::int64_t begin = 0; begin < evaluations[index].count; begin += most_evaluated_rows)
      pieces.push_back({index, begin, std::min(most_evaluated_rows, evaluations[index].count - begin)});
  std::stable_sort(pieces.begin(), pieces.end(),
                   [](const auto& one, const auto& other) { return padded_rows(one) > padded_rows(other); });
  std::vector<EvaluationChunk> chunks;
  for (const EvaluationPiece& piece : pieces) {
    const std::int64_t rows = padded_rows(piece);
    const bool fits = !chunks.empty() && chunks.back().rows == rows &&
                      static_cast<std::int64_t>(chunks.back().pieces.size()) < chunks.back().places;
    if (!fits) chunks.push_back({rows, places_of(rows, stack), {}});
    chunks.back().pieces.push_back(piece);
  }
  return chunks;
}

}  // namespace sheaf
