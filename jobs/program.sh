# shellcheck shell=bash
# Sets SHEAF, unless it is set, to the program that belongs to these scripts: the one built in this repository, or the
# one installed with them. Without either, the one in PATH.
# SPDX-License-Identifier: MIT
jobs=$(dirname "${BASH_SOURCE[0]}")
for candidate in "$jobs/../build/release/sheaf" "$jobs/../../../bin/sheaf" sheaf; do
  SHEAF=${SHEAF:-$(command -v "$candidate" || true)}
done
if [ -z "$SHEAF" ]; then
  echo 'error: the program sheaf was not found. Build it (bash cmake/setup.sh), or set SHEAF to its path.' >&2
  exit 2
fi
