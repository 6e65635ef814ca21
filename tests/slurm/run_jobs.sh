#!/usr/bin/env bash
# run_jobs.sh SHEAF SOURCE: submits every jobs/*.sbatch with a short study to the Slurm of with_slurm.sh, as a user does
# from the top folder, and checks how each ends, which ranks it had and where.
# SPDX-License-Identifier: MIT
set -euo pipefail
program=$1
cd "$2"
work=$(mktemp -d)
short=(--train.epochs=2 --search.folds=2)
failures=0

problem() {
  echo "FAILED: $job: $*"
  failures=$((failures + 1))
}

# submit JOB SCRIPT [ARGUMENTS]: runs it to its end. Afterwards $log is its output and $OUTPUT its run directory.
submit() {
  job=$1
  local script=$2 id state end=$((SECONDS + 60))
  shift 2
  log=$work/$job.log
  export OUTPUT=$work/$job
  id=$(sbatch --parsable --output="$log" "$script" "$@")
  until state=$(scontrol --oneliner show job "$id") && ! grep -qE 'JobState=(PENDING|CONFIGURING|RUNNING|COMPLETING)' <<<"$state"; do
    [ "$SECONDS" -lt "$end" ] || {
      problem "has not ended after a minute"
      break
    }
    sleep 0.2
  done
  ended=$(grep -oE 'JobState=[A-Z_]+|ExitCode=[0-9:]+' <<<"$state" | sort -u | tr '\n' ' ')
  echo "$job: $ended"
}

expect_end() { [ "$ended" = "$1 " ] || problem "ended with $ended, not $1"; }
expect_results() { [ -s "$OUTPUT/results.csv" ] || problem "has no results.csv"; }
expect_line() { grep -qE -- "$1" "$log" || problem "says nothing like: $1"; }
# expect_gpus HOST VALUE: what the ranks on that host saw in CUDA_VISIBLE_DEVICES.
expect_gpus() {
  local seen
  seen=$(grep -E "^$1 " "$work/visible" | sort -u)
  [[ $seen =~ ^$1\ $2$ ]] || problem "the ranks on $1 saw as CUDA_VISIBLE_DEVICES: '$seen', not $2"
}
show_problems_of_job() {
  [ "$failures" = "$1" ] || sed "s/^/  $job | /" "$log"
}

# Stands before the program in every rank and notes the GPUs that Slurm lets it see.
cat >"$work/sheaf" <<WRAPPER
#!/usr/bin/env bash
echo "\$(hostname) \${CUDA_VISIBLE_DEVICES-none}" >>"$work/visible"
exec "$program" "\$@"
WRAPPER
chmod +x "$work/sheaf"
export SHEAF=$work/sheaf

check_cpu() {
  submit cpu jobs/cpu.sbatch "${short[@]}"
  expect_end 'ExitCode=0:0 JobState=COMPLETED'
  expect_results
  expect_line '^.*ranks? 0.* on (g1|c1):'
  expect_line '^.*ranks? .*3.* on g[12]:'
}

check_gpu() {
  DEVICE=auto submit gpu jobs/gpu.sbatch "${short[@]}"
  expect_end 'ExitCode=0:0 JobState=COMPLETED'
  expect_results
  expect_line 'rank.* on g[12]: .*(no GPU|more ranks than GPUs)'
  expect_gpus 'g[12]' '0,1,2,3'
}

check_hetero() {
  # As where the GPU part is first: the batch shell has GPU variables, which the ranks on c1 must not get.
  CUDA_VISIBLE_DEVICES=0,1,2,3 submit hetero jobs/hetero.sbatch "${short[@]}"
  expect_end 'ExitCode=0:0 JobState=COMPLETED'
  expect_results
  expect_line 'ranks? .*1.* on c1: '
  expect_line 'ranks? .*5.* on g[12]: .*(no GPU|more ranks than GPUs)'
  expect_gpus 'g[12]' '0,1,2,3'
  expect_gpus c1 none
}

# The exit code of the program must reach Slurm.
check_wrong_study() {
  submit wrong jobs/cpu.sbatch --train.epoch=2
  expect_end 'ExitCode=2:0 JobState=FAILED'
}

for check in check_cpu check_gpu check_hetero check_wrong_study; do
  : >"$work/visible"
  before=$failures
  $check
  show_problems_of_job "$before"
done
[ "$failures" = 0 ]
