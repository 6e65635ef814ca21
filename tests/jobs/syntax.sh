#!/usr/bin/env bash
# syntax.sh SOURCE: checks the syntax of every shell script of the project with bash -n.
# SPDX-License-Identifier: MIT
set -euo pipefail
cd "$1"
scripts=$(find .ci cmake jobs tests -type f \( -name '*.sh' -o -name '*.sbatch' -o -path '.ci/run' \))
[ "$(wc -l <<<"$scripts")" -ge 10 ] || {
  echo "too few scripts were found: $scripts"
  exit 1
}
while read -r script; do
  bash -n "$script"
done <<<"$scripts"
