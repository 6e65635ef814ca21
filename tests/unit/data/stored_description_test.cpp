// SPDX-License-Identifier: MIT
#include "data/stored_description.hpp"

#include <cmath>

#include "core/error.hpp"
#include "support/catch.hpp"
#include "support/hdf5_fixture.hpp"

using namespace sheaf;
using namespace sheaf::test;

namespace {

using Texts = std::vector<std::string>;

// Writes features [1, `features`] and labels [1] with a description, as `sheaf import` does.
void write_described(const std::string& path, std::int64_t features, const DataDescription& description) {
  Hdf5Writer file(path, true);
  const auto zeros = [](const std::vector<std::int64_t>& shape) {
    NumberArray array{NumberType::float32, shape, {}};
    array.bytes.resize(static_cast<std::size_t>(array.rows() * array.row_elements()) * sizeof(float));
    return array;
  };
  file.write_numbers("features", zeros({1, features}), 0);
  file.write_numbers("targets", zeros({1}), 0);
  write_description(file, "features", "targets", description);
  file.close();
}

DataDescription described(const std::string& path, std::int64_t features) {
  return read_description(InputFile(path), path, "features", "targets", features).data;
}

// A file with two features per row, to which attributes are added.
class AttributeFile {
 public:
  AttributeFile() {
    FixtureFile file(path);
    file.numbers("features", {1, 2}, {1, 2});
    file.numbers("targets", {1}, {0});
  }

  /// Texts of variable length; of `bytes`, filled with `padding`, if that is not 0.
  AttributeFile& texts(const std::string& object, const std::string& name, const Texts& values, std::size_t bytes = 0,
                       H5T_str_t padding = H5T_STR_NULLPAD) {
    const hid_t type = good(H5Tcopy(H5T_C_S1));
    good(H5Tset_size(type, bytes == 0 ? H5T_VARIABLE : bytes));
    if (bytes > 0) good(H5Tset_strpad(type, padding));
    const hsize_t count = values.size();
    const hid_t space = good(H5Screate_simple(1, &count, nullptr));
    if (bytes == 0) {
      std::vector<const char*> pointers;
      for (const auto& value : values) pointers.push_back(value.c_str());
      add(object, name, type, space, pointers.data());
    } else {
      std::string characters;
      for (std::string value : values) {
        value.resize(bytes, padding == H5T_STR_SPACEPAD ? ' ' : '\0');
        characters += value;
      }
      add(object, name, type, space, characters.data());
    }
    H5Sclose(space);
    H5Tclose(type);
    return *this;
  }

  AttributeFile& reals(const std::string& object, const std::string& name, const std::vector<double>& values) {
    const hsize_t count = values.size();
    const hid_t space = good(H5Screate_simple(1, &count, nullptr));
    add(object, name, H5T_NATIVE_DOUBLE, space, values.data());
    H5Sclose(space);
    return *this;
  }

  AttributeFile& number(const std::string& object, const std::string& name) {
    const hid_t space = good(H5Screate(H5S_SCALAR));
    const double value = 1;
    add(object, name, H5T_NATIVE_DOUBLE, space, &value);
    H5Sclose(space);
    return *this;
  }

  DataDescription read() const { return described(path, 2); }

  const std::string path = "attributes.h5";

 private:
  void add(const std::string& object, const std::string& name, hid_t type, hid_t space, const void* values) const {
    const hid_t file = good(H5Fopen(path.c_str(), H5F_ACC_RDWR, H5P_DEFAULT));
    const hid_t attribute =
        good(H5Acreate_by_name(file, object.c_str(), name.c_str(), type, space, H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT));
    good(H5Awrite(attribute, type, values));
    H5Aclose(attribute);
    H5Fclose(file);
  }
};

}  // namespace

TEST_CASE("a stored description is read back") {
  DataDescription written;
  written.columns = {{"age", {}, true, 1e9, FillRule::mean, 2.5}, text_column("city", {"Oslo", "K\xc3\xb6ln"}, true)};
  written.dropped_columns = {"id"};
  written.reading = {'.', {"lost"}, false};
  written.target_offsets = {-1.7e9};
  written.class_names = {"no", "yes"};
  written.target_names = {"ill"};
  written.is_multilabel = true;
  written.source = "a.csv";
  written.content_hash = "12ab";
  write_described("described.h5", 2, written);
  const DataDescription read = described("described.h5", 2);
  CHECK(read.columns == written.columns);
  CHECK(read.dropped_columns == written.dropped_columns);
  CHECK(read.reading == written.reading);
  CHECK(read.target_offsets == written.target_offsets);
  CHECK(read.class_names == written.class_names);
  CHECK(read.target_names == written.target_names);
  CHECK(read.is_multilabel);
  CHECK(read.source == written.source);
  CHECK(read.content_hash == written.content_hash);
  CHECK(InputFile("described.h5").texts("features", "feature_names") == Texts{"age", "city"});
  CHECK(read_description(InputFile("described.h5"), "described.h5", "features", "targets", 2).form ==
        FeatureForm::columns);
}

TEST_CASE("columns without names keep their encoding, and columns of numbers need only names") {
  const std::vector<DataColumn> unnamed = {text_column("", {"a", "b"}), number_column("")};
  write_described("unnamed.h5", 2, {unnamed, {}, {}, "", "", ""});
  CHECK(described("unnamed.h5", 2).columns == unnamed);
  CHECK_FALSE(InputFile("unnamed.h5").texts("features", "feature_names"));
  write_described("numbers.h5", 2, {number_columns({"x", "y"}), {}, {}, "", "", ""});
  CHECK(described("numbers.h5", 2).columns == number_columns({"x", "y"}));
  CHECK_FALSE(InputFile("numbers.h5").texts("features", "columns"));
  DataDescription with_commas{number_columns({"x", "y"}), {}, {}, "", "", ""};
  with_commas.reading.decimal = ',';
  write_described("commas.h5", 2, with_commas);
  CHECK(described("commas.h5", 2).reading.decimal == ',');
  write_described("nothing.h5", 2, {});
  CHECK(description_text(described("nothing.h5", 2)) == "{}");
}

TEST_CASE("attributes of more than 64 KiB are written and read") {
  Texts names;
  for (int number = 0; number < 5000; ++number)
    names.push_back("a feature with a long name, number " + std::to_string(number));
  write_described("long.h5", 5000, {number_columns(names), names, names, "", "", ""});
  const DataDescription read = described("long.h5", 5000);
  CHECK(read.columns == number_columns(names));
  CHECK(read.class_names == names);
  const DataColumn city = text_column("city", names);
  write_described("categories.h5", 1, {{city}, {}, {}, "", "", ""});
  CHECK(described("categories.h5", 1).columns == std::vector<DataColumn>{city});
}

TEST_CASE("texts of fixed and of variable length are read, padded or not") {
  const auto names = number_columns({"a", "bc"});
  CHECK(AttributeFile().texts("features", "feature_names", {"a", "bc"}).read().columns == names);
  CHECK(AttributeFile().texts("features", "feature_names", {"a", "bc"}, 2).read().columns == names);
  CHECK(AttributeFile().texts("features", "feature_names", {"a", "bc"}, 5, H5T_STR_SPACEPAD).read().columns == names);
  CHECK(AttributeFile().texts("targets", "class_names", {"  ", "x y"}, 4, H5T_STR_SPACEPAD).read().class_names ==
        Texts{"", "x y"});
}

TEST_CASE("names that are not UTF-8 are read as Latin-1, so that they stay different") {
  const auto read = AttributeFile().texts("targets", "class_names", {"K\xe4se", "K\xf6se"}, 4).read();
  CHECK(read.class_names == Texts{"K\xc3\xa4se", "K\xc3\xb6se"});
  CHECK(parse_description(description_text(read)).class_names == read.class_names);
}

TEST_CASE("a file without targets has no names of classes") {
  {
    FixtureFile file("alone.h5");
    file.numbers("features", {1, 2}, {1, 2});
  }
  const DataDescription read = described("alone.h5", 2);
  CHECK(read.class_names.empty());
  CHECK(read.target_names.empty());
  CHECK_FALSE(read.is_multilabel);
}

TEST_CASE("names that do not fit the data are refused") {
  CHECK_THROWS_WITH(AttributeFile().texts("features", "feature_names", {"a", "b", "c"}).read(),
                    "The attribute 'feature_names' of 'features' in 'attributes.h5' has 3 names for 2 features. Store "
                    "one name per feature, or remove the attribute.");
  CHECK_THROWS_WITH(AttributeFile().texts("features", "feature_names", {"a", "a"}).read(),
                    "The attribute 'feature_names' of 'features' in 'attributes.h5' has the name 'a' twice. Give each "
                    "entry its own name, or remove the attribute.");
  CHECK_THROWS_WITH(AttributeFile().texts("targets", "class_names", {"a", "b", "a"}).read(),
                    StartsWith("The attribute 'class_names' of 'targets' in 'attributes.h5' has the name 'a' twice"));
}

TEST_CASE("columns that contradict the features or their names are refused") {
  const std::string start = "The attribute 'columns' of 'features' in 'attributes.h5' ";
  const auto columns = [](const std::string& text) {
    AttributeFile file;
    file.texts("features", "columns", {text});
    return file;
  };
  CHECK_THROWS_WITH(AttributeFile().texts("features", "columns", {"[{\"name\":\"a\"}]"}).read(),
                    start + "describes 1 features, but there are 2. Import the data again, or remove the attribute.");
  CHECK_THROWS_WITH(AttributeFile().texts("features", "columns", {"nonsense"}).read(),
                    start + "is not valid (it is not valid JSON). Import the data again, or remove the attribute.");
  CHECK_THROWS_WITH(AttributeFile().texts("features", "columns", {"[]", "[]"}).read(),
                    start + "is not valid (it is not one text). Import the data again, or remove the attribute.");
  CHECK_THROWS_WITH(columns(R"({"format":2,"columns":[{"name":"a"}]})").read(),
                    start + "describes 1 columns, but there are 2. Import the data again, or remove the attribute.");
  const std::string two = R"({"format":2,"columns":[{"name":"city","categories":["x","y","z"]},{"name":"b"}]})";
  CHECK(columns(two).texts("features", "feature_names", {"city", "b"}).read().columns.size() == 2);
  CHECK_THROWS_WITH(columns(two).texts("features", "feature_names", {"b", "city"}).read(),
                    start + "does not agree with feature_names. Import the data again, or remove the attribute.");
  const std::string city = "[{\"name\":\"city\",\"categories\":[\"x\",\"y\"]}]";
  CHECK(columns(city).read().columns.size() == 2);
  CHECK(columns(city).texts("features", "feature_names", {"city=x", "city=y"}).read().columns.size() == 2);
  CHECK_THROWS_WITH(columns(city).texts("features", "feature_names", {"city=y", "city=x"}).read(),
                    start + "does not agree with feature_names. Import the data again, or remove the attribute.");
}

TEST_CASE("an attribute that is not text is refused, except where any value is only shown") {
  CHECK_THROWS_WITH(AttributeFile().number("features", "feature_names").read(),
                    "The attribute 'feature_names' of 'features' in 'attributes.h5' contains numbers, not texts. Store "
                    "texts, or remove the attribute.");
  CHECK_THROWS_WITH(AttributeFile().number("targets", "class_names").read(), ContainsSubstring("not texts"));
  CHECK(AttributeFile().number("/", "source").read().source.empty());
  CHECK(AttributeFile().texts("/", "source", {"a", "b"}).read().source.empty());
}

TEST_CASE("an attribute 'offset' that is not one finite number for each target is refused") {
  CHECK(AttributeFile().reals("targets", "offset", {3}).read().target_offsets == std::vector<double>{3});
  const std::string problem =
      "The attribute 'offset' of 'targets' in 'attributes.h5' is not valid (it must be a list of 1 floating-point "
      "number, one per target, of at most 1e300). Correct it, or remove the attribute.";
  for (const std::vector<double>& values : {std::vector<double>{3, 4}, std::vector<double>{HUGE_VAL},
                                            std::vector<double>{std::nan("")}, std::vector<double>{-2e300}})
    CHECK_THROWS_WITH(AttributeFile().reals("targets", "offset", values).read(), problem);
  CHECK_THROWS_WITH(AttributeFile().number("targets", "offset").read(), problem);
  CHECK_THROWS_WITH(AttributeFile().texts("targets", "offset", {"3"}).read(), problem);
}
