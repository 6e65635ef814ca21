// SPDX-License-Identifier: MIT
#include "commands/train/verify/stored_sample.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstddef>
#include <set>
#include <utility>

#include "commands/train/training/trial_values.hpp"
#include "core/bytes.hpp"

namespace sheaf {
namespace {

// A header as its line, without the line end; no text for a damaged one.
std::vector<std::string> line_of(const std::optional<JournalHeader>& header) {
  if (!header) return {};
  std::string line = header_line(*header);
  line.pop_back();
  return {std::move(line)};
}

void put_texts(ByteWriter& bytes, const std::vector<std::string>& texts) {
  bytes.put(static_cast<std::int64_t>(texts.size()));
  for (const auto& text : texts) bytes.put_list(text);
}

std::vector<std::string> get_texts(ByteReader& bytes) {
  std::vector<std::string> texts(static_cast<std::size_t>(bytes.get<std::int64_t>()));
  for (auto& text : texts) text = bytes.get_list<std::string>();
  return texts;
}

std::string packed(const Replay& journals, const std::vector<std::int64_t>& iterations) {
  ByteWriter bytes;
  put_texts(bytes, journals.files);
  for (const auto& header : journals.headers) put_texts(bytes, line_of(header));
  std::vector<std::byte> results;
  for (const std::int64_t number : iterations) {
    const auto position = static_cast<std::size_t>(journals.iterations.positions_of({number, number + 1}).begin);
    const PackedResult result = journals.iterations.packed(position);
    results.insert(results.end(), result.data(), result.data() + result.size());
  }
  bytes.put_list(results);
  return bytes.bytes();
}

StoredSample unpacked(const std::string& text) {
  StoredSample sample;
  ByteReader bytes(text);
  sample.journals = get_texts(bytes);
  for (std::size_t file = 0; file < sample.journals.size(); ++file) {
    const std::vector<std::string> line = get_texts(bytes);
    sample.headers.push_back(line.empty() ? std::nullopt : read_header_line(line.front()));
  }
  const auto results = bytes.get_list<std::vector<std::byte>>();
  for (std::size_t begin = 0; begin < results.size();) {
    const PackedResult result(results.data() + begin);
    sample.results.append(result);
    begin += result.size();
  }
  sample.results.settle();
  return sample;
}

// Lines after a damaged header verify only if they fit. An extended run may have more model files than before.
bool fits(const std::optional<JournalHeader>& stored, const JournalHeader& own) {
  if (!stored) return true;
  const bool has_same_models = std::all_of(stored->models.begin(), stored->models.end(), [&](const auto& model) {
    const auto now = own.models.find(model.first);
    return now != own.models.end() && now->second == model.second;
  });
  return stored->data == own.data && has_same_models;
}

}  // namespace

std::optional<std::string> LeftOut::text() const {
  std::string all;
  for (const auto& [count, what] : {std::pair(pruned, "pruned"),
                                    {unfinished, "unfinished"},
                                    {failed, "failed"},
                                    {of_other_data, "trained on other data"}})
    if (count > 0) all += fmt::format("{}{} {}", all.empty() ? "" : ", ", count, what);
  return all.empty() ? std::nullopt : std::optional(all);
}

Comparable comparable_iterations(const Replay& journals, const JournalHeader& own) {
  Comparable found;
  for (const JournaledIteration stored : journals.iterations) {
    switch (stored.trained.result.status) {
      case IterationStatus::pruned:
        ++found.left_out.pruned;
        break;
      case IterationStatus::unfinished:
        ++found.left_out.unfinished;
        break;
      case IterationStatus::missing:
      case IterationStatus::failed:
        ++found.left_out.failed;
        break;
      case IterationStatus::finished:
      case IterationStatus::cut:
      case IterationStatus::diverged:
        if (fits(journals.headers[stored.file], own))
          found.iterations.push_back(stored.trained.result.iteration);
        else
          ++found.left_out.of_other_data;
    }
  }
  return found;
}

std::vector<std::int64_t> StoredSample::iterations() const {
  std::vector<std::int64_t> numbers;
  for (std::size_t position = 0; position < results.size(); ++position)
    numbers.push_back(results.packed(position).iteration());
  return numbers;
}

std::map<std::int64_t, std::int64_t> StoredSample::cut_epochs() const {
  std::map<std::int64_t, std::int64_t> epochs;
  for (const JournaledIteration stored : results) {
    const IterationResult& result = stored.trained.result;
    if (result.status == IterationStatus::cut) epochs.emplace(result.iteration, result.epochs);
  }
  return epochs;
}

std::vector<std::optional<JournalHeader>> StoredSample::headers_of(const JournaledIteration& stored,
                                                                   const Plan& plan) const {
  const Iteration iteration = plan.iteration(stored.trained.result.iteration);
  const bool is_whole =
      stored.trained.result.earlier_seconds == 0 && plan.stage(iteration.stage).begins(iteration.trial);
  if (is_whole) return {headers[stored.file]};
  return headers;
}

StoredSample share_sample(const Replay& journals, const std::vector<std::int64_t>& iterations, Plan& plan,
                          const Communicator& world) {
  StoredSample sample = unpacked(world.broadcast(world.is_root() ? packed(journals, iterations) : std::string(), 0));
  if (!plan.draws_from_results()) return sample;
  std::set<std::int64_t> trials;
  for (const std::int64_t number : iterations) trials.insert(plan.iteration(number).trial);
  const std::string values = world.broadcast(packed_values(plan, {trials.begin(), trials.end()}), 0);
  if (!world.is_root()) give_packed_values(plan, values);
  return sample;
}

}  // namespace sheaf
