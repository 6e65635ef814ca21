// SPDX-License-Identifier: MIT
#include "commands/preprocess/feature_units.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "core/error.hpp"
#include "data/stored_description.hpp"
#include "files/checksum.hpp"
#include "files/hdf5/file.hpp"

namespace sheaf {
namespace {

std::vector<double> read_numbers(const InputFile& file, const std::string& name) {
  const DataSetReader reader = file.data_set(name);
  std::vector<double> numbers(static_cast<std::size_t>(reader.info().rows()));
  require(reader.info().row_elements() == 1, [&] { return "it has several dimensions"; });
  reader.read_rows({0, reader.info().rows()}, numbers.data());
  return numbers;
}

}  // namespace

std::string shift_name(const std::string& features) {
  return features + "_shift";
}

std::string divisor_name(const std::string& features) {
  return features + "_divisor";
}

std::string units_text(const TransformPlan& plan, const RowScaling& values, const std::string& before) {
  const auto bytes = [](const std::vector<double>& numbers) { return numbers.size() * sizeof(double); };
  const auto of_shift = checksum(values.shift.data(), bytes(values.shift));
  const auto of_both = checksum(values.divisor.data(), bytes(values.divisor), of_shift);
  return fmt::format("{}{}{} (checksum {:08x})", before, before.empty() ? "" : ", then ", scaling_text(plan), of_both);
}

std::string stored_units(const std::string& path, const std::string& features) {
  return scaling_attribute(InputFile(path), features);
}

StoredScaling read_stored_scaling(const std::string& path, const std::string& features) {
  const InputFile file(path);
  const std::string text = scaling_attribute(file, features);
  require(!text.empty() && file.has(shift_name(features)) && file.has(divisor_name(features)), [&] {
    return fmt::format("'{}' has no scaling of '{}' (it was not scaled by sheaf preprocess). Pass a file that was.",
                       path, features);
  });
  StoredScaling scaling;
  const std::size_t last = text.rfind("then ");  // the numbers are those of the last scaling
  const std::string kind = last == text.npos ? text : text.substr(last + 5);
  scaling.normalize = kind.rfind("standard", 0) == 0 ? Normalize::standard : Normalize::minmax;
  scaling.unit = kind.find("by channel") == kind.npos ? ScalingUnit::feature : ScalingUnit::channel;
  try {
    scaling.values = {read_numbers(file, shift_name(features)), read_numbers(file, divisor_name(features))};
    const auto is_valid = [](double divisor) { return std::isfinite(divisor) && divisor != 0; };
    require(std::all_of(scaling.values.divisor.begin(), scaling.values.divisor.end(), is_valid),
            [] { return "a divisor is 0 or not finite"; });
  } catch (const RunError& error) {
    throw RunError(fmt::format("The scaling of '{}' in '{}' cannot be used ({}). Pass another file.", features, path,
                               error.what()));
  }
  return scaling;
}

}  // namespace sheaf
