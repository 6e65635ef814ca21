"""Two or three jobs start together in one new directory: with the same or different studies, as new runs, with
--resume, and as tasks of job arrays. Exactly one study gets the directory, with the results of a single job, and every
other job exits with one error line. Half of the rounds preload delayed_calls.c: all jobs arrive before any of them
touches the directory, and their calls are delayed at random.

--count N: number of rounds."""

import os
import shutil
import sys

from interrupted import ITERATIONS, results, study
from program import SHEAF, Checks, Started, argument, journaled, sheaf

DELAYED_CALLS = os.environ["DELAYED_CALLS"]
# The parents of the directory are new as well.
PARENT = "starts"
RUN = f"{PARENT}/of-several/run"
EPOCHS = [2, 3, 4]

checks = Checks()


def args(epochs, *more):
    return [SHEAF, "run", *study("native", epochs=epochs), f"--run.output={RUN}", *more]


def start(jobs, delayed):
    """Starts the jobs together; returns their results."""
    if not delayed:
        return [job.finish() for job in [Started(job) for job in jobs]]
    for name in os.listdir("."):
        if name.startswith("gate"):
            os.remove(name)
    shim = ["env", f"LD_PRELOAD={DELAYED_CALLS}", f"DELAYED_PATH={PARENT}", "DELAYED_GATE=gate"]
    started = [Started(shim + job) for job in jobs]
    arrived = lambda: sum(name.startswith("gate.") for name in os.listdir(".")) == len(jobs)
    if not all(job.wait_for(arrived, seconds=120) for job in started):
        raise RuntimeError("a job ended before it touched the directory")
    open("gate", "w").close()
    return [job.finish() for job in started]


def outputs(ended):
    return "\n".join(f"exit {job.code}\n{job.stdout}" for job in ended)


def is_refused(job, *reasons):
    """Whether the job failed with one error line that has one of the reasons."""
    errors = job.error_lines()
    return job.code == 1 and len(errors) == 1 and any(reason in errors[0] for reason in reasons)


def check_run(epochs, case, details):
    """Checks that the directory has a complete run of this study and no other files."""
    names = {"study.cfg", "journal", "results.csv", "results.h5", "summary.json", "README.txt"}
    checks.check(set(os.listdir(RUN)) == names and set(os.listdir(f"{RUN}/journal")) == {"lock", "00001"},
                 f"{case}: no other files", f"{os.listdir(RUN)} {os.listdir(f'{RUN}/journal')}\n{details}")
    checks.check(sorted(journaled(RUN)) == list(range(ITERATIONS)), f"{case}: each iteration is in the journals once",
                 details)
    checks.check(results(RUN) == reference[epochs], f"{case}: same results as a single job", details)


def whole_studies(epochs, more, delayed, case):
    ended = start([args(number, *more) for number in epochs], delayed)
    details = outputs(ended)
    winners = [number for number, job in zip(epochs, ended) if job.code == 0 and "done in" in job.stdout]
    checks.check(len(winners) == 1, f"{case}: one job trains", details)
    # With --resume, a late job may find the run finished, and a job of another study is refused for that reason.
    others = [job for job in ended if "done in" not in job.stdout]
    good = [is_refused(job, "is in use by process", "already has a") or
            more and (job.code == 0 and "is already complete" in job.stdout or
                      job.code == 2 and "has a run of another study" in job.stdout) for job in others]
    checks.check(all(good) and len(others) == len(ended) - 1,
                 f"{case}: the other jobs exit with one error line or a message", details)
    if len(winners) == 1:
        check_run(winners[0], case, details)


def tasks(delayed, case):
    """Two tasks of one study and one task of another. Either the two get the directory or the other one does."""
    ended = start([args(EPOCHS[0], "--run.array=0/2"), args(EPOCHS[0], "--run.array=1/2"),
                   args(EPOCHS[1], "--run.array=1/3")], delayed)
    details = outputs(ended)
    codes = [job.code for job in ended]
    checks.check(codes in ([0, 0, 2], [2, 2, 0]), f"{case}: only tasks of one study train", details)
    checks.check(all("has a run of another study" in job.stdout for job in ended if job.code == 2),
                 f"{case}: the other jobs exit with one error line or a message", details)
    expected = range(ITERATIONS) if codes[0] == 0 else range(1, ITERATIONS, 3)
    checks.check(sorted(journaled(RUN)) == list(expected), f"{case}: each iteration is in the journals once", details)
    if codes[0] == 0:
        checks.check(results(RUN) == reference[EPOCHS[0]], f"{case}: same results as a single job", details)


reference = {}
for number in EPOCHS:
    shutil.rmtree(PARENT, ignore_errors=True)
    result = sheaf(*args(number)[1:])
    checks.check(result.code == 0, "a single job succeeds", result.stderr)
    reference[number] = results(RUN)

for number in range(argument("--count", 20)):
    shutil.rmtree(PARENT, ignore_errors=True)
    delayed = number % 2 == 1
    kind = number // 2 % 5
    case = f"round {number}{', delayed' if delayed else ''}"
    if kind == 4:
        tasks(delayed, f"{case}, tasks")
    else:
        same = kind % 2 == 0
        jobs = 2 + number // 10 % 2
        more = ["--resume"] if kind == 3 else []
        whole_studies([EPOCHS[0]] * jobs if same else EPOCHS[:jobs], more, delayed,
                      f"{case}, {jobs} jobs of {'one study' if same else 'several studies'} {' '.join(more)}")
sys.exit(checks.finish())
