#!/usr/bin/env bash
# Builds all fuzz targets and runs each for some seconds, one per core at a time. Fails if a target has a finding: the
# input is written to build/fuzz/findings, and running the target's program on it reproduces the finding. The corpus in
# build/fuzz/corpus is kept for the next run. Exit code 77 without clang.
# Usage: tests/fuzz/run.sh [SECONDS [TARGET...]], by default 600 seconds and all targets.
# SPDX-License-Identifier: MIT
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/../.."

seconds=${1:-600}
targets=("${@:2}")
build=$PWD/build/fuzz

if ! echo 'extern "C" int LLVMFuzzerTestOneInput(const char*, unsigned long) { return 0; }' |
  clang++ -fsanitize=fuzzer,address -x c++ -o /dev/null - 2>/dev/null; then
  echo "clang with libFuzzer was not found (packages clang and libclang-rt-dev on Debian). No target is run."
  exit 77
fi
cmake --preset fuzz >/dev/null
cmake --build --preset fuzz
mkdir -p "$build/findings" "$build/logs"
python3 tests/fuzz/seeds.py "$build/seeds"
if [ ${#targets[@]} -eq 0 ]; then
  for program in "$build"/tests/fuzz/fuzz_*; do targets+=("${program##*/fuzz_}"); done
fi

# fuzz TARGET: runs a target and prints one line; on a finding prints the end of the log and fails.
fuzz() {
  local log=$build/logs/$1
  mkdir -p "$build/corpus/$1"
  if (cd "$build" && "tests/fuzz/fuzz_$1" "corpus/$1" "seeds/$1" -dict=seeds/dictionary -max_total_time="$seconds" \
    -max_len=8192 -timeout=10 -rss_limit_mb=2048 -print_final_stats=1 \
    -artifact_prefix="findings/$1-" >"$log" 2>&1); then
    echo "$1: no finding in $(awk '/number_of_executed_units/ { print $2 }' "$log") inputs"
  else
    echo "$1: FINDING (in $log)"
    tail -n 40 "$log"
    return 1
  fi
}
export -f fuzz
export build seconds
printf '%s\n' "${targets[@]}" | xargs -P "$(nproc)" -I{} bash -c 'fuzz {}'
