// SPDX-License-Identifier: MIT
#include "core/event_count.hpp"

#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include <atomic>
#include <chrono>
#include <new>
#include <thread>
#include <vector>

#include "support/catch.hpp"

using namespace sheaf;

namespace {

using namespace std::chrono_literals;

constexpr std::chrono::nanoseconds longer_than_a_test = 24h;

// Two players take turns. Each one sleeps during the other's turn.
struct Game {
  EventCount events;
  std::atomic<int> turn{0};

  void play(int player, int turns) {
    for (int mine = player; mine < turns; mine += 2) {
      events.wait_for(longer_than_a_test, [&] { return turn.load() == mine; });
      turn = mine + 1;
      events.advance();
    }
  }
};

}  // namespace

TEST_CASE("a waiting thread wakes at every change") {
  Game game;
  std::thread other([&] { game.play(1, 20000); });
  game.play(0, 20000);
  other.join();
  CHECK(game.turn == 20000);
}

TEST_CASE("one change wakes all waiting threads") {
  EventCount events;
  std::atomic<bool> open{false};
  std::atomic<int> checks{0};
  std::vector<std::thread> waiters;
  for (int waiter = 0; waiter < 4; ++waiter)
    waiters.emplace_back([&] {
      events.wait_for(longer_than_a_test, [&] {
        ++checks;
        return open.load();
      });
    });
  while (checks < 4) std::this_thread::yield();
  std::this_thread::sleep_for(10ms);  // most likely, all of them sleep now
  open = true;
  events.advance();
  for (auto& waiter : waiters) waiter.join();
}

TEST_CASE("a change wakes a waiting thread of another process") {
  void* shared = ::mmap(nullptr, sizeof(Game), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
  REQUIRE(shared != MAP_FAILED);
  auto* game = new (shared) Game;
  const pid_t child = ::fork();
  if (child == 0) {
    game->play(1, 2000);
    ::_exit(0);
  }
  REQUIRE(child > 0);
  game->play(0, 2000);
  int status = -1;
  CHECK(::waitpid(child, &status, 0) == child);
  CHECK(status == 0);
  CHECK(game->turn == 2000);
  ::munmap(shared, sizeof(Game));
}

TEST_CASE("wait_for sleeps until its timeout") {
  EventCount events;
  int checks = 0;
  const auto start = std::chrono::steady_clock::now();
  CHECK_FALSE(events.wait_for(50ms, [&] {
    ++checks;
    return false;
  }));
  CHECK(std::chrono::steady_clock::now() - start >= 50ms);
  CHECK(checks <= 3);  // at the beginning, at the end, and once more if the clock is slightly off
  CHECK(events.wait_for(0ms, [] { return true; }));
}
