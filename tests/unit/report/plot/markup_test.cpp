// SPDX-License-Identifier: MIT
#include "report/plot/markup.hpp"

#include "report/plot/picture.hpp"
#include "support/catch.hpp"

using namespace sheaf;

TEST_CASE("no text becomes markup") {
  CHECK(escaped_markup("<b>&\"it's\"") == "&lt;b&gt;&amp;&quot;it&#39;s&quot;");
  CHECK(escaped_markup("</script>\n\x01\xff") == "&lt;/script&gt;???");
  CHECK(escaped_markup("ünï") == "ünï");
  CHECK_THAT(svg_text(1, 2, "label", "end", "a<b"), ContainsSubstring(">a&lt;b</text>"));
  CHECK(escaped_lines("<\n\n&\t") == "&lt;\n\n&amp;?");
  CHECK(escaped_lines("") == "");
  CHECK(svg_tip("\"<") == "<title>&quot;&lt;</title>");
}

TEST_CASE("a text is cut between characters, not between their bytes") {
  CHECK(shortened("abcdef", 6) == "abcdef");
  CHECK(shortened("abcdef", 4) == "abc…");
  CHECK(shortened("üüüü", 3) == "üü…");
  CHECK(shortened("", 3) == "");
}

TEST_CASE("an SVG file has its style, its title and its description") {
  const Picture picture{"loss", "Loss <1>", "What & why", 100, 50, "<path d=\"M0 0\"/>"};
  CHECK_THAT(svg_file(picture), ContainsSubstring("xmlns=\"http://www.w3.org/2000/svg\"") &&
                                    ContainsSubstring("<title id=\"loss-title\">Loss &lt;1&gt;</title>") &&
                                    ContainsSubstring("<desc id=\"loss-desc\">What &amp; why</desc>") &&
                                    ContainsSubstring("<style>") && ContainsSubstring("viewBox=\"0 0 100 50\""));
  CHECK_THAT(svg_element(picture), !ContainsSubstring("http") && !ContainsSubstring("<style>"));
}
