"""Runs that are killed again and again, in all ways and at all times, on other ranks each time, end complete, with the
results of a run that nothing stopped; no record that reached its journal is trained again.

--kills N: how many. --seed S: which."""

import os
import random
import shutil
import signal
import sys
import time

from interrupted import ENGINES, ITERATIONS, results, study
from program import SHEAF, Checks, Started, journaled, sheaf


def argument(name, default):
    return int(sys.argv[sys.argv.index(name) + 1]) if name in sys.argv else default


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


def interrupt(words, ranks):
    """Starts a job and interrupts it. True when it was, False when it came to its end first."""
    kind = random.choice(list(KINDS))
    job = Started([SHEAF] + words, ranks=ranks)
    known = len(journaled("killed"))
    job.wait_for(lambda: len(job.rank_processes()) == ranks)
    processes = job.rank_processes()
    if random.random() < 0.75:  # most while it trains, some while it starts
        job.wait_for(lambda: len(journaled("killed")) > known)
    time.sleep(random.uniform(0, 0.7))
    ended = job.process.poll() is not None
    if not ended:
        KINDS[kind](job.process.pid, processes)
    result = job.finish(timeout=60)
    end = time.monotonic() + 30
    while any(alive(process) for process in processes) and time.monotonic() < end:
        time.sleep(0.02)
    left = [process for process in processes if alive(process)]
    send(signal.SIGKILL, left)
    checks.check(not left, f"{kind}: no rank is left behind", str(left))
    checks.check(ended or "SIGUSR1" not in kind or result.code in (0, 75, -signal.SIGUSR1, 128 + signal.SIGUSR1),
                 f"{kind} on {ranks} ranks: exit code", f"{result.code}\n{result.stderr}")
    return not ended


random.seed(argument("--seed", 1))
kills = argument("--kills", 20)
checks = Checks()
reference = {}
done = rounds = 0
while done < kills:
    engine = ENGINES[rounds % len(ENGINES)]
    if engine not in reference:
        shutil.rmtree("whole", ignore_errors=True)
        result = sheaf("run", *study(engine), "--run.output=whole", ranks=2)
        checks.check(result.code == 0, f"{engine}: the run that nothing stops", result.stderr)
        reference[engine] = results("whole")
    shutil.rmtree("killed", ignore_errors=True)
    words = ["run", *study(engine), "--run.output=killed", "--resume"]
    while done < kills and not os.path.exists("killed/results.csv"):
        done += interrupt(words, random.randint(1, 4))
    result = sheaf(*words, ranks=random.randint(1, 4))
    checks.check(result.code == 0, f"{engine}, round {rounds}: it ends", result.stderr)
    checks.check(results("killed") == reference[engine], f"{engine}, round {rounds}: the same results")
    numbers = journaled("killed")
    checks.check(sorted(numbers) == list(range(ITERATIONS)), f"{engine}, round {rounds}: each record once",
                 str(sorted(numbers)))
    rounds += 1
print(f"{done} kills in {rounds} runs")
sys.exit(checks.finish())
