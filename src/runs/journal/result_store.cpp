// SPDX-License-Identifier: MIT
#include "runs/journal/result_store.hpp"

#include <algorithm>
#include <cstring>
#include <limits>
#include <string_view>
#include <tuple>
#include <type_traits>
#include <utility>

#include "core/error.hpp"
#include "runs/journal/field_values.hpp"

namespace sheaf {
namespace {

constexpr std::size_t block_bytes = std::size_t{1} << 20;

// The beginning of a packed result. Its fields that are not those of a new result and its other parts follow, without
// gaps (for_each_part).
struct ResultHead {
  std::int64_t iteration;
  std::uint32_t size;   // of the whole packed result, in bytes
  std::uint32_t parts;  // bits: the number of a field, or a Part
};
static_assert(sizeof(ResultHead) == 16 && std::is_trivially_copyable_v<ResultHead>);
static_assert(std::is_trivially_copyable_v<PredictionsLocation>);

constexpr unsigned field_count = std::tuple_size_v<decltype(result_fields)>;

enum Part : std::uint32_t {
  reductions_part = 1U << 24U,
  result_part = 1U << 25U,        // is_result()
  large_counts_part = 1U << 26U,  // epochs and steps have 64 bits
  metrics_part = 1U << 27U,
  predictions_part = 1U << 28U,
  curve_part = 1U << 29U,
  message_part = 1U << 30U,
  values_part = 1U << 31U
};
static_assert(field_count <= 24);

bool fits_32_bits(std::int64_t count) {
  return count >= 0 && count <= std::int64_t{std::numeric_limits<std::uint32_t>::max()};
}

// Calls use(field, bit) for the stored fields of a result.
template <class Use>
void for_each_field_bit(const Use& use) {
  std::uint32_t bit = 1;
  for_each_stored(result_fields, [&](const auto& field) {
    use(field, bit);
    bit <<= 1U;
  });
}

std::uint32_t parts_of(const TrainedIteration& iteration, const PredictionsLocation& predictions) {
  const IterationResult& result = iteration.result;
  std::uint32_t parts = 0;
  for_each_field_bit([&](const auto& field, std::uint32_t bit) {
    if (is_default(result, field)) return;
    parts |= bit;
    if constexpr (std::is_same_v<typename std::decay_t<decltype(field)>::Value, std::int64_t>)
      if (!fits_32_bits(field.of(result))) parts |= large_counts_part;
  });
  if (is_result(result.status)) parts |= result_part;
  if (!iteration.metrics.empty()) parts |= metrics_part;
  if (!iteration.rate_reductions.empty()) parts |= reductions_part;
  if (predictions.bytes > 0) parts |= predictions_part;
  if (!iteration.epochs.empty()) parts |= curve_part;
  if (!iteration.message.empty()) parts |= message_part;
  if (!iteration.values.empty()) parts |= values_part;
  return parts;
}

// Calls put(bytes, size) for each part of a packed result after its head, in order.
template <class Put>
void for_each_part(std::uint32_t parts, const TrainedIteration& iteration, const PredictionsLocation& predictions,
                   std::uint32_t file, const Put& put) {
  const auto put_bytes = [&](const auto& value) { put(&value, sizeof value); };
  const auto put_value = [&](const auto& value) {
    using Value = std::decay_t<decltype(value)>;
    if constexpr (std::is_same_v<Value, double>) {
      put_bytes(unified(value));
    } else if constexpr (std::is_same_v<Value, EngineName>) {
      put_bytes(static_cast<std::uint8_t>(value.view().size()));
      put(value.view().data(), value.view().size());
    } else {
      put_bytes(value);
    }
  };
  put_bytes(file);
  for_each_field_bit([&](const auto& field, std::uint32_t bit) {
    if (!(parts & bit)) return;
    const auto& value = field.of(iteration.result);
    if constexpr (std::is_same_v<std::decay_t<decltype(value)>, std::int64_t>)
      if (!(parts & large_counts_part)) return put_bytes(static_cast<std::uint32_t>(value));
    put_value(value);
  });
  if (parts & metrics_part) {
    put_bytes(static_cast<std::uint32_t>(iteration.metrics.size()));
    for (const double value : iteration.metrics) put_value(value);
  }
  if (parts & reductions_part) {
    put_bytes(static_cast<std::uint32_t>(iteration.rate_reductions.size()));
    for (const std::int64_t epoch : iteration.rate_reductions) put_bytes(epoch);
  }
  if (parts & predictions_part) put_bytes(predictions);
  if (parts & curve_part) {
    put_bytes(static_cast<std::uint64_t>(iteration.epochs.size()));
    for (const EpochResult& epoch : iteration.epochs)
      for_each_stored(epoch_fields, [&](const auto& field) { put_value(field.of(epoch)); });
    for (const double value : iteration.epoch_metrics) put_value(value);
  }
  if (parts & message_part) {
    put_bytes(static_cast<std::uint64_t>(iteration.message.size()));
    put(iteration.message.data(), iteration.message.size());
  }
  if (parts & values_part) {
    put_bytes(static_cast<std::uint32_t>(iteration.values.size()));
    for (const std::string& value : iteration.values) {
      put_bytes(static_cast<std::uint32_t>(value.size()));
      put(value.data(), value.size());
    }
  }
}

ResultHead head_of(const TrainedIteration& iteration, const PredictionsLocation& predictions) {
  std::size_t size = sizeof(ResultHead);
  const std::uint32_t parts = parts_of(iteration, predictions);
  for_each_part(parts, iteration, predictions, 0, [&size](const void*, std::size_t bytes) { size += bytes; });
  require(size <= std::numeric_limits<std::uint32_t>::max(),
          "the result of an iteration is larger than 4 GiB. Set run.curves = false.");
  return {iteration.result.iteration, static_cast<std::uint32_t>(size), parts};
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

// Reads the parts of a packed result.
class PartReader {
 public:
  explicit PartReader(const std::byte* from) : from_(from) {}

  template <class Value>
  void get(Value& value) {
    if constexpr (std::is_same_v<Value, EngineName>) {
      const auto size = get<std::uint8_t>();
      value = std::string_view(reinterpret_cast<const char*>(from_), size);
      from_ += size;
    } else {
      static_assert(std::is_trivially_copyable_v<Value>);
      std::memcpy(&value, from_, sizeof value);
      from_ += sizeof value;
    }
  }

  template <class Value>
  Value get() {
    Value value{};
    get(value);
    return value;
  }

  std::string text(std::size_t size) {
    const std::byte* const begin = std::exchange(from_, from_ + size);
    return {reinterpret_cast<const char*>(begin), size};
  }

 private:
  const std::byte* from_;
};

}  // namespace

std::size_t PackedResult::size() const {
  return head_at(bytes_).size;
}

std::int64_t PackedResult::iteration() const {
  return head_at(bytes_).iteration;
}

bool PackedResult::has_result() const {
  return (head_at(bytes_).parts & result_part) != 0;
}

JournaledIteration PackedResult::unpack() const {
  const ResultHead head = head_at(bytes_);
  PartReader from(bytes_ + sizeof head);
  JournaledIteration iteration;
  TrainedIteration& trained = iteration.trained;
  trained.result.iteration = head.iteration;
  iteration.file = from.get<std::uint32_t>();
  for_each_field_bit([&](const auto& field, std::uint32_t bit) {
    if (!(head.parts & bit)) return;
    auto& value = field.in(trained.result);
    if constexpr (std::is_same_v<std::decay_t<decltype(value)>, std::int64_t>)
      if (!(head.parts & large_counts_part)) {
        value = std::int64_t{from.get<std::uint32_t>()};
        return;
      }
    from.get(value);
  });
  if (head.parts & metrics_part) {
    trained.metrics.resize(from.get<std::uint32_t>());
    for (double& value : trained.metrics) from.get(value);
  }
  if (head.parts & reductions_part) {
    trained.rate_reductions.resize(from.get<std::uint32_t>());
    for (std::int64_t& epoch : trained.rate_reductions) from.get(epoch);
  }
  if (head.parts & predictions_part) from.get(iteration.predictions);
  if (head.parts & curve_part) {
    trained.epochs.resize(from.get<std::uint64_t>());
    for (EpochResult& epoch : trained.epochs) {
      epoch.iteration = head.iteration;
      for_each_stored(epoch_fields, [&](const auto& field) { from.get(field.in(epoch)); });
    }
    trained.epoch_metrics.resize(trained.epochs.size() * trained.metrics.size());
    for (double& value : trained.epoch_metrics) from.get(value);
  }
  if (head.parts & message_part) trained.message = from.text(from.get<std::uint64_t>());
  if (head.parts & values_part) {
    trained.values.resize(from.get<std::uint32_t>());
    for (std::string& value : trained.values) value = from.text(from.get<std::uint32_t>());
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
