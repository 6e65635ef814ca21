// SPDX-License-Identifier: MIT
#include "study/quoted_value.hpp"

#include "core/error.hpp"
#include "study/parse_study.hpp"
#include "study/settings.hpp"
#include "support/catch.hpp"

using namespace sheaf;

namespace {

const std::vector<std::string> odd_texts = {"a#b.h5",   "#",          " lead",       "trail ", "a\tb\nc\rd",
                                            "quote\"d", "\"whole\"",  "back\\slash", "a\\#b",  "comma, b",
                                            "\x01\x7f", "gr\xfcn.h5", "a:\"b\"",     "\\x23",  "a # b \" c"};

}  // namespace

TEST_CASE("every text is a value that means the text") {
  for (const std::string& text : odd_texts) {
    CAPTURE(text);
    CHECK(unquoted_value(quoted_value(text)) == text);
  }
  for (const char* text : {"", "d.h5", "a b=c/d.h5", "it's", "5\" disk", "a:b;c"}) CHECK(quoted_value(text) == text);
  CHECK(quoted_value("a#\"b\\\t\x01") == "\"a#\\\"b\\\\\\t\\x01\"");
  CHECK(unquoted_value("\"\\x23\\n\\r\"") == "#\n\r");
}

TEST_CASE("values with incomplete quotes, other escapes or zero bytes mean nothing") {
  for (const char* value : {"\"", "\"a", "\"a\\\"", "\"a\"b", "\"\\q\"", "\"\\x2\"", "\"\\xg0\"", "\"\\x00\""}) {
    CAPTURE(value);
    CHECK_FALSE(unquoted_value(value));
  }
  CHECK_FALSE(unquoted_value(std::string("a\0b", 3)));
}

TEST_CASE("letters in quotes are skipped; quotes begin only where a value begins") {
  using Places = std::vector<std::size_t>;
  CHECK(positions_outside_quotes("a = \"b#c\" # d", '#') == Places{10});
  CHECK(positions_outside_quotes("\"a,b\", c:\"d,e\",f", ',') == Places{5, 14});
  CHECK(positions_outside_quotes("a = 5\" # b", '#') == Places{7});
  CHECK(positions_outside_quotes("a = \"b\\\"#\"#", '#') == Places{10});
  CHECK_FALSE(positions_outside_quotes("a = \"b # c", '#'));
}

TEST_CASE("paths with any characters are read from study files, and written so that they are read again") {
  for (const std::string& text : odd_texts) {
    CAPTURE(text);
    const std::string file = "[data]\nfile = " + quoted_value(text) + "  # a comment\nfeatures = \"/a#b\"\n";
    const Study study = parse_study_text(file, "s.cfg", {});
    CHECK(study.data.file == text);
    CHECK(study.data.features == "/a#b");
    CHECK(parse_study_text(study_file_text(study), "s.cfg", {}).data.file == text);
    const Study absolute = with_absolute_inputs(study, "/that #dir");
    CHECK(absolute.data.file == "/that #dir/" + text);
    CHECK(parse_study_text(study_file_text(absolute), "s.cfg", {}).data.file == absolute.data.file);
  }
}

TEST_CASE("on the command line, a text with '#' needs no quotes") {
  CHECK(parse_study_text("", "s.cfg", {{"data.file", "a #b.h5"}}).data.file == "a #b.h5");
  CHECK(parse_study_text("", "s.cfg", {{"data.file", "\"a\\tb\""}}).data.file == "a\tb");
}

TEST_CASE("candidates with commas stand in quotes") {
  const std::string file =
      "[data]\nfile = d.h5\n[search]\nmethod = grid\nmodel.kind = torchscript:\"a,#b.pt\", linear\n";
  const Study study = parse_study_text(file, "s.cfg", {});
  REQUIRE(study.search.keys.size() == 1);
  CHECK(study.search.keys[0].candidates == std::vector<std::string>{"torchscript:\"a,#b.pt\"", "linear"});
  const Study absolute = with_absolute_inputs(study, "/d");
  CHECK(absolute.search.keys[0].candidates[0] == "torchscript:\"/d/a,#b.pt\"");
  CHECK(parse_study_text(study_file_text(absolute), "s.cfg", {}).search.keys[0].candidates ==
        absolute.search.keys[0].candidates);
}

TEST_CASE("a quote that is not closed is a problem of its line") {
  CHECK_THROWS_WITH(parse_study_text("[data]\nfile = \"a\n", "s.cfg", {}),
                    StartsWith("s.cfg:2: 'file = \"a' has no closing quote. Add it"));
}
