#!/usr/bin/env bash
# races.sh PROGRAM SOURCES: runs the tests of PROGRAM (update_results) that have few values in Oclgrind, which simulates
# a GPU and reports data races, barriers that only some items reach, and accesses out of bounds. There must be none, and
# Oclgrind must find the race that appears without barriers.
# SPDX-License-Identifier: MIT
set -euo pipefail
program=$1 sources=$2

command -v oclgrind >/dev/null || {
  echo "skipped: oclgrind was not found (Debian 12 has it, Debian 13 has not)"
  exit 77
}

# simulate OPTIONS: writes the output to output.log and the reports of Oclgrind to reports.log. Fails if the tests fail.
# OPTIONS are for the compiler of kernels.
simulate() {
  rm -f reports.log
  KERNEL_OPTIONS=$1 oclgrind --data-races --max-errors 5 --log reports.log "$program" "$sources" "*few values" \
    >output.log 2>&1
}

fail() {
  echo "FAILED: $*"
  cat output.log reports.log
  exit 1
}

simulate "" || fail "wrong results in Oclgrind"
[ ! -s reports.log ] || fail "Oclgrind reports errors"
grep 'assertions in' output.log
simulate -DGPU_NO_BARRIERS || true # results are wrong if the race has effects
grep -q 'data race at local memory' reports.log || fail "Oclgrind does not report the race of a kernel without barriers"
echo "no races; without barriers: $(grep -c 'data race' reports.log)"
