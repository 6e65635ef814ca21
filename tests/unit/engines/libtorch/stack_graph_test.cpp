// SPDX-License-Identifier: MIT
#include "engines/libtorch/stack_graph.hpp"

#include <c10/util/Exception.h>

#include <stdexcept>

// LibTorch has macros with these names.
#include "support/catch.hpp"

using namespace sheaf;

namespace {

struct Recording : RecordedWork {
  explicit Recording(int& replays_of_test) : replays(replays_of_test) {}
  void replay() override { ++replays; }
  int& replays;
};

}  // namespace

TEST_CASE("on a CPU each launch calls the function, and nothing else does") {
  int calls = 0;
  const StackGraph graph(torch::kCPU, [&] { ++calls; });
  CHECK(calls == 0);
  graph.launch();
  graph.launch();
  CHECK(calls == 2);
}

TEST_CASE("work is computed once, then recorded and replayed") {
  int calls = 0, calls_before = 0, replays = 0;
  const StackGraph graph([&] { ++calls; },
                         [&](const StackWork& work) {
                           calls_before = calls;
                           work();
                           return std::make_unique<Recording>(replays);
                         });
  CHECK(calls_before == 1);
  CHECK(calls == 2);
  graph.launch();
  graph.launch();
  CHECK(calls == 2);
  CHECK(replays == 2);
}

TEST_CASE("work that cannot be recorded is launched by its function") {
  int calls = 0;
  const StackGraph::Recorder fails = [](const StackWork&) -> std::unique_ptr<RecordedWork> {
    TORCH_CHECK(false, "no graph");
  };
  for (int number = 0; number < 2; ++number) {
    const StackGraph graph([&] { ++calls; }, fails);
    graph.launch();
  }
  CHECK(calls == 4);
}

TEST_CASE("an error of the work itself is not taken for a failed recording") {
  const StackGraph::Recorder never = [](const StackWork&) -> std::unique_ptr<RecordedWork> {
    FAIL("recorded");
    return nullptr;
  };
  CHECK_THROWS_WITH(StackGraph([] { throw std::runtime_error("out of memory"); }, never), "out of memory");
}
