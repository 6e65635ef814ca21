#!/usr/bin/env bash
# syntax.sh SOURCE: every shell script of the project is one that bash can read.
# SPDX-License-Identifier: MIT
set -euo pipefail
cd "$1"
scripts=$(find .ci cmake jobs tests -type f \( -name '*.sh' -o -name '*.sbatch' -o -path '.ci/run' \))
[ "$(wc -l <<<"$scripts")" -ge 10 ] || {
  echo "only these were found: $scripts"
  exit 1
}
while read -r script; do
  bash -n "$script"
done <<<"$scripts"
