// Environment variables that Sheaf sets for the libraries it uses.
// SPDX-License-Identifier: MIT
#pragma once

#include <map>
#include <optional>
#include <string>

namespace sheaf {

/// Values of environment variables by name.
using Environment = std::map<std::string, std::string>;

/// The changes to `environment`: new values, or nullopt for variables to remove. Pure.
///
/// OpenMP and MKL: lanes set their own numbers of threads (run.threads), so a thread that sets none gets one, whatever
/// the variables demand. Their settings for binding, stacks and nesting are removed: they are meant for a program that
/// has all cores to itself, and would bind all lanes to the same core. Threads without work sleep instead of waiting in
/// a loop, which takes the cores from other lanes and jobs, unless the user has chosen a wait policy. A lower
/// OMP_THREAD_LIMIT of the user remains.
///
/// hwloc: no OpenCL devices, because OpenCL runtimes replace the signal handlers of the program.
///
/// cuBLAS: a fixed workspace for each stream, unless the user has chosen one. Otherwise products may be rounded
/// differently from call to call.
std::map<std::string, std::optional<std::string>> environment_changes(const Environment& environment);

/// Changes the environment of this process accordingly. Call it before MPI is initialized and before libraries are
/// loaded, which read it only once, and while there is one thread.
void prepare_environment();

}  // namespace sheaf
