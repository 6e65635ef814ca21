#!/usr/bin/env bash
# turns_test.sh SOURCE: checks that jobs/slurm.sh forwards the signal, keeps the exit code and requeues the right job. A
# fake scontrol records its arguments; tests/slurm/ uses the real one.
# SPDX-License-Identifier: MIT
set -euo pipefail
cd "$1"
. tests/jobs/checks.sh
unset OUTPUT RESTARTS "${!SLURM_@}"

mkdir "$work/bin"
cat >"$work/bin/scontrol" <<SCONTROL
#!/usr/bin/env bash
echo "\$@" >>"$work/requests"
exit "\${SCONTROL_CODE:-0}"
SCONTROL
# Signals the script until it forwards the signal, then exits with 75 after half a second, like a run that finishes its
# current iterations.
cat >"$work/bin/launcher" <<'LAUNCHER'
#!/usr/bin/env bash
trap 'sleep 0.5; exit 75' USR1
while kill -USR1 "$PPID"; do
  sleep 0.2
done
LAUNCHER
chmod +x "$work"/bin/*
export PATH=$work/bin:$PATH SHEAF=$work/bin/launcher

# turn NAME CODE COMMAND...: runs one attempt of a job in a separate shell.
turn() {
  local name=$1 code=$2
  shift 2
  : >"$work/requests"
  run "$name" "$code" bash -c 'set -euo pipefail; . jobs/slurm.sh; run_and_requeue "$@"' script "$@"
}
# expect_requests NAME ARGUMENTS: scontrol must have been called with these arguments; not at all if they are empty.
expect_requests() {
  [ "$(cat "$work/requests")" = "$2" ] ||
    problem "$1: scontrol was called with '$(cat "$work/requests")', not '$2'"
}

(
  unset STUDY
  turn nameless 2 true
)
says nameless "^error: STUDY is not set"
export SLURM_JOB_ID=7 STUDY=my.cfg
turn done 0 true
expect_requests done ''
turn failed 3 bash -c 'exit 3'
expect_requests failed ''
turn stopped 75 bash -c 'exit 75'
expect_requests stopped 'requeue 7'
says stopped '^Requeueing job 7$'
turn signalled 75 launcher
expect_requests signalled 'requeue 7'
SCONTROL_CODE=1 turn refused 75 bash -c 'exit 75'
says refused 'cannot be requeued. To continue, submit it with OUTPUT=runs/job-7'
SLURM_RESTART_COUNT=2 turn third 75 bash -c 'exit 75'
expect_requests third 'requeue 7'
SLURM_RESTART_COUNT=3 turn enough 75 bash -c 'exit 75'
expect_requests enough ''
says enough 'restarted 3 times \(RESTARTS=3\). To continue, submit it again with OUTPUT=runs/job-7, and with a longer'
RESTARTS=4 SLURM_RESTART_COUNT=3 turn more 75 bash -c 'exit 75'
expect_requests more 'requeue 7'
SLURM_JOB_ID=7 SLURM_ARRAY_JOB_ID=7 SLURM_ARRAY_TASK_ID=2 turn task 75 bash -c 'exit 75'
expect_requests task 'requeue 7_2'
