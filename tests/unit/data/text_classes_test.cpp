// SPDX-License-Identifier: MIT
#include "data/text_classes.hpp"

#include "core/error.hpp"
#include "data/target_coding.hpp"
#include "support/catch.hpp"

using namespace sheaf;

TEST_CASE("labels of text are numbered in sorted order") {
  TextClasses different;
  std::vector<std::int64_t> numbers;
  for (const char* text : {"dog", "cat", "dog", "", "Cat"}) numbers.push_back(different.add(text, "label"));
  CHECK(numbers == std::vector<std::int64_t>{0, 1, 0, 2, 3});
  const auto names = class_names_of(different.texts());
  CHECK(names == std::vector<std::string>{"", "Cat", "cat", "dog"});
  CHECK(classes_of(different.texts(), names) == std::vector<std::int64_t>{3, 2, 0, 1});
}

TEST_CASE("more texts than class names are refused") {
  TextClasses different;
  for (std::size_t number = 0; number < max_class_names; ++number) different.add(std::to_string(number), "label");
  CHECK(different.add("0", "label") == 0);
  CHECK_THROWS_WITH(different.add("x", "data set '/y'"),
                    StartsWith("The data set '/y' has more than 65536 different texts"));
}

TEST_CASE("a one-hot row has exactly one 1 and otherwise zeros") {
  const auto class_of = [](std::vector<double> row) {
    return one_hot_class(row.data(), static_cast<std::int64_t>(row.size()));
  };
  CHECK(class_of({1, 0, 0}) == 0);
  CHECK(class_of({0, 0, 1}) == 2);
  CHECK(class_of({-0.0, 1}) == 1);
  CHECK(class_of({0, 0}) == -2);
  CHECK(class_of({1, 0, 1}) == -2);
  CHECK(class_of({1, 1, 1}) == -2);
  CHECK(class_of({0, 0.5}) == -1);
  CHECK(class_of({1, 1, 2}) == -1);
}
