// SPDX-License-Identifier: MIT
#pragma once

#include <exception>
#include <new>
#include <optional>
#include <string>

#include "core/error.hpp"

namespace sheaf {

/// Runs `work`, a part of one iteration. Returns the message if it fails, which is then the iteration's alone; an error
/// of the device or the machine (DeviceError) is thrown.
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
