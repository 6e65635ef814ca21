// Compares the kernel of stack updates with LibTorch's operators on the first GPU, and prints the time of both. Exit
// code 77: there is no GPU, or this build has no kernels.
// SPDX-License-Identifier: MIT
#include <c10/core/InferenceMode.h>
#include <torch/cuda.h>

#include <chrono>
#include <iostream>

#include "kernels/check_kernel.hpp"
#include "support/run_catch.hpp"

using namespace sheaf;
using namespace sheaf::test;

namespace {

const torch::Device gpu{torch::kCUDA, 0};

StackState state_of(std::int64_t slots, std::int64_t stride) {
  const auto values = [&] {
    return torch::full({slots, stride}, 0.5, torch::TensorOptions(torch::kFloat32).device(gpu));
  };
  StackState state;
  state.parameters = values();
  state.gradients = values();
  state.first = values();
  state.second = values();
  return state;
}

// Microseconds for one update.
template <class Update>
double time_of(const Update& update) {
  using Clock = std::chrono::steady_clock;
  constexpr int turns = 200;
  for (int turn = 0; turn < 10; ++turn) update();
  torch::cuda::synchronize();
  const auto begin = Clock::now();
  for (int turn = 0; turn < turns; ++turn) update();
  torch::cuda::synchronize();
  return std::chrono::duration<double, std::micro>(Clock::now() - begin).count() / turns;
}

}  // namespace

TEST_CASE("the kernel gives the bits of the operators of the GPU") {
  for (const UpdateSize size : {UpdateSize{}, UpdateSize{1, 3}, UpdateSize{1, 64}, UpdateSize{3, 1025},
                                UpdateSize{64, 2624}, UpdateSize{2, 20480}})
    check_kernel(update_kernel(gpu), gpu, size);
}

TEST_CASE("the times of the kernel and of the operators") {
  const c10::InferenceMode inference;
  StackShape shape;
  shape.optimizer = OptimizerKind::adam;
  for (const UpdateSize size : {UpdateSize{1, 2624}, UpdateSize{1024, 2624}, UpdateSize{50, 102400}}) {
    StackState state = state_of(size.slots, size.stride);
    StackBatch batch;
    batch.numbers = torch::ones({size.slots, update_number_count}, state.parameters.options());
    const double operators = time_of([&] { update_parameters(shape, batch, state); });
    const UpdateKernel kernel = update_kernel(gpu);
    const double fused = time_of([&] { kernel(shape, batch, state, 0); });
    std::cout << "update by adam, " << size.slots << " slots of " << size.stride << " values: operators " << operators
              << " us, kernel " << fused << " us\n";
    CHECK(fused > 0);
  }
}

int main(int argc, char** argv) {
  if (!torch::cuda::is_available()) {
    std::cout << "skipped: LibTorch finds no CUDA device\n";
    return 77;
  }
  if (!update_kernel(gpu)) {
    std::cout << "skipped: this build has no kernels for GPUs (nvcc was not found)\n";
    return 77;
  }
  return run_catch(argc, argv, true) == 0 ? 0 : 1;
}
