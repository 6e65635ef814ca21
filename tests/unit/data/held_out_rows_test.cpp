// Groups of rows, given folds and times: which rows are held out together or in which order.
// SPDX-License-Identifier: MIT
#include <algorithm>
#include <cmath>
#include <map>
#include <set>

#include "data/group_splits.hpp"
#include "data/row_draws.hpp"
#include "data/split_sizes.hpp"
#include "data/splits.hpp"
#include "sample_data.hpp"
#include "support/catch.hpp"
#include "support/regression_study.hpp"
#include "support/row_sets.hpp"

using namespace sheaf;
using namespace sheaf::test;

namespace {

using Numbers = std::vector<std::int64_t>;

DataSet marked(DataSet data, MarkKind kind, Numbers numbers, std::int64_t count = 0) {
  const auto owner = std::make_shared<Numbers>(std::move(numbers));
  data.marks = {kind, count, owner->data(), owner};
  return data;
}

// Group g has 1 + (7 g mod 13) rows, which are scattered over the data. With `classes`, most of its rows have one
// label.
DataSet grouped(std::int64_t groups, std::int64_t classes) {
  Numbers group_of, labels;
  for (std::int64_t round = 0; round < 13; ++round)
    for (std::int64_t group = 0; group < groups; ++group)
      if (round <= 7 * group % 13) {
        group_of.push_back(group);
        labels.push_back(classes == 0 ? 0 : (group + (round % 5 == 4 ? 1 : 0)) % classes);
      }
  DataSet data = classes > 0 ? data_with_labels(labels) : data_with_features(1, std::vector<float>(labels.size()));
  return marked(std::move(data), MarkKind::groups, std::move(group_of), groups);
}

// The rows of each group, for sets of whole groups.
std::map<std::int64_t, std::int64_t> rows_of_groups(const DataSet& data, const Numbers& rows) {
  std::map<std::int64_t, std::int64_t> found;
  for (const std::int64_t row : rows) ++found[data.marks.numbers[row]];
  return found;
}

Numbers all_rows(const DataSet& data) {
  return RowSet::all(data.rows).list();
}

bool are_whole_groups(const DataSet& data, const Numbers& rows) {
  const auto whole = rows_of_groups(data, all_rows(data));
  for (const auto& [group, count] : rows_of_groups(data, rows))
    if (whole.at(group) != count) return false;
  return true;
}

Study with_folds(std::int64_t folds) {
  Study study = regression_study();
  study.search.folds = folds;
  return study;
}

}  // namespace

TEST_CASE("folds keep groups whole, every fold has one, and repeats differ") {
  for (const std::int64_t classes : {0, 2, 4})
    for (const std::int64_t groups : {5, 40, 333}) {
      const DataSet data = grouped(groups, classes);
      const auto fold_of = folds_of(data, 5, 1, 0);
      std::map<std::int64_t, std::set<std::int32_t>> folds_of_group;
      for (std::int64_t row = 0; row < data.rows; ++row)
        folds_of_group[data.marks.numbers[row]].insert(fold_of[static_cast<std::size_t>(row)]);
      for (const auto& [group, folds] : folds_of_group) CHECK(folds.size() == 1);
      CHECK(std::set<std::int32_t>(fold_of.begin(), fold_of.end()) == std::set<std::int32_t>{0, 1, 2, 3, 4});
      CHECK(fold_of == folds_of(data, 5, 1, 0));
      CHECK((groups == 5 || fold_of != folds_of(data, 5, 1, 1)));
      CHECK((groups == 5 || fold_of != folds_of(data, 5, 2, 0)));
    }
}

TEST_CASE("folds of groups have similar sizes, and similar parts of each class") {
  for (std::uint64_t repeat = 0; repeat < 20; ++repeat) {
    const DataSet numbers = grouped(60, 0);
    std::vector<std::int64_t> sizes(5);
    for (const auto fold : folds_of(numbers, 5, 1, repeat)) ++sizes[static_cast<std::size_t>(fold)];
    CAPTURE(repeat, sizes);
    CHECK(*std::max_element(sizes.begin(), sizes.end()) - *std::min_element(sizes.begin(), sizes.end()) <= 2);

    const DataSet classes = grouped(60, 3);
    std::map<std::pair<std::int64_t, std::int32_t>, std::int64_t> counts;
    Numbers of_class(3);
    const auto fold_of = folds_of(classes, 5, 1, repeat);
    for (std::int64_t row = 0; row < classes.rows; ++row) {
      ++counts[{classes.labels[row], fold_of[static_cast<std::size_t>(row)]}];
      ++of_class[static_cast<std::size_t>(classes.labels[row])];
    }
    for (std::int64_t label = 0; label < 3; ++label)
      for (std::int32_t fold = 0; fold < 5; ++fold) {
        const double even = static_cast<double>(of_class[static_cast<std::size_t>(label)]) / 5;
        CAPTURE(label, fold, even, counts[{label, fold}]);
        CHECK(std::abs(static_cast<double>(counts[{label, fold}]) - even) <= 0.15 * even);
      }
  }
}

TEST_CASE("a hold-out has whole groups, close to the fraction of every class, of all sizes") {
  std::map<std::int64_t, std::int64_t> times_held_out;
  const DataSet data = grouped(130, 3);
  for (std::uint64_t repeat = 0; repeat < 100; ++repeat) {
    const auto rows = held_out_of(data, 0.2, 5, repeat);
    CHECK(are_whole_groups(data, rows));
    CHECK(std::is_sorted(rows.begin(), rows.end()));
    for (std::int64_t label = 0; label < 3; ++label) {
      const auto members = std::count(data.labels, data.labels + data.rows, label);
      const auto chosen = std::count_if(rows.begin(), rows.end(), [&](auto row) { return data.labels[row] == label; });
      CHECK(std::abs(static_cast<double>(chosen) / static_cast<double>(members) - 0.2) < 0.02);
    }
    for (const auto& [group, count] : rows_of_groups(data, rows)) ++times_held_out[count];
  }
  // 10 groups of each size from 1 to 13 are held out 20 times each, of 100, if the sizes do not matter.
  for (const auto& [size, times] : times_held_out) CHECK((times > 130 && times < 270));
  CHECK(held_out_of(data, 0.2, 5, 0) != held_out_of(data, 0.2, 5, 1));
}

TEST_CASE("a hold-out of few groups neither is empty nor takes all") {
  for (const double fraction : {0.01, 0.5, 0.99})
    for (const std::int64_t groups : {2, 3}) {
      const DataSet data = grouped(groups, 2);
      const auto rows = held_out_of(data, fraction, 1, 0);
      CHECK(are_whole_groups(data, rows));
      CHECK(!rows.empty());
      CHECK(static_cast<std::int64_t>(rows.size()) < data.rows);
    }
}

TEST_CASE("a bootstrap of groups draws as many groups as there are, with replacement") {
  const DataSet data = grouped(500, 0);
  const auto whole = rows_of_groups(data, all_rows(data));
  Numbers some;
  for (std::int64_t row = 0; row < data.rows; ++row)
    if (data.marks.numbers[row] % 2 == 0) some.push_back(row);
  const auto drawn = [&](std::uint64_t seed) { return bootstrap_rows(data.marks, row_set(some), seed).list(); };
  std::int64_t draws = 0, distinct = 0;
  for (const auto& [group, count] : rows_of_groups(data, drawn(3))) {
    CHECK(group % 2 == 0);
    CHECK(count % whole.at(group) == 0);
    draws += count / whole.at(group);
    ++distinct;
  }
  CHECK(draws == 250);
  CHECK((distinct > 135 && distinct < 181));  // 250 (1 - 1/e) = 158, with standard deviation 4.9
  CHECK(drawn(3) == drawn(3));
  CHECK(drawn(3) != drawn(4));
}

TEST_CASE("too few groups are refused") {
  const DataSet data = grouped(4, 2);
  CHECK_THROWS_WITH(Splits(with_folds(5), data),
                    "The rows have fewer groups than folds (4 groups, search.folds = 5). Use fewer folds, or set "
                    "data.groups = none.");
  CHECK_NOTHROW(Splits(with_folds(4), data));
  Study study = with_folds(4);
  study.data.test = 0.1;
  CHECK_THROWS_WITH(
      Splits(study, data),
      "The rows have fewer groups than folds (3 groups without those of data.test, search.folds = 4). Use "
      "fewer folds, or set data.groups = none.");
  study = with_folds(1);
  study.data.validation = 0.1;
  const DataSet one_group = marked(data_with_labels({0, 1, 0, 1}), MarkKind::groups, {0, 0, 0, 0}, 1);
  CHECK_THROWS_WITH(Splits(study, one_group),
                    "No group can be held out for validation (all rows are in one group). Set data.validation = 0 or "
                    "data.groups = none.");
  CHECK_NOTHROW(Splits(study, grouped(2, 2)));
}

TEST_CASE("stopping rows are whole groups, and others are left to train on in every split") {
  const DataSet data = grouped(12, 2);
  for (const std::int64_t folds : {1, 3}) {
    Study study = with_folds(folds);
    study.study.iterations = 20;
    study.train.stop_fraction = 0.2;
    if (folds == 1) study.data.validation = 0.3;
    Splits splits(study, data);
    for (std::int64_t number = 0; number < splits.count(); ++number) {
      const auto split = splits.split(number / folds, number % folds);
      Numbers all = split->training_rows.list();
      for (const RowSet& rows : {split->validation_rows, split->stopping_rows}) {
        CHECK(are_whole_groups(data, rows.list()));
        CHECK(!rows.empty());
        const auto more = rows.list();
        all.insert(all.end(), more.begin(), more.end());
      }
      CHECK(!split->training_rows.empty());
      std::sort(all.begin(), all.end());
      CHECK(all == all_rows(data));
    }
  }
  // 50, 25 and 25 rows, half of them held out: the two small groups leave one group.
  Numbers groups(100, 0);
  for (std::size_t row = 50; row < 100; ++row) groups[row] = row < 75 ? 1 : 2;
  const DataSet three = marked(data_with_features(1, std::vector<float>(100)), MarkKind::groups, groups, 3);
  Study study = with_folds(1);
  study.study.iterations = 12;
  study.data.validation = 0.5;
  study.train.stop_fraction = 0.3;
  CHECK_THROWS_WITH(Splits(study, three),
                    "No group can be held out for train.stop_fraction (all training rows are in one group). Hold out "
                    "fewer validation rows, or set train.stop_fraction = 0 or data.groups = none.");
}

TEST_CASE("stopping rows of given folds leave rows to train on") {
  Numbers folds(101, 0);
  folds.back() = 1;
  const DataSet data = marked(data_with_features(1, std::vector<float>(101)), MarkKind::folds, folds, 2);
  Study study = with_folds(2);
  study.train.stop_fraction = 0.1;
  CHECK_THROWS_WITH(Splits(study, data),
                    "No row is left to train on (train.stop_fraction = 0.1 holds out 1 of 1 training row of fold 0). "
                    "Hold out fewer rows, or set train.stop_fraction = 0.");
}

TEST_CASE("stopping rows are the last training rows in time, also the fewest of a fold") {
  Numbers times;
  for (std::int64_t row = 0; row < 40; ++row) times.push_back(row * 7 % 40);
  const DataSet data = marked(data_with_features(1, std::vector<float>(40)), MarkKind::times, times);
  Study study = with_folds(5);
  study.data.time = "t";
  study.train.stop_fraction = 0.1;
  Splits splits(study, data);
  std::int64_t least = data.rows;
  for (std::int64_t fold = 0; fold < 5; ++fold) {
    const auto split = splits.split(0, fold);
    const auto time = [&](std::int64_t row) { return times[static_cast<std::size_t>(row)]; };
    std::int64_t last_trained = 0, first_stopping = 40, last_stopping = 0, first_validated = 40;
    split->training_rows.for_each([&](auto row) { last_trained = std::max(last_trained, time(row)); });
    split->stopping_rows.for_each([&](auto row) { first_stopping = std::min(first_stopping, time(row)); });
    split->stopping_rows.for_each([&](auto row) { last_stopping = std::max(last_stopping, time(row)); });
    split->validation_rows.for_each([&](auto row) { first_validated = std::min(first_validated, time(row)); });
    CHECK(last_trained < first_stopping);
    CHECK(last_stopping < first_validated);
    least = std::min(least, split->stopping_rows.count());
  }
  CHECK(least == 1);
  CHECK(stopping_row_count(study, {40}) == least);
}

TEST_CASE("given folds are those of the file in all repeats") {
  Numbers folds;
  for (std::int64_t row = 0; row < 30; ++row) folds.push_back(row * row % 3 == 1 ? 1 : row % 2 == 0 ? 0 : 2);
  const DataSet data = marked(data_with_labels(uneven_labels(30, 3)), MarkKind::folds, folds, 3);
  Study study = with_folds(3);
  study.search.repeats = 2;
  Splits splits(study, data);
  CHECK(splits.count() == 3);
  for (std::int64_t fold = 0; fold < 3; ++fold) {
    const auto split = splits.split(1, fold);
    CHECK(split == splits.split(0, fold));
    split->validation_rows.for_each([&](std::int64_t row) { CHECK(folds[static_cast<std::size_t>(row)] == fold); });
    CHECK(split->validation_rows.count() == std::count(folds.begin(), folds.end(), fold));
    CHECK(split->training_rows.count() == 30 - split->validation_rows.count());
  }
}

// The sizes are those of TimeSeriesSplit(n_splits).split(range(rows)) of scikit-learn 1.2.
TEST_CASE("folds in time train on the rows before those that they validate") {
  for (const auto& [rows, folds, sizes] :
       {std::tuple<std::int64_t, std::int64_t, Numbers>{17, 4, {5, 3, 8, 3, 11, 3, 14, 3}},
        {12, 3, {3, 3, 6, 3, 9, 3}},
        {5, 4, {1, 1, 2, 1, 3, 1, 4, 1}}}) {
    Numbers places;  // in time
    for (std::int64_t row = 0; row < rows; ++row) places.push_back((row * 7 + 3) % rows);
    if (rows % 7 != 0) REQUIRE(std::set<std::int64_t>(places.begin(), places.end()).size() == places.size());
    const DataSet data =
        marked(data_with_features(1, std::vector<float>(static_cast<std::size_t>(rows))), MarkKind::times, places);
    Study study = with_folds(folds);
    study.data.time = "/time";
    Splits splits(study, data);
    Numbers found;
    for (std::int64_t fold = 0; fold < folds; ++fold) {
      const auto split = splits.split(0, fold);
      std::int64_t latest = -1, earliest = rows;
      split->training_rows.for_each(
          [&](std::int64_t row) { latest = std::max(latest, places[static_cast<std::size_t>(row)]); });
      split->validation_rows.for_each(
          [&](std::int64_t row) { earliest = std::min(earliest, places[static_cast<std::size_t>(row)]); });
      CHECK(latest + 1 == earliest);
      found.push_back(split->training_rows.count());
      found.push_back(split->validation_rows.count());
    }
    CHECK(found == sizes);
  }
}

TEST_CASE("a hold-out in time has the last rows") {
  DataSet data = data_with_labels(uneven_labels(20, 3));
  data.marks.kind = MarkKind::times;  // in the order of the file
  CHECK(held_out_of(data, 0.25, 1, 0) == Numbers{15, 16, 17, 18, 19});
  CHECK(held_out_of(data, 0.25, 1, 0) == held_out_of(data, 0.25, 2, 7));
}

TEST_CASE("test rows are in no split, and the same in all repeats") {
  Numbers folds;
  for (std::int64_t row = 0; row < 100; ++row) folds.push_back(row % 4);
  const DataSet plain = data_with_labels(uneven_labels(100, 4));
  DataSet timed = plain;
  timed.marks.kind = MarkKind::times;
  for (const DataSet& data : {plain, grouped(40, 3), timed, marked(plain, MarkKind::folds, folds, 4)})
    for (const std::int64_t folds_searched : {4, 1})
      for (const double validation : {0.0, 0.25}) {
        if (folds_searched > 1 && validation > 0) continue;
        Study study = with_folds(folds_searched);
        study.data.test = 0.2;
        study.data.validation = validation;
        study.search.repeats = 3;
        Splits splits(study, data);
        const Numbers test = splits.test_rows().list();
        CHECK(std::abs(static_cast<double>(test.size()) / static_cast<double>(data.rows) - 0.2) < 0.02);
        if (data.marks.kind == MarkKind::groups) CHECK(are_whole_groups(data, test));
        if (data.marks.kind == MarkKind::times) CHECK(test.front() == 80);
        Numbers validated;
        for (std::int64_t fold = 0; fold < folds_searched; ++fold) {
          const auto split = splits.split(2, fold);
          Numbers seen = split->training_rows.list();
          const Numbers held_out = split->validation_rows.list();
          seen.insert(seen.end(), held_out.begin(), held_out.end());
          seen.insert(seen.end(), test.begin(), test.end());
          std::sort(seen.begin(), seen.end());
          CHECK(std::adjacent_find(seen.begin(), seen.end()) == seen.end());
          if (data.marks.kind != MarkKind::times || folds_searched == 1) CHECK(seen == all_rows(data));
          validated.insert(validated.end(), held_out.begin(), held_out.end());
        }
        if (folds_searched > 1 && data.marks.kind != MarkKind::times)
          CHECK(validated.size() + test.size() == static_cast<std::size_t>(data.rows));
        CHECK(Splits(study, data).test_rows().list() == test);
        ++study.study.seed;
        CHECK((data.marks.kind == MarkKind::times || Splits(study, data).test_rows().list() != test));
      }
}

TEST_CASE(
    "the rows of other files are held out whole, and folds, fractions and scaling are of the rows of the data file") {
  std::vector<float> features(60);
  for (std::size_t row = 0; row < features.size(); ++row)
    features[row] = row < 40 ? 1.0f + static_cast<float>(row % 2) : 1000;
  DataSet data = data_with_features(1, features);
  data.validation_file_rows = 12;
  data.test_file_rows = 8;
  const auto own = RowSet::range({0, 40}, 60).list(), test = RowSet::range({52, 60}, 60).list();
  Study study = regression_study();
  study.data.validation = 0;
  study.search.repeats = 3;
  for (const double fraction : {0.0, 0.25}) {  // of data.test, without a test file
    study.data.test = fraction;
    data.validation_file_rows = fraction > 0 ? 20 : 12;
    data.test_file_rows = fraction > 0 ? 0 : 8;
    Splits splits(study, data);
    const auto split = splits.split(2, 0);
    CHECK(splits.count() == 1);
    CHECK(split->validation_rows.list() == RowSet::range({40, fraction > 0 ? 60 : 52}, 60).list());
    CHECK(std::abs(splits.scaling(2, 0, Normalize::standard)->shift[0]) < 3);
    if (fraction == 0) {
      CHECK(split->training_rows.list() == own);
      CHECK(splits.test_rows().list() == test);
    } else {
      CHECK(split->training_rows.count() == 30);
      CHECK(splits.test_rows().count() == 10);
      CHECK(splits.test_rows().list().back() < 40);
    }
  }
  study.data.test = 0;
  data.validation_file_rows = 0;
  data.test_file_rows = 20;
  for (const std::int64_t folds : {1, 4}) {  // with a test file, validation rows are taken from the data file
    study.search.folds = folds;
    study.data.validation = folds == 1 ? 0.25 : 0;
    Splits splits(study, data);
    CHECK(splits.test_rows().list() == RowSet::range({40, 60}, 60).list());
    for (std::int64_t fold = 0; fold < folds; ++fold) {
      const auto split = splits.split(1, fold);
      CHECK(split->validation_rows.count() == 10);
      Numbers seen = split->training_rows.list();
      const Numbers held_out = split->validation_rows.list();
      seen.insert(seen.end(), held_out.begin(), held_out.end());
      std::sort(seen.begin(), seen.end());
      CHECK(seen == own);
    }
  }
}

TEST_CASE("messages about too many test rows advise to reduce data.test") {
  Study study = regression_study();
  study.data.test = 0.5;
  study.data.validation = 0.5;
  DataSet data = marked(data_with_features(1, {1, 2}), MarkKind::groups, {0, 1}, 2);
  CHECK_THROWS_WITH(
      Splits(study, data),
      "No row is left to train on (data.validation = 0.5 holds out 1 of 1 row without those of data.test). "
      "Reduce data.test.");
  data = marked(data_with_features(1, {1, 2, 3, 4}), MarkKind::groups, {0, 0, 1, 1}, 2);
  CHECK_THROWS_WITH(Splits(study, data),
                    "No group can be held out for validation (all rows without those of data.test are in one group). "
                    "Reduce data.test, or set data.validation = 0 or data.groups = none.");
}

TEST_CASE("a test that leaves no rows is refused") {
  Study study = regression_study();
  study.data.test = 0.9;
  CHECK_THROWS_WITH(Splits(study, data_with_features(1, {1, 2, 3})),
                    "No row is left to train on (data.test = 0.9 holds out 3 of 3 rows). Reduce data.test.");
  study = with_folds(3);
  study.data.test = 0.5;
  const DataSet data = marked(data_with_labels({0, 1, 0, 1}), MarkKind::folds, {0, 1, 2, 2}, 3);
  CHECK_THROWS_WITH(Splits(study, data),
                    "The data set has fewer rows than folds (2 rows without those of data.test, search.folds = 3). Use "
                    "fewer folds.");
  study.data.test = 0.25;
  int refused = 0;
  for (study.study.seed = 0; study.study.seed < 20; ++study.study.seed) try {
      Splits splits(study, data);
    } catch (const std::exception& error) {
      CHECK(std::string(error.what()).find("has no rows left (data.test holds them out). Reduce data.test.") !=
            std::string::npos);
      ++refused;
    }
  CHECK((refused > 0 && refused < 20));
}
