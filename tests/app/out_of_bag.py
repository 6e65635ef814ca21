"""The out-of-bag score of bagging (ensemble.bootstrap) is the one that NumPy computes from the predictions of each
member's model and the bootstrap samples, for classes, labels and values, with folds, weights, groups and a refit."""

import csv
import json
import os
import shutil
import sys

import h5py
import numpy

from draws import draw_counts
from program import Checks, read_csv, sheaf

checks = Checks()
shutil.rmtree("out_of_bag", ignore_errors=True)
os.makedirs("out_of_bag")
os.chdir("out_of_bag")

BOOTSTRAP = 5  # the purpose of the random numbers
ROWS = 240
random = numpy.random.default_rng(3)
features = random.normal(size=(ROWS, 5)).astype(numpy.float32)
signal = features @ random.normal(size=(5, 3))
GROUPS = random.integers(0, 40, ROWS)
WEIGHTS = random.uniform(0.5, 2, ROWS).astype(numpy.float32)
TARGETS = {"classes": signal.argmax(axis=1).astype(numpy.int64),
           "labels": (signal > 0).astype(numpy.float32),
           "values": signal[:, :2].astype(numpy.float32)}
for name, targets in TARGETS.items():
    for marks, sets in (("", {}), ("-groups", {"groups": GROUPS}), ("-weights", {"weights": WEIGHTS})):
        with h5py.File(f"{name}{marks}.h5", "w") as file:
            file["features"], file["targets"] = features, targets
            for key, values in sets.items():
                file[key] = values
COMMON = ["--model.hidden=8", "--train.epochs=5", "--ensemble.members=6", "--ensemble.bootstrap=true",
          "--data.normalize=standard", "--run.device=cpu", "--run.progress=none"]


def run(name, *args, ranks=None):
    result = sheaf("run", *args, *COMMON, f"--run.output={name}", ranks=ranks)
    checks.check(result.code == 0, f"{name}: the run succeeds", result.stderr)
    with open(f"{name}/summary.json") as file:
        return json.load(file), result


def predictions(data, model, task):
    """[rows, outputs]: probabilities or values of one model, as sheaf predict writes them."""
    result = sheaf("predict", model, data, "one.csv")
    checks.check(result.code == 0, f"{model} predicts", result.stderr)
    with open("one.csv") as file:
        table = list(csv.DictReader(file))
    os.remove("one.csv")
    names = [name for name in table[0] if name.startswith("probability_") == (task != "values")]
    if task == "labels" and not names:
        names = list(table[0])
    return numpy.array([[float(row[name]) for name in names] for row in table])


def expected(name, task, data, fold_rows, weights=None, groups=None, refit=False):
    """The number of rows, their loss, and accuracy or R2."""
    rows = [row for row in read_csv(f"{name}/results.csv")]
    with open(f"{name}/models/{'refit' if refit else 'best'}.txt") as file:
        models = file.read().split()
    with open(f"{name}/summary.json") as file:
        summary = json.load(file)
    names = summary["refit"]["models"] if refit else summary["best"]["models"]
    if refit:
        iterations = [row for row in rows if row["stage"] == "1"]
    else:
        iterations = [rows[int(path.split("-")[-1].split(".")[0])] for path in names]
    checks.check(len(models) == len(names) == len(iterations) == 6, f"{name}: six models", str(names))
    sums, counts = 0, numpy.zeros(ROWS)
    for iteration, model in zip(iterations, names):
        training = numpy.flatnonzero(fold_rows(iteration))
        drawn_from = training if groups is None else numpy.unique(groups[training])
        drawn = draw_counts(int(iteration["seed"]), BOOTSTRAP, 0, len(drawn_from))
        out = numpy.zeros(ROWS, bool)
        left = drawn_from[drawn == 0]
        out[left if groups is None else training[numpy.isin(groups[training], left)]] = True
        found = predictions(data, f"{name}/{model}", task)
        sums = sums + numpy.where(out[:, None], found, 0)
        counts += out
    used = counts > 0
    means = sums[used] / counts[used, None]
    targets = TARGETS[task][used]
    weights = numpy.ones(used.sum()) if weights is None else weights[used].astype(float)
    if task == "classes":
        losses = -numpy.log(means[numpy.arange(len(means)), targets])
        score = numpy.average(means.argmax(axis=1) == targets, weights=weights)
    elif task == "labels":
        losses = -(targets * numpy.log(means) + (1 - targets) * numpy.log(1 - means)).mean(axis=1)
        score = numpy.average(((means > 0.5) == targets).all(axis=1), weights=weights)
    else:
        losses = ((means - targets) ** 2).mean(axis=1)
        center = numpy.average(targets, axis=0, weights=weights)
        score = (1 - weights @ (means - targets) ** 2 / (weights @ (targets - center) ** 2)).mean()
    return int(used.sum()), numpy.average(losses, weights=weights), score


def check(name, task, data, fold_rows, summary, **options):
    score = summary["out_of_bag"]
    count, loss, value = expected(name, task, data, fold_rows, **options)
    metric = {"classes": "accuracy", "labels": "exact_match", "values": "r2"}[task]
    found = score["metrics"].get(metric, score["metrics"].get("accuracy"))
    checks.check(score["rows"] == count and abs(score["loss"] - loss) < 1e-5 * loss and abs(found - value) < 1e-5,
                 f"{name}: the score", f"{score} {(count, loss, value)}")
    with h5py.File(f"{name}/results.h5") as file:
        attributes = dict(file.attrs)
    checks.check(attributes["out_of_bag_rows"] == count and attributes["out_of_bag_loss"] == score["loss"],
                 f"{name}: the attributes", str(attributes))
    checks.check(sheaf("report", name).stdout.count("out-of-bag") == 1, f"{name}: the report has it")


def all_rows(_):
    return numpy.ones(ROWS, bool)


for task in TARGETS:
    args = [f"{task}.h5", "--data.validation=0"] + (["--data.task=multilabel"] if task == "labels" else [])
    summary, result = run(task, *args)
    check(task, task, f"{task}.h5", all_rows, summary)
    checks.check("\nOut-of-bag score of the best model: loss " in result.stdout, f"{task}: the summary", result.stdout)
    other, _ = run(f"{task}-2", *args, "--run.lanes=1", ranks=2)
    checks.check(other["out_of_bag"] == summary["out_of_bag"], f"{task}: the same on two ranks", str(other))

# The rows of a fold; with weights; and of groups, which a sample has whole.
for name, data, args, options in (
        ("folds", "values.h5", ["--search.folds=3", "--search.ensemble=none"], {}),
        ("weights", "classes-weights.h5", ["--data.validation=0", "--data.weights=/weights", "--search.weighted=true"], {"weights": WEIGHTS}),
        ("groups", "classes-groups.h5", ["--data.validation=0"], {"groups": GROUPS})):
    summary, _ = run(name, data, *args, ranks=2)

    def training_rows(iteration, name=name):
        if name != "folds":
            return all_rows(iteration)
        with h5py.File("folds/results.h5") as file:
            held_out = file["predictions"][:]
        held_out = held_out[held_out["iteration"] == int(iteration["iteration"])]["row"]
        return ~numpy.isin(numpy.arange(ROWS), held_out)

    check(name, "values" if name == "folds" else "classes", data, training_rows, summary, **options)

# The refit has samples of all rows.
summary, result = run("refit", "values.h5", "--search.folds=2", "--search.ensemble=none", "--run.refit=true")
check("refit", "values", "values.h5", all_rows, summary, refit=True)
checks.check(summary["out_of_bag"]["models"] == "refit" and "Out-of-bag score of the refit" in result.stdout,
             "the score is that of the refit", result.stdout)

# Without models, and for streamed data, there is none.
for name, args in (("no-models", ["--run.models=none"]), ("streamed", ["--data.mode=streamed", "--data.memory=1"])):
    summary, result = run(name, "values.h5", "--data.validation=0", *args)
    checks.check("out_of_bag" not in summary and "Out-of-bag" not in result.stdout, f"{name}: no score", result.stdout)
sys.exit(checks.finish())
