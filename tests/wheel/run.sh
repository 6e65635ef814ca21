#!/usr/bin/env bash
# All tests with the LibTorch of a pip wheel, from nothing: virtual environment (build/torch-venv, replaced), wheel, build
# (build/wheel), tests. Then models are exchanged with a build on the system's LibTorch (build/dev, where libtorch-dev is
# installed if necessary). Needs 10 GB. Arguments go on to ctest, as in -L unit.
# SPDX-License-Identifier: MIT
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/../.."

rm -rf build/torch-venv
bash cmake/setup.sh --preset wheel --torch=pip --tests
ctest --preset wheel --parallel 2 "$@"
bash cmake/setup.sh --preset dev --torch=system --tests
build/torch-venv/bin/python3 tests/wheel/exchange.py build/dev/sheaf build/wheel/sheaf data/digits.h5
