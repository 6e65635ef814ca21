#!/usr/bin/env bash
# Installs the packages of all tests, builds the preset dev and runs ctest. Arguments, such as -L unit, are passed to
# ctest. With --clang as the first argument, clang compiles everything (preset clang).
# SPDX-License-Identifier: MIT
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."

preset=dev
if [ "${1:-}" = --clang ]; then
  preset=clang
  shift
fi
bash cmake/setup.sh --preset "$preset" --tests
# Most tests wait for processes and the disk half of the time.
ctest --preset "$preset" --parallel 3 "$@"
