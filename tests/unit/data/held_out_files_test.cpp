// Whether the rows of other files fit those of the data file.
// SPDX-License-Identifier: MIT
#include "data/held_out_files.hpp"

#include "support/catch.hpp"

using namespace sheaf;

namespace {

FileSchema table() {
  FileSchema file;
  file.path = "train.h5";
  file.rows = 100;
  file.feature_count = 3;
  file.features.number_class = NumberClass::real;
  file.description.columns = {number_column("a"), text_column("b", {"x", "y"}), number_column("c")};
  file.description.target_names = {"t"};
  file.description.class_names = {"no", "yes"};
  file.form = FeatureForm::columns;
  return file;
}

FileSchema plain() {
  FileSchema file = table();
  file.description = {};
  file.form = FeatureForm::features;
  return file;
}

template <class Change>
std::string changed(FileSchema file, const Change& change) {
  FileSchema other = file;
  change(other);
  return difference(other, file);
}

}  // namespace

TEST_CASE("files agree if they have the same columns, targets and classes") {
  CHECK(difference(table(), table()).empty());
  CHECK(difference(plain(), plain()).empty());
  CHECK(changed(table(), [](FileSchema& other) {
          other.rows = 3;
          other.description.columns[0].offset = 5;
          other.description.columns[0].has_empty_cells = true;
          other.description.class_names.clear();
          other.description.target_names.clear();
          other.features.number_class = NumberClass::integer;
        }).empty());
  CHECK(changed(plain(), [](FileSchema& other) {
          other.description.columns = number_columns({"a", "b", "c"});
          other.form = FeatureForm::columns;
        }).empty());
}

TEST_CASE("the first difference between files is named") {
  const auto columns = [](FileSchema & file) -> auto& {
    return file.description.columns;
  };
  CHECK(changed(table(), [&](FileSchema& other) { columns(other)[0].name = "z"; }) == "its column 0 is 'z', not 'a'");
  CHECK(changed(table(), [&](FileSchema& other) { std::swap(columns(other)[0], columns(other)[2]); }) ==
        "its column 0 is 'c', not 'a'");
  CHECK(changed(table(), [&](FileSchema& other) { columns(other).pop_back(); }) == "it has 2 columns, not 3");
  CHECK(changed(table(), [&](FileSchema& other) {
          columns(other)[1].categories = {"y", "x"};
        }) == "its column 'b' has other categories");
  CHECK(changed(table(), [&](FileSchema& other) { columns(other)[1].has_empty_cells = true; }) ==
        "its column 'b' has other categories");
  CHECK(changed(table(), [&](FileSchema& other) { columns(other)[1] = number_column("b"); }) ==
        "its column 'b' has numbers, not texts");
  CHECK(changed(table(), [&](FileSchema& other) { columns(other)[0] = text_column("a", {"x"}); }) ==
        "its column 'a' has texts, not numbers");
  CHECK(changed(table(), [&](FileSchema& other) { columns(other).clear(); }) ==
        "only one of them describes columns of texts");
  CHECK(changed(plain(), [](FileSchema& other) { other.feature_count = 5; }) == "it has 5 features per row, not 3");
  CHECK(changed(plain(), [](FileSchema& other) {
          other.layout.image = {1, 1, 3};
        }) == "it has images of 1 x 1 x 3, channels first, not no images");
  CHECK(changed(plain(), [](FileSchema& other) { other.features.is_bytes = true; }) ==
        "its features are unsigned bytes");
  CHECK(changed(plain(), [](FileSchema& other) { other.description.preprocessing = "scaled"; }) ==
        "sheaf preprocess has scaled their features differently");
  CHECK(changed(plain(), [](FileSchema& other) { other.coding = TargetCoding::one_hot; }) ==
        "its targets are one-hot, not numbers");
  CHECK(changed(plain(), [](FileSchema& other) { other.target_columns = 2; }) == "it has 2 target columns, not 1");
  CHECK(changed(table(), [](FileSchema& other) { other.description.target_names = {"u"}; }).empty());  // the only one
  CHECK(changed(table(), [](FileSchema& other) {
          other.description.target_names = {"t", "u"};
        }) == "it has 2 targets, not 1");
  CHECK(changed(table(), [](FileSchema& other) {
          other.description.class_names = {"yes", "no"};
        }) == "its class 0 is 'yes', not 'no'");
}

TEST_CASE("the message names both files and the command that creates such files") {
  FileSchema file = plain();
  file.held_out = {plain(), plain()};
  CHECK_NOTHROW(require_same_columns(file));
  file.held_out[1].path = "test.h5";
  file.held_out[1].feature_count = 5;
  CHECK_THROWS_WITH(
      require_same_columns(file),
      "'test.h5' does not have the columns of 'train.h5' (it has 5 features per row, not 3). `sheaf import "
      "--like=train.h5` creates such files.");
  file.held_out[1] = plain();
  file.held_out[1].description.preprocessing = "scaled";
  CHECK_THROWS_WITH(require_same_columns(file), ContainsSubstring("`sheaf preprocess --like=train.h5`"));
}

TEST_CASE("the offsets of the data file are subtracted from all files, also from those that have subtracted others") {
  FileSchema file = plain(), other = plain();
  file.description.columns = number_columns({"", "", ""});
  file.description.columns[1].offset = 100;
  file.description.target_offsets = {1000};
  use_offsets_of(file, other);
  float features[3];
  std::int64_t unknown = 0;
  const double stored[3] = {1, 102, 3};
  REQUIRE_FALSE(other.encoding.is_identity());
  CHECK_FALSE(other.encoding.encode(stored, 1, features, unknown));
  CHECK(std::vector<float>(features, features + 3) == std::vector<float>{1, 2, 3});
  CHECK(other.subtracted_targets == std::vector<double>{1000});

  other = plain();
  other.description.columns = number_columns({"a", "b", "c"});
  other.description.columns[1].offset = 90;
  other.description.target_offsets = {1010};
  other.form = FeatureForm::columns;
  use_offsets_of(file, other);
  const double stored_less[3] = {1, 12, 3};
  CHECK_FALSE(other.encoding.encode(stored_less, 1, features, unknown));
  CHECK(std::vector<float>(features, features + 3) == std::vector<float>{1, 2, 3});
  CHECK(other.subtracted_targets == std::vector<double>{-10});

  other.description.columns[1].offset = 100;
  other.description.target_offsets = {1000};
  other.encoding = {};
  use_offsets_of(file, other);
  CHECK(other.encoding.is_identity());
  CHECK(other.subtracted_targets.empty());
}
