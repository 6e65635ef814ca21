"""search.start with the directory of an older run: its five best complete trials come first, whether it is finished or was
killed, for all numbers of ranks, in job arrays and after a kill; the new run does not need the older one; bad input."""

import os
import re
import shutil

import h5py
import numpy

from program import DIGITS, SHEAF, Checks, Started, journaled, read_csv, sheaf

checks = Checks()
shutil.rmtree("start", ignore_errors=True)
os.makedirs("start/studies")
os.chdir("start")
FIXED = ["--run.device=cpu", "--run.progress=none", "--run.models=none", "--train.epochs=2", "--search.folds=2"]
OLDER = [DIGITS, *FIXED, "--search.trials=24", "--search.model.hidden=log_integer(4, 64)",
         "--search.train.learning_rate=log_uniform(1e-5, 1)", "--search.train.optimizer=sgd, adam",
         "--search.train.momentum=uniform(0.1, 0.9)", "--data.normalize=standard"]
COMMON = ["model.hidden", "train.learning_rate", "train.optimizer"]
with h5py.File("other.h5", "w") as file:
    random = numpy.random.default_rng(2)
    file["features"] = random.normal(size=(150, 4))
    file["targets"] = random.integers(0, 2, size=150)
NEWER = ["other.h5", *FIXED, "--search.trials=12", "--search.method=tpe", "--search.model.hidden=log_integer(2, 128)",
         "--search.train.learning_rate=log_uniform(1e-6, 1)", "--search.model.dropout=uniform(0, 0.5)",
         "--search.train.optimizer=adam, sgd, rmsprop"]


def run(name, *args, ranks=None):
    result = sheaf("run", *args, f"--run.output={name}", ranks=ranks)
    checks.check(result.code == 0, f"{name}: the run succeeds", result.stderr)
    return result


def rows(name):
    names = ["trial", "fold", "model.hidden", "train.learning_rate", "model.dropout", "train.optimizer", "status",
             "validation_loss"]
    path = f"{name}/results.csv"
    return [[row[key] for key in names] for row in read_csv(path)] if os.path.exists(path) else []


def best_of(name, keys):
    """The values of the best trials, best first."""
    with h5py.File(f"{name}/results.h5", "r") as file:
        trials = file["trials"][:]
    order = trials["trial"][numpy.argsort(trials["rank"])]
    values = {int(row["trial"]): [row[key] for key in keys] for row in read_csv(f"{name}/results.csv")}
    return [values[int(trial)] for trial in order]


def started(name, keys):
    values = {int(row["trial"]): [row[key] for key in keys] for row in read_csv(f"{name}/results.csv")}
    return [values[trial] for trial in sorted(values)]


def stored_start(name):
    with open(f"{name}/study.cfg") as file:
        return re.search(r"^start = (.*)$", file.read(), re.MULTILINE).group(1)


run("older", *OLDER, ranks=2)
result = run("newer", *NEWER, "--search.start=older")
checks.check(started("newer", COMMON)[:5] == best_of("older", COMMON)[:5], "the five best trials come first",
             f"{started('newer', COMMON)[:5]}\n{best_of('older', COMMON)[:5]}")
checks.check("search.start, from '" in result.stderr, "they are named", result.stderr)
start = stored_start("newer")
checks.check("older" not in start and start.count(";") == 4, "study.cfg has the trials", start)
run("drawn", *NEWER)
dropouts = [row[4] for row in rows("newer")[:10]], [row[4] for row in rows("drawn")[:10]]
checks.check(dropouts[0] == dropouts[1], "other keys are drawn as always", str(dropouts))
run("listed", *NEWER, f"--search.start={start}")
checks.check(rows("listed") == rows("newer") != [], "the same as with a list of these trials")
for ranks in (1, 3):
    run(f"newer-{ranks}", *NEWER, "--search.start=older", ranks=ranks)
    checks.check(rows(f"newer-{ranks}") == rows("newer"), f"{ranks} ranks: the same results")

# A study file in another folder; the plan.
with open("studies/new.cfg", "w") as file:
    file.write("[data]\nfile = ../other.h5\n[search]\nstart = ../older\nmethod = tpe\ntrials = 12\n"
               "train.learning_rate = log_uniform(1e-6, 1)\n")
os.makedirs("elsewhere")
result = sheaf("run", "../studies/new.cfg", *FIXED, "--run.output=../from-file", cwd="elsewhere")
checks.check(result.code == 0 and started("from-file", COMMON[1:2])[:5] == best_of("older", COMMON[1:2])[:5],
             "a path is relative to its study file", result.stderr)
result = sheaf("plan", "studies/new.cfg", *FIXED)
checks.check(result.code == 0 and best_of("older", COMMON[1:2])[0][0] in result.stdout, "the plan has the trials",
             result.stdout + result.stderr)

# The older run is needed only once.
LONG = [arg for arg in NEWER if "epochs" not in arg] + ["--train.epochs=40"]
job = Started([SHEAF, "run", *LONG, "--search.start=older", "--run.output=killed"])
checks.check(job.creep_until(lambda: len(journaled("killed")) > 4), "a search trains")
job.process.kill()
job.finish()
array = [DIGITS, *FIXED, "--search.trials=12", "--search.train.learning_rate=log_uniform(1e-6, 1)"]
run("whole", *array, "--search.start=older")
run("array", *array, "--search.start=older", "--run.array=0/2")
os.rename("older", "moved")
run("array", *array, "--search.start=older", "--run.array=1/2")
checks.check(read_csv("array/results.csv") != [] and started("array", COMMON[1:2]) == started("whole", COMMON[1:2]),
             "a task of a job array joins with the trials of the first task")
result = sheaf("resume", "killed", ranks=2)
run("unbroken", *LONG, "--search.start=moved")
checks.check(result.code == 0 and rows("killed") == rows("unbroken") != [], "a killed run goes on without the older one",
             result.stderr)

# Older runs that have not ended; stages.
job = Started([SHEAF, "run", *[arg for arg in OLDER if "epochs" not in arg], "--train.epochs=20", "--run.output=broken"])
checks.check(job.creep_until(lambda: len(journaled("broken")) > 9), "an older search trains")
job.process.kill()
job.finish()
run("from-broken", *NEWER, "--search.start=broken")
checks.check(stored_start("from-broken").count(";") >= 1, "a run that was killed", stored_start("from-broken"))
run("halving", *OLDER, "--search.method=halving", "--search.factor=2")
run("from-halving", *NEWER, "--search.start=halving")
checks.check(started("from-halving", COMMON)[:5] == best_of("halving", COMMON)[:5], "a run with stages")
run("grid", DIGITS, *FIXED, "--search.train.learning_rate=0.1, 0.01, 0.001", "--search.data.normalize=none, minmax")
run("hyperband", *[arg for arg in NEWER if "trials" not in arg and "method" not in arg and "epochs" not in arg],
    "--search.method=hyperband", "--train.epochs=4", "--search.factor=2", "--search.data.normalize=none, minmax, robust",
    "--search.start=grid")
both = ["data.normalize", "train.learning_rate"]
checks.check(started("hyperband", both)[:5] == best_of("grid", both)[:5], "a start of hyperband",
             f"{started('hyperband', both)[:5]}\n{best_of('grid', both)[:5]}")

# Bad input.
sheaf("run", DIGITS, *FIXED, "--train.learning_rate=1e30", "--train.optimizer=sgd", "--run.output=diverged",
      "--search.train.batch_size=8, 16")
os.makedirs("nothing")
for args, message in (
        (["--search.start=nowhere"], "search.start = '"),
        (["--search.start=nothing"], "is not a run directory (it has no study.cfg)"),
        (["--search.start=train.learning_rate"], "is not a run directory (it has no study.cfg)"),
        (["--search.start=diverged"], "(it has no complete trial)"),
        (["--search.start=grid", "--search.train.learning_rate=log_uniform(1e-3, 0.05)"],
         "is outside the search: search.train.learning_rate = log_uniform(0.001, 0.05)). Search this value, too"),
        (["--search.start=moved", "--search.method=grid", "--search.trials=none", "--search.model.hidden=4, 8",
          "--search.train.learning_rate=0.1", "--search.model.dropout=0"], "search.start"),
        (["--search.start=moved", "--search.trials=none", "--search.method=halving"], "search.start")):
    result = sheaf("run", *[arg for arg in NEWER if arg.split("=")[0] not in {one.split("=")[0] for one in args}], *args,
                   "--run.output=refused", ranks=2)
    checks.check(result.code != 0 and any(message in line for line in result.error_lines()), f"bad input {args}",
                 result.stderr)
result = sheaf("run", "other.h5", *FIXED, "--search.trials=4", "--search.model.activation=relu, tanh, gelu, silu",
               "--search.start=grid", "--run.output=refused")
checks.check(result.code == 2 and "(it searches train.learning_rate, data.normalize, and this study model.activation)" in
             result.stderr, "no common key", result.stderr)
checks.check(not os.path.exists("refused"), "bad input leaves no directory")
raise SystemExit(checks.finish())
