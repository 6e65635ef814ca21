// XGBoost's matrices and boosters as objects. All functions throw RunError if XGBoost fails. Not thread-safe; different
// objects may be used in different threads.
// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <utility>
#include <vector>

namespace sheaf {

/// A copy of rows, with one thread.
class TreeMatrix {
 public:
  /// `values`: [rows, columns], numbers, or codes 0, 1, ... of a categorical column; NaN: a missing value.
  TreeMatrix(const std::vector<float>& values, std::int64_t rows, const std::vector<bool>& is_categorical);

  /// Sets "label" or "weight", [rows, columns]. `columns`: 0 for one number per row.
  void set(const char* field, const std::vector<float>& values, std::int64_t columns = 0);

  void* handle() const { return handle_.get(); }

 private:
  std::int64_t rows_;
  std::unique_ptr<void, int (*)(void*)> handle_;
};

class Booster {
 public:
  using Parameters = std::vector<std::pair<std::string, std::string>>;

  /// A new booster without trees. It keeps the outputs of `cached` rows, so that predict() only adds new trees.
  Booster(const Parameters& parameters, const std::vector<const TreeMatrix*>& cached);
  /// That of save().
  explicit Booster(const std::string& bytes);

  /// Adds the trees of round `round`.
  void update(std::int64_t round, const TreeMatrix& rows);

  /// The outputs [rows, outputs] before the link (logits, logarithms of means, values), of all rounds. `outputs`: of a
  /// row.
  std::vector<float> predict(const TreeMatrix& rows, std::int64_t row_count, std::int64_t outputs) const;

  /// The first `rounds` rounds.
  Booster first(std::int64_t rounds) const;

  /// The model in XGBoost's JSON format.
  std::string save() const;

 private:
  explicit Booster(void* handle);
  std::unique_ptr<void, int (*)(void*)> handle_;
};

}  // namespace sheaf
