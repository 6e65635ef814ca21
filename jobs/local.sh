#!/usr/bin/env bash
# Runs a study on this machine with Open MPI: one rank per NUMA domain, or one per GPU if there are more GPUs; one lane
# per core.
# Usage:   STUDY=my.cfg bash jobs/local.sh [--train.epochs=5 ...]
# The log goes to stderr, the summary to stdout: add `2>my.log` to keep the log.
# SPDX-License-Identifier: MIT

# ---- Modules: those with which Sheaf was built or installed
# module load gcc openmpi sheaf

set -euo pipefail

domains=$(grep -ls '[0-9]' /sys/devices/system/node/node*/cpulist | wc -l) || domains=1
gpus=$(nvidia-smi -L 2>/dev/null | grep -c '^GPU') || gpus=0

if [ -z "${STUDY:-}" ]; then
  echo 'error: STUDY is not set. Set it to a study file, for example: STUDY=my.cfg bash jobs/local.sh' >&2
  exit 2
fi
. "$(dirname "${BASH_SOURCE[0]}")/program.sh"
OUTPUT=${OUTPUT:-} # the run directory; empty: run.output of the study
RANKS=${RANKS:-$((gpus > domains ? gpus : domains))}

# By default, mpirun binds one or two ranks to one core each. Sheaf divides cores among the ranks that are bound to
# them.
placement=(--map-by numa:oversubscribe --bind-to numa:overload-allowed)
if [ "$RANKS" -lt "$domains" ]; then
  placement=(--bind-to none)
fi
if [ "$(id -u)" = 0 ]; then
  export OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1
fi
exec mpirun -n "$RANKS" "${placement[@]}" "$SHEAF" run "$STUDY" ${OUTPUT:+--run.output="$OUTPUT"} "$@"
