// SPDX-License-Identifier: MIT
#include <cmath>
#include <limits>

#include "data/import/csv.hpp"
#include "data/import/csv_columns.hpp"
#include "data/import/csv_labels.hpp"
#include "data/import/csv_numbers.hpp"
#include "data/import/csv_records.hpp"
#include "import_samples.hpp"

#include "support/catch.hpp"

using namespace sheaf;
using namespace sheaf::test;

namespace {

using Texts = std::vector<std::string>;

ImportedData import(const Texts& files, const CsvOptions& options = {}) {
  return import_csv(sources_of(files), options);
}

CsvOptions label(const std::string& columns) {
  CsvOptions options;
  options.label = columns;
  return options;
}

Texts fields_of(const std::string& record, char delimiter = ',') {
  CsvFields fields;
  REQUIRE(fields.split(record, delimiter));
  Texts texts;
  for (std::size_t i = 0; i < fields.size(); ++i) texts.emplace_back(fields[i]);
  return texts;
}

}  // namespace

TEST_CASE("records end at newlines outside quotes and have line numbers") {
  const std::string text =
      "\xef\xbb\xbf"
      "a,b\r\n\n  \n\"x\ny\"\"\",2\n3,4";
  for (const std::size_t block : {3, 4, 5, 7, 11, 1000}) {
    MemorySource source("text", text);
    CsvRecords records(source, block);
    REQUIRE(records.next());
    CHECK(records.text() == "a,b");
    CHECK(records.line() == 1);
    REQUIRE(records.next());
    CHECK(records.text() == "\"x\ny\"\"\",2");
    CHECK(records.line() == 4);
    REQUIRE(records.next());
    CHECK(records.text() == "3,4");
    CHECK(records.line() == 6);
    CHECK_FALSE(records.next());
  }
}

TEST_CASE("records longer than a block are read completely") {
  const std::string longer(3 << 20, '7');
  const std::string text = longer + "\n" + longer + "8\n";
  MemorySource source("long", text);
  CsvRecords records(source);
  REQUIRE(records.next());
  CHECK(records.text() == longer);
}

TEST_CASE("a record longer than the limit is refused with its line number before it is read completely") {
  const std::string text = "1,2\n" + std::string(100, '7') + "\n3,4\n";
  for (const std::size_t longest : {99, 100}) {
    MemorySource source("long.csv", text);
    CsvRecords records(source, 8, longest);
    REQUIRE(records.next());
    if (longest == 100)
      CHECK(records.next());
    else
      CHECK_THROWS_WITH(records.next(),
                        StartsWith("The record that begins in line 2 of 'long.csv' is longer than 99 B"));
  }
  const std::string open_quote = "1,\"2\n" + std::string(1000, '7');
  MemorySource source("open.csv", open_quote);
  CsvRecords records(source, 8, 500);
  CHECK_THROWS_WITH(records.next(), StartsWith("The record that begins in line 1 of 'open.csv' is longer than"));
  std::string left(1000, 'x');
  CHECK(source.read(left.data(), left.size()) > 400);
}

TEST_CASE("records with too many fields and labels that are too long are refused with their line number") {
  CHECK_THROWS_WITH(import({"1,0\n" + std::string(most_csv_fields, ',') + "\n"}),
                    StartsWith("Line 2 of '0' has more than 4194304 columns"));
  CsvFields fields;
  CHECK(fields.split(std::string(5 << 20, ','), ','));
  CHECK(fields.size() == most_csv_fields + 1);
  CHECK_THROWS_WITH(import({"1,a\n2," + std::string(4097, 'b') + "\n"}),
                    StartsWith("The label in line 2 of '0' has 4097 bytes"));
}

TEST_CASE("fields lose their quotes and surrounding blanks, and quoted text is unchanged") {
  CHECK(fields_of("1, 2 ,") == Texts{"1", "2", ""});
  CHECK(fields_of("\" a \"\"b\"\", c\" ,d") == Texts{" a \"b\", c", "d"});
  CHECK(fields_of("\"\",\"\"\"\"") == Texts{"", "\""});
  CHECK(fields_of("1\t\t2", '\t') == Texts{"1", "", "2"});
  CsvFields fields;
  CHECK_FALSE(fields.split("\"a\"b,c", ','));
}

TEST_CASE("the delimiter is the candidate that occurs most often in the first record") {
  CHECK(detect_delimiter("a,b,c;d") == ',');
  CHECK(detect_delimiter("1,5;2,5;3") == ';');
  CHECK(detect_delimiter("a\tb\tc,d") == '\t');
  CHECK(detect_delimiter("\"a;b;c\",d") == ',');
  CHECK(detect_delimiter("abc") == ',');
}

TEST_CASE("numbers are read with full precision, are infinite out of range, and other text is refused") {
  CHECK(parse_number<float>("0.1") == 0.1f);
  CHECK(parse_number<float>("+1e3") == 1000.0f);
  CHECK(parse_number<float>("16777217") == 16777216.0f);
  CHECK(parse_number<float>("1e-60") == 0.0f);
  CHECK(std::isinf(*parse_number<float>("-1e39")));
  CHECK(std::isinf(*parse_number<double>("1e999")));
  CHECK(std::isnan(*parse_number<float>("nan")));
  for (const char* text : {"", "+", "+-1", "1,5", "0x10", "1 2", "one"}) CHECK_FALSE(parse_number<float>(text));
}

TEST_CASE("a first record is a header if it has no numbers or has text above numbers") {
  CHECK(has_header({"a", "b"}, {"1", "x"}));
  CHECK(has_header({"0", "1", "y"}, {"5", "6", "7"}));
  CHECK(has_header({"", "a", "y"}, {"0", "6", "x"}));
  CHECK_FALSE(has_header({"5.1", "3.5", "setosa"}, {"4.9", "3", "setosa"}));
  CHECK_FALSE(has_header({"1", "2"}, {}));
}

TEST_CASE("columns are found by name first and then by number") {
  const Texts names = {"a", "b", "1", "c"};
  CHECK(find_columns("c,a", names, 4, "f") == std::vector<std::size_t>{3, 0});
  CHECK(find_columns("1", names, 4, "f") == std::vector<std::size_t>{2});
  CHECK(find_columns("-1", names, 4, "f") == std::vector<std::size_t>{3});
  CHECK(find_columns("1,1", {}, 4, "f") == std::vector<std::size_t>{1});
  CHECK(find_columns("", names, 4, "f").empty());
  CHECK_THROWS_WITH(find_columns("-5", names, 4, "f"), StartsWith("There is no column -5 (there are 4 columns"));
  CHECK_THROWS_WITH(find_columns("price", {"a", "prise"}, 2, "f"),
                    "'f' has no column 'price' (its header has 2 names). Did you mean 'prise'? Columns can also be "
                    "given by number, from 0.");
  CHECK_THROWS_WITH(find_columns("price", {}, 2, "f"), ContainsSubstring("no header was found"));
}

TEST_CASE("integer labels 0..K-1 are used as class numbers unchanged") {
  const auto data = import({"a,y\n1.5,2\n2.5,0\n-3,1\n"});
  CHECK(data.features.shape == std::vector<std::int64_t>{3, 1});
  CHECK(data.features.type == NumberType::float32);
  CHECK(numbers(data.features) == std::vector<double>{1.5, 2.5, -3});
  CHECK(data.targets->type == NumberType::int64);
  CHECK(data.targets->shape == std::vector<std::int64_t>{3});
  CHECK(numbers(*data.targets) == std::vector<double>{2, 0, 1});
  CHECK(data.description.class_names == Texts{"0", "1", "2"});
  CHECK(data.classes() == 3);
}

TEST_CASE("labels that are not class numbers are numbered in sorted order") {
  const auto texts = import({"1,dog\n2,cat\n3,dog\n4,011\n"});
  CHECK(numbers(*texts.targets) == std::vector<double>{2, 1, 2, 0});
  CHECK(texts.description.class_names == Texts{"011", "cat", "dog"});
  const auto large = import({"1,100\n2,20\n3,-3\n4,100\n"});
  CHECK(numbers(*large.targets) == std::vector<double>{2, 1, 0, 2});
  CHECK(large.description.class_names == Texts{"-3", "20", "100"});
  CsvOptions options;
  options.task = Task::classification;
  const auto spelled = import({"1,-1\n2,1\n3,-1.0\n4,1\n"}, options);
  CHECK(numbers(*spelled.targets) == std::vector<double>{0, 1, 0, 1});
  CHECK(spelled.description.class_names == Texts{"-1", "1"});
  CHECK(import({"1,1.0\n2,0.0\n"}, options).description.class_names == Texts{"0", "1"});
}

TEST_CASE("fractional labels, several targets, or the requested task make a regression data set") {
  const auto fractions = import({"1,0.5\n2,1\n"});
  CHECK(fractions.targets->type == NumberType::float32);
  CHECK(numbers(*fractions.targets) == std::vector<double>{0.5, 1});
  CHECK(fractions.classes() == 0);
  const auto two = import({"a,b,c\n1,2,3\n4,5,6\n"}, label("a,c"));
  CHECK(two.targets->shape == std::vector<std::int64_t>{2, 2});
  CHECK(numbers(*two.targets) == std::vector<double>{1, 3, 4, 6});
  CHECK(numbers(two.features) == std::vector<double>{2, 5});
  CsvOptions options;
  options.task = Task::regression;
  CHECK(import({"1,0\n2,1\n"}, options).targets->type == NumberType::float32);
}

TEST_CASE("integers with gaps are numbered, whatever the number of rows") {
  const auto few = import({"1,1\n2,3\n"});
  CHECK(numbers(*few.targets) == std::vector<double>{0, 1});
  CHECK(few.description.class_names == Texts{"1", "3"});
  const auto more = import({"1,1\n2,3\n1,1\n2,3\n1,1\n2,3\n"});
  CHECK(numbers(*more.targets) == std::vector<double>{0, 1, 0, 1, 0, 1});
}

TEST_CASE("integers with more than 100 different values and gaps are regression targets, unless the task is set") {
  std::string dense, sparse;
  for (int row = 0; row < 101; ++row) {
    dense += "1," + std::to_string(row) + "\n";
    sparse += "1," + std::to_string(2 * row) + "\n";
  }
  CHECK(import({dense}).classes() == 101);
  const auto regression = import({sparse});
  CHECK(regression.targets->type == NumberType::float32);
  REQUIRE(regression.notes.size() == 1);
  CHECK_THAT(regression.notes[0], ContainsSubstring("--task=classification"));
  CsvOptions options;
  options.task = Task::classification;
  CHECK(import({sparse}, options).classes() == 101);
  CHECK(import({sparse}, options).notes.empty());
}

TEST_CASE("too many different text labels are refused, and the same number of integer labels is accepted") {
  std::string names, integers;
  for (std::size_t row = 0; row <= most_class_names; ++row) {
    names += "1,a" + std::to_string(row) + "\n";
    integers += "1," + std::to_string(row) + "\n";
  }
  CHECK_THROWS_WITH(import({names}), StartsWith("The label column 1 of '0' has more than 65536 different values"));
  CHECK(import({integers}).classes() == 65537);
  CHECK(import({integers}).description.class_names.empty());
}

TEST_CASE("several files with the same columns are concatenated") {
  const auto data = import({"a,y\n1,0\n", "2,1\n", "a,y\n3,0"});
  CHECK(numbers(data.features) == std::vector<double>{1, 2, 3});
  CHECK(numbers(*data.targets) == std::vector<double>{0, 1, 0});
  CHECK_THROWS_WITH(import({"a,y\n1,0\n", "b,y\n1,0\n"}), StartsWith("'0' and '1' have different column names"));
  CHECK_THROWS_WITH(import({"1,0\n", "1,2,0\n"}), StartsWith("'1' has 3 columns, but '0' has 2"));
  CHECK_THROWS_WITH(import({"a,y\n1,0\n", "a,y\n"}), StartsWith("'1' is empty (it has only a header)"));
}

TEST_CASE("an invalid file is refused with the line number") {
  CHECK_THROWS_WITH(import({""}), StartsWith("'0' is empty (it has no rows)"));
  CHECK_THROWS_WITH(import({"1,0\n2\n"}), StartsWith("Line 2 of '0' has 1 columns, not 2"));
  CHECK_THROWS_WITH(import({"a,y\n1,\"p\nq\"\nx,1\n"}),
                    StartsWith("line 4 of '0', column 0 ('a'), contains 'x' (a number"));
  CHECK_THROWS_WITH(import({"1,x\n"}, label("0,1")), StartsWith("'0' has no features"));
  CHECK_THROWS_WITH(import({"1,2,x\n"}, label("1,2")),
                    "line 1 of '0', column 2, contains 'x' (a number is expected). Correct it.");
  CHECK_THROWS_WITH(import({"1,0\n,1\n"}), StartsWith("line 2 of '0', column 0, is empty"));
  CHECK_THROWS_WITH(import({"1,0\ninf,1\n"}),
                    StartsWith("line 2 of '0', column 0, contains 'inf' (values must be finite"));
  CHECK_THROWS_WITH(import({"1,0\n2,\n"}), StartsWith("line 2 of '0', column 1, is empty"));
  CHECK_THROWS_WITH(import({"1,0\n2,nan\n"}), StartsWith("line 2 of '0', column 1, contains 'nan'"));
  CHECK_THROWS_WITH(import({"1,0\n\"2\"x,1\n"}), StartsWith("Text follows a closing quote in line 2 of '0'"));
  CHECK_THROWS_WITH(import({"1,0\n\"2,1\n"}), StartsWith("A quote of the record in line 2 of '0' is not closed"));
  CHECK_THROWS_WITH(import({"1\n2\n"}), StartsWith("'0' has no features"));
}
