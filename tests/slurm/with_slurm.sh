#!/usr/bin/env bash
# with_slurm.sh COMMAND [ARGUMENTS]: starts a private Slurm cluster of three nodes on this machine and runs the command
# in it. Nodes g1 and g2 have four GPUs each (device files without a real GPU), c1 has none; partitions are all, gpu and
# cpu.
# By hand:   bash tests/slurm/with_slurm.sh bash        a shell in which sinfo, sbatch and srun work
#
# The cluster runs in separate namespaces, with loopback as its only network, and on a temporary file system. When the
# command ends for any reason, the kernel stops all daemons and jobs, and no files remain. The Slurm and munge of the
# system, their files and their ports are not touched.
# Exits with the code of the command; with 77 if Slurm is not installed, the machine does not permit namespaces, or
# cgroups are not mounted.
# SPDX-License-Identifier: MIT
set -euo pipefail
export PATH=$PATH:/usr/sbin:/sbin

skip() {
  echo "skipped: $*"
  exit 77
}

enter_namespaces() {
  local name
  for name in slurmctld slurmd srun sbatch scontrol munged munge unshare ip; do
    command -v "$name" >/dev/null || skip "$name is not installed (cmake/setup.sh --tests installs it)"
  done
  [ "$(id -u)" = 0 ] || skip "the Slurm daemons need root"
  unshare --pid --fork --mount-proc --net --uts true 2>/dev/null || skip "this machine does not permit namespaces"
  mountpoint -q /sys/fs/cgroup || skip "/sys/fs/cgroup, which slurmd needs, is not mounted"
  exec unshare --pid --fork --kill-child --mount-proc --net --uts bash "${BASH_SOURCE[0]}" --inside "$@"
}

fail() {
  echo "with_slurm: $*" >&2
  tail -n 20 "$home"/log/* >&2 || true
  exit 1
}

# wait_for SECONDS COMMAND...: waits until the command succeeds; fails after SECONDS.
wait_for() {
  local end=$((SECONDS + $1))
  shift
  until "$@" >/dev/null 2>&1; do
    [ "$SECONDS" -lt "$end" ] || return 1
    sleep 0.2
  done
}

start_munge() {
  (umask 077 && head -c 128 /dev/urandom >"$home/munge/key")
  # munged runs as root only with --force. The key and the socket belong to this cluster.
  munged --foreground --force --num-threads=2 --key-file="$home/munge/key" --socket="$home/munge/socket" \
    --pid-file="$home/munge/pid" --log-file="$home/log/munged" --seed-file="$home/munge/seed" \
    </dev/null >"$home/log/munged.out" 2>&1 &
  wait_for 60 munge --socket="$home/munge/socket" --no-input || fail "munged does not answer"
}

# Nodes report 16 cores on any machine (config_overrides) and bind no processes (task/none), so that the scripts of
# jobs/ run unchanged. TmpFS differs by node, since the nodes share /tmp and PMIx names its folder after the job only. A
# requeued job waits until its old credentials expire, here after 5 s.
write_configuration() {
  local port=6817 controller node gpu
  controller=$(hostname -s)
  cat >"$home/slurm.conf" <<CONF
ClusterName=test
SlurmctldHost=$controller(127.0.0.1)
SlurmctldPort=$port
SlurmUser=root
SlurmdUser=root
AuthType=auth/munge
AuthInfo=socket=$home/munge/socket,cred_expire=5
CredType=cred/munge
MpiDefault=none
ProctrackType=proctrack/linuxproc
TaskPlugin=task/none
JobAcctGatherType=jobacct_gather/none
AccountingStorageType=accounting_storage/none
SelectType=select/cons_tres
SelectTypeParameters=CR_Core
GresTypes=gpu
SlurmdParameters=config_overrides
SchedulerParameters=sched_min_interval=0,sched_interval=1,batch_sched_delay=0,bf_interval=1
MinJobAge=7200
KillWait=5
SlurmctldLogFile=$home/log/slurmctld
SlurmdLogFile=$home/log/slurmd-%n
SlurmctldPidFile=$home/slurmctld.pid
SlurmdPidFile=$home/slurmd-%n.pid
StateSaveLocation=$home/state
SlurmdSpoolDir=$home/spool/%n
TmpFS=$home/tmp/%n
PartitionName=all Nodes=g1,g2,c1 Default=YES State=UP
PartitionName=gpu Nodes=g1,g2 State=UP
PartitionName=cpu Nodes=c1 State=UP
CONF
  for node in g1 g2 c1; do
    mkdir -p "$home/spool/$node" "$home/tmp/$node"
    echo "NodeName=$node NodeHostname=$node NodeAddr=127.0.0.1 Port=$((++port)) CPUs=16 SocketsPerBoard=2" \
      "CoresPerSocket=8 ThreadsPerCore=1 $([ $node = c1 ] || echo Gres=gpu:4)" >>"$home/slurm.conf"
  done
  for gpu in 0 1 2 3; do
    mknod "$home/dev/nvidia$gpu" c 1 3 || skip "this machine does not permit device files"
  done
  echo "NodeName=g1,g2 Name=gpu File=$home/dev/nvidia[0-3]" >"$home/gres.conf"
}

all_nodes_idle() { [ "$(timeout 5 sinfo -h -N -p all -t idle -o %N | sort -u | wc -l)" = 3 ]; }

start_slurm() {
  local node
  slurmctld -D -c </dev/null >"$home/log/slurmctld.out" 2>&1 &
  for node in g1 g2 c1; do
    # Each node has its own host name, so that ranks on different nodes do not count as ranks of one node.
    unshare --uts bash -c "hostname $node && exec slurmd -D -N $node" </dev/null >"$home/log/slurmd-$node.out" 2>&1 &
  done
  wait_for 240 all_nodes_idle || fail "not all nodes are up: $(timeout 5 sinfo -h -N -p all -o '%N %T %E' 2>&1 | tr '\n' ';')"
}

run_inside() {
  home=$(mktemp -d /tmp/sheaf-slurm.XXXXXX) # short, since the length of socket paths is limited
  trap 'cd / && umount --lazy "$home" "/dev/shm" && rmdir "$home"' EXIT
  mount -t tmpfs -o mode=755 tmpfs "$home"
  mount -t tmpfs tmpfs /dev/shm
  ip link set lo up
  ip address add 127.0.0.2/8 dev lo # with only 127.0.0.1, the C library finds no IPv4 address to listen on
  mkdir "$home"/{munge,log,state,spool,tmp,dev}
  # If this test runs in a Slurm job, the job's variables must not affect it.
  unset "${!SLURM_@}" "${!SBATCH_@}" "${!PMIX_@}"
  export SLURM_CONF=$home/slurm.conf TMPDIR=$home/tmp
  # The nodes communicate by loopback, and their ranks share few cores.
  export OMPI_MCA_btl_tcp_if_include=lo OMPI_MCA_mpi_yield_when_idle=1
  start_munge
  write_configuration
  start_slurm
  "$@"
}

if [ "${1:-}" = --inside ]; then
  shift
  run_inside "$@"
else
  [ $# -gt 0 ] || { echo "usage: with_slurm.sh COMMAND [ARGUMENTS]" >&2; exit 2; }
  enter_namespaces "$@"
fi
