// SPDX-License-Identifier: MIT
#include "engines/xgboost/booster.hpp"

#include <fmt/format.h>

#include <cassert>
#include <cstddef>

#include "core/error.hpp"
#include "engines/xgboost/xgboost_library.hpp"

namespace sheaf {
namespace {

// NumPy's array interface. `columns`: 0 for one dimension.
std::string array_interface(const float* values, std::int64_t rows, std::int64_t columns) {
  const std::string shape = columns == 0 ? fmt::format("{}", rows) : fmt::format("{}, {}", rows, columns);
  return fmt::format(R"({{"data": [{}, true], "shape": [{}], "typestr": "<f4", "version": 3}})",
                     reinterpret_cast<std::uintptr_t>(values), shape);
}

using Handle = std::unique_ptr<void, int (*)(void*)>;

Handle new_matrix(const std::vector<float>& values, std::int64_t rows, std::int64_t columns) {
  assert(static_cast<std::int64_t>(values.size()) == rows * columns);
  void* handle = nullptr;
  require_xgboost(xgboost().create_matrix(array_interface(values.data(), rows, columns).c_str(),
                                          R"({"missing": NaN, "nthread": 1})", &handle));
  return {handle, xgboost().free_matrix};
}

Handle new_booster(const std::vector<const TreeMatrix*>& cached) {
  std::vector<void*> matrices;
  matrices.reserve(cached.size());
  for (const TreeMatrix* matrix : cached) matrices.push_back(matrix->handle());
  void* handle = nullptr;
  require_xgboost(xgboost().create_booster(matrices.data(), matrices.size(), &handle));
  return {handle, xgboost().free_booster};
}

}  // namespace

TreeMatrix::TreeMatrix(const std::vector<float>& values, std::int64_t rows, const std::vector<bool>& is_categorical)
    : rows_(rows), handle_(new_matrix(values, rows, static_cast<std::int64_t>(is_categorical.size()))) {
  std::vector<const char*> types;
  types.reserve(is_categorical.size());
  for (const bool categorical : is_categorical) types.push_back(categorical ? "c" : "float");
  require_xgboost(xgboost().set_matrix_texts(handle(), "feature_type", types.data(), types.size()));
}

void TreeMatrix::set(const char* field, const std::vector<float>& values, std::int64_t columns) {
  require_xgboost(xgboost().set_matrix_info(handle(), field, array_interface(values.data(), rows_, columns).c_str()));
}

Booster::Booster(void* handle) : handle_(handle, xgboost().free_booster) {}

Booster::Booster(const Parameters& parameters, const std::vector<const TreeMatrix*>& cached)
    : handle_(new_booster(cached)) {
  for (const auto& [name, value] : parameters)
    require_xgboost(xgboost().set_parameter(handle_.get(), name.c_str(), value.c_str()));
}

Booster::Booster(const std::string& bytes) : handle_(new_booster({})) {
  require_xgboost(xgboost().load(handle_.get(), bytes.data(), bytes.size()));
  for (const auto& [name, value] : {std::pair("nthread", "1"), {"verbosity", "0"}})
    require_xgboost(xgboost().set_parameter(handle_.get(), name, value));
}

void Booster::update(std::int64_t round, const TreeMatrix& rows) {
  require_xgboost(xgboost().update(handle_.get(), static_cast<int>(round), rows.handle()));
}

std::vector<float> Booster::predict(const TreeMatrix& rows, std::int64_t row_count, std::int64_t outputs) const {
  const std::uint64_t* shape = nullptr;
  std::uint64_t dimensions = 0;
  const float* values = nullptr;
  constexpr const char* of_margins =
      R"({"type": 1, "training": false, "iteration_begin": 0, "iteration_end": 0, "strict_shape": false})";
  require_xgboost(xgboost().predict(handle_.get(), rows.handle(), of_margins, &shape, &dimensions, &values));
  std::uint64_t count = 1;
  for (std::uint64_t dimension = 0; dimension < dimensions; ++dimension) count *= shape[dimension];
  require(count == static_cast<std::uint64_t>(row_count * outputs), [&] {
    return fmt::format("XGBoost: the model has {} outputs for {} rows, not {} per row", count, row_count, outputs);
  });
  return {values, values + count};
}

Booster Booster::first(std::int64_t rounds) const {
  void* handle = nullptr;
  require_xgboost(xgboost().slice(handle_.get(), 0, static_cast<int>(rounds), 1, &handle));
  return Booster(handle);
}

std::string Booster::save() const {
  std::uint64_t size = 0;
  const char* bytes = nullptr;
  require_xgboost(xgboost().save(handle_.get(), R"({"format": "json"})", &size, &bytes));
  return {bytes, static_cast<std::size_t>(size)};
}

}  // namespace sheaf
