// SPDX-License-Identifier: MIT
#include <ATen/Parallel.h>
#include <c10/core/DeviceGuard.h>
#include <fmt/format.h>
#include <torch/cuda.h>

#include <chrono>
#include <mutex>

#include "core/error.hpp"
#include "dataset/synthetic.hpp"
#include "engine/engine.hpp"
#include "engine/score.hpp"
#include "engine/torch_training.hpp"
#include "model/initial_weights.hpp"
#include "plan/estimate.hpp"

namespace sheaf {
namespace {

std::string first_line(const c10::Error& error) {
  const std::string text = error.what_without_backtrace();
  return text.substr(0, text.find('\n'));
}

torch::Device torch_device(int gpu) {
  if (gpu < 0) return torch::kCPU;
  const auto count = static_cast<int>(torch::cuda::device_count());
  require(gpu < count, fmt::format("GPU {} cannot be used (LibTorch sees {} CUDA devices). Build with a LibTorch that "
                                   "has CUDA and fits the driver, or set run.device = cpu.",
                                   gpu, count));
  return {torch::kCUDA, static_cast<c10::DeviceIndex>(gpu)};
}

// LibTorch keeps its thread counts partly per thread (OpenMP), partly per process.
void set_thread_counts(int lane_threads) {
  static std::mutex mutex;
  static std::once_flag once;
  const std::lock_guard lock(mutex);
  std::call_once(once, [] { at::set_num_interop_threads(1); });
  at::set_num_threads(lane_threads);
}

// What ensembles average: probabilities of classifiers, plain values for mse.
torch::Tensor predictions_from(const torch::Tensor& outputs, LossKind loss) {
  switch (loss) {
    case LossKind::mse:
      return outputs;
    case LossKind::cross_entropy:
      return torch::softmax(outputs, 1);
    case LossKind::bce:
      return torch::sigmoid(outputs);
  }
  return outputs;
}

std::vector<float> to_vector(const torch::Tensor& values) {
  const torch::Tensor plain = values.contiguous();
  return {plain.data_ptr<float>(), plain.data_ptr<float>() + plain.numel()};
}

class TorchEngine : public Engine {
 public:
  TorchEngine(const TrainingContext& context, LaneDevice device)
      : context_(context), device_(torch_device(device.gpu)) {
    set_thread_counts(device.gpu < 0 ? device.thread_count : 1);
    if (context_.data != nullptr) shared_ = data_tensors(*context_.data, device_);
  }

  void train(IndexRange claim, const TrainedIterationSink& sink, const std::function<bool()>& stop_requested) override {
    const c10::OptionalDeviceGuard guard(device_);
    for (std::int64_t number = claim.begin; number < claim.end && !stop_requested(); ++number) {
      TrainedIteration trained;
      try {
        trained = train_iteration(context_.plan.iteration(number));
      } catch (const c10::Error& error) {
        throw RunError(
            fmt::format("iteration {} could not be trained (LibTorch: {}). Use a smaller batch or model or "
                        "fewer lanes if memory ran out.",
                        number, first_line(error)));
      }
      sink(std::move(trained));
    }
  }

 private:
  // What an iteration trains on.
  struct Lot {
    DataSet data;
    DataTensors tensors;
    std::shared_ptr<const Split> split;
  };

  Lot lot_of(const Iteration& iteration) const {
    if (context_.data != nullptr)
      return {*context_.data, shared_, context_.splits->split(iteration.repeat, iteration.fold)};
    const DataSet drawn = draw_synthetic(context_.study.data, iteration.seed);
    Splits splits(context_.study, drawn);
    return {drawn, data_tensors(drawn, device_), splits.split(iteration.repeat, iteration.fold)};
  }

  TrainedIteration train_iteration(const Iteration& iteration) const {
    const auto start = std::chrono::steady_clock::now();
    const auto& [values, model, train] = context_.plan.trials()[static_cast<std::size_t>(iteration.trial)];
    const Lot lot = lot_of(iteration);
    const auto dtype = train.precision == Precision::float64 ? torch::kFloat64 : torch::kFloat32;
    const auto layers = network_layout(model, shape_of(lot.data, context_.study.data));
    const Network network(model, layers, initial_weights(layers, model.initialisation, iteration.seed), device_, dtype);
    const BatchReader reader(lot.data, lot.tensors, lot.split->scaling, train.loss, dtype);

    TrainedIteration trained;
    IterationRecord& record = trained.record;
    const auto& rows = lot.split->training_rows;
    const TrainingEnd end =
        train_network(network, reader, train,
                      context_.study.ensemble.bootstrap ? bootstrap_rows(rows, iteration.seed) : rows, iteration.seed);
    record.iteration = iteration.number;
    record.status = end.status;
    record.final_loss = end.loss;
    record.epochs = end.epochs;
    record.steps = end.steps;
    if (end.status == IterationStatus::finished && !lot.split->validation_rows.empty())
      validate(network, reader, train, lot, trained);
    record.seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
    return trained;
  }

  void validate(const Network& network, const BatchReader& reader, const TrainOptions& train, const Lot& lot,
                TrainedIteration& trained) const {
    const auto& rows = lot.split->validation_rows;
    const Validation validation = validate_network(network, reader, train, rows);
    trained.record.validation_loss = validation.loss;
    trained.record.validation_score = prediction_score(to_vector(validation.outputs), lot.data, rows);
    if (context_.study.ensemble.members > 1)
      trained.predictions = to_vector(predictions_from(validation.outputs, train.loss));
  }

  TrainingContext context_;
  torch::Device device_;
  DataTensors shared_;  // of the context's data
};

}  // namespace

std::unique_ptr<Engine> make_torch_engine(const TrainingContext& context, LaneDevice device) {
  try {
    return std::make_unique<TorchEngine>(context, device);
  } catch (const c10::Error& error) {
    throw RunError(
        fmt::format("LibTorch could not start on {} ({}). Choose another device with run.device, or fewer "
                    "ranks per GPU if memory ran out.",
                    device.gpu < 0 ? std::string("the CPU") : fmt::format("GPU {}", device.gpu), first_line(error)));
  }
}

}  // namespace sheaf
