#!/usr/bin/env bash
# Tests the Debian packages of a release: builds them (cmake/package.sh), installs the release without anything else into
# build/packages-test/SUITE, and runs tests/packages/inside.sh there.
# Usage: tests/packages/run.sh SUITE [MIRROR]      for instance: tests/packages/run.sh trixie
# Requires root, debootstrap, about 8 GB of disk space and half an hour. The exit code is 0 if everything passed, and 77
# if a requirement is missing.
# SPDX-License-Identifier: MIT
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/../.."
. cmake/root.sh

suite=${1:?name a release, such as trixie}
if [ "$(id -u)" != 0 ] || ! command -v debootstrap >/dev/null; then
  echo "skipped: root and debootstrap are required"
  exit 77
fi
bash cmake/package.sh "$@"
if grep -q -- -march=native "build/roots/$suite/root/sheaf/build/package/build.ninja"; then
  echo "FAILED: the package is built for the processor of this machine only"
  exit 1
fi
root=$PWD/build/packages-test/$suite
make_root "$suite" "$root" ${2:+"$2"}
mkdir "$root/root/packages"
cp build/roots/"$suite"/root/sheaf/build/packages/*.deb tests/packages/inside.sh "$root/root/packages"
in_root "$root" env -C packages bash inside.sh
rm -rf --one-file-system "$root"
