#!/usr/bin/env bash
# Sets up Sheaf: installs missing packages if that is allowed, then configures and builds a preset. If no packages are
# missing, it only configures and builds, so it may be called before every use.
# SPDX-License-Identifier: MIT
set -euo pipefail
caller_folder=$PWD
cd "$(dirname "${BASH_SOURCE[0]}")/.."

usage() {
  cat <<'TEXT'
usage: cmake/setup.sh [--preset NAME] [--torch=pip|system] [--venv FOLDER] [--tests] [--no-install] [--list-packages]

  --preset NAME  the preset of CMakePresets.json to build (default: release)
  --torch=pip    build with the LibTorch of PyPI's package torch, even if libtorch-dev is installed
  --torch=system build with the LibTorch of the system or of CMAKE_PREFIX_PATH, even after --torch=pip
  --venv FOLDER  the virtual environment for --torch=pip (default: build/torch-venv of this repository). It is
                 created if it does not exist; an installed version of torch is not changed.
  --tests        also require the packages that the tests use
  --no-install   do not install packages; list the missing ones
  --list-packages  print the required Debian packages, installed or not, and exit

On Debian and Ubuntu, missing packages are installed with apt-get, as root or with passwordless sudo. On other systems
the script lists them and exits with code 1. Packages outside the system's folders are found through CMAKE_PREFIX_PATH,
LibTorch also in the active Python. Without --torch, a build folder keeps its LibTorch.
TEXT
}

say() { echo "[setup] $*"; }
fail() {
  echo "[setup] $*" >&2
  exit 1
}

# ---- Required packages: name | Debian packages | the check

needed=(
  "CMake 3.21 or newer|cmake|has_cmake"
  "a C++17 compiler|g++|has_command c++"
  "Ninja|ninja-build|has_command ninja"
  "MPI with its compiler wrapper and mpirun|libopenmpi-dev openmpi-bin|has_command mpicc mpirun"
  "HDF5 built with MPI|libhdf5-openmpi-dev|has_command h5pcc"
  "Boost.Program_options|libboost-program-options-dev|has_boost"
  "Highway|libhwy-dev|has_header hwy/highway.h"
  "hwloc|libhwloc-dev|has_header hwloc.h"
  "{fmt}|libfmt-dev|has_header fmt/format.h"
  "zlib|zlib1g-dev|has_header zlib.h"
  "libdeflate|libdeflate-dev|has_header libdeflate.h"
  "JSON for Modern C++|nlohmann-json3-dev|has_header nlohmann/json.hpp"
  "OpenBLAS, its OpenMP build|libopenblas0-openmp|has_openblas"
  "a BLAS library to link with|libopenblas-openmp-dev|has_blas_library"
  "XGBoost's library|libxgboost0|has_xgboost"
)
# For the matrix products of the native engine; on other processors it uses OpenBLAS.
case $(uname -m) in x86_64) needed+=("LIBXSMM|libxsmm-dev|has_header libxsmm.h") ;; esac
needed_by_tests=(
  "Catch2|catch2|has_catch2"
  "Random123|librandom123-dev|has_header Random123/philox.h"
  "h5dump|hdf5-tools|has_command h5dump"
  "XGBoost's header|libxgboost-dev|has_header xgboost/c_api.h"
)
# Modules of the system's Python, if the tests use that one. SciPy depends on any build of OpenBLAS. Naming the OpenMP
# build here prevents apt-get from choosing the pthread build, which would become the system's BLAS.
modules_of_tests=(
  "Python 3 with h5py, pandas, scikit-learn and torch|python3 python3-h5py python3-pandas python3-sklearn python3-torch libopenblas-openmp-dev|has_python_modules"
  "scikit-image|python3-skimage|has_skimage"
  "XGBoost's Python package|python3-xgboost|has_python_xgboost"
)
# Without these packages, the test with its own Slurm, the fuzz tests, the checks with clang's tools, of the man pages, of
# a shell's completion, of the modulefile or of pages in a browser, or the tests of kernels for GPUs on cores are skipped.
wanted_by_tests=(
  "Slurm's daemons and munge|slurmctld slurmd slurm-client slurm-wlm-basic-plugins munge|has_command slurmctld slurmd srun munged"
  "ip|iproute2|has_command ip"
  "mkfs.ext4|e2fsprogs|has_command mkfs.ext4"
  "man and mandoc|man-db mandoc|has_command man mandoc"
  "Environment Modules|environment-modules|test -e /usr/share/modules/init/bash"
  "zsh and fish|zsh fish|has_command zsh fish"
  "Chromium|chromium|has_command chromium"
  "PMIx for srun|libpmix-dev|has_libpmix"
  "clang with libFuzzer|clang libclang-rt-dev|has_libfuzzer"
  "clang-format|clang-format|has_command clang-format"
  "clang-tidy|clang-tidy|has_command clang-tidy"
  "OpenCL on cores|pocl-opencl-icd ocl-icd-opencl-dev opencl-c-headers|has_opencl"
)
# Debian 13 has no Oclgrind.
! grep -qxs VERSION_CODENAME=bookworm /etc/os-release || wanted_by_tests+=("Oclgrind|oclgrind|has_command oclgrind")

# ---- Checks: succeed if the package is installed, by any means

has_command() {
  local name
  for name in "$@"; do
    PATH=$PATH:/usr/sbin:/sbin command -v "$name" >/dev/null || return 1
  done
}

has_cmake() {
  has_command cmake || return 1
  local version
  version=$(cmake --version | awk 'NR == 1 { print $3 }')
  printf '3.21\n%s\n' "$version" | sort --version-sort --check=quiet
}

# Prints the folders where packages may be installed, one per line. Environment modules and Spack set the variables.
prefixes() {
  local listed="${CMAKE_PREFIX_PATH:-}:${HDF5_ROOT:-}:${Boost_ROOT:-}:${BOOST_ROOT:-}:${Torch_ROOT:-}:/usr/local:/usr"
  tr ':;' '[\n*]' <<<"$listed" | sed '/^$/d'
}

# first_file NAME...: prints the first of these files that exists under a prefix. A name may contain *, for the library
# folder of the architecture.
first_file() {
  local prefix name candidate
  while read -r prefix; do
    for name in "$@"; do
      for candidate in "$prefix"/$name; do
        if [ -e "$candidate" ]; then
          echo "$candidate"
          return 0
        fi
      done
    done
  done < <(prefixes)
  return 1
}

has_header() {
  local folder
  while read -r folder; do
    [ ! -e "$folder/$1" ] || return 0
  done < <(tr ':' '\n' <<<"${CPATH:-}" | sed '/^$/d')
  first_file "include/$1" "include/*-linux-gnu/$1" >/dev/null
}

# The program loads the library when it trains boosted trees.
has_xgboost() { first_file "lib*/libxgboost.so*" "lib/*-linux-gnu/libxgboost.so*" >/dev/null; }

# The headers alone do not suffice: libboost-dev has those of all Boost libraries.
has_boost() {
  has_header boost/program_options.hpp &&
    first_file "lib*/libboost_program_options*."{so,a} "lib/*-linux-gnu/libboost_program_options*."{so,a} >/dev/null
}

# srun loads the library by its development name, libpmix.so.
has_libpmix() { first_file "lib*/libpmix.so" "lib/*-linux-gnu/libpmix.so" "lib/*-linux-gnu/pmix*/lib/libpmix.so" >/dev/null; }

has_libfuzzer() { has_command clang++ && compgen -G "$(clang++ -print-resource-dir)/lib/*/libclang_rt.fuzzer*.a" >/dev/null; }

has_opencl() {
  has_header CL/cl.h && first_file "lib*/libOpenCL.so" "lib/*-linux-gnu/libOpenCL.so" >/dev/null &&
    first_file "lib*/libpocl.so*" "lib/*-linux-gnu/libpocl.so*" >/dev/null
}

has_catch2() { has_header catch2/catch.hpp || has_header catch2/catch_all.hpp; }

system_torch() {
  first_file TorchConfig.cmake share/cmake/Torch/TorchConfig.cmake "lib*/cmake/Torch/TorchConfig.cmake" \
    "lib/*-linux-gnu/cmake/Torch/TorchConfig.cmake"
}

# Prints the CMake folder of the active Python's torch. Wheels with the old C++ ABI cannot be linked with the system's
# libraries.
python_torch() {
  local config
  config=$(python3 - 2>/dev/null <<'PYTHON'
import importlib.util, pathlib
found = importlib.util.find_spec("torch")
print(pathlib.Path(found.origin).parent / "share/cmake/Torch/TorchConfig.cmake" if found else "")
PYTHON
  ) || return 1
  [ -e "$config" ] && ! grep -q 'GLIBCXX_USE_CXX11_ABI=0' "$config" && dirname "$config"
}

# Prints the CMake folder with which an earlier call configured the preset.
configured_torch() {
  local folder
  folder=$(sed -n 's/^Torch_DIR:PATH=//p' "build/$preset/CMakeCache.txt" 2>/dev/null) || return 1
  [ -e "$folder/TorchConfig.cmake" ] && echo "$folder"
}

# Prints the CMake folder of the LibTorch to build with.
chosen_torch() {
  local config
  if [ "$torch" = pip ]; then
    pip_torch
  elif [ "$torch" = kept ] && configured_torch; then
    :
  elif config=$(system_torch); then
    dirname "$config"
  else
    python_torch
  fi
}

has_torch() { chosen_torch >/dev/null; }

# Only Debian's LibTorch uses the system's BLAS; others contain their own.
has_openblas() {
  case $(chosen_torch || true) in
    /usr/lib/* | "") has_file_of_openblas ;;
    *) return 0 ;;
  esac
}
has_file_of_openblas() { compgen -G '/usr/lib/*-linux-gnu/openblas-openmp/libblas.so.3' >/dev/null; }

# Checks the same development names as cmake/Dependencies.cmake.
has_blas_library() {
  local name
  for name in blas openblas flexiblas mkl_rt; do
    ! first_file "lib*/lib$name.so" "lib/*-linux-gnu/lib$name.so" >/dev/null || return 0
  done
  return 1
}

# has_modules PYTHON NAME...
has_modules() {
  local python=$1
  shift
  has_command "$python" && "$python" - "$@" <<'PYTHON'
import importlib.util, sys
sys.exit(any(importlib.util.find_spec(name) is None for name in sys.argv[1:]))
PYTHON
}
has_python_modules() { has_modules /usr/bin/python3 h5py pandas sklearn torch; }
has_python_xgboost() { has_modules /usr/bin/python3 xgboost; }
has_skimage() { has_modules /usr/bin/python3 skimage; }

# Prints the Python of the tests: that of LibTorch's installation, as in cmake/FindLibTorch.cmake, or the one that CMake
# finds. If LibTorch is not installed yet, both will come from the system's packages.
python_of_tests() {
  local folder
  folder=$(chosen_torch) || {
    echo /usr/bin/python3
    return
  }
  while folder=$(dirname "$folder") && [[ $folder != [/.] ]]; do
    [ ! -e "$folder/bin/python3" ] || {
      echo "$folder/bin/python3"
      return
    }
  done
  command -v python3 || echo /usr/bin/python3
}

# A Python other than /usr/bin/python3 does not see the distribution's packages; this script installs nothing into it.
require_modules_of() {
  local python=$1 entry missing=()
  for entry in torch:torch h5py:h5py sklearn:scikit-learn skimage:scikit-image; do
    has_modules "$python" "${entry%:*}" || missing+=("${entry#*:}")
  done
  [ ${#missing[@]} = 0 ] || fail "nothing was built: packages are missing in '$python', the Python of the tests for" \
    "this LibTorch: ${missing[*]}. Install them: $python -m pip install ${missing[*]}"
}
has_venv() { has_modules python3 venv ensurepip; }

# ---- The virtual environment of --torch=pip

# pip_torch: prints the CMake folder of its torch.
pip_torch() {
  local config
  config=$(compgen -G "$venv/lib/python3*/site-packages/torch/share/cmake/Torch/TorchConfig.cmake" | head -n 1) &&
    dirname "$config"
}

has_pip_packages() {
  pip_torch >/dev/null || return 1
  [ "$tests" = no ] || has_modules "$venv/bin/python3" h5py sklearn skimage
}

# Installs without pip's cache, which would need another 3 GB.
provide_venv() {
  has_pip_packages && return 0
  local packages=(torch)
  [ "$tests" = no ] || packages+=(numpy h5py scikit-learn scikit-image)
  [ "$install" = yes ] || fail "nothing was built: '$venv' does not have ${packages[*]}. Run this script without" \
    "--no-install, or install them: python3 -m venv $venv && $venv/bin/pip install ${packages[*]}"
  say "installing with pip into $venv: ${packages[*]}"
  [ -e "$venv/bin/python3" ] || python3 -m venv "$venv" || fail "'$venv' cannot be created (see the messages above)."
  "$venv/bin/python3" -m pip install --no-cache-dir "${packages[@]}" ||
    fail "nothing was built: pip install failed (see its messages above)."
  has_pip_packages || fail "nothing was built: the torch in '$venv' has no CMake files. Use another folder: --venv."
}

# ---- Installing

# missing_of ENTRY...: prints the entries whose check fails, one per line.
missing_of() {
  local entry
  for entry in "$@"; do
    ${entry##*|} || echo "$entry"
  done
}
names_of() { cut -d'|' -f1; }
packages_of() { cut -d'|' -f2 | tr '\n' ' ' | sed 's/ $//'; }

# Prints the command prefix for apt-get. Fails if this user may not install packages.
apt_prefix() {
  has_command apt-get dpkg || return 1
  if [ "$(id -u)" = 0 ]; then
    echo env
  else
    sudo -n true 2>/dev/null && echo "sudo -n env"
  fi
}

install_packages() {
  local prefix=$1
  local options=(-q -y -o DPkg::Lock::Timeout=600 -o Acquire::Retries=3)
  shift
  say "installing: $*"
  $prefix apt-get "${options[@]}" update || say "apt-get update failed; continuing with the current package lists"
  $prefix DEBIAN_FRONTEND=noninteractive apt-get "${options[@]}" install --no-install-recommends "$@"
}

# Installs the missing packages or lists them. If $1 is "needed", packages that are still missing end the script.
provide() {
  local importance=$1 missing prefix
  shift
  missing=$(missing_of "$@")
  [ -n "$missing" ] || return 0
  if [ "$install" = yes ] && prefix=$(apt_prefix); then
    # shellcheck disable=SC2046  # one argument per package
    install_packages "$prefix" $(packages_of <<<"$missing") || say "apt-get install failed (see its messages above)"
    missing=$(missing_of "$@")
    [ -n "$missing" ] || return 0
  fi
  say "missing:"
  names_of <<<"$missing" | sed 's/^/[setup]   /'
  say "on Debian or Ubuntu: apt-get install --no-install-recommends $(packages_of <<<"$missing")"
  say "on other systems: load or install them; if they are not in the system's folders, set CMAKE_PREFIX_PATH"
  [ "$importance" != needed ] || fail "nothing was built: the packages above are missing. Install them and try again."
  say "continuing: tests that need these packages will be skipped"
}

# On Debian, libblas.so.3 can be any BLAS. Only the OpenMP build of OpenBLAS is fast and respects thread limits.
warn_of_slow_blas() {
  local blas
  blas=$(PATH=$PATH:/sbin:/usr/sbin ldconfig -p 2>/dev/null | awk '$1 == "libblas.so.3" && !seen++ { print $NF }')
  [ -n "$blas" ] || return 0
  blas=$(readlink -f "$blas")
  case $blas in
    */openblas-openmp/*) ;;
    *) say "warning: libblas.so.3 is $blas, which is slow or ignores thread limits." \
        "Select the OpenMP build of OpenBLAS: update-alternatives --config libblas.so.3-$(uname -m)-linux-gnu" ;;
  esac
}

# ---- Arguments and main program

preset=release tests=no install=yes list=no torch=kept venv=build/torch-venv own_venv=no
while [ $# -gt 0 ]; do
  case $1 in
    --preset)
      [ $# -ge 2 ] || fail "--preset needs a name. See cmake/setup.sh --help."
      preset=$2
      shift
      ;;
    --preset=*) preset=${1#*=} ;;
    --torch=pip | --torch=system) torch=${1#*=} ;;
    --torch=*) fail "unknown LibTorch '${1#*=}' (choose pip or system). See cmake/setup.sh --help." ;;
    --venv)
      [ $# -ge 2 ] || fail "--venv needs a folder. See cmake/setup.sh --help."
      venv=$2 own_venv=yes
      shift
      ;;
    --venv=*) venv=${1#*=} own_venv=yes ;;
    --tests) tests=yes ;;
    --no-install) install=no ;;
    --list-packages) list=yes ;;
    -h | --help)
      usage
      exit 0
      ;;
    *) fail "unknown argument '$1'. See cmake/setup.sh --help." ;;
  esac
  shift
done

[ -n "$preset" ] || fail "--preset needs a name. See cmake/setup.sh --help."
[ "$own_venv" = no ] || [ -n "$venv" ] || fail "--venv needs a folder. See cmake/setup.sh --help."
case $own_venv$venv in yes[!/]*) venv=$caller_folder/$venv ;; esac
venv=$(readlink -m -- "$venv")
if [ "$torch" = kept ] && configured_torch >/dev/null && [ "$(configured_torch)" = "$(pip_torch)" ]; then torch=pip; fi
[ "$own_venv" = no ] || [ "$torch" = pip ] || fail "--venv works only with --torch=pip. Add that, or omit --venv."
if [ "$torch" = pip ]; then
  needed+=("Python 3 with venv|python3 python3-venv|has_venv")
else
  needed+=("LibTorch 1.13 or newer|libtorch-dev|has_torch")
  test_python=$(python_of_tests)
  [ "$test_python" != /usr/bin/python3 ] || needed_by_tests+=("${modules_of_tests[@]}")
fi
if [ "$tests" = yes ]; then
  needed+=("${needed_by_tests[@]}")
fi
if [ "$preset" = clang ]; then
  needed+=("clang|clang|has_command clang clang++")
fi
if [ "$list" = yes ]; then
  printf '%s\n' "${needed[@]}" | packages_of
  echo
  exit 0
fi
provide needed "${needed[@]}"
if [ "$torch" = pip ]; then
  provide_venv
elif [ "$tests" = yes ] && [ "$test_python" != /usr/bin/python3 ]; then
  require_modules_of "$test_python"
fi
[ "$tests" = no ] || provide wanted "${wanted_by_tests[@]}"
case $(chosen_torch || true) in /usr/lib/*) warn_of_slow_blas ;; esac

arguments=()
if [ "$tests" = yes ]; then
  arguments+=(-DBUILD_TESTING=ON)
elif [ ! -e "build/$preset/CMakeCache.txt" ]; then
  arguments+=(-DBUILD_TESTING=OFF)
fi
cmake --preset "$preset" "${arguments[@]}" -DTorch_DIR="$(chosen_torch)"
cmake --build --preset "$preset"
