// SPDX-License-Identifier: MIT
#include "study/stage.hpp"

#include <cstddef>
#include <utility>

namespace sheaf {
namespace {

constexpr std::int64_t own_epochs = -1;

}  // namespace

std::int64_t Stage::trial_count() const {
  std::int64_t count = 0;
  for (const IndexRange& range : trials) count += range.count();
  return count;
}

bool Stage::operator==(const Stage& other) const {
  return number == other.number && trials == other.trials && repeats == other.repeats && folds == other.folds &&
         members == other.members && epochs == other.epochs;
}

std::vector<std::int64_t> packed(const std::vector<Stage>& stages) {
  std::vector<std::int64_t> numbers;
  for (const Stage& stage : stages) {
    numbers.insert(numbers.end(), {stage.number, stage.repeats, stage.folds, stage.members,
                                   stage.epochs.value_or(own_epochs), static_cast<std::int64_t>(stage.trials.size())});
    for (const IndexRange& range : stage.trials) numbers.insert(numbers.end(), {range.begin, range.end});
  }
  return numbers;
}

std::vector<Stage> unpacked_stages(const std::vector<std::int64_t>& numbers) {
  std::vector<Stage> stages;
  for (std::size_t position = 0; position < numbers.size();) {
    const auto take = [&] { return numbers[position++]; };
    Stage stage;
    stage.number = take();
    stage.repeats = take();
    stage.folds = take();
    stage.members = take();
    if (const std::int64_t epochs = take(); epochs != own_epochs) stage.epochs = epochs;
    for (std::int64_t ranges = take(); ranges > 0; --ranges) {
      const std::int64_t begin = take();
      stage.trials.push_back({begin, take()});
    }
    stages.push_back(std::move(stage));
  }
  return stages;
}

}  // namespace sheaf
