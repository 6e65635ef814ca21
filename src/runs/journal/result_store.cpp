// SPDX-License-Identifier: MIT
#include "runs/journal/result_store.hpp"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <limits>
#include <string_view>
#include <tuple>
#include <type_traits>

namespace sheaf {
namespace {

constexpr std::size_t block_bytes = std::size_t{1} << 20;

// The beginning of a packed result. Its parts follow (for_each_part).
struct ResultHead {
  std::uint64_t size;  // of the whole packed result, in bytes
  std::int64_t iteration;
  std::int32_t rank;
  std::uint16_t parts;  // bits of Part
  std::uint8_t status;
  std::uint8_t engine_bytes;
};
static_assert(sizeof(ResultHead) == 24 && std::is_trivially_copyable_v<ResultHead>);
static_assert(sizeof(IterationResult) == 104);  // a new member must also be packed and unpacked
static_assert(ShortText::max_bytes <= 255 && std::is_trivially_copyable_v<PredictionsLocation>);

// Parts that most results do not have.
enum Part : std::uint16_t {
  gpu_part = 1,
  validation_loss_part = 2,
  validation_score_part = 4,
  wait_part = 8,
  large_counts_part = 16,  // numbers of epochs and steps that need 64 bits
  predictions_part = 32,
  curve_part = 64,
  message_part = 128
};

bool fits_32_bits(std::int64_t count) {
  return count >= 0 && count <= std::int64_t{std::numeric_limits<std::uint32_t>::max()};
}

std::uint16_t parts_of(const TrainedIteration& iteration, const PredictionsLocation& predictions) {
  const IterationResult& result = iteration.result;
  unsigned parts = 0;
  if (result.gpu != -1) parts |= gpu_part;
  if (!std::isnan(result.validation_loss)) parts |= validation_loss_part;
  if (!std::isnan(result.validation_score)) parts |= validation_score_part;
  if (result.wait_seconds != 0 || std::signbit(result.wait_seconds)) parts |= wait_part;
  if (!fits_32_bits(result.epochs) || !fits_32_bits(result.steps)) parts |= large_counts_part;
  if (predictions.bytes > 0) parts |= predictions_part;
  if (!iteration.epochs.empty()) parts |= curve_part;
  if (!iteration.message.empty()) parts |= message_part;
  return static_cast<std::uint16_t>(parts);
}

// Journals do not store the sign and payload of a NaN. Results from memory must not differ from replayed ones.
double unified(double value) {
  return std::isnan(value) ? std::numeric_limits<double>::quiet_NaN() : value;
}

// Calls put(bytes, size) for each part of a packed result after its head, in order.
template <class Put>
void for_each_part(unsigned parts, const TrainedIteration& iteration, const PredictionsLocation& predictions,
                   std::uint32_t file, const Put& put) {
  const IterationResult& result = iteration.result;
  const auto put_value = [&](const auto& value) { put(&value, sizeof value); };
  put_value(file);
  put_value(result.lane);
  put_value(unified(result.final_loss));
  put_value(result.seconds);
  put_value(result.start_seconds);
  if (parts & large_counts_part) {
    put_value(result.epochs);
    put_value(result.steps);
  } else {
    put_value(static_cast<std::uint32_t>(result.epochs));
    put_value(static_cast<std::uint32_t>(result.steps));
  }
  put(result.engine.view().data(), result.engine.view().size());
  if (parts & gpu_part) put_value(result.gpu);
  if (parts & validation_loss_part) put_value(result.validation_loss);
  if (parts & validation_score_part) put_value(result.validation_score);
  if (parts & wait_part) put_value(result.wait_seconds);
  if (parts & predictions_part) put_value(predictions);
  if (parts & curve_part) {
    put_value(iteration.epochs.size());
    for (EpochResult epoch : iteration.epochs) {
      for (double* value : {&epoch.training_loss, &epoch.validation_loss, &epoch.validation_score})
        *value = unified(*value);
      put_value(epoch);
    }
  }
  if (parts & message_part) {
    put_value(iteration.message.size());
    put(iteration.message.data(), iteration.message.size());
  }
}

ResultHead head_of(const TrainedIteration& iteration, const PredictionsLocation& predictions) {
  const IterationResult& result = iteration.result;
  ResultHead head{sizeof(ResultHead),
                  result.iteration,
                  result.rank,
                  parts_of(iteration, predictions),
                  static_cast<std::uint8_t>(result.status),
                  static_cast<std::uint8_t>(result.engine.view().size())};
  for_each_part(head.parts, iteration, predictions, 0, [&head](const void*, std::size_t size) { head.size += size; });
  return head;
}

// Writes head.size bytes.
void write_packed(const ResultHead& head, const TrainedIteration& iteration, const PredictionsLocation& predictions,
                  std::size_t file, std::byte* to) {
  const auto put = [&to](const void* from, std::size_t size) {
    if (size > 0) std::memcpy(to, from, size);
    to += size;
  };
  put(&head, sizeof head);
  for_each_part(head.parts, iteration, predictions, static_cast<std::uint32_t>(file), put);
}

ResultHead head_at(const std::byte* bytes) {
  ResultHead head;
  std::memcpy(&head, bytes, sizeof head);
  return head;
}

}  // namespace

std::size_t PackedResult::size() const {
  return head_at(bytes_).size;
}

std::int64_t PackedResult::iteration() const {
  return head_at(bytes_).iteration;
}

bool PackedResult::has_result() const {
  return static_cast<IterationStatus>(head_at(bytes_).status) != IterationStatus::failed;
}

JournaledIteration PackedResult::unpack() const {
  const ResultHead head = head_at(bytes_);
  const std::byte* from = bytes_ + sizeof head;
  const auto get = [&from](void* to, std::size_t size) {
    if (size > 0) std::memcpy(to, from, size);
    from += size;
  };
  const auto get_value = [&](auto& value) { get(&value, sizeof value); };
  const auto get_count = [&] {
    std::uint32_t count = 0;
    get_value(count);
    return std::int64_t{count};
  };
  JournaledIteration iteration;
  IterationResult& result = iteration.trained.result;
  result.iteration = head.iteration;
  result.rank = head.rank;
  result.status = static_cast<IterationStatus>(head.status);
  iteration.file = static_cast<std::size_t>(get_count());
  get_value(result.lane);
  get_value(result.final_loss);
  get_value(result.seconds);
  get_value(result.start_seconds);
  if (head.parts & large_counts_part) {
    get_value(result.epochs);
    get_value(result.steps);
  } else {
    result.epochs = get_count();
    result.steps = get_count();
  }
  result.engine = std::string_view(reinterpret_cast<const char*>(from), head.engine_bytes);
  from += head.engine_bytes;
  if (head.parts & gpu_part) get_value(result.gpu);
  if (head.parts & validation_loss_part) get_value(result.validation_loss);
  if (head.parts & validation_score_part) get_value(result.validation_score);
  if (head.parts & wait_part) get_value(result.wait_seconds);
  if (head.parts & predictions_part) get_value(iteration.predictions);
  std::size_t size = 0;
  if (head.parts & curve_part) {
    get_value(size);
    iteration.trained.epochs.resize(size);
    get(iteration.trained.epochs.data(), size * sizeof(EpochResult));
  }
  if (head.parts & message_part) {
    get_value(size);
    iteration.trained.message.resize(size);
    get(iteration.trained.message.data(), size);
  }
  return iteration;
}

void pack_result(const TrainedIteration& iteration, const PredictionsLocation& predictions, std::size_t file,
                 std::vector<std::byte>& bytes) {
  const ResultHead head = head_of(iteration, predictions);
  const std::size_t before = bytes.size();
  bytes.resize(before + head.size);
  write_packed(head, iteration, predictions, file, bytes.data() + before);
}

std::byte* ResultStore::allocate(std::size_t bytes) {
  if (blocks_.empty() || bytes > blocks_.back().size - blocks_.back().used) {
    const std::size_t size = std::max(bytes, block_bytes);
    blocks_.push_back({std::unique_ptr<std::byte[]>(new std::byte[size]), size, 0});  // not zeroed
  }
  Block& block = blocks_.back();
  std::byte* const memory = block.memory.get() + block.used;
  block.used += bytes;
  ++count_;
  return memory;
}

void ResultStore::append(const TrainedIteration& iteration, const PredictionsLocation& predictions, std::size_t file) {
  const ResultHead head = head_of(iteration, predictions);
  write_packed(head, iteration, predictions, file, allocate(head.size));
}

void ResultStore::append(PackedResult result) {
  const std::size_t size = result.size();
  std::memcpy(allocate(size), result.data(), size);
}

void ResultStore::settle() {
  index_ = {};  // freed first, since the new index may be as large
  index_.reserve(count_);
  for (std::size_t block = 0; block < blocks_.size(); ++block) {
    const std::byte* const memory = blocks_[block].memory.get();
    for (std::size_t offset = 0; offset < blocks_[block].used; offset += PackedResult(memory + offset).size())
      index_.push_back({PackedResult(memory + offset).iteration(), static_cast<std::uint32_t>(block),
                        static_cast<std::uint32_t>(offset)});
  }
  const auto is_before = [](const Entry& a, const Entry& b) {
    return std::tie(a.iteration, a.block, a.offset) < std::tie(b.iteration, b.block, b.offset);
  };
  if (!std::is_sorted(index_.begin(), index_.end(), is_before)) std::sort(index_.begin(), index_.end(), is_before);
  std::size_t kept = 0;
  for (const Entry& entry : index_) {
    if (kept == 0 || index_[kept - 1].iteration != entry.iteration)
      index_[kept++] = entry;
    else if (at(index_[kept - 1]).is_replaceable())
      index_[kept - 1] = entry;
  }
  index_.resize(kept);
}

std::int64_t ResultStore::count_results(IndexRange iterations) const {
  const IndexRange positions = positions_of(iterations);
  return std::count_if(index_.begin() + positions.begin, index_.begin() + positions.end,
                       [this](const Entry& entry) { return at(entry).has_result(); });
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
