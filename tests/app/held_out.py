"""Rows that are held out by groups, by given folds and in the order of time, and test rows: by the real program, on any
number of ranks, from memory and streamed, and after a kill."""

import json
import os
import shutil
import sys

import h5py
import numpy

from program import SHEAF, Checks, Started, journaled, read_csv, sheaf

checks = Checks()
shutil.rmtree("runs", ignore_errors=True)
SAME = ["trial", "repeat", "fold", "member", "seed", "status", "final_loss", "validation_loss"]
KEYS = ["--run.device=cpu", "--run.progress=none"]


def write(name, **arrays):
    with h5py.File(name, "w") as file:
        for key, values in arrays.items():
            file[key] = values


def rows(directory):
    return [[row.get(name, "") for name in SAME] for row in read_csv(f"runs/{directory}/results.csv")]


def summary(directory):
    with open(f"runs/{directory}/summary.json") as file:
        return json.load(file)


def run(directory, data, *keys, ranks=None):
    return sheaf("run", data, f"--run.output=runs/{directory}", *KEYS, *keys, ranks=ranks)


def refused(name, code, text, data, *keys):
    result = run("refused", data, *keys)
    checks.check(result.code == code and text in result.stderr.replace("\n", " "), name, result.stderr)
    checks.check(not os.path.exists("runs/refused"), f"{name}: nothing is written")
    shutil.rmtree("runs/refused", ignore_errors=True)


# Each of 40 groups has its own features and a random label, so only rows of known groups can be predicted.
random = numpy.random.default_rng(1)
group = numpy.repeat(numpy.arange(40), 8)
label = random.permutation(numpy.arange(40) % 2)[group]
features = (random.normal(size=(40, 12))[group] + 0.1 * random.normal(size=(320, 12))).astype("f4")
order = random.permutation(320)
group, label, features = group[order], label[order], features[order]
write("groups.h5", features=features, targets=label, groups=group.astype("u1"))
write("other_name.h5", features=features, targets=label, patients=7 * group - 3)
CROSS = ["--search.folds=5", "--train.epochs=100"]
scores = {}
for directory, data, keys in [("grouped", "groups.h5", []), ("divided", "groups.h5", ["--data.groups=none"]),
                              ("named", "other_name.h5", ["--data.groups=patients"])]:
    result = run(directory, data, *CROSS, *keys)
    checks.check(result.code == 0, f"{directory}: the run succeeds", result.stderr)
    said = "rows of the same group in '/groups' are held out together" in result.stderr
    checks.check(said == (directory == "grouped"), f"{directory}: the log says so", result.stderr)
    scores[directory] = summary(directory)["best"]["mean_score"]
checks.check(scores["grouped"] < 0.7 and scores["divided"] > 0.9, "folds keep groups whole", str(scores))
checks.check(rows("named") == rows("grouped"), "only the order of the group numbers counts", str(rows("named")[:2]))

# All kinds of splits at once, on several ranks.
MANY = ["--search.folds=3", "--search.repeats=2", "--ensemble.members=2", "--ensemble.bootstrap=true",
        "--train.epochs=5", "--data.test=0.2"]
result = run("one", "groups.h5", *MANY)
checks.check(result.code == 0 and "Test of the best model: loss " in result.stdout, "bootstraps of groups, and a test",
             result.stderr + result.stdout)
for ranks in (2, 3):
    result = run(f"on-{ranks}", "groups.h5", *MANY, ranks=ranks)
    checks.check(result.code == 0 and rows(f"on-{ranks}") == rows("one")
                 and summary(f"on-{ranks}")["test"] == summary("one")["test"], f"{ranks} ranks: the same results",
                 result.stderr)
test = summary("one")["test"]
checks.check(test["rows"] % 8 == 0 and abs(test["rows"] - 64) <= 8, "the test has whole groups", str(test))
with h5py.File("runs/one/results.h5") as file:
    stored = {"models": file.attrs["test_models"], "rows": int(file.attrs["test_rows"]), "loss": float(file.attrs["test_loss"]),
              "metrics": {name: float(file.attrs[f"test_{name}"]) for name in test["metrics"]}}
checks.check(stored == test and "accuracy" in test["metrics"], "results.h5 has the test", f"{stored} {test}")

job = Started([SHEAF, "run", "groups.h5", "--run.output=runs/killed", *KEYS, *MANY, "--run.lanes=1"])
checks.check(job.creep_until(lambda: len(journaled("runs/killed")) > 3), "a run trains")
job.kill()
result = sheaf("resume", "runs/killed", ranks=2)
checks.check(result.code == 0 and rows("killed") == rows("one") and summary("killed")["test"] == test,
             "a killed run is resumed", result.stderr)

STREAMED = ["--data.mode=streamed", "--data.validation=0.25", "--train.epochs=5", "--data.test=0.2"]
results = [run(f"streamed-{ranks}", "groups.h5", *STREAMED, ranks=ranks) for ranks in (1, 2)]
checks.check(all(result.code == 0 for result in results) and rows("streamed-1") == rows("streamed-2")
             and summary("streamed-1")["test"] == summary("streamed-2")["test"]
             and summary("streamed-1")["test"]["rows"] == test["rows"], "streamed", results[0].stderr + results[1].stderr)

refused("more folds than groups", 1, "The rows have fewer groups than folds (40 groups, search.folds = 41). Use fewer "
        "folds, or set data.groups = none.", "groups.h5", "--search.folds=41")
refused("a missing data set", 1, "who", "groups.h5", "--data.groups=who")
refused("groups and time", 2, "data.groups = groups cannot be combined with data.time = file_order", "groups.h5",
        "--data.groups=groups", "--data.time=file_order")
refused("synthetic groups", 2, "data.groups", "groups.h5", "--data.groups=groups", "--data.source=synthetic")
refused("a test without a model", 2, "data.test = 0.2 needs the best model, but run.models = none.", "groups.h5",
        "--data.test=0.2", "--run.models=none")

# Given folds
fold = numpy.arange(320) * 7 % 3
write("folds.h5", features=features, targets=label, folds=fold.astype("i4"))
result = run("folds", "folds.h5", "--train.epochs=3", "--search.repeats=2", "--data.folds=folds")
checks.check(result.code == 0 and "the folds are the 3 of 'folds'" in result.stderr and "3 folds" in result.stdout
             and len(rows("folds")) == 6, "given folds", result.stderr + result.stdout)
resumed = sheaf("resume", "runs/folds")
checks.check(resumed.code == 0 and "already complete" in resumed.stderr, "given folds: resumed", resumed.stderr)
result = run("folds-default", "folds.h5", "--train.epochs=3")
checks.check(result.code == 0 and "the folds are the 3 of '/folds'" in result.stderr
             and [row[-1] for row in rows("folds-default")] == [row[-1] for row in rows("folds")][:3],
             "given folds are the default", result.stderr)
# The same command continues a run, and joins an array, although the file has determined search.folds.
for keys in ((), ("--data.folds=folds",)):
    name = f"folds-again-{len(keys)}"
    result = run(name, "folds.h5", "--train.epochs=3", "--run.array=0/2", *keys)
    checks.check(result.code == 0, f"{name}: the first task", result.stderr)
    result = run(name, "folds.h5", "--train.epochs=3", "--run.array=1/2", *keys)
    checks.check(result.code == 0 and rows(name) == rows("folds-default"), f"{name}: the second task", result.stderr)
    result = run(name, "folds.h5", "--train.epochs=3", "--resume", *keys)
    checks.check(result.code == 0, f"{name}: --resume", result.stderr)
result = run("folds-3", "folds.h5", "--train.epochs=3", "--search.repeats=2", "--search.folds=3", ranks=2)
checks.check(result.code == 0 and rows("folds-3") == rows("folds"), "the number of given folds can be set", result.stderr)
result = run("repeated", "folds.h5", "--train.epochs=3", "--search.repeats=2", "--search.method=grid")
checks.check(result.code == 0 and rows("repeated") == rows("folds"), "repeats and a grid of the folds in the file",
             result.stderr)
refused("repeats without folds", 2, "search.repeats = 2 has no effect (search.method = none).", "groups.h5",
        "--search.repeats=2")
refused("another number of folds", 2, "search.folds = 4 contradicts the 3 folds of '/folds' in ", "folds.h5",
        "--search.folds=4")
refused("given folds and a fraction", 2, "data.validation = 0.2 cannot be combined with the folds of '/folds'",
        "folds.h5", "--data.validation=0.2")
write("gap.h5", features=features, targets=label, folds=2 * (fold % 2))
refused("a gap between folds", 1, "has no row of fold 1, but of fold 2", "gap.h5")
write("two.h5", features=features, targets=label, folds=fold, groups=group)
refused("two data sets", 1, "has the data sets '/groups' and '/folds' (a study holds out rows by one of them). Set "
        "data.groups = none or data.folds = none.", "two.h5")

# Times: the rows of timed.h5 in time are those of ordered.h5.
place = random.permutation(320)
write("timed.h5", features=features[place], targets=label[place], time=1e9 + 3600.0 * place)
write("ordered.h5", features=features, targets=label)
TEST = ["--train.epochs=5", "--data.test=0.25", "--train.schedule=constant"]
results = [run("timed", "timed.h5", *TEST), run("ordered", "ordered.h5", *TEST, "--data.time=file_order")]
checks.check(all(result.code == 0 for result in results)
             and "the latest rows in '/time' are held out" in results[0].stderr
             and "the last rows of the file are held out" in results[1].stderr, "times",
             results[0].stderr + results[1].stderr)
checks.check(summary("timed")["test"]["rows"] == 80, "the test has the latest rows", str(summary("timed")["test"]))

# The test of the last rows is an evaluation of a file with these rows, and does not affect anything else.
write("last.h5", features=features[240:], targets=label[240:])
evaluated = json.loads(sheaf("evaluate", "runs/ordered", "--data.file=last.h5", "--output=json", "--run.device=cpu").stdout)
test = summary("ordered")["test"]
checks.check(abs(evaluated["loss"] - test["loss"]) <= 1e-6 * abs(test["loss"])
             and "accuracy" in test["metrics"]
             and all(abs(evaluated[name] - value) < 1e-6 for name, value in test["metrics"].items()),
             "the test is that of sheaf evaluate", f"{evaluated} {test}")
changed = features.copy()
changed[240:] *= -5
write("changed.h5", features=changed, targets=label)
run("changed", "changed.h5", *TEST, "--data.time=file_order")
checks.check(rows("changed") == rows("ordered") and summary("changed")["test"]["loss"] != test["loss"],
             "no training and no validation uses the test rows", f"{rows('changed')} {rows('ordered')}")
result = run("time-folds", "timed.h5", "--train.epochs=3", "--search.folds=4", "--search.repeats=2", ranks=2)
checks.check(result.code == 0 and len(rows("time-folds")) == 8, "folds in time", result.stderr)
refused("too many folds in time", 1, "The data set has too few rows for folds in time (320 rows, search.folds = 320 needs "
        "one more). Use fewer folds.", "timed.h5", "--search.folds=320")

sys.exit(checks.finish())
