// SPDX-License-Identifier: MIT
#include "parallel/mpi/agreement.hpp"

#include <algorithm>
#include <chrono>
#include <stdexcept>
#include <string>
#include <thread>

#include "core/error.hpp"

#include "support/catch.hpp"

using namespace sheaf;

namespace {

// The kind and message of the error that agree throws, such as "usage: ...", or "none".
std::string outcome(const Communicator& comm, const std::function<void()>& action) {
  try {
    agree(comm, action);
  } catch (const AgreedError& error) {
    const std::string code = error.code() == ExitCode::usage     ? "usage: "
                             : error.code() == ExitCode::stopped ? "stopped: "
                                                                 : "failed: ";
    return code + error.what();
  }
  return "none";
}

}  // namespace

TEST_CASE("agree returns when no rank throws") {
  const Communicator world = Communicator::world();
  int calls = 0;
  CHECK(outcome(world, [&] { ++calls; }) == "none");
  CHECK(calls == 1);
}

TEST_CASE("agree throws one rank's error on every rank, whichever rank it came from") {
  const Communicator world = Communicator::world();
  for (int failing = 0; failing < world.size(); ++failing) {
    const auto fail_with = [&](const auto& error) {
      return [&] {
        if (world.rank() == failing) throw error;
      };
    };
    CHECK(outcome(world, fail_with(UsageError("u" + std::to_string(failing)))) == "usage: u" + std::to_string(failing));
    CHECK(outcome(world, fail_with(RunError("r" + std::to_string(failing)))) == "failed: r" + std::to_string(failing));
    CHECK(outcome(world, fail_with(Interrupted("i"))) == "stopped: i");
    CHECK(outcome(world, fail_with(std::out_of_range("other"))) == "failed: other");
  }
}

TEST_CASE("an error agreed on in a smaller group keeps its kind and message in the larger group") {
  const Communicator world = Communicator::world();
  const Communicator alone = Communicator::self();
  CHECK(outcome(world, [&] { agree(alone, [] { throw UsageError("u"); }); }) == "usage: u");
  CHECK(outcome(world, [&] { agree(alone, [] { throw RunError("r"); }); }) == "failed: r");
  CHECK(outcome(world, [&] { agree(alone, [] { throw Interrupted("i"); }); }) == "stopped: i");
}

TEST_CASE("agree throws the lowest rank's error when several ranks throw") {
  const Communicator world = Communicator::world();
  const int lowest = world.size() / 2;
  const std::string thrown = outcome(world, [&] {
    if (world.rank() == lowest) throw UsageError("rank " + std::to_string(world.rank()));
    if (world.rank() > lowest) throw RunError("rank " + std::to_string(world.rank()));
  });
  CHECK(thrown == "usage: rank " + std::to_string(lowest));
}

TEST_CASE("agree preserves messages of any length") {
  const Communicator world = Communicator::world();
  const std::string text(100000, 'x');
  const auto fail_with = [&](const std::string& message) {
    return [&world, message] {
      if (world.rank() == world.size() - 1) throw RunError(message);
    };
  };
  const bool whole = outcome(world, fail_with(text)) == "failed: " + text;  // a CHECK of the texts would print them
  CHECK(whole);
  CHECK(outcome(world, fail_with("")) == "failed: ");
}

TEST_CASE("agree_in_background throws one rank's error on all ranks") {
  const Communicator world = Communicator::world();
  for (int failing = 0; failing < world.size(); ++failing) {
    std::string message;
    try {
      agree_in_background(
          world,
          [&] {
            if (world.rank() != failing) return;
            std::this_thread::sleep_for(std::chrono::milliseconds(20));
            throw RunError("late " + std::to_string(failing));
          },
          without_limit());
    } catch (const AgreedError& error) {
      message = error.what();
    }
    CHECK(message == "late " + std::to_string(failing));
  }
  CHECK_NOTHROW(agree_in_background(
      world, [] {}, without_limit()));
}

TEST_CASE("agree_in_background does not treat a rank whose action is still running as silent") {
  const Communicator world = Communicator::world();
  constexpr double action_seconds = 1.5;
  double longest_silence = 0;
  const auto note_silence = [&](double waited_seconds) {
    longest_silence = std::max(longest_silence, waited_seconds);
    return 0.2;
  };
  const auto sleep_on_root = [&] {
    if (world.is_root()) std::this_thread::sleep_for(std::chrono::duration<double>(action_seconds));
  };
  CHECK_NOTHROW(agree_in_background(world, sleep_on_root, note_silence));
  CHECK(longest_silence < action_seconds);
}

TEST_CASE("agree_in_background throws ConnectionLost when a rank does not join within the limit") {
  const Communicator world = Communicator::world(), late = Communicator::world();
  if (world.size() == 1) return;
  const auto nothing = [] {};
  if (!world.is_root()) CHECK_THROWS_AS(agree_in_background(late, nothing, at_most(0.1, "")), ConnectionLost);
  world.barrier();
  if (world.is_root()) CHECK_NOTHROW(agree_in_background(late, nothing, without_limit()));
  world.barrier();
}
