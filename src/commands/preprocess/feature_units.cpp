// SPDX-License-Identifier: MIT
#include "commands/preprocess/feature_units.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>

#include "core/error.hpp"
#include "data/stored_description.hpp"
#include "files/checksum.hpp"
#include "files/hdf5/file.hpp"
#include "study/value_types.hpp"

namespace sheaf {
namespace {

std::vector<double> read_numbers(const InputFile& file, const std::string& name) {
  const DataSetReader reader = file.data_set(name);
  std::vector<double> numbers(static_cast<std::size_t>(reader.info().rows()));
  require(reader.info().row_elements() == 1, [&] { return "it has several dimensions"; });
  reader.read_rows({0, reader.info().rows()}, numbers.data());
  return numbers;
}

// The attribute `channels` of a data set, if it has one.
std::optional<std::string> channels_of(const InputFile& file, const std::string& features) {
  const auto texts = file.texts(features, "channels");
  return texts && texts->size() == 1 ? std::optional(texts->front()) : std::nullopt;
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

void require_same_features(const StoredScaling& scaling, const TransformPlan& plan, const std::string& input,
                           const std::string& like, const std::string& features) {
  const std::vector<std::int64_t> row_shape(plan.shape.begin() + 1, plan.shape.end());
  require(row_shape == scaling.row_shape, [&] {
    return fmt::format(
        "the rows made from '{}' have the shape [{}], but those of '{}' [{}]. Make rows of the same shape, "
        "for example with --channels or --resize.",
        input, fmt::join(row_shape, ", "), like, fmt::join(scaling.row_shape, ", "));
  });
  const InputFile file(input);
  const auto channels = plan.order ? std::optional(name_of(*plan.order)) : channels_of(file, features);
  require(!scaling.channels || !channels || *scaling.channels == *channels, [&] {
    return fmt::format("'{}' has its channels {}, but the rows made from '{}' {}. Add --channels={}.", like,
                       *scaling.channels, input, *channels, *scaling.channels);
  });
  const auto names = file.texts(features, "feature_names");
  require(!names || !scaling.names || *names == *scaling.names, [&] {
    return fmt::format(
        "the features of '{}' and '{}' have other names or another order. Import the file with "
        "--like=TRAIN.h5 first.",
        input, like);
  });
}

StoredScaling read_stored_scaling(const std::string& path, const std::string& features) {
  const InputFile file(path);
  const std::string text = scaling_attribute(file, features);
  require(!text.empty() && file.has(shift_name(features)) && file.has(divisor_name(features)), [&] {
    return fmt::format("'{}' has no scaling of '{}' (it was not scaled by sheaf preprocess). Pass a file that was.",
                       path, features);
  });
  StoredScaling scaling;
  const DataSetInfo info = file.data_set(features).info();
  scaling.row_shape.assign(info.shape.begin() + 1, info.shape.end());
  scaling.names = file.texts(features, "feature_names");
  scaling.channels = channels_of(file, features);
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
