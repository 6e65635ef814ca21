#!/usr/bin/env bash
# races.sh PROGRAM SOURCES: runs the tests of PROGRAM (update_results) that have few values in Oclgrind, which simulates
# a GPU and reports data races, barriers that only some items reach, and accesses out of bounds. There must be none, and
# Oclgrind must find the race that appears without barriers.
# SPDX-License-Identifier: MIT
set -euo pipefail

command -v oclgrind >/dev/null || {
  echo "skipped: oclgrind was not found (Debian 12 has it, Debian 13 has not)"
  exit 77
}

# reports OPTIONS: prints what Oclgrind reports; OPTIONS are for the compiler of kernels. Fails if the tests fail.
reports() {
  rm -f reports.log
  KERNEL_OPTIONS=$1 oclgrind --data-races --max-errors 5 --log reports.log "$program" "$sources" "*few values" \
    >output.log 2>&1 || [ -n "$1" ] || {
    cat output.log
    exit 1
  }
  cat reports.log
}

program=$1 sources=$2
found=$(reports "")
[ -z "$found" ] || {
  echo "FAILED: Oclgrind reports:"
  echo "$found"
  exit 1
}
grep 'assertions in' output.log
found=$(reports -DGPU_NO_BARRIERS)
grep -q 'data race at local memory' <<<"$found" || {
  echo "FAILED: Oclgrind does not report the race of a kernel without barriers:"
  cat output.log
  echo "$found"
  exit 1
}
echo "no races; without barriers: $(grep -c 'data race' <<<"$found") reported"
