// SPDX-License-Identifier: MIT
#include "engines/libtorch/batch_reader.hpp"

#include <memory>
#include <thread>
#include <vector>

#include "support/catch.hpp"
#include "support/small_studies.hpp"

using namespace sheaf;
using namespace sheaf::test;

namespace {

std::vector<Batch> read_all(const BatchReader& reader, const std::vector<std::int64_t>& rows, std::int64_t size) {
  std::vector<Batch> batches;
  const bool all = reader.read(rows, size, [&](const Batch& batch) {
    batches.push_back(batch);
    return true;
  });
  CHECK(all);
  return batches;
}

bool same(const torch::Tensor& tensor, const std::vector<double>& values) {
  return torch::equal(tensor.to(torch::kFloat64).flatten(), torch::tensor(values, torch::kFloat64));
}

const DataSet labelled = classification_data(2, {0, 1, 10, 11, 20, 21, 30, 31, 40, 41}, {2, 0, 1, 1, 0}, 3);

}  // namespace

TEST_CASE("CPU tensors use the memory of the data set without a copy") {
  const auto tensors = data_tensors(labelled, torch::kCPU);
  CHECK(tensors.features.data_ptr<float>() == labelled.features);
  CHECK(tensors.targets.data_ptr<std::int64_t>() == labelled.labels);
}

TEST_CASE("lanes share one copy of a data set on a device until the last of them releases it") {
  const DataSet other = classification_data(2, {0, 1, 10, 11}, {0, 1}, 2);
  std::shared_ptr<const DataTensors> copies[8];
  std::vector<std::thread> lanes;
  for (auto& copy : copies) lanes.emplace_back([&] { copy = shared_tensors(labelled, torch::kMeta); });
  for (auto& lane : lanes) lane.join();
  CHECK(copies[0]->features.is_meta());
  for (const auto& copy : copies) CHECK(copy->features.is_same(copies[0]->features));
  CHECK(shared_tensors(other, torch::kMeta) != copies[0]);
  CHECK(shared_tensors(labelled, torch::kCPU)->features.data_ptr<float>() == labelled.features);
  const std::weak_ptr<const DataTensors> last = copies[0];
  for (auto& copy : copies) copy.reset();
  CHECK(last.expired());
  CHECK(shared_tensors(labelled, torch::kMeta)->features.is_meta());
}

TEST_CASE("batches have the requested rows in order, and the last batch can be shorter") {
  const BatchReader reader(labelled, data_tensors(labelled, torch::kCPU), {}, {}, LossKind::cross_entropy,
                           torch::kFloat32);
  const auto batches = read_all(reader, {4, 0, 0, 2, 3}, 2);
  REQUIRE(batches.size() == 3);
  CHECK(same(batches[0].features, {40, 41, 0, 1}));
  CHECK(same(batches[0].targets, {0, 2}));
  CHECK(batches[0].targets.scalar_type() == torch::kInt64);
  CHECK(same(batches[1].features, {0, 1, 20, 21}));
  CHECK(same(batches[2].features, {30, 31}));
  CHECK(batches[2].features.sizes() == torch::IntArrayRef({1, 2}));
  CHECK(labelled.features[0] == 0);
}

TEST_CASE("batches have scaled features, and the data set is unchanged") {
  const FeatureScaling scaling{{10, 1}, {0.5f, 2}, {}};
  const BatchReader reader(labelled, data_tensors(labelled, torch::kCPU), scaling, {}, LossKind::mse, torch::kFloat64);
  const auto batches = read_all(reader, {1, 2}, 8);
  REQUIRE(batches.size() == 1);
  CHECK(batches[0].features.scalar_type() == torch::kFloat64);
  CHECK(same(batches[0].features, {0, 20, 5, 40}));
  CHECK(labelled.features[2] == 10);
}

TEST_CASE("class labels are converted to one-hot rows for mse and bce") {
  const BatchReader reader(labelled, data_tensors(labelled, torch::kCPU), {}, {}, LossKind::bce, torch::kFloat32);
  const auto batches = read_all(reader, {0, 1}, 2);
  CHECK(same(batches[0].targets, {0, 0, 1, 1, 0, 0}));
  CHECK(batches[0].targets.scalar_type() == torch::kFloat32);
}

TEST_CASE("regression targets keep their columns") {
  const DataSet data = regression_data(1, {0, 1, 2}, {1, 2, 3, 4, 5, 6}, 2);
  const BatchReader reader(data, data_tensors(data, torch::kCPU), {}, {}, LossKind::mse, torch::kFloat64);
  const auto batches = read_all(reader, {2, 0}, 1);
  REQUIRE(batches.size() == 2);
  CHECK(batches[0].targets.scalar_type() == torch::kFloat64);
  CHECK(same(batches[0].targets, {5, 6}));
  CHECK(same(batches[1].targets, {1, 2}));
}

TEST_CASE("batches have the weights of their rows in the network's precision, if the data has weights") {
  const DataSet data = weighted(labelled, {1, 0.5f, 0, 3, 2});
  const BatchReader reader(data, data_tensors(data, torch::kCPU), {}, {}, LossKind::cross_entropy, torch::kFloat64);
  const auto batches = read_all(reader, {4, 0, 0, 2, 3}, 2);
  REQUIRE(batches.size() == 3);
  CHECK(batches[0].weights.scalar_type() == torch::kFloat64);
  CHECK(same(batches[0].weights, {2, 1}));
  CHECK(same(batches[1].weights, {1, 0}));
  CHECK(same(batches[2].weights, {3}));
  const BatchReader plain(labelled, data_tensors(labelled, torch::kCPU), {}, {}, LossKind::mse, torch::kFloat32);
  CHECK_FALSE(read_all(plain, {0}, 1)[0].weights.defined());
}

TEST_CASE("batches are the same when there are more rows than are gathered at once") {
  const std::int64_t rows = 3001, columns = 300;  // 3.4 MiB in many blocks
  std::vector<float> features(static_cast<std::size_t>(rows * columns)), targets(static_cast<std::size_t>(rows));
  std::vector<std::int64_t> order;
  for (std::int64_t row = 0; row < rows; ++row) {
    features[static_cast<std::size_t>(row * columns)] = static_cast<float>(row);
    targets[static_cast<std::size_t>(row)] = static_cast<float>(-row);
    order.push_back(rows - 1 - row);
  }
  const DataSet data = regression_data(columns, features, targets);
  const BatchReader reader(data, data_tensors(data, torch::kCPU), {}, {}, LossKind::mse, torch::kFloat32);
  const std::int64_t size = GENERATE(7, 64, 1000, 3001);
  std::int64_t next = rows - 1;
  bool in_order = true;
  std::int64_t short_batches = 0;
  reader.read(order, size, [&](const Batch& batch) {
    short_batches += batch.features.size(0) < size ? 1 : 0;
    for (std::int64_t row = 0; row < batch.features.size(0); ++row, --next) {
      in_order &= batch.features[row][0].item<float>() == static_cast<float>(next);
      in_order &= batch.targets[row][0].item<float>() == static_cast<float>(-next);
    }
    return true;
  });
  CHECK(in_order);
  CHECK(next == -1);
  CHECK(short_batches == (rows % size == 0 ? 0 : 1));
}
