// SPDX-License-Identifier: MIT
#include "data/import/csv_text.hpp"

#include "support/catch.hpp"

using namespace sheaf;

namespace {

std::string read_whole(const std::string& bytes, std::size_t sample_bytes, std::size_t at_once) {
  MemorySource source("f", bytes);
  CsvText text(source, sample_bytes, 1000);
  std::string all;
  for (bool more = true; more;) {
    std::string part(at_once, '\0');
    part.resize(text.read(part.data(), at_once));
    more = part.size() == at_once;
    all += part;
  }
  CHECK(all.compare(0, text.sample().size(), text.sample()) == 0);
  CHECK(text.is_whole() == (text.sample().size() == all.size() && all.size() < std::max(sample_bytes, all.size() + 1)));
  return all;
}

std::string utf16(const std::u16string& text, bool little) {
  std::string bytes;
  for (const char16_t unit : text) {
    const char low = static_cast<char>(unit & 0xff), high = static_cast<char>(unit >> 8);
    bytes.push_back(little ? low : high);
    bytes.push_back(little ? high : low);
  }
  return bytes;
}

}  // namespace

TEST_CASE("UTF-16 is decoded, with and without a byte order mark") {
  const std::u16string text = u"a,\u00fc,\u20ac,\U0001f600\n1,2,3,4\n";
  const std::string expected = "a,\xc3\xbc,\xe2\x82\xac,\xf0\x9f\x98\x80\n1,2,3,4\n";
  for (const bool little : {true, false})
    for (const std::size_t sample : {7, 1000})
      for (const std::size_t at_once : {1, 3, 1000})
        CHECK(read_whole(utf16(u"\ufeff" + text, little), sample, at_once) == expected);
  const std::u16string ascii = u"a,b,y\n1,2,3\n";
  for (const bool little : {true, false}) CHECK(read_whole(utf16(ascii, little), 100, 5) == "a,b,y\n1,2,3\n");
}

TEST_CASE("halves of characters in UTF-16 are replaced") {
  CHECK(read_whole("\xff\xfe" + utf16(u"a\xd83d"
                                      u"b",
                                      true),
                   100, 4) ==
        "a\xef\xbf\xbd"
        "b");
  CHECK(read_whole("\xff\xfe" + utf16(u"ab\xd83d", true), 100, 4) == "ab\xef\xbf\xbd");
  CHECK(read_whole("\xff\xfe" + utf16(u"ab", true) + "c", 100, 4) == "ab\xef\xbf\xbd");
}

TEST_CASE("zero bytes are refused with their position, in the sample and after it") {
  using namespace std::string_literals;
  const std::string text = "a,y\n" + std::string(500, '1') + ",0\n";
  for (const std::size_t sample : {8, 4096})
    for (const std::size_t at_once : {1, 1000})
      CHECK_THROWS_WITH(read_whole(text + "2,\0\n"s + text, sample, at_once),
                        StartsWith("'f' has a zero byte at position 509 (it is a binary file"));
  const std::u16string cyrillic = u"\u0430\u0431\u0432,\u0433\u0434\u0435\n1,2\n";
  for (const bool little : {true, false})
    CHECK_THROWS_WITH(read_whole(utf16(cyrillic, little), 100, 5), EndsWith("Save it as CSV in UTF-8."));
  CHECK(read_whole(utf16(u"\ufeff" + cyrillic, true), 100, 5).find("1,2") != std::string::npos);
  CHECK_THROWS_WITH(read_whole("\xff\xfe\0\0a\0\0\0,\0\0\0"s, 100, 5), EndsWith("Save it as CSV in UTF-8."));  // UTF-32
}

TEST_CASE("the sample contains rows below a header that nearly fills it") {
  const std::string bytes = std::string(300, 'x') + "\n" + std::string(300, 'y') + "\n" + std::string(3000, 'z');
  MemorySource source("f", bytes);
  CHECK(CsvText(source, 310, 10000).sample().find("y\n") != std::string::npos);
}

TEST_CASE("other bytes are unchanged, and the sample contains a whole line") {
  const std::string bytes = std::string(300, 'x') + "\nK\xe4se,1\n";
  CHECK(read_whole(bytes, 10, 7) == bytes);
  MemorySource source("f", bytes);
  CHECK(CsvText(source, 10, 1000).sample().find('\n') != std::string::npos);
}

TEST_CASE("lines end in returns only if no line outside quotes ends in a newline") {
  CHECK(detect_line_end("a,b\r1,2\r") == '\r');
  CHECK(detect_line_end("a,b\r\n1,2\r\n") == '\n');
  CHECK(detect_line_end("a,b\n1,2\n") == '\n');
  CHECK(detect_line_end("a,\"x\ny\"\r1,2\r") == '\r');
  CHECK(detect_line_end("a,\"x\"\"\ny\"\r1,2\r") == '\r');
  CHECK(detect_line_end("a,5\"\r\n1,2\r\n") == '\n');
  CHECK(detect_line_end("abc") == '\n');
}
