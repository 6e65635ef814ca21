// SPDX-License-Identifier: MIT
#include "models/pickle_nesting.hpp"

#include <limits>
#include <string>

#include "support/catch.hpp"

using namespace sheaf;
using namespace std::string_literals;

namespace {

std::string repeated(const std::string& text, int times) {
  std::string all;
  for (int time = 0; time < times; ++time) all += text;
  return all;
}

}  // namespace

TEST_CASE("a pickle is as deep as its deepest value") {
  CHECK(pickle_nesting("") == 0);
  CHECK(pickle_nesting("\x80\x02N.") == 1);
  CHECK(pickle_nesting("\x80\x02](K\1K\2e.") == 2);                      // [1, 2]
  CHECK(pickle_nesting("\x80\x02}(X\1\0\0\0a]X\1\0\0\0b(NNtu."s) == 3);  // {"a": [], "b": (None, None)}
  CHECK(pickle_nesting("\x80\x02"
                       "c__torch__\nNet\nq\0)\x81}(X\1\0\0\0wh\0ub."s) == 3);  // an object with a state
  CHECK(pickle_nesting("](" + repeated("](K\1e", 3000) + "e.") == 3);          // many short lists
}

TEST_CASE("all ways of nesting values count") {
  const std::string marks = repeated("(", 500), lists = repeated("](", 500);
  CHECK(pickle_nesting(marks + repeated("t", 500) + ".") >= 500);
  CHECK(pickle_nesting(lists + "]" + repeated("e", 500) + ".") >= 500);
  CHECK(pickle_nesting("N" + repeated("\x85", 500) + ".") >= 500);
  CHECK(pickle_nesting("N" + repeated("NR", 500) + ".") >= 500);
  // From the outermost list to the innermost one, by way of the memo: each list gets the next one as its part.
  const std::string next = "]q\1ah\1q\0"s;
  CHECK(pickle_nesting("]q\0"s + repeated(next, 500) + ".") >= 500);
}

TEST_CASE("invalid instructions end without a depth, cycles have no limit") {
  for (const std::string& pickle :
       {"t"s, "(((e"s, "e"s, "0"s, "h\5"s, "X\xff\xff\xff\xff"s, "c__torch__"s, "\x81"s, "\xff"s})
    CHECK(pickle_nesting(pickle) <= 1);
  CHECK(pickle_nesting("]q\0h\0a."s) == std::numeric_limits<std::int64_t>::max());  // a list that contains itself
}
