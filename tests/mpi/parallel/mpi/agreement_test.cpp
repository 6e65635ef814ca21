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

// "usage: ..." or "failed: ..." of what agree threw, or "none".
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

TEST_CASE("agree goes on when no rank threw") {
  const Communicator world = Communicator::world();
  int calls = 0;
  CHECK(outcome(world, [&] { ++calls; }) == "none");
  CHECK(calls == 1);
}

TEST_CASE("agree throws one rank's error on every rank, whichever rank it was") {
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

TEST_CASE("what a smaller group agreed on passes through the larger one") {
  const Communicator world = Communicator::world();
  const Communicator alone = Communicator::self();
  CHECK(outcome(world, [&] { agree(alone, [] { throw UsageError("u"); }); }) == "usage: u");
  CHECK(outcome(world, [&] { agree(alone, [] { throw RunError("r"); }); }) == "failed: r");
  CHECK(outcome(world, [&] { agree(alone, [] { throw Interrupted("i"); }); }) == "stopped: i");
}

TEST_CASE("agree takes the lowest rank's error, kind and text, when several threw") {
  const Communicator world = Communicator::world();
  const int lowest = world.size() / 2;
  const std::string thrown = outcome(world, [&] {
    if (world.rank() == lowest) throw UsageError("rank " + std::to_string(world.rank()));
    if (world.rank() > lowest) throw RunError("rank " + std::to_string(world.rank()));
  });
  CHECK(thrown == "usage: rank " + std::to_string(lowest));
}

TEST_CASE("a message of any length survives agreement") {
  const Communicator world = Communicator::world();
  const std::string text(100000, 'x');
  const auto fail_with = [&](const std::string& message) {
    return [&world, message] {
      if (world.rank() == world.size() - 1) throw RunError(message);
    };
  };
  const bool whole = outcome(world, fail_with(text)) == "failed: " + text;  // not a CHECK that prints it all
  CHECK(whole);
  CHECK(outcome(world, fail_with("")) == "failed: ");
}

TEST_CASE("an agreement in the background throws on all ranks what one of them threw") {
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

TEST_CASE("an agreement in the background lets no rank wait in silence while another one's action lasts") {
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

TEST_CASE("an agreement in the background ends with the limit when a rank does not come") {
  const Communicator world = Communicator::world(), late = Communicator::world();
  if (world.size() == 1) return;
  const auto nothing = [] {};
  if (!world.is_root()) CHECK_THROWS_AS(agree_in_background(late, nothing, at_most(0.1, "")), ConnectionLost);
  world.barrier();
  if (world.is_root()) CHECK_NOTHROW(agree_in_background(late, nothing, without_limit()));
  world.barrier();
}
