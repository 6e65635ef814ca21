#!/usr/bin/env bash
# turns_test.sh SOURCE: jobs/slurm.sh hands the signal on, keeps the exit code, and queues the right job again, with a
# scontrol that only notes what it is asked for. tests/slurm/ has the real one.
# SPDX-License-Identifier: MIT
set -euo pipefail
cd "$1"
. tests/jobs/checks.sh
unset OUTPUT RESTARTS "${!SLURM_@}"

mkdir "$work/bin"
cat >"$work/bin/scontrol" <<SCONTROL
#!/usr/bin/env bash
echo "\$@" >>"$work/asked"
exit "\${SCONTROL_CODE:-0}"
SCONTROL
# Signals the script until that hands the signal on, and ends with 75 half a second after it, as a run that finishes its
# iterations.
cat >"$work/bin/launcher" <<'LAUNCHER'
#!/usr/bin/env bash
trap 'sleep 0.5; exit 75' USR1
while kill -USR1 "$PPID"; do
  sleep 0.2
done
LAUNCHER
chmod +x "$work"/bin/*
export PATH=$work/bin:$PATH

# turn NAME CODE COMMAND...: one turn of a job, in a shell of its own.
turn() {
  local name=$1 code=$2
  shift 2
  : >"$work/asked"
  run "$name" "$code" bash -c 'set -euo pipefail; . jobs/slurm.sh; in_turns "$@"' script "$@"
}
asked() { [ "$(cat "$work/asked")" = "$2" ] || problem "$1: asked scontrol '$(cat "$work/asked")', not '$2'"; }

export SLURM_JOB_ID=7
turn done 0 true
asked done ''
turn failed 3 bash -c 'exit 3'
asked failed ''
turn stopped 75 bash -c 'exit 75'
asked stopped 'requeue 7'
says stopped '^queueing job 7 again$'
turn signalled 75 launcher
asked signalled 'requeue 7'
SCONTROL_CODE=1 turn refused 75 bash -c 'exit 75'
says refused 'cannot be queued again. Submit it with OUTPUT=runs/job-7 to go on'
RESTARTS=2 SLURM_RESTART_COUNT=2 turn enough 75 bash -c 'exit 75'
asked enough ''
says enough 'started again 2 times'
SLURM_JOB_ID=7 SLURM_ARRAY_JOB_ID=7 SLURM_ARRAY_TASK_ID=2 turn task 75 bash -c 'exit 75'
asked task 'requeue 7_2'
