#!/usr/bin/env bash
# The unit and MPI tests under sanitizers: builds their preset and runs ctest. A finding ends the test that has it.
# Usage: tests/sanitize/run.sh [address|thread], by default both, one after the other.
# address: memory, undefined behaviour, leaks (these in unit tests alone: Open MPI unloads its components before the end,
# so that what they leak has no name). thread: data races in this project's own code; libraries that are not built for
# it are left out as a whole, and nothing else is suppressed.
# SPDX-License-Identifier: MIT
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/../.."

kind=${1:-both}
case $kind in
  address | thread | both) ;;
  *)
    echo "unknown kind '$kind' (there are address and thread)" >&2
    exit 2
    ;;
esac

export UBSAN_OPTIONS=print_stacktrace=1
export TSAN_OPTIONS=ignore_noninstrumented_modules=1:second_deadlock_stack=1

# The thread sanitizer of older compilers knows no memory layout with much randomness.
fixed_layout=()
if setarch -R true 2>/dev/null; then fixed_layout=(setarch -R); fi

build() {
  cmake --preset "$1" >/dev/null
  cmake --build --preset "$1"
}

# check PRESET LABEL
check() {
  "${fixed_layout[@]}" ctest --preset "$1" --parallel 2 -L "$2"
}

if [ "$kind" != thread ]; then
  build sanitize
  ASAN_OPTIONS=detect_stack_use_after_return=1:strict_string_checks=1 check sanitize unit
  ASAN_OPTIONS=detect_stack_use_after_return=1:strict_string_checks=1:detect_leaks=0 check sanitize mpi
fi
if [ "$kind" != address ]; then
  build thread
  check thread 'unit|mpi'
fi
