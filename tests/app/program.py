"""Runs the program for the tests, with or without mpiexec, and returns its output and exit code."""

import contextlib
import csv
import os
import re
import shlex
import signal
import subprocess
import sys
import time

SHEAF = os.environ["SHEAF"]
MPIEXEC = os.environ["MPIEXEC"]
SOURCE = os.environ["SHEAF_SOURCE"]
DIGITS = os.path.join(SOURCE, "data", "digits.h5")

# Seconds after which a program counts as hung. Loading an uncached LibTorch from a slow disk takes half a minute.
HANGS = 180


# The local time at the beginning of log lines.
LOG_TIME = re.compile(r"^\d\d:\d\d:\d\d ", re.MULTILINE)


class Result:
    """`stderr` is without the times of log lines, which `timed` has. A program in the background has one output for
    both streams."""

    def __init__(self, code, stdout, stderr, seconds):
        self.code, self.stdout, self.seconds, self.timed = code, stdout, seconds, stderr
        self.stderr = LOG_TIME.sub("", stderr)

    def error_lines(self):
        """The error lines of the program, without the output of mpiexec and HDF5."""
        return [line for line in self.stderr.splitlines() if "error: " in line]


def launch(args, ranks=None, timeout=HANGS, cwd=None, environment=None):
    """Runs a command to its end; without mpiexec if `ranks` is None. Raises TimeoutExpired after `timeout` seconds."""
    if ranks is not None:
        args = [MPIEXEC, "-n", str(ranks)] + args
    start = time.monotonic()
    done = subprocess.run(args, stdin=subprocess.DEVNULL, capture_output=True, text=True, errors="replace",
                          timeout=timeout, cwd=cwd,
                          env={**os.environ, **(environment or {})})
    # mpiexec of Open MPI 5.0.7 sometimes writes a zero byte before its messages.
    return Result(done.returncode, done.stdout, done.stderr.replace("\0", ""), time.monotonic() - start)


def one_rank_each(*commands):
    """Arguments that start one rank for each command. mpiexec 5.0.7 crashes if it gets several commands itself."""
    cases = " ".join(f"{rank}) exec {shlex.join(args)} ;;" for rank, args in enumerate(commands))
    return [MPIEXEC, "-n", str(len(commands)), "sh", "-c", f"case $OMPI_COMM_WORLD_RANK in {cases} esac"]


def _state(process):
    """The state letter of a process in /proc: T is stopped, Z has ended."""
    try:
        with open(f"/proc/{process}/stat") as file:
            return file.read().rpartition(")")[2].split()[0]
    except (FileNotFoundError, ProcessLookupError):  # its parent knows that it has ended
        return "Z"


def children_of(parent):
    """Returns pairs of process id and program, in the order in which the processes were started."""
    found = []
    for entry in filter(str.isdigit, os.listdir("/proc")):
        try:
            with open(f"/proc/{entry}/stat") as file:
                if int(file.read().rpartition(")")[2].split()[1]) == parent:
                    found.append((int(entry), os.readlink(f"/proc/{entry}/exe")))
        except OSError:
            continue  # the process has ended
    return sorted(found)


class Started:
    """A program in the background, with or without mpiexec."""

    def __init__(self, args, ranks=None):
        self.ranks = ranks
        if ranks is not None:
            args = [MPIEXEC, "-n", str(ranks)] + args
        self.process = subprocess.Popen(args, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                                        stderr=subprocess.STDOUT, text=True, start_new_session=True)

    def rank_processes(self):
        """The process ids of the ranks, in the order in which they were started."""
        if self.ranks is None:
            return [self.process.pid]
        return [process for process, program in children_of(self.process.pid) if program == os.path.realpath(SHEAF)]

    def creep_until(self, happened):
        """Runs the ranks for a few milliseconds at a time until `happened()` is true, then leaves them stopped until
        go_on(). The next action of the test thus comes in the middle of the run, however fast the machine is. Returns
        False if the program ended first."""
        end = time.monotonic() + HANGS
        while time.monotonic() < end:
            processes = self.rank_processes()
            for process in processes:
                with contextlib.suppress(ProcessLookupError):  # it has ended
                    os.kill(process, signal.SIGSTOP)
            while any(_state(process) not in "TZ" for process in processes):
                pass
            if happened():
                return True
            self.go_on()
            if self.process.poll() is not None:
                return False
            time.sleep(0.004)
        raise TimeoutError(f"nothing happened in {HANGS} s")

    def go_on(self):
        for process in self.rank_processes():
            with contextlib.suppress(ProcessLookupError):
                os.kill(process, signal.SIGCONT)

    def kill(self):
        """Kills the program, perhaps while it is stopped, and waits for its end."""
        self.process.kill()
        self.go_on()
        self.finish()

    def wait_for(self, happened, seconds=HANGS):
        """Waits for `happened()`. Returns False if the program ended first. Raises TimeoutError after `seconds`."""
        end = time.monotonic() + seconds
        while time.monotonic() < end:
            if happened():
                return True
            if self.process.poll() is not None:
                return False
            time.sleep(0.01)
        raise TimeoutError(f"nothing happened in {seconds} s")

    def finish(self):
        start = time.monotonic()
        output, _ = self.process.communicate(timeout=HANGS)
        return Result(self.process.returncode, LOG_TIME.sub("", output), output, time.monotonic() - start)


def processes(*names):
    """Ids of the processes in this process namespace that run a program with one of these names."""
    found = []
    for entry in filter(str.isdigit, os.listdir("/proc")):
        try:
            if os.path.basename(os.readlink(f"/proc/{entry}/exe")) in names:
                found.append(int(entry))
        except OSError:
            continue
    return found


def journaled(directory):
    """The iteration numbers in the journals of a run, one for each journal line, including repeated ones."""
    numbers = []
    for attempt, _, names in os.walk(os.path.join(directory, "journal")):
        for name in names:
            if name.endswith(".jsonl"):
                with open(os.path.join(attempt, name), "rb") as file:
                    numbers += [int(line[13:line.index(b",")]) for line in file if line.startswith(b'{"iteration":')
                                and line.endswith(b"}\n")]
    return numbers


def argument(name, default):
    """The number that follows `name` on the command line of the test."""
    return int(sys.argv[sys.argv.index(name) + 1]) if name in sys.argv else default


def sheaf(*args, **options):
    return launch([SHEAF] + list(args), **options)


def read_csv(path):
    with open(path, newline="") as file:
        return list(csv.DictReader(file))


class Checks:
    """Counts checks and prints the failed ones. `finish` returns the exit code of the test."""

    def __init__(self):
        self.count = 0
        self.failed = 0

    def check(self, condition, name, details=""):
        self.count += 1
        if not condition:
            self.failed += 1
            print(f"FAILED: {name}\n{details}", flush=True)

    def finish(self):
        print(f"{self.count - self.failed} passed, {self.failed} failed")
        return 1 if self.failed or self.count == 0 else 0
