#!/usr/bin/env bash
# setup_test.sh SOURCE: what cmake/setup.sh says where nothing can be installed. Builds and installs nothing.
# SPDX-License-Identifier: MIT
set -euo pipefail
cd "$1"
. tests/jobs/checks.sh

# A machine with the shell's tools alone: the programs that set-up needs, and apt-get, are missing from its PATH.
mkdir "$work/bin"
for tool in awk bash cat cut dirname env grep head id ldconfig readlink sed sort tr; do
  ln -s "$(PATH=$PATH:/usr/sbin:/sbin command -v $tool)" "$work/bin/$tool"
done
setup() { env PATH="$work/bin" bash cmake/setup.sh "$@"; }
cmake_of_version() {
  printf '#!%s\necho "cmake version %s"\n' "$work/bin/bash" "$1" >"$work/bin/cmake"
  chmod +x "$work/bin/cmake"
}

run missing 1 setup --no-install
says missing '^\[setup\]   CMake 3.21 or newer$'
says missing '^\[setup\] on Debian or Ubuntu: apt-get install .* cmake g\+\+ ninja-build'
says missing 'nothing was built'

run no_apt 1 setup
says no_apt 'nothing was built'

cmake_of_version 3.18.4
run old_cmake 1 setup --no-install
says old_cmake '^\[setup\]   CMake 3.21 or newer$'
cmake_of_version 3.30.1
run new_cmake 1 setup --no-install
says_not new_cmake 'CMake 3.21'

run help 0 setup --help
says help '--no-install'
run no_name 1 setup --preset
says no_name '--preset needs a name'
run misspelt 1 setup --tset
says misspelt "unknown argument '--tset'"
