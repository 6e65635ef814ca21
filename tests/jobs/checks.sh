# shellcheck shell=bash
# Functions for the test scripts in this folder: a temporary folder $work, and checks that count failures.
# SPDX-License-Identifier: MIT
work=$(mktemp -d)
failures=0
trap 'rm -rf "$work"; [ "$failures" = 0 ] || exit 1' EXIT

problem() {
  echo "FAILED: $*"
  failures=$((failures + 1))
}

# run NAME CODE COMMAND...: runs a command, which must exit with CODE. Its output goes to $work/NAME.log, without the
# times of log lines.
run() {
  local name=$1 expected=$2 code=0
  shift 2
  "$@" >"$work/$name.log" 2>&1 || code=$?
  sed -i -E 's/^[0-9]{2}:[0-9]{2}:[0-9]{2} //' "$work/$name.log"
  [ "$code" = "$expected" ] || {
    problem "$name: exit code $code instead of $expected"
    sed 's/^/  | /' "$work/$name.log"
  }
}

# says NAME PATTERN, says_not NAME PATTERN: the output of the command NAME must have, or not have, a matching line.
says() {
  grep -qE -- "$2" "$work/$1.log" || {
    problem "$1: no output line matches: $2"
    sed 's/^/  | /' "$work/$1.log"
  }
}
says_not() {
  ! grep -E -- "$2" "$work/$1.log" || problem "$1: the output line above is unexpected"
}

# results NAME: the run directory $work/NAME must have results.
results() {
  [ -s "$work/$1/results.csv" ] || problem "$1: has no results.csv"
}
