// Pictures as SVG. Colors are classes of the style sheet (style.hpp), so that a picture fits light and dark pages and
// prints. Pure.
// SPDX-License-Identifier: MIT
#pragma once

#include <string>
#include <vector>

namespace sheaf {

/// A picture, or the reason why there is none.
struct Picture {
  std::string name;                ///< of its file, without the extension: letters, digits and hyphens
  std::string title;               ///< text
  std::string description;         ///< text: what it shows, for people who cannot see it
  double width = 420, height = 0;  ///< of the drawing; it is scaled to its place
  std::string body;                ///< SVG elements; empty: there is no picture
  std::string note{};              ///< text below the picture, such as how its marks were thinned, or why there is none
};

/// The picture as an <svg> element with title and description. Its identifiers begin with the name of the picture.
std::string svg_element(const Picture& picture);

/// The picture as a file, with the style sheet inside.
std::string svg_file(const Picture& picture);

/// A number of an SVG attribute, with one decimal.
std::string svg_number(double value);

/// A <text> element. `anchor`: start, middle or end. `text` is escaped.
std::string svg_text(double x, double y, const std::string& classes, const std::string& anchor,
                     const std::string& text);

/// The <title> of a mark, which is shown when a pointer is over it; empty without a text. `text` is escaped.
std::string svg_tip(const std::string& text);

/// The approximate width of a text in the font of labels.
double text_width(const std::string& text);

/// `text`, or its beginning and "…" if it is wider than `width`.
std::string fitted_text(const std::string& text, double width);

/// The class of the colors of a series: "s0" to "s7", then from the beginning.
std::string series_class(std::size_t series);

/// The name and the classes of the marks of a series.
struct LegendEntry {
  std::string text;
  std::string classes;
};

/// A legend in rows of at most `width`.
struct Legend {
  std::string body;
  double height = 0;
};
Legend legend_of(const std::vector<LegendEntry>& entries, double x, double y, double width);

}  // namespace sheaf
