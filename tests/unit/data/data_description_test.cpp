// SPDX-License-Identifier: MIT
#include "data/data_description.hpp"
#include "data/description_text.hpp"

#include "core/error.hpp"
#include "data/table_columns.hpp"
#include "support/catch.hpp"

using namespace sheaf;

namespace {

using Texts = std::vector<std::string>;

std::string list_of(const std::string& column) {
  return "[" + column + "]";
}

DataDescription sample() {
  DataDescription description;
  description.columns = {{"age", {}, true, 1.7e9, FillRule::mean, 0.1},
                         text_column("city", {"Oslo", "Rom\"e\n"}, true),
                         number_column(""),
                         {"h\xc3\xb6he", {}, false, -0.1, FillRule::median, -3e38}};
  description.dropped_columns = {"id", ""};
  description.reading = {',', {"-999", "lost"}, false};
  description.target_offsets = {1.7e9, 0};
  description.class_names = {"cat", "", "dog"};
  description.target_names = {"kind"};
  description.source = "a.csv, b.csv";
  description.content_hash = "0123456789abcdef";
  return description;
}

}  // namespace

TEST_CASE("columns and descriptions are the same after writing and reading") {
  const DataDescription written = sample();
  const DescribedColumns described =
      parse_columns(columns_text(written.columns, written.dropped_columns, written.reading));
  CHECK(described.columns == written.columns);
  CHECK(described.dropped == written.dropped_columns);
  CHECK(described.reading == written.reading);
  CHECK(described.form == FeatureForm::columns);
  const DataDescription read = parse_description(description_text(written));
  CHECK(read.columns == written.columns);
  CHECK(read.dropped_columns == written.dropped_columns);
  CHECK(read.reading == written.reading);
  CHECK(read.target_offsets == written.target_offsets);
  CHECK(read.class_names == written.class_names);
  CHECK(read.target_names == written.target_names);
  CHECK(read.source == written.source);
  CHECK(read.content_hash == written.content_hash);
  CHECK(description_text({}) == "{}");
  CHECK(parse_description("{}").columns.empty());
}

TEST_CASE("the text of columns is one line of valid JSON, whatever bytes the names have") {
  const std::string text = columns_text(number_columns({"a\xff\n\"b"}), {});
  CHECK(text == "{\"columns\":[{\"name\":\"a\xef\xbf\xbd\\n\\\"b\"}],\"format\":2}");
  CHECK(columns_text({text_column("x", {"1", "2"}), {"y", {}, true, 1.5, FillRule::mean, 2}}, {"z"}) ==
        R"({"columns":[{"categories":["1","2"],"name":"x"},{"empty":true,"fill":2.0,"fill_rule":"mean","name":"y",)"
        R"("offset":1.5}],"dropped":["z"],"format":2})");
}

TEST_CASE("parts of dates are described") {
  auto columns = date_columns("sold", DateFormat::day_first);
  columns.push_back(number_column("a"));
  const std::string text = columns_text(columns, {});
  CHECK_THAT(
      text, StartsWith(R"({"columns":[{"date":{"column":"sold","format":"d/m/y","part":"year"},"name":"sold.year"},)"));
  CHECK(parse_columns(text).columns == columns);
  const auto unnamed = date_columns("", DateFormat::iso);
  CHECK(parse_columns(columns_text(unnamed, {})).columns == unnamed);
  CHECK_FALSE(are_plain(unnamed));
  columns.push_back(number_column("sold.month"));
  CHECK(repeated_name(columns) == "sold.month");
}

TEST_CASE("dates that are not valid are refused with the reason") {
  const std::string year = R"({"column":"d","part":"year","format":"y-m-d"})";
  const std::pair<std::string, const char*> bad[] = {
      {R"({"name":"a","date":3})", "the date of column 'a' is not valid"},
      {R"({"name":"a","categories":["b"],"date":)" + year + "}", "the date of column 'a' is not valid"},
      {R"({"name":"a","date":{"part":"year","format":"y-m-d"}})", "the date of column 'a' has no column"},
      {R"({"name":"a","date":{"column":3,"part":"year","format":"y-m-d"}})", "the date of column 'a' has no column"},
      {R"({"name":"a","date":{"column":"d","format":"y-m-d"}})", "the date of column 'a' has no part"},
      {R"({"name":"a","date":{"column":"d","part":"hour","format":"y-m-d"}})",
       "the date of column 'a' has no part 'hour'"},
      {R"({"name":"a","date":{"column":"d","part":"year"}})", "the date of column 'a' has no format"},
      {R"({"name":"a","date":{"column":"d","part":"year","format":"iso"}})",
       "the date of column 'a' has no format 'iso'"},
      {R"({"name":"a","date":{"column":"d","part":"year","format":"y-m-d","zone":1}})",
       "the date of column 'a' is not valid"},
      {R"({"name":"","date":)" + year + "}", "column '' and its column of dates do not both have names"},
      {R"({"name":"a","date":{"column":"","part":"year","format":"y-m-d"}})",
       "column 'a' and its column of dates do not both have names"},
      {R"({"name":"a","date":)" + year + R"(},{"name":"b","date":)" + year + "}",
       "the list of columns contains the year of 'd' twice"},
      {R"({"name":"a","date":)" + year + R"(},{"name":"b","date":{"column":"d","part":"day","format":"d.m.y"}})",
       "the dates of 'd' have two formats"},
      {R"({"name":"a","date":)" + year + R"(},{"name":"d"})", "column 'd' is a column of dates, too"},
  };
  for (const auto& [columns, reason] : bad) {
    CAPTURE(columns);
    CHECK_THROWS_WITH(parse_columns(R"({"format":2,"columns":[)" + columns + "]}"), reason);
  }
}

TEST_CASE("the columns of version 0.7 are read") {
  const DescribedColumns read = parse_columns(
      R"([{"name":"age","fill":0.1},{"name":"city","categories":["","Oslo"]},{"name":"x","categories":["a"]}])");
  CHECK(read.form == FeatureForm::features);
  CHECK(read.columns == std::vector<DataColumn>{{"age", {}, false, 0, FillRule::median, double{0.1f}},
                                                number_column("city="),
                                                number_column("city=Oslo"),
                                                number_column("x=a")});
  const auto description = parse_description(R"({"columns":[{"name":"city","categories":["","Oslo"]}]})");
  CHECK(description.columns == number_columns({"city=", "city=Oslo"}));
}

TEST_CASE("text that does not describe columns is refused with the reason") {
  const std::pair<const char*, const char*> bad[] = {
      {"", "it is not valid JSON"},
      {"[{\"name\":\"a\"}", "it is not valid JSON"},
      {"[{\"name\":\"\xff\"}]", "it is not valid JSON"},
      {"3", "columns is not a list"},
      {"{}", "its format is not 2"},
      {"{\"format\":3}", "its format is not 2"},
      {"{\"format\":2}", "columns is not a list"},
      {"{\"format\":2,\"columns\":[]}", "columns is not a list"},
      {"{\"format\":2,\"columns\":[{\"name\":\"a\",\"empty\":1}]}", "\"empty\" of column 'a' is not true or false"},
      {"{\"format\":2,\"columns\":[{\"name\":\"a\",\"offset\":\"1\"}]}", "the offset of column 'a' is not valid"},
      {"{\"format\":2,\"columns\":[{\"name\":\"a\",\"offset\":1,\"categories\":[\"b\"]}]}",
       "the offset of column 'a' is not valid"},
      {"{\"format\":2,\"columns\":[{\"name\":\"a\",\"fill_rule\":\"mode\"}]}",
       "\"fill_rule\" of column 'a' is not \"mean\" or \"median\""},
      {"{\"format\":2,\"columns\":[{\"name\":\"a\",\"categories\":[\"b\",\"\"]}]}",
       "the list of categories of column 'a' contains an empty text"},
      {"{\"format\":2,\"columns\":[{\"name\":\"a\"}],\"dropped\":3}", "the list of dropped columns is not a list"},
      {R"({"format":2,"columns":[{"name":"a"}],"decimal":";"})", "\"decimal\" is not \".\" or \",\""},
      {R"({"format":2,"columns":[{"name":"a"}],"na_values":"x"})", "na_values is not a list"},
      {R"({"format":2,"columns":[{"name":"a"}],"keep_default_na":1})", "\"keep_default_na\" is not true or false"},
      {"[]", "columns is not a list"},
      {"[3]", "a column has no name"},
      {"[{}]", "a column has no name"},
      {"[{\"name\":3}]", "a column has no name"},
      {"[{\"name\":\"a\"},{\"name\":\"b\"},{\"name\":\"a\"}]", "the list of columns contains 'a' twice"},
      {"[{\"name\":\"a\",\"categories\":[]}]", "column 'a' has an empty list of categories"},
      {"[{\"name\":\"a\",\"categories\":\"b\"}]", "the categories of column 'a' is not a list"},
      {"[{\"name\":\"a\",\"categories\":[1]}]", "the categories of column 'a' contains an entry that is not a text"},
      {"[{\"name\":\"a\",\"categories\":[\"b\",\"b\"]}]", "the list of categories of column 'a' contains 'b' twice"},
      {"[{\"name\":\"a\",\"fill\":\"1\"}]", "the fill value of column 'a' is not valid"},
      {"[{\"name\":\"a\",\"fill\":1,\"categories\":[\"b\"]}]", "the fill value of column 'a' is not valid"},
  };
  for (const auto& [text, reason] : bad) {
    INFO(text);
    CHECK_THROWS_WITH(parse_columns(text), reason);
  }
}

TEST_CASE("a fill value beyond 32-bit floating point is refused") {
  for (const char* fill : {"1e300", "-1e39", "3.5e38", "1e999", "null"}) {
    INFO(fill);
    CHECK_THROWS_AS(parse_columns(list_of("{\"name\":\"a\",\"fill\":" + std::string(fill) + "}")), RunError);
  }
  CHECK(parse_columns(list_of("{\"name\":\"a\",\"fill\":3.4e38}")).columns[0].fill == double{3.4e38f});
  CHECK(parse_columns(list_of("{\"name\":\"a\",\"fill\":18446744073709551615}")).columns[0].fill ==
        18446744073709551616.0);
  CHECK_THROWS_WITH(parse_columns(R"({"format":2,"columns":[{"name":"a","offset":-3e38,"fill":3e38}]})"),
                    "the fill value of column 'a' is not valid");
}

TEST_CASE("features of version 0.7 with the same name are refused") {
  CHECK_THROWS_WITH(parse_columns(R"([{"name":"a=b"},{"name":"a","categories":["b","c"]}])"),
                    "the list of columns contains 'a=b' twice");
  CHECK(parse_columns(R"([{"name":"","categories":["b"]},{"name":"","categories":["b"]}])").columns.size() == 2);
}

TEST_CASE("zero bytes in texts become question marks, since HDF5 would cut the text there") {
  CHECK(parse_columns(R"({"format":2,"columns":[{"name":"a\u0000b","categories":["\u0000"]}]})").columns ==
        std::vector<DataColumn>{text_column("a?b", {"?"})});
}

TEST_CASE("text that does not describe data is refused with the reason") {
  const std::pair<const char*, const char*> bad[] = {
      {"[]", "the description of the data is not an object"},
      {"{\"columns\":{}}", "its format is not 2"},
      {"{\"target_offsets\":1}", "target_offsets is not a list"},
      {"{\"target_offsets\":[null]}", "an offset of targets is not valid"},
      {"{\"class_names\":[\"a\",\"a\"]}", "class_names contains 'a' twice"},
      {"{\"class_names\":\"a\"}", "class_names is not a list"},
      {"{\"target_names\":[1]}", "target_names contains an entry that is not a text"},
      {"{\"source\":1}", "source is not a text"},
      {"{\"content_hash\":[]}", "content_hash is not a text"},
      {"{\"colums\":[]}", "it has an unknown entry 'colums'"},
  };
  for (const auto& [text, reason] : bad) {
    INFO(text);
    CHECK_THROWS_WITH(parse_description(text), reason);
  }
}

TEST_CASE("deeply nested JSON is refused without overflowing the stack") {
  constexpr std::size_t depth = 2'000'000;
  const std::string open(depth, '['), closed = open + std::string(depth, ']');
  for (const auto& text : {open, closed, "[{\"name\":" + closed + "}]"}) CHECK_THROWS_AS(parse_columns(text), RunError);
  CHECK_THROWS_AS(parse_description("{\"class_names\":" + closed + "}"), RunError);
}

TEST_CASE("columns have names if each of them has one") {
  const auto columns = sample().columns;
  CHECK_FALSE(has_names(columns));
  CHECK_FALSE(has_names({}));
  const std::vector<DataColumn> named = {columns[1], columns[0]};
  CHECK(has_names(named));
  CHECK(number_columns({"a", "b"}) == std::vector<DataColumn>{number_column("a"), number_column("b")});
  CHECK(column_names(named) == Texts{"city", "age"});
  CHECK(are_plain(number_columns({"a", "b"})));
  CHECK_FALSE(are_plain(named));
}

TEST_CASE("columns differ if one of their properties differs") {
  const DataColumn column{"a", {}, true, 2, FillRule::mean, 1};
  CHECK(column == DataColumn{"a", {}, true, 2, FillRule::mean, 1});
  CHECK_FALSE(column == DataColumn{"b", {}, true, 2, FillRule::mean, 1});
  CHECK_FALSE(column == DataColumn{"a", {"x"}, true, 2, FillRule::mean, 1});
  CHECK_FALSE(column == DataColumn{"a", {}, false, 2, FillRule::mean, 1});
  CHECK_FALSE(column == DataColumn{"a", {}, true, 3, FillRule::mean, 1});
  CHECK_FALSE(column == DataColumn{"a", {}, true, 2, FillRule::median, 1});
  CHECK_FALSE(column == DataColumn{"a", {}, true, 2, FillRule::mean, {}});
}

TEST_CASE("names are found in any order") {
  CHECK(match_names({"a", "b", "c"}, {"c", "a", "b"}, "P", "W", "Leave them out.") ==
        std::vector<std::int64_t>{2, 0, 1});
  CHECK(match_names({}, {}, "P", "W", "Leave them out.").empty());
}

TEST_CASE("missing names are listed, with a similar name") {
  CHECK_THROWS_WITH(match_names({"prise", "age"}, {"age", "price"}, "'t.csv'", "'m.pt'", "Leave them out."),
                    "'t.csv' has no column 'price' (it is a feature of 'm.pt'). Did you mean 'prise'? Add it, or "
                    "correct its name.");
  CHECK_THROWS_WITH(match_names({"q"}, {"alpha", "beta", "q"}, "'t.csv'", "'m.pt'", "Leave them out."),
                    "'t.csv' has no columns 'alpha' and 'beta' (they are features of 'm.pt'). Add them, or correct "
                    "their names.");
  CHECK_THROWS_WITH(match_names({}, {"a", "b", "c", "d", "e", "f"}, "P", "W", "Leave them out."),
                    StartsWith("P has no columns 'a', 'b', 'c', 'd' and 2 more (they are"));
  CHECK_THROWS_WITH(match_names({}, {"a", "b", "c", "d", "e"}, "P", "W", "Leave them out."),
                    StartsWith("P has no columns 'a', 'b', 'c', 'd' and 'e' (they are"));
}

TEST_CASE("names that are not wanted are listed") {
  CHECK_THROWS_WITH(match_names({"a", "id"}, {"a"}, "'t.csv'", "'m.pt'", "Leave them out."),
                    "'t.csv' has column 'id', which 'm.pt' does not have. Leave them out.");
  CHECK_THROWS_WITH(match_names({"a", "id", "x"}, {"a"}, "'t.csv'", "'m.pt'", "Leave them out."),
                    "'t.csv' has columns 'id' and 'x', which 'm.pt' does not have. Leave them out.");
}
