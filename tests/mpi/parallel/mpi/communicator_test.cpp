// SPDX-License-Identifier: MIT
#include "parallel/mpi/communicator.hpp"

#include <algorithm>
#include <chrono>
#include <functional>
#include <iterator>
#include <thread>
#include <utility>

#include "core/error.hpp"

#include "support/catch.hpp"

using namespace sheaf;

namespace {

// Whether `action` leaves a region of the caller's stack unchanged.
[[gnu::noinline]] bool stack_stays_untouched(const std::function<void()>& action) {
  volatile unsigned char memory[65536];
  constexpr unsigned char pattern = 0xa5;
  for (auto& byte : memory) byte = pattern;
  action();
  return std::all_of(std::begin(memory), std::end(memory), [](unsigned char byte) { return byte == pattern; });
}

// Seconds of a clock that all ranks of a host share. MPI_Wtime starts at 0 in each process with Open MPI 5.
double host_seconds() {
  return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count();
}

}  // namespace

TEST_CASE("the communicators for world, self and node have the right ranks and sizes") {
  const Communicator world = Communicator::world();
  int rank = -1, size = -1;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  CHECK(world.rank() == rank);
  CHECK(world.size() == size);
  CHECK(world.is_root() == (rank == 0));
  CHECK(Communicator::self().size() == 1);
  const Communicator node = world.split_by_node();
  CHECK(node.size() == size);  // the tests run on one machine
  CHECK(node.rank() == rank);
}

TEST_CASE("split groups ranks by color in their order; a rank with a negative color is alone") {
  const Communicator world = Communicator::world();
  const Communicator parity = world.split(world.rank() % 2);
  CHECK(parity.rank() == world.rank() / 2);
  CHECK(parity.size() == (world.size() + 1 - world.rank() % 2) / 2);
  const Communicator alone = world.split(world.rank() == 0 ? -1 : 0);
  CHECK(alone.size() == (world.rank() == 0 ? 1 : world.size() - 1));
}

TEST_CASE("a moved communicator still works") {
  Communicator first = Communicator::world();
  Communicator second = std::move(first);
  CHECK(second.sum(1) == second.size());
  first = std::move(second);
  CHECK(first.sum(1) == first.size());
}

TEST_CASE("MPI errors are thrown with the name of the call and the library's message") {
  const Communicator world = Communicator::world();
  int value = 0;
  try {
    check_mpi(MPI_Send(&value, 1, MPI_INT, world.size(), 0, world.handle()), "MPI_Send");
    CHECK(false);
  } catch (const RunError& error) {
    CHECK_THAT(error.what(), ContainsSubstring("MPI_Send failed") && ContainsSubstring("invalid rank"));
  }
}

TEST_CASE("sum, minimum and maximum reduce over all ranks") {
  const Communicator world = Communicator::world();
  const std::int64_t size = world.size();
  CHECK(world.sum(world.rank() + 1) == size * (size + 1) / 2);
  CHECK(world.maximum(std::int64_t{world.rank()}) == size - 1);
  CHECK(world.minimum(std::int64_t{-world.rank()}) == 1 - size);
  CHECK(world.maximum(0.5 * world.rank()) == 0.5 * static_cast<double>(size - 1));
  CHECK(world.sum(std::int64_t{1} << 40) == size << 40);
  CHECK(world.sum(std::vector<std::int64_t>{world.rank(), 3}) ==
        std::vector<std::int64_t>{size * (size - 1) / 2, 3 * size});
}

TEST_CASE("broadcast and gather transfer strings of any length from any rank") {
  const Communicator world = Communicator::world();
  for (int root = 0; root < world.size(); ++root)
    CHECK(world.broadcast(world.rank() == root ? "from " + std::to_string(root) : "other", root) ==
          "from " + std::to_string(root));
  CHECK(world.broadcast("", 0).empty());
  const auto texts = world.gather(std::string(static_cast<std::size_t>(world.rank()), 'a' + char(world.rank())));
  CHECK(texts.size() == (world.is_root() ? static_cast<std::size_t>(world.size()) : 0));
  for (std::size_t rank = 0; rank < texts.size(); ++rank)
    CHECK(texts[rank] == std::string(rank, static_cast<char>('a' + rank)));
}

TEST_CASE("gather concatenates uneven contributions in rank order") {
  struct Pair {
    std::int32_t rank;
    double value;
  };
  const Communicator world = Communicator::world();
  const auto count_of = [](int rank) { return static_cast<std::size_t>(rank == 1 ? 0 : 1000 * rank + 3); };
  std::vector<Pair> own;
  for (std::size_t i = 0; i < count_of(world.rank()); ++i) own.push_back({world.rank(), static_cast<double>(i)});
  const auto check = [&](const std::vector<Pair>& all) {
    std::size_t next = 0, wrong = 0;
    for (int rank = 0; rank < world.size(); ++rank)
      for (std::size_t i = 0; i < count_of(rank) && next < all.size(); ++i, ++next)
        wrong += all[next].rank != rank || all[next].value != static_cast<double>(i);
    CHECK(wrong == 0);
    std::size_t total = 0;
    for (int rank = 0; rank < world.size(); ++rank) total += count_of(rank);
    CHECK(all.size() == total);
  };
  const auto gathered = world.gather(own);
  if (world.is_root()) {
    check(gathered);
  } else {
    CHECK(gathered.empty());
  }
  check(world.all_gather(own));
  CHECK(world.gather(std::vector<int>{}).empty());
}

TEST_CASE("broadcast_vector resizes the receivers") {
  const Communicator world = Communicator::world();
  std::vector<std::int64_t> values(static_cast<std::size_t>(world.rank()) + 2, world.rank());
  if (world.is_root()) values = {5, 6, 7};
  world.broadcast_vector(values);
  CHECK(values == std::vector<std::int64_t>{5, 6, 7});
  if (world.is_root()) values.clear();
  world.broadcast_vector(values);
  CHECK(values.empty());
}

TEST_CASE("patient_barrier blocks early ranks and calls back while they wait") {
  const Communicator world = Communicator::world();
  double arrived = 0, left = 0;
  int calls = 0;
  world.barrier();
  // The last rank joins after the first one has been called back.
  const bool is_last = world.size() > 1 && world.rank() == world.size() - 1;
  if (is_last) MPI_Recv(nullptr, 0, MPI_BYTE, 0, 0, world.handle(), MPI_STATUS_IGNORE);
  arrived = host_seconds();
  world.patient_barrier([&](double) {
    if (++calls == 1 && world.size() > 1 && world.is_root())
      MPI_Send(nullptr, 0, MPI_BYTE, world.size() - 1, 0, world.handle());
    return 1e-3;
  });
  left = host_seconds();
  CHECK(left >= arrived);
  CHECK(left >= world.maximum(arrived));  // no rank left before the last one arrived
  if (world.size() > 1 && world.is_root()) CHECK(calls > 0);
}

TEST_CASE("patient_maximum equals maximum") {
  const Communicator world = Communicator::world();
  CHECK(world.patient_maximum(world.rank(), [](double) { return 1.0; }) == world.size() - 1);
}

TEST_CASE("a reduction whose wait ended early completes in its own memory") {
  const Communicator world = Communicator::world(), reduced = Communicator::world();
  if (world.size() == 1) return;
  if (world.is_root()) {
    CHECK_THROWS_AS(reduced.patient_maximum(1, at_most(-1, "")), ConnectionLost);
    CHECK(stack_stays_untouched([&] {
      world.barrier();  // the other ranks begin
      world.barrier();  // the other ranks have their results
    }));
  } else {
    world.barrier();
    CHECK(reduced.patient_maximum(world.rank(), without_limit()) == world.size() - 1);
    world.barrier();
  }
}

TEST_CASE("wait_patiently throws at its timeout, and polls less often the longer it waits") {
  CHECK_THROWS_AS(wait_patiently([] { return false; }, at_most(0.05, "")), ConnectionLost);
  int calls = 0;
  CHECK_THROWS_AS(wait_patiently([&] { return ++calls, false; }, at_most(1, "")), ConnectionLost);
  CHECK(calls < 700);  // 10,000 if every pause were 0.1 ms, as the first is
  calls = 0;
  wait_patiently([&] { return ++calls == 20; }, [](double) { return 0.0; });
  CHECK(calls == 20);
}

TEST_CASE("patient_sum and patient_gather return all contributions, from uneven and late ranks") {
  const Communicator world = Communicator::world();
  const std::int64_t size = world.size();
  int naps = 0;
  std::this_thread::sleep_for(std::chrono::milliseconds(5 * world.rank()));
  CHECK(world.patient_sum({world.rank() + 1, std::int64_t{1} << 40}, [&](double) { return ++naps, 1.0; }) ==
        std::vector<std::int64_t>{size * (size + 1) / 2, size << 40});
  if (world.is_root() && size > 1) CHECK(naps > 0);
  for (const std::size_t unit : {0, 1, 100000}) {
    const std::vector<std::byte> own(unit * static_cast<std::size_t>(world.rank() == 1 ? 0 : world.rank() + 1),
                                     static_cast<std::byte>(world.rank()));
    const auto all = world.patient_gather(own, [](double) { return 1.0; });
    std::vector<std::byte> expected;
    for (int rank = 0; world.is_root() && rank < world.size(); ++rank)
      expected.insert(expected.end(), unit * static_cast<std::size_t>(rank == 1 ? 0 : rank + 1),
                      static_cast<std::byte>(rank));
    CHECK((all == expected));
  }
}
