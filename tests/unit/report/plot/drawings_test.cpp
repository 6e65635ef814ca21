// SPDX-License-Identifier: MIT
#include <cmath>
#include <limits>
#include <regex>

#include "report/plot/bars.hpp"
#include "report/plot/chart.hpp"
#include "report/plot/parallel_axes.hpp"
#include "report/plot/timeline.hpp"
#include "support/catch.hpp"

using namespace sheaf;

namespace {

std::size_t count(const std::string& text, const std::string& part) {
  std::size_t found = 0;
  for (std::size_t at = text.find(part); at != text.npos; at = text.find(part, at + 1)) ++found;
  return found;
}

// All places on the x axis and all widths are in the picture.
bool is_inside(const std::string& body, double width) {
  const std::regex number("(?: x| cx)=\"([-0-9.]+)\"");
  for (std::sregex_iterator at(body.begin(), body.end(), number), end; at != end; ++at)
    if (std::stod((*at)[1]) < 0 || std::stod((*at)[1]) > width) return false;
  return body.find("nan") == body.npos && body.find("inf") == body.npos;
}

}  // namespace

TEST_CASE("a chart leaves out points without a place, and a line has a gap there") {
  const double nan = std::nan("");
  Chart chart(400, 200, number_axis("x", ScaleKind::linear, {0, 4}), number_axis("y", ScaleKind::logarithmic, {1, 100}),
              {{"a <series>", "s0"}});
  chart.add_point({1, 10}, "s0", "one");
  chart.add_point({nan, 10}, "s0");
  chart.add_point({1, -10}, "s0");
  chart.add_line({{0, 1}, {1, 2}, {2, nan}, {3, 5}, {4, 6}}, "s1");
  chart.add_steps({{0, 1}, {4, 2}}, "s2");
  CHECK(count(chart.body(), "<circle") == 1);
  CHECK(count(chart.body(), "a &lt;series&gt;") == 1);
  const std::regex gap("line s1\" d=\"M[^ML]+ [^ML]+L[^M]+M");
  CHECK(std::regex_search(chart.body(), gap));
  const std::regex step("line s2\" d=\"M[^L]+L[^L]+L[^L]+\"");
  CHECK(std::regex_search(chart.body(), step));
  CHECK(is_inside(chart.body(), 400));
}

TEST_CASE("long names of categories are cut, and some are left out if there are many") {
  std::vector<std::string> names(60, "a very long name of a category");
  const Chart chart(400, 200, {"x", ScaleKind::linear, {}, names}, {"y", ScaleKind::linear, {}, names});
  CHECK(count(chart.body(), "<text") < 40);
  CHECK(count(chart.body(), "…") > 4);
  CHECK(is_inside(chart.body(), 400));
}

TEST_CASE("the bars, parts and counts of a picture are inside, also with zeros") {
  const std::string wide(200, 'm');
  for (const double value : {0.0, 3.0}) {
    CHECK(is_inside(draw_bars({{wide, value, "3", "s0"}, {"b", 1, "1", "s0"}}, 400).body, 400));
    CHECK(is_inside(draw_parts({{"a", value, "3 %", "s0"}, {"b", value, "1 %", "s1"}}, 400).body, 400));
  }
  CHECK(draw_bars({}, 400).height > 0);
  const Drawing spread =
      draw_bars({{wide, 3, "3 ± 1", "s0", 1}, {"b", -1, "-1 ± 2", "s0", 2}, {"c", 0, "0", "s0"}}, 400);
  CHECK(is_inside(spread.body, 400));
  CHECK(count(spread.body, "<path class=\"spread\"") == 2);
  const Drawing counts = draw_counts({"<a>", wide}, {5, 0, 1, 2}, "class", "predicted", 400);
  CHECK(count(counts.body, "class=\"cell\"") == 4);
  CHECK_THAT(counts.body, ContainsSubstring("class &lt;a&gt;, predicted &lt;a&gt;: 5 (100.0 %)"));
  CHECK(is_inside(counts.body, 400));
}

TEST_CASE("bars begin at 0, and negative ones end there") {
  const auto numbers = [](const std::string& body, const std::string& name) {
    std::vector<double> found;
    const std::regex number("<rect[^>]* " + name + "=\"([-0-9.]+)\"");
    for (std::sregex_iterator at(body.begin(), body.end(), number), end; at != end; ++at)
      found.push_back(std::stod((*at)[1]));
    return found;
  };
  const std::string body = draw_bars({{"a", 4, "", "s0", 1}, {"b", -2, "", "s0", 1}}, 400).body;
  const auto begins = numbers(body, "x"), widths = numbers(body, "width");
  REQUIRE(begins.size() == 2);
  CHECK(std::abs(begins[1] + widths[1] - begins[0]) < 0.11);
  CHECK(std::abs(widths[0] - 2 * widths[1]) < 0.21);
}

TEST_CASE("lines of parallel coordinates reach all axes, also where they have no value or one outside") {
  const ChartAxis first = number_axis("first", ScaleKind::linear, {0, 1});
  const Drawing drawing = draw_parallel({first, {"list", ScaleKind::linear, {}, {"a", "b"}}, first},
                                        {{{0.5, 1, 99}, "s0", ""}, {{0.5, std::nan(""), 0.1}, "s1", ""}}, 600);
  const std::regex line("line s[01]\" d=\"M[^L\"]+L[^L\"]+L[^L\"]+\"");
  CHECK(std::distance(std::sregex_iterator(drawing.body.begin(), drawing.body.end(), line), std::sregex_iterator()) ==
        2);
  CHECK(count(drawing.body, ">no effect</text>") == 1);
  CHECK(is_inside(drawing.body, 600));
  CHECK(count(draw_parallel({first, first}, {}, 600).body, "<path class=\"line") == 0);
}

TEST_CASE("a timeline has its spans in their rows and the unit of its length") {
  const Drawing drawing = draw_timeline({"lane 0", "lane 1"}, {{0, 0, 2, "s0", "a"}, {1, 1, 3, "s1", "b"}},
                                        {{2.5, "job 2"}}, 3, {{"finished", "s0"}}, 600);
  CHECK(count(drawing.body, "class=\"span") == 2);
  CHECK_THAT(drawing.body, ContainsSubstring(">seconds</text>") && ContainsSubstring(">job 2</text>"));
  CHECK(is_inside(drawing.body, 600));
  CHECK(time_unit(0.01).name == "milliseconds");
  CHECK(time_unit(100).seconds == 1);
  CHECK(time_unit(4000).name == "minutes");
  CHECK(time_unit(1e6).name == "hours");
}
