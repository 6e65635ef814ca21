"""Long iterations, in memory and streamed, are stopped or killed in the middle, even within an epoch. They continue
from a checkpoint on another number of ranks, with bit-identical results.

--every: both engines with long and short epochs and on streamed data; otherwise one of them each."""

import functools
import math
import os
import re
import shutil
import signal
import struct
import subprocess
import sys
import time
import zlib

import h5py
import numpy

from interrupted import ITERATIONS, WIDTH, results, streamed_study, study
from program import SHEAF, Checks, Started, journaled, read_csv, sheaf

checks = Checks()


def write_large(path, rows=80000):
    with h5py.File(path, "w") as file:
        file["features"] = numpy.random.default_rng(1).random((rows, 64), dtype="f4")
        file["targets"] = numpy.arange(rows) % 10


# The studies below train iterations of some tenths of a second on a common machine; `times` multiplies their epochs. An
# iteration must last several checkpoint intervals, and longer than a stopped job keeps training to finish an iteration
# (max_seconds_after_stop in src/training/piece_size.hpp, 0.25 s).
INTERVAL = 0.1  # seconds

def long_epochs(engine, times):
    # Four iterations of two epochs, which take some tenths of a second each.
    hidden, batch = {"native": ("256 256", 32), "torch": ("64", 8)}[engine]
    return [arg for arg in study(engine, epochs=2 * times, hidden=hidden) if "data.file" not in arg and
            "search.folds" not in arg] + ["--data.file=large.h5", "--search.folds=2", f"--train.batch_size={batch}",
                                          "--search.train.learning_rate=1e-3", f"--run.checkpoint_interval={INTERVAL}"]


def short_epochs(engine, times):
    # Six iterations of some tenths of a second each replace the small ones.
    return study(engine, epochs={"native": 1200, "torch": 60}[engine] * times, hidden="64") + [
        "--search.train.learning_rate=1e-3", f"--run.checkpoint_interval={INTERVAL}"]


def streamed(engine, times, lanes):
    # With partition = block a lane trains all its iterations together, so each iteration lasts as long as the run.
    args = streamed_study(engine, epochs={"native": 120, "torch": 10}[engine] * times)
    return [arg for arg in args if "run.lanes" not in arg] + [f"--run.lanes={lanes}", "--run.partition=block",
                                                              f"--run.checkpoint_interval={INTERVAL}"]


def kept():
    return sorted(name for name in os.listdir("run/checkpoints") if not name.endswith(".partial")) if os.path.isdir(
        "run/checkpoints") else []


def end_of_state(state):
    """Where the state of a streamed model has its number of rows left over. The state ends with: window, position in
    the window, number of rows left over, and those rows as lists (floats, bytes, labels, two more)."""
    for rows in range(4096):
        tail = struct.pack("<qq", rows, rows * WIDTH), struct.pack("<qq", 0, rows), struct.pack("<qq", 0, 0)
        sizes = rows * WIDTH * 4, rows * 8
        end = len(state) - len(tail[2])
        labels = end - sizes[1] - len(tail[1])
        features = labels - sizes[0] - len(tail[0])
        if state[end:] == tail[2] and state[labels:labels + 16] == tail[1] and state[features:features + 16] == tail[0]:
            return features
    raise ValueError("unknown format of a streamed model's state")


def changed(state, place, change):
    """The state with another number at a place."""
    number, = struct.unpack_from("<q", state, place)
    return state[:place] + struct.pack("<q", change(number)) + state[place + 8:]


# Kinds of unusable checkpoints of all models and of streamed models: how their states change, and the reasons that are
# reported. A state begins with the name of its engine (16 bytes), stage, trial, repeat, fold, member, number of epochs,
# number of windows and last epoch of the stage (8 bytes each).
KINDS = {"longer": (lambda state: state + bytes(8), "it is larger than the state of this model"),
         "damaged": (lambda state: state[:-1] + bytes([state[-1] ^ 1]), "it is damaged"),
         "shorter": (lambda state: state[:-8], "fewer bytes than expected"),
         "older": (lambda state: state, "it has format "),
         "engine": (lambda state: b"other" + state[5:], "it was written by another engine"),
         "trial": (lambda state: changed(state, 24, lambda number: number + 1),
                   "it was written for another trial, repeat, fold or member"),
         "epochs": (lambda state: changed(state, 56, lambda number: number + 1),
                    "it was written for another number of epochs"),
         "windows": (lambda state: changed(state, 64, lambda number: number + 1),
                     "it was written for data divided into a different number of windows")}
STREAMED = {"window": (lambda state: changed(state, end_of_state(state) - 16, lambda _: 2**40),
                       "its window number is out of range"),
            "position": (lambda state: changed(state, end_of_state(state) - 8, lambda _: 2**40),
                         "its position is outside its window"),
            "rows": (lambda state: changed(state, end_of_state(state), lambda rows: rows + 1),
                     "its rows do not match the data"),
            "batches": (lambda state: changed(state, end_of_state(state) - 8, lambda rows: rows - 1 if rows else 1),
                        "its batches do not match its windows")}


def spoil(path, kind, change):
    """Makes a checkpoint unusable: with a wrong checksum, or with wrong content and a correct checksum."""
    with open(path, "rb") as file:
        magic, version, *training, _, run, checksum = struct.unpack("<II6qII", file.read(64))
        state = file.read()
    state = change(state)
    if kind != "damaged":
        checksum = zlib.crc32(state)
    version -= kind == "older"
    with open(path, "wb") as file:
        file.write(struct.pack("<II6qII", magic, version, *training, len(state), run, checksum) + state)


def check_unusable(name, reference):
    """Makes all checkpoints of a killed run unusable. Resume reports each of them and restarts their iterations."""
    shutil.rmtree("damaged", ignore_errors=True)
    shutil.copytree("run", "damaged")
    kinds = {**KINDS, **(STREAMED if "streamed" in name else {})}
    files = [file for file in kept() if os.path.getsize(f"run/checkpoints/{file}") > 40]
    reasons = {file: KINDS["damaged"][1] for file in files}
    for file in files:
        spoil(f"damaged/checkpoints/{file}", "damaged", KINDS["damaged"][0])
    iteration, first = files[0].split(".")
    for number, (kind, (change, reason)) in enumerate(kinds.items(), int(first)):  # one checkpoint of each kind
        file = f"{iteration}.{number}"
        reasons[file] = reason
        shutil.copy(f"run/checkpoints/{files[0]}", f"damaged/checkpoints/{file}")
        spoil(f"damaged/checkpoints/{file}", kind, change)
    result = sheaf("resume", "damaged", ranks=2, timeout=300)
    checks.check(result.code == 0, f"{name}: resume succeeds without usable checkpoints", result.stderr)
    for file, reason in reasons.items():
        checks.check(f"'damaged/checkpoints/{file}' cannot be used ({reason}" in result.stderr,
                     f"{name}: {file} is reported as unusable ({reason})", result.stderr)
    checks.check(results("damaged") == reference, f"{name}: same results without usable checkpoints")


def start_seconds(directory):
    """The times in the journals of a run at which iterations began."""
    found = []
    for attempt, _, names in os.walk(os.path.join(directory, "journal")):
        for name in names:
            with open(os.path.join(attempt, name), errors="replace") as file:
                found += [float(re.search(r'"start_seconds":([^,]*)', line)[1]) for line in file
                          if line.startswith('{"iteration":')]
    return found


def check_listings():
    """A job with many checkpoints lists their directory only at its start and at its end."""
    for name in ("listed", "listings"):
        subprocess.run(["rm", "-rf", name], check=True)
    result = sheaf("run", *study("native", epochs=400, hidden="64"), "--search.train.learning_rate=1e-3",
                   "--run.checkpoint_interval=0.01", "--run.output=listed", timeout=300,
                   environment={"LD_PRELOAD": os.environ["COUNTED_LISTINGS"], "COUNTED_PATH": "listed/checkpoints",
                                "COUNTED_FILE": os.path.abspath("listings")})
    checks.check(result.code == 0, "a run with many checkpoints succeeds", result.stderr)
    count = os.path.getsize("listings") if os.path.exists("listings") else 0
    checks.check(0 < count <= 4, "saving and removing checkpoints does not list their directory", str(count))


def check(name, make_args, kill_ranks, stop_ranks, last_ranks, side_by_side=1, unusable=False):
    times = shortest = 0  # factor on the number of epochs; seconds of the shortest iteration
    while True:
        times = 1 if times == 0 else math.ceil(times * max(2, 8 * INTERVAL / shortest))
        args = make_args(times)
        for directory in ("whole", "run"):
            shutil.rmtree(directory, ignore_errors=True)
        result = sheaf("run", *args, "--run.output=whole", ranks=2, timeout=300)
        checks.check(result.code == 0, f"{name}: an uninterrupted run succeeds", result.stderr)
        if result.code != 0:
            return
        shortest = side_by_side * min(float(row["seconds"]) for row in read_csv("whole/results.csv"))
        if shortest < 5 * INTERVAL:
            continue
        # The run to be killed may be faster than the first one if the machine is busy with other work.
        job = Started([SHEAF, "run", *args, "--run.output=run"], ranks=kill_ranks)
        in_time = job.wait_for(kept)
        for process in job.rank_processes():
            os.kill(process, signal.SIGKILL)
        code = job.finish().code
        if in_time and not journaled("run"):
            break
    checks.check(code != 0, f"{name}: killed during the first iterations")
    checks.check(not os.path.exists("whole/checkpoints"), f"{name}: a finished run has no checkpoints")
    reference = results("whole")
    killed_with = kept()
    if unusable:
        check_unusable(name, reference)

    # A new checkpoint shows that the resumed run trains. The stop, early in an iteration, writes another one. Only a stop
    # between a checkpoint and the next batch has nothing to write; such a stop is repeated.
    for _ in range(4):
        resumed_with = kept()
        job = Started([SHEAF, "resume", "run"], ranks=stop_ranks)
        checks.check(job.creep_until(lambda: kept() != resumed_with), f"{name}: the resumed run writes checkpoints")
        running_with = kept()
        begun = time.monotonic()
        os.kill(job.rank_processes()[0], signal.SIGUSR1)
        job.go_on()
        result = job.finish()
        checks.check(result.code == 75, f"{name}: SIGUSR1 stops the run with exit code 75",
                     f"{result.code} {result.stderr}")
        print(f"{name}: stopped within {time.monotonic() - begun:.2f} s")
        stopped_with = kept()
        if stopped_with != running_with:
            break
    checks.check(stopped_with not in (resumed_with, running_with), f"{name}: the stop writes a checkpoint",
                 str(stopped_with))

    result = sheaf("resume", "run", ranks=last_ranks, timeout=300)
    checks.check(result.code == 0, f"{name}: the last resume succeeds", result.stderr)
    checks.check(results("run") == reference, f"{name}: same results", f"{killed_with}, {stopped_with}")
    checks.check(min(start_seconds("run")) >= 0, f"{name}: resumed iterations begin after their job",
                 str(start_seconds("run")))
    checks.check(not os.path.exists("run/checkpoints"), f"{name}: checkpoints are removed at the end")


check_listings()
write_large("large.h5")
every = "--every" in sys.argv
check("native, short epochs", functools.partial(short_epochs, "native"), 2, 1, 3, unusable=True)
check("torch, long epochs", functools.partial(long_epochs, "torch"), 2, 1, 3)
check("native, streamed", functools.partial(streamed, "native", lanes=2), 1, 3, 2, ITERATIONS // 2, unusable=True)
if every:
    check("torch, short epochs", functools.partial(short_epochs, "torch"), 2, 1, 3, unusable=True)
    check("native, long epochs", functools.partial(long_epochs, "native"), 2, 1, 3)
    check("torch, streamed", functools.partial(streamed, "torch", lanes=1), 2, 1, 3, ITERATIONS // 2)
os.remove("large.h5")
sys.exit(checks.finish())
