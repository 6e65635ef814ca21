"""Measures many short iterations: repeats of one trial, a grid of as many trials, and a job that reaches its time limit.

    python3 tests/bench/short_iterations.py SHEAF FOLDER [--iterations=N] [--limit=SECONDS] [--turns=N]

FOLDER gets the runs, about 300 bytes per iteration. Each iteration trains a linear model on 16 rows for one epoch, in a
few microseconds. Repeats and trials alternate, and the best turn of each counts; rates are those of the whole job
without the time that a job of ten iterations takes. The job with the time limit has two lanes. Its memory is the peak of
the process; the bytes per finished iteration are those beyond the peak of the job of ten iterations.
SPDX-License-Identifier: MIT
"""
import argparse
import math
import os
import re
import shutil
import subprocess
import sys
import time

STUDY = """[study]
name = short
iterations = {repeats}
[data]
source = synthetic
rows = 16
columns = 4
draw = study
[model]
kind = linear
[train]
optimizer = sgd
epochs = 1
{search}[run]
lanes = {lanes}
models = none
progress = none
"""


def numbers(count, scale):
    return ", ".join(f"{scale * (1 + index / count):.9g}" for index in range(count))


def grid(trials):
    """The search section of a grid of at least this many trials, and their exact number."""
    side = math.ceil(math.sqrt(trials))
    return (f"[search]\nmethod = grid\ntrain.learning_rate = {numbers(side, 1e-4)}\n"
            f"train.momentum = {numbers(side, 1e-1)}\n"), side * side


class Job:
    def __init__(self, sheaf, folder, repeats, search="", lanes=1, limit=None):
        study, run = os.path.join(folder, "short.cfg"), os.path.join(folder, "short.run")
        shutil.rmtree(run, ignore_errors=True)
        with open(study, "w") as file:
            file.write(STUDY.format(repeats=repeats, search=search, lanes=lanes))
        args = [sheaf, "run", study, f"--run.output={run}"] + ([f"--run.time_limit={limit:g}s"] if limit else [])
        start = time.monotonic()
        with open(os.path.join(folder, "short.log"), "w+") as log:
            process = subprocess.Popen(args, stdout=subprocess.DEVNULL, stderr=log, text=True)
            _, status, usage = os.wait4(process.pid, 0)
            self.seconds = time.monotonic() - start
            log.seek(0)
            self.log = log.read()
        self.code = os.waitstatus_to_exitcode(status)
        self.peak_bytes = usage.ru_maxrss * 1024
        self.processor_seconds = usage.ru_utime + usage.ru_stime
        shutil.rmtree(run, ignore_errors=True)
        if self.code != (75 if limit else 0):
            sys.exit(f"{' '.join(args)} ended with exit code {self.code}:\n{self.log}")


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("sheaf")
    parser.add_argument("folder")
    parser.add_argument("--iterations", type=int, default=1000000)
    parser.add_argument("--limit", type=float, default=8)
    parser.add_argument("--turns", type=int, default=3)
    options = parser.parse_args()

    def job(*args, **others):
        return Job(os.path.abspath(options.sheaf), options.folder, *args, **others)

    empty = job(10)
    search, trials = grid(options.iterations)
    best = {}
    for _ in range(options.turns):
        for name, one in ("repeats", job(trials)), ("trials", job(1, search)):
            known = best.setdefault(name, one)
            if one.seconds < known.seconds:
                best[name] = one
    rates = {name: trials / max(1e-3, one.seconds - empty.seconds) for name, one in best.items()}
    costs = {name: max(0, one.processor_seconds - empty.processor_seconds) / trials for name, one in best.items()}
    for name, one in best.items():
        print(f"{name:8} {trials} iterations: {rates[name]:.0f}/s, {1e6 * costs[name]:.2f} us of processor time each, "
              f"{(one.peak_bytes - empty.peak_bytes) / trials:.0f} bytes each")
    print(f"trials / repeats: {rates['trials'] / rates['repeats']:.2f} of the rate")

    limited = job(4000000000, lanes=2, limit=options.limit)
    done = int(re.search(r"stopped after (\d+) of", limited.log)[1])
    print(f"limit    {options.limit:g} s, two lanes: {done} iterations, the whole job took "
          f"{limited.seconds - options.limit:.2f} s longer (a job of ten iterations takes {empty.seconds:.2f} s); peak "
          f"{limited.peak_bytes / 2**20:.0f} MiB, "
          f"{(limited.peak_bytes - empty.peak_bytes) / max(1, done):.0f} bytes per iteration")


main()
