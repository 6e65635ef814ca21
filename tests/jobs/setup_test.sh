#!/usr/bin/env bash
# setup_test.sh SOURCE: checks the messages of cmake/setup.sh where packages are missing and cannot be installed. Builds
# and installs nothing.
# SPDX-License-Identifier: MIT
set -euo pipefail
cd "$1"
. tests/jobs/checks.sh

# A PATH with basic shell tools only: apt-get and the programs that setup.sh looks for are missing.
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

# --list-packages lists packages even if they are installed.
run list 0 setup --list-packages --torch=pip
says list '^cmake g\+\+ ninja-build libopenmpi-dev openmpi-bin libhdf5-openmpi-dev .* python3 python3-venv$'

run empty_venv 1 setup --torch=pip --venv=
says empty_venv 'needs a folder'
run empty_preset 1 setup --preset=
says empty_preset 'needs a name'
run lone_venv 1 setup --venv "$PWD/elsewhere"
says lone_venv 'only with --torch=pip'

run no_apt 1 setup
says no_apt 'nothing was built'

cmake_of_version 3.18.4
run old_cmake 1 setup --no-install
says old_cmake '^\[setup\]   CMake 3.21 or newer$'
cmake_of_version 3.30.1
run new_cmake 1 setup --no-install
says_not new_cmake 'CMake 3.21'

# With LibTorch from pip, libtorch-dev is not required, but a Python with venv is.
setup_of_pip() { setup --torch=pip --venv "$work/environment" --no-install "$@"; }
run no_python 1 setup_of_pip
says no_python '^\[setup\]   Python 3 with venv$'
says_not no_python 'libtorch-dev|LibTorch 1.13'
run no_test_python 1 setup_of_pip --tests
says_not no_test_python 'python3-(torch|h5py|skimage)'

# All other programs are present: LibTorch is missing from the virtual environment, then found there.
everything() { PATH=$work/everything:$PATH bash cmake/setup.sh "$@"; }
mkdir -p "$work/everything"
cat >"$work/everything/cmake" <<'SCRIPT'
#!/usr/bin/env bash
[ "$1" = --version ] && echo "cmake version 3.30.1" || echo "cmake $*"
SCRIPT
printf '#!/bin/sh\n' >"$work/everything/python3"
chmod +x "$work/everything/cmake" "$work/everything/python3"
run no_torch 1 everything --torch=pip --venv "$work/environment" --no-install --preset none
says no_torch "nothing was built: '$work/environment' does not have torch"
config=$work/environment/lib/python3.99/site-packages/torch/share/cmake/Torch
mkdir -p "$config"
touch "$config/TorchConfig.cmake"
run with_torch 0 everything --torch=pip --venv "$work/environment" --no-install --preset none
says with_torch "^cmake --preset none .*-DTorch_DIR=$config$"
says with_torch '^cmake --build --preset none$'

# With the LibTorch of another Python the tests use that Python, so setup.sh lists the packages that it lacks.
mkdir -p "$work/environment/bin"
cat >"$work/environment/bin/python3" <<'SCRIPT'
#!/bin/sh
[ "$2" != "${lacking:-}" ]
SCRIPT
chmod +x "$work/environment/bin/python3"
of_environment() { CMAKE_PREFIX_PATH=$work/environment/lib/python3.99/site-packages/torch everything "$@" --torch=system; }
lacking=sklearn run lacking 1 of_environment --tests --no-install --preset none
says lacking "'$work/environment/bin/python3', .*: scikit-learn\. Install them: .*/bin/python3 -m pip install scikit-learn$"
run lists_none 0 of_environment --tests --list-packages
says_not lists_none 'python3-(torch|h5py|skimage)'
run lacks_none 0 of_environment --tests --no-install --preset none
says lacks_none "^cmake --preset none .*-DTorch_DIR=$config$"

run unknown_torch 1 setup --torch=conda
says unknown_torch "unknown LibTorch 'conda'"

run help 0 setup --help
says help '--torch=pip'
says help '--no-install'
run no_name 1 setup --preset
says no_name '--preset needs a name'
run misspelt 1 setup --tset
says misspelt "unknown argument '--tset'"
