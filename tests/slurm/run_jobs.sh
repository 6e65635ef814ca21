#!/usr/bin/env bash
# run_jobs.sh SHEAF SOURCE [CHECK...]: submits every jobs/*.sbatch with a short study to the Slurm cluster of
# with_slurm.sh, from another folder, and checks how each job ends and which ranks it had on which nodes. Then it submits
# the installed scripts, and stops running jobs, which requeue themselves. With jobs/slurm.sh these jobs must end with the
# results of an uninterrupted run. Such jobs run for short moments at a time until the event, so that they do not end too
# early on a fast machine.
# CHECK: functions below. check_requeue, check_node_failure, check_power_off and check_time_limit run only if named;
# check_time_limit cannot be combined with other checks.
# SPDX-License-Identifier: MIT
set -euo pipefail
program=$1
real_program=$(realpath "$1")
jobs=$(realpath "$2")/jobs
checks=("${@:3}")
[ ${#checks[@]} -gt 0 ] ||
  checks=(check_cpu check_gpu check_hetero check_wrong_study check_plan check_installed check_signals check_array)
export STUDY=$jobs/studies/digits-search.cfg
work=$(mktemp -d)
cd "$work"
short=(--train.epochs=2 --search.folds=2)
long=(--train.epochs=200 --run.progress=none) # 60 iterations
[ "${checks[*]}" != check_time_limit ] || long[0]=--train.epochs=8000
failures=0

problem() {
  echo "FAILED: $job: $*"
  failures=$((failures + 1))
}

# start JOB SCRIPT [ARGUMENTS]: submits a job. Sets $id (job id), $log (its output file) and $OUTPUT (run directory).
start() {
  job=$1
  local script=$2
  shift 2
  log=$work/$job.log
  export OUTPUT=$work/$job
  id=$(sbatch --parsable --output="$log" "$jobs/$script" "$@")
}

# until_job SECONDS EVENT COMMAND...: waits until the command succeeds; EVENT is its name in messages.
until_job() {
  local end=$((SECONDS + $1)) event=$2
  shift 2
  until "$@"; do
    [ "$SECONDS" -lt "$end" ] || {
      problem "$event: timeout"
      return 0
    }
    sleep 0.2
  done
}

has_ended() {
  state=$(scontrol --oneliner show job "$id") &&
    ! grep -qE 'JobState=(PENDING|CONFIGURING|RUNNING|SIGNALING|COMPLETING|REQUEUED|NODE_FAIL)' <<<"$state"
}
# has_turn NUMBER: whether attempt NUMBER (from 0) of the job is running, or the job has ended.
has_turn() {
  has_ended || grep -qE "JobState=RUNNING .*Restarts=$1 " <<<"$state"
}
finished_iterations() { cat "$OUTPUT"/journal/*/*.jsonl 2>/dev/null | grep -c '^{"iteration"' || true; }
has_journal_of_turn() { [ "$(find "$OUTPUT/journal" -mindepth 1 -maxdepth 1 2>/dev/null | wc -l)" -gt "$1" ]; }
has_trained_more_than() { [ "$(finished_iterations)" -gt "$1" ]; }
# ranks: prints the process ids of all ranks.
ranks() { find /proc -maxdepth 2 -path '/proc/[0-9]*/exe' -lname "$real_program" 2>/dev/null | cut -d/ -f3; }
signal_ranks() {
  local processes
  mapfile -t processes < <(ranks)
  [ ${#processes[@]} = 0 ] || kill "-$1" "${processes[@]}" 2>/dev/null || true
}
# creep_until MOMENT EVENT COMMAND...: runs the ranks for MOMENT seconds at a time until the command succeeds, then
# leaves them stopped until go_on.
creep_until() {
  local end=$((SECONDS + 300)) moment=$1 event=$2
  shift 2
  while :; do
    signal_ranks STOP
    ! "$@" || return 0
    [ "$SECONDS" -lt "$end" ] || {
      problem "$event: timeout"
      return 0
    }
    signal_ranks CONT
    sleep "$moment"
  done
}
has_pending() {
  local process
  has_ended && return
  for process in $(ranks); do
    ! grep -qE '^(SigPnd|ShdPnd):.*[1-9a-f]' "/proc/$process/status" 2>/dev/null || return 0
  done
  [ -z "$(ranks)" ]
}
# go_on: continues the ranks when one of them has a pending signal, or all of them have ended.
go_on() {
  until_job 90 "a signal to the ranks" has_pending
  signal_ranks CONT
}
# in_midst_of TURN: waits until the job has finished an iteration in attempt TURN, and stops its ranks.
in_midst_of() {
  until_job 300 "attempt $1" has_turn "$1"
  creep_until 0.05 "training in attempt $1" has_journal_of_turn "$1"
  creep_until 0.01 "an iteration in attempt $1" has_trained_more_than "$(finished_iterations)"
}

# finish [SECONDS]: waits for the end of the job.
finish() {
  until_job "${1:-480}" "end of the job" has_ended
  ended=$(grep -oE 'JobState=[A-Z_]+|ExitCode=[0-9:]+' <<<"$state" | sort -u | tr '\n' ' ')
  echo "$job: $ended"
}

# submit JOB SCRIPT [ARGUMENTS]: submits a job and waits for its end.
submit() {
  start "$@"
  finish
}

expect_end() { [ "$ended" = "$1 " ] || problem "ended with $ended, not $1"; }
expect_results() { [ -s "$OUTPUT/results.csv" ] || problem "has no results.csv"; }
expect_line() { grep -qE -- "$1" "$log" || problem "no output line matches: $1"; }
# expect_gpus HOST VALUE: the ranks on HOST must have had VALUE in CUDA_VISIBLE_DEVICES.
expect_gpus() {
  local seen
  seen=$(grep -E "^$1 " "$work/visible" | sort -u)
  [[ $seen =~ ^$1\ $2$ ]] || problem "CUDA_VISIBLE_DEVICES of the ranks on $1: '$seen', not $2"
}
losses() {
  awk -F, 'NR == 1 { for (i = 1; i <= NF; ++i) column[$i] = i }
           { print $column["iteration"], $column["final_loss"], $column["validation_loss"] }' "$1/results.csv"
}
# expect_whole_after RESTARTS [MOST]: the run must be complete, with the losses of an uninterrupted run and no iteration
# trained twice, after RESTARTS (to MOST) restarts.
expect_whole_after() {
  local restarts
  expect_end 'ExitCode=0:0 JobState=COMPLETED'
  expect_results
  restarts=$(scontrol --oneliner show job "$id" | grep -oE 'Restarts=[0-9]+' | cut -d= -f2 | sort -n | tail -1)
  ((restarts >= $1 && restarts <= ${2:-$1})) || problem "had $restarts restarts, not $1"
  [ "$(finished_iterations)" = 60 ] || problem "has $(finished_iterations) iterations in its journals, not 60"
  diff <(losses "$work/reference") <(losses "$OUTPUT") >"$work/diff" ||
    problem "has different losses: $(head -4 "$work/diff")"
}
show_problems_of_job() {
  [ "$failures" = "$1" ] || sed "s/^/  $job | /" "$log"
}

# A wrapper that starts the program on every rank and records the GPUs that Slurm makes visible to it.
cat >"$work/sheaf" <<WRAPPER
#!/usr/bin/env bash
echo "\$(hostname) \${CUDA_VISIBLE_DEVICES-none}" >>"$work/visible"
exec "$program" "\$@"
WRAPPER
chmod +x "$work/sheaf"
export SHEAF=$work/sheaf

check_cpu() {
  submit cpu cpu.sbatch "${short[@]}"
  expect_end 'ExitCode=0:0 JobState=COMPLETED'
  expect_results
  expect_line '^.*ranks? 0.* on (g1|c1):'
  expect_line '^.*ranks? .*3.* on g[12]:'
}

check_gpu() {
  DEVICE=auto submit gpu gpu.sbatch "${short[@]}"
  expect_end 'ExitCode=0:0 JobState=COMPLETED'
  expect_results
  expect_line 'rank.* on g[12]: '
  expect_gpus 'g[12]' '0,1,2,3'
}

check_hetero() {
  # As if the GPU component came first: the batch shell has GPU variables, which the ranks on c1 must not inherit.
  CUDA_VISIBLE_DEVICES=0,1,2,3 submit hetero hetero.sbatch "${short[@]}"
  expect_end 'ExitCode=0:0 JobState=COMPLETED'
  expect_results
  expect_line 'ranks? .*1.* on c1: '
  expect_line 'ranks? .*5.* on g[12]: '
  expect_gpus 'g[12]' '0,1,2,3'
  expect_gpus c1 none
}

# The exit code of the program must reach Slurm.
check_wrong_study() {
  submit wrong cpu.sbatch --train.epoch=2
  expect_end 'ExitCode=2:0 JobState=FAILED'
}

# Slurm accepts the command of sheaf plan. Ranks with one lane fit into the nodes, however many cores this machine has.
check_plan() {
  local line
  job=plan log=$work/plan.log OUTPUT=$work/plan
  line=$("$program" plan "$STUDY" --run.output="$OUTPUT" --run.lanes=1 "${short[@]}" |
    sed -n 's/^submit *//p')
  id=$(eval "${line/ sbatch / sbatch --parsable --output='$log' }")
  finish
  expect_end 'ExitCode=0:0 JobState=COMPLETED'
  expect_results
}

# Installed scripts find slurm.sh and the program without variables and PATH. Each job is submitted from a folder of its
# own, where its log and its run must be. Its arguments have a '/', since Slurm stores them behind the path of the script.
check_installed() {
  local script prefix=$work/moved
  cmake --install "$(dirname "$real_program")" --prefix "$work/installed" --component sheaf >"$work/install.log"
  mv "$work/installed" "$prefix"
  for script in "$prefix"/share/sheaf/jobs/*.sbatch; do
    job="installed $(basename "$script" .sbatch)"
    mkdir "$work/$job"
    cd "$work/$job"
    id=$(env -u SHEAF -u OUTPUT DEVICE=auto sbatch --parsable "$script" "${short[@]}" --data.file="$(dirname "$jobs")/data/digits.h5")
    OUTPUT=runs/job-$id log=$PWD/sheaf-$id.out
    [[ $script != */array.sbatch ]] || log=$PWD/sheaf-${id}_0.out
    finish
    expect_end 'ExitCode=0:0 JobState=COMPLETED'
    expect_results
    expect_line ' done in | other tasks '
    show_problems_of_job "$before"
    before=$failures
    cd "$work"
  done
}

# The job is stopped twice by the signal that Slurm sends before a time limit (to the batch script only), and requeues
# itself.
check_signals() {
  start signals cpu.sbatch "${long[@]}"
  local turn
  for turn in 0 1; do
    in_midst_of "$turn"
    scancel --batch --signal=USR1 "$id" || problem "cannot be stopped in attempt $turn"
    go_on
  done
  finish
  expect_whole_after 2
  expect_line 'stopped after .* of 60 iterations.* \(SIGUSR1\)'
}

# The job takes more than two time limits of one minute. Slurm itself ends the attempts; it checks every 30 seconds.
check_time_limit() {
  RESTARTS=20 SBATCH_TIMELIMIT=1 SBATCH_SIGNAL=B:USR1@20 start time_limit cpu.sbatch "${long[@]}"
  finish 900
  expect_whole_after 2 20
  expect_line 'stopped after .* of 60 iterations'
}

check_requeue() {
  start requeue cpu.sbatch "${long[@]}"
  in_midst_of 0
  scontrol requeue "$id" || problem "cannot be requeued"
  go_on
  finish
  expect_whole_after 1
}

check_node_failure() {
  start node_failure cpu.sbatch "${long[@]}"
  in_midst_of 0
  local node
  node=$(scontrol show hostnames "$(squeue -h -j "$id" -o %N)" | tail -1)
  scontrol update nodename="$node" state=down reason=test
  go_on
  finish
  scontrol update nodename="$node" state=resume
  expect_whole_after 1
}

# All processes on a node are stopped: the node no longer responds, and its connections stay open. Slurm detects this by
# a timeout.
check_power_off() {
  echo SlurmdTimeout=15 >>"$SLURM_CONF"
  scontrol reconfigure
  start power_off cpu.sbatch "${long[@]}"
  in_midst_of 0
  local node daemon process processes=()
  node=$(scontrol show hostnames "$(squeue -h -j "$id" -o %N)" | tail -1)
  daemon=$(pgrep -xf "slurmd -D -N $node")
  for process in /proc/[0-9]*; do
    [ "$(readlink "$process/ns/uts")" != "$(readlink "/proc/$daemon/ns/uts")" ] || processes+=("${process#/proc/}")
  done
  signal_ranks CONT
  kill -STOP "${processes[@]}"
  finish 240
  kill -KILL "${processes[@]}"
  expect_whole_after 1
}

all_three_train() {
  has_ended || [ "$(grep -l '^{"iteration"' "$OUTPUT"/journal/*/*.jsonl 2>/dev/null | wc -l)" = 3 ]
}
# The last task of an array has the job id of the array. If it stops, only this task must be requeued.
check_array() {
  SBATCH_ARRAY_INX=0-2 start array array.sbatch "${long[@]}" --run.lanes=1
  creep_until 0.02 "all three tasks" all_three_train
  scancel --batch --signal=USR1 "${id}_2" || problem "has no task 2 to stop"
  go_on
  finish
  expect_whole_after 1
  [ "$(scontrol --oneliner show job "$id" | grep -c 'Restarts=0 ')" = 2 ] || problem "other tasks were restarted as well"
  expect_line 'other tasks still have to train'
}

srun --mpi=pmix "$program" run "$STUDY" "${long[@]}" --run.output="$work/reference" \
  >"$work/reference.log" 2>&1 || { cat "$work/reference.log"; exit 1; }
for check in "${checks[@]}"; do
  : >"$work/visible"
  before=$failures
  $check
  show_problems_of_job "$before"
done
[ "$failures" = 0 ]
