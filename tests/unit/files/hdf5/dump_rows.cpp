// Usage: dump_rows FILE FOLDER. Reads every data set of FILE with StoredRows in three threads. Writes data set k to
// FOLDER/k.f32, k.f64 and, where they apply, k.i64 and k.u8. read_layouts.py checks these files.
// SPDX-License-Identifier: MIT
#include <cstdio>
#include <fstream>
#include <string>
#include <thread>
#include <vector>

#include "files/hdf5/file.hpp"
#include "files/hdf5/stored_rows.hpp"

namespace {

template <class T>
void dump(const sheaf::StoredRows& stored, const std::string& path) {
  const std::int64_t width = stored.info().row_elements();
  std::vector<T> values(static_cast<std::size_t>(stored.info().rows() * width));
  const auto read_some = [&](std::int64_t first) {
    sheaf::RowBuffers buffers;
    for (std::int64_t number = first; number < stored.block_count(); number += 3) {
      const sheaf::IndexRange block = stored.block(number);
      const std::int64_t middle = block.begin + (block.count() + 2) / 3;  // not on a chunk boundary
      stored.read<T>({block.begin, middle}, values.data() + block.begin * width, buffers);
      stored.read<T>({middle, block.end}, values.data() + middle * width, buffers);
    }
  };
  std::vector<std::thread> threads;
  for (std::int64_t first = 0; first < 3; ++first) threads.emplace_back(read_some, first);
  for (auto& thread : threads) thread.join();
  std::ofstream(path, std::ios::binary)
      .write(reinterpret_cast<const char*>(values.data()), static_cast<std::streamsize>(values.size() * sizeof(T)));
}

}  // namespace

int main(int, char** argv) {
  int number = 0;
  for (const auto& name : sheaf::InputFile(argv[1]).data_set_names()) {
    const sheaf::StoredRows stored(argv[1], name);
    const std::string path = std::string(argv[2]) + "/" + std::to_string(number++);
    dump<float>(stored, path + ".f32");
    dump<double>(stored, path + ".f64");
    if (stored.info().number_class == sheaf::NumberClass::integer) dump<std::int64_t>(stored, path + ".i64");
    if (stored.info().is_bytes) dump<std::uint8_t>(stored, path + ".u8");
    std::printf("%s\n", name.c_str());
  }
  return 0;
}
