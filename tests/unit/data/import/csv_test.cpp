// SPDX-License-Identifier: MIT
#include "data/import/csv.hpp"
#include "data/import/csv_labels.hpp"
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
  CHECK_THROWS_WITH(import({"1,0\n" + std::string(max_csv_fields, ',') + "\n"}),
                    StartsWith("Line 2 of '0' has more than 4194304 columns"));
  CsvFields fields;
  CHECK(fields.split(std::string(5 << 20, ','), ','));
  CHECK(fields.size() == max_csv_fields + 1);
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
  for (std::size_t row = 0; row <= max_class_names; ++row) {
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

TEST_CASE("columns of text are encoded, and the description says how") {
  CsvOptions options;
  options.categorical = "floor";
  const auto data = import({"city,floor,size,y\nRome,2,1.5,no\nOslo,10,2.5,yes\nRome,2,3,no\n"}, options);
  CHECK(data.features.shape == std::vector<std::int64_t>{3, 3});
  CHECK(numbers(data.features) == std::vector<double>{1, 0, 1.5, 0, 1, 2.5, 1, 0, 3});
  CHECK(data.description.columns == std::vector<DataColumn>{text_column("city", {"Oslo", "Rome"}),
                                                            text_column("floor", {"2", "10"}), number_column("size")});
  CHECK(data.description.target_names == Texts{"y"});
  CHECK(data.description.class_names == Texts{"no", "yes"});
  CHECK(data.notes == Texts{"text was encoded by categories (column 0 ('city'): 2 categories, column 1 ('floor'): 2 "
                            "categories)"});
  CsvOptions headless;
  headless.header = false;
  const auto unnamed = import({"Rome,2,1.5,no\nOslo,3,2,yes\n"}, headless);
  CHECK(unnamed.description.columns[0] == text_column("", {"Oslo", "Rome"}));
  CHECK(unnamed.description.target_names.empty());
}

TEST_CASE("a column and a category with the same feature name are refused") {
  CHECK_THROWS_WITH(import({"a,a=b,y\nb,1,0\nc,2,1\n"}),
                    "Two features of '0' would have the name 'a=b' (a column of text has a feature COLUMN=CATEGORY for "
                    "each category). Rename a column.");
}

TEST_CASE("empty cells are replaced, and are errors otherwise") {
  const Texts file = {"a,b,y\n1,x,0\n,y,1\n2,,0\n9,NA,1\n"};
  CHECK_THROWS_WITH(import(file),
                    "line 3 of '0', column 0 ('a'), is empty. Correct it, set --missing=median or --missing=drop, or "
                    "drop the column with --drop=a.");
  const auto import_with = [&](MissingCells missing) {
    CsvOptions options;
    options.missing = missing;
    return import(file, options);
  };
  CHECK(numbers(import_with({MissingCells::Kind::mean, 0}).features) == std::vector<double>{1, 0, 4, 1, 2, -1, 9, -1});
  CHECK(numbers(import_with({MissingCells::Kind::median, 0}).features)[2] == 2);
  CHECK(numbers(import_with({MissingCells::Kind::value, -1}).features)[2] == -1);
  const auto dropped = import_with({MissingCells::Kind::drop, 0});
  CHECK(numbers(dropped.features) == std::vector<double>{1, 0});
  CHECK(dropped.targets->rows() == 1);
  CHECK(dropped.notes[0] == "3 rows with empty cells were left out");
}

TEST_CASE("rows without a label are errors or are left out") {
  CHECK_THROWS_WITH(import({"a,y\n1,x\n2,\n"}),
                    "line 3 of '0', column 1 ('y'), is empty (a label is expected). Correct it, or leave out its row "
                    "with --missing=drop.");
  CsvOptions regression;
  regression.task = Task::regression;
  CHECK_THROWS_WITH(
      import({"a,y\n1,2\n2,nan\n"}, regression),
      "line 3 of '0', column 1 ('y'), contains 'nan' (a number is expected). Correct it, or leave out its "
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

TEST_CASE("an unnamed first column is left out, with a note") {
  const auto data = import({",a,y\nr1,5,0\nr2,6,1\n"});
  CHECK(numbers(data.features) == std::vector<double>{5, 6});
  CHECK(data.description.columns == number_columns({"a"}));
  CHECK(data.notes[0] == "the unnamed first column of '0' was left out (it has the names of the rows)");
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
                    "Classification needs one label column (there are 2 in '0'). Name one with --label, or pass "
                    "--task=regression.");
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
  CHECK_THROWS_WITH(import({"sep=;\nx;0\n1;2;3\n"}), StartsWith("Line 3 of '0' has 3 columns, not 2"));
}

TEST_CASE("decimal commas are found in files with semicolons, with a note") {
  const auto data = import({"a;y\n1,5;0\n2;1\n"});
  CHECK(numbers(data.features) == std::vector<double>{1.5, 2});
  CHECK(data.notes[0] == "commas in numbers of '0' were read as decimal commas (pass --decimal=. if they are not)");
  CsvOptions options;
  options.decimal = '.';
  CHECK(import({"a;y\n1,5;0\n2,5;1\n"}, options).description.columns[0].categories == Texts{"1,5", "2,5"});
  options.decimal = ',';
  CHECK(numbers(import({"a,y\n\"1,5\",0\n"}, options).features) == std::vector<double>{1.5});
}

TEST_CASE("text that is not UTF-8 is read as Latin-1, and zero bytes become question marks") {
  const auto data = import({std::string("K\xe4se,y\nM\xfcnchen,a\0b\nOslo,\xdf\n", 26)});
  CHECK(data.description.columns[0] == text_column("K\xc3\xa4se", {"M\xc3\xbcnchen", "Oslo"}));
  CHECK(data.description.class_names == Texts{"a?b", "\xc3\x9f"});
}

TEST_CASE("messages name columns whose names cannot be part of an option by their number") {
  CHECK_THROWS_WITH(import({"\"a,b\nc\",y\n1,0\nx,1\n"}),
                    "line 4 of '0', column 0 ('a,b?c'), contains 'x' (a number is expected). Correct it, read the "
                    "column as text with --categorical=0, or drop the column with --drop=0.");
}

namespace {

const Texts training = {"age,city,y\n1,Oslo,no\n,Rome,yes\n4,,maybe\n"};

// Imports a file like `training`, whose missing ages were replaced by 2.5.
ImportedData like_training(const std::string& file, CsvOptions options = {}) {
  CsvOptions first;
  first.missing.kind = MissingCells::Kind::mean;
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
  CHECK(data.notes.empty());
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
  CHECK_THROWS_WITH(like_training("age,city,y\n1,Bern,no\n"),
                    "line 2 of '0', column 1 ('city'), contains 'Bern' (not one of the column's 2 categories). Correct "
                    "it, or pass --unknown=ignore.");
  CHECK_THROWS_WITH(like_training("age,city,y\n1,Rome,perhaps\n"),
                    StartsWith("The label column 2 ('y') of '0' contains 'perhaps', which is not one of the 3 known "
                               "classes ('maybe' to 'yes')."));
  CsvOptions options;
  options.ignore_unknown = true;
  CHECK(numbers(like_training("age,city,y\n1,Bern,no\n", options).features) == std::vector<double>{1, -1});
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
                    "The label column 1 ('y') of '0' contains 'cat' (the training data have no class names, so labels "
                    "are class numbers from 0). Correct it.");
  CHECK_THROWS_WITH(classes_of({}, "1,-3\n"), ContainsSubstring("contains -3 (the training data have no class names"));
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
