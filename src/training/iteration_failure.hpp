// SPDX-License-Identifier: MIT
#pragma once

#include <exception>
#include <new>
#include <optional>
#include <string>

#include "core/error.hpp"

namespace sheaf {

struct IterationFailure {
  std::string message;
  bool lacks_memory = false;  ///< of the device or the machine
};

/// Runs `work`, a part of one iteration. If it fails because of this iteration alone, returns why. Errors of the device
/// or the machine (DeviceError) are rethrown.
template <class Work>
std::optional<IterationFailure> failure_of(const Work& work) {
  try {
    work();
    return std::nullopt;
  } catch (const DeviceError&) {
    throw;
  } catch (const std::bad_alloc&) {
    return IterationFailure{"out of memory (an allocation failed)", true};
  } catch (const MemoryError& error) {
    return IterationFailure{error.what(), true};
  } catch (const std::exception& error) {
    return IterationFailure{error.what(), false};
  }
}

}  // namespace sheaf
