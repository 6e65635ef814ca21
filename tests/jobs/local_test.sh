#!/usr/bin/env bash
# local_test.sh SHEAF SOURCE: checks that jobs/local.sh gives one rank all cores, starts RANKS ranks, passes arguments
# to the program and returns its exit code, from another folder.
# SPDX-License-Identifier: MIT
set -euo pipefail
export SHEAF=$1
cd "$2"
. tests/jobs/checks.sh
short=(--train.epochs=2 --search.folds=2)
study=$PWD/jobs/studies/digits-search.cfg
local=$PWD/jobs/local.sh
cd "$work"
placement() { grep -E '^ranks? [0-9-]+:' "$work/$1.log"; }

run alone 0 "$SHEAF" run "$study" --run.output="$work/alone" "${short[@]}"
RANKS=1 OUTPUT=one STUDY=$study run one 0 bash "$local" "${short[@]}"
results one
[ "$(placement one)" = "$(placement alone)" ] ||
  problem "one rank has other cores than the program without mpiexec: $(placement one), not $(placement alone)"

RANKS=2 OUTPUT=$work/two STUDY=$study run two 0 bash "$local" "${short[@]}" --study.seed=11
results two
says two '^ranks? .*1: '
grep -q '^seed = 11$' "$work/two/study.cfg" || problem "two: --study.seed was not passed to the program"

RANKS=$(($(nproc) + 1)) OUTPUT=$work/many STUDY=$study run many 0 bash "$local" "${short[@]}"
results many

STUDY=$study run wrong 2 bash "$local" --train.epoch=2
says wrong 'train.epochs'

run unset 2 env -u STUDY bash "$local"
says unset '^error: STUDY is not set'
