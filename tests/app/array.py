"""Tasks of a job array that share one run directory: one after the other, at once, stopped and killed in between."""

import fcntl
import os
import shutil
import signal
import sys

from interrupted import ITERATIONS, results, study
from program import SHEAF, Checks, Started, journaled, read_csv, sheaf

checks = Checks()
STUDY = study("native")
LONG = study("native", epochs=600)
TASKS = 3
SHARE = ITERATIONS // TASKS


def words(task, of=STUDY, output="run"):
    return ["run", *of, f"--run.output={output}", f"--run.array={task}/{TASKS}"]


def own(numbers, task):
    return [number for number in numbers if number % TASKS == task]


def whole(what, of="whole"):
    checks.check(results("run") == results(of), f"{what}: the results of the whole study at once")
    numbers = journaled("run")
    checks.check(sorted(numbers) == list(range(ITERATIONS)), f"{what}: each record once", str(sorted(numbers)))


def fresh():
    shutil.rmtree("run", ignore_errors=True)


def waits_for_lock(process):
    with open("/proc/locks") as file:
        return any("->" in line and str(process) in line.split() for line in file)


for name, of in (("whole", STUDY), ("long", LONG)):
    shutil.rmtree(name, ignore_errors=True)
    result = sheaf("run", *of, f"--run.output={name}", ranks=2)
    checks.check(result.code == 0, f"{name}: the whole study", result.stderr)

# One after the other, in any order. The last one writes the results.
fresh()
for done, task in enumerate([1, 2, 0], start=1):
    result = sheaf(*words(task), ranks=done)
    checks.check(result.code == 0, f"task {task}: exit code", f"{result.code}\n{result.stderr}")
    checks.check(len(own(journaled("run"), task)) == SHARE and len(journaled("run")) == done * SHARE,
                 f"task {task}: its own iterations alone", str(journaled("run")))
    checks.check(f"{SHARE} of its {SHARE} iterations are left" in result.stderr, f"task {task}: what it says at first",
                 result.stderr)
    if done < TASKS:
        checks.check(f"{(TASKS - done) * SHARE} of the study's {ITERATIONS} iterations are still to come" in
                     result.stderr and "Best:" not in result.stdout and not os.path.exists("run/results.csv"),
                     f"task {task}: the others are still to come", result.stderr)
        again = sheaf(*words(task))
        checks.check(again.code == 0 and len(journaled("run")) == done * SHARE, f"task {task} again: nothing to do",
                     again.stderr)
    else:
        checks.check("Best:" in result.stdout, "the last task prints the summary", result.stdout)
whole("one after the other")
with open("run/study.cfg") as file:
    checks.check("\narray = none\n" in file.read(), "the stored study is the whole one")
result = sheaf(*words(1))
checks.check(result.code == 0 and "is finished" in result.stderr, "a task of a finished run", result.stderr)

# At once, as Slurm says: each makes the directory or joins it.
for round in range(3):
    fresh()
    jobs = []
    for task in range(TASKS):
        slurm = {"ID": task, "MIN": 0, "MAX": TASKS - 1, "COUNT": TASKS, "STEP": 1}
        variables = [f"SLURM_ARRAY_TASK_{name}={value}" for name, value in slurm.items()]
        jobs.append(Started(["env", *variables, SHEAF, "run", *STUDY, "--run.output=run", "--run.array=auto"]))
    ended = [job.finish() for job in jobs]
    checks.check([job.code for job in ended] == [0] * TASKS, "at once: exit codes",
                 "\n".join(job.stderr for job in ended))
    checks.check(any("Best:" in job.stdout for job in ended), "at once: somebody prints the summary")
    whole("at once")

# A task that finds the other ones at its end waits for its turn before it reads their journals.
fresh()
last = Started([SHEAF, *words(0, LONG)])
last.creep_until(lambda: own(journaled("run"), 0))
with open("run/journal/lock-files") as turn:
    fcntl.flock(turn, fcntl.LOCK_EX)
    last.go_on()
    last.wait_for(lambda: waits_for_lock(last.process.pid))
    shutil.copytree("long/journal/00001", "run/journal/09999")
result = last.finish()
checks.check(result.code == 0 and "Best:" in result.stdout, "the journals are read in its turn", result.stderr)
checks.check(results("run") == results("long"), "read in its turn: the results")

# Stopped and killed. A task goes on with its own share; no other job may have it or the whole study meanwhile.
fresh()
first = Started([SHEAF, *words(0, LONG)], ranks=2)
first.creep_until(lambda: own(journaled("run"), 0))
second = Started([SHEAF, *words(1, LONG)])
second.creep_until(lambda: own(journaled("run"), 1))
for taken, what in ((words(0, LONG), "the same task"), (["resume", "run"], "the whole study")):
    result = sheaf(*taken)
    checks.check(result.code == 1 and "is in use" in result.stderr, f"{what} is refused",
                 f"{result.code}\n{result.stderr}")
os.kill(first.rank_processes()[0], signal.SIGUSR1)
os.kill(second.process.pid, signal.SIGKILL)
first.go_on()
result = first.finish()
second.finish()
known = len(own(journaled("run"), 0))
checks.check(result.code == 75 and f"task 0/{TASKS}: stopped after {known} of {SHARE} iterations (SIGUSR1). Go on "
             f"with: sheaf resume run --run.array=0/{TASKS}" in result.stderr, "a task stops",
             f"{result.code}\n{result.stderr}")
checks.check(known < SHARE, "in the middle", str(known))
result = sheaf("resume", "run", f"--run.array=0/{TASKS}")
checks.check(result.code == 0 and f"{SHARE - known} of its {SHARE} iterations are left" in result.stderr and
             len(own(journaled("run"), 0)) == SHARE and not own(journaled("run"), 2), "it goes on with its own share",
             f"{result.code}\n{result.stderr}")
result = sheaf("resume", "run", ranks=2)
checks.check(result.code == 0, "the whole study takes what any task has left", result.stderr)
whole("stopped and killed", "long")

# Another study, another kind of array, and more tasks than iterations.
result = sheaf(*words(0, study("native", epochs=7)))
checks.check(result.code == 2 and "train.epochs = 7, was 600" in result.stderr, "a task of another study",
             result.stderr)
result = sheaf("run", *STUDY, "--run.output=other", "--run.array=auto", ranks=2,
               environment={"SLURM_ARRAY_TASK_ID": "5", "SLURM_ARRAY_TASK_MIN": "0", "SLURM_ARRAY_TASK_MAX": "5",
                            "SLURM_ARRAY_TASK_COUNT": "2", "SLURM_ARRAY_TASK_STEP": "1"})
checks.check(result.code == 2 and "not numbered evenly" in result.stderr and not os.path.exists("other"),
             "an array with gaps", f"{result.code}\n{result.stderr}")
fresh()
result = sheaf("run", *STUDY, "--run.output=run", f"--run.array={ITERATIONS}/{ITERATIONS + 1}", ranks=2)
checks.check(result.code == 0 and f"{ITERATIONS} of the study's {ITERATIONS} iterations are still to come" in
             result.stderr, "a task without an iteration", result.stderr)

# Failed iterations are the failure of the task that had them, and of the one that tells of the whole.
huge = study("native", epochs=2, hidden="16, 1000000 1000000")
fresh()
codes = [sheaf(*words(task, huge)).code for task in range(TASKS)]
rows = read_csv("run/results.csv")
checks.check(codes == [1] * TASKS and len(rows) == ITERATIONS, "failed iterations", str(codes))
sys.exit(checks.finish())
