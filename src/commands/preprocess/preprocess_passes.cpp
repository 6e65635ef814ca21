// SPDX-License-Identifier: MIT
#include "commands/preprocess/preprocess_passes.hpp"

#include <algorithm>
#include <cstddef>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "core/aligned_vector.hpp"
#include "core/index_range.hpp"
#include "core/parallel.hpp"
#include "files/hdf5/chunk_encoder.hpp"
#include "files/output_bytes.hpp"
#include "parallel/mpi/agreement.hpp"

namespace sheaf {
namespace {

// More than the threads of most jobs. Each segment adds a rounding to the statistics and numbers to a message.
constexpr std::int64_t max_segments = 512;

// Limit of the memory on rank 0 for data gathered at once.
constexpr std::int64_t gathered_bytes = std::int64_t{256} << 20;

// Ranges of consecutive blocks of the source. The statistics of a segment are computed in row order.
struct Segments {
  const StoredRows& source;
  std::int64_t blocks_per_segment;

  explicit Segments(const StoredRows& rows)
      : source(rows), blocks_per_segment((rows.block_count() + max_segments - 1) / max_segments) {}

  std::int64_t count() const { return (source.block_count() + blocks_per_segment - 1) / blocks_per_segment; }
  IndexRange blocks(std::int64_t segment) const {
    return {segment * blocks_per_segment, std::min(source.block_count(), (segment + 1) * blocks_per_segment)};
  }
};

// How many items all ranks process in one round: `per_thread` for each thread, limited by the memory of rank 0, which
// gets up to `bytes` per item. Collective.
std::int64_t round_size(const PreprocessJob& job, std::int64_t per_thread, std::int64_t bytes) {
  const std::int64_t most = std::max<std::int64_t>(job.world.size(), gathered_bytes / bytes);
  return std::min(per_thread * job.world.sum(job.threads), most);
}

// Calls `work` with ranges of up to `size` indices that cover 0..count-1.
template <class Work>
void for_each_round(std::int64_t count, std::int64_t size, Work work) {
  for (std::int64_t begin = 0; begin < count; begin += size) work(IndexRange{begin, std::min(count, begin + size)});
}

IndexRange part_of(IndexRange all, const Communicator& world) {
  const IndexRange part = split_evenly(all.count(), world.size(), world.rank());
  return {all.begin + part.begin, all.begin + part.end};
}

// The moments of this rank's segments `mine`, as numbers in the order of the segments.
std::vector<double> compute_moments(const PreprocessJob& job, const Segments& segments, IndexRange mine) {
  const std::int64_t features = job.plan.row_elements;
  const std::int64_t count = FeatureMoments::number_count * features;
  std::vector<double> numbers(static_cast<std::size_t>(count * mine.count()));
  for_each_index(mine, job.threads, [&] {
    return IndexWork([&,
                      worker = std::make_shared<RowTransformer>(job.source, job.plan, nullptr)](std::int64_t segment) {
      FeatureMoments moments(features);
      const IndexRange blocks = segments.blocks(segment);
      for (std::int64_t block = blocks.begin; block < blocks.end; ++block)
        worker->add_to(moments, job.source.block(block));
      std::copy(moments.numbers().begin(), moments.numbers().end(), numbers.begin() + (segment - mine.begin) * count);
    });
  });
  job.source.require_unchanged();
  return numbers;
}

RowScaling scaling_by_channel(const FeatureMoments& moments, const TransformPlan& plan) {
  const auto channels = plan.channel_of_elements();
  const RowScaling few = scaling_of(moments.pooled(channels, plan.images->to().shape.channels), plan.normalize);
  RowScaling scaling;
  for (const std::int64_t channel : channels) {
    scaling.shift.push_back(few.shift[static_cast<std::size_t>(channel)]);
    scaling.divisor.push_back(few.divisor[static_cast<std::size_t>(channel)]);
  }
  return scaling;
}

// Encoded chunks without gaps, as they are sent.
struct ChunkBytes {
  std::vector<std::int64_t> sizes;
  std::vector<std::byte> bytes;

  void append(const ChunkBytes& other) {
    sizes.insert(sizes.end(), other.sizes.begin(), other.sizes.end());
    bytes.insert(bytes.end(), other.bytes.begin(), other.bytes.end());
  }
};

ChunkBytes encode_chunks(RowTransformer& transformer, ChunkEncoder& encoder, const DerivedRows& rows,
                         IndexRange chunks) {
  const auto chunk_bytes = static_cast<std::size_t>(rows.chunk_bytes());
  // Zeros fill the last chunk after the last row.
  std::vector<std::byte> numbers(static_cast<std::size_t>(chunks.count()) * chunk_bytes, std::byte{0});
  transformer.write({chunks.begin * rows.chunk_rows, std::min(rows.shape.front(), chunks.end * rows.chunk_rows)},
                    numbers.data());
  ChunkBytes encoded;
  for (std::size_t offset = 0; offset < numbers.size(); offset += chunk_bytes) {
    const std::vector<std::byte> chunk = encoder.encode(numbers.data() + offset, chunk_bytes);
    encoded.append({{static_cast<std::int64_t>(chunk.size())}, chunk});
  }
  return encoded;
}

// Encodes the chunks of the units `mine`; each unit is `unit` consecutive chunks.
ChunkBytes encode_units(const PreprocessJob& job, const RowScaling* scaling, const DerivedRows& rows, std::int64_t unit,
                        IndexRange mine) {
  struct Worker {
    RowTransformer transformer;
    ChunkEncoder encoder;
  };
  std::vector<ChunkBytes> encoded(static_cast<std::size_t>(mine.count()));
  for_each_index(mine, job.threads, [&] {
    const auto worker =
        std::make_shared<Worker>(Worker{{job.source, job.plan, scaling}, {number_bytes(rows.type), rows.compression}});
    return IndexWork([&, worker](std::int64_t number) {
      const IndexRange chunks{number * unit, std::min(rows.chunk_count(), (number + 1) * unit)};
      encoded[static_cast<std::size_t>(number - mine.begin)] =
          encode_chunks(worker->transformer, worker->encoder, rows, chunks);
    });
  });
  job.source.require_unchanged();
  ChunkBytes all;
  for (const ChunkBytes& some : encoded) all.append(some);
  return all;
}

}  // namespace

std::optional<RowScaling> find_scaling(const PreprocessJob& job) {
  if (job.plan.normalize == Normalize::none) return std::nullopt;
  const std::int64_t features = job.plan.row_elements;
  const Segments segments(job.source);
  const std::int64_t count = FeatureMoments::number_count * features;
  const std::int64_t segment_bytes = count * static_cast<std::int64_t>(sizeof(double));
  FeatureMoments all(features);
  for_each_round(segments.count(), round_size(job, 1, segment_bytes), [&](IndexRange round) {
    std::vector<double> mine;
    agree(job.world, [&] { mine = compute_moments(job, segments, part_of(round, job.world)); });
    const std::vector<double> numbers = job.world.gather(mine);
    if (!job.world.is_root()) return;
    for (std::int64_t segment = round.begin; segment < round.end; ++segment) {
      const auto first = numbers.begin() + (segment - round.begin) * count;
      all.join(FeatureMoments::of_numbers({first, first + count}));
    }
  });
  std::vector<double> numbers = all.numbers();
  job.world.broadcast_vector(numbers);
  const auto moments = FeatureMoments::of_numbers(std::move(numbers));
  return job.plan.unit == ScalingUnit::channel ? scaling_by_channel(moments, job.plan)
                                               : scaling_of(moments, job.plan.normalize);
}

void write_in_place(const PreprocessJob& job, const RowScaling* scaling, const std::string& path,
                    std::int64_t address) {
  const std::int64_t row_bytes = job.plan.row_elements * static_cast<std::int64_t>(number_bytes(job.plan.type));
  agree(job.world, [&] {
    const OutputBytes output(path);
    for_each_index(part_of({0, job.source.block_count()}, job.world), job.threads, [&] {
      struct Worker {
        RowTransformer transformer;
        AlignedVector<std::byte> bytes;
      };
      const auto worker = std::make_shared<Worker>(Worker{{job.source, job.plan, scaling}, {}});
      return IndexWork([&, worker](std::int64_t block) {
        const IndexRange rows = job.source.block(block);
        worker->bytes.resize(static_cast<std::size_t>(rows.count() * row_bytes));
        worker->transformer.write(rows, worker->bytes.data());
        output.write(worker->bytes.data(), worker->bytes.size(), address + rows.begin * row_bytes);
      });
    });
    job.source.require_unchanged();
    output.sync();
  });
}

void write_compressed(const PreprocessJob& job, const RowScaling* scaling, const DerivedRows& rows, DerivedFile* file) {
  // A thread encodes the chunks of about one block of the source at once.
  const std::int64_t unit = (job.source.block(0).count() + rows.chunk_rows - 1) / rows.chunk_rows;
  const std::int64_t units = (rows.chunk_count() + unit - 1) / unit;
  for_each_round(units, round_size(job, 4, unit * rows.chunk_bytes()), [&](IndexRange round) {
    ChunkBytes chunks;
    agree(job.world, [&] { chunks = encode_units(job, scaling, rows, unit, part_of(round, job.world)); });
    chunks = {job.world.gather(chunks.sizes), job.world.gather(chunks.bytes)};
    agree(job.world, [&] {
      const std::byte* bytes = chunks.bytes.data();
      std::int64_t number = round.begin * unit;
      for (const std::int64_t size : chunks.sizes) {  // empty except on rank 0
        file->write_chunk(number++, bytes, static_cast<std::size_t>(size));
        bytes += size;
      }
    });
  });
}

}  // namespace sheaf
