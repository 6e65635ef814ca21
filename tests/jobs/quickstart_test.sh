#!/usr/bin/env bash
# quickstart_test.sh SHEAF SOURCE: checks that jobs/quickstart.sh, without its setup and from another folder, prints the
# leaderboard, even if the run directory exists.
# SPDX-License-Identifier: MIT
set -euo pipefail
export SHEAF=$1
. "$2/tests/jobs/checks.sh"
cd "$work"
export OUTPUT=$work/digits
short=(--train.epochs=2 --search.folds=2)

for number in 1 2 3; do
  run $number 0 bash "$2/jobs/quickstart.sh" "${short[@]}"
  says $number '^Best: '
done
results digits
results digits-2
results digits-3
says_not 1 'earlier run'
says 3 'digits contains an earlier run; this run is written to .*/digits-3$'

run wrong 2 bash "$2/jobs/quickstart.sh" --train.epoch=2
says_not wrong 'done:'
