// SPDX-License-Identifier: MIT
#include "commands/train/training/final_gather.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cassert>
#include <optional>
#include <utility>

#include "core/error.hpp"
#include "parallel/mpi/agreement.hpp"

namespace sheaf {
namespace {

// The packed results of a window, without gaps.
std::vector<std::byte> packed_window(const ResultStore& store, IndexRange window) {
  std::vector<std::byte> bytes;
  bytes.reserve(static_cast<std::size_t>(store.bytes_of(window)));
  const IndexRange positions = store.positions_of(window);
  for (std::int64_t position = positions.begin; position < positions.end; ++position) {
    const PackedResult result = store.packed(static_cast<std::size_t>(position));
    bytes.insert(bytes.end(), result.data(), result.data() + result.size());
  }
  return bytes;
}

void add_results(std::vector<GatheredResult>& results, const ResultStore& store, IndexRange window,
                 std::size_t first_file) {
  const IndexRange positions = store.positions_of(window);
  for (std::int64_t position = positions.begin; position < positions.end; ++position)
    results.push_back({store.packed(static_cast<std::size_t>(position)), first_file});
}

void add_results(std::vector<GatheredResult>& results, const std::vector<std::byte>& bytes, std::size_t first_file) {
  for (std::size_t at = 0; at < bytes.size(); at += results.back().result.size())
    results.push_back({PackedResult(bytes.data() + at), first_file});
}

}  // namespace

WindowPlan::WindowPlan(IndexRange iterations, const WindowLimits& limits)
    : end_(iterations.end), limits_(limits), window_{iterations.begin, iterations.begin}, width_(limits.iterations) {
  next();
}

bool WindowPlan::accept(std::int64_t bytes) {
  const std::int64_t count = window_.count();
  const auto fitting = [&](double fraction) {
    const double ratio = static_cast<double>(limits_.bytes) / static_cast<double>(std::max<std::int64_t>(bytes, 1));
    const double most = static_cast<double>(limits_.iterations);
    return std::max<std::int64_t>(
        1, static_cast<std::int64_t>(std::min(most, fraction * ratio * static_cast<double>(count))));
  };
  if (bytes <= limits_.bytes || count == 1) {
    width_ = fitting(0.75);  // results of the next window may be larger
    return true;
  }
  // At most half as wide, so that a few large results do not cause many proposals.
  window_.end = window_.begin + std::min(count / 2, fitting(0.75));
  return false;
}

void WindowPlan::next() {
  window_ = {window_.end, std::min(end_, window_.end + width_)};
}

JournaledIteration GatheredResult::unpack() const {
  JournaledIteration iteration = result.unpack();
  iteration.file += first_file;
  return iteration;
}

std::vector<GatheredResult> merge_window(IndexRange window, const std::vector<GatheredResult>& results) {
  std::vector<std::optional<GatheredResult>> chosen(static_cast<std::size_t>(window.count()));
  for (const auto& found : results) {
    const std::int64_t iteration = found.result.iteration();
    assert(iteration >= window.begin && iteration < window.end);
    auto& slot = chosen[static_cast<std::size_t>(iteration - window.begin)];
    if (!slot || slot->result.is_replaceable()) slot = found;
  }
  std::vector<GatheredResult> merged;
  merged.reserve(chosen.size());
  for (const auto& result : chosen) {
    require(result.has_value(), [&] {
      return fmt::format(
          "the result of iteration {} is missing on all ranks. Train the iteration again with sheaf resume.",
          window.begin + static_cast<std::int64_t>(merged.size()));
    });
    merged.push_back(*result);
  }
  return merged;
}

GatherRoute::GatherRoute(const Communicator& world, const Communicator& node, const Communicator& leaders,
                         WhileWaiting while_waiting)
    : world_(world), node_(node), leaders_(leaders), while_waiting_(std::move(while_waiting)) {}

std::int64_t GatherRoute::sum(std::int64_t value) const {
  return world_.patient_sum({value}, while_waiting_).front();
}

std::vector<std::byte> GatherRoute::gather(std::vector<std::byte> own) const {
  auto of_node = node_.patient_gather(std::move(own), while_waiting_);
  if (!node_.is_root()) return {};
  return leaders_.patient_gather(std::move(of_node), while_waiting_);
}

void GatherRoute::do_on_root(const std::function<void()>& action) const {
  agree_in_background(
      world_,
      [&] {
        if (is_root()) action();
      },
      while_waiting_);
}

void gather_results(const ResultStore& own, const ResultStore& earlier, std::size_t first_own_file,
                    IndexRange iterations, const WindowLimits& limits, const GatherRoute& route,
                    const std::function<void(const std::vector<GatheredResult>&)>& take) {
  for (WindowPlan plan(iterations, limits); !plan.at_end();) {
    const IndexRange window = plan.window();
    if (!plan.accept(route.sum(own.bytes_of(window) + earlier.bytes_of(window)))) continue;
    const auto received = route.gather(route.is_root() ? std::vector<std::byte>() : packed_window(own, window));
    plan.next();
    route.do_on_root([&] {
      std::vector<GatheredResult> results;
      add_results(results, earlier, window, 0);
      add_results(results, own, window, first_own_file);
      add_results(results, received, first_own_file);
      take(merge_window(window, results));
    });
  }
}

}  // namespace sheaf
