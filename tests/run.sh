#!/usr/bin/env bash
# All tests: sets up with what they need, builds the preset dev and runs ctest. Arguments go on to ctest, as in -L unit.
# SPDX-License-Identifier: MIT
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."

bash cmake/setup.sh --preset dev --tests
ctest --preset dev --parallel 2 "$@"
