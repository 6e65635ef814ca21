// The version of the program.
// SPDX-License-Identifier: MIT
#pragma once

#include <string>

namespace sheaf {

/// "0.5.0".
std::string program_version();

/// The git commit of the sources, with "+changes" if the working tree had uncommitted changes; "unknown" outside a
/// checkout.
std::string git_revision();

/// A hash of the sources, the compiler and its flags, as 16 hexadecimal digits. The program loads an engine library
/// only if their ids are equal. Equal sources built in the same way have equal ids.
std::string build_id();

}  // namespace sheaf
