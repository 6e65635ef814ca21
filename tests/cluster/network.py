"""Runs on two simulated hosts (two_hosts.sh) have bit-identical results to runs on one host, even if the network fails
for some seconds. If it does not recover, the job ends within the configured time, leaves no processes and can be
resumed on one host."""

import os
import re
import shutil
import signal
import subprocess
import sys
import time

sys.path.insert(0, os.path.join(os.path.dirname(__file__), "..", "app"))

from interrupted import ITERATIONS, results, study  # noqa: E402
from program import MPIEXEC, SHEAF, Checks, journaled, processes, read_csv  # noqa: E402

ON_HOST = os.environ["ON_HOST"]
CLUSTER = os.environ["CLUSTER"]
STALLED_DISK = os.environ["STALLED_DISK"]
HANGS = 120

# A host that does not respond for TIMEOUT seconds ends the job. Lanes leave their claims within 5 s. The launcher has
# 2 s to end, and 5 s more after SIGTERM. The rest allows for a busy machine.
TIMEOUT = 3
MOST_SECONDS = TIMEOUT + 5 + 2 + 5 + 15

# mpirun of Open MPI 5 does not return the exit code of a job that lost a host.
VERSION = subprocess.run([MPIEXEC, "--version"], capture_output=True, text=True, check=True).stdout
CUT_OFF = 1 if "(Open MPI) 5." in VERSION else 75

checks = Checks()
os.mkdir(os.path.join(CLUSTER, "work"))
os.chdir(os.path.join(CLUSTER, "work"))
GATE = os.path.abspath("gate")


def search(epochs):
    return ["run"] + study("native", epochs=epochs) + ["--run.output=run"]


class Job:
    """The program on some hosts, started by mpirun on host alpha."""

    def __init__(self, args, hosts, stalled=""):
        """`stalled`: part of the paths whose disk stalls while the file "gate" exists."""
        self.log = open("job.log", "w+")
        launcher = [MPIEXEC, "-H", ",".join(hosts), "-n", str(sum(int(host.split(":")[1]) for host in hosts)),
                    "--bind-to",
                    "none"]
        if stalled:
            for variable in (f"LD_PRELOAD={STALLED_DISK}", f"STALLED_PATH={stalled}", f"STALLED_GATE={GATE}"):
                launcher += ["-x", variable]
        self.process = subprocess.Popen([ON_HOST, "alpha"] + launcher + [SHEAF] + args, stdin=subprocess.DEVNULL,
                                        stdout=self.log, stderr=subprocess.STDOUT)

    def output(self):
        with open("job.log") as file:
            return file.read()

    def wait_for(self, happened):
        end = time.monotonic() + HANGS
        while not happened():
            if self.process.poll() is not None or time.monotonic() > end:
                raise RuntimeError(f"the job ended or hung: {self.output()}")
            time.sleep(0.01)

    def finish(self):
        return self.process.wait(timeout=HANGS)


def ranks():
    return processes(os.path.basename(os.path.realpath(SHEAF)))


def set_cable(state):
    subprocess.run([ON_HOST, "beta", "ip", "link", "set", "cable", state], check=True)


def stall_disk():
    for name in (GATE, f"{GATE}.waiting"):
        if os.path.exists(name):
            os.remove(name)
    open(GATE, "w").close()


def pull_cable(also=lambda: None):
    """Cuts the network and calls `also` while all ranks are stopped, so that the run cannot end in the meantime."""
    stopped = ranks()
    for rank in stopped:
        os.kill(rank, signal.SIGSTOP)
    set_cable("down")
    also()
    for rank in stopped:
        os.kill(rank, signal.SIGCONT)


def journals(rank):
    return [os.path.join(attempt, name) for attempt, _, names in os.walk("run/journal") for name in names
            if name == f"{rank:05}.jsonl"]


def have_journal_lines(ranks_to_check):
    def has_line(rank):
        for path in journals(rank):
            with open(path) as file:
                if any(line.startswith('{"iteration"') for line in file):
                    return True
        return False
    return all(has_line(rank) for rank in ranks_to_check)


def fresh():
    shutil.rmtree("run", ignore_errors=True)


def cpu_seconds(process):
    with open(f"/proc/{process}/stat") as file:
        fields = file.read().rpartition(")")[2].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


def check_end(name, job, start, silent="host 'beta'"):
    code = job.finish()
    seconds = time.monotonic() - start
    output = job.output()
    checks.check(code == CUT_OFF, f"{name}: exit code {CUT_OFF}, not {code}", output)
    checks.check(TIMEOUT <= seconds < MOST_SECONDS, f"{name}: ended after {seconds:.1f} s, within the limits", output)
    checks.check(f"{silent} has not answered for" in output and "run.network_timeout" in output and
                 "Continue with: sheaf resume run" in output, f"{name}: error message", output)
    checks.check(output.count("error: ") == 1, f"{name}: one error line", output)
    end = time.monotonic() + MOST_SECONDS
    left = True
    while left and time.monotonic() < end:
        left = ranks() + processes("mpirun", "orterun", "orted", "prterun", "prted")
        time.sleep(0.1)
    checks.check(not left, f"{name}: no process is left",
                 subprocess.run(["ps", "ax"], capture_output=True, text=True).stdout)


# `sheaf info` tests locks between the hosts, and finds that a host does not share the directory.
unshared = "test $(hostname) = alpha || exec unshare --mount sh -c 'mount -t tmpfs tmpfs $PWD; cd $PWD; exec $SHEAF info'; "
for case, script, expected in (("shared", "", r"^fine +locks: flock works in "),
                               ("not shared", unshared, r"^ADVICE +locks \(rank 1\): the host does not have the file")):
    done = subprocess.run([ON_HOST, "alpha", MPIEXEC, "-H", "alpha:1,beta:1", "-n", "2", "--bind-to", "none", "sh", "-c",
                           script + "exec $SHEAF info"], stdin=subprocess.DEVNULL, capture_output=True, text=True)
    checks.check(done.returncode == 0 and re.search(expected, done.stdout, re.MULTILINE) and
                 re.search("^fine +MPI: 2 ranks on 2 hosts", done.stdout, re.MULTILINE) and not os.listdir(),
                 f"info in a directory that is {case}", done.stdout + done.stderr)

# Results on one host and on two hosts; the run must be long enough to cut the network during training.
epochs, seconds = 60, 0
while seconds < 2:
    epochs *= 2
    fresh()
    job = Job(search(epochs), ["alpha:2"])
    job.wait_for(lambda: os.path.exists("run/journal"))
    start = time.monotonic()
    checks.check(job.finish() == 0, "one host: the run succeeds", job.output())
    seconds = time.monotonic() - start
expected = results("run")

fresh()
job = Job(search(epochs), ["alpha:1", "beta:1"])
checks.check(job.finish() == 0, "two hosts: the run succeeds", job.output())
checks.check({row["rank"] for row in read_csv("run/results.csv")} == {"0", "1"}, "two hosts: both ranks train")
checks.check(results("run") == expected, "two hosts: same results as on one")

# The network fails for two seconds.
fresh()
job = Job(search(epochs), ["alpha:1", "beta:1"])
job.wait_for(lambda: have_journal_lines([0, 1]))
pull_cable()
time.sleep(2)
set_cable("up")
checks.check(job.finish() == 0, "two seconds without network: the run succeeds", job.output())
checks.check(results("run") == expected, "two seconds without network: same results")

# The network does not recover.
fresh()
job = Job(search(epochs) + [f"--run.network_timeout={TIMEOUT}"], ["alpha:1", "beta:2"])
job.wait_for(lambda: have_journal_lines([0, 1]))
pull_cable()
check_end("without network", job, time.monotonic())
checks.check(len(journaled("run")) > 0, "without network: finished iterations are in the journals")
set_cable("up")
job = Job(["resume", "run"], ["alpha:2"])
checks.check(job.finish() == 0, "without network: resumed", job.output())
checks.check(results("run") == expected, "without network: same results after resume")

# The network fails while rank 0 has no work left and sleeps.
fresh()
with open("unending.cfg", "w") as file:
    file.write("[data]\nsource = synthetic\nrows = 100000\n[model]\nkind = mlp\nhidden = 16\n[search]\nmethod = grid\n"
               "train.epochs = 1, 1000000\n[run]\noutput = run\npartition = block\nlanes = 1\nprogress = none\n"
               f"device = cpu\ncheckpoint_interval = none\nnetwork_timeout = {TIMEOUT}\n")
job = Job(["run", "unending.cfg"], ["alpha:1", "beta:1"])
job.wait_for(lambda: have_journal_lines([0]))
time.sleep(1)
[idle] = [rank for rank in ranks() if os.readlink(f"/proc/{rank}/ns/uts") == os.readlink(
    f"/proc/{job.process.pid}/ns/uts")]
used = cpu_seconds(idle)
time.sleep(3)
used = cpu_seconds(idle) - used
checks.check(used < 0.06, f"a rank without work uses little processor time ({used} s of 3 s)")
set_cable("down")
check_end("without network at the end", job, time.monotonic())
set_cable("up")

# The network fails while the disk of the journals stalls, as if it belonged to the lost host.
fresh()
job = Job(search(epochs) + [f"--run.network_timeout={TIMEOUT}"], ["alpha:2", "beta:1"], stalled="run/journal")
job.wait_for(lambda: have_journal_lines([0, 2]))
pull_cable(also=stall_disk)
check_end("without network and disk", job, time.monotonic())
set_cable("up")

# A disk that stalls while results are written does not end the job; a network failure at that time does.
for pulled in (False, True):
    fresh()
    stall_disk()
    job = Job(search(60) + [f"--run.network_timeout={TIMEOUT}"], ["alpha:2", "beta:2"], stalled="run/results")
    job.wait_for(lambda: os.path.exists(f"{GATE}.waiting"))
    if pulled:
        set_cable("down")
        check_end("without network at the gather", job, time.monotonic(), silent="another host")
        set_cable("up")
        os.remove(GATE)
        job = Job(["resume", "run"], ["alpha:2"])
    else:
        time.sleep(2 * TIMEOUT)
        checks.check(job.process.poll() is None, "a job waits for a stalled disk", job.output())
        os.remove(GATE)
    checks.check(job.finish() == 0 and len(read_csv("run/results.csv")) == ITERATIONS,
                 "results are written after the disk stall",
                 job.output())
sys.exit(checks.finish())
