"""search.time alone: from a CSV file to an ensemble of trees, networks and a linear model, refitted on all rows; the stored
study repeats its trials bit for bit on any number of ranks; kills; odd tables."""

import csv
import json
import os
import shutil

import h5py
import numpy

from program import SHEAF, Checks, Started, journaled, read_csv, sheaf

checks = Checks()
shutil.rmtree("table-search", ignore_errors=True)
os.makedirs("table-search")
os.chdir("table-search")
QUIET = ["--run.device=cpu", "--run.progress=none"]
SAME = ["trial", "repeat", "fold", "stage", "status", "final_loss", "validation_loss", "epochs", "best_epoch"]
random = numpy.random.default_rng(8)


def write(path, columns):
    with open(path, "w", newline="") as file:
        writer = csv.writer(file)
        writer.writerow(columns)
        writer.writerows(zip(*columns.values()))


def table(rows):
    numbers = random.normal(size=(rows, 3)).round(3)
    city = random.choice(["Bern", "Oslo", "Rome"], rows)
    signal = numbers[:, 0] + numbers[:, 1] * (city == "Oslo") + 0.3 * random.normal(size=rows)
    cells = [["" if random.random() < 0.05 else f"{value:g}" for value in column] for column in numbers.T]
    return {"a": cells[0], "b": cells[1], "c": cells[2], "city": city}, signal


def imported(name, columns, *args):
    write(f"{name}.csv", columns)
    result = sheaf("import", f"{name}.csv", f"{name}.h5", *args)
    # A column that is always empty is refused.
    checks.check(result.code == (1 if name == "empty" else 0), f"{name}: import", result.stderr)


def trials(name):
    """The results of the search by trial and fold, without trainings that the end of the search has stopped."""
    path = f"{name}/results.csv"
    found = {}
    for row in read_csv(path) if os.path.exists(path) else []:
        if row["status"] == "finished":
            found[row["trial"], row["fold"], row["stage"]] = [row[key] for key in SAME]
    return found


columns, signal = table(200)
imported("train", {**columns, "answer": numpy.where(signal > 0, "yes", "no")})
columns, signal = table(200)
columns["city"][:10] = "Wien"  # a category that the training does not have
write("test.csv", {**columns, "answer": numpy.where(signal > 0, "yes", "no")})
write("new.csv", columns)

# Three commands, on 1 and 2 ranks.
for ranks in (None, 2):
    result = sheaf("run", "train.h5", "--search.time=5s", *QUIET, f"--run.output=run-{ranks}", ranks=ranks)
    checks.check(result.code == 0 and "search.time alone: 14 trials of boosted trees" in result.stderr, f"{ranks} ranks: the search ends",
                 result.stderr)
    with open(f"run-{ranks}/summary.json") as file:
        summary = json.load(file)
    found = trials(f"run-{ranks}")
    searched = {trial for trial, _, stage in found if stage == "0"}
    refitted = {trial for trial, _, stage in found if stage == "1"}
    checks.check(len(searched) >= 2 and refitted and refitted <= searched, f"{ranks} ranks: trials and refits", str(found))
    checks.check(os.path.exists(f"run-{ranks}/models/ensemble.json") and summary["refit"]["trials"],
                 f"{ranks} ranks: a refitted ensemble", str(summary))
    result = sheaf("predict", f"run-{ranks}", "new.csv", f"out-{ranks}.csv")
    checks.check(result.code == 0 and len(read_csv(f"out-{ranks}.csv")) == 200, "predictions", result.stderr)
    result = sheaf("evaluate", f"run-{ranks}", "--data.file=test.csv", "--output=json")
    checks.check(result.code == 0 and json.loads(result.stdout)["loss"] < 0.5, "the ensemble has learned",
                 result.stdout + result.stderr)
one, two = trials("run-None"), trials("run-2")
both = [key for key in one if key in two and key[2] == "0"]
checks.check(len(both) >= 5 and all(one[key] == two[key] for key in both), "the same trials have the same bits",
             f"{len(both)} {[(one[key], two[key]) for key in both if one[key] != two[key]]}")

# The stored study, with a number of trials instead of the time.
result = sheaf("run", "run-None/study.cfg", "--search.time=none", "--search.trials=14", *QUIET, "--run.output=again", ranks=3)
again = trials("again")
checks.check(result.code == 0 and len([key for key in again if key[2] == "0"]) == 70 and
             all(one[key] == again[key] for key in again if key in one and key[2] == "0"),
             "the stored study repeats the trials", result.stderr)

# A kill: the search goes on with the time that is left.
LONG = ["run", "train.h5", "--search.time=6s", *QUIET, "--run.output=killed"]
job = Started([SHEAF, *LONG])
checks.check(job.creep_until(lambda: len(journaled("killed")) > 8), "a search trains")
job.kill()
job.finish()
before = set(journaled("killed"))
result = sheaf("resume", "killed", ranks=2)
killed = trials("killed")
checks.check(result.code == 0 and before <= {int(row["iteration"]) for row in read_csv("killed/results.csv")} and
             all(one[key] == killed[key] for key in killed if key in one and key[2] == "0"),
             "a killed search goes on with the same bits", result.stderr)

# Too little time for one trial: one is trained.
columns, signal = table(6000)
imported("large", {**columns, "value": signal.round(4)})
result = sheaf("run", "large.h5", "--search.time=1s", *QUIET, "--run.output=short")
checks.check(result.code == 0 and len(trials("short")) >= 1, "one trial is trained in any case", result.stderr)

# Odd tables: each works, or is refused in one sentence.
numbers = random.normal(size=(60, 4)).round(3)
texts = {name: random.choice(["x", "y", "z"], 60) for name in ("p", "q")}
answer = numpy.where(numbers[:, 0] > 0, "yes", "no")
ODD = {"texts": {**texts, "answer": answer},
       "numbers": {"a": numbers[:, 0], "b": numbers[:, 1], "answer": answer},
       "constant": {"a": numbers[:, 0], "p": texts["p"], "value": numpy.full(60, 2.5)},
       "wide": {**{f"c{number}": random.normal(size=30).round(3) for number in range(100)}, "answer": answer[:30]},
       "empty": {"a": numbers[:, 0], "nothing": [""] * 60, "answer": answer},
       "counts": {"a": numbers[:, 0], "value": random.poisson(3, 60)}}
for name, odd in ODD.items():
    imported(name, odd, *(["--task=regression"] if name == "counts" else []))
    if not os.path.exists(f"{name}.h5"):
        continue
    loss = ["--train.loss=poisson"] if name == "counts" else []
    result = sheaf("run", f"{name}.h5", "--search.time=1s", *loss, *QUIET, f"--run.output=odd-{name}", ranks=2)
    errors = result.error_lines()
    checks.check(result.code == 0 or result.code in (1, 2) and len(errors) == 1, f"odd table: {name}",
                 f"{result.code} {result.stderr}")
with h5py.File("class.h5", "w") as file:
    file["features"], file["targets"] = numbers, numpy.zeros(60, "i8")
result = sheaf("run", "class.h5", "--search.time=1s", *QUIET, "--run.output=odd-class")
checks.check(result.code == 0 or len(result.error_lines()) == 1, "odd table: one class", result.stderr)

# With any other choice, the time alone is nothing to search.
result = sheaf("run", "train.h5", "--search.time=4s", "--model.hidden=8", *QUIET, "--run.output=refused")
checks.check(result.code == 2 and len(result.error_lines()) == 1 and not os.path.exists("refused"),
             "search.time with a model of one's own", result.stderr)
raise SystemExit(checks.finish())
