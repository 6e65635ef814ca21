// A library whose static initializer throws, like those of LibTorch when two versions of it are loaded.
// SPDX-License-Identifier: MIT
#include <stdexcept>

namespace {

struct Registration {
  Registration() { throw std::runtime_error("this operator is already registered\nframe #0: a backtrace"); }
};

const Registration registration;

}  // namespace
