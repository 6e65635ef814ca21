// SPDX-License-Identifier: MIT
#include "files/hdf5/table_writer.hpp"

#include <fmt/format.h>
#include <signal.h>
#include <sys/resource.h>
#include <chrono>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <thread>

#include "core/error.hpp"
#include "files/hdf5/file.hpp"
#include "support/catch.hpp"

using namespace sheaf;

namespace {

NumberArray one_byte(std::uint8_t value) {
  return {NumberType::uint8, {1}, {std::byte{value}}};
}

}  // namespace

TEST_CASE("missing groups are created, and an existing file is replaced") {
  for (const auto value : {std::uint8_t{1}, std::uint8_t{7}}) {
    Hdf5Writer writer("array.h5");
    writer.write_numbers("group/array", one_byte(value), 0);
    writer.close();
    double read = 0;
    InputFile("array.h5").data_set("group/array").read_rows({0, 1}, &read);
    CHECK(read == value);
  }
}

TEST_CASE("numbers of every type are read back, in chunks of whole rows, compressed or not") {
  for (const int compression : {0, 9}) {
    Hdf5Writer writer("numbers.h5");
    for (const auto type : {NumberType::int8, NumberType::int16, NumberType::int32, NumberType::int64,
                            NumberType::uint8, NumberType::uint16, NumberType::uint32, NumberType::uint64,
                            NumberType::float16, NumberType::float32, NumberType::float64}) {
      // zeros except for the last number, whose bytes are all 1
      NumberArray array{type, {3, 2}, std::vector<std::byte>(6 * number_bytes(type))};
      std::fill_n(array.bytes.end() - static_cast<std::ptrdiff_t>(number_bytes(type)), number_bytes(type),
                  std::byte{1});
      writer.write_numbers(number_type_name(type), array, compression);
    }
    NumberArray wide{NumberType::uint8, {5, 1000, 500}, std::vector<std::byte>(2500000)};
    wide.bytes.back() = std::byte{9};
    writer.write_numbers("wide", wide, compression);
    writer.close();

    const InputFile file("numbers.h5");
    CHECK(file.data_set("wide").info().chunk_rows == 2);
    CHECK((std::filesystem::file_size("numbers.h5") < 2500000) == (compression > 0));
    std::vector<std::int64_t> last(500000);
    file.data_set("wide").read_rows({4, 5}, last.data());
    CHECK(last.back() == 9);
    const auto last_number = [&](const std::string& name) {
      std::vector<double> values(6);
      const auto data_set = file.data_set(name);
      CHECK(data_set.info().shape == std::vector<std::int64_t>{3, 2});
      data_set.read_rows({0, 3}, values.data());
      return values.back();
    };
    for (const char* name : {"int8", "uint8"}) CHECK(last_number(name) == 0x01);
    for (const char* name : {"int16", "uint16"}) CHECK(last_number(name) == 0x0101);
    for (const char* name : {"int32", "uint32"}) CHECK(last_number(name) == 0x01010101);
    for (const char* name : {"int64", "uint64"}) CHECK(last_number(name) == Approx(72340172838076673.0));
    CHECK(last_number("float16") == Approx(1.531839e-05));
    CHECK(last_number("float32") == Approx(2.369428e-38));
    CHECK(last_number("float64") == Approx(7.748604185489348e-304));
    CHECK(file.data_set("float32").info().number_class == NumberClass::real);
    CHECK(file.data_set("uint16").info().element_bytes == 2);
  }
}

TEST_CASE("an attribute can store 4000 strings") {
  Hdf5Writer writer("texts.h5");
  writer.write_numbers("array", one_byte(0), 0);
  writer.write_texts("array", "names", std::vector<std::string>(4000, "name"));
  CHECK_THROWS_AS(writer.write_texts("none", "names", {"name"}), RunError);
  writer.close();
}

TEST_CASE("a file that cannot be created is an error with its name and the reason") {
  CHECK_THROWS_WITH(Hdf5Writer("nowhere/file.h5"),
                    "HDF5 file 'nowhere/file.h5' cannot be written (No such file or directory). Choose a directory "
                    "with free space and write permission.");
}

TEST_CASE("two data sets with the same name are an error") {
  Hdf5Writer writer("twice.h5");
  writer.write_numbers("array", one_byte(0), 0);
  CHECK_THROWS_AS(writer.write_numbers("array", one_byte(0), 0), RunError);
}

TEST_CASE("values that do not match the declared columns and rows are an error and are not written") {
  Hdf5Writer writer("wrong.h5");
  Hdf5Table table =
      writer.begin_table("rows", 2, {{"number", ColumnType::Kind::integer}, {"text", ColumnType::Kind::text, 3}});
  const auto append = [&](const std::vector<std::int64_t>& numbers, const std::vector<std::string>& texts) {
    table.append({{"number", numbers}, {"text", texts}});
  };
  const std::string wrong_text =
      "HDF5 file 'wrong.h5' cannot be written (the values of column 'text' do not fit). This "
      "is a bug in Sheaf; please report it.";
  CHECK_THROWS_WITH(append({1}, {"four"}), wrong_text);
  CHECK_THROWS_WITH(append({1}, {"a", "b"}), wrong_text);
  CHECK_THROWS_WITH(table.append({{"number", std::vector<std::int64_t>{1}}, {"text", std::vector<double>{1}}}),
                    wrong_text);
  CHECK_THROWS_WITH(table.append({{"number", std::vector<std::int64_t>{1}}}),
                    ContainsSubstring("(expected 2 columns, got 1)"));
  append({1}, {"one"});
  CHECK_THROWS_WITH(table.close(), ContainsSubstring("(expected 2 rows, got 1)"));
  CHECK_THROWS_WITH(append({2, 3}, {"two", "3"}), ContainsSubstring("(expected 2 rows, got 3)"));
  append({2}, {"two"});
  table.close();
  for (const std::size_t bytes : {0, 5, 7})
    CHECK_THROWS_WITH(writer.write_numbers("array", {NumberType::uint8, {2, 3}, std::vector<std::byte>(bytes)}, 0),
                      ContainsSubstring(fmt::format("(an array of 6 bytes got {})", bytes)));
  CHECK_THROWS_WITH(writer.write_numbers("array", {NumberType::uint8, {0, 3}, {}}, 0),
                    ContainsSubstring("(an array of 0 bytes got 0)"));
  writer.close();
}

TEST_CASE("closing a file on a full disk is an error") {
  Hdf5Writer writer("/dev/full");
  writer.write_attribute("name", std::string("value"));
  CHECK_THROWS_WITH(writer.close(),
                    "HDF5 file '/dev/full' cannot be written (No space left on device). Choose a directory with free "
                    "space and write permission.");
}

TEST_CASE("closing a file that cannot grow any more is an error, for any content") {
  constexpr std::size_t room = 100000;
  struct rlimit before {};
  ::getrlimit(RLIMIT_FSIZE, &before);
  const auto handler = ::signal(SIGXFSZ, SIG_IGN);
  const struct rlimit small { room, before.rlim_max };
  ::setrlimit(RLIMIT_FSIZE, &small);
  {
    Hdf5Writer writer("small.h5");
    Hdf5Table table = writer.begin_table("rows", 20000, {{"number", ColumnType::Kind::integer}});
    for (int piece = 0; piece < 20; ++piece) table.append({{"number", std::vector<std::int64_t>(1000, piece)}});
    table.close();
    writer.write_numbers("array", {NumberType::uint8, {room}, std::vector<std::byte>(room)}, 1);
    writer.write_attribute("name", std::string("value"));
    CHECK_THROWS_WITH(writer.close(), ContainsSubstring("'small.h5' cannot be written (File too large)"));
  }
  {
    Hdf5Writer unclosed("small.h5");
    unclosed.write_numbers("array", {NumberType::uint8, {2 * room}, std::vector<std::byte>(2 * room)}, 0);
  }
  ::setrlimit(RLIMIT_FSIZE, &before);
  ::signal(SIGXFSZ, handler);
}

TEST_CASE("a table appended in parts equals a table written at once") {
  const auto rows = [](std::int64_t begin, std::int64_t end) {
    std::vector<std::int64_t> numbers;
    std::vector<double> values;
    std::vector<std::string> texts;
    for (std::int64_t row = begin; row < end; ++row) {
      numbers.push_back(row);
      values.push_back(0.5 * static_cast<double>(row));
      texts.push_back(std::string(static_cast<std::size_t>(row % 3), 'x'));
    }
    return std::vector<TableColumn>{{"number", numbers}, {"value", values}, {"text", texts}};
  };
  {
    Hdf5Writer whole("whole.h5");
    whole.write_table("rows", rows(0, 1000));
    whole.close();
    std::this_thread::sleep_for(std::chrono::milliseconds(1100));  // the files have no times, which count seconds
    Hdf5Writer pieces("pieces.h5");
    Hdf5Table table = pieces.begin_table("rows", 1000, column_types(rows(0, 1000)));
    for (std::int64_t begin = 0; begin < 1000; begin += 300)
      table.append(rows(begin, std::min<std::int64_t>(begin + 300, 1000)));
    table.close();
    pieces.close();
  }
  const auto bytes = [](const char* path) {
    std::ostringstream text;
    text << std::ifstream(path, std::ios::binary).rdbuf();
    return text.str();
  };
  CHECK(bytes("whole.h5") == bytes("pieces.h5"));
}
