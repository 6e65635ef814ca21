// SPDX-License-Identifier: MIT
#include "core/escaped.hpp"

#include "support/catch.hpp"

using namespace sheaf;

TEST_CASE("escaped keeps printable UTF-8 and makes everything else readable without loss") {
  CHECK(escaped("") == "");
  CHECK(escaped("a b/\xc3\xa4\xf0\x9f\x8c\xbe.h5") == "a b/\xc3\xa4\xf0\x9f\x8c\xbe.h5");
  CHECK(escaped("gr\xfcn\t.h5") == "gr\\xfcn\\x09.h5");
  CHECK(escaped("a\\xfc") == "a\\\\xfc");
  CHECK(escaped("\xc3") == "\\xc3");
  CHECK(escaped("gr\xfcn") != escaped("gr\xf6n"));
}

TEST_CASE("shell_word quotes only what the shell would change") {
  CHECK(shell_word("runs/a-1_b.c") == "runs/a-1_b.c");
  CHECK(shell_word("gr\xc3\xbcn") == "gr\xc3\xbcn");
  CHECK(shell_word("") == "''");
  CHECK(shell_word("a b#c") == "'a b#c'");
  CHECK(shell_word("it's") == "'it'\\''s'");
  CHECK(shell_word("a\tb") == "$'a\\x09b'");
  CHECK(shell_word("gr\xfcn's") == "$'gr\\xfcn\\'s'");
}
