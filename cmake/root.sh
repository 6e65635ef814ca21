# shellcheck shell=bash
# Debian or Ubuntu releases in folders, to build and test in. File system, processes and mounts of a release are
# separate; kernel and network are those of this machine. For scripts, which run as root:
#   make_root SUITE ROOT [MIRROR]   installs a release with debootstrap. MIRROR is the package archive, by default that
#                                   of this system
#   in_root ROOT COMMAND...         runs a command in it, in the folder /root
# SPDX-License-Identifier: MIT

system_mirror() {
  # shellcheck disable=SC2016  # apt fills in the variables
  apt-get indextargets --format '$(LABEL) $(COMPONENT) $(REPO_URI)' 'Created-By: Packages' |
    awk '$1 ~ /^(Debian|Ubuntu)$/ && $2 == "main" && !found++ { print $3 }'
}

make_root() {
  local suite=$1 root=$2 mirror=${3:-$(system_mirror || true)} problem=
  [ "$(id -u)" = 0 ] || problem="installing a release into a directory requires root. Run this script as root."
  command -v debootstrap >/dev/null || problem="debootstrap was not found. Install it (package debootstrap)."
  [ -n "$mirror" ] || problem="the package archive of this system could not be determined. Name one: $0 $suite MIRROR."
  if [ -n "$problem" ]; then
    echo "$0: $problem" >&2
    return 2
  fi
  rm -rf --one-file-system "$root"
  mkdir -p "$root"
  echo "installing $suite from $mirror into $root"
  debootstrap --variant=minbase --include=ca-certificates "$suite" "$root" "$mirror" >"$root.log" 2>&1 || {
    echo "$0: debootstrap failed. See $root.log." >&2
    return 2
  }
  echo force-unsafe-io >"$root/etc/dpkg/dpkg.cfg.d/unsafe-io" # makes installation several times faster
  printf '127.0.0.1 localhost %s\n' "$(hostname)" >"$root/etc/hosts"
}

# Mounts and processes are in namespaces that end with the command.
in_root() {
  unshare --mount --pid --fork --kill-child bash "${BASH_SOURCE[0]}" "$@"
}

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
    HOME=/root LANG=C.UTF-8 bash -c 'cd /root && "$@"' bash "$@"
}

if [ "${BASH_SOURCE[0]}" = "$0" ]; then
  set -euo pipefail
  run_inside "$@"
fi
