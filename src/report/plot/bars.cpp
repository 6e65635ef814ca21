// SPDX-License-Identifier: MIT
#include "report/plot/bars.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace sheaf {
namespace {

constexpr double row_height = 22, bar_height = 12, space = 8;

}  // namespace

Drawing draw_bars(const std::vector<Bar>& bars, double width) {
  double names = 0, texts = 0, least = 0, most = 0;
  for (const Bar& bar : bars) {
    names = std::max(names, text_width(bar.name));
    texts = std::max(texts, text_width(bar.text));
    least = std::min(least, bar.value - bar.spread);
    most = std::max(most, bar.value + bar.spread);
  }
  names = std::min(names, width * 0.45);
  const double left = names + space, length = std::max(20.0, width - left - texts - 2 * space);
  const auto place = [&](double value) {
    return most > least ? left + length * (value - least) / (most - least) : left;
  };
  Drawing drawing{"", row_height * static_cast<double>(bars.size()) + space};
  double y = row_height / 2 + space / 2;
  for (const Bar& bar : bars) {
    const double begin = place(std::min(bar.value, 0.0)), size = std::max(1.0, place(std::max(bar.value, 0.0)) - begin);
    drawing.body += svg_text(names, y + 4, "label", "end", fitted_text(bar.name, names)) +
                    fmt::format("<rect class=\"bar {}\" x=\"{}\" y=\"{}\" width=\"{}\" height=\"{}\">{}</rect>",
                                bar.classes, svg_number(begin), svg_number(y - bar_height / 2), svg_number(size),
                                svg_number(bar_height), svg_tip(bar.name + ": " + bar.text));
    if (bar.spread > 0)
      drawing.body += fmt::format("<path class=\"spread\" d=\"M{} {}H{}\"/>", svg_number(place(bar.value - bar.spread)),
                                  svg_number(y), svg_number(place(bar.value + bar.spread)));
    const double end = std::max(begin + size, place(bar.value + bar.spread));
    drawing.body += svg_text(end + space, y + 4, "label", "start", bar.text);
    y += row_height;
  }
  return drawing;
}

Drawing draw_parts(const std::vector<Bar>& parts, double width) {
  constexpr double height = 24;
  double sum = 0;
  for (const Bar& part : parts) sum += part.value;
  Drawing drawing;
  double x = 0;
  std::vector<LegendEntry> entries;
  for (const Bar& part : parts) {
    const double size = sum > 0 ? width * part.value / sum : 0;
    const std::string text = part.name + ": " + part.text;
    if (size > 0)
      drawing.body += fmt::format("<rect class=\"bar {}\" x=\"{}\" y=\"4\" width=\"{}\" height=\"{}\">{}</rect>",
                                  part.classes, svg_number(x), svg_number(size), svg_number(height), svg_tip(text));
    entries.push_back({text, part.classes});
    x += size;
  }
  const Legend legend = legend_of(entries, 0, height + space, width);
  drawing.body += legend.body;
  drawing.height = height + space + legend.height + space;
  return drawing;
}

Drawing draw_counts(const std::vector<std::string>& names, const std::vector<std::int64_t>& counts,
                    const std::string& row_title, const std::string& column_title, double width) {
  const std::size_t size = names.size();
  double label = 0;
  for (const auto& name : names) label = std::max(label, text_width(name));
  label = std::min(label + 2, width * 0.25);
  constexpr double top = 44, wide_cell = 56;
  const double left = label + space;
  const double cell = std::min(std::max(wide_cell, label + space), (width - left) / static_cast<double>(size));
  const double height = std::min(cell, 32.0);
  Drawing drawing{svg_text(2, 13, "label strong", "start", row_title + " (rows), " + column_title + " (columns)"),
                  top + height * static_cast<double>(size) + space};
  for (std::size_t row = 0; row < size; ++row) {
    const double y = top + height * static_cast<double>(row);
    std::int64_t sum = 0;
    for (std::size_t column = 0; column < size; ++column) sum += counts[row * size + column];
    if (height >= 11 || row % 2 == 0)
      drawing.body += svg_text(label, y + height / 2 + 4, "label", "end", fitted_text(names[row], label));
    const double place = left + cell * (static_cast<double>(row) + 0.5);
    if (const auto every = static_cast<std::size_t>(std::max(1.0, 22 / cell)); row % every == 0)
      drawing.body += svg_text(place, top - 6, "label", "middle", fitted_text(names[row], cell * double(every) - 2));
    for (std::size_t column = 0; column < size; ++column) {
      const std::int64_t count = counts[row * size + column];
      const double share = sum > 0 ? static_cast<double>(count) / static_cast<double>(sum) : 0;
      const double x = left + cell * static_cast<double>(column);
      drawing.body += fmt::format(
          "<rect class=\"cell\" x=\"{}\" y=\"{}\" width=\"{}\" height=\"{}\" fill-opacity=\"{:.2f}\">{}</rect>",
          svg_number(x), svg_number(y), svg_number(cell - 1), svg_number(height - 1), 0.04 + 0.7 * share,
          svg_tip(fmt::format("{} {}, {} {}: {} ({:.1f} %)", row_title, names[row], column_title, names[column], count,
                              100 * share)));
      const std::string text = fmt::format("{}", count);
      if (count > 0 && text_width(text) + 2 <= cell && height >= 14)
        drawing.body += svg_text(x + cell / 2, y + height / 2 + 4, "label strong", "middle", text);
    }
  }
  return drawing;
}

}  // namespace sheaf
