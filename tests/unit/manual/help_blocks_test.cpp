// SPDX-License-Identifier: MIT
#include "manual/help_blocks.hpp"

#include <string>
#include <vector>

#include "support/catch.hpp"

using namespace sheaf;

namespace {

using Words = std::vector<std::string>;

// One line per block.
Words shown(const std::string& help) {
  Words lines;
  for (const HelpBlock& block : help_blocks(help)) {
    std::string line;
    for (const std::string& term : block.terms) line += "<" + term + ">";
    line += block.text;
    for (const std::string& example : block.examples) line += "|" + example;
    const char* kinds[] = {"heading ", "paragraph ", "item ", "literal "};
    lines.push_back(kinds[static_cast<std::size_t>(block.kind)] + line);
  }
  return lines;
}

}  // namespace

TEST_CASE("paragraphs are joined, other indented lines are not") {
  CHECK(shown("One\ntwo.\n\nThree:\n    a = 1\n      b\nFour\n") ==
        Words{"paragraph One two.", "paragraph Three:", "literal |    a = 1|      b", "paragraph Four"});
  CHECK(shown("") == Words{});
  CHECK(shown("\n\nOne") == Words{"paragraph One"});
  CHECK(shown("  sheaf run a.cfg\n  sheaf run b.cfg\n") == Words{"literal |  sheaf run a.cfg|  sheaf run b.cfg"});
}

TEST_CASE("items have a description on their line, or in the lines below") {
  CHECK(shown("all\n  --long=a|b  one\n              two\n  --short\n        three\n  --last\n\nEnd\n") ==
        Words{"heading all", "item <--long=a|b>one two", "item <--short>three", "item <--last>", "paragraph End"});
  CHECK(shown("One of\n\n  RUN_DIR --x=N  the model\n  FILE.pt        a file\n") ==
        Words{"paragraph One of", "item <RUN_DIR --x=N>the model", "item <FILE.pt>a file"});
}

TEST_CASE("items without a description share that of the next one") {
  CHECK(shown("  --a=1, --b=2,\n  --c=3  as above\n") == Words{"item <--a=1, --b=2,><--c=3>as above"});
}

TEST_CASE("lines below a description that are indented further are examples") {
  CHECK(shown("  --a=1   one\n          two\n              sheaf run\n") == Words{"item <--a=1>one two|sheaf run"});
  CHECK(shown("  --a=1\n          one\n              sheaf run\n") == Words{"item <--a=1>one|sheaf run"});
}
