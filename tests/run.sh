#!/usr/bin/env bash
# All tests: sets up with what they need, builds the preset dev and runs ctest. Arguments go on to ctest, as in -L unit.
# With --clang first, clang compiles everything (preset clang).
# SPDX-License-Identifier: MIT
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."

preset=dev
if [ "${1:-}" = --clang ]; then
  preset=clang
  shift
fi
bash cmake/setup.sh --preset "$preset" --tests
ctest --preset "$preset" --parallel 2 "$@"
