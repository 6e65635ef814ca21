// SPDX-License-Identifier: MIT
#include "data/import/image_files.hpp"

#include "import_samples.hpp"

#include "support/catch.hpp"

using namespace sheaf;
using namespace sheaf::test;

namespace {

std::string idx(char type, const std::vector<std::uint32_t>& shape, const std::string& data) {
  std::string file = std::string("\0\0", 2) + type + static_cast<char>(shape.size());
  for (const auto extent : shape)
    for (const int shift : {24, 16, 8, 0}) file += static_cast<char>(extent >> shift & 255);
  return file + data;
}

ImportedData import(const std::vector<std::string>& files) {
  return import_idx(sources_of(files));
}

std::string cifar(char label, char pixel) {
  return label + std::string(3071, pixel) + '\x7';
}

}  // namespace

TEST_CASE("IDX images get a channel dimension and other arrays keep their shape") {
  const auto images = import({idx(8, {2, 1, 2}, "\1\2\3\4"), idx(8, {2}, std::string("\0\5", 2))});
  CHECK(images.features.type == NumberType::uint8);
  CHECK(images.features.shape == std::vector<std::int64_t>{2, 1, 1, 2});
  CHECK(numbers(images.features) == std::vector<double>{1, 2, 3, 4});
  CHECK(images.targets->type == NumberType::int64);
  CHECK(numbers(*images.targets) == std::vector<double>{0, 1});
  CHECK(images.classes() == 2);
  const auto table = import({idx(0x0d, {1, 2}, bytes_of(1.5f, true) + bytes_of(2.5f, true)), idx(8, {1}, "\1")});
  CHECK(table.features.shape == std::vector<std::int64_t>{1, 2});
  CHECK(numbers(table.features) == std::vector<double>{1.5, 2.5});
  CHECK(numbers(import({idx(0x0b, {1}, "\xff\xfe"), idx(8, {1}, "\1")}).features) == std::vector<double>{-2});
}

TEST_CASE("pairs of IDX files with the same shapes are concatenated") {
  const std::string images = idx(8, {1, 1, 2}, "\1\2"), labels = idx(8, {1}, "\1");
  const auto data = import({images, labels, idx(8, {2, 1, 2}, "\3\4\5\6"), idx(8, {2}, "\2\3")});
  CHECK(data.features.shape == std::vector<std::int64_t>{3, 1, 1, 2});
  CHECK(numbers(data.features) == std::vector<double>{1, 2, 3, 4, 5, 6});
  CHECK(numbers(*data.targets) == std::vector<double>{0, 1, 2});
  CHECK_THROWS_WITH(import({images, labels, idx(8, {1, 2, 1}, "\3\4"), labels}),
                    StartsWith("'2' [1, 1, 2, 1] uint8 does not match the files before it, [1, 1, 1, 2] uint8"));
  CHECK_THROWS_WITH(import({images, labels, idx(9, {1, 1, 2}, "\3\4"), labels}), StartsWith("'2' [1, 1, 1, 2] int8"));
}

TEST_CASE("files that are not valid IDX files are refused") {
  const std::string images = idx(8, {1, 1, 2}, "\1\2"), labels = idx(8, {1}, "\1");
  CHECK_THROWS_WITH(import({"PNG..", labels}),
                    StartsWith("'0' is not an IDX file (it does not begin with an IDX header)"));
  CHECK_THROWS_WITH(import({idx(10, {1}, "\1"), labels}),
                    StartsWith("'0' is not an IDX file (its third byte, the type, is 0x0a)"));
  CHECK_THROWS_WITH(import({images.substr(0, 10), labels}), StartsWith("'0' is truncated (in its header: 2 of 4"));
  CHECK_THROWS_WITH(import({images.substr(0, 17), labels}), StartsWith("'0' is truncated (in its numbers: 1 of 2"));
  CHECK_THROWS_WITH(import({images + "x", labels}), StartsWith("'0' is longer than its header declares"));
  CHECK_THROWS_WITH(import({labels, images}), StartsWith("'1' [1, 1, 2] does not contain labels"));
  CHECK_THROWS_WITH(import({images, idx(8, {2}, "\1\2")}), ContainsSubstring("have 1 and 2 rows"));
  CHECK_THROWS_WITH(import({idx(8, {0xffffffff, 0xffffffff, 0xffffffff}, ""), labels}),
                    ContainsSubstring("too many values"));
}

TEST_CASE("CIFAR-10 files are concatenated; each record is a label followed by pixels") {
  const auto data = import_cifar10(sources_of({cifar(3, 'a') + cifar(9, 'b'), cifar(0, 'c')}));
  CHECK(data.features.type == NumberType::uint8);
  CHECK(data.features.shape == std::vector<std::int64_t>{3, 3, 32, 32});
  const auto pixels = numbers(data.features);
  CHECK(pixels[0] == 'a');
  CHECK(pixels[3070] == 'a');
  CHECK(pixels[3071] == 7);
  CHECK(pixels[3072] == 'b');
  CHECK(pixels[2 * 3072] == 'c');
  CHECK(numbers(*data.targets) == std::vector<double>{3, 9, 0});
}

TEST_CASE("files that are not valid CIFAR-10 files are refused") {
  CHECK_THROWS_WITH(import_cifar10(sources_of({cifar(3, 'a') + "xy"})),
                    ContainsSubstring("2 bytes follow after 1 records of 3073"));
  CHECK_THROWS_WITH(import_cifar10(sources_of({cifar(3, 'a') + cifar(10, 'a')})),
                    ContainsSubstring("record 1 has the label 10"));
  CHECK_THROWS_WITH(import_cifar10(sources_of({""})), StartsWith("'0' is empty"));
}

TEST_CASE("labels of images get the numbers of known classes") {
  const std::vector<std::string> known = {"cat", "dog", "airplane"};
  const auto data = import_cifar10(sources_of({cifar(3, 'a') + cifar(0, 'b')}), known);
  CHECK(numbers(*data.targets) == std::vector<double>{0, 2});
  const auto one_digit = import_idx(sources_of({idx(8, {1, 1, 1}, "a"), idx(8, {1}, "\7")}), {{"5", "6", "7"}});
  CHECK(numbers(*one_digit.targets) == std::vector<double>{2});
  CHECK(data.description.class_names == known);
}
