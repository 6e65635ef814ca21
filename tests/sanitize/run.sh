#!/usr/bin/env bash
# Builds and runs unit and MPI tests with sanitizers. A test ends at its first finding.
# Usage: tests/sanitize/run.sh [address|thread], by default both, one after the other.
# address: memory errors, undefined behavior and leaks. Leaks are checked in unit tests only: Open MPI unloads its
# components before the end, so their leaks have no symbol names. thread: data races in the code of this project;
# libraries that are not instrumented are ignored, and nothing else is suppressed.
# SPDX-License-Identifier: MIT
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/../.."

kind=${1:-both}
case $kind in
  address | thread | both) ;;
  *)
    echo "unknown sanitizer '$kind' (expected address or thread)" >&2
    exit 2
    ;;
esac

export UBSAN_OPTIONS=print_stacktrace=1
export TSAN_OPTIONS=ignore_noninstrumented_modules=1:second_deadlock_stack=1

# The thread sanitizer of older compilers fails with highly randomized address space, so randomization is disabled.
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
  ASAN_OPTIONS=detect_stack_use_after_return=1:strict_string_checks=1:detect_leaks=0 check sanitize 'mpi|simulated'
fi
if [ "$kind" != address ]; then
  build thread
  check thread 'unit|mpi'
fi
