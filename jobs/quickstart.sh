#!/usr/bin/env bash
# Sets up Sheaf, then searches the best network for handwritten digits with two ranks.
# SHEAF=/path/to/sheaf uses that program and skips the setup. Arguments are passed to sheaf, for example
# --train.epochs=5.
# SPDX-License-Identifier: MIT
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."

if [ -z "${SHEAF:-}" ]; then
  bash cmake/setup.sh
fi

# Sheaf does not write to the directory of another run, so use the first free name.
first=${OUTPUT:-runs/digits-search} number=1
OUTPUT=$first
while [ -e "$OUTPUT" ]; do
  number=$((number + 1))
  OUTPUT=$first-$number
done
if [ "$OUTPUT" != "$first" ]; then
  echo "[quickstart] $first contains an earlier run; this run is written to $OUTPUT"
fi

STUDY=jobs/studies/digits-search.cfg RANKS=2 OUTPUT=$OUTPUT bash jobs/local.sh "$@"
echo "[quickstart] done: the results are $OUTPUT/results.csv and $OUTPUT/results.h5"
