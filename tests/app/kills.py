"""Runs in memory and streamed, by both engines, that are killed again and again, in all ways and at all times, on other
ranks each time, end complete, with the results of a run that nothing stopped; no record that reached its journal is
trained again. It tells how long after a SIGTERM to mpiexec the ranks still wrote, with the second that Open MPI 4.1 takes
to pass it on.

--count N: how many kills. --seed S: which."""

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


# What happens to a job: to mpiexec `m`, to its ranks `r`.
KINDS = {
    "SIGKILL to a rank": lambda m, r: send(signal.SIGKILL, random.sample(r, 1)),
    "SIGKILL to mpiexec": lambda m, r: send(signal.SIGKILL, [m]),
    "SIGKILL to all": lambda m, r: send(signal.SIGKILL, [m] + r),
    "SIGTERM to mpiexec": lambda m, r: send(signal.SIGTERM, [m]),
    "SIGTERM to a rank": lambda m, r: send(signal.SIGTERM, random.sample(r, 1)),
    "SIGUSR1 to a rank": lambda m, r: send(signal.SIGUSR1, random.sample(r, 1)),
}


def progress():
    """What is kept of the run that is killed: records and checkpoints."""
    return len(journaled("killed")), os.path.isdir("killed/checkpoints") and sorted(os.listdir("killed/checkpoints"))


def last_write():
    """When a journal or checkpoint was last written, renamed or removed."""
    return max(os.lstat(os.path.join(path, name)).st_ctime for directory in ("journal", "checkpoints")
               for path, _, names in os.walk(os.path.join("killed", directory)) for name in [".", *names])


def interrupt(words, ranks):
    """Starts a job and interrupts it. True when it was, False when it came to its end first."""
    kind = random.choice(list(KINDS))
    job = Started([SHEAF] + words, ranks=ranks)
    known = progress()
    checks.check(job.wait_for(lambda: len(job.rank_processes()) == ranks), "a job starts")
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
    checks.check(not left, f"{kind}: no rank is left behind", str(left))
    checks.check(ended or "SIGUSR1" not in kind or result.code in (0, 75, -signal.SIGUSR1, 128 + signal.SIGUSR1),
                 f"{kind} on {ranks} ranks: exit code", f"{result.code}\n{result.stderr}")
    return not ended


random.seed(argument("--seed", 1))
kills = argument("--count", 20)
checks = Checks()
studies = [(f"{engine}, {way}", make(engine) + ["--run.checkpoint_interval=1"])
           for way, make in (("in memory", study), ("streamed", streamed_study)) for engine in ENGINES]
reference = {}
written = []  # seconds after each SIGTERM
done = rounds = 0
while done < kills:
    name, options = studies[rounds % len(studies)]
    if name not in reference:
        shutil.rmtree("whole", ignore_errors=True)
        result = sheaf("run", *options, "--run.output=whole", ranks=2)
        checks.check(result.code == 0, f"{name}: the run that nothing stops", result.stderr)
        reference[name] = results("whole")
    shutil.rmtree("killed", ignore_errors=True)
    words = ["run", *options, "--run.output=killed", "--resume"]
    while done < kills and not os.path.exists("killed/results.csv"):
        done += interrupt(words, random.randint(1, 4))
    result = sheaf(*words, ranks=random.randint(1, 4))
    checks.check(result.code == 0, f"{name}, round {rounds}: it ends", result.stderr)
    checks.check(results("killed") == reference[name], f"{name}, round {rounds}: the same results")
    numbers = journaled("killed")
    checks.check(sorted(numbers) == list(range(ITERATIONS)), f"{name}, round {rounds}: each record once",
                 str(sorted(numbers)))
    rounds += 1
print(f"{done} kills in {rounds} runs")
if written:
    print(f"after {len(written)} SIGTERMs to mpiexec the ranks wrote for {max(written):.2f} s at most")
sys.exit(checks.finish())
