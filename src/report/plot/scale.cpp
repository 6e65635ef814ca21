// SPDX-License-Identifier: MIT
#include "report/plot/scale.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>

namespace sheaf {
namespace {

double on_scale(ScaleKind kind, double value) {
  return kind == ScaleKind::logarithmic ? std::log10(value) : value;
}

// 1, 2 or 5 times a power of ten, at least `least`.
double round_step(double least) {
  const double power = std::pow(10, std::floor(std::log10(least)));
  for (const double factor : {1.0, 2.0, 5.0})
    if (factor * power >= least * (1 - 1e-9)) return factor * power;
  return 10 * power;
}

std::vector<double> linear_ticks(double low, double high, int wanted) {
  const double span = high - low;
  if (!(span > 0) || !std::isfinite(span)) return {low};
  const double step = round_step(span / std::max(wanted, 1));
  std::vector<double> ticks;
  constexpr double tolerance = 1e-9;
  for (double number = std::ceil(low / step - tolerance); number <= high / step + tolerance; ++number) {
    ticks.push_back(number == 0 ? 0 : number * step);
    if (low + step == low) break;  // steps are too small for the numbers
  }
  return ticks;
}

std::vector<double> logarithmic_ticks(double low, double high, int wanted) {
  constexpr double tolerance = 1e-9;
  const auto first = static_cast<int>(std::floor(std::log10(low) + tolerance));
  const auto last = static_cast<int>(std::floor(std::log10(high) + tolerance));
  const auto find = [&](int every, const std::vector<double>& factors) {
    std::vector<double> ticks;
    for (int power = first; power <= last; ++power)
      for (const double factor : factors)
        if (const double tick = factor * std::pow(10, power);
            power % every == 0 && tick >= low * (1 - tolerance) && tick <= high * (1 + tolerance))
          ticks.push_back(tick);
    return ticks;
  };
  const int every = std::max(1, (last - first + wanted - 1) / std::max(wanted, 1));
  std::vector<double> ticks = find(every, {1});
  if (every == 1 && ticks.size() < 3) ticks = find(1, {1, 2, 5});
  return ticks.size() < 2 ? linear_ticks(low, high, wanted) : ticks;
}

}  // namespace

double Scale::at(double value) const {
  const double first = on_scale(kind, low), last = on_scale(kind, high);
  if (!(last > first)) return (begin + end) / 2;
  return begin + (on_scale(kind, value) - first) / (last - first) * (end - begin);
}

AxisRange range_of(const std::vector<double>& values, ScaleKind kind) {
  const bool is_log = kind == ScaleKind::logarithmic;
  double low = std::numeric_limits<double>::infinity(), high = -low;
  for (const double value : values) {
    if (!std::isfinite(value) || (is_log && value <= 0)) continue;
    low = std::min(low, value);
    high = std::max(high, value);
  }
  if (low > high) return is_log ? AxisRange{1, 10} : AxisRange{0, 1};
  constexpr double margin = 0.04;
  if (is_log) {
    const double factor = low < high ? std::pow(high / low, margin) : 2;
    return {low / factor, high * factor};
  }
  const double space = low < high ? (high - low) * margin : std::max(std::abs(low) * 0.1, 1e-6);
  return {low - space, high + space};
}

std::vector<double> ticks_of(ScaleKind kind, double low, double high, int wanted) {
  return kind == ScaleKind::logarithmic && low > 0 ? logarithmic_ticks(low, high, wanted)
                                                   : linear_ticks(low, high, wanted);
}

std::vector<std::string> tick_labels(const std::vector<double>& ticks) {
  std::vector<std::string> labels;
  double largest = 0, distance = std::numeric_limits<double>::infinity();
  bool is_even = true;  // all distances are equal
  for (std::size_t tick = 0; tick < ticks.size(); ++tick) {
    largest = std::max(largest, std::abs(ticks[tick]));
    if (tick == 0) continue;
    const double next = ticks[tick] - ticks[tick - 1];
    if (tick > 1 && std::abs(next - distance) > 1e-6 * distance) is_even = false;
    distance = std::min(distance, next);
  }
  const bool is_plain = is_even && ticks.size() > 1 && largest < 1e6 && distance >= 1e-5;
  const int decimals = is_plain ? std::max(0, static_cast<int>(-std::floor(std::log10(distance) + 1e-9))) : 0;
  const auto is_exact = [&](double tick) {
    const double unit = std::pow(10, -decimals);
    return std::abs(std::round(tick / unit) * unit - tick) < 1e-3 * distance;
  };
  const bool is_fixed = is_plain && std::all_of(ticks.begin(), ticks.end(), is_exact);
  for (const double tick : ticks)
    labels.push_back(is_fixed ? fmt::format("{:.{}f}", tick, decimals) : short_number(tick, 6));
  return labels;
}

std::string short_number(double value, int digits) {
  if (!std::isfinite(value)) return "";
  const double size = std::abs(value);
  if (size >= std::pow(10, digits) && size < 1e6) return fmt::format("{:.0f}", value);
  const std::string text =
      size >= 1e6 ? fmt::format("{:.{}e}", value, digits - 1) : fmt::format("{:.{}g}", value, digits);
  const auto exponent = text.find('e');
  if (exponent == text.npos) return text;
  std::string mantissa = text.substr(0, exponent);
  if (mantissa.find('.') != mantissa.npos) {
    mantissa.erase(mantissa.find_last_not_of('0') + 1);
    if (mantissa.back() == '.') mantissa.pop_back();
  }
  return fmt::format("{}e{}", mantissa, std::stoi(text.substr(exponent + 1)));  // "2e6" instead of "2.000e+06"
}

}  // namespace sheaf
