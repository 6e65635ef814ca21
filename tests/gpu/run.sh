#!/usr/bin/env bash
# Builds and tests Sheaf on a GPU machine without network and without the packages of Sheaf.
# Usage: tests/gpu/run.sh prepare ARCHIVE.tar.gz   on a Debian 12 machine with network: packs the packages
#        tests/gpu/run.sh run ARCHIVE.tar.gz       on the machine with the GPU: builds and tests
# The archive has headers and libraries only, less than 50 MiB. It requires a glibc that is at least as new as that of
# the machine that made it. The GPU machine needs g++, CMake, Ninja, the CUDA toolkit, and a python3 with a CUDA build
# of torch, NumPy and h5py; root is not needed. The exit code of `run` is 0 if all tests passed on a GPU, 77 if they
# passed without a GPU, else 1. It has, in this order: the tests of stacks, with their bits, compute-sanitizer and little
# memory; the speed of stacks (stack_table.py); the other tests; the speed of single models (bench.py). It is planned to
# end within TIME_LIMIT (580) seconds on 16 cores: if the build takes long, less is measured.
# SPDX-License-Identifier: MIT
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/../.."

say() { echo "[gpu] $*"; }
fail() {
  echo "tests/gpu/run.sh: $*" >&2
  exit 2
}

# ---- prepare

largest_mib=50
arch=x86_64-linux-gnu

# The packages that cmake/setup.sh installs, without those that the GPU machine has.
wanted_packages() {
  local name
  for name in $(bash cmake/setup.sh --torch=pip --tests --list-packages); do
    case $name in
      cmake | g++ | ninja-build | python3* | libopenblas*-dev | hdf5-tools) ;;
      *) echo "$name" ;;
    esac
  done
}

# with_dependencies PACKAGE...: prints the packages and all their dependencies, including installed ones.
with_dependencies() {
  apt-get -o Dir::State::status=/dev/null --simulate --no-install-recommends install "$@" |
    awk '$1 == "Inst" { print $2 }' | sort
}

# is_packed PACKAGE WANTED: whether the whole package is packed. Of other packages, only the shared libraries that
# packed files need are packed.
is_packed() {
  case $1 in
    libhdf5-openmpi-*-dev | libhdf5-openmpi-*cpp* | libhdf5-openmpi-*fortran* | libhdf5-openmpi-hl*) return 1 ;;
    openmpi-* | libopenmpi* | libpmix[0-9]* | libhdf5-openmpi* | libboost*) return 0 ;;
    *) grep -qx "$1" "$2" ;;
  esac
}

elf_files() { find "$@" -type f \( -name '*.so' -o -name '*.so.*' -o -path '*/bin/*' \); }

# Prints the shared libraries that the ELF files on stdin need.
needed_libraries() {
  xargs -r readelf -d 2>/dev/null | sed -n 's/.*(NEEDED).*\[\(.*\)\]/\1/p' | sort -u
}

# Copies the libraries that files of $1 need, directly and indirectly, from the unpacked packages $2. Libraries that are
# not there are part of every Linux system.
complete_libraries() {
  local folder=$1 others=$2 library found count before=-1
  while count=$(find "$folder" | wc -l) && [ "$count" != "$before" ]; do
    before=$count
    for library in $(elf_files "$folder" | needed_libraries); do
      [ -z "$(find "$folder" -name "$library")" ] || continue
      found=$(find "$others" -name "$library" | head -n 1)
      [ -z "$found" ] || cp -L "$found" "$folder/usr/lib/$arch/$library"
    done
  done
}

# Copies the targets of library links in $1 from the unpacked packages $2: libfmt.so to libfmt.so.9 to libfmt.so.9.1.0.
complete_links() {
  local folder=$1 others=$2 link target before=
  find "$folder" -type l -lname '/*' -delete # leads out of the folder; zlib then has its static library
  while link=$(find "$folder" -xtype l -name '*.so*') && [ "$link" != "$before" ]; do
    before=$link
    for link in $before; do
      target=$(dirname "${link#"$folder"}")/$(readlink "$link")
      [ ! -e "$others$target" ] || cp -an "$others$target" "$folder$target"
    done
  done
}

# Removes unused Boost headers: all have 130 MB, those of Program_options 6 MB.
prune_boost() {
  local include=$1/usr/include used=$2 standard
  for standard in 17 20; do
    echo '#include <boost/program_options.hpp>' |
      g++ -std=c++$standard -isystem "$include" -M -x c++ - | tr ' ' '\n' | grep "^$include/boost/" || true
  done | sort -u >"$used"
  [ -s "$used" ] || fail "g++ finds no Boost headers in $include."
  find "$include/boost" -name config -prune -o -name version.hpp -o -type f -print | sort | comm -23 - "$used" | xargs rm -f
  find "$include/boost" -type d -empty -delete
}

prune() {
  local folder=$1 library
  rm -rf "${folder:?}"/{var,usr/share/{doc,man,lintian,bug,gdb,libtool,bash-completion},usr/include/libxsmm/{template,*.c}}
  rm -rf "$folder/usr/lib/$arch"/{fortran,pkgconfig,openmpi/{lib/pkgconfig,include/openmpi/o*/},libmpi_java*,liboshmem*}
  # Other languages, and the HDF5 libraries on top of the C library.
  find "$folder" \( -name '*.mod' -o -name '*.jar' -o -name '*f08*' -o -name '*usempi*' -o -name '*mpifh*' \
    -o -name 'libmpi_cxx*' -o -name 'libhdf5*_hl*' -o -name 'libhdf5*hl_*' -o -name 'libhdf5*_cpp*' \
    -o -name 'libhdf5*fortran*' \) -delete
  find "$folder/usr/bin" -not -name 'mpi*' -not -name orted -not -name orterun -not -name opal_wrapper -type f -delete
  find "$folder" -name '*.a' | while read -r library; do
    if [ -e "${library%.a}.so" ]; then rm "$library"; fi
  done
  # Plugins for networks between machines, with their libraries.
  find "$folder" \( -name 'mca_*_ucx.so' -o -name 'mca_*_ofi.so' -o -name 'mca_*_openib.so' -o -name 'mca_*_psm*.so' \) -delete
  rm "$folder/usr/lib/$arch"/libmca_common_{ucx,ofi,verbs}.so*
  find "$folder" -xtype l -delete
}

# Creates the links that the installation scripts of the packages create.
link_alternatives() {
  local lib=$1/usr/lib/$arch name
  for name in mpicc mpirun mpiexec; do ln -sf "$name.openmpi" "$1/usr/bin/$name"; done
  for name in libblas.so libblas.so.3 libopenblas.so.0; do ln -sf "openblas-openmp/${name/%.so/.so.3}" "$lib/$name"; done
  mkdir "$1/hdf5" # laid out like a manual installation, which FindHDF5 expects in HDF5_ROOT
  ln -s ../usr/include/hdf5/openmpi "$1/hdf5/include"
  ln -s "../usr/lib/$arch/hdf5/openmpi" "$1/hdf5/lib"
}

prepare() {
  local archive work folder packages deb name mib
  for name in apt-get dpkg-deb g++ readelf; do
    command -v $name >/dev/null || fail "'$name' was not found. Install it: prepare needs it on this machine."
  done
  mkdir -p "$(dirname "$1")"
  archive=$(readlink -m -- "$1")
  work=$(mktemp -d)
  # shellcheck disable=SC2064  # expanded now on purpose
  trap "rm -rf '$work'" EXIT
  folder=$work/packages
  mkdir "$work/debs" "$work/others" "$folder"
  wanted_packages >"$work/wanted"
  with_dependencies g++ python3 perl >"$work/present"
  # shellcheck disable=SC2046  # package names are words
  with_dependencies g++ python3 perl $(<"$work/wanted") >"$work/all"
  mapfile -t packages < <(comm -13 "$work/present" "$work/all")
  [ ${#packages[@]} -gt 0 ] || fail "apt-get found no packages. Run apt-get update first."
  say "downloading ${#packages[@]} packages"
  (cd "$work/debs" && apt-get -qq -o APT::Sandbox::User=root download "${packages[@]}")
  for deb in "$work"/debs/*.deb; do
    if is_packed "$(dpkg-deb -f "$deb" Package)" "$work/wanted"; then
      dpkg-deb -x "$deb" "$folder"
    else
      dpkg-deb -x "$deb" "$work/others"
    fi
  done
  complete_links "$folder" "$work/others"
  prune "$folder"
  prune_boost "$folder" "$work/boost"
  complete_libraries "$folder" "$work/others"
  link_alternatives "$folder"
  tar -C "$folder" -czf "$archive" .
  mib=$(du -m --apparent-size "$archive" | cut -f1)
  say "'$1' has $mib MiB, unpacked $(du -sm --apparent-size "$folder" | cut -f1) MiB in $(find "$folder" | wc -l) files"
  [ "$mib" -lt $largest_mib ] || fail "'$1' is larger than $largest_mib MiB. Leave out more in prune()."
}

# ---- run

# use_folder FOLDER: sets variables so that the packages in FOLDER are found as if they were installed.
use_folder() {
  local usr=$1/usr
  export PATH=$usr/bin:$PATH
  export CMAKE_PREFIX_PATH=$usr HDF5_ROOT=$1/hdf5 Boost_ROOT=$usr
  export CPATH=$usr/include:$usr/include/$arch${CPATH:+:$CPATH}
  export LIBRARY_PATH=$usr/lib/$arch:$usr/lib${LIBRARY_PATH:+:$LIBRARY_PATH}
  export LD_LIBRARY_PATH=$usr/lib/$arch:$usr/lib/$arch/pmix2/lib${LD_LIBRARY_PATH:+:$LD_LIBRARY_PATH}
  export OPAL_PREFIX=$usr
  export OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1
  export OMPI_MCA_hwloc_base_binding_policy=none
  export OMPI_MCA_plm=isolated # otherwise Open MPI requires ssh
  export PMIX_MCA_pcompress_base_silence_warning=1 # PMIx does not find its plugins outside Debian's folder
}

torch_dir() { python3 -c 'import h5py, numpy, torch; print(torch.utils.cmake_prefix_path + "/Torch")'; }

# Prints packages of FOLDER $1 that the build found elsewhere.
found_elsewhere() {
  grep -E '^(MPI_C_COMPILER|MPI_mpi_LIBRARY|HDF5_C_(INCLUDE_DIR|LIBRARY_hdf5)|Boost_INCLUDE_DIR|LIBDEFLATE_LIBRARY|HWLOC_LIBRARY|LIBXSMM_LIBRARY|BLAS_LIBRARY|fmt_DIR|hwy_DIR|nlohmann_json_DIR|ZLIB_INCLUDE_DIR|Catch2_DIR):' \
    build/gpu/CMakeCache.txt | grep -v "=$1/" || true
}

run() {
  local start=$SECONDS folder name torch elsewhere failed=no
  [ -f "$1" ] || fail "'$1' does not exist. Make it on a machine with network: tests/gpu/run.sh prepare $1"
  for name in g++ cmake ninja python3; do
    command -v $name >/dev/null || fail "'$name' was not found. Install it, or put its folder into PATH."
  done
  torch=$(torch_dir) || fail "python3 ($(command -v python3)) lacks torch, numpy or h5py. Put the one that has them first in PATH."
  folder=$PWD/build/gpu-packages
  rm -rf "$folder"
  mkdir -p "$folder"
  tar -C "$folder" -xzf "$1"
  use_folder "$folder"

  say "building with the LibTorch of $torch"
  cmake --preset release -B build/gpu -DBUILD_TESTING=ON -DTorch_DIR="$torch"
  elsewhere=$(found_elsewhere "$folder")
  [ -z "$elsewhere" ] || say "warning: packages of this machine are used instead of those in '$1': $elsewhere"
  cmake --build build/gpu --target gpu_tests
  say "built after $((SECONDS - start)) s"
  build/gpu/sheaf info

  export SHEAF=$PWD/build/gpu/sheaf MPIEXEC=mpiexec SHEAF_SOURCE=$PWD
  export GATED_MLP=$PWD/build/gpu/tests/app/plugin/gated_mlp.so
  seconds_left() { echo $((${TIME_LIMIT:-580} - SECONDS + start - $1)); }
  tests_of() { ctest --test-dir build/gpu -L gpu --parallel 8 --output-on-failure "$@" || failed=yes; }
  tests_of -R '^gpu_stack' --verbose
  say "tests of stacks ended after $((SECONDS - start)) s"
  python3 tests/gpu/stack_table.py "$(seconds_left 30)" || [ $? = 77 ] || failed=yes
  say "stacks measured after $((SECONDS - start)) s"
  tests_of -E '^gpu_stack'
  say "tests ended after $((SECONDS - start)) s"
  python3 tests/gpu/bench.py "$(seconds_left 5)" || failed=yes
  say "ended after $((SECONDS - start)) s"
  [ $failed = no ] || exit 1
  build/gpu/sheaf info | grep -q '^LibTorch .* CUDA device(s)' || exit 77
}

case ${1:-} in
  prepare | run) [ $# = 2 ] || fail "name one archive: tests/gpu/run.sh $1 ARCHIVE.tar.gz" ;;
  *) fail "name a command: tests/gpu/run.sh prepare ARCHIVE.tar.gz, or tests/gpu/run.sh run ARCHIVE.tar.gz" ;;
esac
"$1" "$2"
