#!/usr/bin/env bash
# inside.sh: as root, installs the packages in the current folder on a system that has nothing else, tests and removes
# them.
# SPDX-License-Identifier: MIT
set -euo pipefail
export DEBIAN_FRONTEND=noninteractive OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1
# More ranks than cores, and no network between them: this release has that of the machine that runs it.
export OMPI_MCA_rmaps_base_oversubscribe=1 PRTE_MCA_rmaps_default_mapping_policy=:oversubscribe OMPI_MCA_btl=^tcp
work=$(mktemp -d) packages=$PWD
failures=0

problem() {
  echo "FAILED: $*"
  sed 's/^/  | /' "$work/log"
  failures=$((failures + 1))
}
# expect NAME COMMAND...: the command must succeed.
expect() {
  local name=$1
  shift
  echo "[packages] $name"
  "$@" </dev/null >"$work/log" 2>&1 || problem "$name"
}
# says PATTERN: the output of the last command must have a matching line.
says() { grep -qE -- "$1" "$work/log" || problem "no line matches: $1"; }
install() { apt-get -q -y install --no-install-recommends "$@"; }

expect "install sheaf alone" install ./sheaf_*.deb
expect "test without LibTorch" sheaf info --test
says '^passed   training and prediction with the native engine$'
says '^skipped  LibTorch'
expect "install sheaf-torch" install ./sheaf-torch_*.deb
expect "test with LibTorch" sheaf info --test
says '^passed   training and prediction with LibTorch$'
expect "test with two ranks" mpirun -n 2 sheaf info --test
says '^passed   training and prediction with LibTorch$'

cd "$work"
share=/usr/share/sheaf
expect "search with two ranks" mpirun -n 2 --bind-to none sheaf run $share/jobs/studies/digits-search.cfg --run.output=digits
says '^Best: '
expect "local.sh" env STUDY=$share/jobs/studies/digits-search.cfg RANKS=2 OUTPUT=local bash $share/jobs/local.sh
expect "status" sheaf status digits
says 'finished$'

expect "install what plugins need" install cmake g++ make libtorch-dev
expect "configure a plugin" cmake -S $share/jobs/plugin -B plugin
expect "build the plugin" cmake --build plugin
expect "train with the plugin" sheaf run $share/jobs/studies/digits-bagging.cfg --model.hidden=none \
  --model.kind=plugin:plugin/gated_mlp.so --train.epochs=1 --run.output=plugged

expect "install man and bash-completion" install man-db bash-completion
expect "man sheaf" man sheaf
says '^COMMANDS$'
expect "man 5 sheaf-study" man 5 sheaf-study
says 'learning_rate'
# shellcheck disable=SC2016  # for the other shell
expect "completion" bash -c '. /usr/share/bash-completion/bash_completion
  _completion_loader sheaf 2>/dev/null || _comp_load sheaf || [ $? = 124 ]
  COMP_LINE="sheaf run --train.sched" COMP_POINT=23
  _sheaf
  echo "candidates: ${COMPREPLY[*]}"'
says '^candidates: --train.schedule=$'

no_build_path() {
  local path
  while read -r path; do
    [ -d "$path" ] || ! grep -l /root/sheaf "$path" || return 1
  done < <(dpkg -L sheaf sheaf-torch)
}
expect "no file has the path of the build folder" no_build_path

expect "install lintian" install lintian
expect "lintian" lintian --allow-root --fail-on error,warning --tag-display-limit 0 "$packages"/*.deb

cd /
rm -rf /var/cache/man # pages that man has formatted
expect "remove" apt-get -q -y purge sheaf sheaf-torch
find / -xdev \( -path /root -o -path /proc -o -path /sys -o -path /tmp \) -prune -o -iname '*sheaf*' -print >"$work/log"
[ ! -s "$work/log" ] || problem "files are left"
! dpkg-query -W 'sheaf*' 2>/dev/null | grep . || problem "packages are left"

echo "[packages] $failures failed"
[ "$failures" = 0 ]
