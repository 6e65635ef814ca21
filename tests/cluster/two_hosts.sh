#!/usr/bin/env bash
# two_hosts.sh COMMAND...: runs a command with two simulated hosts, alpha and beta: network and UTS namespaces,
# connected by a virtual cable. They are in separate process and mount namespaces, so all processes end with the
# command, and several clusters can run at the same time. The command has these environment variables:
#   ON_HOST   "$ON_HOST" alpha COMMAND... runs a command on a host, with the TMPDIR of that host
#   CLUSTER   a temporary directory, removed at the end
# and variables that let mpirun of Open MPI reach both hosts (-H alpha:1,beta:1) by that cable only.
# Exit code 77 if the machine does not permit namespaces.
# SPDX-License-Identifier: MIT
set -euo pipefail

if [ "${1:-}" != --inside ]; then
  user=(--user --map-root-user)
  [ "$(id -u)" -ne 0 ] || user=()
  namespaces=("${user[@]}" --mount --net --pid --fork --kill-child --mount-proc)
  for tool in unshare nsenter ip; do
    command -v "$tool" >/dev/null || { echo "skipped: '$tool' is not installed" && exit 77; }
  done
  if ! problem=$(unshare "${namespaces[@]}" bash "$0" --inside true 2>&1); then
    echo "skipped: this machine does not permit namespaces ($problem)"
    exit 77
  fi
  exec unshare "${namespaces[@]}" bash "$0" --inside "$@"
fi
shift

# Each cluster has its own /dev/shm: Open MPI names shared memory by host, user and process id, which are the same in
# all clusters.
mount -t tmpfs tmpfs /dev/shm

CLUSTER=$(mktemp -d)
trap 'umount /etc/hosts "$CLUSTER"/*.net "$CLUSTER"/*.uts; rm -rf "$CLUSTER"' EXIT
for host in alpha beta; do
  touch "$CLUSTER/$host.net" "$CLUSTER/$host.uts"
  mkdir "$CLUSTER/$host"
  unshare --net="$CLUSTER/$host.net" --uts="$CLUSTER/$host.uts" hostname "$host"
done

cat >"$CLUSTER/on_host" <<'SCRIPT'
#!/usr/bin/env bash
cluster=$(dirname "$0")
host=$1
shift
TMPDIR=$cluster/$host exec nsenter --net="$cluster/$host.net" --uts="$cluster/$host.uts" -- "$@"
SCRIPT
cat >"$CLUSTER/rsh" <<'SCRIPT'
#!/usr/bin/env bash
host=$1
shift
exec "$(dirname "$0")/on_host" "$host" sh -c "$*"
SCRIPT
chmod +x "$CLUSTER/on_host" "$CLUSTER/rsh"
export CLUSTER ON_HOST=$CLUSTER/on_host
export OMPI_MCA_plm_rsh_agent=$CLUSTER/rsh OMPI_MCA_btl=self,vader,tcp
export OMPI_MCA_oob_tcp_if_include=cable OMPI_MCA_btl_tcp_if_include=cable
export PRTE_MCA_plm_ssh_agent=$CLUSTER/rsh PRTE_MCA_prte_if_include=cable # Open MPI 5
printf '127.0.0.1 localhost\n10.77.0.1 alpha\n10.77.0.2 beta\n' >"$CLUSTER/hosts"
mount --bind "$CLUSTER/hosts" /etc/hosts

"$ON_HOST" alpha ip link add cable type veth peer name cable netns "$CLUSTER/beta.net"
"$ON_HOST" alpha ip address add 10.77.0.1/24 dev cable
"$ON_HOST" beta ip address add 10.77.0.2/24 dev cable
for host in alpha beta; do
  "$ON_HOST" "$host" ip link set lo up
  "$ON_HOST" "$host" ip link set cable up
done
"$@"
