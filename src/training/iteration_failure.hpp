// SPDX-License-Identifier: MIT
#pragma once

#include <exception>
#include <new>
#include <optional>
#include <string>

#include "core/error.hpp"

namespace sheaf {

/// Runs `work`, a part of one iteration. If it fails because of this iteration alone, returns the error message. Errors
/// of the device or the machine (DeviceError) are rethrown.
template <class Work>
std::optional<std::string> failure_of(const Work& work) {
  try {
    work();
    return std::nullopt;
  } catch (const DeviceError&) {
    throw;
  } catch (const std::bad_alloc&) {
    return "out of memory (an allocation failed)";
  } catch (const std::exception& error) {
    return error.what();
  }
}

}  // namespace sheaf
