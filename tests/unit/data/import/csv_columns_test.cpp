// SPDX-License-Identifier: MIT
#include "data/import/csv_columns.hpp"

#include "core/error.hpp"
#include "support/catch.hpp"

using namespace sheaf;

namespace {

using Texts = std::vector<std::string>;
using Columns = std::vector<std::size_t>;

ColumnRoles roles(const CsvOptions& options, const Texts& names) {
  return choose_roles(options, names, names.size(), "f");
}

CsvOptions like(const DataDescription& description) {
  CsvOptions options;
  options.like = &description;
  options.like_name = "'m.pt'";
  return options;
}

}  // namespace

TEST_CASE("columns are found by name first and then by number") {
  const Texts names = {"a", "b", "1", "c"};
  CHECK(find_columns("c,a", names, 4, "f") == Columns{3, 0});
  CHECK(find_columns("1", names, 4, "f") == Columns{2});
  CHECK(find_columns("-1", names, 4, "f") == Columns{3});
  CHECK(find_columns("1,1", {}, 4, "f") == Columns{1});
  CHECK(find_columns("", names, 4, "f").empty());
  CHECK_THROWS_WITH(find_columns("-5", names, 4, "f"), StartsWith("There is no column -5 (there are 4 columns"));
  CHECK_THROWS_WITH(find_columns("price", {"a", "prise"}, 2, "f"),
                    "'f' has no column 'price' (its header has 2 names). Did you mean 'prise'? Columns can also be "
                    "given by number, from 0.");
  CHECK_THROWS_WITH(find_columns("price", {}, 2, "f"), ContainsSubstring("no header was found"));
}

TEST_CASE("the last column that is left has the targets, and all others are features") {
  CHECK(roles({}, {"a", "b", "y"}).features == Columns{0, 1});
  CHECK(roles({}, {"a", "b", "y"}).targets == Columns{2});
  CsvOptions options;
  options.drop = "y,a";
  CHECK(roles(options, {"a", "b", "c", "y"}).targets == Columns{2});
  options.id = "c";
  CHECK(roles(options, {"a", "b", "c", "d", "y"}).targets == Columns{3});
  CHECK(roles(options, {"a", "b", "c", "d", "y"}).id == 2);
  options.drop = "d,y";
  CHECK(roles(options, {"a", "b", "c", "d", "y"}).targets == Columns{1});
}

TEST_CASE("options choose targets, dropped and categorical columns and the identifier") {
  CsvOptions options;
  options.label = "y,z";
  options.drop = "b";
  options.categorical = "a,0";
  const ColumnRoles chosen = roles(options, {"a", "y", "b", "c", "z"});
  CHECK(chosen.features == Columns{0, 3});
  CHECK(chosen.targets == Columns{1, 4});
  CHECK(chosen.categorical == Columns{0});
  CHECK(chosen.row_names.empty());
  options.label = "none";
  CHECK(roles(options, {"a", "b", "y"}).features == Columns{0, 2});
  CHECK(roles(options, {"a", "b", "y"}).targets.empty());
  options.reads_targets = false;
  options.label = "y";
  CHECK(roles(options, {"a", "b", "y"}).features == Columns{0});
  CHECK(roles(options, {"a", "b", "y"}).targets.empty());
  options.id = "a,y";
  CHECK_THROWS_WITH(roles(options, {"a", "b", "y"}), "--id=a,y names 2 columns. Name one.");
}

TEST_CASE("the identifier stays a feature if the model has it") {
  DataDescription like;
  like.columns = number_columns({"a", "name"});
  CsvOptions options;
  options.like = &like;
  options.like_name = "model 'm.pt'";
  options.label = "none";
  options.id = "name";
  CHECK(roles(options, {"name", "a"}).features == Columns{1, 0});
  CHECK(roles(options, {"name", "a"}).id == 0);
  like.columns = number_columns({"a"});
  CHECK(roles(options, {"name", "a"}).features == Columns{1});
}

TEST_CASE("unnamed first columns have row names, unless they are the label") {
  CHECK(roles({}, {"", "a", "y"}).features == Columns{1});
  CHECK(roles({}, {"", "a", "y"}).row_names == Columns{0});
  CHECK(roles({}, {"Unnamed: 0", "a", "y"}).row_names == Columns{0});
  CHECK(roles({}, {"", "Unnamed: 0", "a", "y"}).row_names == Columns{0, 1});
  CHECK(roles({}, {"Unnamed: 0.1", "Unnamed: 0", "a", "y"}).features == Columns{2});
  CHECK(choose_roles({}, {}, 3, "f").features == Columns{0, 1});
  CHECK_THROWS_WITH(roles({}, {"", "y"}), StartsWith("'f' has no features"));
  CsvOptions options;
  options.label = "0";
  CHECK(roles(options, {"", "a"}).features == Columns{1});
  CHECK(roles(options, {"", "a"}).row_names.empty());
}

TEST_CASE("columns that are left out by their content stay if an option or the model wants them") {
  const Texts names = {"when", "a", "y"};
  CHECK(choose_roles({}, names, 3, "f", {0}).features == Columns{1});
  CHECK(choose_roles({}, names, 3, "f", {0}).left_out == Columns{0});
  CsvOptions options;
  options.keep = "when";
  CHECK(choose_roles(options, names, 3, "f", {0}).features == Columns{0, 1});
  options.keep = "";
  options.categorical = "0";
  CHECK(choose_roles(options, names, 3, "f", {0}).features == Columns{0, 1});
  DataDescription known;
  known.columns = number_columns({"a", "when"});
  known.target_names = {"y"};
  CHECK(choose_roles(like(known), names, 3, "f", {0}).features == Columns{1, 0});
}

TEST_CASE("columns that the training left out are left out again") {
  DataDescription known;
  known.columns = number_columns({"a"});
  known.target_names = {"y"};
  known.dropped_columns = {"id", "note"};
  const ColumnRoles found = roles(like(known), {"id", "a", "note", "y"});
  CHECK(found.features == Columns{1});
  CHECK(found.targets == Columns{3});
  CHECK_THROWS_WITH(roles(like(known), {"id", "a", "b", "y"}), StartsWith("'f' has column 'b'"));
}

TEST_CASE("columns of groups, folds, times and weights are not features") {
  CsvOptions options;
  options.groups = "patient";
  options.folds = "-3";
  options.weights = "w";
  options.time = "day";
  const ColumnRoles found = roles(options, {"patient", "a", "w", "y", "fold", "z", "day"});
  CHECK(found.groups == 0);
  CHECK(found.folds == 4);
  CHECK(found.weights == 2);
  CHECK(found.time == 6);
  CHECK(found.features == Columns{1, 3});
  CHECK(found.targets == Columns{5});
  options.weights = "w,a";
  CHECK_THROWS_WITH(roles(options, {"patient", "a", "w", "y", "fold", "z", "day"}),
                    "--weights=w,a names 2 columns. Name one.");
}

TEST_CASE("features with the same name are refused, and other columns may have equal names") {
  CHECK_THROWS_WITH(roles({}, {"a", "b", "a", "y"}),
                    "Columns 0 and 2 of 'f' have the same name, 'a'. Rename one, or drop one with --drop=2.");
  CsvOptions options;
  options.drop = "2";
  CHECK(roles(options, {"a", "b", "a", "y"}).features == Columns{0, 1});
  CHECK(roles({}, {"y", "b", "y"}).features == Columns{0, 1});
}

TEST_CASE("features are put in the order of known columns, and targets are found by name") {
  DataDescription known;
  known.columns = {number_column("a"), text_column("b", {"x", "z"})};
  known.target_names = {"y"};
  CHECK(roles(like(known), {"b", "y", "a"}).features == Columns{2, 0});
  CHECK(roles(like(known), {"b", "y", "a"}).targets == Columns{1});
  CHECK(roles(like(known), {"", "b", "a"}).features == Columns{2, 1});
  CHECK(roles(like(known), {"b", "a"}).targets.empty());
  CHECK_THROWS_WITH(roles(like(known), {"bb", "a", "y"}),
                    "'f' has no column 'b' (it is a feature of 'm.pt'). Did you mean 'bb'? Add it, or correct its "
                    "name.");
  CHECK_THROWS_WITH(
      roles(like(known), {"b", "a", "x", "y"}),
      "'f' has column 'x', which 'm.pt' does not have. Leave out columns that are not features (--drop).");
  CsvOptions options = like(known);
  options.drop = "x";
  CHECK(roles(options, {"b", "a", "x", "y"}).features == Columns{1, 0});
  options.label = "x";
  options.drop = "y";
  CHECK(roles(options, {"b", "a", "x", "y"}).targets == Columns{2});
}

TEST_CASE("several targets are put in the order of the known ones, and only other names are taken in the given order") {
  DataDescription known;
  known.columns = number_columns({"a"});
  known.target_names = {"t1", "t2"};
  CsvOptions options = like(known);
  CHECK(roles(options, {"t2", "a", "t1"}).targets == Columns{2, 0});
  for (const char* label : {"t1,t2", "t2,t1", "0,2"}) {
    options.label = label;
    CHECK(roles(options, {"t2", "a", "t1"}).targets == Columns{2, 0});
  }
  options.label = "v,u";
  CHECK(roles(options, {"u", "a", "v"}).targets == Columns{2, 0});
  options.label = "u,t1";
  CHECK_THROWS_WITH(roles(options, {"u", "a", "t1"}),
                    "The targets 'u' and 't1' of 'f' are not those of 'm.pt', 't1' and 't2'. Rename the columns.");
}

TEST_CASE("without names, known columns are compared by number, and one more is the target") {
  DataDescription known;
  known.columns = number_columns({"", ""});
  CHECK(roles(like(known), {"p", "q"}).features == Columns{0, 1});
  CHECK(roles(like(known), {"p", "q"}).targets.empty());
  CHECK(choose_roles(like(known), {}, 3, "f").targets == Columns{2});
  CHECK(roles(like(known), {"", "p", "q", "y"}).targets == Columns{3});
  CHECK(roles(like(known), {"", "p", "q", "y"}).features == Columns{1, 2});
  CsvOptions options = like(known);
  options.drop = "-1";
  CHECK(roles(options, {"p", "q", "y", "x"}).targets == Columns{2});
  CHECK_THROWS_WITH(roles(like(known), {"p", "q", "r", "s"}),
                    "'f' has 4 feature columns, but 'm.pt' has 2 (without column names, the numbers must be equal). "
                    "Check --header, --label and --drop.");
}
