"""Compares all metrics that `sheaf evaluate` prints with those of scikit-learn for the predictions that it writes, which
are 32-bit numbers: ten classes, two classes, two targets, and a class without rows; each with and without weights.

    /usr/bin/python3 compare_metrics.py SHEAF DIGITS.h5

SPDX-License-Identifier: MIT
"""
import json
import pathlib
import subprocess
import sys
import tempfile
import warnings

import oracle

try:
    import h5py
    import metric_cases
    import numpy
    import sklearn.metrics as sklearn_metrics
except ImportError as error:
    oracle.skip(error)


def call(*command):
    return subprocess.run(command, stdout=subprocess.PIPE, check=True, text=True).stdout


def write(path, features, targets):
    with h5py.File(path, "w") as file:
        file["features"], file["targets"] = features, targets
        file["weights"] = numpy.random.default_rng(len(features)).integers(0, 4, len(features)) / 4  # exact sums


def differences(program, folder, name, features, targets, dropped=None):
    """Trains a model on the first half, evaluates it on the second one, without the class `dropped`; returns what differs
    from scikit-learn."""
    half = len(features) // 2
    rows = numpy.arange(half, len(features))
    rows = rows if dropped is None else rows[targets[rows] != dropped]
    training, test, predictions = (str(folder / f"{name}-{part}.h5") for part in ("training", "test", "predictions"))
    write(training, features[:half], targets[:half])
    write(test, features[rows], targets[rows])
    run = str(folder / name)
    call(program, "run", training, f"--run.output={run}", "--run.device=cpu", "--run.progress=none",
         "--data.normalize=standard", "--train.epochs=3")
    call(program, "evaluate", run, f"--data.file={test}", f"--predictions={predictions}")
    wrong = []
    for weights in (None, "weights"):
        with h5py.File(predictions) as file, h5py.File(test) as test_file:
            of_rows = None if weights is None else test_file[weights][:]
            if targets.dtype.kind == "f":
                values = metric_cases.regression(file["values"][:].astype(float), targets[rows].astype(float), of_rows)
                if weights and metric_cases.VERSION < (1, 9):  # earlier ones define the weighted median otherwise
                    del values["median_ae"]
            else:
                probabilities = file["probabilities"][:].astype(float)
                values = metric_cases.classification("cross_entropy", probabilities, targets[rows], of_rows, True)
        with_parameters = ",".join(metric for metric in values if ":" in metric)
        report = json.loads(call(program, "evaluate", run, f"--data.file={test}", f"--metrics={with_parameters}",
                                 f"--data.weights={weights or ''}", "--output=json"))
        print(f"{name}: {len(values)} metrics of {len(rows)} rows, weights: {weights}")
        wrong += [(name, weights, metric, report.get(metric), value) for metric, value in values.items()
                  if report.get(metric) is None or not abs(report[metric] - value) < 1e-5 * max(1, abs(value))]
    return wrong


def differences_of_classes(program, folder, name):
    """Compares the table of the classes, and the labels from thresholds, of a model of two classes."""
    run, test, out = (str(folder / part) for part in (name, f"{name}-test.h5", f"{name}-threshold.h5"))
    with h5py.File(test) as file:
        labels = file["targets"][:]
    wrong = []
    for positive in (0, 1):
        for threshold in (0.2, 0.9):
            report = json.loads(call(program, "evaluate", run, f"--data.file={test}", f"--threshold={threshold}",
                                     f"--positive={positive}", f"--predictions={out}", "--overwrite", "--output=json"))
            with h5py.File(out) as file:
                scores, predicted = file["probabilities"][:, positive].astype(float), file["labels"][:]
            sure = abs(scores - threshold) > 1e-6  # rounding decides the others
            wrong += [(name, threshold)] * int(((predicted == positive) != (scores >= threshold))[sure].sum())
            table = sklearn_metrics.classification_report(labels, predicted, output_dict=True, zero_division=0)
            for label, scores_of_class in enumerate(report["classes"]):
                theirs = table[str(label)]
                pairs = [(scores_of_class["f1"], theirs["f1-score"]), (scores_of_class["rows"], theirs["support"]),
                         *((scores_of_class[key], theirs[key]) for key in ("precision", "recall"))]
                wrong += [(name, threshold, label, pair) for pair in pairs if abs(pair[0] - pair[1]) > 1e-12]
            expected = {"accuracy": table["accuracy"], "matthews": sklearn_metrics.matthews_corrcoef(labels, predicted),
                        "roc_auc": sklearn_metrics.roc_auc_score(labels == positive, scores),
                        "average_precision": sklearn_metrics.average_precision_score(labels == positive, scores)}
            wrong += [(name, key, report[key], value) for key, value in expected.items()
                      if abs(report[key] - value) > 1e-6]
            if report["confusion"] != sklearn_metrics.confusion_matrix(labels, predicted).tolist():
                wrong.append((name, "confusion", report["confusion"]))
    return wrong


def main():
    program, digits = sys.argv[1:]
    warnings.simplefilter("ignore")
    with h5py.File(digits) as file:
        features, labels = file["features"][:], file["targets"][:]
    wrong = []
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        wrong += differences(program, folder, "digits", features, labels)
        wrong += differences(program, folder, "even", features, labels % 2)
        wrong += differences_of_classes(program, folder, "even")
        targets = numpy.stack([labels + 0.5, features.astype("f4").mean(axis=1)], axis=1).astype("f4")
        wrong += differences(program, folder, "values", features, targets)
        if metric_cases.VERSION >= (1, 6):  # earlier ones refuse it
            missing = differences(program, folder, "missing", features, labels, dropped=3)
            wrong += [one for one in missing if one[2] != "roc_auc"]  # not defined
    print(*wrong, sep="\n")
    sys.exit(1 if wrong else 0)


if __name__ == "__main__":
    main()
