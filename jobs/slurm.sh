# shellcheck shell=bash
# For the .sbatch scripts, which source it from the top folder of Sheaf: a job that goes on by itself, in as many turns
# as it takes. Slurm starts it again after a node failure or a preemption (--requeue), and it asks for that itself when
# it had to stop; `sheaf run --resume` begins the run in the first turn and resumes it in the others.
# SPDX-License-Identifier: MIT

# How often the job may ask to be started again: an iteration that fits into no turn must not go on for ever.
RESTARTS=${RESTARTS:-100}

# Its own for every job, and the same for all tasks of an array and all turns.
OUTPUT=${OUTPUT:-runs/job-${SLURM_ARRAY_JOB_ID:-$SLURM_JOB_ID}}

# in_turns SRUN ARGUMENTS...: runs it, hands Slurm's USR1 before the time limit on to the ranks, and ends the script
# with its exit code; when that is 75, the job is queued again. srun must not end the other ranks when one leaves with
# 75: --kill-on-bad-exit=0, whatever the cluster's default.
in_turns() {
  local launcher='' code=0 signalled=
  trap 'signalled=yes; [ -z "$launcher" ] || kill -USR1 "$launcher" || true' USR1
  "$@" &
  launcher=$!
  wait "$launcher" || code=$?
  while [ -n "$signalled" ]; do # it was the signal that ended the wait
    signalled= code=0
    wait "$launcher" || code=$?
  done
  trap '' USR1
  if [ "$code" = 75 ]; then
    queue_again
  fi
  exit "$code"
}

queue_again() {
  # The last task of an array has the number of the whole array as its job id.
  local job=${SLURM_ARRAY_JOB_ID:+${SLURM_ARRAY_JOB_ID}_$SLURM_ARRAY_TASK_ID} turns=${SLURM_RESTART_COUNT:-0}
  job=${job:-$SLURM_JOB_ID}
  if [ "$turns" -ge "$RESTARTS" ]; then
    echo "job $job has been started again $turns times (RESTARTS=$RESTARTS). Submit it with OUTPUT=$OUTPUT to go on."
    return
  fi
  echo "queueing job $job again" # before: Slurm ends the script at once
  scontrol requeue "$job" || echo "job $job cannot be queued again. Submit it with OUTPUT=$OUTPUT to go on."
}
