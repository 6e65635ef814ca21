#!/usr/bin/env bash
# Builds all fuzz targets and runs each for some seconds, as many at a time as there are cores. Fails when one finds
# something: its input lies in build/fuzz/findings then, and the target's program repeats it. What was learnt stays in
# build/fuzz/corpus for the next time. Without clang there is nothing to do: exit code 77.
# Usage: tests/fuzz/run.sh [SECONDS [TARGET...]], by default 600 and all.
# SPDX-License-Identifier: MIT
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/../.."

seconds=${1:-600}
targets=("${@:2}")
build=$PWD/build/fuzz

if ! echo 'extern "C" int LLVMFuzzerTestOneInput(const char*, unsigned long) { return 0; }' |
  clang++ -fsanitize=fuzzer,address -x c++ -o /dev/null - 2>/dev/null; then
  echo "clang with libFuzzer was not found (packages clang and libclang-rt-dev on Debian): nothing is fuzzed"
  exit 77
fi
cmake --preset fuzz >/dev/null
cmake --build --preset fuzz
mkdir -p "$build/findings" "$build/logs"
python3 tests/fuzz/seeds.py "$build/seeds"
if [ ${#targets[@]} -eq 0 ]; then
  for program in "$build"/tests/fuzz/fuzz_*; do targets+=("${program##*/fuzz_}"); done
fi

# fuzz TARGET: says one line; false when there is a finding, which its log tells of.
fuzz() {
  local log=$build/logs/$1
  mkdir -p "$build/corpus/$1"
  if (cd "$build" && "tests/fuzz/fuzz_$1" "corpus/$1" "seeds/$1" -dict=seeds/words -max_total_time="$seconds" \
    -max_len=8192 -timeout=10 -rss_limit_mb=2048 -print_final_stats=1 \
    -artifact_prefix="findings/$1-" >"$log" 2>&1); then
    echo "$1: nothing found in $(awk '/number_of_executed_units/ { print $2 }' "$log") inputs"
  else
    echo "$1: FOUND (in $log)"
    tail -n 40 "$log"
    return 1
  fi
}
export -f fuzz
export build seconds
printf '%s\n' "${targets[@]}" | xargs -P "$(nproc)" -I{} bash -c 'fuzz {}'
