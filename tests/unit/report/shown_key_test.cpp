// SPDX-License-Identifier: MIT
#include "report/shown_key.hpp"

#include "search/key_importance.hpp"
#include "support/catch.hpp"

using namespace sheaf;

namespace {

using Texts = std::vector<std::string>;
using Values = std::vector<std::optional<std::string>>;

}  // namespace

TEST_CASE("a range has the numbers of all spaces and trials") {
  const SearchedKey shown = shown_key({"k", {"0.001", "1", "0.0001", "0.01"}, Sampling::log_uniform}, {"3", {}});
  CHECK(shown.candidates == Texts{"0.0001", "3"});
  CHECK(shown.sampling == Sampling::log_uniform);
}

TEST_CASE("a range that begins at zero in another space is linear") {
  const SearchedKey shown = shown_key({"k", {"1", "8", "0", "2"}, Sampling::log_integer}, {"1", "0"});
  CHECK(shown.candidates == Texts{"0", "8"});
  CHECK(shown.sampling == Sampling::integer);
  CHECK(cells_of(shown, {"0", "8"}).of_trials == std::vector<std::optional<std::int64_t>>{0, 8});
}

TEST_CASE("a list has the values of all spaces; numbers ascend") {
  CHECK(shown_key({"k", {"16", "32", "8"}, Sampling::list}, {"16", {}}).candidates == Texts{"8", "16", "32"});
  CHECK(shown_key({"k", {"relu", "tanh"}, Sampling::list}, {"tanh", "gelu"}).candidates ==
        Texts{"relu", "tanh", "gelu"});
}

TEST_CASE("a range after a list with words is a list of all values") {
  const Values values = {"full", "23", "16", "23"};
  const SearchedKey shown = shown_key({"k", {"16", "64", "full"}, Sampling::integer}, values);
  CHECK(shown.sampling == Sampling::list);
  CHECK(shown.candidates == Texts{"16", "23", "64", "full"});
  CHECK(cells_of(shown, values).of_trials == std::vector<std::optional<std::int64_t>>{3, 1, 0, 1});
}
