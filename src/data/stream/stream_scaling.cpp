// SPDX-License-Identifier: MIT
#include "data/stream/stream_scaling.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <memory>
#include <set>
#include <utility>

#include "core/error.hpp"
#include "core/interruption.hpp"
#include "core/parallel.hpp"
#include "data/column_encoding.hpp"
#include "data/feature_reader.hpp"
#include "data/moments.hpp"
#include "data/node_data.hpp"
#include "data/row_sample.hpp"
#include "data/split_scaling.hpp"
#include "data/storage.hpp"
#include "parallel/mpi/agreement.hpp"
#include "study/combinations.hpp"
#include "study/settings.hpp"
#include "study/settings_table.hpp"

namespace sheaf {
namespace {

// The file is divided into this number of parts, each with its own sums, so that results do not depend on the number of
// threads and ranks.
constexpr std::int64_t max_parts = 64;
constexpr std::int64_t max_splits = 1000;

// The results of a part of the file.
struct Part {
  std::vector<double> numbers;            // FeatureMoments::numbers() of each split
  std::vector<float> sample;              // the sampled rows
  std::vector<std::int64_t> empty_cells;  // of each feature
};

// Computes the results of parts of the file for all splits.
class PartReader {
 public:
  PartReader(const FeatureReader& reader, const RowShape& shape,
             const std::vector<std::shared_ptr<const Split>>& splits, const std::vector<std::int64_t>& sampled)
      : reader_(reader), shape_(shape), splits_(splits), sampled_(sampled) {}

  Part sum_up(IndexRange blocks) {
    Part part;
    part.empty_cells.resize(static_cast<std::size_t>(shape_.feature_count));
    std::vector<FeatureMoments> sums(splits_.size(), FeatureMoments(shape_.feature_count));
    for (std::int64_t number = blocks.begin; number < blocks.end; ++number) {
      leave_if_interrupted();
      const IndexRange rows = reader_.block(number);
      values_.resize(static_cast<std::size_t>(rows.count() * feature_bytes(shape_)));
      if (reader_.read(rows, values_.data(), buffers_) > 0)
        count_empty_cells(reinterpret_cast<const float*>(values_.data()), rows.count(), part.empty_cells);
      for (std::size_t split = 0; split < splits_.size(); ++split)
        add_block(rows, splits_[split]->training_rows, sums[split]);
      add_to_sample(rows, part.sample);
    }
    for (const FeatureMoments& moments : sums)
      part.numbers.insert(part.numbers.end(), moments.numbers().begin(), moments.numbers().end());
    return part;
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

  template <class Value>
  void add_rows(const Value* values, IndexRange rows, std::vector<float>& sample) const {
    const std::int64_t width = shape_.feature_count;
    for (auto row = std::lower_bound(sampled_.begin(), sampled_.end(), rows.begin);
         row != sampled_.end() && *row < rows.end; ++row) {
      const Value* first = values + (*row - rows.begin) * width;
      sample.insert(sample.end(), first, first + width);
    }
  }

  void add_to_sample(IndexRange rows, std::vector<float>& sample) const {
    if (shape_.byte_features)
      add_rows(reinterpret_cast<const std::uint8_t*>(values_.data()), rows, sample);
    else
      add_rows(reinterpret_cast<const float*>(values_.data()), rows, sample);
  }

  const FeatureReader& reader_;
  const RowShape& shape_;
  const std::vector<std::shared_ptr<const Split>>& splits_;
  const std::vector<std::int64_t>& sampled_;
  FeatureReader::Buffers buffers_;
  std::vector<std::byte> values_;
  std::vector<std::int64_t> places_;
};

// The training rows of a split in `sample`, which has the values of the rows `sampled`.
std::vector<float> sample_of(const Split& split, const std::vector<std::int64_t>& sampled,
                             const std::vector<float>& sample, std::int64_t width) {
  std::vector<float> values;
  for_each_sampled(sampled, split.training_rows, [&](std::size_t place) {
    const auto first = sample.begin() + static_cast<std::ptrdiff_t>(place) * width;
    values.insert(values.end(), first, first + width);
  });
  return values;
}

std::vector<std::shared_ptr<const Split>> all_splits(const Study& study, Splits& all) {
  std::vector<std::shared_ptr<const Split>> splits;
  const std::int64_t folds = std::max<std::int64_t>(1, study.search.folds);
  for (std::int64_t split = 0; split < all.count(); ++split) splits.push_back(all.split(split / folds, split % folds));
  if (study.run.refit) splits.push_back(all.split(0, folds));
  return splits;
}

// Each split has values of its own, so their number is limited.
void require_few_splits(const Study& study, const Splits& all) {
  if (all.count() <= max_splits) return;
  std::string problem = "the empty cells of streamed data can be filled for",
              advice = "import the data with --missing=0";
  for (const char* key : {"model.embedding", "data.normalize"}) {
    const std::string value = setting_text(study, key);
    if (!is_searched(study, key) && value == "none") continue;
    problem =
        is_searched(study, key) ? fmt::format("search.{} supports", key) : fmt::format("{} = {} supports", key, value);
    advice = fmt::format("set {} = none", key);
  }
  throw UsageError(fmt::format(
      "{} at most {} splits of streamed data (study.iterations, search.repeats and search.folds make {}). Reduce them, "
      "set data.validation = 0 if there are no folds, or {}.",
      problem, max_splits, all.count(), advice));
}

}  // namespace

StreamStatistics streamed_statistics(const Study& study, const FileSchema& schema, Splits& all, std::int64_t threads,
                                     const Communicator& world) {
  const std::set<ScalingKind> kinds = scaling_kinds(study);
  const auto any = [&kinds](const auto& condition) { return std::any_of(kinds.begin(), kinds.end(), condition); };
  const bool scales = any([](ScalingKind kind) { return kind.normalize != Normalize::none; });
  const auto quantiles = [](ScalingKind kind) { return StatisticsNeeds(nullptr, kind).sample; };
  if (!scales && !any(quantiles) && !schema.may_have_empty_cells()) return {};
  const RowShape shape = row_shape(schema, study.data.task);
  std::shared_ptr<FeatureFills> fills;
  if (schema.may_have_empty_cells())
    fills = std::make_shared<FeatureFills>(feature_fills(schema.description.columns, shape.feature_count));
  const bool sums_up = scales || (fills && std::count(fills->rules.begin(), fills->rules.end(), FillRule::mean) > 0);
  std::vector<std::int64_t> sampled;
  if (fills || any(quantiles)) sampled = sampled_rows(schema.rows, shape.feature_count, study.study.seed);
  std::vector<std::shared_ptr<const Split>> splits;  // whose sums are computed
  std::vector<Part> parts;
  agree(world, [&] {
    if (sums_up) require_few_splits(study, all);
    if (sums_up) splits = all_splits(study, all);
    const FeatureReader reader(study.data, schema);
    const std::int64_t part_count = std::min(max_parts, reader.block_count());
    const IndexRange share = split_evenly(part_count, world.size(), world.rank());
    parts.resize(static_cast<std::size_t>(share.count()));
    for_each_index(share, threads, [&]() -> IndexWork {
      auto part_reader = std::make_shared<PartReader>(reader, shape, splits, sampled);
      return [&, part_reader](std::int64_t part) {
        const IndexRange blocks = split_evenly(reader.block_count(), part_count, part);
        parts[static_cast<std::size_t>(part - share.begin)] = part_reader->sum_up(blocks);
      };
    });
  });
  std::vector<double> own_numbers;
  std::vector<float> own_sample;
  std::vector<std::int64_t> empty_cells(static_cast<std::size_t>(shape.feature_count));
  for (const Part& part : parts) {
    own_numbers.insert(own_numbers.end(), part.numbers.begin(), part.numbers.end());
    own_sample.insert(own_sample.end(), part.sample.begin(), part.sample.end());
    for (std::size_t feature = 0; feature < part.empty_cells.size(); ++feature)
      empty_cells[feature] += part.empty_cells[feature];
  }
  const std::vector<double> numbers = world.all_gather(own_numbers);
  const std::vector<float> sample = world.all_gather(own_sample);
  StreamStatistics statistics;
  if (fills) {
    fills->empty_cells = world.sum(std::move(empty_cells));
    statistics.fills = fills;
  }

  const auto size = static_cast<std::size_t>(FeatureMoments::number_count * shape.feature_count);
  std::vector<FeatureMoments> sums(splits.size(), FeatureMoments(shape.feature_count));
  for (std::size_t first = 0, place = 0; first < numbers.size(); first += size, ++place) {
    const auto begin = numbers.begin() + static_cast<std::ptrdiff_t>(first);
    sums[place % splits.size()].join(FeatureMoments::of_numbers({begin, begin + static_cast<std::ptrdiff_t>(size)}));
  }
  const auto needs_sample = [&](ScalingKind kind) { return StatisticsNeeds(fills.get(), kind).sample; };
  if (!sums_up && any(needs_sample)) {
    agree(world, [&] { require_few_splits(study, all); });
    splits = all_splits(study, all);
  }
  const std::vector<std::int64_t> categories =
      category_features(feature_kinds(schema.description.columns, shape.feature_count));
  for (const ScalingKind kind : kinds) {
    const StatisticsNeeds needs(fills.get(), kind);
    const auto scaling_of_split = [&](const FeatureMoments* moments, const std::vector<float>& of_split) {
      return feature_scaling(fills.get(), moments, of_split, kind, shape.feature_count, categories);
    };
    std::vector<FeatureScaling> scalings;
    if (needs.moments || needs.sample) {
      for (std::size_t split = 0; split < splits.size(); ++split) {
        std::vector<float> of_split;
        if (needs.sample) of_split = sample_of(*splits[split], sampled, sample, shape.feature_count);
        scalings.push_back(scaling_of_split(needs.moments ? &sums[split] : nullptr, of_split));
      }
    } else if (const auto same = scaling_of_split(nullptr, {}); !same.fill.empty()) {
      scalings.assign(static_cast<std::size_t>(all.count() + (study.run.refit ? 1 : 0)), same);
    }
    if (!scalings.empty()) statistics.scalings.emplace(kind, std::move(scalings));
  }
  return statistics;
}

}  // namespace sheaf
