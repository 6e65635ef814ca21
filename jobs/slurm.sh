# shellcheck shell=bash
# Lets a Slurm job restart until its run is complete. The .sbatch scripts source this file.
# Slurm restarts the job after a node failure or a preemption (--requeue). The job requeues itself if
# its run was stopped and can be resumed (exit code 75). `sheaf run --resume` begins the run when the job first starts
# and resumes it after each restart.
# SPDX-License-Identifier: MIT

if [ -z "${STUDY:-}" ]; then
  echo 'error: STUDY is not set. Set it to a study file, for example: STUDY=my.cfg sbatch jobs/cpu.sbatch' >&2
  exit 2
fi

. "$(dirname "${BASH_SOURCE[0]}")/program.sh"

# The maximum number of restarts, so that a study uses at most four time limits of its nodes unless more are requested.
# Without a limit, an iteration that does not fit into the time limit would restart the job forever. Restarts by Slurm
# (node failures, preemptions) count, too.
RESTARTS=${RESTARTS:-3}

# The run directory. Different for every job, but the same for all tasks of an array and for all restarts.
OUTPUT=${OUTPUT:-runs/job-${SLURM_ARRAY_JOB_ID:-$SLURM_JOB_ID}}

# run_and_requeue SRUN ARGUMENTS...: runs the command and ends the script with its exit code. Forwards to the ranks
# the USR1 that Slurm sends before the time limit. If the exit code is 75, requeues the job. srun needs
# --kill-on-bad-exit=0 so that it does not end the other ranks when the first one exits with 75; the
# default of the cluster may differ.
run_and_requeue() {
  local launcher='' code=0 signalled=
  trap 'signalled=yes; [ -z "$launcher" ] || kill -USR1 "$launcher" || true' USR1
  "$@" &
  launcher=$!
  wait "$launcher" || code=$?
  while [ -n "$signalled" ]; do # the signal ended the wait, so wait again
    signalled= code=0
    wait "$launcher" || code=$?
  done
  trap '' USR1
  if [ "$code" = 75 ]; then
    requeue
  fi
  exit "$code"
}

requeue() {
  # The job id of an array's last task is that of the whole array, so use the array and task ids.
  local job=${SLURM_ARRAY_JOB_ID:+${SLURM_ARRAY_JOB_ID}_$SLURM_ARRAY_TASK_ID} restarts=${SLURM_RESTART_COUNT:-0}
  job=${job:-$SLURM_JOB_ID}
  if [ "$restarts" -ge "$RESTARTS" ]; then
    echo "Job $job was restarted $restarts times (RESTARTS=$RESTARTS). To continue, submit it again with OUTPUT=$OUTPUT," \
      "and with a longer --time or more RESTARTS."
    return
  fi
  echo "Requeueing job $job" # before scontrol, because Slurm then ends the script immediately
  scontrol requeue "$job" || echo "Job $job cannot be requeued. To continue, submit it with OUTPUT=$OUTPUT."
}
