// SPDX-License-Identifier: MIT
#include "data/group_splits.hpp"

#include <algorithm>
#include <cassert>
#include <cmath>
#include <limits>
#include <numeric>
#include <utility>

#include "core/index_range.hpp"

namespace sheaf {
namespace {

// The rows of one class in a group.
struct ClassPart {
  std::int64_t label;
  double rows;
};

// The classes of the rows of each group.
class GroupClasses {
 public:
  GroupClasses(const DataSet& data, const RowSet& rows)
      : begins_(static_cast<std::size_t>(data.marks.count) + 1),
        class_rows_(data.task == Task::classification ? static_cast<std::size_t>(data.output_count) : 1) {
    const std::vector<std::int64_t> labels = labels_by_group(data, rows);
    std::size_t begin = 0;
    for (std::size_t group = 0; group + 1 < begins_.size(); ++group) {
      const std::size_t end = begin + sizes_[group];
      for (std::size_t row = begin; row < end; ++row) {
        if (row == begin || labels[row] != labels[row - 1]) parts_.push_back({labels[row], 0});
        ++parts_.back().rows;
      }
      begins_[group + 1] = parts_.size();
      begin = end;
    }
  }

  // The groups that have rows, in random order.
  std::vector<std::size_t> shuffled_groups(RandomStream& stream) const {
    std::vector<std::int64_t> groups;
    for (std::size_t group = 0; group < sizes_.size(); ++group)
      if (sizes_[group] > 0) groups.push_back(static_cast<std::int64_t>(group));
    shuffle(groups.data(), static_cast<std::int64_t>(groups.size()), stream);
    return {groups.begin(), groups.end()};
  }

  std::size_t groups() const { return sizes_.size(); }
  std::size_t classes() const { return class_rows_.size(); }
  std::int64_t rows(std::size_t group) const { return static_cast<std::int64_t>(sizes_[group]); }
  double class_rows(std::int64_t label) const { return class_rows_[static_cast<std::size_t>(label)]; }

  // The sum over the classes of a group of use(label, part of the rows of the class that is in the group).
  template <class Use>
  double sum(std::size_t group, const Use& use) const {
    double total = 0;
    for (std::size_t part = begins_[group]; part < begins_[group + 1]; ++part)
      total += use(parts_[part].label, parts_[part].rows / class_rows(parts_[part].label));
    return total;
  }

 private:
  // The labels of all rows, group by group, sorted within each group.
  std::vector<std::int64_t> labels_by_group(const DataSet& data, const RowSet& rows) {
    const auto group_of = [&](std::int64_t row) { return static_cast<std::size_t>(data.marks.numbers[row]); };
    sizes_.resize(static_cast<std::size_t>(data.marks.count));
    rows.for_each([&](std::int64_t row) { ++sizes_[group_of(row)]; });
    std::vector<std::size_t> ends(sizes_.size());
    std::exclusive_scan(sizes_.begin(), sizes_.end(), ends.begin(), std::size_t{0});
    std::vector<std::int64_t> labels(static_cast<std::size_t>(rows.count()));
    rows.for_each([&](std::int64_t row) {
      const std::int64_t label = class_rows_.size() > 1 ? data.labels[row] : 0;
      labels[ends[group_of(row)]++] = label;
      ++class_rows_[static_cast<std::size_t>(label)];
    });
    for (std::size_t group = 0; group < sizes_.size(); ++group) {
      const auto end = labels.begin() + static_cast<std::ptrdiff_t>(ends[group]);
      std::sort(end - static_cast<std::ptrdiff_t>(sizes_[group]), end);
    }
    return labels;
  }

  std::vector<std::size_t> sizes_;   // rows of each group
  std::vector<std::size_t> begins_;  // of the parts of each group, and the end
  std::vector<ClassPart> parts_;
  std::vector<double> class_rows_;
};

double squared(double value) {
  return value * value;
}

}  // namespace

std::int64_t groups_in(const RowMarks& groups, const RowSet& rows) {
  std::vector<bool> found(static_cast<std::size_t>(groups.count));
  rows.for_each([&](std::int64_t row) { found[static_cast<std::size_t>(groups.numbers[row])] = true; });
  return std::count(found.begin(), found.end(), true);
}

// The parts of a class in all folds have a constant sum, so their variance is least where the sum of their squares is.
// Adding a part p to a fold that has the part q increases it by 2 p q + p^2, of which only p q depends on the fold.
std::vector<std::int32_t> assign_groups(const DataSet& data, const RowSet& rows, std::int64_t folds,
                                        RandomStream stream) {
  const GroupClasses classes(data, rows);
  std::vector<std::size_t> order = classes.shuffled_groups(stream);
  assert(static_cast<std::int64_t>(order.size()) >= folds);
  // Powers of two of the size: with the exact sizes, all repeats would have the same folds.
  std::vector<int> size(classes.groups());
  for (const std::size_t group : order)
    size[group] = std::ilogb(classes.sum(group, [](std::int64_t, double part) { return squared(part); }));
  std::stable_sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) { return size[a] > size[b]; });

  const auto fold_count = static_cast<std::size_t>(folds);
  std::vector<double> parts(fold_count * classes.classes());  // [folds, classes]
  std::vector<std::int64_t> fold_rows(fold_count);
  std::vector<std::int32_t> fold_of(classes.groups(), -1);
  for (const std::size_t group : order) {
    std::size_t best = 0;
    double least = std::numeric_limits<double>::infinity();
    for (std::size_t fold = 0; fold < fold_count; ++fold) {
      const double* const of_fold = parts.data() + fold * classes.classes();
      const double cost = classes.sum(group, [&](std::int64_t label, double part) { return of_fold[label] * part; });
      if (cost > least || (cost == least && fold_rows[fold] >= fold_rows[best])) continue;
      best = fold;
      least = cost;
    }
    fold_of[group] = static_cast<std::int32_t>(best);
    fold_rows[best] += classes.rows(group);
    classes.sum(group, [&, of_best = parts.data() + best * classes.classes()](std::int64_t label, double part) {
      return of_best[label] += part;
    });
  }
  return fold_of;
}

namespace {

// Groups that are held out.
struct HeldOut {
  std::vector<bool> groups;
  double distance = 0;  // from the fraction: the sum of its squares over the classes
};

// Takes groups in this order, as far as they reduce the distance.
HeldOut hold_out(const GroupClasses& classes, const std::vector<std::size_t>& order, double fraction) {
  std::vector<double> missing(classes.classes(), fraction);  // parts of the classes that are still to be held out
  const auto missing_of = [&](std::int64_t label) -> double& { return missing[static_cast<std::size_t>(label)]; };
  HeldOut held_out{std::vector<bool>(classes.groups()), 0};
  std::size_t count = 0, closest = order.front();
  double least = std::numeric_limits<double>::infinity();
  const auto take = [&](std::size_t group) {
    held_out.groups[group] = true;
    ++count;
    classes.sum(group, [&](std::int64_t label, double part) { return missing_of(label) -= part; });
  };
  for (const std::size_t group : order) {
    const double change = classes.sum(group, [&](std::int64_t label, double part) {
      return squared(missing_of(label) - part) - squared(missing_of(label));
    });
    if (change < least) least = change, closest = group;
    if (change < 0 && count + 1 < order.size()) take(group);
  }
  if (count == 0) take(closest);
  for (const double part : missing) held_out.distance += squared(part);
  return held_out;
}

}  // namespace

std::vector<bool> hold_out_groups(const DataSet& data, const RowSet& rows, double fraction, RandomStream stream) {
  constexpr int orders = 16;
  const GroupClasses classes(data, rows);
  HeldOut best;
  for (int order = 0; order < orders; ++order) {
    const std::vector<std::size_t> groups = classes.shuffled_groups(stream);
    assert(groups.size() >= 2);
    HeldOut held_out = hold_out(classes, groups, fraction);
    if (order == 0 || held_out.distance < best.distance) best = std::move(held_out);
  }
  return best.groups;
}

// One byte per count is enough, as in bootstrap_rows().
RowSet bootstrap_groups(const RowMarks& groups, const RowSet& rows, RandomStream stream) {
  std::vector<bool> found(static_cast<std::size_t>(groups.count));
  rows.for_each([&](std::int64_t row) { found[static_cast<std::size_t>(groups.numbers[row])] = true; });
  std::vector<std::size_t> drawn_from;
  for (std::size_t group = 0; group < found.size(); ++group)
    if (found[group]) drawn_from.push_back(group);
  std::vector<std::uint8_t> times_of_group(found.size());
  for (std::size_t draw = 0; draw < drawn_from.size(); ++draw) {
    std::uint8_t& times = times_of_group[drawn_from[stream.below(drawn_from.size())]];
    assert(times < std::numeric_limits<std::uint8_t>::max());
    ++times;
  }
  std::vector<std::uint8_t> times(static_cast<std::size_t>(rows.data_rows()));
  rows.for_each([&](std::int64_t row) {
    times[static_cast<std::size_t>(row)] = times_of_group[static_cast<std::size_t>(groups.numbers[row])];
  });
  return RowSet::sample(std::move(times));
}

}  // namespace sheaf
