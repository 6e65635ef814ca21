// The interface of the layers of the native engine. A network is a chain of them: training, evaluation and prediction
// call the layers in turn.
// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <functional>

#include "engines/native/kernels/arena.hpp"
#include "engines/native/layers/parameters.hpp"
#include "engines/native/layers/tile.hpp"
#include "study/model_options.hpp"

namespace sheaf {

/// Values that training changes besides the parameters, such as running statistics.
template <class Value>
struct Buffer {
  Value* values = nullptr;
  std::int64_t count = 0;
  Value initial = 0;
};
template <class Value>
using BufferUse = std::function<void(const Buffer<Value>&)>;

/// A layer that computes outputs. Its inputs and outputs are LayerValues. Only the constructor and reserve() allocate
/// memory; arrays are in an arena. Not shared between threads.
template <class Value>
class ForwardLayer {
 public:
  ForwardLayer() = default;
  ForwardLayer(const ForwardLayer&) = delete;
  ForwardLayer& operator=(const ForwardLayer&) = delete;
  virtual ~ForwardLayer() = default;

  /// Calls `use` for the layer's parameters, in the order of initial_weights().
  virtual void for_each_segment(const SegmentUse& use) const = 0;

  /// Calls `use` for the layer's buffers, in the order of NetworkState::buffers.
  virtual void for_each_buffer(const BufferUse<Value>&) const {}

  /// Takes the memory that predictions need besides parameters and values.
  virtual void lay_out_predictions(ArenaLayout&) {}

  /// Computes the outputs of a tile.
  virtual void forward(const TilePass& pass) = 0;
};

/// A layer that can also be trained.
template <class Value>
class TrainedLayer : public ForwardLayer<Value> {
 public:
  /// Takes memory for training on tiles of up to `max_rows` rows.
  virtual void lay_out(ArenaLayout&, std::int64_t) {}

  /// Sets the options of the next trainings.
  virtual void set_options(const ModelOptions&) {}

  /// Prepares for tiles of `row_count` rows, a multiple of `padding`.
  virtual void reserve(std::int64_t) {}

  /// Computes the gradients of the parameters and of the inputs from the gradients of the outputs, which are stored
  /// like the outputs, and updates the parameters if `pass.updates`. Returns the gradients of the inputs: `gradients`,
  /// changed in place, or `spare`.
  virtual Value* backward(const TilePass& pass, Value* gradients, Value* spare) = 0;
};

}  // namespace sheaf
