"""Runs of both engines, in memory and streamed, are killed repeatedly, by various signals at random times, and resumed
on a random number of ranks. In the end they must have the results of an uninterrupted run, and no iteration that reached a
journal may have been trained again. The test prints how long the ranks kept writing after a SIGTERM to mpiexec, including the
second that Open MPI 4.1 takes to forward the signal.

--count N: number of kills. --seed S: seed of the random choices."""

import os
import random
import shutil
import signal
import sys
import time

from interrupted import ENGINES, ITERATIONS, results, streamed_study, study
from program import SHEAF, Checks, Started, argument, journaled, sheaf


def alive(process):
    try:
        with open(f"/proc/{process}/stat") as file:
            return file.read().rpartition(")")[2].split()[0] != "Z"
    except OSError:
        return False


def send(number, processes):
    for process in processes:
        try:
            os.kill(process, number)
        except ProcessLookupError:
            pass


# Ways to interrupt a job. `m` is the process of mpiexec, `r` are the processes of the ranks.
KINDS = {
    "SIGKILL to a rank": lambda m, r: send(signal.SIGKILL, random.sample(r, 1)),
    "SIGKILL to mpiexec": lambda m, r: send(signal.SIGKILL, [m]),
    "SIGKILL to all": lambda m, r: send(signal.SIGKILL, [m] + r),
    "SIGTERM to mpiexec": lambda m, r: send(signal.SIGTERM, [m]),
    "SIGTERM to a rank": lambda m, r: send(signal.SIGTERM, random.sample(r, 1)),
    "SIGUSR1 to a rank": lambda m, r: send(signal.SIGUSR1, random.sample(r, 1)),
}


def progress():
    """The number of journal lines of the killed run, and its checkpoint files."""
    return len(journaled("killed")), os.path.isdir("killed/checkpoints") and sorted(os.listdir("killed/checkpoints"))


def last_write():
    """Time of the last change to a journal or checkpoint, renaming and removal included."""
    return max(os.lstat(os.path.join(path, name)).st_ctime for directory in ("journal", "checkpoints")
               for path, _, names in os.walk(os.path.join("killed", directory)) for name in [".", *names])


def interrupt(args, ranks):
    """Starts a job and interrupts it. Returns False if the job ended first."""
    kind = random.choice(list(KINDS))
    job = Started([SHEAF] + args, ranks=ranks)
    known = progress()
    checks.check(job.wait_for(lambda: len(job.rank_processes()) == ranks), "all ranks of a job start")
    processes = job.rank_processes()
    if random.random() < 0.75:  # most while it trains, some while it starts
        job.wait_for(lambda: progress() != known)
    time.sleep(random.uniform(0, 0.7))
    ended = job.process.poll() is not None
    sent = time.time()
    if not ended:
        KINDS[kind](job.process.pid, processes)
    result = job.finish()
    end = time.monotonic() + 30
    while any(alive(process) for process in processes) and time.monotonic() < end:
        time.sleep(0.02)
    if not ended and kind == "SIGTERM to mpiexec" and os.path.isdir("killed/journal"):
        written.append(max(0.0, last_write() - sent))
    left = [process for process in processes if alive(process)]
    send(signal.SIGKILL, left)
    checks.check(not left, f"{kind}: no rank keeps running", str(left))
    checks.check(ended or "SIGUSR1" not in kind or result.code in (0, 75, -signal.SIGUSR1, 128 + signal.SIGUSR1),
                 f"{kind} on {ranks} ranks: exit code", f"{result.code}\n{result.stderr}")
    return not ended


random.seed(argument("--seed", 1))
kills = argument("--count", 20)
checks = Checks()
studies = [(f"{engine}, {way}", make(engine) + ["--run.checkpoint_interval=1"])
           for way, make in (("in memory", study), ("streamed", streamed_study)) for engine in ENGINES]
reference = {}
written = []  # seconds from each SIGTERM to the last write
done = rounds = 0
while done < kills:
    name, options = studies[rounds % len(studies)]
    if name not in reference:
        shutil.rmtree("whole", ignore_errors=True)
        result = sheaf("run", *options, "--run.output=whole", ranks=2)
        checks.check(result.code == 0, f"{name}: the uninterrupted run succeeds", result.stderr)
        reference[name] = results("whole")
    shutil.rmtree("killed", ignore_errors=True)
    args = ["run", *options, "--run.output=killed", "--resume"]
    while done < kills and not os.path.exists("killed/results.csv"):
        done += interrupt(args, random.randint(1, 4))
    result = sheaf(*args, ranks=random.randint(1, 4))
    checks.check(result.code == 0, f"{name}, round {rounds}: the last resume succeeds", result.stderr)
    checks.check(results("killed") == reference[name], f"{name}, round {rounds}: same results")
    numbers = journaled("killed")
    checks.check(sorted(numbers) == list(range(ITERATIONS)),
                 f"{name}, round {rounds}: each iteration is in the journals once",
                 str(sorted(numbers)))
    rounds += 1
print(f"{done} kills in {rounds} runs")
if written:
    print(f"{len(written)} SIGTERMs to mpiexec: the last write came at most {max(written):.2f} s later")
sys.exit(checks.finish())
