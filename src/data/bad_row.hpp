// The error of a row whose values are not valid.
// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <string>

#include "core/error.hpp"

namespace sheaf {

/// Thrown for a row with an invalid value.
class BadRow : public RunError {
 public:
  BadRow(std::int64_t row, const std::string& message) : RunError(message), row_(row) {}
  std::int64_t row() const { return row_; }

 private:
  std::int64_t row_;
};

}  // namespace sheaf
