// SPDX-License-Identifier: MIT
#include "files/hdf5/table_reader.hpp"

#include "core/error.hpp"
#include "files/hdf5/file.hpp"
#include "files/hdf5/table_writer.hpp"
#include "support/catch.hpp"

using namespace sheaf;

namespace {

void write_table() {
  Hdf5Writer writer("table.h5");
  writer.write_table("/people", {{"age", std::vector<std::int64_t>{40, 2, 71}},
                                 {"height", std::vector<double>{1.5, 0.9, 1.75}},
                                 {"name", std::vector<std::string>{"Ada", "ünï", ""}},
                                 {"shares", std::vector<float>{0.25F, 0.75F, 1, 0, 0.5F, 0.5F}, 2}});
  writer.write_table("/empty", {{"age", std::vector<std::int64_t>{}}});
  writer.write_numbers("/numbers", {NumberType::uint8, {1}, {std::byte{1}}}, 0);
  writer.close();
}

}  // namespace

TEST_CASE("columns of a table are read back, all rows or some") {
  write_table();
  const InputFile file("table.h5");
  const TableReader table = file.table("/people");
  CHECK(table.rows() == 3);
  CHECK(table.has_column("name"));
  CHECK(!table.has_column("nam"));
  CHECK(table.width("age") == 1);
  CHECK(table.width("shares") == 2);
  CHECK(table.read<std::int64_t>("age", {0, 3}) == std::vector<std::int64_t>{40, 2, 71});
  CHECK(table.read<double>("age", {1, 2}) == std::vector<double>{2});
  CHECK(table.read<double>("height", {1, 3}) == std::vector<double>{0.9, 1.75});
  CHECK(table.read<double>("shares", {1, 3}) == std::vector<double>{1, 0, 0.5, 0.5});
  CHECK(table.read_texts("name", {0, 3}) == std::vector<std::string>{"Ada", "ünï", ""});
  CHECK(table.read<double>("height", {2, 2}).empty());
  CHECK(file.table("/empty").rows() == 0);
  CHECK(file.table("/empty").read<std::int64_t>("age", {0, 0}).empty());
}

TEST_CASE("a missing column, one of another type, and what is no table are errors") {
  write_table();
  const InputFile file("table.h5");
  const TableReader table = file.table("/people");
  CHECK_THROWS_AS(table.read<double>("weight", {0, 1}), RunError);
  CHECK_THROWS_AS(table.read<double>("name", {0, 1}), RunError);
  CHECK_THROWS_AS(table.read_texts("age", {0, 1}), RunError);
  CHECK_THROWS_AS(table.read<double>("age", {2, 4}), RunError);
  CHECK_THROWS_AS(file.table("/numbers"), RunError);
  CHECK_THROWS_AS(file.table("/missing"), RunError);
}
