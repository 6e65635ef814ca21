"""Median stopping: stages of the same number of epochs, each of which continues the better half of the trials. Same results
for all numbers of ranks; the survivors are bit for bit those of a search that trains all trials to the end."""

import os
import re
import shutil
import sys

import numpy

from program import DIGITS, SHEAF, Checks, launch, read_csv, sheaf

checks = Checks()
shutil.rmtree("runs", ignore_errors=True)
with open("median.cfg", "w") as file:
    file.write(f"[data]\nfile = {DIGITS}\n[train]\nepochs = 12\n[run]\ndevice = cpu\n[search]\nmethod = median\n"
               "trials = 7\ninterval = 3\nmin_epochs = 4\nfolds = 2\nmodel.hidden = log_integer(16, 64)\n"
               "train.learning_rate = log_uniform(1e-4, 1e-1)\n")
LISTS = ["--search.trials=none", "--search.model.hidden=16, 32", "--search.train.learning_rate=1e-3, 1e-2"]
SAME = ["iteration", "stage", "trial", "fold", "seed", "model.hidden", "train.learning_rate", "status", "final_loss",
        "validation_loss", "validation_score", "epochs", "steps"]
VALUES = SAME[4:]


def run(directory, *args, ranks=None):
    result = sheaf("run", "median.cfg", f"--run.output=runs/{directory}", *args, ranks=ranks)
    checks.check(result.code == 0, f"{directory}: the run succeeds", result.stderr)
    path = f"runs/{directory}/results.csv"
    return [{name: row[name] for name in SAME if name in row} for row in read_csv(path)] if os.path.exists(path) else []


def journaled_epochs(directory):
    """Pairs of an iteration and its epochs, in the lines of the journals."""
    pairs = set()
    for folder, _, names in os.walk(f"runs/{directory}/journal"):
        for name in names:
            if name.endswith(".jsonl"):
                with open(os.path.join(folder, name)) as file:
                    pairs |= {(int(number), int(epochs)) for number, epochs in
                              re.findall(r'"iteration":(\d+),.*?"epochs":(\d+)', file.read())}
    return pairs


def check_stages(directory, table, trials, ends, folds):
    found = [len({row["trial"] for row in table if row["stage"] == str(stage)}) for stage in range(len(trials) + 1)]
    checks.check(found == [*trials, 0], f"{directory}: trials of the stages", str(found))
    expected = [ends[stage] for stage, count in enumerate(trials) for _ in range(count * folds)]
    checks.check([int(row["epochs"]) for row in table] == expected, f"{directory}: epochs in the results", str(table))
    checks.check(journaled_epochs(directory) == set(enumerate(expected)), f"{directory}: epochs in the journal",
                 str(journaled_epochs(directory)))
    previous = None
    for stage in range(len(trials)):
        losses = {}
        for row in table:
            if row["stage"] == str(stage):
                losses.setdefault(int(row["trial"]), []).append(float(row["validation_loss"]))
        means = {trial: numpy.mean(values) for trial, values in losses.items()}
        if previous:
            best = sorted(previous, key=previous.get)[:len(means)]
            checks.check(sorted(best) == sorted(means), f"{directory}: stage {stage} has the better half of stage {stage - 1}",
                         str((previous, means)))
        previous = means


def check_survivors(directory, table, whole):
    """Compares the iterations of the last stage with full trainings of the same trials."""
    full = {(row["trial"], row["fold"]): row for row in whole}
    last = max(int(row["stage"]) for row in table)
    survivors = [row for row in table if int(row["stage"]) == last]
    checks.check(last > 0 and all(row[name] == full[row["trial"], row["fold"]][name] for row in survivors
                                  for name in VALUES if name in row),
                 f"{directory}: survivors equal full trainings", str(survivors))


# The warm-up of 4 epochs, then stages of 3 epochs; the last one has the 2 epochs that are left.
drawn = run("drawn", "--run.lanes=1")
check_stages("drawn", drawn, (7, 4, 2, 1), (4, 7, 10, 12), 2)
with open("median.cfg") as file:
    study = file.read()
with open("random.cfg", "w") as file:
    file.write(re.sub("interval = .*\nmin_epochs = .*\n", "", study).replace("= median", "= random"))
result = sheaf("run", "random.cfg", "--run.output=runs/random")
checks.check(result.code == 0, "a random search with the same trials", result.stderr)
check_survivors("drawn", drawn, read_csv("runs/random/results.csv"))
found = run("ranks", "--run.lanes=1", ranks=2)
checks.check(found == drawn, "2 ranks: the same results", str(found))

# Without a warm-up, all combinations of lists. As soon as one trial is left, it is trained to the end.
listed = run("listed", *LISTS, "--search.interval=2", "--search.min_epochs=1", "--search.folds=1")
check_stages("listed", listed, (4, 2, 1), (2, 4, 12), 1)
result = launch([SHEAF, "plan", "median.cfg"])
checks.check(result.code == 0 and "stages       7 trials to 4 epochs, 4 trials to 7 epochs, 2 trials to 10 epochs, 1 trial to "
             "12 epochs" in result.stdout, "plan names the stages", result.stdout + result.stderr)

for case, args, reason in (
        ("an interval of all epochs", ["--search.interval=12"], "has no second stage (train.epochs = 12 is not more than "
         "search.interval = 12). Increase train.epochs, reduce search.interval, or set search.method = random."),
        ("a warm-up of all epochs", ["--search.min_epochs=12"], "is not more than search.min_epochs = 12)"),
        ("an interval of all automatic epochs", ["--train.epochs=auto", "--search.interval=200"],
         "is not more than search.interval = 200)"),
        ("one trial", ["--search.trials=1"], "has no second stage (it has 1 trial)"),
        ("no epochs per stage", ["--search.interval=0"], "search.interval"),
        ("an interval of halving", ["--search.method=halving"], "search.interval = 3 has no effect (search.method = halving)"),
        ("a factor of the median", ["--search.factor=2"], "search.factor = 2 has no effect (search.method = median)"),
        ("searched epochs", ["--search.train.epochs=3, 9"], "cannot search train.epochs"),
        ("a name in Optuna", ["--search.method=MedianPruner"], "median")):
    result = sheaf("run", "median.cfg", "--run.output=runs/refused", *args, ranks=2)
    checks.check(result.code == 2 and reason in result.stderr and result.stderr.count("error:") == 1 and
                 not os.path.exists("runs/refused"), case, result.stderr)
result = sheaf("resume", "runs/drawn", "--search.trials=9")
checks.check(result.code in (1, 2) and "search.trials" in result.stderr, "a finished median search cannot grow", result.stderr)
sys.exit(checks.finish())
