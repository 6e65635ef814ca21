// Measures how fast images are resized: from memory to memory, and from HDF5 to HDF5 compared with a plain copy of the
// same number of bytes.
// Usage: preprocess_speed FOLDER [images].
// SPDX-License-Identifier: MIT
#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <memory>
#include <string>
#include <vector>

#include "commands/preprocess/preprocess_job.hpp"
#include "core/aligned_vector.hpp"
#include "core/allocator.hpp"
#include "core/clock.hpp"
#include "core/error.hpp"
#include "core/parallel.hpp"
#include "core/random/random_fill.hpp"
#include "data/transform/image_resize.hpp"
#include "data/transform/number_cast.hpp"
#include "files/hdf5/table_writer.hpp"
#include "parallel/devices/cores.hpp"
#include "parallel/mpi/communicator.hpp"
#include "parallel/mpi/session.hpp"

namespace {

using namespace sheaf;

// Many repeats, since the speed of a shared machine varies within seconds.
constexpr int repeats = 15;

const ImageLayout large{{3, 128, 128}, ChannelOrder::last};
const ImageLayout small{{3, 64, 64}, ChannelOrder::last};

template <class Work>
double seconds_of(Work work) {
  const auto start = Clock::now();
  work();
  return seconds_since(start);
}

std::vector<float> random_images(std::int64_t count) {
  std::vector<float> images(static_cast<std::size_t>(count * large.elements()));
  fill_uniform(StreamPlace{}, images.data(), count * large.elements());
  return images;
}

double resize_in_memory(const std::vector<float>& images, std::int64_t count, std::int64_t threads) {
  const ImageResize resize(large, small);
  std::vector<float> results(static_cast<std::size_t>(count * small.elements()));
  const auto make_work = [&] {
    struct Worker {
      ImageScratch scratch;
      AlignedVector<double> result = AlignedVector<double>(static_cast<std::size_t>(small.elements()));
    };
    return IndexWork([&, worker = std::make_shared<Worker>()](std::int64_t number) {
      resize.apply(images.data() + number * large.elements(), worker->result.data(), worker->scratch);
      cast_numbers(worker->result.data(), small.elements(), NumberType::float32,
                   reinterpret_cast<std::byte*>(results.data() + number * small.elements()));
    });
  };
  double best = 1e9;
  for (int time = 0; time < repeats; ++time)
    best = std::min(best, seconds_of([&] { for_each_index({0, count}, threads, make_work); }));
  return best;
}

void write_images(const std::string& path, const std::vector<float>& images, std::int64_t count, NumberType type) {
  NumberArray array{type, {count, large.shape.height, large.shape.width, large.shape.channels}, {}};
  array.bytes.resize(images.size() * number_bytes(type));
  std::vector<double> image(static_cast<std::size_t>(large.elements()));
  for (std::int64_t number = 0; number < count; ++number) {
    const std::int64_t first = number * large.elements();
    for (std::size_t index = 0; index < image.size(); ++index)
      image[index] = 255 * double{images[static_cast<std::size_t>(first) + index]};
    cast_numbers(image.data(), large.elements(), type,
                 array.bytes.data() + first * static_cast<std::int64_t>(number_bytes(type)));
  }
  Hdf5Writer file(path);
  file.write_numbers("features", array, 0);
  file.close();
}

// Reads a file and writes a new one of `out_bytes` bytes, with fsync() like Sheaf.
void copy_plainly(const std::string& in, const std::string& out, std::uintmax_t out_bytes) {
  std::vector<char> buffer(std::size_t{1} << 20);
  const int from = ::open(in.c_str(), O_RDONLY), to = ::open(out.c_str(), O_WRONLY | O_CREAT | O_TRUNC, 0666);
  require(from >= 0 && to >= 0, "Cannot open the files of the plain copy.");
  while (::read(from, buffer.data(), buffer.size()) > 0) {
  }
  for (std::uintmax_t left = out_bytes; left > 0;) {
    const ssize_t written = ::write(to, buffer.data(), std::min<std::uintmax_t>(left, buffer.size()));
    require(written > 0, "Cannot write the plain copy.");
    left -= static_cast<std::uintmax_t>(written);
  }
  ::fsync(to);
  ::close(from);
  ::close(to);
}

void compare_files(const std::string& folder, const std::vector<float>& images, std::int64_t count, NumberType type,
                   const Communicator& world) {
  const std::string in = folder + "/preprocess_in.h5", out = folder + "/preprocess_out.h5",
                    copy = folder + "/preprocess_copy";
  if (world.is_root()) write_images(in, images, count, type);
  world.barrier();
  PreprocessRequest request;
  request.input = in;
  request.output = out;
  request.overwrite = true;
  request.steps.height = request.steps.width = 64;
  double job = 1e9, plain = 1e9;
  for (int time = 0; time < repeats; ++time) {  // alternates, since the speed of the machine varies
    job = std::min(job, seconds_of([&] {
                     if (world.is_root()) std::filesystem::remove(out);
                     execute_preprocess(request, world);
                     world.barrier();
                   }));
    if (!world.is_root()) continue;
    plain = std::min(plain, seconds_of([&] {
                       std::filesystem::remove(copy);
                       copy_plainly(in, copy, std::filesystem::file_size(out));
                     }));
  }
  if (!world.is_root()) return;
  fmt::print("HDF5 to HDF5, {:7} to float32   {:8.4f} s, plain copy of the bytes {:.4f} s: {:.0f} % of its speed\n",
             number_type_name(type), job, plain, 100 * plain / job);
  for (const auto& path : {in, out, copy}) std::filesystem::remove(path);
}

}  // namespace

int main(int argc, char** argv) {
  MpiSession session(argc, argv);
  keep_freed_memory();
  const Communicator world = Communicator::world();
  const std::string folder = argc > 1 ? argv[1] : ".";
  const std::int64_t count = argc > 2 ? std::atoll(argv[2]) : 1000;
  const auto images = random_images(count);
  if (world.is_root()) {
    const auto threads = static_cast<std::int64_t>(find_bound_cores().cores.size());
    fmt::print("memory to memory, {} images on {} cores   {:8.4f} s\n", count, threads,
               resize_in_memory(images, count, threads));
  }
  for (const NumberType type : {NumberType::uint8, NumberType::float32})
    compare_files(folder, images, count, type, world);
}
