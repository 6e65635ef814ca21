#!/usr/bin/env bash
# Tests Sheaf on a fresh Debian or Ubuntu release: installs the release into build/distribution/SUITE with debootstrap,
# clones the last commit into it, and runs jobs/quickstart.sh and tests/run.sh there, which install the packages they
# need. File system, processes and mounts are separate; kernel and network are those of this machine.
# Usage: tests/distribution/run.sh SUITE [MIRROR]      for instance: tests/distribution/run.sh trixie
# MIRROR is the package archive, by default that of this system.
# Requires root, debootstrap, about 8 GB of disk space, and an hour or two. The exit code is 0 if everything passed.
# SPDX-License-Identifier: MIT
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/../.."

. cmake/root.sh

fail() {
  echo "tests/distribution/run.sh: $*" >&2
  exit 2
}

[ $# -ge 1 ] && [ $# -le 2 ] || fail "name a release, such as trixie, and optionally the archive to install it from."
suite=$1
root=$PWD/build/distribution/$suite
make_root "$suite" "$root" ${2:+"$2"}
git clone -q --no-local . "$root/root/sheaf"

failed=()
for script in jobs/quickstart.sh tests/run.sh; do
  echo "[distribution] $suite: bash $script"
  in_root "$root" env -C sheaf bash "$script" || failed+=("$script")
done
if [ ${#failed[@]} -gt 0 ]; then
  echo "[distribution] $suite: failed: ${failed[*]}"
  exit 1
fi
echo "[distribution] $suite: passed"
