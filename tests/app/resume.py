"""Runs that are stopped and resumed: signals, time limits, failures, locks, other ranks, changed data, full disks."""

import os
import re
import shutil
import signal
import subprocess
import sys
import time

import h5py
import numpy

from interrupted import ITERATIONS, results, study
from program import DIGITS, SHEAF, Checks, Started, journaled, read_csv, sheaf

checks = Checks()
STUDY = study("native", epochs=150)  # long enough to be stopped on a fast machine
ENDLESS = study("native", epochs=10**6)  # no iteration ends during the test
MANY = [*study("native", epochs=600), "--study.iterations=1000"]  # takes hours


def fresh(*names):
    for name in names:
        shutil.rmtree(name, ignore_errors=True)


def journal_begun(directory):
    return lambda: len(journaled(directory)) > 0


def stop_once(args, happened):
    """Starts a run and stops it by SIGTERM when `happened()` is true."""
    job = Started([SHEAF, "run", *args, "--run.output=run"])
    job.creep_until(happened)
    os.kill(job.process.pid, signal.SIGTERM)
    job.go_on()
    result = job.finish()
    checks.check(result.code == 75, "SIGTERM stops the run with exit code 75", f"{result.code}\n{result.stderr}")


def one_error(result, code, message, case):
    errors = result.error_lines()
    checks.check(result.code == code and len(errors) == 1 and message in errors[0], case,
                 f"{result.code}\n{result.stderr}")


fresh("whole", "run", "other")
result = sheaf("run", *STUDY, "--run.output=whole", "--resume", ranks=2)
checks.check(result.code == 0, "run --resume starts a new run", result.stderr)
reference = results("whole")

# A signal to one rank stops all ranks, and the message names the command to resume.
for number, (name, ranks) in enumerate([("SIGUSR1", 3), ("SIGUSR2", 1), ("SIGTERM", None), ("SIGINT", None)]):
    fresh("run")
    job = Started([SHEAF, "run", *STUDY, "--run.output=run"], ranks=ranks)
    job.creep_until(journal_begun("run"))
    os.kill(job.rank_processes()[-1], getattr(signal, name))
    job.go_on()
    result = job.finish()
    count = len(journaled("run"))
    checks.check(result.code == 75, f"{name} on {ranks} ranks: exit code 75", f"{result.code}\n{result.stderr}")
    checks.check(re.search(rf"stopped after {count} of {ITERATIONS} iterations(; checkpoints of \d+ unfinished "
                           rf"iterations? are saved)? \({name}\)\. Continue with: sheaf resume run", result.stderr),
                 f"{name}: message with the command to resume", result.stderr)
    checks.check(0 < count < ITERATIONS, f"{name}: stopped before the last iteration", str(count))
    checks.check(not os.path.exists("run/results.csv"), f"{name}: no result files")
    one_error(sheaf("run", *STUDY, "--run.output=run"), 1, "sheaf resume run",
              f"{name}: run without --resume is refused")
    result = sheaf("resume", "run", "--run.partition=cyclic", ranks=1 + number)
    checks.check(result.code == 0 and f"{ITERATIONS - count} of {ITERATIONS} iterations left" in result.stderr,
                 f"{name}: resume trains the remaining iterations", result.stderr)
    checks.check(results("run") == reference, f"{name}: same results")

# A finished run is not trained again; missing result files are written from the journal alone.
result = sheaf("resume", "run", ranks=2)
checks.check(result.code == 0 and "is already complete" in result.stderr, "resume of a finished run", result.stderr)
for name in ("results.csv", "results.h5"):
    os.remove(f"run/{name}")
    result = sheaf("resume", "run")
    checks.check(result.code == 0 and results("run") == reference, f"{name} is written again, with the same results",
                 result.stderr)

# A run stores absolute paths, so it continues in another directory.
with open("run/study.cfg") as file:
    stored = [line.split(" = ")[1].strip() for line in file if line.startswith("file = ")]
os.remove("run/results.csv")
here = os.getcwd()
os.makedirs("elsewhere-else", exist_ok=True)
os.chdir("elsewhere-else")
result = sheaf("resume", "../run")
os.chdir(here)
checks.check(result.code == 0 and results("run") == reference and len(stored) == 1 and os.path.isabs(stored[0]),
             "a run is resumed in another directory", result.stderr)

# A time limit that stops the training. On a slow machine it may end before the training begins; it is then doubled.
# The run stays where it is.
result = sheaf("resume", "run", "--run.output=elsewhere")
checks.check(result.code == 2 and "resume cannot change run.output" in result.stderr and
             not os.path.exists("elsewhere"), "resume refuses another run directory", result.stderr)

limit = 1
while True:
    fresh("run")
    result = sheaf("run", *ENDLESS, "--run.output=run", f"--run.time_limit={limit}s", ranks=2)
    checks.check(result.code == 75 and "(run.time_limit)" in result.stderr,
                 "run.time_limit stops the run with exit code 75", result.stderr)
    if result.code != 75 or "stopped after 0 of" in result.stderr:
        break
    limit *= 2

# Damage to a journal: one changed line and one incomplete line.
fresh("run")
stop_once(STUDY, journal_begun("run"))
journal = "run/journal/00001/00000.jsonl"
with open(journal, "rb") as file:
    lines = file.readlines()
with open(journal, "wb") as file:
    # The first two lines are the header of the journal and the line of the stage.
    file.writelines([*lines[:2], lines[2].replace(b"finished", b"finish3d"), *lines[3:], lines[2][:40]])
known = len(journaled("run"))
result = sheaf("resume", "run")
checks.check(result.code == 0 and result.stderr.count("warning: ") == 1 and "00000.jsonl' is damaged" in
             result.stderr, "a damaged journal line is reported", result.stderr)
checks.check(f"{ITERATIONS - known + 1} of {ITERATIONS} iterations left" in result.stderr,
             "iterations of damaged lines are trained again",
             result.stderr)

# A different study, changed data, and an invalid directory.
one_error(sheaf("run", *study("native", epochs=7), "--run.output=whole", "--resume", ranks=2), 2,
          "train.epochs = 7, was 150", "a different study is refused")
one_error(sheaf("resume", "whole", "--study.seed=1"), 2, "(study.seed = 1, was 5). Resume it with the same values, or "
          "start a new run with another run.output.", "a different seed is refused")
for command in ("run", "plan"):
    one_error(sheaf(command, "whole", ranks=2), 2, "'whole' is a run directory. Continue it with: sheaf resume whole. Or "
              "pass a study file.", f"{command} of a run directory is refused")
shutil.rmtree("nameless", ignore_errors=True)
shutil.copytree("whole", "nameless")
for name in ("study.cfg", "summary.json", "README.txt", "results.csv", "results.h5"):
    os.remove(f"nameless/{name}")
one_error(sheaf("run", *STUDY, "--run.output=nameless", ranks=3), 1, "'nameless' has journals but no study.cfg. Choose "
          "another run.output, or remove the journals.", "journals without a study are refused")
one_error(sheaf("resume", "absent"), 2, "'absent' is not a run directory", "a directory without a run is refused")
one_error(sheaf("resume"), 2, "needs a run directory", "resume without a directory is refused")
one_error(sheaf("run", *STUDY, "--force"), 2, "--resume", "--force without --resume is refused")
# Data are compared by their content: copies and other times do not count, other values in a file of the same size do.
# Streamed files are compared by size and time first.
with h5py.File(DIGITS) as file, h5py.File("digits.h5", "w") as copy:
    for name in ("features", "targets"):
        copy[name] = file[name][:]
NO_FILE = [arg for arg in ENDLESS if "data.file" not in arg]
for mode in ("memory", "streamed"):
    fresh("run")
    stop_once([*NO_FILE, "--data.file=digits.h5", f"--data.mode={mode}", "--data.memory=100"],
              lambda: os.path.isdir("run/journal"))
    os.utime("digits.h5", (1, 1))
    result = sheaf("resume", "run", "--run.time_limit=1s", ranks=2)
    checks.check(result.code == 75 and "the data have changed" not in result.stderr,
                 f"{mode}: a file with another time has the same data", result.stderr)
    with h5py.File("digits.h5", "r+") as file:
        file["targets"][7] = (file["targets"][7] + 1) % 10
    os.utime("digits.h5", (1, 1) if mode == "memory" else (2, 2))
    one_error(sheaf("resume", "run", ranks=2), 1, "the data have changed", f"{mode}: changed data are refused")
    result = sheaf("resume", "run", "--force", "--run.time_limit=1s")
    checks.check(result.code in (0, 75), f"{mode}: changed data are accepted with --force", result.stderr)

# Paths with any characters: a run stores them, and is resumed from elsewhere by the command that it prints.
for folder in (b"that #dir", b"tab\there", b"line\nend", b"gr\xfcn", b"quote\"s'"):
    folder = os.fsdecode(folder)
    fresh(folder)
    os.makedirs(folder)
    with h5py.File(DIGITS) as file, h5py.File("digits.h5", "w") as copy:
        for name in ("features", "targets"):
            copy[name] = file[name][:]
    os.rename("digits.h5", os.path.join(folder, os.path.basename(folder) + ".h5"))
    name = ascii(folder)
    result = sheaf("run", os.path.basename(folder) + ".h5", "--train.epochs=1", "--run.output=run", cwd=folder)
    checks.check(result.code == 0, f"{name}: trained", ascii(result.stderr))
    result = sheaf("resume", os.path.join(folder, "run"))
    checks.check(result.code == 0, f"{name}: resumed from elsewhere", ascii(result.stderr))
    result = sheaf("run", os.path.join(folder, "run", "study.cfg"), "--run.output=run2")
    checks.check(result.code == 0, f"{name}: the stored study is a study file", ascii(result.stderr))
    fresh("run2", folder)

# Two jobs in one directory. The first one trains long enough to be running when the second one starts.
fresh("run")
job = Started([SHEAF, "run", *MANY, "--run.output=run"], ranks=2)
job.wait_for(journal_begun("run"))
one_error(sheaf("resume", "run", ranks=2), 1, "is in use", "a second job is refused")
os.kill(job.rank_processes()[0], signal.SIGTERM)
checks.check(job.finish().code == 75, "the first job keeps running until SIGTERM")

# Iterations that fail, with networks of terabytes. The other iterations have results.
huge = study("native", epochs=2, hidden="16, 1000000 1000000")
fresh("run")
result = sheaf("run", *huge, "--run.output=run", "--run.retries=1", ranks=2)
rows = read_csv("run/results.csv")
failed = [row for row in rows if row["status"] == "failed"]
checks.check(result.code == 1 and len(rows) == ITERATIONS and len(failed) == ITERATIONS // 2,
             "half of the iterations fail",
             f"{result.code}\n{result.stderr}")
checks.check({row["message"] for row in failed} == {"out of memory (an allocation failed)"} and
             all(row["final_loss"] == "" for row in failed), "failed iterations have a message and no loss",
             str(failed[:2]))
checks.check(all(row["status"] == "finished" and row["message"] == "" for row in rows if row not in failed),
             "the others finish")
checks.check(f"{len(failed)} of {ITERATIONS} iterations failed (iteration " in result.stdout, "the summary counts them",
             result.stdout)
result = sheaf("resume", "run")
checks.check(result.code == 1 and f"{len(failed)} of {ITERATIONS} iterations left" in result.stderr,
             "resume retries failed iterations", result.stderr)
fresh("run")
result = sheaf("run", *huge, "--run.output=run", "--run.on_failure=stop")
checks.check(result.code == 1 and "(an iteration failed). Continue with" in result.stderr and
             not os.path.exists("run/results.csv"), "run.on_failure = stop stops the run",
             f"{result.code}\n{result.stderr}")

# Signals outside the training. While the program starts or reads data, it ends at once and leaves no run directory.
# While it writes results, it completes them.
with h5py.File("large.h5", "w") as file:
    file.create_dataset("features", data=numpy.random.default_rng(1).random((60000, 64), dtype="f4"), chunks=(100, 64),
                        compression="gzip")
    file["targets"] = numpy.arange(60000) % 10
EARLY = [arg for arg in STUDY if "data.file" not in arg] + ["--data.file=large.h5"]


def watches_signals(process):
    """Whether SIGUSR1 has a handler."""
    with open(f"/proc/{process}/status") as file:
        return any(line.startswith("SigCgt") and int(line.split()[1], 16) >> signal.SIGUSR1 - 1 & 1 for line in file)


def reads_data(process):
    files = f"/proc/{process}/fd"
    for number in os.listdir(files):
        try:
            if os.readlink(f"{files}/{number}").endswith("/large.h5"):
                return True
        except FileNotFoundError:
            pass  # closed in the meantime
    return False


for name, is_time, mode in (("SIGUSR2", watches_signals, "memory"), ("SIGUSR1", reads_data, "memory"),
                            ("SIGTERM", reads_data, "streamed"), ("SIGINT", watches_signals, "streamed")):
    fresh("run")
    job = Started([SHEAF, "run", *EARLY, f"--data.mode={mode}", "--run.output=run"])
    job.creep_until(lambda: is_time(job.process.pid))
    os.kill(job.process.pid, getattr(signal, name))
    job.go_on()
    result = job.finish()
    checks.check(result.code == 75 and not result.error_lines() and
                 f"stopped before the training began ({name}). Start it again" in result.stderr,
                 f"{name} before the training",
                 f"{result.code}\n{result.stderr}")
    checks.check(not os.path.exists("run"), f"{name} before the training: no run directory")
for name in ("SIGUSR1", "SIGUSR2", "SIGTERM", "SIGINT"):
    fresh("run")
    job = Started([SHEAF, "run", *STUDY, "--run.output=run"])
    job.creep_until(lambda: len(journaled("run")) == ITERATIONS)
    os.kill(job.process.pid, getattr(signal, name))
    job.go_on()
    result = job.finish()
    checks.check(result.code == 0 and results("run") == reference, f"{name} after the training: results are complete",
                 f"{result.code}\n{result.stderr}")

# The directory is removed, or the disk is full or read-only.
fresh("run")
job = Started([SHEAF, "run", *MANY, "--run.output=run"], ranks=3)
job.wait_for(journal_begun("run"))
shutil.rmtree("run")
one_error(job.finish(), 1, "cannot be written", "removed run directory")
with open("disk.image", "wb") as file:
    file.truncate(64 << 20)
os.makedirs("disk", exist_ok=True)


def quietly(*args):
    return shutil.which(args[0]) is not None and subprocess.run(args, capture_output=True).returncode == 0


def unmount(path):
    while os.path.ismount(path) and not quietly("umount", path):
        time.sleep(0.1)  # until all ranks have ended


if quietly("mkfs.ext4", "-q", "disk.image") and quietly("mount", "-o", "loop", "disk.image", "disk"):
    try:
        job = Started([SHEAF, "run", *STUDY, "--run.output=disk/run"], ranks=3)
        job.creep_until(journal_begun("disk/run"))
        quietly("sync", "-f", "disk")
        quietly("mount", "-o", "remount,abort", "disk")  # like a faulty disk, with files open for writing
        job.go_on()
        one_error(job.finish(), 1, "cannot be written", "the disk becomes read-only")
        for _ in range(20):
            unmount("disk")
            quietly("e2fsck", "-f", "-y", "disk.image")
            subprocess.run(["mount", "-o", "loop", "disk.image", "disk"], check=True)
            if os.access("disk/run/journal", os.W_OK):
                break
            time.sleep(0.5)  # until the kernel releases the loop device of the failed mount
        known = len(journaled("disk/run"))
        result = sheaf("resume", "disk/run", ranks=2)
        checks.check(known > 0 and result.code == 0 and f"{ITERATIONS - known} of {ITERATIONS} iterations left" in
                     result.stderr and results("disk/run") == reference, "resumed when the disk is writable again",
                     f"{result.code}\n{result.stderr}")
    finally:
        unmount("disk")
else:
    print("disk that becomes read-only: skipped (mounting a file system is not permitted)")
os.remove("disk.image")
if subprocess.run(["mount", "-t", "tmpfs", "-o", "size=400k", "tmpfs", "disk"], capture_output=True).returncode == 0:
    try:
        one_error(sheaf("run", *STUDY, "--run.output=disk/run", ranks=2), 1, "No space left", "full disk")
        known = len(journaled("disk/run"))
        checks.check(known > 0, "full disk: the journals have the iterations written so far",
                     str(os.listdir("disk/run/journal")))
        while subprocess.run(["mount", "-o", "remount,ro", "disk"], capture_output=True).returncode != 0:
            time.sleep(0.1)  # until all ranks have ended
        one_error(sheaf("resume", "disk/run", ranks=2), 1, "cannot be written", "read-only disk")
        subprocess.run(["mount", "-o", "remount,rw,size=16m", "disk"], check=True)
        result = sheaf("resume", "disk/run", ranks=3)
        checks.check(result.code == 0 and
                     f"{ITERATIONS - known} of {ITERATIONS} iterations left" in result.stderr and
                     results("disk/run") == reference, "resumed when the disk has free space again",
                     f"{result.code}\n{result.stderr}")
    finally:
        unmount("disk")
sys.exit(checks.finish())
