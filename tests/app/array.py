"""Tasks of a job array in one run directory: one after the other, at the same time, stopped, and killed."""

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
SLICE = ITERATIONS // TASKS


def args(task, of=STUDY, output="run"):
    return ["run", *of, f"--run.output={output}", f"--run.array={task}/{TASKS}"]


def own(numbers, task):
    return [number for number in numbers if number % TASKS == task]


def whole(case, of="whole"):
    checks.check(results("run") == results(of), f"{case}: same results as one job")
    numbers = journaled("run")
    checks.check(sorted(numbers) == list(range(ITERATIONS)), f"{case}: each iteration is in the journals once",
                 str(sorted(numbers)))


def fresh():
    shutil.rmtree("run", ignore_errors=True)


def waits_for_lock(process):
    with open("/proc/locks") as file:
        return any("->" in line and str(process) in line.split() for line in file)


for name, of in (("whole", STUDY), ("long", LONG)):
    shutil.rmtree(name, ignore_errors=True)
    result = sheaf("run", *of, f"--run.output={name}", ranks=2)
    checks.check(result.code == 0, f"{name}: the reference run succeeds", result.stderr)

# One task after the other, in any order. The last one writes the results.
fresh()
for done, task in enumerate([1, 2, 0], start=1):
    result = sheaf(*args(task), ranks=done)
    checks.check(result.code == 0, f"task {task}: exit code", f"{result.code}\n{result.stderr}")
    checks.check(len(own(journaled("run"), task)) == SLICE and len(journaled("run")) == done * SLICE,
                 f"task {task}: only its own iterations are in the journals", str(journaled("run")))
    checks.check(f"{SLICE} of its {SLICE} iterations left" in result.stderr, f"task {task}: start message",
                 result.stderr)
    unfinished = "run/results.csv.0123456789ab.partial"
    if done == 1:
        open(unfinished, "w").close()
    checks.check(os.path.exists(unfinished) == (done < TASKS), f"task {task}: only the last one removes unfinished files")
    if done < TASKS:
        checks.check(f"still have to train {(TASKS - done) * SLICE} of the study's {ITERATIONS} iterations" in
                     result.stderr and "Best:" not in result.stdout and not os.path.exists("run/results.csv"),
                     f"task {task}: reports the remaining iterations", result.stderr)
        again = sheaf(*args(task))
        checks.check(again.code == 0 and len(journaled("run")) == done * SLICE,
                     f"task {task}, started again: trains no iteration", again.stderr)
    else:
        checks.check("Best:" in result.stdout, "the last task prints the summary", result.stdout)
whole("one after the other")
with open("run/study.cfg") as file:
    checks.check("\narray = none\n" in file.read(), "the stored study is not limited to a task")
result = sheaf(*args(1))
checks.check(result.code == 0 and "is already complete" in result.stderr, "a task of a finished run exits with 0",
             result.stderr)

# All tasks at the same time, with Slurm's variables. Each creates the directory or joins it.
for round in range(3):
    fresh()
    jobs = []
    for task in range(TASKS):
        slurm = {"ID": task, "MIN": 0, "MAX": TASKS - 1, "COUNT": TASKS, "STEP": 1}
        variables = [f"SLURM_ARRAY_TASK_{name}={value}" for name, value in slurm.items()]
        jobs.append(Started(["env", *variables, SHEAF, "run", *STUDY, "--run.output=run", "--run.array=auto"]))
    ended = [job.finish() for job in jobs]
    checks.check([job.code for job in ended] == [0] * TASKS, "at the same time: exit codes",
                 "\n".join(job.stderr for job in ended))
    checks.check(any("Best:" in job.stdout for job in ended), "at the same time: a task prints the summary")
    whole("at the same time")

# A task that finds all other tasks finished waits for the lock on the journals before it reads them.
fresh()
last = Started([SHEAF, *args(0, LONG)])
last.creep_until(lambda: own(journaled("run"), 0))
with open("run/journal/lock-files") as turn:
    fcntl.flock(turn, fcntl.LOCK_EX)
    last.go_on()
    last.wait_for(lambda: waits_for_lock(last.process.pid))
    shutil.copytree("long/journal/00001", "run/journal/09999")
result = last.finish()
checks.check(result.code == 0 and "Best:" in result.stdout, "journals are read under the lock", result.stderr)
checks.check(results("run") == results("long"), "journals read under the lock: same results")

# Stopped and killed tasks. A resumed task continues its own slice. While a task runs, no other job may train its slice
# or the whole study.
fresh()
first = Started([SHEAF, *args(0, LONG)], ranks=2)
first.creep_until(lambda: own(journaled("run"), 0))
second = Started([SHEAF, *args(1, LONG)])
second.creep_until(lambda: own(journaled("run"), 1))
for taken, case in ((args(0, LONG), "the same task"), (["resume", "run"], "the whole study")):
    result = sheaf(*taken)
    checks.check(result.code == 1 and "is in use" in result.stderr, f"{case} is refused while a task runs",
                 f"{result.code}\n{result.stderr}")
os.kill(first.rank_processes()[0], signal.SIGUSR1)
os.kill(second.process.pid, signal.SIGKILL)
first.go_on()
result = first.finish()
second.finish()
known = len(own(journaled("run"), 0))
checks.check(result.code == 75 and f"task 0/{TASKS}: stopped after {known} of {SLICE} iterations" in result.stderr and
             f"(SIGUSR1). Continue with: sheaf resume run --run.array=0/{TASKS}" in result.stderr, "SIGUSR1 stops a task",
             f"{result.code}\n{result.stderr}")
checks.check(known < SLICE, "the task stops before its last iteration", str(known))
result = sheaf("resume", "run", f"--run.array=0/{TASKS}")
checks.check(result.code == 0 and f"{SLICE - known} of its {SLICE} iterations left" in result.stderr and
             len(own(journaled("run"), 0)) == SLICE and not own(journaled("run"), 2),
             "a resumed task trains only its own slice", f"{result.code}\n{result.stderr}")
result = sheaf("resume", "run", ranks=2)
checks.check(result.code == 0, "a job without run.array trains the remaining iterations of all tasks", result.stderr)
whole("stopped and killed", "long")

# Results of an earlier attempt that disappear while a task trains. On a busy machine the task may train its last
# iteration before it is stopped; the test then starts again.
for _ in range(5):
    fresh()
    first = Started([SHEAF, *args(0, LONG)])
    first.creep_until(lambda: own(journaled("run"), 0))
    os.kill(first.process.pid, signal.SIGUSR1)
    first.go_on()
    first.finish()
    known = len(own(journaled("run"), 0))
    again = Started([SHEAF, "resume", "run", f"--run.array=0/{TASKS}"], ranks=2)
    if again.creep_until(lambda: len(own(journaled("run"), 0)) > known) and len(own(journaled("run"), 0)) < SLICE:
        break
    again.go_on()
    again.finish()
shutil.rmtree("run/journal/00001")
again.go_on()
result = again.finish()
checks.check(result.code == 1 and len(result.error_lines()) == 1 and
             f"{SLICE - known} of {SLICE} iterations of 'run' have results in the journal; the others were lost. Continue "
             f"with: sheaf resume run --run.array=0/{TASKS}" in result.error_lines()[0], "lost results are reported",
             f"{result.code}, {known} known\n{result.stderr}")

# Another study, an unsupported array, and more tasks than iterations.
result = sheaf(*args(0, study("native", epochs=7)))
checks.check(result.code == 2 and "train.epochs = 7, was 600" in result.stderr, "a task of another study is refused",
             result.stderr)
result = sheaf("run", *STUDY, "--run.output=other", "--run.array=auto", ranks=2,
               environment={"SLURM_ARRAY_TASK_ID": "5", "SLURM_ARRAY_TASK_MIN": "0", "SLURM_ARRAY_TASK_MAX": "5",
                            "SLURM_ARRAY_TASK_COUNT": "2", "SLURM_ARRAY_TASK_STEP": "1"})
checks.check(result.code == 2 and "not numbered evenly" in result.stderr and not os.path.exists("other"),
             "an array with gaps is refused", f"{result.code}\n{result.stderr}")
# A task that is submitted again alone, where Slurm counts one task, trains its own slice.
def submitted(task, first, last, count):
    return sheaf("run", *STUDY, "--run.output=run", "--run.array=auto", "--resume",
                 environment={"SLURM_ARRAY_TASK_ID": str(task), "SLURM_ARRAY_TASK_MIN": str(first),
                              "SLURM_ARRAY_TASK_MAX": str(last), "SLURM_ARRAY_TASK_COUNT": str(count)})


fresh()
for task, first, last, count in ((1, 1, 3, 3), (3, 3, 3, 1), (2, 2, 2, 1)):
    result = submitted(task, first, last, count)
    checks.check(result.code == 0 and f"{SLICE} of its {SLICE} iterations left" in result.stderr and
                 len(own(journaled("run"), task - 1)) == SLICE, f"task {task} of --array={first}-{last}: its own slice",
                 f"{result.code}\n{result.stderr}")
whole("submitted again")

fresh()
result = sheaf("run", *STUDY, "--run.output=run", f"--run.array={ITERATIONS}/{ITERATIONS + 1}", ranks=2)
checks.check(result.code == 0 and f"still have to train {ITERATIONS} of the study's {ITERATIONS} iterations" in
             result.stderr, "a task without an iteration", result.stderr)

# A task exits with 1 if one of its iterations failed, or if it writes the results of a run with failed iterations.
huge = study("native", epochs=2, hidden="16, 1000000 1000000")
fresh()
codes = [sheaf(*args(task, huge)).code for task in range(TASKS)]
rows = read_csv("run/results.csv")
checks.check(codes == [1] * TASKS and len(rows) == ITERATIONS, "failed iterations: exit codes and rows", str(codes))
sys.exit(checks.finish())
