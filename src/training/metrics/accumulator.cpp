// SPDX-License-Identifier: MIT
#include "training/metrics/accumulator.hpp"

#include <stdexcept>

#include "training/metrics/accuracy.hpp"
#include "training/metrics/r2.hpp"

namespace sheaf {

std::unique_ptr<Accumulator> make_accumulator(MetricKind metric, std::int64_t output_count) {
  switch (metric) {
    case MetricKind::accuracy:
      return make_accuracy();
    case MetricKind::r2:
      return make_r2(output_count);
  }
  throw std::logic_error("no such metric");
}

}  // namespace sheaf
