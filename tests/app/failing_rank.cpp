// A job in which the engine of one rank throws while the other ranks are busy for an hour. The job must end at once.
// SPDX-License-Identifier: MIT
#include <chrono>
#include <thread>

#include "core/error.hpp"
#include "core/log.hpp"
#include "parallel/mpi/session.hpp"
#include "support/one_stage.hpp"

using namespace sheaf;

namespace {

class BusyEngine : public Engine {
 public:
  explicit BusyEngine(bool failing) : failing_(failing) {}

  bool train(const std::vector<IndexRange>& claim, const EngineCalls& calls) override {
    for (std::int64_t number = 0; number < RemainingIterations(claim).count(); ++number) {
      std::this_thread::sleep_for(failing_ ? std::chrono::milliseconds(100) : std::chrono::hours(1));
      if (failing_ && ++trained_ == 3) throw RunError("the engine broke in its third iteration.");
      calls.sink({});
    }
    return !claim.empty();
  }

 private:
  bool failing_;
  int trained_ = 0;
};

}  // namespace

int main(int argc, char** argv) {
  MpiSession session(argc, argv);
  const Communicator world = Communicator::world();
  set_log_rank(world.rank(), world.size());
  const Communicator node = world.split_by_node();
  const bool failing = world.rank() == world.size() - 1;
  RunOptions options;
  const RemainingIterations work({{0, 1000}});
  const EngineFactory make_engine = [failing](int) { return std::make_unique<BusyEngine>(failing); };
  test::train_one_stage({options, make_engine, {{core_lane}, ""}}, PartitionKind::self, work, world, node);
  return 0;
}
