// SPDX-License-Identifier: MIT
#include "report/plot/timeline.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "report/plot/scale.hpp"

namespace sheaf {

TimeUnit time_unit(double seconds) {
  if (seconds < 0.5) return {"milliseconds", 1e-3};
  if (seconds < 300) return {"seconds", 1};
  if (seconds < 3 * 3600) return {"minutes", 60};
  return {"hours", 3600};
}

Drawing draw_timeline(const std::vector<std::string>& rows, const std::vector<TimeSpan>& spans,
                      const std::vector<TimeMark>& marks, double end, const std::vector<LegendEntry>& legend,
                      double width) {
  constexpr double bottom = 40, line = 18;
  const double row_height = std::clamp(320.0 / static_cast<double>(std::max<std::size_t>(rows.size(), 1)), 8.0, 22.0);
  double names = 0;
  for (const auto& row : rows) names = std::max(names, text_width(row));
  names = std::min(names, 120.0);
  const Legend drawn = legend_of(legend, 2, 0, width - 4);
  const double top = drawn.height + (marks.empty() ? 6 : line);
  const TimeUnit unit = time_unit(end);
  const Scale scale{ScaleKind::linear, 0, end, names + 10, width - 14};
  const double base = top + row_height * static_cast<double>(rows.size());
  Drawing drawing{drawn.body, base + bottom};
  for (std::size_t row = 0; row < rows.size(); ++row) {
    const double y = top + row_height * static_cast<double>(row);
    drawing.body +=
        fmt::format("<rect class=\"lane\" x=\"{}\" y=\"{}\" width=\"{}\" height=\"{}\"/>", svg_number(scale.begin),
                    svg_number(y + 1), svg_number(scale.end - scale.begin), svg_number(row_height - 2));
    if (row_height >= 12 || row % 2 == 0)
      drawing.body += svg_text(names, y + row_height / 2 + 4, "label", "end", fitted_text(rows[row], names));
  }
  for (const TimeSpan& span : spans) {
    const double left = scale.at(span.begin), right = scale.at(span.end);
    drawing.body +=
        fmt::format("<rect class=\"span {}\" x=\"{}\" y=\"{}\" width=\"{:.2f}\" height=\"{}\">{}</rect>", span.classes,
                    svg_number(left), svg_number(top + row_height * static_cast<double>(span.row) + 1),
                    std::max(0.4, right - left), svg_number(row_height - 2), svg_tip(span.tip));
  }
  for (const TimeMark& mark : marks) {
    const double x = scale.at(mark.at);
    drawing.body +=
        fmt::format("<path class=\"mark\" d=\"M{} {}V{}\"/>", svg_number(x), svg_number(top - 4), svg_number(base)) +
        svg_text(x + 3, top - 6, "label", "start", fitted_text(mark.text, std::max(20.0, width - x - 6)));
  }
  std::vector<double> ticks = ticks_of(ScaleKind::linear, 0, end / unit.seconds, 8);
  const std::vector<std::string> labels = tick_labels(ticks);
  drawing.body += fmt::format("<path class=\"axis\" d=\"M{} {}H{}\"/>", svg_number(scale.begin), svg_number(base),
                              svg_number(scale.end));
  for (std::size_t tick = 0; tick < ticks.size(); ++tick) {
    const double x = scale.at(ticks[tick] * unit.seconds);
    drawing.body += fmt::format("<path class=\"axis\" d=\"M{} {}v4\"/>", svg_number(x), svg_number(base)) +
                    svg_text(x, base + 16, "label", "middle", labels[tick]);
  }
  drawing.body += svg_text(scale.end, base + 33, "label strong", "end", unit.name);
  return drawing;
}

}  // namespace sheaf
