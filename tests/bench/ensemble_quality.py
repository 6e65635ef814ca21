"""Compares the ensembles of trials with the best single models, on test rows of scikit-learn's tables.

    python3 tests/bench/ensemble_quality.py SHEAF [--seeds=N] [--trials=N] [--epochs=N] [TABLE ...]

Of each table, 40 % of the rows are test rows, at most 5000. A random search of learning rates, widths, dropouts and
weight decays has 4 folds. `ensemble` has the selected trials; `best trial` is the mean of all fold models of the best
trial, `best model` the one that is used without an ensemble. Values are means over the seeds of the log losses, or of the
mean squared errors divided by the variance of the targets. The ratios are geometric means over the seeds, below 1 if the
ensemble is better.
SPDX-License-Identifier: MIT
"""
import argparse
import json
import os
import subprocess
import sys
import tempfile

try:
    import h5py
    import numpy
    from sklearn import datasets
except ImportError as error:
    print(f"skipped: {error}")
    sys.exit(77)


def with_wrong_labels(data, part, random):
    features, labels = data
    wrong = random.random(len(labels)) < part
    return features, numpy.where(wrong, random.integers(0, labels.max() + 1, size=len(labels)), labels)


# Pairs of features and targets: classes are integers. `random`: of the seed.
TABLES = {
    "digits": lambda random: datasets.load_digits(return_X_y=True),
    "breast_cancer": lambda random: datasets.load_breast_cancer(return_X_y=True),
    "wine": lambda random: datasets.load_wine(return_X_y=True),
    "iris": lambda random: datasets.load_iris(return_X_y=True),
    "moons": lambda random: datasets.make_moons(3000, noise=0.3, random_state=int(random.integers(1000))),
    "clusters": lambda random: with_wrong_labels(
        datasets.make_classification(6000, n_features=20, n_informative=8, n_classes=4,
                                     random_state=int(random.integers(1000))), 0.1, random),
    "diabetes": lambda random: datasets.load_diabetes(return_X_y=True),
    "friedman1": lambda random: datasets.make_friedman1(2000, noise=1, random_state=int(random.integers(1000))),
    "friedman2": lambda random: datasets.make_friedman2(6000, noise=100, random_state=int(random.integers(1000))),
    "friedman3": lambda random: datasets.make_friedman3(1000, noise=0.1, random_state=int(random.integers(1000))),
}


def run(*args):
    done = subprocess.run(args, capture_output=True, text=True, check=False)
    if done.returncode != 0:
        raise SystemExit(f"{args} failed:\n{done.stderr}")


def write(path, features, targets):
    with h5py.File(path, "w") as file:
        file["features"], file["targets"] = features.astype("f4"), targets


def predicted(sheaf, model, *args):
    run(sheaf, "predict", model, "test.h5", "out.h5", "--overwrite", *args)
    with h5py.File("out.h5") as file:
        return file["probabilities" if "probabilities" in file else "values"][:].astype(float)


def loss(targets, predictions):
    if targets.dtype.kind == "i":
        return -numpy.log(numpy.clip(predictions[numpy.arange(len(targets)), targets], 2.2e-16, 1)).mean()
    return ((predictions[:, 0] - targets) ** 2).mean() / targets.var()


def losses_of(options, name, seed):
    random = numpy.random.default_rng(seed)
    features, targets = TABLES[name](random)
    order = random.permutation(len(targets))
    test, train = numpy.split(order, [min(5000, len(order) * 2 // 5)])
    write("train.h5", features[train], targets[train])
    write("test.h5", features[test], targets[test])
    run(options.sheaf, "run", "train.h5", "--run.output=run", "--run.device=cpu", "--run.progress=none",
        "--search.method=random", f"--search.trials={options.trials}", "--search.folds=4", f"--study.seed={seed}",
        "--search.train.learning_rate=log_uniform(1e-4, 3e-2)", "--search.model.hidden=16, 64, 32 32",
        "--search.model.dropout=0, 0.1, 0.3", "--search.train.weight_decay=log_uniform(1e-6, 1e-2)",
        "--train.optimizer=adamw", f"--train.epochs={options.epochs}", "--run.models=all", "--run.predictions=held_out",
        "--search.ensemble=greedy")
    with open("run/summary.json") as file:
        best = json.load(file)["best"]["trial"]
    folds = [predicted(options.sheaf, f"run/models/iteration-{4 * best + fold}.pt") for fold in range(4)]
    found = [loss(targets[test], predictions) for predictions in
             (predicted(options.sheaf, "run", "--model=ensemble"), numpy.mean(folds, axis=0),
              predicted(options.sheaf, "run", "--model=best"))]
    with open("run/models/ensemble.json") as file:
        members = len(json.load(file)["members"])
    subprocess.run(["rm", "-r", "run"], check=True)
    return found + [members]


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("sheaf")
    parser.add_argument("tables", nargs="*", default=list(TABLES))
    parser.add_argument("--seeds", type=int, default=5)
    parser.add_argument("--trials", type=int, default=40)
    parser.add_argument("--epochs", type=int, default=40)
    options = parser.parse_intermixed_args()
    options.sheaf = os.path.abspath(options.sheaf)
    wins = [0, 0]
    print(f"{'table':<14} members  ensemble  best trial  best model  ratio to trial  to model")
    with tempfile.TemporaryDirectory() as folder:
        os.chdir(folder)
        for name in options.tables or TABLES:
            values = numpy.array([losses_of(options, name, seed) for seed in range(options.seeds)])
            ensemble, trial, model, members = values.mean(axis=0)
            ratios = [numpy.exp(numpy.log(values[:, 0] / values[:, other]).mean()) for other in (1, 2)]
            wins = [count + (ratio <= 1) for count, ratio in zip(wins, ratios)]
            print(f"{name:<14} {members:7.1f}  {ensemble:8.4f}  {trial:10.4f}  {model:10.4f}  {ratios[0]:14.3f}  "
                  f"{ratios[1]:8.3f}", flush=True)
        os.chdir("/")
    print(f"no worse than the best trial on {wins[0]} tables, than the best model on {wins[1]}")


main()
