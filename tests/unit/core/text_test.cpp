// SPDX-License-Identifier: MIT
#include "core/text.hpp"

#include "support/catch.hpp"

using namespace sheaf;

TEST_CASE("nearest_name corrects a typing error and returns nothing for unrelated names") {
  const std::vector<std::string> keys = {"train.epochs", "train.batch_size", "model.hidden"};
  CHECK(nearest_name("train.epoch", keys) == "train.epochs");
  CHECK(nearest_name("train.bacth_size", keys) == "train.batch_size");
  CHECK(nearest_name("data.file", keys).empty());
  CHECK(did_you_mean("model.hiden", keys) == " Did you mean 'model.hidden'?");
  CHECK(did_you_mean("x", keys).empty());
}

TEST_CASE("nearest_name finds nothing for a word that nobody types, whose distances would take gigabytes") {
  const std::string word(100, 'x'), longer(200'000, 'x');
  CHECK(nearest_name(word + "y", {word}).empty());
  CHECK(nearest_name(word, {word + "y"}) == word + "y");
  CHECK(nearest_name(longer + "y", {longer}).empty());
}

TEST_CASE("listed joins texts and counts those that are not shown") {
  using Texts = std::vector<std::string>;
  CHECK(listed({}) == "");
  CHECK(listed({"a"}) == "a");
  CHECK(listed({"a", "b"}) == "a and b");
  CHECK(listed({"a", "b", "c"}, 3) == "a, b and c");
  CHECK(listed({"a", "b", "c", "d"}, 3) == "a, b and 2 more");
  CHECK(listed(Texts(1000, "x")) == "x, x, x, x and 996 more");
}

TEST_CASE("as_utf8 keeps UTF-8 and decodes other text as Latin-1, without zero bytes") {
  CHECK(as_utf8("") == "");
  CHECK(as_utf8("a\n\xc3\xa4\xf0\x9f\x8c\xbe") == "a\n\xc3\xa4\xf0\x9f\x8c\xbe");
  CHECK(as_utf8("K\xe4se") == "K\xc3\xa4se");
  CHECK(as_utf8("\x80\xff") == "\xc2\x80\xc3\xbf");
  CHECK(as_utf8("\xc3\xa4\xe4") == "\xc3\x83\xc2\xa4\xc3\xa4");  // one byte that is not UTF-8 decides
  CHECK(as_utf8(std::string("a\0b", 3)) == "a?b");
  CHECK(as_utf8(std::string("\0\xe4", 2)) == "?\xc3\xa4");
}

TEST_CASE("printable replaces control characters and invalid UTF-8 and keeps other characters") {
  CHECK(printable("a\x1b[2J\n\t\x7f" + std::string(1, '\0') + "z") == "a?[2J????z");
  CHECK(printable("é'ß\u20ac\U0001F33E") == "é'ß\u20ac\U0001F33E");
  CHECK(printable("\xff\xe9t\xe9") == "??t?");
  CHECK(printable("\xc2\x9b[2J") == "?[2J");              // a control character of two bytes
  CHECK(printable("\xc0\xaf \xe0\x80\xaf") == "?? ???");  // overlong encodings
  CHECK(printable("\xed\xa0\x80 \xf4\x90\x80\x80") == "??? ????");
  CHECK(printable("cut \xe2\x82") == "cut ??");
  CHECK(did_you_mean("price", {"price\x1b"}) == " Did you mean 'price?'?");
}

TEST_CASE("durations and sizes are printed in suitable units") {
  CHECK(human_seconds(0.0421) == "0.0421 s");
  CHECK(human_seconds(0.9999) == "1.0 s");
  CHECK(human_seconds(61) == "61.0 s");
  CHECK(human_seconds(125) == "2 min 5 s");
  CHECK(human_seconds(12000) == "3 h 20 min");
  CHECK(human_bytes(512) == "512 B");
  CHECK(human_bytes(1536) == "1.5 KiB");
  CHECK(human_bytes(1024.0 * 1024 * 1024) == "1.0 GiB");
}

TEST_CASE("counted uses the singular or the plural of the noun") {
  CHECK(counted(0, "row") == "0 rows");
  CHECK(counted(1, "row") == "1 row");
  CHECK(counted(2, "row") == "2 rows");
}

TEST_CASE("format_table aligns numbers to the right and text to the left") {
  CHECK(format_table({{"name", "loss"}, {"a", "0.5"}, {"long", "12.25"}}) ==
        "name   loss\n"
        "a       0.5\n"
        "long  12.25\n");
  CHECK(format_table({{"é", "x"}, {"ab", "y"}}) == "é   x\nab  y\n");
}
