// Measures the processor time of greedy ensemble selections. See README.md.
// SPDX-License-Identifier: MIT
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <ctime>
#include <vector>

#include "core/random/random_stream.hpp"
#include "search/greedy_ensemble.hpp"

using namespace sheaf;

namespace {

struct Shape {
  const char* name;
  Task task;
  std::int64_t rows, outputs;
};

// Uniform predictions, scaled so that those of a row of classes add up to 1.
std::vector<float> predictions_of(const Shape& shape, RandomStream& stream) {
  std::vector<float> values(static_cast<std::size_t>(shape.rows * shape.outputs));
  for (float& value : values) value = 0.01f + 0.99f * stream.uniform();
  if (shape.task != Task::classification) return values;
  for (auto row = values.begin(); row != values.end(); row += shape.outputs) {
    float sum = 0;
    for (auto value = row; value != row + shape.outputs; ++value) sum += *value;
    for (auto value = row; value != row + shape.outputs; ++value) *value /= sum;
  }
  return values;
}

void measure(const Shape& shape, std::size_t candidates) {
  RandomStream stream(1, Purpose::drawn_value);
  std::vector<std::int64_t> labels(static_cast<std::size_t>(shape.rows));
  for (std::int64_t& label : labels)
    label = static_cast<std::int64_t>(stream.below(static_cast<std::uint64_t>(shape.outputs)));
  std::vector<float> targets(static_cast<std::size_t>(shape.rows * shape.outputs));
  for (float& target : targets) target = static_cast<float>(stream.below(2));
  std::vector<std::vector<float>> predictions;
  CandidatePredictions pointers;
  for (std::size_t number = 0; number < candidates; ++number) predictions.push_back(predictions_of(shape, stream));
  for (const auto& candidate : predictions) pointers.push_back(candidate.data());
  const bool has_classes = shape.task == Task::classification;
  const std::clock_t start = std::clock();
  const auto ensemble = greedy_ensemble({shape.task, shape.rows, shape.outputs, has_classes ? labels.data() : nullptr,
                                         has_classes ? nullptr : targets.data(), nullptr},
                                        pointers, 1, 1);
  const double seconds = static_cast<double>(std::clock() - start) / CLOCKS_PER_SEC;
  std::printf("%-11s %7lld rows x %2lld outputs, %2zu candidates: %7.2f s, loss %.6f\n", shape.name,
              static_cast<long long>(shape.rows), static_cast<long long>(shape.outputs), candidates, seconds,
              ensemble->loss);
}

}  // namespace

int main(int argc, char** argv) {
  const std::size_t candidates = argc > 1 ? static_cast<std::size_t>(std::atoi(argv[1])) : 50;
  for (const Shape& shape :
       {Shape{"classes", Task::classification, 100000, 10}, Shape{"classes", Task::classification, 100000, 2},
        Shape{"labels", Task::multilabel, 100000, 10}, Shape{"values", Task::regression, 100000, 1},
        Shape{"values", Task::regression, 100000, 10}, Shape{"classes", Task::classification, 1999, 10},
        Shape{"labels", Task::multilabel, 1999, 10}, Shape{"values", Task::regression, 1999, 1}})
    measure(shape, candidates);
  return 0;
}
