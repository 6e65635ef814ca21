// SPDX-License-Identifier: MIT
#include "runs/journal/result_store.hpp"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <limits>
#include <type_traits>

namespace sheaf {
namespace {

constexpr std::size_t block_bytes = std::size_t{1} << 20;

// The fixed part of a result. It is followed by the location of the predictions, if any, the epochs and the message.
struct ResultHead {
  IterationResult result;
  std::uint64_t has_predictions : 1;
  std::uint64_t epochs : 63;
  std::uint32_t file;
  std::uint32_t message_bytes;

  std::size_t size() const {
    return sizeof(ResultHead) + has_predictions * sizeof(PredictionsLocation) + epochs * sizeof(EpochResult) +
           message_bytes;
  }
};
static_assert(sizeof(ResultHead) == 120);
static_assert(std::is_trivially_copyable_v<ResultHead> && std::is_trivially_copyable_v<PredictionsLocation>);

// Journals do not store the sign and payload of a NaN. Results from memory must not differ from replayed ones.
void unify_nan(double& value) {
  if (std::isnan(value)) value = std::numeric_limits<double>::quiet_NaN();
}

ResultHead head_at(const std::byte* bytes) {
  ResultHead head;
  std::memcpy(&head, bytes, sizeof head);
  return head;
}

void put(std::byte*& to, const void* from, std::size_t bytes) {
  if (bytes > 0) std::memcpy(to, from, bytes);
  to += bytes;
}

void get(void* to, const std::byte*& from, std::size_t bytes) {
  if (bytes > 0) std::memcpy(to, from, bytes);
  from += bytes;
}

}  // namespace

std::size_t PackedResult::size() const {
  return head_at(bytes_).size();
}

std::int64_t PackedResult::iteration() const {
  return head_at(bytes_).result.iteration;
}

bool PackedResult::has_result() const {
  return head_at(bytes_).result.status != IterationStatus::failed;
}

JournaledIteration PackedResult::unpack() const {
  const ResultHead head = head_at(bytes_);
  const std::byte* from = bytes_ + sizeof head;
  JournaledIteration iteration;
  iteration.trained.result = head.result;
  iteration.file = head.file;
  if (head.has_predictions) get(&iteration.predictions, from, sizeof iteration.predictions);
  iteration.trained.epochs.resize(head.epochs);
  get(iteration.trained.epochs.data(), from, head.epochs * sizeof(EpochResult));
  iteration.trained.message.resize(head.message_bytes);
  get(iteration.trained.message.data(), from, head.message_bytes);
  return iteration;
}

std::byte* ResultStore::allocate(std::size_t bytes) {
  if (bytes > free_bytes_) {
    const std::size_t size = std::max(bytes, block_bytes);
    blocks_.emplace_back(new std::byte[size]);  // not zeroed
    free_ = blocks_.back().get();
    free_bytes_ = size;
  }
  std::byte* const memory = free_;
  free_ += bytes;
  free_bytes_ -= bytes;
  return memory;
}

void ResultStore::append(const TrainedIteration& iteration, const PredictionsLocation& predictions, std::size_t file) {
  ResultHead head;
  head.result = iteration.result;
  for (double* value : {&head.result.final_loss, &head.result.validation_loss, &head.result.validation_score})
    unify_nan(*value);
  head.file = static_cast<std::uint32_t>(file);
  head.has_predictions = predictions.bytes > 0;
  head.epochs = iteration.epochs.size() & (~std::uint64_t{0} >> 1);
  head.message_bytes = static_cast<std::uint32_t>(iteration.message.size());
  std::byte* const memory = allocate(head.size());
  std::byte* to = memory;
  put(to, &head, sizeof head);
  if (head.has_predictions) put(to, &predictions, sizeof predictions);
  for (EpochResult epoch : iteration.epochs) {
    for (double* value : {&epoch.training_loss, &epoch.validation_loss, &epoch.validation_score}) unify_nan(*value);
    put(to, &epoch, sizeof epoch);
  }
  put(to, iteration.message.data(), head.message_bytes);
  index_.push_back({iteration.result.iteration, memory});
}

void ResultStore::settle() {
  std::stable_sort(index_.begin(), index_.end(),
                   [](const Entry& a, const Entry& b) { return a.iteration < b.iteration; });
  std::size_t kept = 0;
  for (const Entry& entry : index_) {
    if (kept == 0 || index_[kept - 1].iteration != entry.iteration)
      index_[kept++] = entry;
    else if (PackedResult(index_[kept - 1].at).is_replaceable())
      index_[kept - 1] = entry;
  }
  index_.resize(kept);
}

std::int64_t ResultStore::count_results(IndexRange iterations) const {
  const IndexRange positions = positions_of(iterations);
  return std::count_if(index_.begin() + positions.begin, index_.begin() + positions.end,
                       [](const Entry& entry) { return PackedResult(entry.at).has_result(); });
}

IndexRange ResultStore::positions_of(IndexRange iterations) const {
  const auto position_of = [this](std::int64_t iteration) {
    const auto found = std::lower_bound(index_.begin(), index_.end(), iteration,
                                        [](const Entry& entry, std::int64_t it) { return entry.iteration < it; });
    return static_cast<std::int64_t>(found - index_.begin());
  };
  return {position_of(iterations.begin), position_of(iterations.end)};
}

std::int64_t ResultStore::bytes_of(IndexRange iterations) const {
  std::int64_t bytes = 0;
  const IndexRange positions = positions_of(iterations);
  for (std::int64_t position = positions.begin; position < positions.end; ++position)
    bytes += static_cast<std::int64_t>(packed(static_cast<std::size_t>(position)).size());
  return bytes;
}

}  // namespace sheaf
