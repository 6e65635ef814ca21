// How the evaluations of a stack are divided into chunks, each of which is one call on the device. Pure.
// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "models/layer.hpp"
#include "training/stack_trainer.hpp"

namespace sheaf {

/// Rows of an evaluation that are computed together.
struct EvaluationPiece {
  std::size_t evaluation = 0;  ///< its index
  std::int64_t begin = 0, count = 0;
};

/// Pieces that are computed at the same time, one in each place. Other places are idle.
struct EvaluationChunk {
  std::int64_t rows = 0;  ///< of each place: those of a piece and padding
  std::int64_t places = 0;
  std::vector<EvaluationPiece> pieces;
};

/// The stack that evaluates, and how many values of a layer a chunk may have. If a single piece has more, chunks have
/// one place.
struct EvaluatingStack {
  const std::vector<Layer>& layers;
  std::int64_t width = 0;
  std::int64_t most_values = 0;
};

/// Divides evaluations into chunks. Products may be rounded differently for other sizes, and results must not depend on
/// the other evaluations. Therefore the rows of a piece depend on the count of its evaluation only, and the places of a
/// chunk on its rows and the stack. The pieces of an evaluation are in order.
std::vector<EvaluationChunk> evaluation_chunks(const std::vector<SlotEvaluation>& evaluations,
                                               const EvaluatingStack& stack);

}  // namespace sheaf
