// update_results SOURCES [arguments of Catch2]: compares the kernel of stack updates, run on CPU cores with OpenCL,
// with LibTorch's operators. SOURCES is the folder src. The environment variable KERNEL_OPTIONS has options for the
// compiler of kernels. Exit code 77: OpenCL has no device that runs on cores.
// SPDX-License-Identifier: MIT
#include <cstdlib>
#include <iostream>
#include <memory>
#include <string>

#include "kernels/check_kernel.hpp"
#include "kernels/opencl_kernel.hpp"
#include "support/run_catch.hpp"

using namespace sheaf;
using namespace sheaf::test;

namespace {

std::unique_ptr<OpenClProgram> program;

void check_updates(UpdateSize size) {
  const UpdateKernel kernel = [](const StackShape& shape, const StackBatch& batch, StackState& state, int fused) {
    program->update(shape, batch, state, fused);
  };
  check_kernel(kernel, torch::kCPU, size);
}

constexpr std::int64_t of_group = std::int64_t{update_group_size} * update_values_of_item;

}  // namespace

TEST_CASE("the kernel gives the bits of the operators: few values") {
  check_updates({1, 3});
  check_updates({7, 40});
}

TEST_CASE("the kernel gives the bits of the operators: several groups for a slot") {
  check_updates({});
  check_updates({1, of_group});
  check_updates({3, of_group + 1});
  check_updates({20, 5 * of_group / 2 + 17});
}

int main(int argc, char** argv) {
  if (argc < 2) {
    std::cerr << "usage: update_results SOURCES [arguments of Catch2]\n";
    return 1;
  }
  if (!OpenClProgram::has_device()) {
    std::cout << "skipped: OpenCL has no device that runs on cores (package pocl-opencl-icd on Debian)\n";
    return 77;
  }
  try {
    const char* options = std::getenv("KERNEL_OPTIONS");
    program = std::make_unique<OpenClProgram>(argv[1], options == nullptr ? "" : options);
    argv[1] = argv[0];
    const int failed = run_catch(argc - 1, argv + 1, false);
    program.reset();
    return failed == 0 ? 0 : 1;
  } catch (const std::exception& error) {
    std::cerr << error.what() << '\n';
    return 1;
  }
}
