"""Runs that stop and go on: signals, time limits, failures, locks, other ranks, other data, full disks."""

import os
import shutil
import signal
import subprocess
import sys
import time

from interrupted import ITERATIONS, results, study
from program import DIGITS, SHEAF, Checks, Started, journaled, read_csv, sheaf

checks = Checks()
STUDY = study("resident")
LONG = study("resident", epochs=600)


def fresh(*names):
    for name in names:
        shutil.rmtree(name, ignore_errors=True)


def journal_begun(directory):
    return lambda: len(journaled(directory)) > 0


def one_error(result, code, says, what):
    errors = result.error_lines()
    checks.check(result.code == code and len(errors) == 1 and says in errors[0], what, f"{result.code}\n{result.stderr}")


fresh("whole", "run", "other")
result = sheaf("run", *STUDY, "--run.output=whole", "--resume", ranks=2)
checks.check(result.code == 0, "run --resume starts a run, too", result.stderr)
reference = results("whole")

# A signal to one rank ends all of them in order, and says how to go on.
for number, (name, ranks) in enumerate([("SIGUSR1", 3), ("SIGUSR2", 1), ("SIGTERM", None), ("SIGINT", None)]):
    fresh("run")
    job = Started([SHEAF, "run", *STUDY, "--run.output=run"], ranks=ranks)
    job.wait_for(journal_begun("run"))
    os.kill(job.rank_processes()[-1], getattr(signal, name))
    result = job.finish()
    count = len(journaled("run"))
    checks.check(result.code == 75, f"{name} on {ranks} ranks: exit code 75", f"{result.code}\n{result.stderr}")
    checks.check(f"stopped after {count} of {ITERATIONS} iterations ({name}). Go on with: sheaf resume run" in
                 result.stderr, f"{name}: the message", result.stderr)
    checks.check(0 < count < ITERATIONS, f"{name}: in the middle", str(count))
    checks.check(not os.path.exists("run/results.csv"), f"{name}: no results yet")
    one_error(sheaf("run", *STUDY, "--run.output=run"), 1, "sheaf resume run", f"{name}: not begun anew")
    result = sheaf("resume", "run", "--run.partition=cyclic", ranks=1 + number)
    checks.check(result.code == 0 and f"{ITERATIONS - count} of {ITERATIONS} iterations are left" in result.stderr,
                 f"{name}: resumed", result.stderr)
    checks.check(results("run") == reference, f"{name}: the same results")

# What is finished stays; results are made again from the journal alone.
result = sheaf("resume", "run", ranks=2)
checks.check(result.code == 0 and "is finished" in result.stderr, "a finished run says so", result.stderr)
for name in ("results.csv", "results.h5"):
    os.remove(f"run/{name}")
    result = sheaf("resume", "run")
    checks.check(result.code == 0 and results("run") == reference, f"{name} is written again", result.stderr)

# A time limit, and damage: one line changed, one torn.
fresh("run")
result = sheaf("run", *LONG, "--run.output=run", "--run.time_limit=1s", ranks=2)
checks.check(result.code == 75 and "(run.time_limit)" in result.stderr, "a time limit", result.stderr)
journal = "run/journal/00001/00000.jsonl"
with open(journal, "rb") as file:
    lines = file.readlines()
with open(journal, "wb") as file:
    file.writelines([lines[0], lines[1].replace(b"finished", b"finish3d"), *lines[2:], lines[1][:40]])
known = len(journaled("run"))
result = sheaf("resume", "run", "--run.time_limit=2s")
checks.check(result.code in (0, 75) and result.stderr.count("warning: ") == 1 and "00000.jsonl', line 2, is damaged" in
             result.stderr, "damage is reported", result.stderr)
checks.check(f"{ITERATIONS - known + 1} of {ITERATIONS} iterations are left" in result.stderr, "and trained again",
             result.stderr)

# Another study, other data, another directory.
one_error(sheaf("run", *study("resident", epochs=7), "--run.output=whole", "--resume", ranks=2), 2,
          "train.epochs = 7, was 60", "another study")
one_error(sheaf("resume", "whole", "--study.seed=1"), 2, "study.seed = 1, was 7", "another seed")
one_error(sheaf("resume", "absent"), 2, "'absent' holds no run", "no run")
one_error(sheaf("resume"), 2, "no run directory", "no directory")
one_error(sheaf("run", *STUDY, "--force"), 2, "--resume", "force alone")
shutil.copy(DIGITS, "digits.h5")
fresh("run")
sheaf("run", *[word for word in LONG if "data.file" not in word], "--data.file=digits.h5", "--run.output=run",
      "--run.time_limit=1s")
os.utime("digits.h5", (1, 1))
one_error(sheaf("resume", "run", ranks=2), 1, "the data have changed", "other data")
result = sheaf("resume", "run", "--force", "--run.time_limit=1s")
checks.check(result.code in (0, 75), "other data, forced", result.stderr)

# Two jobs on one directory.
fresh("run")
job = Started([SHEAF, "run", *LONG, "--run.output=run"], ranks=2)
job.wait_for(journal_begun("run"))
one_error(sheaf("resume", "run", ranks=2), 1, "is in use", "a second job")
os.kill(job.rank_processes()[0], signal.SIGTERM)
checks.check(job.finish().code == 75, "the first one goes on")

# Iterations that cannot be trained: a network of terabytes. The others have their results.
huge = study("resident", epochs=2, hidden="16, 1000000 1000000")
fresh("run")
result = sheaf("run", *huge, "--run.output=run", "--run.retries=1", ranks=2)
rows = read_csv("run/results.csv")
failed = [row for row in rows if row["status"] == "failed"]
checks.check(result.code == 1 and len(rows) == ITERATIONS and len(failed) == ITERATIONS // 2, "half of them fail",
             f"{result.code}\n{result.stderr}")
checks.check({row["message"] for row in failed} == {"out of memory (an allocation failed)"} and
             all(row["final_loss"] == "" for row in failed), "with their reason", str(failed[:2]))
checks.check(all(row["status"] == "finished" and row["message"] == "" for row in rows if row not in failed), "the others")
checks.check(f"{len(failed)} of {ITERATIONS} iterations failed (iteration " in result.stdout, "the summary",
             result.stdout)
result = sheaf("resume", "run")
checks.check(result.code == 1 and f"{len(failed)} of {ITERATIONS} iterations are left" in result.stderr,
             "resume tries them again", result.stderr)
fresh("run")
result = sheaf("run", *huge, "--run.output=run", "--run.on_failure=stop")
checks.check(result.code == 1 and "(an iteration failed). Go on with" in result.stderr and
             not os.path.exists("run/results.csv"), "on_failure = stop", f"{result.code}\n{result.stderr}")

# The directory goes, the disk is full, or read-only.
fresh("run")
job = Started([SHEAF, "run", *LONG, "--run.output=run"], ranks=3)
job.wait_for(journal_begun("run"))
shutil.rmtree("run")
result = job.finish(timeout=30)
checks.check(result.code == 1 and any("removed" in line for line in result.error_lines()), "a directory that goes",
             f"{result.code}\n{result.stderr}")
os.makedirs("disk", exist_ok=True)
if subprocess.run(["mount", "-t", "tmpfs", "-o", "size=400k", "tmpfs", "disk"], capture_output=True).returncode == 0:
    try:
        result = sheaf("run", *STUDY, "--run.output=disk/run", ranks=2)
        checks.check(result.code == 1 and any("No space left" in line for line in result.error_lines()), "a full disk",
                     f"{result.code}\n{result.stderr}")
        known = len(journaled("disk/run"))
        checks.check(known > 0, "a full disk: what was written is there", str(os.listdir("disk/run/journal")))
        while subprocess.run(["mount", "-o", "remount,ro", "disk"], capture_output=True).returncode != 0:
            time.sleep(0.1)  # while a rank is still about to end
        one_error(sheaf("resume", "disk/run", ranks=2), 1, "cannot be written", "a read-only disk")
        subprocess.run(["mount", "-o", "remount,rw,size=16m", "disk"], check=True)
        result = sheaf("resume", "disk/run", ranks=3)
        checks.check(result.code == 0 and f"{ITERATIONS - known} of {ITERATIONS} iterations are left" in result.stderr and
                     results("disk/run") == reference, "with room again", f"{result.code}\n{result.stderr}")
    finally:
        subprocess.run(["umount", "disk"], check=True)
sys.exit(checks.finish())
