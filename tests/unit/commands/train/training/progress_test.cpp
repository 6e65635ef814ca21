// SPDX-License-Identifier: MIT
#include "commands/train/training/progress.hpp"

#include "support/catch.hpp"

using namespace sheaf;

TEST_CASE("progress shows the count, the rate and the remaining time") {
  CHECK(progress_text(0, 1, 1, {}) == "0/1 iteration (0%)");
  CHECK(progress_text(0, 60, 1, {}) == "0/60 iterations (0%)");
  CHECK(progress_text(30, 60, 2, {}) == "30/60 iterations (50%), 15/s, 2.0 s left");
  CHECK(progress_text(60, 60, 2, {}) == "60/60 iterations (100%), 30/s");
  CHECK(progress_text(30, 60, 2, "best loss 0.5") == "30/60 iterations (50%), 15/s, 2.0 s left, best loss 0.5");
  CHECK(progress_text(0, 0, 0, {}) == "0/0 iterations (100%)");
  CHECK(progress_text(30, 60, 2, {}, "stage 1 of 0..3") == "stage 1 of 0..3: 30/60 iterations (50%), 15/s, 2.0 s left");
}

TEST_CASE("the progress bar fits the width of the terminal") {
  CHECK(progress_bar(5, 10, 1, {}, 200) ==
        "[####################....................] 5/10 iterations (50%), 5/s, 1.0 s left");
  for (int width : {1, 10, 40, 60, 80}) CHECK(static_cast<int>(progress_bar(5, 10, 1, {}, width).size()) < width);
}
