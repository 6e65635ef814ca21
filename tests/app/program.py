"""Runs the program for the tests: alone or under mpiexec, with what it printed and its exit code."""

import csv
import os
import subprocess
import time

SHEAF = os.environ["SHEAF"]
MPIEXEC = os.environ["MPIEXEC"]
SOURCE = os.environ["SHEAF_SOURCE"]
DIGITS = os.path.join(SOURCE, "data", "digits.h5")


class Result:
    def __init__(self, code, stdout, stderr, seconds):
        self.code, self.stdout, self.stderr, self.seconds = code, stdout, stderr, seconds

    def error_lines(self):
        """The program's own error lines, with mpiexec's and HDF5's words about them left out."""
        return [line for line in self.stderr.splitlines() if "error: " in line]


def launch(words, ranks=None, timeout=60, cwd=None, environment=None):
    """`ranks` = None: without mpiexec. Raises when it hangs."""
    if ranks is not None:
        words = [MPIEXEC, "-n", str(ranks)] + words
    start = time.monotonic()
    done = subprocess.run(words, stdin=subprocess.DEVNULL, capture_output=True, text=True, timeout=timeout, cwd=cwd,
                          env={**os.environ, **(environment or {})})
    return Result(done.returncode, done.stdout, done.stderr, time.monotonic() - start)


def sheaf(*words, **options):
    return launch([SHEAF] + list(words), **options)


def read_csv(path):
    with open(path, newline="") as file:
        return list(csv.DictReader(file))


class Checks:
    """Counts what held and tells what did not; `finish` gives the exit code."""

    def __init__(self):
        self.count = 0
        self.failed = 0

    def check(self, condition, what, details=""):
        self.count += 1
        if not condition:
            self.failed += 1
            print(f"FAILED: {what}\n{details}", flush=True)

    def finish(self):
        print(f"{self.count - self.failed} passed, {self.failed} failed")
        return 1 if self.failed or self.count == 0 else 0
