"""Runs on two hosts, by two_hosts.sh: the same bits as on one host, also when the cable is pulled for some seconds. When it
stays pulled the job ends in the stated time, leaves no process, and resumes on one host."""

import os
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

# A host that is silent for TIMEOUT seconds ends the job: lanes leave their claims within 5 s, the launcher gets 2 s to end
# by itself, or 5 s more when it is made to; the rest is for a busy machine.
TIMEOUT = 3
MOST_SECONDS = TIMEOUT + 5 + 2 + 5 + 15

# mpirun of Open MPI 5 loses the job's exit code together with a host.
VERSION = subprocess.run([MPIEXEC, "--version"], capture_output=True, text=True, check=True).stdout
CUT_OFF = 1 if "(Open MPI) 5." in VERSION else 75

checks = Checks()
os.mkdir(os.path.join(CLUSTER, "work"))
os.chdir(os.path.join(CLUSTER, "work"))
GATE = os.path.abspath("gate")


def search(epochs):
    return ["run"] + study("native", epochs=epochs) + ["--run.output=run"]


class Job:
    """The program on some hosts, started by mpirun on the first of them."""

    def __init__(self, words, hosts, stalled=""):
        """`stalled`: of paths whose disk stands still as long as file "gate" is there."""
        self.log = open("job.log", "w+")
        launcher = [MPIEXEC, "-H", ",".join(hosts), "-n", str(sum(int(host.split(":")[1]) for host in hosts)), "--bind-to",
                    "none"]
        if stalled:
            for variable in (f"LD_PRELOAD={STALLED_DISK}", f"STALLED_PATH={stalled}", f"STALLED_GATE={GATE}"):
                launcher += ["-x", variable]
        self.process = subprocess.Popen([ON_HOST, "alpha"] + launcher + [SHEAF] + words, stdin=subprocess.DEVNULL,
                                        stdout=self.log, stderr=subprocess.STDOUT)

    def output(self):
        with open("job.log") as file:
            return file.read()

    def wait_for(self, happened):
        end = time.monotonic() + HANGS
        while not happened():
            if self.process.poll() is not None or time.monotonic() > end:
                raise RuntimeError(f"the job ended, or nothing happened: {self.output()}")
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


def pull_cable_in_midst(also=lambda: None):
    """Stops all ranks meanwhile, so that the run cannot end before."""
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


def has_record_of_each(hosts_first_ranks):
    def has_record(rank):
        for path in journals(rank):
            with open(path) as file:
                if any(line.startswith('{"iteration"') for line in file):
                    return True
        return False
    return all(has_record(rank) for rank in hosts_first_ranks)


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
    checks.check(TIMEOUT <= seconds < MOST_SECONDS, f"{name}: ended after {seconds:.1f} s", output)
    checks.check(f"{silent} has not answered for" in output and "run.network_timeout" in output and
                 "continue with: sheaf resume run" in output, f"{name}: says why", output)
    checks.check(output.count("error: ") == 1, f"{name}: says it once", output)
    end = time.monotonic() + MOST_SECONDS
    left = True
    while left and time.monotonic() < end:
        left = ranks() + processes("mpirun", "orterun", "orted", "prterun", "prted")
        time.sleep(0.1)
    checks.check(not left, f"{name}: leaves no process", subprocess.run(["ps", "ax"], capture_output=True, text=True).stdout)


# The same bits on one host and on two; a run long enough to pull the cable in its midst.
epochs, seconds = 60, 0
while seconds < 2:
    epochs *= 2
    fresh()
    job = Job(search(epochs), ["alpha:2"])
    job.wait_for(lambda: os.path.exists("run/journal"))
    start = time.monotonic()
    checks.check(job.finish() == 0, "one host", job.output())
    seconds = time.monotonic() - start
expected = results("run")

fresh()
job = Job(search(epochs), ["alpha:1", "beta:1"])
checks.check(job.finish() == 0, "two hosts", job.output())
checks.check({row["rank"] for row in read_csv("run/results.csv")} == {"0", "1"}, "both train")
checks.check(results("run") == expected, "two hosts: the bits of one")

# Pulled for two seconds.
fresh()
job = Job(search(epochs), ["alpha:1", "beta:1"])
job.wait_for(lambda: has_record_of_each([0, 1]))
pull_cable_in_midst()
time.sleep(2)
set_cable("up")
checks.check(job.finish() == 0, "two seconds without network", job.output())
checks.check(results("run") == expected, "two seconds without network: the same bits")

# Pulled for good.
fresh()
job = Job(search(epochs) + [f"--run.network_timeout={TIMEOUT}"], ["alpha:1", "beta:2"])
job.wait_for(lambda: has_record_of_each([0, 1]))
pull_cable_in_midst()
check_end("without network", job, time.monotonic())
checks.check(len(journaled("run")) > 0, "without network: iterations are in the journal")
set_cable("up")
job = Job(["resume", "run"], ["alpha:2"])
checks.check(job.finish() == 0, "resumed", job.output())
checks.check(results("run") == expected, "resumed: the same bits")

# Pulled while rank 0 has nothing left to do and sleeps.
fresh()
with open("unending.cfg", "w") as file:
    file.write("[data]\nsource = synthetic\n[model]\nkind = mlp\nhidden = 16\n[search]\nmethod = grid\n"
               "train.epochs = 1, 1000000000\n[run]\noutput = run\npartition = block\nlanes = 1\nprogress = none\n"
               f"device = cpu\ncheckpoint_interval = none\nnetwork_timeout = {TIMEOUT}\n")
job = Job(["run", "unending.cfg"], ["alpha:1", "beta:1"])
job.wait_for(lambda: has_record_of_each([0]))
time.sleep(1)
[idle] = [rank for rank in ranks() if os.readlink(f"/proc/{rank}/ns/uts") == os.readlink(
    f"/proc/{job.process.pid}/ns/uts")]
used = cpu_seconds(idle)
time.sleep(3)
used = cpu_seconds(idle) - used
checks.check(used < 0.06, f"a rank with nothing left takes {used} s of 3 s")
set_cable("down")
check_end("without network at the end", job, time.monotonic())
set_cable("up")

# Pulled while the journals are on a disk that stands still, perhaps that of the lost host.
fresh()
job = Job(search(epochs) + [f"--run.network_timeout={TIMEOUT}"], ["alpha:2", "beta:1"], stalled="run/journal")
job.wait_for(lambda: has_record_of_each([0, 2]))
pull_cable_in_midst(also=stall_disk)
check_end("without network and disk", job, time.monotonic())
set_cable("up")

# A disk that stands still while the results are written does not end the job, and a network failure does.
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
        checks.check(job.process.poll() is None, "a job waits for its disk", job.output())
        os.remove(GATE)
    checks.check(job.finish() == 0 and len(read_csv("run/results.csv")) == ITERATIONS, "the results are written",
                 job.output())
sys.exit(checks.finish())
