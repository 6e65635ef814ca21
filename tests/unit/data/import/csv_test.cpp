// SPDX-License-Identifier: MIT
#include "data/import/csv.hpp"
#include "data/import/csv_row_data.hpp"

#include <algorithm>
#include <cmath>

#include "data/import/csv_labels.hpp"
#include "data/import/csv_records.hpp"
#include "data/table_columns.hpp"
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
    CsvRecords records(source, {}, block);
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
    CsvRecords records(source, {}, 8, longest);
    REQUIRE(records.next());
    if (longest == 100)
      CHECK(records.next());
    else
      CHECK_THROWS_WITH(records.next(),
                        StartsWith("The record that begins in line 2 of 'long.csv' is longer than 99 B"));
  }
  const std::string open_quote = "1,\"2\n" + std::string(1000, '7');
  MemorySource source("open.csv", open_quote);
  CsvRecords records(source, {}, 8, 500);
  CHECK_THROWS_WITH(records.next(), StartsWith("The record that begins in line 1 of 'open.csv' is longer than"));
  std::string left(1000, 'x');
  CHECK(source.read(left.data(), left.size()) > 400);
}

TEST_CASE("records with too many fields and labels that are too long are refused with their line number") {
  CHECK_THROWS_WITH(import({"1,0\n" + std::string(max_csv_fields, ',') + "\n"}),
                    StartsWith("Line 2 of '0' has more than 4194304 columns"));
  CsvFields fields;
  CHECK(fields.split(std::string(5 << 20, ','), ','));
  CHECK(fields.size() == max_csv_fields + 1);
  CHECK_THROWS_WITH(
      import({"1,a\n2," + std::string(4097, 'b') + "\n"}),
      StartsWith("line 2 of '0', column 1, has a label of 4097 bytes (the limit is 4096). Correct it, or choose"));
}

TEST_CASE("fields lose their quotes and surrounding blanks, and quoted text is unchanged") {
  CHECK(fields_of("1, 2 ,") == Texts{"1", "2", ""});
  CHECK(fields_of("\" a \"\"b\"\", c\" ,d") == Texts{" a \"b\", c", "d"});
  CHECK(fields_of("\"\",\"\"\"\"") == Texts{"", "\""});
  CHECK(fields_of("1\t\t2", '\t') == Texts{"1", "", "2"});
  CsvFields fields;
  CHECK_FALSE(fields.split("\"a\"b,c", ','));
}

TEST_CASE("the delimiter is the one that gives all records the same number of fields") {
  CHECK(detect_delimiter({"a,b,c;d"}) == ',');
  CHECK(detect_delimiter({"1,5;2,5;3"}) == ';');
  CHECK(detect_delimiter({"a\tb\tc,d"}) == '\t');
  CHECK(detect_delimiter({"\"a;b;c\",d"}) == ',');
  CHECK(detect_delimiter({"abc"}) == ',');
  CHECK(detect_delimiter({}) == ',');
  CHECK(detect_delimiter({"1,5;2,25", "1,75;2,5", "3,5;4,5"}) == ';');
  CHECK(detect_delimiter({"a|b", "1|2", "3|4"}) == '|');
  CHECK(detect_delimiter({"# a b", "1 2", "3 4", "1 2", "3 4", "1 2", "3 4", "1 2", "3 4", "1 $2,037", "3 4"}) == ' ');
  CHECK(detect_delimiter({"a b c", "1 \"7,5\" 2", "1 \"8,5\" 2", "1 \"9,5\" 2"}) == ' ');
  CHECK(detect_delimiter({"5\" pipe;1", "6\" pipe;2", "7\" pipe;3"}) == ';');
  CHECK(detect_delimiter({"New York", "San Jose", "Rome"}) == ',');
  CHECK(detect_delimiter({"genres,y", "a|b,1", "b|c|d,2", "a,1"}) == ',');
}

TEST_CASE("a quote inside a field is text, also before a line end") {
  const std::string text = "size,y\n5\" pipe,1\n\"a \"\"b\"\", c\",2\n6\",3\n \"x\ny\",4\n";
  for (const std::size_t block : {3, 5, 1000}) {
    MemorySource source("f", text);
    CsvRecords records(source, {',', '\n'}, block);
    Texts found;
    while (records.next()) found.emplace_back(records.text());
    CHECK(found == Texts{"size,y", "5\" pipe,1", "\"a \"\"b\"\", c\",2", "6\",3", " \"x\ny\",4"});
    CHECK(records.line() == 5);
  }
}

TEST_CASE("records may end in returns alone") {
  MemorySource source("f", "a,b\r\r1,\"x\ny\"\r3,4");
  CsvRecords records(source, {',', '\r'}, 4);
  Texts found;
  while (records.next()) found.emplace_back(records.text());
  CHECK(found == Texts{"a,b", "1,\"x\ny\"", "3,4"});
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
  const auto codes = import({"1,01\n2,1\n3,007\n4,01\n"});
  CHECK(codes.description.class_names == Texts{"007", "01", "1"});
  CHECK(numbers(*codes.targets) == std::vector<double>{1, 2, 0, 1});
  const auto beyond =
      import({"1,9007199254740993\n2,9007199254740992\n3,18446744073709551617\n"
              "4,18446744073709551618\n"});
  CHECK(beyond.classes() == 4);
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
  const auto whole = import({"1,1.0\n2,0.0\n3,1.0\n"});
  CHECK(whole.targets->type == NumberType::float32);
  CHECK(whole.notes.back() ==
        "the targets are whole numbers, taken as quantities: regression (--task=classification makes each number a "
        "class)");
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
  REQUIRE(regression.notes.size() == 2);
  CHECK_THAT(regression.notes[1], ContainsSubstring("(--task=classification"));
  CsvOptions options;
  options.task = Task::classification;
  CHECK(import({sparse}, options).classes() == 101);
  CHECK(import({sparse}, options).notes.size() == 1);
}

TEST_CASE("too many different text labels are refused, and the same number of integer labels is accepted") {
  std::string names, integers;
  CsvOptions classes;
  classes.task = Task::classification;
  for (std::size_t row = 0; row <= max_class_names; ++row) {
    names += "1,a" + std::to_string(row) + "\n";
    integers += "1," + std::to_string(row) + "\n";
  }
  CHECK_THROWS_WITH(import({names}, classes),
                    StartsWith("The label column 1 of '0' has more than 65536 different values"));
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

TEST_CASE("the header of the first file shows whether another file has one") {
  CHECK(import({"a,2019,y\n1,2,0\n", "a,2019,y\n3,4,1\n"}).features.rows() == 2);
  CHECK(import({"red,A\nred,B\nblue,A\nred,B\n", "red,C\nblue,A\n"}).features.rows() == 6);
}

TEST_CASE("an invalid file is refused with the line number") {
  CHECK_THROWS_WITH(import({""}), StartsWith("'0' is empty (it has no rows)"));
  CHECK_THROWS_WITH(import({"1,0\n2\n"}), StartsWith("Line 2 of '0' has 1 columns, not 2"));
  CHECK_THROWS_WITH(import({"a,y\n1,\"p\nq\"\nx,1\n2,1\n"}),
                    StartsWith("line 4 of '0', column 0 ('a'), contains 'x' (a number"));
  CHECK_THROWS_WITH(import({"1,x\n"}, label("0,1")), StartsWith("'0' has no features"));
  CHECK_THROWS_WITH(import({"1,2,x\n"}, label("1,2")),
                    "line 1 of '0', column 2, contains 'x' (a number is expected). Correct it.");
  CHECK_THROWS_WITH(import({"1,0\ninf,1\n"}),
                    StartsWith("line 2 of '0', column 0, contains 'inf' (values must be finite"));
  CHECK_THROWS_WITH(import({"1,0\n2,\n"}), StartsWith("line 2 of '0', column 1, is empty"));
  CHECK_THROWS_WITH(import({"1,0\n2,nan\n"}), StartsWith("line 2 of '0', column 1, contains 'nan'"));
  CHECK_THROWS_WITH(import({"1,0\n\"2\"x,1\n"}), StartsWith("Text follows a closing quote in line 2 of '0'"));
  CHECK_THROWS_WITH(import({"1,0\n\"2,1\n"}), StartsWith("A quote of the record in line 2 of '0' is not closed"));
  CHECK_THROWS_WITH(import({"1\n2\n"}), StartsWith("'0' has no features"));
  CHECK_THROWS_WITH(
      import({"name      size y\nNew York   1.5 0\nRome      22.5 1\n"}),
      "'0' has no features (no delimiter was found, so its only column is the label; line 1 is 'name      "
      "size y'). Pass --delimiter. Convert columns of fixed width in Python: "
      "pandas.read_fwf('0').to_csv('table.csv', index=False).");
  CHECK_THROWS_WITH(import({"12,station\na,b,y\n1.5,2,0\n2.5,2,1\n3.5,2,1\n"}),
                    "Line 1 of '0' has 2 columns, not 3 (all rows must have the same number). Correct it, pass "
                    "--delimiter, or remove lines above the table that are no rows.");
}

TEST_CASE("columns of text are encoded, and the description has their categories") {
  CsvOptions options;
  options.categorical = "floor";
  const auto data = import({"city,floor,size,y\nRome,2,1.5,no\nOslo,10,2.5,yes\nRome,2,3,no\n"}, options);
  CHECK(data.features.shape == std::vector<std::int64_t>{3, 3});
  CHECK(numbers(data.features) == std::vector<double>{1, 0, 1.5, 0, 1, 2.5, 1, 0, 3});
  CHECK(data.description.columns == std::vector<DataColumn>{text_column("city", {"Oslo", "Rome"}),
                                                            text_column("floor", {"2", "10"}), number_column("size")});
  CHECK(data.description.target_names == Texts{"y"});
  CHECK(data.description.class_names == Texts{"no", "yes"});
  CHECK(data.notes == Texts{"'0': 3 rows of 4 columns: header in line 1, label column 3 ('y')",
                            "text was encoded by categories (column 0 ('city'): 2 categories and column 1 ('floor'): 2 "
                            "categories)"});
  CsvOptions headless;
  headless.header = false;
  const auto unnamed = import({"Rome,2,1.5,no\nOslo,3,2,yes\n"}, headless);
  CHECK(unnamed.description.columns[0] == text_column("", {"Oslo", "Rome"}));
  CHECK(unnamed.description.target_names.empty());
}

TEST_CASE("empty cells stay empty, or are refused, or their rows are left out") {
  const Texts file = {"a,b,y\n1,x,0\n,y,1\n2,,0\n9,NA,1\n"};
  const auto import_with = [&](MissingCells missing) {
    CsvOptions options;
    options.missing = missing;
    return import(file, options);
  };
  CHECK_THROWS_WITH(import_with({MissingCells::Kind::error, 0}),
                    "line 3 of '0', column 0 ('a'), is empty. Correct it, set --missing=median or --missing=drop, or "
                    "drop the column with --drop=a.");
  const auto data = import(file);
  const auto cells = numbers(data.features);
  CHECK(std::isnan(cells[2]));
  CHECK(cells[5] == -1);
  CHECK(cells[7] == -1);
  CHECK(data.description.columns[1] == text_column("b", {"x", "y"}, true));
  CHECK(
      data.notes.back() ==
      "3 cells in 2 columns are empty: numbers are filled with the median of the training rows, and an empty text is a "
      "category of its own");
  CHECK(import_with({MissingCells::Kind::value, -1}).description.columns[0].fill == -1.0);
  const auto dropped = import_with({MissingCells::Kind::drop, 0});
  CHECK(numbers(dropped.features) == std::vector<double>{1, 0});
  CHECK(dropped.targets->rows() == 1);
  CHECK(dropped.notes.back() == "3 rows with empty cells were left out");
}

TEST_CASE("the bad cell is named, not a good one after it") {
  CHECK_THROWS_WITH(import({"a,y\n<1.0,0\n2,1\n3,1\n"}), StartsWith("line 2 of '0', column 0 ('a'), contains '<1.0'"));
  CHECK(std::isnan(numbers(import({"a,y\n#DIV/0!,0\n2,1\n3,1\n"}).features)[0]));
}

TEST_CASE("a label column of numbers with one bad cell is refused, or the row is left out") {
  const Texts file = {"a,y\n1,1.5\n2,2.5\n3,#N/A\n4,0.5\n"};
  CHECK_THROWS_WITH(import(file),
                    StartsWith("line 4 of '0', column 1 ('y'), contains '#N/A', which means an empty cell"));
  CsvOptions options;
  options.missing.kind = MissingCells::Kind::drop;
  CHECK(numbers(*import(file, options).targets) == std::vector<double>{1.5, 2.5, 0.5});
  CHECK_THROWS_WITH(import({"a,y\n1,1.5\n2,2.5\n3,<1\n4,0.5\n"}),
                    "line 4 of '0', column 1 ('y'), contains '<1' (a number is expected). Correct it, or pass "
                    "--task=classification to make each text a class.");
}

TEST_CASE("a class may have a name that usually means an empty cell") {
  const Texts file = {"a,y\n1,None\n2,yes\n3,None\n4,yes\n"};
  CHECK_THROWS_WITH(import(file), EndsWith("or keep it as a class with --keep_default_na=false."));
  CsvOptions options;
  options.empty.use_default(false);
  CHECK(import(file, options).description.class_names == Texts{"None", "yes"});
}

TEST_CASE("categories and classes that may be the same are noted") {
  const auto data = import({"a,b,y\nTrue,x,yes\nTRUE,y,no\n1,x,Yes\nFalse,y,no\n"});
  CHECK(data.description.columns[0].categories == Texts{"1", "False", "TRUE", "True"});
  const Texts notes(data.notes.end() - 2, data.notes.end());
  CHECK(notes == Texts{"'1' and 'TRUE' are different categories of column 0 ('a') (write them in the same way if they "
                       "mean the same)",
                       "'Yes' and 'yes' are different classes of column 2 ('y') (write them in the same way if they "
                       "mean the same)"});
}

TEST_CASE("labels that are dates, identifiers or resemble numbers are refused") {
  std::string names = "a,y\n", weights = "a,y\n";
  for (int row = 0; row < 40; ++row) {
    names += "1,name " + std::to_string(row) + "\n";
    weights += "1," + std::to_string(row) + " kg\n";
  }
  CHECK_THROWS_WITH(import({names}),
                    StartsWith("The label column 1 ('y') of '0' has a different text in nearly every row"));
  CHECK_THROWS_WITH(import({weights}), StartsWith("The label column 1 ('y') of '0' has texts that look like numbers"));
  CHECK_THROWS_WITH(import({"a,y\n1,2019-03-01\n2,2019-03-02\n"}),
                    StartsWith("The label column 1 ('y') of '0' has dates or times"));
  CsvOptions options;
  options.task = Task::classification;
  CHECK(import({names}, options).classes() == 40);
}

TEST_CASE("columns of identifiers and unknown dates are left out, with a note, and remembered") {
  std::string file = "name,when,a,y\n";
  for (int row = 0; row < 40; ++row)
    file +=
        "name " + std::to_string(row) + ",19-03-0" + std::to_string(1 + row % 9) + "," + std::to_string(row) + ".5,0\n";
  const auto data = import({file});
  CHECK(data.description.columns == number_columns({"a"}));
  CHECK(data.description.dropped_columns == Texts{"name", "when"});
  CHECK_THAT(data.notes[1],
             StartsWith("column 0 ('name') has 40 different texts in 40 rows ('name 0'), like an identifier, "
                        "and was left out; pass --keep=name"));
  CHECK_THAT(data.notes[2],
             StartsWith("column 1 ('when') has dates or times ('19-03-01') and was left out; write them as "
                        "2024-05-31 or 2024-05-31 13:45:00 to use them, or pass --keep=when"));
  CsvOptions options;
  options.keep = "name";
  CHECK(import({file}, options).description.columns[0].categories.size() == 40);
}

// The columns of the table "a,when,y" with these cells of dates.
std::string table_of_dates(const Texts& dates) {
  std::string file = "a,when,y\n";
  for (std::size_t row = 0; row < dates.size(); ++row)
    file += std::to_string(row) + ".5," + dates[row] + "," + std::to_string(row % 2) + "\n";
  return file;
}

TEST_CASE("dates become columns of numbers") {
  const auto data = import({table_of_dates({"2024-05-31", "", "1969-12-31 18:00:00", "unknown"})});
  std::vector<DataColumn> expected = {number_column("a")};
  for (auto& column : date_columns("when", DateFormat::iso)) {
    column.has_empty_cells = true;
    expected.push_back(column);
  }
  CHECK(data.description.columns == expected);
  const auto values = numbers(data.features);
  CHECK(std::vector<double>(values.begin() + 1, values.begin() + 6) == std::vector<double>{2024, 5, 31, 4, 19874});
  CHECK(std::all_of(values.begin() + 7, values.begin() + 12, [](double value) { return std::isnan(value); }));
  CHECK(std::vector<double>(values.begin() + 13, values.begin() + 18) == std::vector<double>{1969, 12, 31, 2, -0.25});
  CHECK(data.notes[2] ==
        "dates became numbers: year, month, day, weekday (0 is Monday) and days since 1970 (column 1 ('when'): y-m-d); "
        "--categorical takes them as categories");
  CHECK_THAT(data.notes[3], StartsWith("2 cells in 1 column are empty"));
}

TEST_CASE("days with a time of day get an offset if float does not tell them apart") {
  Texts dates;
  for (int minute = 10; minute < 60; ++minute) dates.push_back("2024-05-31T12:" + std::to_string(minute) + ":00Z");
  const auto data = import({table_of_dates(dates)});
  const double offset = data.description.columns[5].offset;
  CHECK(offset > 19874);
  const auto values = numbers(data.features);
  for (std::size_t row = 0; row < dates.size(); ++row)
    CHECK(std::abs(values[6 * row + 5] + offset - (19874.5 + static_cast<double>(row + 10) / 1440)) < 1e-8);
}

TEST_CASE("a cell that is not a date like those at the beginning is named") {
  std::string file = "a,when,y\n";
  for (int row = 0; row < 70000; ++row) file += "1,13.05.2024 10:00,0\n";  // more than the sample
  CHECK_THROWS_WITH(import({file + "1,29.02.2023,0\n"}),
                    "line 70002 of '0', column 1 ('when'), contains '29.02.2023' (a date such as 31.05.2024 is "
                    "expected). Correct it, take it for an empty cell with --na_values='29.02.2023', read the column "
                    "as text with --categorical=when, or drop the column with --drop=when.");
  CsvOptions options;
  options.empty.add({"29.02.2023"});
  CHECK(import({file + "1,29.02.2023,0\n"}, options).features.rows() == 70001);
}

TEST_CASE("dates that do not show the order of day and month, or their format, are left out with the reason") {
  const auto note = [](const Texts& dates) {
    const auto data = import({table_of_dates(dates)});
    CHECK(data.description.columns == number_columns({"a"}));
    CHECK(data.description.dropped_columns == Texts{"when"});
    return data.notes[1];
  };
  CHECK(note({"5/1/2024", "6/12/2024"}) ==
        "column 1 ('when') has dates or times ('5/1/2024': no cell shows whether the day or the month comes first) and "
        "was left out; write them as 2024-05-31 or 2024-05-31 13:45:00 to use them, or pass --keep=when to take them "
        "as categories");
  CHECK_THAT(note({"2024-05-01", "2023-02-29"}),
             StartsWith("column 1 ('when') has dates or times ('2024-05-01'; '2023-02-29' is not a date of the same"));
  CHECK_THAT(note({"13/1/2024", "1/13/2024"}), ContainsSubstring("'1/13/2024' is not a date of the same format"));
  Texts with_number(30, "2024-05-01");
  with_number.push_back("2024");
  CHECK_THAT(note(with_number), ContainsSubstring("('2024-05-01'; 1 cell has a number)"));
  CHECK_THAT(note({"1-May-2024", "2-May-2024"}), StartsWith("column 1 ('when') has dates or times ('1-May-2024') and"));
}

TEST_CASE("options name a column of dates") {
  const std::string file = table_of_dates({"2024-05-31", "2024-06-01", "2024-05-31"});
  const auto columns = [&](const CsvOptions& options) { return import({file}, options).description.columns; };
  const auto texts = std::vector<DataColumn>{number_column("a"), text_column("when", {"2024-05-31", "2024-06-01"})};
  CsvOptions drop, categorical, keep, time, target;
  drop.drop = "when";
  CHECK(columns(drop) == number_columns({"a"}));
  categorical.categorical = "when";
  CHECK(columns(categorical) == texts);
  keep.keep = "when";
  CHECK(columns(keep) == texts);
  time.time = "when";
  CHECK(columns(time) == number_columns({"a"}));
  target.label = "when";
  CHECK_THROWS_WITH(columns(target), StartsWith("The label column 1 ('when') of '0' has dates or times"));
  target.task = Task::classification;
  CHECK(import({file}, target).description.class_names == Texts{"2024-05-31", "2024-06-01"});
  CsvOptions numbers_only;
  numbers_only.numbers_only = true;
  CHECK(columns(numbers_only) == number_columns({"a"}));
}

TEST_CASE("features that would have the same name as a part of dates are refused") {
  CHECK_THROWS_WITH(import({"when,when.year,y\n2024-05-31,1,0\n"}),
                    StartsWith("Two features of '0' would have the name 'when.year'"));
}

TEST_CASE("new data are read with the dates of the known data") {
  CsvOptions options;
  const auto known = import({table_of_dates({"13/5/2024", "1/6/2024", ""})});
  const auto described = known.description;
  options.like = &described;
  options.like_name = "'known'";
  // Found by the name of the dates, in any order. The order of day and month is that of the known data.
  const auto data = import({"when,y,a\n5/1/2024,1,2\n,0,3\n"}, options);
  CHECK(data.description.columns == described.columns);
  const auto values = numbers(data.features);
  CHECK(std::vector<double>(values.begin(), values.begin() + 5) == std::vector<double>{2, 2024, 1, 5, 4});
  CHECK(std::isnan(values[7]));
  // Another format that the cells show
  CHECK(numbers(import({"when,y,a\n2024-01-05,1,2\n"}, options).features)[3] == 5);
  CHECK(numbers(import({"when,y,a\n1/13/2024,1,2\n"}, options).features)[3] == 13);
  CHECK_THROWS_WITH(import({"when,y,a\n5/1/2024,1,2\nx,1,2\n"}, options),
                    "line 3 of '0', column 0 ('when'), contains 'x' (a date such as 31/05/2024 is expected). Correct "
                    "it.");
  CHECK_THROWS_WITH(import({"y,a\n1,2\n"}, options), StartsWith("'0' has no column 'when'"));
}

TEST_CASE("dates of a table without a header are found by their position") {
  CsvOptions options;
  options.header = false;
  const auto known = import({"1.5,31/5/2024,2024-05-31,0\n2.5,1/6/2024,2024-06-02,1\n"}, options);
  const auto described = known.description;
  CHECK(described.columns.size() == 11);
  CHECK(column_names(described.columns) == Texts(11));
  options.like = &described;
  options.like_name = "'known'";
  const auto data = import({"3.5,1/2/2024,,1\n"}, options);
  CHECK(data.features.row_elements() == 11);
  CHECK(numbers(data.features)[2] == 2);
  CHECK(data.targets.has_value());
  CHECK_THROWS_WITH(import({"3.5,1/2/2024\n"}, options), ContainsSubstring("has 2 feature columns, but 'known' has 3"));
}

TEST_CASE("dates are left out that the known data do not have") {
  const auto described = import({"a,b,y\n1,2,0\n2,3,1\n"}).description;
  CsvOptions options;
  options.like = &described;
  options.like_name = "'known'";
  const auto data = import({"a,when,b,y\n1,2024-05-31,2,0\n"}, options);
  CHECK(data.features.row_elements() == 2);
  CHECK(data.notes[1] == "column 1 ('when') has dates ('2024-05-31') and was left out (no feature comes from it)");
}

TEST_CASE("numbers with separators, signs and units of money are read, with a note") {
  const auto data = import({"pop,y\n\"1,037\",$1.50\n\"2,500\",$2\n950,$3\n"});
  CHECK(numbers(data.features) == std::vector<double>{1037, 2500, 950});
  CHECK(numbers(*data.targets) == std::vector<double>{1.5, 2, 3});
  CHECK(data.notes[1] ==
        "numbers with commas, signs or units of money were read as numbers (column 0 ('pop'): '2,500' is 2500 and "
        "column 1 "
        "('y'): '$3' is 3); pass --decimal or --categorical if that is wrong");
  std::string weights = "w,y\n";
  for (int row = 0; row < 20; ++row) weights += std::to_string(row) + " kg,0\n";
  CHECK_THROWS_WITH(import({weights}),
                    "The texts of column 0 ('w') of '0' look like numbers, but cannot all be read as such (for example "
                    "'0 kg'). Write them "
                    "as numbers, read them as categories with --categorical=w, or drop the column with --drop=w.");
}

TEST_CASE("numbers and targets that are large compared to their differences have offsets") {
  const auto data = import({"t,y\n1700000003.5,20000000.25\n1700000007.25,20000000.75\n1700000001.125,20000001.5\n"});
  const double offset = data.description.columns[0].offset;
  CHECK(numbers(data.features)[1] + offset == 1700000007.25);
  REQUIRE(data.description.target_offsets.size() == 1);
  CHECK(numbers(*data.targets)[2] + data.description.target_offsets[0] == 20000001.5);
}

TEST_CASE("groups, folds and weights become arrays of their own") {
  CsvOptions options;
  options.groups = "who";
  options.folds = "fold";
  options.weights = "w";
  const auto data = import({"who,a,fold,w,y\nb,1,0,0.5,0\na,2,1,2,1\nb,3,1,1,0\n"}, options);
  CHECK(data.description.columns == number_columns({"a"}));
  CHECK(data.description.dropped_columns == Texts{"fold", "w", "who"});
  CHECK(numbers(*data.groups) == std::vector<double>{1, 0, 1});
  CHECK(data.groups->type == NumberType::int64);
  CHECK(numbers(*data.folds) == std::vector<double>{0, 1, 1});
  CHECK(data.folds->type == NumberType::int32);
  CHECK(numbers(*data.weights) == std::vector<double>{0.5, 2, 1});
  CHECK_THROWS_WITH(
      import({"who,a,fold,w,y\nb,1,0,-1,0\n"}, options),
      StartsWith("line 2 of '0', column 3 ('w'), contains '-1' (weights that are not negative are expected)"));
  CHECK_THROWS_WITH(import({"who,a,fold,w,y\nb,1,x,1,0\n"}, options), ContainsSubstring("numbers of folds, from 0"));
  CHECK_THROWS_WITH(import({"who,a,fold,w,y\n,1,0,1,0\n"}, options), ContainsSubstring("every row needs a group"));
}

TEST_CASE("times are numbers, or dates in seconds") {
  CsvOptions options;
  options.time = "t";
  const auto data = import({"t,a,y\n3.5,1,0\n-1e3,2,1\n"}, options);
  CHECK(data.description.columns == number_columns({"a"}));
  CHECK(data.description.dropped_columns == Texts{"t"});
  CHECK(data.times->type == NumberType::float64);
  CHECK(numbers(*data.times) == std::vector<double>{3.5, -1000});
  CHECK(numbers(*import({"t,a,y\n1970-01-02,1,0\n2001-09-09 01:46:40,2,1\n"}, options).times) ==
        std::vector<double>{86400, 1e9});
  CHECK_THROWS_WITH(
      import({"t,a,y\n1970-01-02,1,0\n7,2,1\n"}, options),
      ContainsSubstring("contains '7' (dates such as 2019-03-01 or 2019-03-01T10:30:00, as in the first"));
  CHECK_THROWS_WITH(import({"t,a,y\n7,1,0\n1970-01-02,2,1\n"}, options),
                    ContainsSubstring("contains '1970-01-02' (numbers, as in the first row, are expected)"));
  CHECK_THROWS_WITH(import({"t,a,y\n3.1.2019,1,0\n"}, options), ContainsSubstring("numbers, or dates such as"));
  CHECK_THROWS_WITH(import({"t,a,y\n,1,0\n"}, options), ContainsSubstring("every row needs a time"));
}

TEST_CASE("lines without any cell are skipped, but not in new data") {
  const auto data = import({"a,y\n1,0\n2,1\n,\n,\n"});
  CHECK(data.features.rows() == 2);
  CHECK(data.notes.back() == "2 lines without any cell were skipped");
  CsvOptions options;
  options.like = &data.description;
  CHECK(import({"a\n1\n\"\"\n3\n"}, options).features.rows() == 3);
}

TEST_CASE("comments between rows are skipped, and separators at line ends make no column") {
  const auto data = import({"# by a tool\na,y,\n1,0,\n# recalibrated\n2,1,\n3,1\n"});
  CHECK(numbers(data.features) == std::vector<double>{1, 2, 3});
  CHECK_THAT(data.notes[0], StartsWith("'0': 3 rows of 2 columns: header in line 2, 1 line above it skipped, label"));
  std::string lines;
  for (int row = 0; row < 20; ++row) lines += "4,1,\n";
  CHECK_THROWS_WITH(import({"a,y,\n1,0,\n2,1,\n3,1,5\n" + lines}), StartsWith("Line 4 of '0' has 3 columns, not 2"));
}

TEST_CASE("rows without a label are errors or are left out") {
  CHECK_THROWS_WITH(import({"a,y\n1,x\n2,\n"}),
                    "line 3 of '0', column 1 ('y'), is empty (a label is expected). Correct it, or leave out its row "
                    "with --missing=drop.");
  CsvOptions regression;
  regression.task = Task::regression;
  CHECK_THROWS_WITH(import({"a,y\n1,2\n2,nan\n"}, regression),
                    "line 3 of '0', column 1 ('y'), contains 'nan', which means an empty cell (a number is expected). "
                    "Correct it, or leave out its "
                    "row with --missing=drop.");
  regression.missing.kind = MissingCells::Kind::drop;
  CHECK(numbers(*import({"a,y\n1,2\n2,nan\n4,5\n"}, regression).targets) == std::vector<double>{2, 5});
  CHECK_THROWS_WITH(import({"a,y\n,2\n2,nan\n"}, regression),
                    "'0' has no rows left (--missing=drop leaves out rows with empty cells, and all have some). Pass "
                    "--missing=median, or leave out columns with --drop.");
}

TEST_CASE("a row whose first cell is empty is not taken for a header") {
  CsvOptions options;
  options.missing = {MissingCells::Kind::value, 0};
  CHECK(import({",2,0\n1,2,1\n"}, options).features.rows() == 2);
}

TEST_CASE("unnamed first columns are left out, with a note") {
  const auto data = import({",a,y\nr1,5,0\nr2,6,1\n"});
  CHECK(numbers(data.features) == std::vector<double>{5, 6});
  CHECK(data.description.columns == number_columns({"a"}));
  CHECK(data.notes[1] == "the unnamed first column of '0' was left out (names or numbers of the rows)");
  const auto twice = import({",Unnamed: 0,a,y\n0,0,5,0\n1,1,6,1\n"});
  CHECK(twice.description.columns == number_columns({"a"}));
  CHECK(twice.description.dropped_columns == Texts{"Unnamed: 0"});
  CHECK_THAT(twice.notes[1], EndsWith("column 1 ('Unnamed: 0') of '0' were left out (names or numbers of the rows)"));
  const auto short_header = import({"a,y\nr1,5,0\nr2,6,1\n"});
  CHECK(short_header.description.columns == number_columns({"a"}));
}

TEST_CASE("a file without targets has only features") {
  const auto data = import({"a,b\n1,2\n3,4\n"}, label("none"));
  CHECK(numbers(data.features) == std::vector<double>{1, 2, 3, 4});
  CHECK_FALSE(data.targets);
  CHECK(data.classes() == 0);
  CHECK(data.description.target_names.empty());
}

TEST_CASE("classification needs one label column") {
  CsvOptions options = label("a,c");
  options.task = Task::classification;
  CHECK_THROWS_WITH(import({"a,b,c\n1,2,3\n"}, options),
                    "Classification needs one label column, or columns with a 1 for the class of each row and "
                    "otherwise 0 (there are 2 "
                    "label columns in '0'). Name one with --label, or pass "
                    "--task=multilabel or --task=regression.");
}

TEST_CASE("several columns of 0 and 1 are labels, unless they are one-hot or the task is regression") {
  const std::string some = "a,b,c\n1,7,0\n1,8,1\n0,9,0\n", one_hot = "a,b,c\n1,7,0\n0,8,1\n";
  const auto labels = import({some}, label("a,c"));
  CHECK(labels.targets->type == NumberType::uint8);
  CHECK(labels.targets->shape == std::vector<std::int64_t>{3, 2});
  CHECK(numbers(*labels.targets) == std::vector<double>{1, 0, 1, 1, 0, 0});
  CHECK(labels.description.is_multilabel);
  CHECK(labels.description.target_names == Texts{"a", "c"});
  CHECK_FALSE(labels.has_classes());
  CHECK(labels.notes.back() ==
        "the targets are 0 and 1 in 2 columns: multi-label classification (--task=regression predicts the numbers)");
  CsvOptions options = label("a,c");
  options.task = Task::multilabel;
  CHECK(import({one_hot}, options).description.is_multilabel);
  CHECK(numbers(*import({"a,b,c\nYes,7,false\nno,8,TRUE\n"}, options).targets) == std::vector<double>{1, 0, 0, 1});
  CHECK_THROWS_WITH(import({"a,b,c\n1,7,0\n1,8,2\n"}, options),
                    ContainsSubstring("contains '2' (labels are 0 or 1, no or yes, false or true)"));
  CHECK_THROWS_WITH(import({some},
                           [] {
                             CsvOptions one;
                             one.task = Task::multilabel;
                             return one;
                           }()),
                    ContainsSubstring("needs several label columns (there is 1 in '0')"));
  options.task = Task::regression;
  CHECK(import({some}, options).targets->type == NumberType::float32);
  const auto words = import({"a,b,c\nyes,7,no\nyes,8,yes\n"}, label("a,c"));
  CHECK(words.description.is_multilabel);
  CHECK(numbers(*words.targets) == std::vector<double>{1, 0, 1, 1});
}

TEST_CASE("several one-hot columns are classes with the names of the columns, also of new data in another order") {
  const std::string one_hot = "a,b,c\n1,7,0\n0,8,1\n0,9,1\n";
  const auto classes = import({one_hot}, label("a,c"));
  CHECK(classes.has_classes());
  CHECK(numbers(*classes.targets) == std::vector<double>{0, 1, 1});
  CHECK(classes.description.class_names == Texts{"a", "c"});
  CHECK(classes.description.target_names == Texts{"a", "c"});
  CHECK(classes.notes.back() ==
        "the targets are one-hot: classification with 2 classes (--task=regression predicts the numbers)");
  CHECK(import({"1,7,0\n0,8,1\n"}, label("0,2")).description.class_names.empty());

  CsvOptions like;
  like.like = &classes.description;
  like.like_name = "model 'm'";
  like.task = Task::classification;
  const auto more = import({"c,b,a\n1,7,0\n0,8,1\n"}, like);
  CHECK(numbers(*more.targets) == std::vector<double>{1, 0});
  CHECK(more.description.class_names == Texts{"a", "c"});
  like.label = "kind";
  CHECK(numbers(*import({"b,kind\n7,c\n8,a\n"}, like).targets) == std::vector<double>{1, 0});
  like.label = "d,e";
  CHECK_THROWS_WITH(import({"b,d,e\n7,1,0\n"}, like),
                    "The label columns 'd' and 'e' of '0' are not the classes of model 'm', 'a' and 'c'. Use one label "
                    "column, or columns with the names of the classes.");
  like.label.reset();
  CHECK_THROWS_WITH(import({"a,b,c\n1,7,0\n1,8,1\n"}, like),
                    ContainsSubstring("and row 1 does not have exactly one 1"));
}

TEST_CASE("columns with the same name are named by their numbers") {
  CHECK_THROWS_WITH(import({"a,b,a\n1,7,0\n0,8,1\n"}, label("a")),
                    "Columns 0 and 2 of '0' have the same name, 'a'. Rename one, or name the column by its number.");
  CHECK(import({"a,b,a\n1,7,0\n0,8,1\n"}, label("2")).targets);
}

TEST_CASE("a column of identifiers is returned and is not a feature") {
  CsvOptions options;
  options.id = "name";
  const auto data = import({"a,name,y\n1,K\xe4se,0\n2,\"x\ny\",1\n"}, options);
  REQUIRE(data.ids);
  CHECK(data.ids->name == "name");
  CHECK(data.ids->cells == Texts{"K\xc3\xa4se", "x\ny"});
  CHECK(numbers(data.features) == std::vector<double>{1, 2});
}

TEST_CASE("a column of identifiers that is given by number has its name in the header") {
  CsvOptions options;
  options.id = "0";
  const auto data = import({",a,y\n7,1,0\n8,2,1\n"}, options);
  REQUIRE(data.ids);
  CHECK(data.ids->name.empty());
  CHECK(data.ids->cells == Texts{"7", "8"});
  for (const auto& note : data.notes) CHECK(note.find("left out") == std::string::npos);
  options.header = false;
  options.id = "-3";
  const auto nameless = import({"7,1,0\n8,2,1\n"}, options);
  REQUIRE(nameless.ids);
  CHECK(nameless.ids->name == "-3");
}

TEST_CASE("a first line sep= sets the delimiter of its file") {
  CHECK(numbers(import({"sep=;\na;b,c\n1;0\n2;1\n"}).features) == std::vector<double>{1, 2});
  CHECK(import({"sep=;\na;b,c\n1;0\n2;1\n"}).description.target_names == Texts{"b,c"});
  CHECK(numbers(import({"sep=|\n1|0\n", "sep=\t\r\n2\t1\n"}).features) == std::vector<double>{1, 2});
  CHECK_THROWS_WITH(import({"sep=;\n"}), StartsWith("'0' is empty (it has no rows)"));
  CHECK_THROWS_WITH(import({"sep=;\nx;y\n1;2\n1;2;3\n"}), StartsWith("Line 4 of '0' has 3 columns, not 2"));
}

TEST_CASE("decimal commas are found in files with semicolons, with a note") {
  const auto data = import({"a;y\n1,5;0\n2;1\n"});
  CHECK(numbers(data.features) == std::vector<double>{1.5, 2});
  CHECK(data.notes.back() ==
        "numbers with commas, signs or units of money were read as numbers (column 0 ('a'): '1,5' is 1.5); pass "
        "--decimal "
        "or --categorical if that is wrong");
  CsvOptions options;
  options.decimal = '.';
  CHECK(numbers(import({"a;y\n1,500;0\n2,500;1\n"}, options).features) == std::vector<double>{1500, 2500});
  options.decimal = ',';
  CHECK(numbers(import({"a,y\n\"1,5\",0\n"}, options).features) == std::vector<double>{1.5});
}

TEST_CASE("the numbers of all files have one decimal mark, and those with two meanings are not guessed") {
  const std::string shows = "a;b;y\n1.100;0,5;0\n2.101;1,5;1\n", shows_not = "a;b;y\n1.100;3;0\n2.101;4;1\n";
  for (const auto& files : {Texts{shows, shows_not}, Texts{shows_not, shows}}) {
    const auto data = import(files);
    CHECK(data.features.rows() == 4);
    for (std::int64_t row = 0; row < 4; row += 2)
      CHECK(numbers(data.features)[static_cast<std::size_t>(2 * row)] + data.description.columns[0].offset == 1100);
    CHECK_THAT(data.notes.back(), ContainsSubstring("'1.100' is 1100"));
    CHECK_THAT(data.notes.back(), ContainsSubstring("column 1 ('b')"));
  }
  CHECK_THROWS_WITH(import({shows_not}), ContainsSubstring("'1.100' in column 0 ('a') of '0' has two meanings"));
  CHECK_THROWS_WITH(import({shows, "a;b;y\n1.5;2;0\n"}),
                    StartsWith("'0,5' in column 1 ('b') of '0' has a decimal comma, but '1.5' in column 0 ('a') of '1' "
                               "has a decimal point"));
  CsvOptions options;
  auto trained = import({shows});
  trained.description.reading = {};  // as in files of version 0.7
  options.like = &trained.description;
  CHECK_THROWS_WITH(import({shows_not}, options), ContainsSubstring("Pass --decimal=. or --decimal=,."));
}

TEST_CASE("new data are read with the decimal mark of the training data where they do not show another") {
  const auto trained = import({"a;b;y\n1.100;0,5;0\n2.101;1,5;1\n"});
  CHECK(trained.description.reading.decimal == ',');
  CHECK_FALSE(import({"a,b,y\n1.5,0.5,0\n"}).description.reading.decimal);  // the usual mark
  CHECK(import({"a;b;y\n1.5;0.5;0\n"}).description.reading.decimal == '.');
  CHECK(import({"a,b,y\n\"1,037\",0.5,0\n"}).description.reading.decimal == '.');
  CHECK_FALSE(import({"a;b;y\n1;2;0\n"}).description.reading.decimal);
  CsvOptions options;
  options.like = &trained.description;
  const auto first = [&](const std::string& file) {
    const auto data = import({file}, options);
    CHECK(data.description.reading == trained.description.reading);
    return numbers(data.features).front() + data.description.columns[0].offset;
  };
  const std::string unclear = "a;b;y\n1.500;3;0\n";
  CHECK(first(unclear) == 1500);
  CHECK(first("a;b;y\n1.25;3;0\n") == 1.25);
  options.decimal = '.';
  CHECK(first(unclear) == 1.5);
  const auto thousands = import({"a,b,y\n\"1,037\",0.5,0\n"});
  CsvOptions same;
  same.like = &thousands.description;
  CHECK(numbers(import({"a,b,y\n\"2,500\",3,0\n"}, same).features)[0] == 2500);
}

TEST_CASE("new data have the empty cells of the training data unless options are set") {
  CsvOptions options;
  options.empty.add({"-999", "lost"});
  options.empty.use_default(false);
  const auto trained = import({"a,b,y\n1.5,x,0\n-999,NA,1\nlost,x,1\n"}, options);
  CHECK(trained.description.reading == CellReading{std::nullopt, {"-999", "lost"}, false});
  CHECK(trained.description.columns[1].categories == Texts{"NA", "x"});
  CsvOptions like;
  like.like = &trained.description;
  const auto data = import({"a,b,y\n-999.0,NA,0\n2,lost,1\n"}, like);
  CHECK(std::isnan(numbers(data.features)[0]));
  CHECK(numbers(data.features)[1] == 0);
  CHECK(numbers(data.features)[3] == -1);
  CHECK_THAT(data.notes.back(), StartsWith("2 cells in 2 columns are empty"));  // no note on -999, which does not occur
  like.empty.add({"none"});
  CHECK(numbers(import({"a,b,y\n-999.0,NA,0\nnone,x,1\n"}, like).features)[0] == -999);
}

TEST_CASE("columns that do not fit --decimal are refused with the first cell that does not") {
  CsvOptions options;
  options.decimal = ',';
  CHECK_THROWS_WITH(import({"a;y\n2.101;0\n1.5;1\n"}, options), ContainsSubstring("--decimal=, (for example '1.5')"));
  CHECK_THROWS_WITH(import({"a;y\n1.101;0\n0.102;1\n"}, options),
                    ContainsSubstring("--decimal=, (for example '0.102')"));
  options.decimal = '.';
  CHECK_THROWS_WITH(import({"a;y\n2,101;0\n1,5;1\n"}, options), ContainsSubstring("--decimal=. (for example '1,5')"));
}

TEST_CASE("a number of --na_values means an empty cell in any spelling, and a text that never occurs is noted") {
  CsvOptions options;
  options.empty.add({"-999", "lost"});
  const auto data = import({"a,y\n1.5,0\n-999.0,1\n-999,0\n"}, options);
  CHECK(std::isnan(numbers(data.features)[1]));
  CHECK(std::isnan(numbers(data.features)[2]));
  CHECK(data.notes.back() == "no cell contains 'lost' (--na_values)");
}

TEST_CASE("text that is not UTF-8 is read as Latin-1") {
  const auto data = import({"K\xe4se,y\nM\xfcnchen,a?b\nOslo,\xdf\n"});
  CHECK(data.description.columns[0] == text_column("K\xc3\xa4se", {"M\xc3\xbcnchen", "Oslo"}));
  CHECK(data.description.class_names == Texts{"a?b", "\xc3\x9f"});
}

TEST_CASE("messages name columns whose names cannot be part of an option by their number") {
  CHECK_THROWS_WITH(
      import({"\"a,b\nc\",y\n1,0\nx,1\n2,1\n"}),
      "line 4 of '0', column 0 ('a,b?c'), contains 'x' (a number is expected). Correct it, take it for an "
      "empty cell with --na_values='x', read the column as text with --categorical=0, or drop the column "
      "with --drop=0.");
}

namespace {

const Texts training = {"age,city,y\n1,Oslo,no\n,Rome,yes\n4,,maybe\n"};

// Imports a file like `training`, whose missing ages are 2.5.
ImportedData like_training(const std::string& file, CsvOptions options = {}) {
  CsvOptions first;
  first.missing = {MissingCells::Kind::value, 2.5};
  const ImportedData trained = import(training, first);
  options.task = Task::classification;
  options.like = &trained.description;
  options.like_name = "'train.h5'";
  ImportedData data = import({file}, options);
  CHECK(data.description.columns == trained.description.columns);
  return data;
}

}  // namespace

TEST_CASE("a file is encoded like the training data, whatever the order of its columns") {
  const auto data = like_training("y,city,age\nyes,Rome,7\nno,NA,\n");
  CHECK(numbers(data.features) == std::vector<double>{7, 1, 2.5, -1});
  CHECK(numbers(*data.targets) == std::vector<double>{2, 1});
  CHECK(data.description.class_names == Texts{"maybe", "no", "yes"});
  CHECK(data.notes.back() == "2 cells in 2 columns are empty: they are treated as in the training data");
  const auto unlabelled = like_training("city,age\nRome,7\n");
  CHECK(numbers(unlabelled.features) == std::vector<double>{7, 1});
  CHECK_FALSE(unlabelled.targets);
}

TEST_CASE("a file without a header is encoded by the positions of its columns") {
  CsvOptions options;
  options.header = false;
  CHECK(numbers(like_training("7,Rome,yes\n", options).features) == std::vector<double>{7, 1});
  CHECK_FALSE(like_training("7,Rome\n", options).targets);
}

TEST_CASE("a file that cannot be encoded like the training data is refused") {
  CHECK_THROWS_WITH(like_training("age,town,y\n1,Rome,no\n"), StartsWith("'0' has no column 'city' (it is a feature of "
                                                                         "'train.h5')."));
  CHECK_THROWS_WITH(
      like_training("age,city,zip,y\n1,Rome,5,no\n"),
      "'0' has column 'zip', which 'train.h5' does not have. Leave out columns that are not features (--drop).");
  CHECK_THROWS_WITH(like_training("age,city,y\n1,Rome,perhaps\n"),
                    StartsWith("The label column 2 ('y') of '0' contains 'perhaps', which is not one of the 3 known "
                               "classes ('maybe' to 'yes')."));
  CsvOptions options;
  options.refuses_unknown = true;
  CHECK_THROWS_WITH(like_training("age,city,y\n1,Bern,no\n", options),
                    "line 2 of '0', column 1 ('city'), contains 'Bern' (not one of the column's 2 categories). Correct "
                    "it, or leave out --unknown=error.");
  const auto unknown = like_training("age,city,y\n1,Bern,no\n2,Rome,yes\n");
  CHECK(numbers(unknown.features) == std::vector<double>{1, -1, 2, 1});
  CHECK(
      unknown.notes.back() ==
      "1 cell is not among the categories of the training data; such cells are read as empty cells where the training "
      "data had some, otherwise as none of the categories ('Bern' in column 1 ('city'))");
}

TEST_CASE("labels of a part of the classes keep the numbers of the classes") {
  const auto classes_of = [](const Texts& names, const std::string& labels) {
    DataDescription known;
    known.columns = number_columns({"a"});
    known.class_names = names;
    CsvOptions options = label("y");
    options.like = &known;
    options.task = Task::classification;
    return numbers(*import({"a,y\n" + labels}, options).targets);
  };
  CHECK(classes_of({"007", "7", "cat"}, "1,007\n2,7\n") == std::vector<double>{0, 1});
  CHECK(classes_of({"1", "2"}, "1,2.0\n") == std::vector<double>{1});
  CHECK(classes_of({"0.5", "1.5"}, "1,1.50\n") == std::vector<double>{1});
  CHECK(classes_of({}, "1,3\n2,1\n") == std::vector<double>{3, 1});
  CHECK_THROWS_WITH(classes_of({}, "1,3\n2,cat\n"),
                    "The label column 1 ('y') of '0' contains 'cat' (no class names are known, so labels must "
                    "be class numbers from 0). Correct it.");
  CHECK_THROWS_WITH(classes_of({}, "1,-3\n"), ContainsSubstring("contains -3 (no class names are known"));
}

TEST_CASE("more spellings than class names do not hide the known classes") {
  std::string labels = "a,y\n";
  for (std::size_t digits = 0; digits <= max_class_names; ++digits)
    labels += "1,2." + std::string(20, '0') + std::to_string(digits) + "\n";
  DataDescription known;
  known.columns = number_columns({"a"});
  known.class_names = {"1", "2"};
  CsvOptions options = label("y");
  options.like = &known;
  options.task = Task::classification;
  CHECK(numbers(*import({labels}, options).targets).back() == 1);
}
