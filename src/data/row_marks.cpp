// SPDX-License-Identifier: MIT
#include "data/row_marks.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <limits>
#include <numeric>
#include <optional>
#include <utility>
#include <vector>

#include "core/error.hpp"
#include "core/text.hpp"
#include "data/row_reading.hpp"
#include "files/hdf5/stored_rows.hpp"
#include "parallel/mpi/agreement.hpp"
#include "parallel/mpi/shared_array.hpp"

namespace sheaf {
namespace {

struct MarkKey {
  MarkKind kind;
  std::optional<std::string> DataOptions::*value;
  const char* key;
  const char* known;    // the data set for `auto`
  const char* content;  // of the data set, for messages
  bool integers;
};

constexpr MarkKey mark_keys[] = {{MarkKind::groups, &DataOptions::groups, "data.groups", "/groups", "groups", true},
                                 {MarkKind::folds, &DataOptions::folds, "data.folds", "/folds", "folds", true},
                                 {MarkKind::times, &DataOptions::time, "data.time", "/time", "times", false}};

bool is_list(const DataSetInfo& info, std::int64_t rows, bool integers) {
  return info.rows() == rows && info.shape.size() <= 2 && info.row_elements() == 1 &&
         (info.number_class == NumberClass::integer || !integers);
}

MarkSource find_named(const InputFile& file, const MarkKey& key, const std::string& name, const DataOptions& options,
                      std::int64_t rows) {
  if (key.kind == MarkKind::times && lower_case(name) == file_order) return {key.kind, file_order, {}};
  DataSetInfo info = file.data_set(name).info();
  require(is_list(info, rows, key.integers), [&] {
    return fmt::format(
        "Data set '{}' {} of '{}' is not a list of {} ({} needs one {} for each of {} rows). Store it as "
        "[rows], or set {} = none.",
        name, shape_text(info.shape), options.file, key.content, key.key, key.integers ? "integer" : "number", rows,
        key.key);
  });
  return {key.kind, name, std::move(info)};
}

// Replaces the numbers of groups by 0..count-1, in the same order. Returns count.
std::int64_t number_groups(std::int64_t* groups, std::int64_t rows) {
  std::vector<std::int64_t> known(groups, groups + rows);
  std::sort(known.begin(), known.end());
  known.erase(std::unique(known.begin(), known.end()), known.end());
  std::transform(groups, groups + rows, groups, [&](std::int64_t group) {
    return std::lower_bound(known.begin(), known.end(), group) - known.begin();
  });
  return static_cast<std::int64_t>(known.size());
}

// Replaces times by the places of the rows in time.
void number_times(std::int64_t* times, std::int64_t rows) {
  std::vector<std::int64_t> order(static_cast<std::size_t>(rows));
  std::iota(order.begin(), order.end(), 0);
  std::stable_sort(order.begin(), order.end(), [&](std::int64_t a, std::int64_t b) { return times[a] < times[b]; });
  for (std::int64_t place = 0; place < rows; ++place) times[order[static_cast<std::size_t>(place)]] = place;
}

// An integer that is in the same order as the number: bit patterns of doubles are, apart from the sign.
std::int64_t ordered(double number) {
  const double no_negative_zero = number + 0.0;
  std::int64_t bits = 0;
  std::memcpy(&bits, &no_negative_zero, sizeof bits);
  return bits >= 0 ? bits : bits ^ std::numeric_limits<std::int64_t>::max();
}

template <class Use>
void read_integers(const StoredRows& stored, const Communicator& world, const Communicator& node, const Use& use) {
  read_rows<std::int64_t>(stored, world, node, [&](const std::int64_t* number, std::int64_t row) {
    if (*number == std::numeric_limits<std::int64_t>::max())  // also larger ones, which would become equal
      throw BadRow(row, fmt::format("The {} contains a number of at least 2^63 - 1 in row {} (its numbers are read as "
                                    "64-bit integers). Store smaller numbers.",
                                    stored.description(), row));
    use(*number, row);
  });
}

// The fold of a row as it is in the file.
void require_fold(const StoredRows& stored, std::int64_t fold, std::int64_t row) {
  constexpr std::int64_t most = std::numeric_limits<std::int32_t>::max();
  const std::int64_t rows = stored.info().rows();
  if (fold < 0 || fold >= std::min(rows, most))
    throw BadRow(row,
                 fmt::format("The {} contains {} in row {} (folds are numbered 0, 1, 2, ... and are at most as many "
                             "as rows). Correct it, or set data.folds = none.",
                             stored.description(), fold, row));
}

void read_times(const StoredRows& stored, const Communicator& world, const Communicator& node, std::int64_t* times) {
  if (stored.info().number_class == NumberClass::integer)
    return read_integers(stored, world, node, [&](std::int64_t time, std::int64_t row) { times[row] = time; });
  read_rows<double>(stored, world, node, [&](const double* time, std::int64_t row) {
    if (!std::isfinite(*time))
      throw BadRow(row,
                   fmt::format("The {} contains {} in row {} (such rows have no place in time). Store a number, or "
                               "set data.time = none.",
                               stored.description(), std::isnan(*time) ? "NaN" : "infinity", row));
    times[row] = ordered(*time);
  });
}

}  // namespace

MarkSource find_marks(const InputFile& file, const DataOptions& options, std::int64_t rows) {
  for (const MarkKey& key : mark_keys)
    if (const auto& name = options.*key.value; name && !name->empty())
      return find_named(file, key, *name, options, rows);
  const MarkKey* known = nullptr;
  std::vector<std::string> names, advice;
  for (const MarkKey& key : mark_keys) {
    if (options.*key.value || !file.has_data_set(key.known)) continue;
    known = &key;
    names.push_back(fmt::format("'{}'", key.known));
    advice.push_back(fmt::format("{} = none", key.key));
  }
  require(names.size() <= 1, [&] {
    return fmt::format("'{}' has the data sets {} (a study holds out rows by one of them). Set {}{}.", options.file,
                       listed(names), fmt::join(advice, " or "), names.size() > 2 ? ", two of them" : "");
  });
  return known == nullptr ? MarkSource() : find_named(file, *known, known->known, options, rows);
}

void settle_folds(const std::string& file, MarkSource& source, const Communicator& world) {
  if (source.kind != MarkKind::folds) return;
  std::optional<StoredRows> stored;
  agree(world, [&] { stored.emplace(file, source.name); });
  std::vector<std::int64_t> fold_rows;
  read_integers(*stored, world, world, [&](std::int64_t fold, std::int64_t row) {
    require_fold(*stored, fold, row);
    if (static_cast<std::size_t>(fold) >= fold_rows.size()) fold_rows.resize(static_cast<std::size_t>(fold) + 1);
    ++fold_rows[static_cast<std::size_t>(fold)];
  });
  source.folds = world.maximum(static_cast<std::int64_t>(fold_rows.size()));
  agree(world, [&] { fold_rows.resize(static_cast<std::size_t>(source.folds)); });
  fold_rows = world.sum(std::move(fold_rows));
  agree(world, [&] {
    const auto empty = std::find(fold_rows.begin(), fold_rows.end(), 0);
    require(empty == fold_rows.end(), [&] {
      return fmt::format(
          "The {} has no row of fold {}, but of fold {} (folds are numbered 0, 1, 2, ... without gaps). "
          "Number them so, or set data.folds = none.",
          stored->description(), empty - fold_rows.begin(), source.folds - 1);
    });
    require(source.folds > 1, [&] {
      return fmt::format("The {} has one fold only (cross-validation needs two). Correct it, or set data.folds = none.",
                         stored->description());
    });
  });
}

RowMarks load_marks(const std::string& file, const MarkSource& source, const Communicator& world,
                    const Communicator& node) {
  if (!source.is_data_set()) return {source.kind, 0, nullptr, nullptr};
  const std::int64_t rows = source.info.rows();
  std::shared_ptr<NodeMemory> memory;
  std::optional<StoredRows> stored;
  agree(world,
        [&] { memory = std::make_shared<NodeMemory>(node, static_cast<std::size_t>(rows) * sizeof(std::int64_t)); });
  agree(world, [&] { stored.emplace(file, source.name); });
  auto* const numbers = reinterpret_cast<std::int64_t*>(memory->array.data());
  if (source.kind == MarkKind::times)
    read_times(*stored, world, node, numbers);
  else
    read_integers(*stored, world, node, [&](std::int64_t number, std::int64_t row) {
      if (source.kind == MarkKind::folds) require_fold(*stored, number, row);
      numbers[row] = number;
    });
  memory->array.synchronize();
  std::int64_t count = source.folds;
  agree(world, [&] {
    stored->require_unchanged();
    if (node.is_root() && source.kind == MarkKind::groups) count = number_groups(numbers, rows);
    if (node.is_root() && source.kind == MarkKind::times) number_times(numbers, rows);
  });
  memory->array.synchronize();
  return {source.kind, node.maximum(count), numbers, memory};
}

std::string marks_text(const MarkSource& source) {
  switch (source.kind) {
    case MarkKind::groups:
      return fmt::format("rows of the same group in '{}' are held out together (data.groups = none ignores the groups)",
                         source.name);
    case MarkKind::folds:
      return fmt::format("the folds are the {} of '{}' (data.folds = none ignores them)", source.folds, source.name);
    case MarkKind::times:
      return source.is_data_set()
                 ? fmt::format("the latest rows in '{}' are held out (data.time = none ignores the times)", source.name)
                 : "the last rows of the file are held out (data.time = file_order)";
    case MarkKind::none:
      break;
  }
  return "";
}

}  // namespace sheaf
