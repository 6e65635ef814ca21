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

fail() {
  echo "tests/distribution/run.sh: $*" >&2
  exit 2
}

system_mirror() {
  # shellcheck disable=SC2016  # apt fills in the variables
  apt-get indextargets --format '$(LABEL) $(COMPONENT) $(REPO_URI)' 'Created-By: Packages' |
    awk '$1 ~ /^(Debian|Ubuntu)$/ && $2 == "main" && !found++ { print $3 }'
}

# run_inside ROOT COMMAND...: runs a command in the release. Mounts and processes are in namespaces of this process and
# end with it.
run_inside() {
  local root=$1 variable kept=()
  shift
  mount --bind "$root" "$root" # a mount point, so that programs inside can create namespaces
  mount -t proc proc "$root/proc"
  mount --rbind /sys "$root/sys"
  mount -t devpts -o newinstance,ptmxmode=0666 devpts "$root/dev/pts"
  mount -t tmpfs -o mode=1777 tmpfs "$root/dev/shm"
  mount -t tmpfs -o mode=1777 tmpfs "$root/tmp" # file names in /tmp contain process ids, which start again at 1
  for variable in http_proxy https_proxy no_proxy; do
    [ -z "${!variable:-}" ] || kept+=("$variable=${!variable}")
  done
  exec chroot "$root" /usr/bin/env -i "${kept[@]}" PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin \
    HOME=/root LANG=C.UTF-8 bash -c 'cd /root/sheaf && "$@"' bash "$@"
}

if [ "${1:-}" = --inside ]; then
  shift
  run_inside "$@"
fi

[ $# -ge 1 ] && [ $# -le 2 ] || fail "name a release, such as trixie, and optionally the archive to install it from."
suite=$1
[ "$(id -u)" = 0 ] || fail "installing a release into a directory requires root. Run this script as root."
command -v debootstrap >/dev/null || fail "debootstrap was not found. Install it (package debootstrap)."
mirror=${2:-$(system_mirror || true)}
[ -n "$mirror" ] || fail "the package archive of this system could not be determined. Name one: $0 $suite MIRROR."

root=$PWD/build/distribution/$suite
rm -rf --one-file-system "$root"
mkdir -p "$root"
echo "[distribution] installing $suite from $mirror into $root"
debootstrap --variant=minbase --include=ca-certificates "$suite" "$root" "$mirror" >"$root.log" 2>&1 ||
  fail "debootstrap failed. See $root.log."
echo force-unsafe-io >"$root/etc/dpkg/dpkg.cfg.d/unsafe-io" # makes installation several times faster
printf '127.0.0.1 localhost %s\n' "$(hostname)" >"$root/etc/hosts"
git clone -q --no-local . "$root/root/sheaf"

failed=()
for script in jobs/quickstart.sh tests/run.sh; do
  echo "[distribution] $suite: bash $script"
  unshare --mount --pid --fork --kill-child bash tests/distribution/run.sh --inside "$root" bash "$script" || failed+=("$script")
done
if [ ${#failed[@]} -gt 0 ]; then
  echo "[distribution] $suite: failed: ${failed[*]}"
  exit 1
fi
echo "[distribution] $suite: passed"
