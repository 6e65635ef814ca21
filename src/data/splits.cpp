// SPDX-License-Identifier: MIT
#include "data/splits.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <optional>
#include <string>
#include <tuple>
#include <utility>

#include "core/error.hpp"
#include "core/event_count.hpp"
#include "core/once_cache.hpp"
#include "core/random/random_stream.hpp"
#include "core/text.hpp"
#include "data/feature_edges.hpp"
#include "data/group_splits.hpp"
#include "data/row_draws.hpp"
#include "data/row_sample.hpp"
#include "data/split_scaling.hpp"
#include "data/split_sizes.hpp"
#include "parallel/mpi/shared_array.hpp"
#include "study/combinations.hpp"
#include "study/study.hpp"

namespace sheaf {
namespace {

// The fold of each row in one repeat. With a hold-out: 0 for rows held out, 1 for the others.
using FoldNumbers = std::shared_ptr<const std::int32_t>;

// The fold numbers of repeats 0..repeats-1 in the shared memory of a node. The first thread that needs the numbers of a
// repeat computes them.
class NodeFolds {
 public:
  NodeFolds(std::int64_t rows, std::int64_t repeats, const Communicator& node)
      : rows_(rows),
        repeats_(repeats),
        memory_(node, sizeof(Board) + static_cast<std::size_t>(repeats) *
                                          (sizeof(State) + sizeof(std::int32_t) * static_cast<std::size_t>(rows))),
        board_(reinterpret_cast<Board*>(memory_.array.data())),
        states_(reinterpret_cast<State*>(board_ + 1)),
        numbers_(reinterpret_cast<std::int32_t*>(states_ + repeats)) {}

  bool has(std::int64_t repeat) const { return repeat < repeats_; }

  // Calls make(numbers) unless the numbers exist. The result must not outlive this object.
  template <class Make>
  FoldNumbers get(std::int64_t repeat, const Make& make) {
    State& state = states_[repeat];
    std::int32_t* const numbers = numbers_ + repeat * rows_;
    for (auto now = state.load(); now != made; now = state.load()) {
      auto before = nothing;
      if (state.compare_exchange_strong(before, being_made)) {
        try {
          make(numbers);
        } catch (...) {
          set(state, nothing);  // another thread may try again
          throw;
        }
        set(state, made);
      } else {
        board_->events.wait_for(longest_sleep, [&] { return state != being_made; });
      }
    }
    return {FoldNumbers(), numbers};
  }

 private:
  // In shared memory, which is initialized with zeros.
  enum Progress : std::int32_t { nothing = 0, being_made, made };
  using State = std::atomic<Progress>;
  struct Board {
    EventCount events;  // changes of states
  };
  static constexpr std::chrono::milliseconds longest_sleep{100};

  void set(State& state, Progress progress) {
    state = progress;
    board_->events.advance();
  }

  const std::int64_t rows_, repeats_;
  NodeMemory memory_;
  Board* const board_;
  State* const states_;          // [repeats]
  std::int32_t* const numbers_;  // [repeats, rows]
};

// The number of repeats whose fold numbers are in the node's shared memory: all if they are small, otherwise few.
std::int64_t repeats_shared(std::int64_t repeats, std::int64_t rows) {
  constexpr std::int64_t small_bytes = std::int64_t{8} << 20, few = 4;
  return std::min(repeats, std::max(few, small_bytes / (4 * rows)));
}

// The number of splits, or of scalings, that a rank caches. Limited, because a study may have millions of repeats.
// `bytes`: the size of one, without what all have.
std::size_t number_kept(std::int64_t bytes, std::int64_t folds) {
  constexpr std::int64_t bytes_kept = std::int64_t{64} << 20, common_bytes = 256;
  return static_cast<std::size_t>(std::max(2 * folds, bytes_kept / (common_bytes + bytes)));
}

// The splits of a repeat share their fold numbers.
std::size_t splits_kept(const DataSet& data, std::int64_t folds, bool has_stopping_rows) {
  return number_kept(4 * data.rows / folds + (has_stopping_rows ? data.rows : 0), folds);
}

std::size_t scalings_kept(const Study& study, const DataSet& data, std::int64_t folds) {
  const auto kinds = scaling_kinds(study);
  const bool embeds =
      std::any_of(kinds.begin(), kinds.end(), [](ScalingKind kind) { return kind.embedding != Embedding::none; });
  return number_kept((16 + (embeds ? 4 * max_edges : 0)) * data.feature_count, folds);
}

// Throws RunError unless every fold, and the test, can have whole groups.
void require_enough_groups(const Study& study, const RowMarks& groups, const RowSet& rows) {
  const std::int64_t left = groups_in(groups, rows);
  const std::string without_test = study.data.test > 0 ? " without those of data.test" : "";
  require(left >= study.search.folds,
          fmt::format(
              "The rows have fewer groups than folds ({}{}, search.folds = {}). Use fewer folds, or set data.groups "
              "= none.",
              counted(left, "group"), without_test, study.search.folds));
  require(
      left >= 2 || study.data.validation.value_or(0) == 0,
      fmt::format("No group can be held out for validation (all rows{} are in one group). {} data.validation = 0 or "
                  "data.groups = none.",
                  without_test, study.data.test > 0 ? "Reduce data.test, or set" : "Set"));
}

// Throws RunError unless each given fold has rows that are not held out for the test.
void require_rows_in_folds(const RowMarks& folds, const RowSet& rows) {
  std::vector<bool> has_rows(static_cast<std::size_t>(folds.count));
  rows.for_each([&](std::int64_t row) { has_rows[static_cast<std::size_t>(folds.number(row))] = true; });
  const auto empty = std::find(has_rows.begin(), has_rows.end(), false);
  require(empty == has_rows.end(), fmt::format("Fold {} has no rows left (data.test holds them out). Reduce data.test.",
                                               empty - has_rows.begin()));
}

}  // namespace

struct Splits::State {
  State(const Study& study, DataSet all_data)
      : data(std::move(all_data)),
        folds(std::max<std::int64_t>(1, study.search.folds)),
        validation(study.data.validation.value_or(0)),
        stop_fraction(study.train.stop_fraction),
        normalizes_targets(study.data.normalize_targets == NormalizeTargets::standard),
        seed(study.study.seed),
        repeats(study.study.iterations * study.search.repeats),
        rows(RowSet::range(data.counts().own_rows(), data.rows)),
        test_rows(RowSet::range(data.counts().test_rows(), data.rows)),
        splits(splits_kept(data, folds, stop_fraction > 0)),
        scalings(scalings_kept(study, data, folds)) {
    require_enough_rows(study, rows.count());
    if (study.data.test > 0) hold_out_test(study.data.test);
    if (data.marks.kind == MarkKind::groups) require_enough_groups(study, data.marks, rows);
    if (data.marks.kind == MarkKind::folds && folds > 1) require_rows_in_folds(data.marks, rows);
    if (data.marks.kind != MarkKind::none && stop_fraction > 0) require_rows_to_stop();
    const auto kinds = scaling_kinds(study);
    if (std::any_of(kinds.begin(), kinds.end(),
                    [&](ScalingKind kind) { return StatisticsNeeds(data.fills.get(), kind).sample; }))
      sampled = sampled_rows(data.rows, data.feature_count, seed);
  }

  void hold_out_test(double fraction) {
    if (data.marks.kind == MarkKind::groups)
      require(data.marks.count >= 2,
              "No group can be held out for data.test (all rows are in one group). Set data.groups = none.");
    test_rows = hold_out(rows, fraction, RandomStream(seed, Purpose::test_rows));
  }

  // Moves the rows that are held out from `from` to the result.
  RowSet hold_out(RowSet& from, double fraction, RandomStream stream) const {
    enum Mark : std::uint8_t { none, left, held_out };
    const auto marks = std::make_shared<std::vector<std::uint8_t>>(static_cast<std::size_t>(data.rows), none);
    from.for_each([&](std::int64_t row) { (*marks)[static_cast<std::size_t>(row)] = left; });
    for (const std::int64_t row : holdout_rows(data, from, fraction, stream))
      (*marks)[static_cast<std::size_t>(row)] = held_out;
    from = RowSet::marked(marks, left);
    return RowSet::marked(marks, held_out);
  }

  // Throws RunError if one of the first splits has too few rows or groups for train.stop_fraction. Other splits are
  // checked when they are made.
  void require_rows_to_stop() {
    constexpr std::int64_t max_splits = 100;  // each reads all rows
    for (std::int64_t number = 0; number < std::min(different_repeats() * folds, max_splits); ++number) {
      Split split;
      set_folds(number / folds, number % folds, split);
      require_rows_to_stop(split.training_rows, number % folds);
    }
  }

  // Throws RunError unless stopping rows can be held out of these training rows, and others are left.
  void require_rows_to_stop(const RowSet& training_rows, std::int64_t fold) const {
    const std::string of_fold = folds > 1 ? fmt::format(" of fold {}", fold) : "";
    require(data.marks.kind != MarkKind::groups || groups_in(data.marks, training_rows) >= 2, [&] {
      return fmt::format(
          "No group can be held out for train.stop_fraction (all training rows{} are in one group). Hold "
          "out fewer validation rows, or set train.stop_fraction = 0 or data.groups = none.",
          of_fold);
    });
    const std::int64_t count = training_rows.count();
    require(holdout_count(count, stop_fraction) < count, [&] {
      return fmt::format(
          "No row is left to train on (train.stop_fraction = {} holds out {} of {}{}). Hold out fewer "
          "rows, or set train.stop_fraction = 0.",
          stop_fraction, holdout_count(count, stop_fraction), counted(count, "training row"), of_fold);
    });
  }

  // Whether validation rows are taken from `rows`.
  bool holds_out() const { return folds > 1 || validation > 0; }

  // Otherwise all repeats share their splits: the folds follow from the file, or no rows are held out.
  bool repeats_differ() const {
    const bool are_drawn = data.marks.kind == MarkKind::none || data.marks.kind == MarkKind::groups;
    return (holds_out() || stop_fraction > 0) && are_drawn;
  }

  std::int64_t different_repeats() const { return repeats_differ() ? repeats : 1; }

  std::int64_t count() const { return different_repeats() * folds; }

  // Whether a fold is the one after the last.
  bool has_all_rows(std::int64_t fold) const { return fold == folds; }

  RandomStream stream(Purpose purpose, std::int64_t repeat) const {
    return RandomStream(seed, purpose, static_cast<std::uint64_t>(repeat));
  }

  void assign(std::int64_t repeat, std::int32_t* numbers) const {
    std::fill_n(numbers, data.rows, std::int32_t{-1});
    if (folds > 1) {
      assign_folds(data, rows, folds, stream(Purpose::folds, repeat), numbers);
    } else {
      rows.for_each([&](std::int64_t row) { numbers[row] = 1; });
      for (const std::int64_t row : holdout_rows(data, rows, validation, stream(Purpose::holdout, repeat)))
        numbers[row] = 0;
    }
  }

  FoldNumbers fold_numbers(std::int64_t repeat) {
    if (node_folds && node_folds->has(repeat))
      return node_folds->get(repeat, [&](std::int32_t* numbers) { assign(repeat, numbers); });
    const auto own = own_folds.get(repeat, [&] {
      std::vector<std::int32_t> numbers(static_cast<std::size_t>(data.rows));
      assign(repeat, numbers.data());
      return numbers;
    });
    return {own, own->data()};
  }

  void set_rows(std::int64_t repeat, std::int64_t fold, Split& split) {
    if (has_all_rows(fold)) {
      split.training_rows = rows;
      return;
    }
    set_folds(repeat, fold, split);
    if (stop_fraction == 0) return;
    require_rows_to_stop(split.training_rows, fold);
    const auto number = static_cast<std::uint64_t>(repeat * folds + fold);
    split.stopping_rows =
        hold_out(split.training_rows, stop_fraction, RandomStream(seed, Purpose::stopping_rows, number));
  }

  // Without stopping rows.
  void set_folds(std::int64_t repeat, std::int64_t fold, Split& split) {
    split.training_rows = rows;
    split.validation_rows = RowSet::range(data.counts().validation_rows(), data.rows);
    if (!holds_out()) return;
    const FoldNumbers numbers = fold_numbers(repeat);
    const bool in_time = folds > 1 && data.marks.kind == MarkKind::times;
    const std::int64_t held_out = in_time ? fold + 1 : fold;
    split.training_rows = in_time ? RowSet::before_fold(numbers, data.rows, held_out)
                                  : RowSet::outside_fold(numbers, data.rows, held_out);
    split.validation_rows = RowSet::in_fold(numbers, data.rows, held_out);
  }

  Split make(std::int64_t repeat, std::int64_t fold) {
    Split split;
    set_rows(repeat, fold, split);
    if (normalizes_targets) split.target_scaling = target_scaling(data, split.training_rows);
    return split;
  }

  std::shared_ptr<const Split> split(std::int64_t repeat, std::int64_t fold) {
    return splits.get({repeat, fold}, [&] { return make(repeat, fold); });
  }

  FeatureScaling make_scaling(std::int64_t repeat, std::int64_t fold, ScalingKind kind) {
    const auto given = given_scalings.find(kind);
    const std::int64_t number = has_all_rows(fold) ? count() : repeat * folds + fold;
    if (given != given_scalings.end()) return given->second.at(static_cast<std::size_t>(number));
    return feature_scaling(data, split(repeat, fold)->training_rows, kind, sampled);
  }

  const DataSet data;
  const std::int64_t folds;
  const double validation, stop_fraction;
  const bool normalizes_targets;
  const std::uint64_t seed;
  const std::int64_t repeats;
  RowSet rows, test_rows;             // of folds and hold-outs; of data.test and data.test_file
  std::vector<std::int64_t> sampled;  // sampled_rows(), if they are needed
  SplitScalings given_scalings;       // set by scale_by(), for data without features
  std::optional<NodeFolds> node_folds;
  OnceCache<std::int64_t, std::vector<std::int32_t>> own_folds{2};
  OnceCache<std::tuple<std::int64_t, std::int64_t>, Split> splits;                          // by repeat and fold
  OnceCache<std::tuple<std::int64_t, std::int64_t, ScalingKind>, FeatureScaling> scalings;  // and by the kind
};

Splits::Splits(const Study& study, DataSet data) : state_(std::make_unique<State>(study, std::move(data))) {}

Splits::Splits(const Study& study, DataSet data, const Communicator& node) : Splits(study, std::move(data)) {
  State& state = *state_;
  if (state.holds_out())
    state.node_folds.emplace(state.data.rows, repeats_shared(state.different_repeats(), state.data.rows), node);
}

Splits::~Splits() = default;

void Splits::scale_by(SplitScalings scalings) {
  state_->given_scalings = std::move(scalings);
}

std::int64_t Splits::count() const {
  return state_->count();
}

void Splits::rows_of_split(std::int64_t repeat, std::int64_t fold, Split& split) {
  state_->set_rows(state_->repeats_differ() ? repeat : 0, fold, split);
}

const RowSet& Splits::test_rows() const {
  return state_->test_rows;
}

std::shared_ptr<const Split> Splits::split(std::int64_t repeat, std::int64_t fold) {
  return state_->split(state_->repeats_differ() ? repeat : 0, fold);
}

std::shared_ptr<const FeatureScaling> Splits::scaling(std::int64_t repeat, std::int64_t fold, ScalingKind kind) {
  if (!state_->repeats_differ()) repeat = 0;
  return state_->scalings.get({repeat, fold, kind}, [&] { return state_->make_scaling(repeat, fold, kind); });
}

}  // namespace sheaf
