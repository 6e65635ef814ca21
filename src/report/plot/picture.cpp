// SPDX-License-Identifier: MIT
#include "report/plot/picture.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "report/plot/markup.hpp"
#include "report/plot/style.hpp"

namespace sheaf {
namespace {

constexpr double character_width = 6.6;  // of a font of 12 units, on average
constexpr double legend_line = 18;

std::size_t characters_of(const std::string& text) {
  return static_cast<std::size_t>(std::count_if(
      text.begin(), text.end(), [](char byte) { return (static_cast<unsigned char>(byte) & 0xC0U) != 0x80U; }));
}

// `attributes`: further attributes. `style`: elements before the others.
std::string element(const Picture& picture, const std::string& attributes, const std::string& style) {
  return fmt::format(
      "<svg{7} class=\"plot\" viewBox=\"0 0 {0} {1}\" role=\"img\" "
      "aria-labelledby=\"{2}-title {2}-desc\">{6}<title id=\"{2}-title\">{3}</title><desc id=\"{2}-desc\">{4}</desc>{5}"
      "</svg>\n",
      svg_number(picture.width), svg_number(picture.height), picture.name, escaped_markup(picture.title),
      escaped_markup(picture.description), picture.body, style, attributes);
}

}  // namespace

std::string svg_element(const Picture& picture) {
  return element(picture, "", "");  // HTML knows the namespace
}

std::string svg_file(const Picture& picture) {
  const std::string background =
      fmt::format("<style>{}</style><rect class=\"paper\" width=\"100%\" height=\"100%\"/>", plot_style());
  return "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n" +
         element(picture, " xmlns=\"http://www.w3.org/2000/svg\"", background);
}

std::string svg_number(double value) {
  std::string text = fmt::format("{:.1f}", value);
  if (text.size() > 2 && text.compare(text.size() - 2, 2, ".0") == 0) text.resize(text.size() - 2);
  return text == "-0" ? "0" : text;
}

std::string svg_text(double x, double y, const std::string& classes, const std::string& anchor,
                     const std::string& text) {
  return fmt::format("<text x=\"{}\" y=\"{}\" class=\"{}\"{}>{}</text>", svg_number(x), svg_number(y), classes,
                     anchor == "start" ? "" : fmt::format(" text-anchor=\"{}\"", anchor), escaped_markup(text));
}

std::string svg_tip(const std::string& text) {
  return text.empty() ? "" : fmt::format("<title>{}</title>", escaped_markup(text));
}

double text_width(const std::string& text) {
  return character_width * static_cast<double>(characters_of(text));
}

std::string fitted_text(const std::string& text, double width) {
  return shortened(text, static_cast<std::size_t>(std::max(2.0, width / character_width + 0.1)));
}

std::string series_class(std::size_t series) {
  constexpr std::size_t colors = 8;
  return fmt::format("s{}", series % colors);
}

Legend legend_of(const std::vector<LegendEntry>& entries, double x, double y, double width) {
  constexpr double swatch = 16, space = 14;
  Legend legend;
  double left = 0;
  for (const auto& [text, classes] : entries) {
    const std::string shown = fitted_text(text, width - swatch - space);
    const double needed = swatch + text_width(shown) + space;
    if (legend.height == 0 || left + needed > width) {
      legend.height += legend_line;
      left = 0;
    }
    const double line = y + legend.height - legend_line / 2;
    legend.body += fmt::format("<rect class=\"swatch {}\" x=\"{}\" y=\"{}\" width=\"10\" height=\"10\"/>", classes,
                               svg_number(x + left), svg_number(line - 5));
    legend.body += svg_text(x + left + swatch, line + 4, "label", "start", shown);
    left += needed;
  }
  return legend;
}

}  // namespace sheaf
