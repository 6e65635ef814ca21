// Measures the evaluation of a trained network on a large file in the page cache, compared with reading the file and
// with the peak of the cores. See README.md. One rank.
// SPDX-License-Identifier: MIT
#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <string>
#include <vector>

#include "bench/fma_peak.hpp"
#include "commands/evaluate/evaluation_job.hpp"
#include "core/allocator.hpp"
#include "core/clock.hpp"
#include "core/parallel.hpp"
#include "core/random/random_fill.hpp"
#include "files/hdf5/row_file.hpp"
#include "files/replace_file.hpp"
#include "models/initial_weights.hpp"
#include "models/torchscript_archive.hpp"
#include "parallel/mpi/session.hpp"

using namespace sheaf;

namespace {

constexpr std::int64_t features = 784, hidden = 128, classes = 10, lanes = 2;
constexpr std::int64_t block_bytes = 256 << 10;  // as in an evaluation

template <class Work>
double seconds_of(const Work& work) {
  const auto start = Clock::now();
  work();
  return seconds_since(start);
}

void write_data(const std::string& path, std::int64_t rows) {
  const auto offsets = create_row_file(
      path, {{"features", NumberType::float32, {rows, features}}, {"targets", NumberType::int64, {rows}}}, {});
  const RowFileWriter file(path);
  // Writes thousands of rows at a time: small writes lead to small pages in the page cache.
  constexpr std::int64_t step = 4096;
  std::vector<float> values(step * features);
  std::vector<std::int64_t> labels(step);
  for (std::int64_t first = 0; first < rows; first += step) {
    const std::int64_t count = std::min(step, rows - first);
    fill_normal({1, Purpose::synthetic_features, static_cast<std::uint64_t>(first), 0}, values.data(),
                count * features);
    for (std::int64_t row = 0; row < count; ++row) labels[static_cast<std::size_t>(row)] = (first + row) % classes;
    file.write(values.data(), static_cast<std::size_t>(count * features) * sizeof(float),
               offsets[0] + first * features * 4);
    file.write(labels.data(), static_cast<std::size_t>(count) * sizeof(std::int64_t), offsets[1] + first * 8);
  }
}

std::vector<Layer> write_model(const std::string& path) {
  SavedModel trained;
  trained.description.model.kind = ModelKind::mlp;
  trained.description.model.hidden = {hidden};
  trained.description.task = Task::classification;
  trained.description.loss = LossKind::cross_entropy;
  trained.description.shape = {0, features, classes, {}};
  const auto layers = network_layout(trained.description.model, trained.description.shape);
  trained.network.parameters = initial_weights(layers, Initialization::pytorch, 1);
  write_whole_file(path, torchscript_archive(trained));
  return layers;
}

// Reads the whole file with pread().
void read_file(const std::string& path, std::int64_t bytes) {
  const int descriptor = ::open(path.c_str(), O_RDONLY);
  for_each_index({0, (bytes + block_bytes - 1) / block_bytes}, lanes, [&]() -> IndexWork {
    return [descriptor, memory = std::vector<char>(block_bytes)](std::int64_t number) mutable {
      if (::pread(descriptor, memory.data(), memory.size(), number * block_bytes) < 0) std::abort();
    };
  });
  ::close(descriptor);
}

}  // namespace

// evaluate_speed FOLDER [ROWS [REPEATS]]: creates its files in FOLDER; 200000 rows take 630 MB.
int main(int argc, char** argv) {
  keep_freed_memory();
  MpiSession session(argc, argv);
  const Communicator world = Communicator::world();
  if (argc < 2 || world.size() > 1) {
    std::fputs("evaluate_speed FOLDER [ROWS [REPEATS]], on one rank\n", stderr);
    MpiSession::abort(2);
  }
  const std::string data = std::string(argv[1]) + "/evaluate_speed.h5";
  const std::string model = std::string(argv[1]) + "/evaluate_speed.pt";
  const std::int64_t rows = argc > 2 ? std::atoll(argv[2]) : 200000;
  const int repeats = argc > 3 ? std::atoi(argv[3]) : 15;
  write_data(data, rows);
  const auto layers = write_model(model);

  EvaluationRequest request;
  request.model = model;
  request.data.file = data;
  request.run.device = DeviceRequest::cpu;
  request.run.lanes = lanes;
  const double bytes = static_cast<double>(rows * features) * 4;
  const double flops = 2 * static_cast<double>(multiply_adds_per_row(layers) * rows);
  double evaluation = 1e300, reading = 1e300, arithmetic = 1e300;
  // Alternates between short measurements on all lanes, since the speed of the machine varies.
  for (int repeat = 0; repeat < repeats; ++repeat) {
    evaluation = std::min(evaluation, execute_evaluate(request, world).seconds);
    reading = std::min(reading, seconds_of([&] { read_file(data, rows * features * 4); }));
    arithmetic = std::min(arithmetic, seconds_of([&] {
                            for_each_index({0, lanes}, lanes, [&]() -> IndexWork {
                              return [&](std::int64_t) {
                                if (multiply_add(flops / lanes) == 0) std::abort();
                              };
                            });
                          }));
  }
  std::printf("%lld rows through %lld-%lld-%lld, %lld lanes\n", static_cast<long long>(rows),
              static_cast<long long>(features), static_cast<long long>(hidden), static_cast<long long>(classes),
              static_cast<long long>(lanes));
  std::printf("plain read   %7.4f s  %6.2f GB/s\n", reading, bytes / reading / 1e9);
  std::printf("arithmetic   %7.4f s  %6.1f GFLOP/s, the peak of the cores\n", arithmetic, flops / arithmetic / 1e9);
  std::printf("evaluate     %7.4f s  %6.2f GB/s, %.1f GFLOP/s, %.0f %% of the slower\n", evaluation,
              bytes / evaluation / 1e9, flops / evaluation / 1e9, 100 * std::max(reading, arithmetic) / evaluation);
  std::remove(data.c_str());
  std::remove(model.c_str());
  return 0;
}
