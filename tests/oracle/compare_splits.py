"""Compares folds with those of scikit-learn: TimeSeriesSplit gives the same rows, and folds of groups are as balanced as
those of StratifiedGroupKFold and GroupKFold.

    /usr/bin/python3 compare_splits.py DUMP_TRAINING

SPDX-License-Identifier: MIT
"""
import pathlib
import sys
import tempfile

import oracle

try:
    import h5py
    import numpy
    from sklearn.model_selection import GroupKFold, StratifiedGroupKFold, TimeSeriesSplit
except ImportError as error:
    oracle.skip(error)

REPEATS = 5


def study(file, folds, task, **data):
    return {
        "data": {"file": file, "task": task, "normalize": "none", "normalize_targets": "none", **data},
        "model": {"kind": "linear"},
        "train": {"loss": "cross_entropy" if task == "classification" else "mse", "epochs": 1, "shuffle": "no",
                  "learning_rate": 1e-3, "batch_size": 4096, "optimizer": "sgd"},
        "search": {"method": "grid", "folds": folds, "repeats": REPEATS},
    }


def grouped(random, groups, classes, purity):
    """Rows in random order. Groups have 1 to 40 rows, of which the fraction `purity` have the same class."""
    group = numpy.repeat(numpy.arange(groups), random.integers(1, 41, groups))
    kind = random.choice(classes, groups, p=numpy.arange(1, classes + 1) / numpy.arange(1, classes + 1).sum())
    label = numpy.where(random.random(len(group)) < purity, kind[group], random.integers(0, classes, len(group)))
    order = random.permutation(len(group))
    return group[order], label[order]


def spread(folds, labels):
    """The mean over the classes of the standard deviation over the folds of the part of the class, which
    StratifiedGroupKFold minimizes."""
    parts = [[numpy.mean(numpy.isin(numpy.flatnonzero(labels == label), rows)) for rows in folds]
             for label in numpy.unique(labels)]
    return numpy.mean(numpy.std(parts, axis=1))


def check(condition, text):
    if not condition:
        print("FAILED: " + text)
        check.failed = True


check.failed = False


def folds_of(entries, name, folds, repeat):
    return [entry for entry in entries if entry["study"] == name][repeat * folds:(repeat + 1) * folds]


def check_groups(entries, name, group, labels, folds, theirs):
    seen = set()
    ours = []
    for repeat in range(REPEATS):
        held_out = [entry["validation_rows"] for entry in folds_of(entries, name, folds, repeat)]
        check(sorted(sum(held_out, [])) == list(range(len(group))), f"{name}: each row is held out once")
        check(sum(len(set(group[rows])) for rows in held_out) == len(set(group)), f"{name}: groups are whole")
        ours.append(spread(held_out, labels))
        seen.add(str(sorted(held_out)))
    print(f"{name}: spread {numpy.mean(ours):.4f}, largest {max(ours):.4f}; scikit-learn {theirs:.4f}")
    check(max(ours) <= 1.25 * theirs + 0.002, f"{name}: folds are as balanced as those of scikit-learn")
    check(len(seen) == REPEATS, f"{name}: repeats differ")


def main():
    random = numpy.random.default_rng(3)
    cases, studies, times = {}, {}, {}
    with tempfile.TemporaryDirectory() as folder:
        def add(name, folds, task, labels, **data):
            path = f"{folder}/{name}.h5"
            with h5py.File(path, "w") as file:
                file["features"] = numpy.zeros((len(labels), 1), "f4")
                file["targets"] = labels.astype("i4" if task == "classification" else "f4")
                for key, values in data.items():
                    file[key] = values
            studies[name] = study(path, folds, task)

        for groups, classes, purity in [(30, 2, 1), (100, 3, 0.7), (400, 5, 0.9), (60, 2, 0)]:
            for folds in (3, 10):
                name = f"groups-{groups}-{classes}-{folds}"
                group, labels = grouped(random, groups, classes, purity)
                cases[name] = (group, labels, folds, StratifiedGroupKFold(folds))
                add(name, folds, "classification", labels, groups=group)
        group, _ = grouped(random, 80, 2, 0)
        for folds in (2, 7):
            name = f"numbers-{folds}"
            cases[name] = (group, numpy.zeros(len(group)), folds, GroupKFold(folds))
            add(name, folds, "regression", random.random(len(group)), groups=group)
        for rows, folds in [(17, 4), (100, 9), (12, 3), (6, 5)]:
            name = f"times-{rows}"
            times[name] = (random.integers(0, rows // 2, rows), folds)  # some are equal
            add(name, folds, "regression", random.random(rows), time=times[name][0])
        entries = oracle.train(sys.argv[1], studies, pathlib.Path(folder))

    for name, (group, labels, folds, splitter) in cases.items():
        theirs = [list(rows) for _, rows in splitter.split(labels, labels, group)]
        check_groups(entries, name, group, labels, folds, spread(theirs, labels))
    for name, (time, folds) in times.items():
        order = numpy.argsort(time, kind="stable")
        for repeat in range(REPEATS):
            ours = [(sorted(entry["orders"][0]), entry["validation_rows"])
                    for entry in folds_of(entries, name, folds, repeat)]
            theirs = [(sorted(order[training].tolist()), sorted(order[validation].tolist()))
                      for training, validation in TimeSeriesSplit(folds).split(time)]
            check(ours == theirs, f"{name}: the rows are those of TimeSeriesSplit: {ours} {theirs}")
    sys.exit(1 if check.failed else 0)


if __name__ == "__main__":
    main()
