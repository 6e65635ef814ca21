#!/usr/bin/env bash
# From a fresh copy to a first result: sets up, then searches the best network for handwritten digits with two ranks.
# SHEAF=/path/to/sheaf skips the set-up and uses that program. Arguments go on to sheaf, as in --train.epochs=5.
# SPDX-License-Identifier: MIT
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."

if [ -z "${SHEAF:-}" ]; then
  bash cmake/setup.sh
fi

# Sheaf never writes into the directory of another run: the first free name is taken.
first=${OUTPUT:-runs/digits-search} number=1
OUTPUT=$first
while [ -e "$OUTPUT" ]; do
  number=$((number + 1))
  OUTPUT=$first-$number
done
if [ "$OUTPUT" != "$first" ]; then
  echo "[quickstart] $first holds an earlier run; this one goes to $OUTPUT"
fi

STUDY=jobs/studies/digits-search.cfg RANKS=2 OUTPUT=$OUTPUT bash jobs/local.sh "$@"
echo "[quickstart] done: $OUTPUT holds results.csv and results.h5"
