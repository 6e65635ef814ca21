// SPDX-License-Identifier: MIT
#include "data/stream/passes.hpp"

#include <utility>
#include <vector>

#include "support/catch.hpp"

using namespace sheaf;

namespace {

using Passes = std::vector<std::pair<bool, std::int64_t>>;

const ValidationEpochs never{ValidationEpochs::never}, last{ValidationEpochs::last}, each{1}, second{2}, third{3};

Passes passes(std::int64_t epochs, ValidationEpochs validation) {
  Passes all;
  for (std::int64_t number = 0; number < pass_count(epochs, validation); ++number) {
    const Pass pass = pass_at(number, epochs, validation);
    all.emplace_back(pass.training, pass.epoch);
  }
  return all;
}

}  // namespace

TEST_CASE("the passes of a round train every epoch and validate after the selected epochs and the last one") {
  CHECK(passes(2, never) == Passes{{true, 0}, {true, 1}});
  CHECK(passes(2, last) == Passes{{true, 0}, {true, 1}, {false, 1}});
  CHECK(passes(2, each) == Passes{{true, 0}, {false, 0}, {true, 1}, {false, 1}});
  CHECK(passes(2, second) == Passes{{true, 0}, {true, 1}, {false, 1}});
  CHECK(passes(2, third) == Passes{{true, 0}, {true, 1}, {false, 1}});
  CHECK(passes(5, second) ==
        Passes{{true, 0}, {true, 1}, {false, 1}, {true, 2}, {true, 3}, {false, 3}, {true, 4}, {false, 4}});
  for (const auto validation : {never, last, each, second}) CHECK(pass_count(0, validation) == 0);
}

TEST_CASE("a partly trained model continues with the pass after its last epoch") {
  for (const auto validation : {never, last, each, second, third})
    for (std::int64_t done = 0; done < 5; ++done)
      CHECK(pass_at(next_pass(done, false, validation), 5, validation) == Pass{true, done});
  for (const auto validation : {each, second, third})
    for (std::int64_t done = validation.every; done <= 6; done += validation.every)
      CHECK(pass_at(next_pass(done, true, validation), 7, validation) == Pass{false, done - 1});
}

TEST_CASE("a model whose last epoch is not selected for validation uses the next validation pass or the last one") {
  CHECK(next_pass(3, true, last) >= pass_count(5, last));
  CHECK(pass_at(next_pass(3, true, second), 5, second) == Pass{false, 3});
  CHECK(pass_at(next_pass(4, true, third), 7, third) == Pass{false, 5});
  CHECK(next_pass(5, true, second) >= pass_count(5, second) - 1);
}
