// SPDX-License-Identifier: MIT
#include "models/source_nesting.hpp"

#include <string>

#include "support/catch.hpp"

using namespace sheaf;

namespace {

std::string repeated(const std::string& text, int times) {
  std::string all;
  for (int time = 0; time < times; ++time) all += text;
  return all;
}

}  // namespace

TEST_CASE("code as PyTorch saves it is shallow, however long it is") {
  const std::string lines = repeated(
      "  _0 = torch.add(torch.mul(a, -1.5e-3), [1, 2], alpha=1)  # (((((((\n"
      "  _1 = \"((((((((\\\"((((((((((\"\n"
      "  if torch.__is__(b, None):\n    c = a.b\n  else:\n    c = (d[0])[1]\n",
      2000);
  const std::string list = "  weights = [" + repeated("-1.5, ops.prim.data(x), ", 5000) + "1]\n";
  CHECK(source_nesting("class A(Module):\n  def forward(self, x: Tensor) -> Tensor:\n" + lines + list) < 30);
  CHECK(source_nesting("") == 0);
}

TEST_CASE("every construction that deepens the syntax tree counts") {
  for (const std::string part : {"(", "[", "{", "f(", "not ", "-", "x + ", "x if y else ", "x.", "x[0]", "f()", "x ** ",
                                 "x and ", "lambda y: "}) {
    CAPTURE(part);
    CHECK(source_nesting("  return " + repeated(part, 500)) >= 500);
  }
  std::string blocks, indentation;
  for (int depth = 0; depth < 500; ++depth, indentation += " ") blocks += indentation + "if x:\n";
  CHECK(source_nesting(blocks) >= 500);
  CHECK(source_nesting("if x:\n  y\n" + repeated("elif x:\n  y\n", 500)) >= 500);
  CHECK(source_nesting(repeated("if x:\n  y\nelif x:\n  y\nelse:\n  y\n", 500)) < 10);
}

TEST_CASE("strings, comments and line ends do not hide code") {
  const std::string deep = repeated("(", 500);
  for (const std::string before : {"\"a\"", "'\\''", "\"\"\"a\"b\n\"\"\"", "'''\n'''", "# (\n", "\"unclosed\n",
                                   "x \\\n", "# type: ", "\"\\\\\"", "''"}) {
    CAPTURE(before);
    CHECK(source_nesting(before + deep) >= 500);
  }
  for (const std::string before : {"\"", "'", "\"\"\"", "# "}) CHECK(source_nesting(before + deep) < 10);
}
