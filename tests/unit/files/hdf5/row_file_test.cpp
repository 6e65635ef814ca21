// SPDX-License-Identifier: MIT
#include "files/hdf5/row_file.hpp"

#include <filesystem>

#include "core/error.hpp"
#include "files/hdf5/file.hpp"
#include "support/catch.hpp"

using namespace sheaf;

TEST_CASE("arrays can be written in any order and are read back as data sets") {
  const std::vector<RowArray> arrays{{"values", NumberType::float32, {5, 3}}, {"labels", NumberType::int64, {5}}};
  const auto offsets = create_row_file("rows.h5", arrays, {{"", "model", {"a.pt"}}});
  {
    const RowFileWriter writer("rows.h5");
    for (const std::int64_t row : {4, 0, 2, 3, 1}) {
      const float values[] = {static_cast<float>(row), 0.5f, -1};
      writer.write(values, sizeof values, offsets[0] + row * arrays[0].row_bytes());
      writer.write(&row, sizeof row, offsets[1] + row * arrays[1].row_bytes());
    }
    writer.sync();
  }
  const InputFile file("rows.h5");
  CHECK(file.data_set_names() == std::vector<std::string>{"/labels", "/values"});
  std::vector<float> values(15);
  std::vector<std::int64_t> labels(5);
  file.data_set("values").read_rows({0, 5}, values.data());
  file.data_set("labels").read_rows({0, 5}, labels.data());
  CHECK(labels == std::vector<std::int64_t>{0, 1, 2, 3, 4});
  CHECK(values == std::vector<float>{0, 0.5f, -1, 1, 0.5f, -1, 2, 0.5f, -1, 3, 0.5f, -1, 4, 0.5f, -1});
}

TEST_CASE("a file that cannot be created or does not fit on the disk is refused") {
  const RowArray small{"values", NumberType::float32, {5, 3}};
  CHECK_THROWS_WITH(create_row_file("absent/rows.h5", {small}, {}), ContainsSubstring("'absent/rows.h5'"));
  const RowArray huge{"values", NumberType::float32, {std::int64_t{1} << 40, 1 << 15}};
  CHECK_THROWS_WITH(create_row_file("huge.h5", {huge}, {}), ContainsSubstring("'huge.h5' cannot be written"));
  std::filesystem::remove("huge.h5");
  CHECK_THROWS_WITH(RowFileWriter("absent.h5"), ContainsSubstring("'absent.h5' cannot be written"));
}
