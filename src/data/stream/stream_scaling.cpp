// SPDX-License-Identifier: MIT
#include "data/stream/stream_scaling.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <memory>

#include "core/error.hpp"
#include "core/interruption.hpp"
#include "core/parallel.hpp"
#include "data/feature_reader.hpp"
#include "data/moments.hpp"
#include "data/node_data.hpp"
#include "data/storage.hpp"
#include "parallel/mpi/agreement.hpp"
#include "study/settings.hpp"

namespace sheaf {
namespace {

// The file is divided into this number of parts, each with its own sums, so that results do not depend on the number of
// threads and ranks.
constexpr std::int64_t max_parts = 64;
constexpr std::int64_t max_splits = 1000;

// Computes the moments of parts of the file for all splits.
class PartReader {
 public:
  PartReader(const FeatureReader& reader, const RowShape& shape,
             const std::vector<std::shared_ptr<const Split>>& splits)
      : reader_(reader), shape_(shape), splits_(splits) {}

  // Returns the moments of each split over the given blocks. Appends every `stride`-th row of the file to `sample`; 0:
  // none.
  std::vector<FeatureMoments> sum_up(IndexRange blocks, std::int64_t stride, std::vector<float>& sample) {
    std::vector<FeatureMoments> sums(splits_.size(), FeatureMoments(shape_.feature_count));
    for (std::int64_t number = blocks.begin; number < blocks.end; ++number) {
      leave_if_interrupted();
      const IndexRange rows = reader_.block(number);
      values_.resize(static_cast<std::size_t>(rows.count() * feature_bytes(shape_)));
      reader_.read(rows, values_.data(), buffers_);
      for (std::size_t split = 0; split < splits_.size(); ++split)
        add_block(rows, splits_[split]->training_rows, sums[split]);
      if (stride > 0) add_to_sample(rows, stride, sample);
    }
    return sums;
  }

 private:
  void add_block(IndexRange rows, const RowSet& wanted, FeatureMoments& sums) {
    places_.clear();
    wanted.for_each(rows, [&](std::int64_t row) { places_.push_back(row - rows.begin); });
    if (shape_.byte_features)
      sums.add(reinterpret_cast<const std::uint8_t*>(values_.data()), places_);
    else
      sums.add(reinterpret_cast<const float*>(values_.data()), places_);
  }

  void add_to_sample(IndexRange rows, std::int64_t stride, std::vector<float>& sample) const {
    const std::int64_t width = shape_.feature_count;
    for (std::int64_t row = (rows.begin + stride - 1) / stride * stride; row < rows.end; row += stride) {
      const std::int64_t first = (row - rows.begin) * width;
      if (shape_.byte_features) {
        const auto* values = reinterpret_cast<const std::uint8_t*>(values_.data()) + first;
        sample.insert(sample.end(), values, values + width);
      } else {
        const auto* values = reinterpret_cast<const float*>(values_.data()) + first;
        sample.insert(sample.end(), values, values + width);
      }
    }
  }

  const FeatureReader& reader_;
  const RowShape& shape_;
  const std::vector<std::shared_ptr<const Split>>& splits_;
  FeatureReader::Buffers buffers_;
  std::vector<std::byte> values_;
  std::vector<std::int64_t> places_;
};

// The rows of a split in `sample`, which has every `stride`-th row of the file.
std::vector<float> sample_of(const Split& split, const std::vector<float>& sample, std::int64_t stride,
                             std::int64_t width) {
  std::vector<float> values;
  if (stride == 0) return values;
  split.training_rows.for_each([&](std::int64_t row) {
    if (row % stride != 0) return;
    const auto first = sample.begin() + row / stride * width;
    values.insert(values.end(), first, first + width);
  });
  return values;
}

}  // namespace

std::vector<FeatureScaling> streamed_scalings(const Study& study, const FileSchema& schema, Splits& all,
                                              std::int64_t threads, const Communicator& world) {
  if (study.data.normalize == Normalize::none) return {};
  std::vector<std::shared_ptr<const Split>> splits;
  const RowShape shape = row_shape(schema, study.data.task);
  // Row counts and FeatureMoments::numbers() for each part and split.
  const auto size = static_cast<std::size_t>(4 * shape.feature_count);
  std::vector<std::int64_t> counts;
  std::vector<double> numbers;
  const std::int64_t stride =
      study.data.normalize == Normalize::robust ? sample_stride(schema.rows, shape.feature_count) : 0;
  std::vector<std::vector<float>> samples;  // of each part
  agree(world, [&] {
    if (all.count() > max_splits)
      throw UsageError(fmt::format(
          "data.normalize = {} supports at most {} splits of streamed data (study.iterations, search.repeats "
          "and search.folds make {}). Reduce them, set data.validation = 0 if there are no folds, or set "
          "data.normalize = none.",
          setting_text(study, "data.normalize"), max_splits, all.count()));
    const std::int64_t folds = std::max<std::int64_t>(1, study.search.folds);
    for (std::int64_t split = 0; split < all.count(); ++split)
      splits.push_back(all.split(split / folds, split % folds));
    const FeatureReader reader(study.data, schema);
    const std::int64_t parts = std::min(max_parts, reader.block_count());
    const IndexRange share = split_evenly(parts, world.size(), world.rank());
    counts.resize(static_cast<std::size_t>(share.count()) * splits.size());
    numbers.resize(counts.size() * size);
    samples.resize(static_cast<std::size_t>(share.count()));
    for_each_index(share, threads, [&]() -> IndexWork {
      auto part_reader = std::make_shared<PartReader>(reader, shape, splits);
      return [&, part_reader](std::int64_t part) {
        auto place = static_cast<std::size_t>(part - share.begin) * splits.size();
        const IndexRange blocks = split_evenly(reader.block_count(), parts, part);
        auto& sample = samples[static_cast<std::size_t>(part - share.begin)];
        for (const FeatureMoments& sums : part_reader->sum_up(blocks, stride, sample)) {
          counts[place] = sums.count();
          std::copy(sums.numbers().begin(), sums.numbers().end(),
                    numbers.begin() + static_cast<std::ptrdiff_t>(place * size));
          ++place;
        }
      };
    });
  });
  const std::vector<std::int64_t> all_counts = world.all_gather(counts);
  const std::vector<double> all_numbers = world.all_gather(numbers);
  std::vector<float> own_sample;
  for (const auto& sample : samples) own_sample.insert(own_sample.end(), sample.begin(), sample.end());
  const std::vector<float> sample = world.all_gather(own_sample);
  std::vector<FeatureMoments> sums(splits.size(), FeatureMoments(shape.feature_count));
  for (std::size_t place = 0; place < all_counts.size(); ++place) {
    const auto first = all_numbers.begin() + static_cast<std::ptrdiff_t>(place * size);
    sums[place % splits.size()].join(
        FeatureMoments::of_numbers({first, first + static_cast<std::ptrdiff_t>(size)}, all_counts[place]));
  }
  std::vector<FeatureScaling> scalings;
  for (std::size_t split = 0; split < splits.size(); ++split)
    scalings.push_back(feature_scaling(sums[split], sample_of(*splits[split], sample, stride, shape.feature_count),
                                       study.data.normalize));
  return scalings;
}

}  // namespace sheaf
