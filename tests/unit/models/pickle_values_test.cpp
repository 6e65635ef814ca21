// The expected bytes are those of Python's pickle.dumps(value, protocol=2) without its memo, except for long integers,
// to which LibTorch gives eight bytes. tests/oracle/compare_model_files.py reads whole pickles with Python.
// SPDX-License-Identifier: MIT
#include "models/pickle_values.hpp"

#include <limits>

#include "support/catch.hpp"

using namespace sheaf;
using namespace std::string_literals;

TEST_CASE("plain values are pickled with the shortest instructions that LibTorch knows") {
  CHECK(pickled_bool(true) == "\x88");
  CHECK(pickled_bool(false) == "\x89");
  CHECK(pickled_integer(0) == "K\0"s);
  CHECK(pickled_integer(255) == "K\xff");
  CHECK(pickled_integer(256) == "J\0\1\0\0"s);
  CHECK(pickled_integer(-1) == "J\xff\xff\xff\xff");
  CHECK(pickled_integer(0x7fffffff) == "J\xff\xff\xff\x7f");
  CHECK(pickled_integer(0x80000000) == "\x8a\x08\0\0\0\x80\0\0\0\0"s);
  CHECK(pickled_integer(std::numeric_limits<std::int64_t>::min()) == "\x8a\x08\0\0\0\0\0\0\0\x80"s);
  CHECK(pickled_text("") == "X\0\0\0\0"s);
  CHECK(pickled_text("a\nb") == "X\3\0\0\0a\nb"s);
  CHECK(pickled_text(std::string(300, 'a')).substr(0, 6) == "X\x2c\1\0\0a"s);
}

TEST_CASE("values that contain others are pickled after them") {
  CHECK(pickled_tuple({}) == ")");
  CHECK(pickled_tuple({pickled_integer(1), pickled_tuple({})}) == "(K\1)t");
  CHECK(pickled_global("torch", "FloatStorage") == "ctorch\nFloatStorage\n");
  CHECK(pickled_call(pickled_global("m", "f"), pickled_tuple({})) == "cm\nf\n)R");
  CHECK(pickled_persistent(pickled_tuple({})) == ")Q");
  CHECK(pickled_object(pickled_global("m", "C"), {{"a", pickled_bool(true)}}) == "cm\nC\n)\x81}(X\1\0\0\0a\x88ub"s);
  CHECK(pickled_dictionary({}) == "}(u");
  CHECK(pickled_dictionary({{"a", pickled_bool(true)}, {"b", pickled_integer(1)}}) ==
        "}(X\1\0\0\0a\x88X\1\0\0\0bK\1u"s);
  CHECK(pickle_of(pickled_tuple({})) == "\x80\2).");
}
