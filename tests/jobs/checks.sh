# shellcheck shell=bash
# For the test scripts beside it: a temporary folder, and checks that are counted instead of stopping at the first.
# SPDX-License-Identifier: MIT
work=$(mktemp -d)
failures=0
trap 'rm -rf "$work"; [ "$failures" = 0 ] || exit 1' EXIT

problem() {
  echo "FAILED: $*"
  failures=$((failures + 1))
}

# run NAME CODE COMMAND...: the command must exit with that code. Its output goes to $work/NAME.log.
run() {
  local name=$1 expected=$2 code=0
  shift 2
  "$@" >"$work/$name.log" 2>&1 || code=$?
  [ "$code" = "$expected" ] || {
    problem "$name: exit code $code instead of $expected"
    sed 's/^/  | /' "$work/$name.log"
  }
}

# says NAME PATTERN, says_not NAME PATTERN: whether that command's output has such a line.
says() {
  grep -qE -- "$2" "$work/$1.log" || {
    problem "$1: says nothing like: $2"
    sed 's/^/  | /' "$work/$1.log"
  }
}
says_not() {
  ! grep -E -- "$2" "$work/$1.log" || problem "$1: says what it should not (the line above)"
}

# results NAME: its run directory $work/NAME is whole.
results() {
  [ -s "$work/$1/results.csv" ] || problem "$1: has no results.csv"
}
