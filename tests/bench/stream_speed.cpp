// How fast data larger than memory pass by: against plain reads, against HDF5's own reading of compressed chunks, and
// how little a small CNN feels of it. See README.md.
// SPDX-License-Identifier: MIT
#include <fcntl.h>
#include <hdf5.h>
#include <unistd.h>

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <functional>
#include <optional>
#include <string>
#include <thread>
#include <vector>

#include "core/allocator.hpp"
#include "core/clock.hpp"
#include "core/random_fill.hpp"
#include "dataset/feature_reader.hpp"
#include "dataset/resident.hpp"
#include "dataset/stream.hpp"
#include "engine/engine.hpp"
#include "hdf5/file.hpp"
#include "mpi/session.hpp"

using namespace sheaf;

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
  std::vector<hsize_t> chunk;  // none: in one piece
  bool gzip = false;
  bool bytes = false;  // else float
};

// Features of six to eight bits a number, as pixels have: as real numbers gzip halves them.
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
  static std::vector<char> buffer(std::size_t{1} << 20);
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
  DataOptions data;
  data.file = path;
  data.task = Task::classification;
  return data;
}

struct Streamed {
  DataOptions data;
  Communicator self = Communicator::self();
  FileSchema schema;
  DataSet targets;
  std::optional<Stream> stream;

  Streamed(const DataOptions& options_of_data, std::int64_t threads, std::int64_t lanes = 1) : data(options_of_data) {
    schema = agree_on_file(data, self);
    targets = load_targets(data, schema, self, self);
    StreamOptions options;
    const FeatureReader reader(data, schema);
    options.plan = plan_stream(data, schema.rows, reader.block(0).count(), row_bytes(schema));
    options.threads = threads;
    options.lanes = lanes;
    stream.emplace(data, schema, targets, options, self);
  }

  static std::int64_t row_bytes(const FileSchema& schema) {
    return schema.feature_count * (schema.features.is_bytes ? 1 : 4) + 8;
  }

  // One pass whose windows nobody looks at.
  void pass() {
    if (!lane) lane.emplace(*stream);
    lane->begin_round(1);
    while (lane->next() != nullptr) {
    }
  }

  std::optional<StreamLane> lane;
};

// ---- The small CNN

// Lanes of some threads, each with a claim of some models.
struct Way {
  const char* name;
  int lanes;
  int threads;
  int models;
  int epochs;
};

Study cnn_study(const std::string& path, const Way& way) {
  Study study;
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
  double waited = 0;  // of the time
};

Trained train(const TrainingContext& context, const Way& way, std::int64_t rows) {
  std::vector<double> waited(static_cast<std::size_t>(way.lanes), 0);
  const double seconds = seconds_of([&] {
    std::vector<std::thread> lanes;
    for (int lane = 0; lane < way.lanes; ++lane)
      lanes.emplace_back([&, lane] {
        const auto engine = make_engine(context, {-1, way.threads});
        const auto note = [&](TrainedIteration&& trained) {
          waited[static_cast<std::size_t>(lane)] += trained.record.wait_seconds;
        };
        const auto never = [] { return false; };
        const IndexRange claim{lane * way.models, (lane + 1) * way.models};
        for (bool more = engine->train(claim, note, never); more;) more = engine->train({}, note, never);
      });
    for (auto& lane : lanes) lane.join();
  });
  return {static_cast<double>(rows * context.study.train.epochs * way.lanes * way.models) / seconds,
          *std::max_element(waited.begin(), waited.end()) / seconds};
}

Trained train_in_memory(const std::string& path, const Way& way) {
  const Study study = cnn_study(path, way);
  const Communicator self = Communicator::self();
  const DataSet data = load_resident(study.data, self, self);
  const Plan plan(study);
  Splits splits(study, data);
  return train({study, plan, &data, &splits}, way, data.rows);
}

Trained train_streamed(const std::string& path, const Way& way) {
  Study study = cnn_study(path, way);
  study.data.window = agree_on_file(study.data, Communicator::self()).rows / 5;
  Streamed streamed(study.data, way.lanes * way.threads, way.lanes);
  const Plan plan(study);
  Splits splits(study, streamed.targets);
  return train({study, plan, &streamed.targets, &splits, &*streamed.stream}, way, streamed.targets.rows);
}

void compare_reading(const std::string& folder, hsize_t rows, int threads) {
  const std::string plain = folder + "/plain.h5", gzip = folder + "/gzip.h5";
  const double gigabytes = static_cast<double>(rows) * 784 * 4 / 1e9;
  write_file(plain, {rows, 784}, {});
  write_file(gzip, {rows, 784}, {{250, 784}, true});
  Streamed plain_stream(data_of(plain), threads), gzip_stream(data_of(gzip), threads);
  double read = 1e300, streamed = 1e300, library = 1e300, inflated = 1e300;
  for (int time = 0; time < 5; ++time) {  // in turns: the machine is not always the same
    read = std::min(read, best_of(5, [&] { read_plainly(plain); }));
    streamed = std::min(streamed, best_of(5, [&] { plain_stream.pass(); }));
    library = std::min(library, best_of(1, [&] { read_by_library(gzip); }));
    inflated = std::min(inflated, best_of(1, [&] { gzip_stream.pass(); }));
  }
  std::printf("reading %.2f GB of floats from the page cache, %d threads\n", gigabytes, threads);
  std::printf("  plain read()          %6.2f GB/s\n", gigabytes / read);
  std::printf("  streamed              %6.2f GB/s   %.2f of it\n", gigabytes / streamed, read / streamed);
  std::printf("  gzip by H5Dread       %6.2f GB/s\n", gigabytes / library);
  std::printf("  gzip streamed         %6.2f GB/s   %.2f times\n", gigabytes / inflated, library / inflated);
  std::remove(plain.c_str());
  std::remove(gzip.c_str());
}

// The value that `part` of all lie below.
double quantile(std::vector<double> values, double part) {
  std::sort(values.begin(), values.end());
  return values[static_cast<std::size_t>(part * static_cast<double>(values.size() - 1))];
}

double median(const std::vector<double>& values) {
  return quantile(values, 0.5);
}

// Short runs from memory and streamed take turns; each is compared with its neighbour, since the machine is not always
// the same, and either is the first as often.
void compare_training(const std::string& path, const char* layout, const Way& way, int pairs) {
  std::vector<double> memory, streamed, ratios, waited;
  for (int time = 0; time < 2 * pairs; ++time) {
    const bool from_memory = time % 4 == 0 || time % 4 == 3;
    const Trained trained = from_memory ? train_in_memory(path, way) : train_streamed(path, way);
    (from_memory ? memory : streamed).push_back(trained.rows_per_second);
    if (!from_memory) waited.push_back(trained.waited);
    if (time % 2 == 1) ratios.push_back(streamed.back() / memory.back());
  }
  std::printf(
      "  %s, %s: in memory %6.0f rows/s, streamed %6.0f rows/s, %.3f of it (half of the pairs %.3f to %.3f); "
      "waited %.1f %%\n",
      layout, way.name, median(memory), median(streamed), median(ratios), quantile(ratios, 0.25),
      quantile(ratios, 0.75), 100 * median(waited));
  std::fflush(stdout);
}

void compare_training(const std::string& folder, hsize_t rows, int threads, int pairs) {
  const std::string path = folder + "/images.h5";
  std::printf("CNN 16-32-10 on %lld images of 3 x 32 x 32, batch 64, Adam, %d threads\n", static_cast<long long>(rows),
              threads);
  for (const bool bytes : {false, true})
    for (const bool gzip : {false, true}) {
      write_file(path, {rows, 3, 32, 32}, {{64, 3, 32, 32}, gzip, bytes});
      const std::string layout = std::string(bytes ? "uint8" : "float") + (gzip ? " gzip" : " plain");
      for (const Way& way : {Way{"four models on each lane", threads, 1, 4, 1},
                             {"a model on each lane", threads, 1, 1, 4},
                             {"one model on all threads", 1, threads, 1, 4}})
        compare_training(path, layout.c_str(), way, pairs);
    }
  std::remove(path.c_str());
}

}  // namespace

// stream_speed FOLDER [rows of the reading] [images] [pairs of trainings]
int main(int argc, char** argv) {
  keep_freed_memory();
  MpiSession session(argc, argv);
  const std::string folder = argc > 1 ? argv[1] : ".";
  const auto count = [&](int place, hsize_t otherwise) {
    return argc > place ? std::strtoull(argv[place], nullptr, 10) : otherwise;
  };
  const int threads = static_cast<int>(std::max(1u, std::thread::hardware_concurrency()));
  compare_reading(folder, count(2, 200000), threads);
  compare_training(folder, count(3, 3200), threads, static_cast<int>(count(4, 15)));
  return 0;
}
