// SPDX-License-Identifier: MIT
#include "data/import/csv_start.hpp"

#include "data/import/csv_first_line.hpp"
#include "support/catch.hpp"

using namespace sheaf;

namespace {

using Texts = std::vector<std::string>;

CsvStart start_of(const std::string& file, const StartHints& hints = {}) {
  MemorySource source("f", file);
  const CsvText text(source, 1 << 20, 1 << 20);
  return find_start(take_sample(text, 0), hints, EmptyCells(), "f");
}

bool has_header(const std::string& file, const StartHints& hints = {}) {
  return start_of(file, hints).header;
}

// Rows of numbers with the labels 0, 1, 2 or A, B, C.
std::string rows(std::size_t numbers, bool texts = false, std::size_t count = 12) {
  std::string lines;
  for (std::size_t row = 0; row < count; ++row) {
    for (std::size_t column = 0; column < numbers; ++column) lines += std::to_string(row * 7 % 5 + column) + ".25,";
    lines += (texts ? std::string(1, static_cast<char>('A' + row % 3)) : std::to_string(row % 3)) + "\n";
  }
  return lines;
}

StartHints hints_with(std::optional<bool> header, Texts features = {}, Texts columns = {}) {
  StartHints hints;
  hints.header = header;
  hints.features = std::move(features);
  hints.columns = std::move(columns);
  return hints;
}

}  // namespace

TEST_CASE("the option decides whether there is a header") {
  CHECK_FALSE(has_header("a,b,y\n" + rows(2), hints_with(false)));
  CHECK(has_header("1.5,2.5,0\n" + rows(2), hints_with(true)));
}

TEST_CASE("a line with the features of the model, or with columns that options name, is a header") {
  const std::string years = "2019,2021,2020,2018\n" + rows(3);
  CHECK_FALSE(has_header(years));
  CHECK(has_header(years, hints_with(std::nullopt, {"2019", "2020", "2021"})));
  CHECK_FALSE(has_header(years, hints_with(std::nullopt, {"2019", "2020", "2022"})));
  CHECK(has_header("x,x,y\na,b,c\na,b,c\nx,x,y\n", hints_with(std::nullopt, {}, {"y"})));
  CHECK_FALSE(has_header("1,2,0\n" + rows(2), hints_with(std::nullopt, {}, {"1"})));
}

TEST_CASE("texts above columns of numbers are names, but not texts that mean an empty cell") {
  CHECK(has_header("a,b,y\n" + rows(2)));
  CHECK(has_header("a,b,kind\n" + rows(2, true)));
  CHECK(has_header("x,2019,2020,y\n" + rows(3)));
  for (const char* mark : {".", "unknown", "NA", "", "-"})
    CHECK_FALSE(has_header(std::string(mark) + ",2,3,A\n" + rows(3, true)));
  CHECK(start_of("a,b,y\n" + rows(2)).names == Texts{"a", "b", "y"});
}

TEST_CASE("a bad cell above numbers and a number beside it contradict each other") {
  CHECK_THROWS_WITH(start_of("<1.0,2.5,3.5,A\n" + rows(3, true)),
                    "Line 1 of 'f' may be a header or a row (some of its cells are like those below, others are not). "
                    "Pass --header=true or --header=false.");
}

TEST_CASE("numbers that count are names if the label occurs nowhere else") {
  CHECK(has_header("0,1,2,3\n" + rows(3)));
  CHECK(has_header("1,2,3,4\n" + rows(3)));
  CHECK(has_header("0,1,2,region\n" + rows(3, true)));
  CHECK(has_header(",0,1,2\n0,1.5,2.5,a\n1,2.5,3.5,b\n2,2.25,2.5,a\n"));
  CHECK(has_header(",0,1\n0,1.5,1\n1,2.5,0\n2,2.25,1\n"));  // 1 is a label
  CHECK_FALSE(has_header("1,2,3\n4,5,3\n7,8,1\n"));
  CHECK_THROWS_WITH(start_of("0,1,2\n" + rows(2)), ContainsSubstring("--header=true"));  // 2 is a label
  CHECK_THROWS_WITH(start_of("0,1,2,3\n0.5,1,2,3\n1.5,2,3,2\n1.5,2,3,3\n"), ContainsSubstring("--header=true"));
}

TEST_CASE("rising or falling numbers are names beside a label text that occurs nowhere else") {
  CHECK(has_header("400.5,410,420.5,species\n" + rows(3, true)));
  CHECK(has_header("4000,3998,3996,species\n" + rows(3, true)));
  CHECK_FALSE(has_header("400.5,410,420.5,A\n" + rows(3, true)));
  CHECK_FALSE(has_header("1.5,2.5,3.5,1\n" + rows(3)));
  CHECK_THROWS_WITH(start_of("5.1,3.5,1.4,rare\n" + rows(3, true)), ContainsSubstring("--header=true"));
  CHECK_THROWS_WITH(start_of("5.1,1.4,3.5,rare\n" + rows(3, true)), ContainsSubstring("--header=true"));
  CHECK_THROWS_WITH(start_of("2019,2020,2021,2022,2023\n" + rows(4)), ContainsSubstring("--header=true"));
}

TEST_CASE("a table of texts has a header if no text of the line occurs again in its column") {
  CHECK(has_header("color,size,kind\nred,S,A\nblue,M,B\nred,M,A\nblue,S,B\n"));
  CHECK_FALSE(has_header("red,S,A\nblue,M,B\nred,M,A\nblue,S,B\n"));
  CHECK_THROWS_WITH(start_of("green,L,Q,x\nred,S,A,x\nblue,M,B,y\nred,M,A,x\nblue,S,B,y\n"),
                    ContainsSubstring("--header=true"));
  CHECK(has_header("a,b\nx,z\n"));
  StartHints unnamed;
  unnamed.is_unnamed = true;
  CHECK_FALSE(has_header("a,b\nx,z\n", unnamed));
  CHECK(has_header("a,b\n1.5,2\n", unnamed));
  CHECK(has_header("a,b\n"));
  CHECK_FALSE(has_header("1,2\n"));
}

TEST_CASE("the name of a label of texts decides for a table of texts") {
  CHECK(has_header("color,size,kind\nred,S,A\ncolor,M,B\nred,S,A\ngreen,M,B\n"));
  CHECK_THROWS_WITH(start_of("red,big,rare\nred,big,B\nred,small,B\nblue,small,C\nblue,big,C\n"),
                    ContainsSubstring("--header=true"));
}

TEST_CASE("comments and titles above the table are skipped") {
  const CsvStart comments = start_of("# made by tool, version 2\n#\na,b,y\n" + rows(2));
  CHECK(comments.first == 2);
  CHECK(comments.names == Texts{"a", "b", "y"});
  CHECK(start_of("# made by tool\n" + rows(2)).first == 1);
  CHECK_FALSE(start_of("# made by tool\n" + rows(2)).header);
  CHECK(start_of("# a\n# b\n# c\na,b,y\n1,2,0\n").names == Texts{"a", "b", "y"});
  const CsvStart title = start_of("Results\n\na,b,y\n" + rows(2));
  CHECK(title.first == 1);
  CHECK(title.header);
  CHECK(start_of("Results, spring\na,b,y\n" + rows(2)).names == Texts{"a", "b", "y"});
  CHECK(start_of("By,Smith\nAt,Bern\n\na,b,y\n" + rows(2)).first == 2);
}

TEST_CASE("lines that describe the file are skipped if the header below them is clear") {
  const CsvStart described = start_of("station,12\nheight: 3.5\ndate,2020-01-01\na,b,c,y\n" + rows(3));
  CHECK(described.first == 3);
  CHECK(described.names == Texts{"a", "b", "c", "y"});
  CHECK(start_of("12,station\na,b,c,y\n" + rows(3)).first == 0);    // begins with a number
  CHECK(start_of("station,12\n1.5,b,c,y\n" + rows(3)).first == 0);  // not clearly a header
  CHECK(start_of("station,12\n" + rows(3)).first == 0);
}

TEST_CASE("tables with borders are refused, and lines of empty cells are rows") {
  for (const char* table :
       {"+----+---+\n| a  | y |\n+----+---+\n|  1 | 0 |\n+----+---+\n", " a  | y \n----+---\n  1 | 0\n(1 row)\n",
        "| a | y |\n|---|:--|\n| 1 | 0 |\n", "\xe2\x94\x8c\xe2\x94\x80\xe2\x94\x80\xe2\x94\x90\na\n"})
    CHECK_THROWS_WITH(start_of(table), EndsWith("Export the table as CSV, for example with psql --csv or mysql "
                                                "--batch."));
  CHECK(start_of("a|b|y\n---|--|0\n1|2|1\n--|--|--\n").columns == 3);
}

TEST_CASE("a comment directly above the rows is the header if it has a name for each column") {
  const CsvStart saved = start_of("# a,b,y\n" + rows(2));
  CHECK(saved.header);
  CHECK(saved.names == Texts{"a", "b", "y"});
  CHECK(saved.first_row() == 1);
  CHECK(start_of("#,b,y\n" + rows(2)).names == Texts{"#", "b", "y"});
  CHECK(start_of("# a b y\n1.5 2 0\n2.5 3 1\n3.5 4 1\n").names == Texts{"a", "b", "y"});
  CHECK(start_of("# made in 2019\n# 1,2,3\n" + rows(2)).first == 2);
}

TEST_CASE("a # may belong to a cell") {
  CHECK(start_of("#N/A,1.5,0\n" + rows(2)).first == 0);
  CHECK(start_of("#1,0.5,a\n#2,1.5,b\n#3,2.5,a\n#4,3.5,b\n").first == 0);
}

TEST_CASE("a title as wide as the table is skipped, and is an error if it may be the header") {
  CHECK(start_of("Report 2024,,\ntemp,press,y\n" + rows(2)).names.front() == "temp");
  CHECK(start_of("Instrument: X,model Y,ser. 5\ntemp,press,y\n" + rows(2)).names.front() == "temp");
  CHECK_THROWS_WITH(start_of("Instrument X,model Y,ser. 5\ntemp,press,y\n" + rows(2)),
                    ContainsSubstring("--header=true"));
  CHECK(start_of("surface temp,air press,y\nC,m/s,\n" + rows(2)).units);
}

TEST_CASE("a row of units below the header is skipped") {
  const CsvStart units = start_of("temp,press,y\nC,bar,-\n" + rows(2));
  CHECK(units.units);
  CHECK(units.first_row() == 2);
  CHECK(start_of("temp,press,kind\nC,m/s,\n" + rows(2, true)).units);
  CHECK_FALSE(start_of("temp,press,kind\nC,m/s,A\n" + rows(2, true)).units);
  CHECK_FALSE(start_of("temp,press,y\n<1,bar,1\n" + rows(2)).units);
  CHECK_FALSE(start_of("temp,press,y\n#DIV/0!,NA,1\n" + rows(2)).units);
}

TEST_CASE("a header that is one name short belongs to a table with row names") {
  const CsvStart start = start_of("\"a\",\"b\",\"y\"\n\"1\",0.5,2,0\n\"2\",1.5,3,1\n\"3\",2.5,3,1\n");
  CHECK(start.names == Texts{"", "a", "b", "y"});
  CHECK(start.columns == 4);
  CHECK(start_of("a,y\nr1,0.5,2\n").names == Texts{"", "a", "y"});
  CHECK(start_of("a,y,\nr1,0.5,2,\nr2,1.5,2,\nr3,2.5,2,\n").names == Texts{"", "a", "y"});
}

TEST_CASE("separators at the ends of lines make no column") {
  const CsvStart some = start_of("a,b,y\n1,2,0,\n2,2,1,\n3,2,0,\n");
  CHECK(some.columns == 3);
  CHECK(some.empty_ends == 1);
  CHECK(some.names == Texts{"a", "b", "y"});
  const CsvStart all = start_of("a,b,y,,\n1,2,0,,\n2,2,1,,\n3,2,0,,\n");
  CHECK(all.columns == 3);
  CHECK(all.empty_ends == 2);
  const CsvStart rows_only = start_of("1,2,0,\n2,2,1,\n3,2,0,\n");
  CHECK(rows_only.columns == 3);
  CHECK_FALSE(rows_only.header);
  CHECK(start_of("a,b,y,notes\n1,2,0,\n2,2,1,\n3,2,0,\n").columns == 4);
}

TEST_CASE("names of row numbers are those of programs") {
  for (const char* name : {"", "Unnamed: 0", "Unnamed: 0.1", "Unnamed: 12"}) CHECK(is_row_number_name(name));
  for (const char* name : {"a", "Unnamed", "Unnamed: ", "Unnamed: x", "0"}) CHECK_FALSE(is_row_number_name(name));
}
