// SPDX-License-Identifier: MIT
#include "data/stream/stream_scaling.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <memory>

#include "core/error.hpp"
#include "core/interruption.hpp"
#include "core/parallel.hpp"
#include "data/feature_reader.hpp"
#include "data/node_data.hpp"
#include "data/storage.hpp"
#include "parallel/mpi/agreement.hpp"

namespace sheaf {
namespace {

// The file in so many parts, whatever the number of threads and ranks: each is summed up by itself.
constexpr std::int64_t most_parts = 64;
constexpr std::int64_t most_splits = 1000;

// Source: Chan, Golub and LeVeque, The American Statistician 37 (1983).
void combine(const FeatureSummary& more, FeatureSummary& sum) {
  if (more.count == 0) return;
  const double count = sum.count + more.count, distance = more.mean - sum.mean;
  sum.squares += more.squares + distance * distance * (sum.count / count * more.count);
  sum.mean += distance * (more.count / count);
  sum.count = count;
  sum.least = std::min(sum.least, more.least);
  sum.greatest = std::max(sum.greatest, more.greatest);
}

// Of all features of the rows at `places` in `values`: two passes over rows that lie in the cache.
template <class Value>
void add_rows(const Value* values, std::int64_t width, const std::vector<std::int64_t>& places, FeatureSummary* sums) {
  std::vector<FeatureSummary> found(static_cast<std::size_t>(width));
  const auto visit = [&](auto use) {
    for (const std::int64_t place : places)
      for (std::int64_t feature = 0; feature < width; ++feature)
        use(found[static_cast<std::size_t>(feature)], static_cast<float>(values[place * width + feature]));
  };
  visit([](FeatureSummary& moments, float value) {
    moments.mean += double{value};
    moments.least = std::min(moments.least, value);
    moments.greatest = std::max(moments.greatest, value);
  });
  for (auto& moments : found) {
    moments.count = static_cast<double>(places.size());
    moments.mean /= moments.count;
  }
  visit([](FeatureSummary& moments, float value) {
    const double deviation = double{value} - moments.mean;
    moments.squares += deviation * deviation;
  });
  for (std::int64_t feature = 0; feature < width; ++feature)
    combine(found[static_cast<std::size_t>(feature)], sums[feature]);
}

// Sums up parts of the file for all splits.
class PartReader {
 public:
  PartReader(const FeatureReader& reader, const RowShape& shape,
             const std::vector<std::shared_ptr<const Split>>& splits)
      : reader_(reader), shape_(shape), splits_(splits) {}

  // [splits, features]
  void sum_up(IndexRange blocks, FeatureSummary* sums) {
    for (std::int64_t number = blocks.begin; number < blocks.end; ++number) {
      leave_if_interrupted();
      const IndexRange rows = reader_.block(number);
      values_.resize(static_cast<std::size_t>(rows.count() * feature_bytes(shape_)));
      reader_.read(rows, values_.data(), buffers_);
      for (std::size_t split = 0; split < splits_.size(); ++split)
        add_block(rows, splits_[split]->training_rows, sums + static_cast<std::int64_t>(split) * shape_.feature_count);
    }
  }

 private:
  void add_block(IndexRange rows, const RowSet& wanted, FeatureSummary* sums) {
    places_.clear();
    wanted.for_each(rows, [&](std::int64_t row) { places_.push_back(row - rows.begin); });
    if (places_.empty()) return;
    if (shape_.byte_features)
      add_rows(reinterpret_cast<const std::uint8_t*>(values_.data()), shape_.feature_count, places_, sums);
    else
      add_rows(reinterpret_cast<const float*>(values_.data()), shape_.feature_count, places_, sums);
  }

  const FeatureReader& reader_;
  const RowShape& shape_;
  const std::vector<std::shared_ptr<const Split>>& splits_;
  FeatureReader::Buffers buffers_;
  std::vector<std::byte> values_;
  std::vector<std::int64_t> places_;
};

}  // namespace

std::vector<FeatureScaling> streamed_scalings(const Study& study, const FileSchema& schema, Splits& all,
                                              std::int64_t threads, const Communicator& world) {
  if (study.data.normalize == Normalize::none) return {};
  std::vector<std::shared_ptr<const Split>> splits;
  const RowShape shape = row_shape(schema, study.data.task);
  std::vector<FeatureSummary> mine;
  agree(world, [&] {
    if (all.count() > most_splits)
      throw UsageError(
          fmt::format("data.normalize of streamed data takes at most {} splits (folds times repeats are {}). "
                      "Normalize the file beforehand, or set data.mode = memory.",
                      most_splits, all.count()));
    const std::int64_t folds = std::max<std::int64_t>(1, study.search.folds);
    for (std::int64_t split = 0; split < all.count(); ++split)
      splits.push_back(all.split(split / folds, split % folds));
    const FeatureReader reader(study.data, schema);
    const std::int64_t parts = std::min(most_parts, reader.block_count());
    const auto part_size = static_cast<std::size_t>(all.count() * shape.feature_count);
    const IndexRange share = split_evenly(parts, world.size(), world.rank());
    mine.resize(static_cast<std::size_t>(share.count()) * part_size);
    for_each_index(share, threads, [&]() -> IndexWork {
      auto part_reader = std::make_shared<PartReader>(reader, shape, splits);
      return [&, part_reader](std::int64_t part) {
        part_reader->sum_up(split_evenly(reader.block_count(), parts, part),
                            mine.data() + static_cast<std::size_t>(part - share.begin) * part_size);
      };
    });
  });
  const std::vector<FeatureSummary> parts = world.all_gather(mine);
  const std::size_t part_size = splits.size() * static_cast<std::size_t>(shape.feature_count);
  std::vector<FeatureSummary> sums(part_size);
  for (std::size_t place = 0; place < parts.size(); ++place) combine(parts[place], sums[place % part_size]);
  std::vector<FeatureScaling> scalings;
  for (std::size_t split = 0; split < splits.size(); ++split)
    scalings.push_back(scaling_from(sums.data() + split * static_cast<std::size_t>(shape.feature_count),
                                    shape.feature_count, study.data.normalize));
  return scalings;
}

}  // namespace sheaf
