// SPDX-License-Identifier: MIT
#include "data/row_draws.hpp"

#include <algorithm>
#include <cassert>
#include <cmath>
#include <limits>
#include <numeric>
#include <utility>

#include "data/group_splits.hpp"

namespace sheaf {
namespace {

using Rows = std::vector<std::int64_t>;

// The rows in random order. For classification, they are grouped by class, in random order within each class: a
// selection at even distances then selects evenly from each class.
Rows shuffled_by_class(const DataSet& data, const RowSet& rows, RandomStream stream) {
  const bool stratified = data.task == Task::classification;
  const auto class_of = [&](std::int64_t row) { return stratified ? static_cast<std::size_t>(data.labels[row]) : 0; };
  std::vector<std::int64_t> ends(stratified ? static_cast<std::size_t>(data.output_count) : 1, 0);
  rows.for_each([&](std::int64_t row) { ++ends[class_of(row)]; });
  std::exclusive_scan(ends.begin(), ends.end(), ends.begin(), std::int64_t{0});
  Rows order(static_cast<std::size_t>(rows.count()));
  rows.for_each([&](std::int64_t row) { order[static_cast<std::size_t>(ends[class_of(row)]++)] = row; });
  std::int64_t begin = 0;
  for (const std::int64_t end : ends) {
    shuffle(order.data() + begin, end - begin, stream);
    begin = end;
  }
  return order;
}

// The place, in the order of shuffled_by_class(), of the row that is held out as number 0..count-1. These places are at
// even distances, so the number of each class is proportional, to within one row.
std::int64_t holdout_place(std::int64_t number, std::int64_t count, std::int64_t rows) {
  return (2 * number + 1) * rows / (2 * count);
}

// The rows of `rows` for which `selects` is true.
template <class Selects>
Rows selected(const RowSet& rows, const Selects& selects) {
  Rows found;
  rows.for_each([&](std::int64_t row) {
    if (selects(row)) found.push_back(row);
  });
  return found;
}

}  // namespace

void assign_folds(const DataSet& data, const RowSet& rows, std::int64_t folds, RandomStream stream,
                  std::int32_t* fold_of) {
  assert(folds >= 1);
  const RowMarks& marks = data.marks;
  switch (marks.kind) {
    case MarkKind::groups: {
      const auto fold_of_group = assign_groups(data, rows, folds, stream);
      rows.for_each(
          [&](std::int64_t row) { fold_of[row] = fold_of_group[static_cast<std::size_t>(marks.number(row))]; });
      break;
    }
    case MarkKind::folds:
      rows.for_each([&](std::int64_t row) { fold_of[row] = static_cast<std::int32_t>(marks.number(row)); });
      break;
    case MarkKind::times: {
      const std::int64_t block = rows.count() / (folds + 1), first = rows.count() - folds * block;
      rows.for_each([&](std::int64_t row) {
        const std::int64_t place = marks.number(row) - first;
        fold_of[row] = place < 0 ? 0 : static_cast<std::int32_t>(1 + place / block);
      });
      break;
    }
    case MarkKind::none: {
      const Rows order = shuffled_by_class(data, rows, stream);
      for (std::size_t place = 0; place < order.size(); ++place)
        fold_of[order[place]] = static_cast<std::int32_t>(place % static_cast<std::size_t>(folds));
    }
  }
}

std::int64_t holdout_count(std::int64_t rows, double fraction) {
  return std::max<std::int64_t>(1, std::llround(static_cast<double>(rows) * fraction));
}

std::vector<std::int64_t> holdout_of_classes(const std::vector<std::int64_t>& class_rows, double fraction) {
  const std::int64_t rows = std::accumulate(class_rows.begin(), class_rows.end(), std::int64_t{0});
  const std::int64_t count = holdout_count(rows, fraction);
  std::vector<std::int64_t> held_out;
  std::int64_t number = 0, end = 0;
  for (const std::int64_t of_class : class_rows) {
    end += of_class;
    const std::int64_t first = number;
    while (number < count && holdout_place(number, count, rows) < end) ++number;
    held_out.push_back(number - first);
  }
  return held_out;
}

std::vector<std::int64_t> holdout_rows(const DataSet& data, const RowSet& rows, double fraction, RandomStream stream) {
  const RowMarks& marks = data.marks;
  if (marks.kind == MarkKind::groups) {
    const auto is_held_out = hold_out_groups(data, rows, fraction, stream);
    return selected(rows, [&](std::int64_t row) { return is_held_out[static_cast<std::size_t>(marks.number(row))]; });
  }
  const std::int64_t count = holdout_count(rows.count(), fraction);
  assert(count <= rows.count());
  if (marks.kind == MarkKind::times)
    return selected(rows, [&](std::int64_t row) { return marks.number(row) >= rows.count() - count; });
  const Rows order = shuffled_by_class(data, rows, stream);
  Rows held_out;
  held_out.reserve(static_cast<std::size_t>(count));
  for (std::int64_t number = 0; number < count; ++number)
    held_out.push_back(order[static_cast<std::size_t>(holdout_place(number, count, rows.count()))]);
  std::sort(held_out.begin(), held_out.end());
  return held_out;
}

// One byte per count is enough: for any number of rows, the probability of more than 255 draws of a row is below
// 1e-500.
RowSet bootstrap_rows(const RowMarks& marks, const RowSet& rows, std::uint64_t iteration_seed) {
  RandomStream stream(iteration_seed, Purpose::bootstrap);
  if (marks.kind == MarkKind::groups) return bootstrap_groups(marks, rows, stream);
  const auto count = static_cast<std::uint64_t>(rows.count());
  std::vector<std::uint8_t> times_of_place(count, 0);
  for (std::uint64_t draw = 0; draw < count; ++draw) {
    std::uint8_t& times = times_of_place[stream.below(count)];
    assert(times < std::numeric_limits<std::uint8_t>::max());
    ++times;
  }
  std::vector<std::uint8_t> times(static_cast<std::size_t>(rows.data_rows()), 0);
  auto next = times_of_place.begin();
  rows.for_each([&](std::int64_t row) { times[static_cast<std::size_t>(row)] = *next++; });
  return RowSet::sample(std::move(times));
}

std::vector<std::int64_t> epoch_order(const RowSet& rows, bool shuffled, std::uint64_t iteration_seed,
                                      std::int64_t epoch) {
  Rows order(static_cast<std::size_t>(rows.count()));
  epoch_order(rows, shuffled, iteration_seed, epoch, order.data());
  return order;
}

void epoch_order(const RowSet& rows, bool shuffled, std::uint64_t iteration_seed, std::int64_t epoch,
                 std::int64_t* order) {
  rows.list(order);
  if (!shuffled) return;
  RandomStream stream(iteration_seed, Purpose::batch_order, static_cast<std::uint64_t>(epoch));
  shuffle(order, rows.count(), stream);
}

}  // namespace sheaf
