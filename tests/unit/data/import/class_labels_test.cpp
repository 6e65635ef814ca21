// SPDX-License-Identifier: MIT
#include "data/import/class_labels.hpp"

#include "import_samples.hpp"

#include "support/catch.hpp"

using namespace sheaf;
using namespace sheaf::test;

namespace {

using Integers = std::vector<std::int64_t>;
using Texts = std::vector<std::string>;

std::vector<double> labels_of(const CodedTargets& targets) {
  CHECK(targets.array.type == NumberType::int64);
  return numbers(targets.array);
}

Integers count_to(std::int64_t end, std::int64_t step = 1) {
  Integers values;
  for (std::int64_t value = 0; value < end; value += step) values.push_back(value);
  return values;
}

}  // namespace

TEST_CASE("integers look like classes if they are 0..K-1, or have at most 100 different values that are repeated") {
  CHECK(looks_like_classes({2, 0, 1, 1}));
  CHECK(looks_like_classes({7}));
  CHECK(looks_like_classes({-5, 1'000'000'000'000}));
  CHECK(looks_like_classes(count_to(101)));
  const auto twice = [](Integers values) {
    const Integers copy = values;
    values.insert(values.end(), copy.begin(), copy.end());
    return values;
  };
  CHECK(looks_like_classes(twice(count_to(200, 2))));
  CHECK_FALSE(looks_like_classes(twice(count_to(202, 2))));
  Integers from_one = count_to(102);
  from_one.erase(from_one.begin());
  CHECK_FALSE(looks_like_classes(from_one));
}

TEST_CASE("integers of which most rows have one of their own are quantities") {
  CHECK(looks_like_classes(count_to(38, 2)));        // 19 rows
  CHECK_FALSE(looks_like_classes(count_to(40, 2)));  // 20 rows
  Integers prices = count_to(80, 2);                 // 40 rows, 38 different values
  prices[1] = prices[2] = prices[0];
  CHECK_FALSE(looks_like_classes(prices));
  Integers half(20, 5);
  for (std::size_t row = 0; row < 10; ++row) half[row] = 100 + static_cast<std::int64_t>(row);
  CHECK(looks_like_classes(half));
  half[10] = 200;
  CHECK_FALSE(looks_like_classes(half));
}

TEST_CASE("integers 0..K-1 stay, and others are numbered in ascending order") {
  const auto stay = code_integers({2, 0, 1, 2}, std::nullopt, "y");
  CHECK(labels_of(stay) == std::vector<double>{2, 0, 1, 2});
  CHECK(stay.class_names == Texts{"0", "1", "2"});
  const auto numbered = code_integers({10, -3, 9, 10}, std::nullopt, "y");
  CHECK(labels_of(numbered) == std::vector<double>{2, 0, 1, 2});
  CHECK(numbered.class_names == Texts{"-3", "9", "10"});
}

TEST_CASE("more classes than may have names are accepted only if they are 0..K-1") {
  const auto many = static_cast<std::int64_t>(max_class_names) + 1;
  const auto coded = code_integers(count_to(many), std::nullopt, "y");
  CHECK(coded.array.rows() == many);
  CHECK(coded.class_names.empty());
  CHECK_THROWS_WITH(code_integers(count_to(2 * many, 2), std::nullopt, "column 2 of 'a.csv'"),
                    StartsWith("The label column 2 of 'a.csv' has more than 65536 different values"));
}

TEST_CASE("with known names, integers get the numbers of their names") {
  const auto coded = code_integers({3, 1, 3}, Texts{"1", "2", "3"}, "y");
  CHECK(labels_of(coded) == std::vector<double>{2, 0, 2});
  CHECK(coded.class_names == Texts{"1", "2", "3"});
  CHECK(labels_of(code_integers({0, 1}, Texts{"1", "0"}, "y")) == std::vector<double>{1, 0});
  CHECK_THROWS_WITH(code_integers({1, 4}, Texts{"1", "2", "3"}, "of 'a.npy'"),
                    StartsWith("The label of 'a.npy' contains '4', which is not one of the 3 known classes ('1' to "
                               "'3')."));
}

TEST_CASE("if the known classes have no names, labels are class numbers and stay") {
  const auto coded = code_integers({5, 2, 2}, Texts(), "y");
  CHECK(labels_of(coded) == std::vector<double>{5, 2, 2});
  CHECK(coded.class_names.empty());
  CHECK_THROWS_WITH(code_integers({0, -1}, Texts(), "of 'a.npy'"),
                    "The label of 'a.npy' contains -1 (no class names are known, so labels must be class "
                    "numbers from 0). Correct it.");
}

TEST_CASE("known classes are found by name and then by number") {
  const Texts names = {"cat", "1", "007", "7", "-2.50"};
  const KnownClasses known(names, "of 'a.csv'");
  CHECK(known.find("cat") == 0);
  CHECK(known.find("1.0") == 1);
  CHECK(known.find("7") == 3);
  CHECK(known.find("7.0") == 3);
  CHECK(known.find("-2.5") == 4);
  for (const char* unknown : {"", "Cat", "nan", "inf", "2", "01", "07"}) CHECK_THROWS_AS(known.find(unknown), RunError);
  CHECK_THROWS_WITH(known.find("caat"),
                    "The label of 'a.csv' contains 'caat', which is not one of the 5 known classes ('cat' to '-2.50'). "
                    "Did you mean 'cat'? Correct the label, or remove its rows.");
}

TEST_CASE("an array of labels has one element per row") {
  CHECK(label_array({}).shape == Integers{0});
  CHECK(numbers(label_array({3, 4})) == std::vector<double>{3, 4});
}
