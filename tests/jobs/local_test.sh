#!/usr/bin/env bash
# local_test.sh SHEAF SOURCE: checks that jobs/local.sh gives one rank all cores, starts RANKS ranks, passes arguments
# to the program and returns its exit code.
# SPDX-License-Identifier: MIT
set -euo pipefail
export SHEAF=$1
cd "$2"
. tests/jobs/checks.sh
short=(--train.epochs=2 --search.folds=2)
study=jobs/studies/digits-search.cfg
placement() { grep -E '^ranks? [0-9-]+:' "$work/$1.log"; }

run alone 0 "$SHEAF" run $study --run.output="$work/alone" "${short[@]}"
RANKS=1 OUTPUT=$work/one STUDY=$study run one 0 bash jobs/local.sh "${short[@]}"
results one
[ "$(placement one)" = "$(placement alone)" ] ||
  problem "one rank has other cores than the program without mpiexec: $(placement one), not $(placement alone)"

RANKS=2 OUTPUT=$work/two STUDY=$study run two 0 bash jobs/local.sh "${short[@]}" --study.seed=11
results two
says two '^ranks? .*1: '
grep -q '^seed = 11$' "$work/two/study.cfg" || problem "two: --study.seed was not passed to the program"

RANKS=$(($(nproc) + 1)) OUTPUT=$work/many STUDY=$study run many 0 bash jobs/local.sh "${short[@]}"
results many

STUDY=$study run wrong 2 bash jobs/local.sh --train.epoch=2
says wrong 'train.epochs'

run unset 2 env -u STUDY bash jobs/local.sh
says unset '^error: STUDY is not set'
