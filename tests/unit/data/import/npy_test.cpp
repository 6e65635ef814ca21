// SPDX-License-Identifier: MIT
#include "data/import/npy.hpp"

#include "data/import/numpy_files.hpp"
#include "import_samples.hpp"

#include "support/catch.hpp"

using namespace sheaf;
using namespace sheaf::test;

namespace {

std::string npy(const std::string& type, const std::string& shape, const std::string& data, bool fortran = false,
                int version = 1) {
  const std::string header =
      "{'descr': " + type + ", 'fortran_order': " + (fortran ? "True" : "False") + ", 'shape': " + shape + ", }\n";
  std::string length;
  for (int i = 0; i < (version == 1 ? 2 : 4); ++i) length += static_cast<char>(header.size() >> 8 * i & 255);
  return std::string("\x93NUMPY") + static_cast<char>(version) + '\0' + length + header + data;
}

NumberArray read(const std::string& file) {
  MemorySource source("x.npy", file);
  return read_npy(source);
}

ImportedData import(const std::string& features, const std::string& targets, std::optional<Task> task = {}) {
  MemorySource x("x.npy", features), y("y.npy", targets);
  return import_npy(x, &y, {task, {}});
}

}  // namespace

TEST_CASE("read_npy supports all types, byte orders and versions") {
  const NumberArray floats = read(npy("'<f4'", "(2, 1)", bytes_of(1.5f) + bytes_of(-2.0f), false, 3));
  CHECK(floats.type == NumberType::float32);
  CHECK(floats.shape == std::vector<std::int64_t>{2, 1});
  CHECK(numbers(floats) == std::vector<double>{1.5, -2});
  const NumberArray halves = read(npy("'>f2'", "(2,)", std::string("\x3c\0\xc5\0", 4)));
  CHECK(halves.type == NumberType::float16);
  CHECK(numbers(halves) == std::vector<double>{1, -5});
  const NumberArray swapped = read(npy("'>i8'", "(1,)", bytes_of(std::int64_t{-258}, true), false, 2));
  CHECK(swapped.type == NumberType::int64);
  CHECK(numbers(swapped) == std::vector<double>{-258});
  const NumberArray booleans = read(npy("'|b1'", "(3,)", std::string("\0\1\2", 3)));
  CHECK(booleans.type == NumberType::uint8);
  CHECK(numbers(booleans) == std::vector<double>{0, 1, 1});
  CHECK(numbers(read(npy("'<u2'", "(1,)", bytes_of(std::uint16_t{65535})))) == std::vector<double>{65535});
}

TEST_CASE("arrays in Fortran order are converted to C order") {
  // element [i][j][k] of shape (2, 3, 2) is 100 i + 10 j + k
  std::string data;
  for (int k = 0; k < 2; ++k)
    for (int j = 0; j < 3; ++j)
      for (int i = 0; i < 2; ++i) data += static_cast<char>(100 * i + 10 * j + k);
  CHECK(numbers(read(npy("'|u1'", "(2, 3, 2)", data, true))) ==
        std::vector<double>{0, 1, 10, 11, 20, 21, 100, 101, 110, 111, 120, 121});
}

TEST_CASE("files that are not valid arrays of numbers are refused") {
  CHECK_THROWS_WITH(read(""),
                    StartsWith("'x.npy' is not a readable .npy file (it does not begin with an .npy header)"));
  CHECK_THROWS_WITH(read(npy("'<f4'", "(1,)", "", false, 4)), ContainsSubstring("format version is 4"));
  CHECK_THROWS_WITH(read(npy("'|O'", "(1,)", "")), ContainsSubstring("its type is '|O'"));
  CHECK_THROWS_WITH(read(npy("'<c8'", "(1,)", "")), ContainsSubstring("its type is '<c8'"));
  CHECK_THROWS_WITH(read(npy("'<f9'", "(1,)", "")), ContainsSubstring("its type is '<f9'"));
  CHECK_THROWS_WITH(read(npy("[('a', '<f4')]", "(1,)", "")), ContainsSubstring("its type is structured"));
  CHECK_THROWS_WITH(read(npy("'<f4'", "()", "1234")), ContainsSubstring("a single value"));
  const std::string extents = "1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, ";  // 11 dimensions
  CHECK_THROWS_WITH(read(npy("'|u1'", "(" + extents + extents + extents + ")", "1")),
                    ContainsSubstring("it has more than 32 dimensions"));
  CHECK_THROWS_WITH(read(npy("'<f4'", "(-1,)", "")), ContainsSubstring("its shape cannot be read"));
  CHECK_THROWS_WITH(read(npy("'<f4'", "(4294967296, 4294967296)", "")), ContainsSubstring("too many values"));
  CHECK_THROWS_WITH(read(npy("'<f4'", "(0, 4294967296, 4294967296)", "")), ContainsSubstring("too many values"));
  CHECK_THROWS_WITH(read(npy("'<f4'", "(2,)", "1234567")),
                    StartsWith("'x.npy' is truncated (in its numbers: 7 of 8 bytes)"));
  if (large_allocations_throw)
    CHECK_THROWS_WITH(read(npy("'<f4'", "(1152921504606846975,)", "1234")),
                      StartsWith("'x.npy' does not fit in memory"));
  CHECK_THROWS_WITH(read(npy("'|u1'", "(2,)", "123")), StartsWith("'x.npy' is longer than its header declares"));
  CHECK_THROWS_WITH(read(npy("'|u1'", "(2,)", "12").substr(0, 30)), ContainsSubstring("is truncated (in its header"));
}

TEST_CASE("texts are class labels, in sorted order") {
  const std::string x = npy("'|u1'", "(3, 1)", "\1\2\3");
  const auto bytes = import(x, npy("'|S3'", "(3,)",
                                   std::string("dog"
                                               "cat"
                                               "ox\0",
                                               9)));
  CHECK(numbers(*bytes.targets) == std::vector<double>{1, 0, 2});
  CHECK(bytes.description.class_names == std::vector<std::string>{"cat", "dog", "ox"});
  const std::string little(
      "\xe4\0\0\0"
      "b\0\0\0"
      "z\0\0\0\0\0\0\0"
      "z\0\0\0\0\0\0\0",
      24);
  const auto wide = import(x, npy("'<U2'", "(3, 1)", little));
  CHECK(wide.description.class_names == std::vector<std::string>{"z",
                                                                 "\xc3\xa4"
                                                                 "b"});
  CHECK(numbers(*wide.targets) == std::vector<double>{1, 0, 0});
  const std::string big("\0\0\0b\0\0\0a\0\1\xf3\x3e", 12);
  CHECK(import(x, npy("'>U1'", "(3,)", big)).description.class_names ==
        std::vector<std::string>{"a", "b", "\xf0\x9f\x8c\xbe"});
  CHECK(import(x, npy("'|S2'", "(3,)", "102 9 ")).description.class_names ==
        std::vector<std::string>{"10", "2 ", "9 "});
}

TEST_CASE("texts are coded like those of other data") {
  const std::string x = npy("'|u1'", "(2, 1)", "\1\2");
  const auto coded = [&](const std::string& y, std::vector<std::string> known) {
    MemorySource features("x.npy", x), targets("y.npy", y);
    return numbers(*import_npy(features, &targets, {std::nullopt, known}).targets);
  };
  const std::string y = npy("'|S1'", "(2,)", "ba");
  CHECK(coded(y, {"c", "b", "a"}) == std::vector<double>{1, 2});
  CHECK_THROWS_WITH(coded(y, {"c", "b"}), ContainsSubstring("contains 'a', which is not one of the 2 known classes"));
  CHECK(coded(npy("'|S1'", "(2,)", "20"), {}) == std::vector<double>{2, 0});  // class numbers
  CHECK_THROWS_WITH(coded(y, {}), ContainsSubstring("the training data have no class names"));
}

TEST_CASE("texts are refused as features, for regression, and in several columns") {
  const std::string x = npy("'|u1'", "(2, 1)", "\1\2"), text = npy("'|S1'", "(2,)", "ab");
  CHECK_THROWS_WITH(import(text, x), StartsWith("'x.npy' cannot be used (its type is text)"));
  CHECK_THROWS_WITH(import(x, text, Task::regression), StartsWith("'y.npy' contains text"));
  CHECK_THROWS_WITH(import(x, npy("'|S1'", "(2, 2)", "abcd")), ContainsSubstring("several texts per row"));
  CHECK_THROWS_WITH(read(npy("'<U0'", "(2,)", "")), ContainsSubstring("its type is '<U0'"));
  CHECK_THROWS_WITH(read(npy("'|S9999999999'", "(2,)", "")), ContainsSubstring("its type is '|S9999999999'"));
}

TEST_CASE("one-hot targets are classes, unless the task is regression") {
  const std::string x = npy("'|u1'", "(3, 1)", "\1\2\3");
  const std::string y = npy("'|u1'", "(3, 2)", std::string("\0\1\1\0\0\1", 6));
  const auto data = import(x, y);
  CHECK(numbers(*data.targets) == std::vector<double>{1, 0, 1});
  CHECK(data.targets->shape == std::vector<std::int64_t>{3});
  REQUIRE(data.notes.size() == 1);
  CHECK_THAT(data.notes[0], StartsWith("the targets are one-hot: classification with 2 classes"));
  CHECK(import(x, y, Task::regression).targets->shape == std::vector<std::int64_t>{3, 2});
  const std::string several = npy("'|u1'", "(3, 2)", std::string("\0\1\1\1\0\1", 6));
  CHECK_THROWS_WITH(import(x, several, Task::classification), ContainsSubstring("several labels per row"));
  const auto labels = import(x, several);
  CHECK(numbers(*labels.targets) == std::vector<double>{0, 1, 1, 1, 0, 1});
  CHECK(labels.description.is_multilabel);
  CHECK_FALSE(labels.has_classes());
  REQUIRE(labels.notes.size() == 1);
  CHECK_THAT(labels.notes[0], StartsWith("the targets are 0 and 1 in 2 columns: multi-label classification"));
  CHECK(import(x, y, Task::multilabel).targets->shape == std::vector<std::int64_t>{3, 2});
  CHECK(import(x, y, Task::multilabel).notes.empty());
  CHECK_THROWS_WITH(import(x, npy("'|u1'", "(3, 2)", std::string("\0\1\1\1\0\2", 6)), Task::multilabel),
                    ContainsSubstring("has other values than 0 and 1"));
  CHECK_THROWS_WITH(import(x, npy("'|u1'", "(3,)", std::string("\0\1\1", 3)), Task::multilabel),
                    ContainsSubstring("has one label per row"));
  CHECK(import(x, npy("'|u1'", "(3, 2)", std::string("\0\1\1\1\0\2", 6))).targets->shape ==
        std::vector<std::int64_t>{3, 2});
}

TEST_CASE("integers are targets of a regression with all their digits") {
  const std::string x = npy("'|u1'", "(2, 1)", "\1\2");
  const auto targets_of = [&x](std::int64_t a, std::int64_t b) {
    return *import(x, npy("'<i8'", "(2,)", bytes_of(a) + bytes_of(b)), Task::regression).targets;
  };
  CHECK(targets_of(1'700'000'000, 1'700'000'001).type == NumberType::float64);
  CHECK(numbers(targets_of(1'700'000'000, 1'700'000'001)) == std::vector<double>{1'700'000'000, 1'700'000'001});
  CHECK(targets_of(-16'777'216, 1LL << 40).type == NumberType::float32);
  CHECK(targets_of(-16'777'217, 1).type == NumberType::float64);
}

TEST_CASE("notes and errors name the option of the task") {
  const auto targets = [](const std::string& y, std::optional<Task> task = {}) {
    const std::string x = npy("'|u1'", "(2, 1)", "\1\2");
    MemorySource features("x.npy", x), labels("y.npy", y);
    return import_npy(features, &labels, {task, {}, "--data.task"});
  };
  const std::string one_hot("\1\0\0\1", 4), both("\1\0\1\1", 4);
  CHECK_THAT(targets(npy("'|u1'", "(2, 2)", one_hot)).notes.at(0),
             EndsWith("(--data.task=regression predicts the numbers)"));
  CHECK_THAT(targets(npy("'|u1'", "(2,)", "\1\2")).notes.at(0), EndsWith("(--data.task=regression predicts numbers)"));
  CHECK_THAT(targets(npy("'|u1'", "(2, 2)", both)).notes.at(0),
             EndsWith("(--data.task=regression predicts the numbers)"));
  CHECK_THROWS_WITH(targets(npy("'|u1'", "(2, 2)", both), Task::classification),
                    EndsWith("or pass --data.task=multilabel."));
  const std::string halves = npy("'<f8'", "(2,)", bytes_of(0.5) + bytes_of(1.0));
  CHECK_THROWS_WITH(targets(halves, Task::classification), EndsWith("or pass --data.task=regression."));
}

TEST_CASE("targets are class labels if they are integers with one per row") {
  const std::string x = npy("'|u1'", "(2, 2)", "\1\2\3\4");
  const auto classes = import(x, npy("'|i1'", "(2, 1)", std::string("\3\0", 2)));
  CHECK(classes.targets->type == NumberType::int64);
  CHECK(classes.targets->shape == std::vector<std::int64_t>{2});
  CHECK(numbers(*classes.targets) == std::vector<double>{1, 0});
  CHECK(classes.description.class_names == std::vector<std::string>{"0", "3"});
  const auto outputs = import(x, npy("'|i1'", "(2, 2)", "\1\2\3\4"));
  CHECK(outputs.targets->type == NumberType::float32);
  CHECK(numbers(*outputs.targets) == std::vector<double>{1, 2, 3, 4});
  CHECK(import(x, npy("'|i1'", "(2,)", "\1\2"), Task::regression).classes() == 0);
  const std::string whole = npy("'<f8'", "(2,)", bytes_of(1.0) + bytes_of(0.0));
  CHECK(import(x, whole).targets->type == NumberType::float64);
  CHECK(import(x, whole, Task::classification).classes() == 2);
}

TEST_CASE("features and targets that do not fit are refused") {
  const std::string x = npy("'|u1'", "(2, 2)", "\1\2\3\4");
  CHECK_THROWS_WITH(import(x, npy("'<f4'", "(2,)", bytes_of(0.5f) + bytes_of(1.0f)), Task::classification),
                    StartsWith("'y.npy' contains 0.5 in row 0"));
  CHECK_THROWS_WITH(import(x, npy("'|i1'", "(3,)", "\1\2\3")), ContainsSubstring("have 2 and 3 rows"));
  CHECK_THROWS_WITH(import(x, x, Task::classification), ContainsSubstring("one label per row"));
  CHECK_THROWS_WITH(import(x, npy("'|i1'", "(2, 1, 1)", "\1\2")), ContainsSubstring("not a list of targets"));
  CHECK_THROWS_WITH(import(npy("'|u1'", "(0, 2)", ""), npy("'|u1'", "(0,)", "")),
                    StartsWith("'x.npy' [0, 2] is empty"));
  CHECK_THROWS_WITH(import(npy("'<f8'", "(1, 2)", bytes_of(1.0) + bytes_of(1e300)), npy("'|u1'", "(1,)", "\1")),
                    StartsWith("'x.npy' contains 1e+300 in row 0, column 1"));
}
