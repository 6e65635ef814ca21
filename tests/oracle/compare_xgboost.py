"""Compares boosted trees of Sheaf with those of XGBoost's Python package on drawn data and parameters: losses of each round,
the best round, the trees of the saved model, and predictions for new rows.

    /usr/bin/python3 compare_xgboost.py SHEAF

SPDX-License-Identifier: MIT
"""
import csv
import json
import pathlib
import subprocess
import sys
import tempfile

import oracle

try:
    import h5py
    import numpy
    import xgboost
except ImportError as error:
    oracle.skip(error)

CASES = 24
LEVELS = {"city": ["Bern", "Oslo", "Rome", "Wien"], "kind": sorted(f"k{number}" for number in range(12))}
TASKS = ["two classes", "three classes", "labels", "number", "numbers", "counts"]


def call(*command):
    command = [str(part) for part in command]
    result = subprocess.run(command, capture_output=True, text=True)
    if result.returncode != 0:
        raise RuntimeError(f"{' '.join(command)}\n{result.stderr}")
    return result.stdout


def draw_table(random, rows):
    """The columns of a table: numbers and texts, with empty cells."""
    columns = {name: random.normal(size=rows).round(3).tolist() for name in ("a", "b", "c")}
    columns["count"] = random.integers(0, 50, rows).tolist()
    for name, levels in LEVELS.items():
        columns[name] = random.choice(levels, rows).tolist()
    for name in ("b", "city"):
        columns[name] = [None if empty else value for value, empty in zip(columns[name], random.random(rows) < 0.1)]
    return columns


def draw_targets(random, task, columns):
    signal = numpy.array([value or 0 for value in columns["a"]]) * 1.5 + numpy.array(columns["count"]) / 25
    signal += numpy.array([LEVELS["kind"].index(value) % 3 for value in columns["kind"]])
    noisy = signal + random.normal(size=len(signal))
    if task == "two classes":
        return numpy.where(noisy > 2, "yes", "no")
    if task == "three classes":
        return numpy.array(["low", "middle", "top"])[numpy.digitize(noisy, [1, 2.5])]
    if task == "labels":
        return numpy.stack([noisy > 1, noisy > 3], 1).astype(int)
    if task == "numbers":
        return numpy.stack([noisy, 2 - noisy], 1).round(4)
    return random.poisson(numpy.exp(numpy.clip(noisy / 2, -2, 3))) if task == "counts" else noisy.round(4)


def write_csv(path, columns):
    with open(path, "w", newline="") as file:
        writer = csv.writer(file)
        writer.writerow(columns)
        writer.writerows(zip(*[["" if value is None else value for value in values] for values in columns.values()]))


def matrix_of(columns, weights=None, targets=None):
    values = numpy.full((len(columns["a"]), len(columns)), numpy.nan, "f")
    for number, (name, cells) in enumerate(columns.items()):
        values[:, number] = [numpy.nan if cell is None else LEVELS[name].index(cell) if name in LEVELS else cell
                             for cell in cells]
    return xgboost.DMatrix(values, label=targets, weight=weights, feature_types=["c" if name in LEVELS else "float"
                                                                                for name in columns],
                           enable_categorical=True, nthread=1)


def draw_parameters(random):
    parameters = {"eta": float(random.choice([0.05, 0.3])), "max_depth": int(random.integers(1, 8)),
                  "subsample": float(random.choice([1, 0.7])), "colsample_bytree": float(random.choice([1, 0.6])),
                  "colsample_bynode": float(random.choice([1, 0.5])),
                  "min_child_weight": float(random.choice([0, 0.1, 2])), "lambda": float(random.choice([0, 1])),
                  "alpha": float(random.choice([0, 0.1])), "max_bin": int(random.choice([16, 256])),
                  "max_cat_to_onehot": int(random.choice([1, 5, 1000]))}
    if random.random() < 0.3:
        parameters["max_leaves"] = int(random.integers(2, 20))
    return parameters


def learn(task, parameters, seed, train, validation, rounds, weights):
    """Trains with Python's XGBoost as Sheaf does; returns the booster and the losses of each round."""
    label = train.get_label() if task not in ("labels", "numbers") else None
    if label is not None:
        mean = numpy.average(label.astype(float), weights=weights)
    base = {"two classes": ("binary:logistic", "logloss"), "three classes": ("multi:softprob", "mlogloss"),
            "labels": ("binary:logistic", "logloss"), "number": ("reg:squarederror", "rmse"),
            "numbers": ("reg:squarederror", "rmse"), "counts": ("count:poisson", "rmse")}
    objective, metric = base[task]
    score = 0.5 if task == "three classes" else learn.means if label is None else mean
    options = {**parameters, "objective": objective, "eval_metric": metric, "tree_method": "hist", "nthread": 1,
               "seed": seed & 0x7fffffff, "seed_per_iteration": 1, "base_score": float(f"{score:.9g}"), "verbosity": 0}
    if "max_leaves" in parameters:
        options["grow_policy"] = "lossguide"
    if task == "three classes":
        options["num_class"] = 3
    found = {}
    booster = xgboost.train(options, train, rounds, evals=[(train, "train"), (validation, "validation")], evals_result=found,
                            verbose_eval=False)
    return booster, found["train"][metric], found["validation"][metric]


def trees_of(booster):
    return json.loads(booster.save_raw("json"))["learner"]["gradient_booster"]


def compare(program, folder, case):
    random = numpy.random.default_rng(case)
    task = TASKS[case % len(TASKS)]
    parts = {"train": int(random.integers(60, 400)), "validation": 80, "new": 50}
    tables = {part: draw_table(random, rows) for part, rows in parts.items()}
    targets = {part: draw_targets(random, task, table) for part, table in tables.items()}
    has_weights = random.random() < 0.5
    weights = random.integers(1, 4, parts["train"]) / 2 if has_weights else None
    labels = ["x", "y"] if targets["train"].ndim == 2 else ["target"]
    for part, table in tables.items():
        columns = dict(table)
        for number, name in enumerate(labels):
            columns[name] = (targets[part][:, number] if len(labels) > 1 else targets[part]).tolist()
        if has_weights and part != "new":
            columns["w"] = weights.tolist() if part == "train" else [1] * parts[part]
        write_csv(folder / f"{part}.csv", columns)
    write_csv(folder / "new.csv", tables["new"])
    # All categories and an empty cell are in each part, as in the file of the training.
    kind = {"labels": "multilabel", "number": "regression", "numbers": "regression",
            "counts": "regression"}.get(task, "classification")
    options = [f"--label={','.join(labels)}", f"--task={kind}"] + (["--weights=w"] if has_weights else [])
    call(program, "import", folder / "train.csv", folder / "train.h5", *options)
    call(program, "import", folder / "validation.csv", folder / "validation.h5", *options,
         f"--like={folder / 'train.h5'}")
    parameters = draw_parameters(random)
    rounds, run = 30, folder / f"run-{case}"
    loss = ["--train.loss=poisson"] if task == "counts" else []
    is_scaled = kind == "regression" and task != "counts" and case % 2 == 1  # Sheaf's default
    if kind == "regression" and task != "counts":
        loss.append(f"--data.normalize_targets={'standard' if is_scaled else 'none'}")
    if has_weights:
        loss.append("--data.weights=weights")
    call(program, "run", folder / "train.h5", f"--data.validation_file={folder / 'validation.h5'}",
         "--model.kind=boosted_trees", f"--train.epochs={rounds}", "--train.patience=6", f"--study.seed={case}", *loss,
         *[f"--model.{name}={value}" for name, value in parameters.items()], "--run.curves=true",
         "--run.predictions=held_out", "--run.progress=none", f"--run.output={run}")
    with h5py.File(folder / "train.h5") as file:
        stored = file["targets"][:]
    with h5py.File(folder / "validation.h5") as file:
        held_out = file["targets"][:]
    with h5py.File(run / "results.h5") as file:
        seed, best = int(file["iterations"]["seed"][0]), int(file["iterations"]["best_epoch"][0])
        trained = int(file["iterations"]["epochs"][0])
        curve = file["epochs"][:]
    mean_weight = weights.mean() if has_weights else 1
    shift, unit = (stored.mean(0), stored.std(0)) if is_scaled else (0, 1)
    stored, held_out = (stored - shift) / unit, (held_out - shift) / unit
    if has_weights:
        weights = weights / weights.mean()  # as Sheaf passes them
    learn.means = numpy.average(stored.astype(float), axis=0, weights=weights).mean() if stored.ndim == 2 else None
    train = matrix_of(tables["train"], weights, stored)
    booster, train_loss, validation_loss = learn(task, parameters, seed, train,
                                                 matrix_of(tables["validation"], None, held_out), rounds, weights)
    problems = []

    def check(what, condition, details=""):
        if not condition:
            problems.append(f"case {case} ({task}, {parameters}): {what} {details}")

    power = 2 if task in ("number", "numbers") else 1
    if task != "counts" and not is_scaled:
        # A loss of weighted rows is divided by the number of rows in Sheaf, and by the sum of their weights in XGBoost.
        factor = mean_weight
        for name, own, expected in (("training loss", curve["training_loss"], numpy.array(train_loss) ** power * factor),
                                    ("validation loss", curve["validation_loss"], numpy.array(validation_loss) ** power)):
            difference = numpy.max(numpy.abs(own - expected[:trained]) / numpy.abs(expected[:trained]))
            check(f"{name} of each round", difference < 3e-6, difference)
        # Early stopping: six rounds without an improvement.
        wanted, least, waited = 0, numpy.inf, 0
        for number, value in enumerate(validation_loss):
            waited = 0 if value < least else waited + 1
            if value < least:
                least, wanted = value, number
            if waited == 6:
                break
        check("best round", best == wanted, f"{best} {wanted}")
    booster = booster[:best + 1]
    files = list((run / "models").glob("iteration-0.json"))
    check("one model file", len(files) == 1)
    loaded = xgboost.Booster(model_file=str(files[0]))
    check("trees", is_scaled or trees_of(booster) == trees_of(loaded))
    if is_scaled:
        own = booster.predict(matrix_of(tables["new"])).reshape(parts["new"], -1) * unit + shift
        difference = numpy.abs(own - loaded.predict(matrix_of(tables["new"])).reshape(own.shape)).max()
        check("trees of scaled targets", difference < 1e-5 * max(1, numpy.abs(own).max()), difference)
    check("its description", "boosted_trees" in loaded.attr("sheaf"))
    call(program, "predict", run, folder / "new.csv", folder / "out.csv")
    with open(folder / "out.csv", newline="") as file:
        found = [row for row in csv.DictReader(file)]
    names = [name for name in found[0] if name.startswith("probability") or (kind == "regression" and name in
             (labels if len(labels) > 1 else ["prediction", "target"]))]
    if kind == "regression" and not names:
        names = list(found[0])
    own = numpy.array([[float(row[name]) for name in names] for row in found])
    expected = loaded.predict(matrix_of(tables["new"]))
    expected = expected.reshape(len(expected), -1)
    if task == "two classes":
        expected = numpy.hstack([1 - expected, expected])
    check("predictions", own.shape == expected.shape and numpy.max(numpy.abs(own - expected)) <=
          1e-6 * max(1, numpy.abs(expected).max()), f"{own[:3]} {expected[:3]} {names}")
    return problems


problems = []
for case in range(CASES):
    with tempfile.TemporaryDirectory() as folder:
        problems += compare(sys.argv[1], pathlib.Path(folder), case)
print("\n".join(problems) or f"{CASES} cases: XGBoost {xgboost.__version__} in Python has the same losses, trees and "
      "predictions")
sys.exit(1 if problems else 0)
