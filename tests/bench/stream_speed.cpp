// Measures streaming of data larger than memory, compared with plain reads and with HDF5's reading of compressed
// chunks, and the effect of streaming on the training of a small CNN. See README.md.
// SPDX-License-Identifier: MIT
#include <fcntl.h>
#include <hdf5.h>
#include <unistd.h>

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "core/aligned_vector.hpp"
#include "core/allocator.hpp"
#include "core/clock.hpp"
#include "core/random/random_fill.hpp"
#include "data/feature_reader.hpp"
#include "data/node_data.hpp"
#include "data/stream/stream.hpp"
#include "engines/lane_engine.hpp"
#include "files/hdf5/file.hpp"
#include "parallel/mpi/session.hpp"
#include "support/loading.hpp"
#include "support/plain_study.hpp"
#include "support/regression_study.hpp"
#include "support/settled.hpp"
#include "support/whole_plan.hpp"

using namespace sheaf;
using namespace sheaf::test;

namespace {

double seconds_of(const std::function<void()>& work) {
  const auto start = Clock::now();
  work();
  return seconds_since(start);
}

double best_of(int times, const std::function<void()>& work) {
  double best = 1e300;
  for (int time = 0; time < times; ++time) best = std::min(best, seconds_of(work));
  return best;
}

// ---- Files

struct Layout {
  std::vector<hsize_t> chunk;  // empty: contiguous
  bool gzip = false;
  bool bytes = false;  // uint8 instead of float
};

// Writes features with six to eight bits of information each, like pixels. As floats, gzip compresses them to half.
void write_file(const std::string& path, const std::vector<hsize_t>& shape, const Layout& layout) {
  const hid_t file = H5Fcreate(path.c_str(), H5F_ACC_TRUNC, H5P_DEFAULT, H5P_DEFAULT);
  const hid_t creation = H5Pcreate(H5P_DATASET_CREATE);
  if (!layout.chunk.empty()) H5Pset_chunk(creation, static_cast<int>(shape.size()), layout.chunk.data());
  if (layout.gzip) {
    H5Pset_shuffle(creation);
    H5Pset_deflate(creation, 4);
  }
  hsize_t width = 1;
  for (std::size_t side = 1; side < shape.size(); ++side) width *= shape[side];
  const hid_t space = H5Screate_simple(static_cast<int>(shape.size()), shape.data(), nullptr);
  const hid_t stored = layout.bytes ? H5T_STD_U8LE : H5T_IEEE_F32LE;
  const hid_t features = H5Dcreate2(file, "features", stored, space, H5P_DEFAULT, creation, H5P_DEFAULT);
  const hsize_t step = 1000;
  std::vector<float> values(step * width);
  for (hsize_t row = 0; row < shape[0]; row += step) {
    fill_uniform({row, Purpose::synthetic_features}, values.data(), static_cast<std::int64_t>(values.size()));
    for (float& value : values) value = std::floor(value * 256) / (layout.bytes ? 4.0f : 256.0f);
    std::vector<hsize_t> start(shape.size(), 0), count = shape;
    start[0] = row;
    count[0] = std::min(step, shape[0] - row);
    H5Sselect_hyperslab(space, H5S_SELECT_SET, start.data(), nullptr, count.data(), nullptr);
    const hsize_t numbers = count[0] * width;
    const hid_t memory = H5Screate_simple(1, &numbers, nullptr);
    H5Dwrite(features, H5T_NATIVE_FLOAT, memory, space, H5P_DEFAULT, values.data());
    H5Sclose(memory);
  }
  H5Dclose(features);
  std::vector<std::uint8_t> labels(shape[0]);
  for (std::size_t row = 0; row < labels.size(); ++row) labels[row] = static_cast<std::uint8_t>(row % 10);
  const hid_t label_space = H5Screate_simple(1, shape.data(), nullptr);
  const hid_t targets = H5Dcreate2(file, "targets", H5T_STD_U8LE, label_space, H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT);
  H5Dwrite(targets, H5T_NATIVE_UINT8, H5S_ALL, H5S_ALL, H5P_DEFAULT, labels.data());
  H5Dclose(targets);
  H5Sclose(label_space);
  H5Sclose(space);
  H5Pclose(creation);
  H5Fclose(file);
}

// ---- Reading

void read_plainly(const std::string& path) {
  static AlignedVector<char> buffer(std::size_t{1} << 20);  // reads into unaligned memory take twice as long
  const int file = ::open(path.c_str(), O_RDONLY);
  while (::read(file, buffer.data(), buffer.size()) > 0) {
  }
  ::close(file);
}

void read_by_library(const std::string& path) {
  const InputFile file(path);
  const DataSetReader features = file.data_set("/features");
  const std::int64_t step = std::max<std::int64_t>(1, features.info().chunk_rows);
  std::vector<float> values(static_cast<std::size_t>(step * features.info().row_elements()));
  for (std::int64_t row = 0; row < features.info().rows(); row += step)
    features.read_rows({row, std::min(row + step, features.info().rows())}, values.data());
}

DataOptions data_of(const std::string& path) {
  DataOptions data = test::plain_data();
  data.file = path;
  data.task = Task::classification;
  return data;
}

std::int64_t row_bytes(const FileSchema& schema) {
  return schema.feature_count * (schema.features.is_bytes ? 1 : 4) + 8;
}

// Options for streaming in windows of a fifth of the file, with the default memory as a cache, or with no memory for a
// cache.
DataOptions in_windows(DataOptions data, bool cached) {
  const FileSchema schema = agree_on_file(data, Communicator::self());
  const std::int64_t block_rows = FeatureReader(data, schema).block(0).count();
  data.window = (schema.rows / 5 + block_rows - 1) / block_rows * block_rows;
  if (!cached) data.memory_mib = (2 * data.window * row_bytes(schema) >> 20) + 1;
  return data;
}

struct Streamed {
  DataOptions data = test::plain_data();
  Communicator self = Communicator::self();
  FileSchema schema;
  DataSet targets;
  std::optional<Stream> stream;

  Streamed(const DataOptions& options_of_data, std::int64_t threads, std::int64_t lanes = 1) : data(options_of_data) {
    schema = agree_on_file(data, self);
    targets = load_targets(data, schema, self, self);
    StreamOptions options;
    auto reader = std::make_unique<const FeatureReader>(data, schema);
    options.plan = plan_stream(data, schema.rows, reader->block(0).count(), row_bytes(schema));
    options.threads = threads;
    options.lanes = lanes;
    stream.emplace(std::move(reader), row_shape(schema, data.task), targets, options, self);
  }

  // Reads the file once, without using the rows.
  void pass() {
    if (!lane) lane.emplace(*stream);
    lane->begin_round(1);
    while (lane->next() != nullptr) {
    }
  }

  std::optional<StreamLane> lane;
};

// ---- The small CNN

// How models are distributed: a number of lanes with `threads` threads and `models` models each.
struct Way {
  const char* name;
  int lanes;
  int threads;
  int models;
  int epochs;
};

Study cnn_study(const std::string& path, const Way& way) {
  Study study = test::regression_study();
  study.study.iterations = way.lanes * way.models;
  study.data = data_of(path);
  study.model.kind = ModelKind::cnn;
  study.model.channels = {16, 32};
  study.train.loss = LossKind::cross_entropy;
  study.train.optimizer = OptimizerKind::adam;
  study.train.learning_rate = 1e-3;
  study.train.batch_size = 64;
  study.train.epochs = way.epochs;
  return study;
}

struct Trained {
  double rows_per_second = 0;
  double waited = 0;  // fraction of the time
};

Trained train(const TrainingContext& context, const Way& way, std::int64_t rows) {
  std::vector<double> waited(static_cast<std::size_t>(way.lanes), 0);
  const double seconds = seconds_of([&] {
    std::vector<std::thread> lanes;
    for (int lane = 0; lane < way.lanes; ++lane)
      lanes.emplace_back([&, lane] {
        const auto engine = make_engine(context, {-1, way.threads});
        const auto note = [&](TrainedIteration&& trained) {
          waited[static_cast<std::size_t>(lane)] += trained.result.wait_seconds;
        };
        const auto never = [] { return false; };
        const IndexRange claim{lane * way.models, (lane + 1) * way.models};
        for (bool more = engine->train({claim}, {note, never}); more;) more = engine->train({}, {note, never});
      });
    for (auto& lane : lanes) lane.join();
  });
  return {static_cast<double>(rows * context.study->train.epochs * way.lanes * way.models) / seconds,
          *std::max_element(waited.begin(), waited.end()) / seconds};
}

Trained train_in_memory(const std::string& path, const Way& way) {
  const SettledStudy study = test::settled(cnn_study(path, way));
  const Communicator self = Communicator::self();
  const DataSet data = load_to_memory(study->data, self, self);
  const Plan plan = whole_plan(study);
  Splits splits(study, data);
  return train({study, plan, &data, &splits}, way, data.rows);
}

Trained train_streamed(const std::string& path, const Way& way, bool cached) {
  Study asked = cnn_study(path, way);
  asked.data = in_windows(asked.data, cached);
  const SettledStudy study = test::settled(std::move(asked));
  Streamed streamed(study->data, way.lanes * way.threads, way.lanes);
  const Plan plan = whole_plan(study);
  Splits splits(study, streamed.targets);
  return train({study, plan, &streamed.targets, &splits, &*streamed.stream}, way, streamed.targets.rows);
}

void compare_plain_reading(const std::string& folder, hsize_t rows, const char* name, const Layout& layout,
                           int threads) {
  const std::string path = folder + "/plain.h5";
  write_file(path, {rows, 784}, layout);
  Streamed stream(in_windows(data_of(path), false), threads);
  double read = 1e300, streamed = 1e300;
  for (int time = 0; time < 5; ++time) {  // alternates, since the speed of the machine varies
    read = std::min(read, best_of(5, [&] { read_plainly(path); }));
    streamed = std::min(streamed, best_of(5, [&] { stream.pass(); }));
  }
  const double gigabytes = static_cast<double>(rows) * 784 * 4 / 1e9;
  std::printf("  %-22s plain read()  %6.2f GB/s   streamed %6.2f GB/s   %.2f of it\n", name, gigabytes / read,
              gigabytes / streamed, read / streamed);
  std::remove(path.c_str());
}

void compare_gzip_reading(const std::string& folder, hsize_t rows, int threads) {
  const std::string path = folder + "/gzip.h5";
  write_file(path, {rows, 784}, {{250, 784}, true});
  Streamed stream(in_windows(data_of(path), false), threads);
  double library = 1e300, streamed = 1e300;
  for (int time = 0; time < 5; ++time) {
    library = std::min(library, best_of(1, [&] { read_by_library(path); }));
    streamed = std::min(streamed, best_of(1, [&] { stream.pass(); }));
  }
  const double gigabytes = static_cast<double>(rows) * 784 * 4 / 1e9;
  std::printf("  %-22s H5Dread       %6.2f GB/s   streamed %6.2f GB/s   %.2f times\n", "gzip", gigabytes / library,
              gigabytes / streamed, library / streamed);
  std::remove(path.c_str());
}

void compare_reading(const std::string& folder, hsize_t rows, int threads) {
  std::printf("reading %.2f GB of floats from the page cache, %d threads\n", static_cast<double>(rows) * 784 * 4 / 1e9,
              threads);
  compare_plain_reading(folder, rows, "contiguous", {}, threads);
  compare_plain_reading(folder, rows, "chunks of one row", {{1, 784}}, threads);
  compare_plain_reading(folder, rows, "chunks of 63 kB", {{20, 784}}, threads);
  compare_plain_reading(folder, rows, "chunks of 784 kB", {{250, 784}}, threads);
  compare_gzip_reading(folder, rows, threads);
}

// Returns the value below which a fraction of the values is.
double quantile(std::vector<double> values, double fraction) {
  std::sort(values.begin(), values.end());
  return values[static_cast<std::size_t>(fraction * static_cast<double>(values.size() - 1))];
}

double median(const std::vector<double>& values) {
  return quantile(values, 0.5);
}

// Alternates short runs and compares each streamed run with the in-memory run next to it, since the speed of the
// machine varies. `reading`: seconds that all cores together need to read a row.
void compare_training(const std::string& path, const std::string& layout, const Way& way, int turns, double reading) {
  struct Figures {
    const char* name;
    bool cached;
    std::vector<double> ratios = {}, waited = {};
  };
  std::vector<double> memory;
  Figures streamed[] = {{"streamed", false}, {"streamed, cached", true}};
  for (int turn = 0; turn < turns; ++turn) {
    Trained trained[3];  // from memory, then as in `streamed`; in reverse order every other turn
    for (int step = 0; step < 3; ++step) {
      const int way_of_data = turn % 2 == 0 ? step : 2 - step;
      trained[way_of_data] =
          way_of_data == 0 ? train_in_memory(path, way) : train_streamed(path, way, streamed[way_of_data - 1].cached);
    }
    memory.push_back(trained[0].rows_per_second);
    for (int kind = 0; kind < 2; ++kind) {
      streamed[kind].ratios.push_back(trained[1 + kind].rows_per_second / memory.back());
      streamed[kind].waited.push_back(trained[1 + kind].waited);
    }
  }
  const double readings =
      median(memory) / (way.lanes * way.models);  // rows read per second: a row is read once for all models
  std::printf("  %s, %s: %6.0f rows/s in memory; reading leaves at most %.3f of it\n", layout.c_str(), way.name,
              median(memory), 1 / (1 + reading * readings));
  for (const auto& figures : streamed)
    std::printf("    %-18s %.3f of it (quartiles %.3f to %.3f); waited %.1f %%\n", figures.name, median(figures.ratios),
                quantile(figures.ratios, 0.25), quantile(figures.ratios, 0.75), 100 * median(figures.waited));
  std::fflush(stdout);
}

void compare_training(const std::string& folder, hsize_t rows, int threads, int turns) {
  const std::string path = folder + "/images.h5";
  std::printf("CNN 16-32-10 on %lld images of 3 x 32 x 32, batch 64, Adam, %d threads\n", static_cast<long long>(rows),
              threads);
  for (const bool bytes : {false, true})
    for (const bool gzip : {false, true}) {
      write_file(path, {rows, 3, 32, 32}, {{64, 3, 32, 32}, gzip, bytes});
      const std::string layout = std::string(bytes ? "uint8" : "float") + (gzip ? " gzip" : " plain");
      Streamed stream(in_windows(data_of(path), false), threads);
      const double reading = best_of(5, [&] { stream.pass(); }) / static_cast<double>(rows);
      for (const Way& way : {Way{"four models on each lane", threads, 1, 4, 2},
                             {"one model on each lane", threads, 1, 1, 8},
                             {"one model on all threads", 1, threads, 1, 8}})
        compare_training(path, layout, way, turns, reading);
    }
  std::remove(path.c_str());
}

}  // namespace

// stream_speed FOLDER [rows of the reading benchmark] [images] [turns of trainings]
int main(int argc, char** argv) {
  keep_freed_memory();
  MpiSession session(argc, argv);
  const std::string folder = argc > 1 ? argv[1] : ".";
  const auto count = [&](int index, hsize_t default_value) {
    return argc > index ? std::strtoull(argv[index], nullptr, 10) : default_value;
  };
  const int threads = static_cast<int>(std::max(1u, std::thread::hardware_concurrency()));
  compare_reading(folder, count(2, 200000), threads);
  compare_training(folder, count(3, 3200), threads, static_cast<int>(count(4, 9)));
  return 0;
}
