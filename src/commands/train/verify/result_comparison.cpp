// SPDX-License-Identifier: MIT
#include "commands/train/verify/result_comparison.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <utility>

#include "core/text.hpp"
#include "models/tree_model_file.hpp"

namespace sheaf {
namespace {

template <class Value>
bool have_same_bits(Value a, Value b) {
  return std::memcmp(&a, &b, sizeof a) == 0 || (std::isnan(a) && std::isnan(b));
}

class Comparison {
 public:
  explicit Comparison(const std::optional<Tolerance>& tolerance) : tolerance_(tolerance) {}

  template <class Value>
  void add_integers(const char* name, const Value& now, const Value& stored) {
    if (!(now == stored)) add(name, now, stored);
  }

  void add_loss(const char* name, double now, double stored) {
    if (!agree(now, stored, 0, tolerance_ ? tolerance_->losses : 0)) add(name, now, stored);
  }

  void add_value(const char* name, double now, double stored) {
    if (!agree(now, stored, 1, tolerance_ ? tolerance_->values : 0)) add(name, now, stored);
  }

  // Names only the first value that differs.
  template <class Add>
  void add_list(const char* name, std::size_t now, std::size_t stored, const Add& add_one) {
    if (now != stored) return add(fmt::format("length of {}", name).c_str(), now, stored);
    const std::size_t before = found_.size();
    for (std::size_t index = 0; index < now && found_.size() == before; ++index)
      add_one(fmt::format("{}[{}]", name, index), index);
  }

  // `unit`: "predictions", "weights".
  template <class Value>
  void add_array(const char* unit, const std::vector<Value>& now, const std::vector<Value>& stored) {
    if (now.size() != stored.size()) return add(fmt::format("number of {}", unit).c_str(), now.size(), stored.size());
    std::int64_t count = 0;
    double largest = 0, squares = 0, stored_squares = 0;
    for (std::size_t index = 0; index < now.size(); ++index) {
      const double difference = std::abs(double{now[index]} - double{stored[index]});
      count += !have_same_bits(now[index], stored[index]);
      largest = std::fmax(largest, difference);
      squares += difference * difference;
      stored_squares += double{stored[index]} * double{stored[index]};
    }
    const auto size = static_cast<double>(now.size());
    const double mean = std::sqrt(squares / size), unit_of_mean = std::max(1.0, std::sqrt(stored_squares / size));
    const bool is_close = tolerance_ && std::isfinite(mean) && mean <= tolerance_->values * unit_of_mean;
    if (count == 0 || is_close) return;
    found_.push_back(fmt::format("{} of {} {} differ, by up to {:.2g} (root mean square {:.2g})", count, now.size(),
                                 unit, largest, mean));
  }

  std::vector<std::string> take() { return std::move(found_); }

 private:
  template <class Value>
  void add(const char* name, const Value& now, const Value& stored) {
    found_.push_back(fmt::format("{} {} instead of {}", name, now, stored));
  }

  // `least`: differences are relative to this at least.
  bool agree(double now, double stored, double least, double tolerance) const {
    if (have_same_bits(now, stored)) return true;
    if (!tolerance_ || std::isfinite(now) != std::isfinite(stored)) return false;
    return !std::isfinite(now) ||
           std::abs(now - stored) <= tolerance * std::max({least, std::abs(now), std::abs(stored)});
  }

  const std::optional<Tolerance>& tolerance_;
  std::vector<std::string> found_;
};

void add_curve(Comparison& found, const TrainedIteration& now, const TrainedIteration& stored) {
  found.add_list("curve", now.epochs.size(), stored.epochs.size(), [&](const std::string& name, std::size_t epoch) {
    const EpochResult &a = now.epochs[epoch], &b = stored.epochs[epoch];
    found.add_loss((name + ".training_loss").c_str(), a.training_loss, b.training_loss);
    found.add_loss((name + ".validation_loss").c_str(), a.validation_loss, b.validation_loss);
    found.add_value((name + ".validation_score").c_str(), a.validation_score, b.validation_score);
  });
  found.add_list("metrics of the curve", now.epoch_metrics.size(), stored.epoch_metrics.size(),
                 [&](const std::string& name, std::size_t index) {
                   found.add_value(name.c_str(), now.epoch_metrics[index], stored.epoch_metrics[index]);
                 });
}

}  // namespace

std::vector<std::string> differences(const TrainedIteration& now, const StoredIteration& stored,
                                     const std::optional<Tolerance>& tolerance) {
  const IterationResult &a = now.result, &b = stored.trained.result;
  if (a.status != b.status)
    return {fmt::format("{} instead of {}{}", status_name(a.status), status_name(b.status),
                        now.message.empty() ? "" : fmt::format(" ({})", printable(now.message)))};
  Comparison found(tolerance);
  found.add_loss("final_loss", a.final_loss, b.final_loss);
  found.add_loss("validation_loss", a.validation_loss, b.validation_loss);
  found.add_value("validation_score", a.validation_score, b.validation_score);
  found.add_integers("epochs", a.epochs, b.epochs);
  found.add_integers("best_epoch", a.best_epoch, b.best_epoch);
  found.add_integers("steps", a.steps, b.steps);
  found.add_list("metrics", now.metrics.size(), stored.trained.metrics.size(),
                 [&](const std::string& name, std::size_t index) {
                   found.add_value(name.c_str(), now.metrics[index], stored.trained.metrics[index]);
                 });
  const auto reductions = [](const TrainedIteration& one) { return fmt::format("{}", one.rate_reductions); };
  found.add_integers("reductions of the learning rate", reductions(now), reductions(stored.trained));
  add_curve(found, now, stored.trained);
  if (!stored.trained.predictions.empty()) found.add_array("predictions", now.predictions, stored.trained.predictions);
  if (stored.network && !tolerance) {
    found.add_array("weights", now.network.parameters, stored.network->parameters);
    found.add_array("buffers of the network", now.network.buffers, stored.network->buffers);
    if (now.network.rounds > 0)
      found.add_integers("trees with the checksum", tree_checksum(now.network.trees),
                         tree_checksum(stored.network->trees));
  }
  return found.take();
}

}  // namespace sheaf
