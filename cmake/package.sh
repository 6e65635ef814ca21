#!/usr/bin/env bash
# Builds the Debian packages sheaf and sheaf-torch from the last commit, into build/packages.
#   cmake/package.sh                  for the release of this system, which needs the packages of cmake/setup.sh
#   cmake/package.sh SUITE [MIRROR]   as root, for another release, such as trixie: in build/roots/SUITE, which it
#                                     installs with debootstrap from the archive MIRROR (by default that of this
#                                     system) and keeps
# SHEAF_PACKAGE_CONTACT='NAME <ADDRESS>' sets the maintainer of the packages.
# SPDX-License-Identifier: MIT
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."
. cmake/root.sh

build_here() {
  export CXXFLAGS LDFLAGS
  # Relative paths in the program, and Debian's hardening; without debug information, which would be stripped.
  CXXFLAGS="$(DEB_CXXFLAGS_MAINT_STRIP=-g dpkg-buildflags --get CXXFLAGS) $(dpkg-buildflags --get CPPFLAGS)"
  LDFLAGS="$(dpkg-buildflags --get LDFLAGS) -Wl,-z,now"
  cmake --preset package ${SHEAF_PACKAGE_CONTACT:+-DSHEAF_PACKAGE_CONTACT="$SHEAF_PACKAGE_CONTACT"}
  cmake --build --preset package
  rm -rf build/packages
  cpack --config build/package/CPackConfig.cmake -B build/packages
  rm -rf build/packages/_CPack_Packages
}

build_in_root() {
  local root=$PWD/build/roots/$1
  [ -e "$root/root" ] || make_root "$1" "$root" ${2:+"$2"}
  # shellcheck disable=SC2046  # one argument per package
  in_root "$root" env DEBIAN_FRONTEND=noninteractive apt-get -q -y install --no-install-recommends \
    git dpkg-dev file $(bash cmake/setup.sh --torch=system --list-packages)
  git init -q "$root/root/sheaf"
  git -C "$root/root/sheaf" fetch -q "$PWD" HEAD
  git -C "$root/root/sheaf" reset -q --hard FETCH_HEAD
  in_root "$root" env SHEAF_PACKAGE_CONTACT="${SHEAF_PACKAGE_CONTACT:-}" bash sheaf/cmake/package.sh
  mkdir -p build/packages
  cp "$root"/root/sheaf/build/packages/*.deb build/packages
}

if [ $# -eq 0 ]; then
  build_here
else
  build_in_root "$@"
fi
