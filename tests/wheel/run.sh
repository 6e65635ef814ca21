#!/usr/bin/env bash
# Runs all tests with the LibTorch of a pip wheel. Creates a virtual environment (replaces build/torch-venv), installs
# the wheel, builds in build/wheel and runs ctest. Then exchanges models with a build that uses the LibTorch of the
# system (build/dev; installs libtorch-dev if necessary). Needs 10 GB of disk space. Arguments, such as -L unit, are
# passed to ctest.
# SPDX-License-Identifier: MIT
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/../.."

rm -rf build/torch-venv
bash cmake/setup.sh --preset wheel --torch=pip --tests
ctest --preset wheel --parallel 2 "$@"
bash cmake/setup.sh --preset dev --torch=system --tests
build/torch-venv/bin/python3 tests/wheel/exchange.py build/dev/sheaf build/wheel/sheaf data/digits.h5
