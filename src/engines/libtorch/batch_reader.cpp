// SPDX-License-Identifier: MIT
#include "engines/libtorch/batch_reader.hpp"

#include <c10/core/Event.h>
#include <c10/core/StreamGuard.h>
#include <c10/core/impl/VirtualGuardImpl.h>

#include <algorithm>
#include <map>
#include <mutex>
#include <string>
#include <utility>

#include "engines/libtorch/tensor_values.hpp"
#include "study/losses.hpp"

namespace sheaf {
namespace {

// Several batches are gathered at once to reduce the number of calls. On a CPU they fit a core's cache; on a GPU they
// are large enough to use it fully.
constexpr std::int64_t block_bytes_cpu = std::int64_t{256} << 10;
constexpr std::int64_t block_bytes_gpu = std::int64_t{64} << 20;

}  // namespace

DataTensors data_tensors(const DataSet& data, torch::Device device) {
  if (data.features == nullptr && data.byte_features == nullptr)  // streamed: rows are read later
    return {torch::empty({0, data.feature_count}, torch::TensorOptions(device)), {}, {}};
  const torch::Tensor features = data.features != nullptr
                                     ? view_of(data.features, {data.rows, data.feature_count}, torch::kFloat32)
                                     : view_of(data.byte_features, {data.rows, data.feature_count}, torch::kUInt8);
  const torch::Tensor targets = data.task == Task::classification
                                    ? view_of(data.labels, {data.rows}, torch::kInt64)
                                    : view_of(data.targets, {data.rows, data.output_count}, torch::kFloat32);
  torch::Tensor weights;
  if (data.weights != nullptr) weights = view_of(data.weights, {data.rows}, torch::kFloat32).to(device);
  return {features.to(device), targets.to(device), weights};
}

const void* rows_of(const DataSet& data) {
  return data.features != nullptr ? static_cast<const void*>(data.features) : data.byte_features;
}

// The lock is held during the copy, because other lanes need the same copy.
std::shared_ptr<const DataTensors> shared_tensors(const DataSet& data, torch::Device device) {
  static std::mutex mutex;
  static std::map<std::pair<const void*, std::string>, std::weak_ptr<const DataTensors>> known;
  const std::lock_guard lock(mutex);
  auto& entry = known[{rows_of(data), device.str()}];
  std::shared_ptr<const DataTensors> tensors = entry.lock();
  if (!tensors) entry = tensors = std::make_shared<const DataTensors>(data_tensors(data, device));
  return tensors;
}

Uploader::Uploader(torch::Device device) : device_(device) {
  if (device.is_cpu()) return;
  const c10::impl::VirtualGuardImpl gpu(device.type());
  copies_ = gpu.getStreamFromGlobalPool(device);
}

// LibTorch's allocators keep the pinned memory until it is copied, and the copy until the computing stream has used it.
torch::Tensor Uploader::operator()(const torch::Tensor& tensor) const {
  if (!copies_ || !tensor.device().is_cpu()) return tensor;
  const c10::impl::VirtualGuardImpl gpu(device_.type());
  const c10::Stream computing = gpu.getStream(device_);
  torch::Tensor copy;
  {
    const c10::StreamGuard on_own_stream(*copies_);
    copy = tensor.pin_memory().to(device_, /*non_blocking=*/true);
  }
  c10::Event copied(device_.type());
  copied.record(*copies_);
  copied.block(computing);
  copy.record_stream(computing);
  return copy;
}

ScalingTensors::ScalingTensors(const FeatureScaling& scaling, bool fills, torch::Device device) {
  const auto tensor = [&](const std::vector<float>& values) {
    return view_of(values.data(), {static_cast<std::int64_t>(values.size())}, torch::kFloat32).to(device);
  };
  if (fills) fill_ = tensor(scaling.fill);
  if (scaling.shift.empty()) return;
  shift_ = tensor(scaling.shift);
  scale_ = tensor(scaling.scale);
  if (!scaling.clip.empty()) clip_ = tensor(scaling.clip);
}

ScalingTensors::ScalingTensors(std::int64_t slots, std::int64_t features, bool scales, bool clips, bool fills,
                               torch::Device device) {
  for (const auto& [tensor, exists] : {std::pair(&shift_, scales), {&scale_, scales}, {&clip_, clips}, {&fill_, fills}})
    if (exists) *tensor = torch::zeros({slots, 1, features}, torch::TensorOptions(torch::kFloat32).device(device));
}

void ScalingTensors::set(std::int64_t slot, const FeatureScaling& scaling) {
  for (const auto& [tensor, values] : {std::pair(&shift_, &scaling.shift),
                                       {&scale_, &scaling.scale},
                                       {&clip_, &scaling.clip},
                                       {&fill_, &scaling.fill}})
    if (tensor->defined()) (*tensor)[slot][0].copy_(view_of(values->data(), {tensor->size(2)}, torch::kFloat32));
}

ScalingTensors ScalingTensors::of_slots(const torch::Tensor& slots) const {
  ScalingTensors some = *this;
  for (torch::Tensor* tensor : {&some.shift_, &some.scale_, &some.clip_, &some.fill_})
    *tensor = sheaf::of_slots(*tensor, slots);
  return some;
}

torch::Tensor ScalingTensors::scaled(const torch::Tensor& features) const {
  torch::Tensor values = features.to(torch::kFloat32);
  if (fill_.defined()) values = torch::where(values.isnan(), fill_, values);
  if (shift_.defined()) values.sub_(shift_).mul_(scale_);
  if (clip_.defined()) {  // see clip_divisor()
    const torch::Tensor bent = values.mul(clip_);
    // Some versions of LibTorch do not round the square root of a float correctly.
    const torch::Tensor root = bent.square().add_(1).to(torch::kFloat64).sqrt_().to(torch::kFloat32);
    values.div_(torch::minimum(root, bent.abs().add_(1)));
  }
  return values;
}

BatchReader::BatchReader(const DataSet& data, DataTensors tensors, const FeatureScaling& scaling,
                         const TargetScaling& targets, LossKind loss, torch::ScalarType dtype, torch::Device device)
    : tensors_(std::move(tensors)), dtype_(dtype), upload_(device), scaling_(scaling, data.has_empty_cells(), device) {
  if (targets.is_active()) {
    target_shift_ = view_of(targets.shift.data(), {data.output_count}, torch::kFloat32).to(device, torch::kFloat64);
    target_unit_ = view_of(targets.unit.data(), {data.output_count}, torch::kFloat64).to(device);
  }
  if (data.task == Task::classification && loss_of(loss).targets == LossTargets::values)
    one_hot_ = torch::eye(data.output_count, torch::TensorOptions(dtype_).device(device));
}

bool BatchReader::read(const std::vector<std::int64_t>& rows, std::int64_t batch_size,
                       const std::function<bool(const Batch&)>& use) const {
  const torch::Tensor& features = tensors_.features;
  const auto count = static_cast<std::int64_t>(rows.size());
  const torch::Tensor numbers = view_of(rows.data(), {count}, torch::kInt64).to(features.device());
  const std::int64_t batch_bytes = batch_size * features.size(1) * static_cast<std::int64_t>(c10::elementSize(dtype_));
  const std::int64_t block_bytes = upload_.device().is_cuda() ? block_bytes_gpu : block_bytes_cpu;
  const std::int64_t block_rows = std::max<std::int64_t>(1, block_bytes / batch_bytes) * batch_size;
  for (std::int64_t begin = 0; begin < count; begin += block_rows) {
    const torch::Tensor block = numbers.narrow(0, begin, std::min(block_rows, count - begin));
    const auto block_features = gather_features(block).split(batch_size);
    const auto block_targets = gather_targets(block).split(batch_size);
    auto block_weights = std::vector<torch::Tensor>(block_features.size());
    if (tensors_.weights.defined()) block_weights = gather_weights(block).split(batch_size);
    for (std::size_t batch = 0; batch < block_features.size(); ++batch)
      if (!use({block_features[batch], block_targets[batch], block_weights[batch]})) return false;
  }
  return true;
}

torch::Tensor BatchReader::gather_features(const torch::Tensor& rows) const {
  const torch::Tensor gathered = scaling_.scaled(upload_(tensors_.features.index_select(0, rows)));
  return gathered.to(dtype_);  // after scaling, so that all precisions train on the same values
}

torch::Tensor BatchReader::gather_targets(const torch::Tensor& rows) const {
  const torch::Tensor gathered = upload_(tensors_.targets.index_select(0, rows));
  if (one_hot_.defined()) return one_hot_.index_select(0, gathered);
  if (target_shift_.defined()) return gathered.to(torch::kFloat64).sub_(target_shift_).div_(target_unit_).to(dtype_);
  return gathered.is_floating_point() ? gathered.to(dtype_) : gathered;
}

torch::Tensor BatchReader::gather_weights(const torch::Tensor& rows) const {
  return upload_(tensors_.weights.index_select(0, rows)).to(dtype_);
}

}  // namespace sheaf
