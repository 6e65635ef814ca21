// SPDX-License-Identifier: MIT
#include "core/fitted_table.hpp"

#include <sstream>

#include "core/display_width.hpp"
#include "support/catch.hpp"

using namespace sheaf;

namespace {

const std::vector<FittedColumn> columns = {
    {"rank", "rank", 9, false, {"1", "2"}},
    {"model.kind", "kind", 5, true, {"torchscript:models/größe-a.pt", "torchscript:models/größe-b.pt"}},
    {"train.epochs", "epochs", 5, true, {"5", "100"}},
    {"score", "score", 9, false, {"0.9", "0.8"}},
    {"loss", "loss", 1, false, {"0.25", "1"}}};

}  // namespace

TEST_CASE("a table that fits is unchanged") {
  const FittedTable table = fitted_table(columns, 62);
  CHECK(table.omitted == 0);
  CHECK(table.text ==
        "rank  model.kind                     train.epochs  score  loss\n"
        "   1  torchscript:models/größe-a.pt             5    0.9  0.25\n"
        "   2  torchscript:models/größe-b.pt           100    0.8     1\n");
}

TEST_CASE("a table that is too wide gets short headers, then loses columns, and long cells are cut in the middle") {
  CHECK(fitted_table(columns, 61).text ==
        "rank  kind                           epochs  score  loss\n"
        "   1  torchscript:models/größe-a.pt       5    0.9  0.25\n"
        "   2  torchscript:models/größe-b.pt     100    0.8     1\n");
  CHECK(fitted_table(columns, 45).text ==
        "rank  kind                epochs  score  loss\n"
        "   1  torchsc...öße-a.pt       5    0.9  0.25\n"
        "   2  torchsc...öße-b.pt     100    0.8     1\n");
  const FittedTable narrow = fitted_table(columns, 31);
  CHECK(narrow.omitted == 1);
  CHECK(narrow.text ==
        "rank  kind        epochs  score\n"
        "   1  tor...a.pt       5    0.9\n"
        "   2  tor...b.pt     100    0.8\n");
  CHECK(fitted_table(columns, 1).omitted == 4);
}

TEST_CASE("no line is wider than the terminal") {
  for (std::size_t width = 4; width < 80; ++width) {
    std::istringstream lines(fitted_table(columns, width).text);
    for (std::string line; std::getline(lines, line);) {
      CAPTURE(width, line);
      CHECK(display_width(line) <= std::max<std::size_t>(width, 5));
    }
  }
}
