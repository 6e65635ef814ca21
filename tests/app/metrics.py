"""Metrics: `search.metric` ranks in the direction of the metric, `run.metrics` adds columns to all tables, `sheaf evaluate`
prints all metrics that apply. Their values agree with those computed from predictions, on any number of ranks."""

import json
import os
import re
import shutil
import sys

import h5py
import numpy

from program import DIGITS, Checks, read_csv, sheaf

checks = Checks()
shutil.rmtree("metrics", ignore_errors=True)
os.makedirs("metrics")
os.chdir("metrics")
with open("study.cfg", "w") as study_file:
    study_file.write("[study]\n")

COMMON = ["study.cfg", "--data.normalize=standard", "--model.kind=mlp", "--model.hidden=8", "--train.epochs=3",
          "--run.device=cpu", "--run.progress=none"]
STUDY = COMMON + [f"--data.file={DIGITS}", "--data.task=classification"]
LONGER = [option for option in COMMON if "epochs" not in option]
DRAWN = COMMON + ["--data.source=synthetic", "--data.task=regression"]
METRICS = ["accuracy", "balanced_accuracy", "f1_macro", "f1_weighted", "precision_macro", "precision_weighted",
           "recall_macro", "recall_weighted", "matthews", "top_3_accuracy", "log_loss", "brier", "ece", "roc_auc", "roc_auc_weighted", "average_precision"]
RANKED = ["roc_auc", "roc_auc_weighted", "average_precision"]
REGRESSION_METRICS = ["r2", "explained_variance", "mae", "mse", "rmse", "median_ae", "mape", "max_error"]
LOWEST_IS_BEST = {"log_loss", "brier", "ece", *REGRESSION_METRICS[2:]}
TIMES = ["data_seconds", "training_seconds", "validation_seconds"]


def run(output, *args, ranks=None, study=STUDY):
    result = sheaf("run", *study, f"--run.output={output}", *args, ranks=ranks)
    checks.check(result.code == 0, f"{output}: the run succeeds", result.stderr)
    return result


def table(output, name):
    with h5py.File(f"{output}/results.h5") as file:
        return file[name][:]


def evaluate(*args, ranks=None):
    result = sheaf("evaluate", *args, "--output=json", ranks=ranks)
    checks.check(result.code == 0, f"evaluate {' '.join(args)}", result.stderr)
    return {key: value for key, value in json.loads(result.stdout or "{}").items() if "second" not in key}


def area(scores, is_class):
    """The fraction of pairs in the right order; equal scores count half."""
    one, other = scores[is_class][:, None], scores[~is_class][None, :]
    return ((one > other) + 0.5 * (one == other)).mean()


def expected(probabilities, labels):
    predicted, classes = probabilities.argmax(axis=1), range(probabilities.shape[1])
    right = [((predicted == c) & (labels == c)).sum() for c in classes]
    return {"balanced_accuracy": numpy.mean([right[c] / (labels == c).sum() for c in classes]),
            "f1_macro": numpy.mean([2 * right[c] / ((predicted == c).sum() + (labels == c).sum()) for c in classes]),
            "log_loss": -numpy.log(probabilities[numpy.arange(len(labels)), labels]).mean(),
            "roc_auc": numpy.mean([area(probabilities[:, c], labels == c) for c in classes])}


# A search that is ranked by log loss, the lower the better.
SEARCH = ["--search.folds=3", "--search.train.learning_rate=1e-4, 1e-2, 1e-3", "--search.metric=log_loss",
          f"--run.metrics={','.join(METRICS)}", "--run.curves=true", "--run.models=best"]
found = []
for ranks in (None, 2):
    result = run(f"search{ranks}", *SEARCH, ranks=ranks)
    trials, iterations, epochs = (table(f"search{ranks}", name) for name in ("trials", "iterations", "epochs"))
    found.append((trials["mean_log_loss"].tobytes(), trials["mean_roc_auc"].tobytes(), epochs.tobytes()))
checks.check(found[0] == found[1], "metrics do not depend on the number of ranks")
checks.check(list(trials["mean_log_loss"]) == sorted(trials["mean_log_loss"]), "the lowest log loss is first", str(trials))
checks.check((trials["mean_score"] == trials["mean_log_loss"]).all(), "the score is the log loss")
checks.check("log loss  val. loss" in result.stdout and "F1 (macro)" in result.stdout, "the leaderboard has the metrics", result.stdout)
for name in METRICS:
    of_trial = [iterations[name][iterations["trial"] == trial].mean() for trial in trials["trial"]]
    checks.check(numpy.allclose(trials[f"mean_{name}"], of_trial, rtol=1e-12), f"mean_{name} of the trials")
    checks.check((epochs[name][2::3] == iterations[name]).all(), f"{name} after the last epoch")
    checks.check([float(row[name]) for row in read_csv("search2/results.csv")] == list(iterations[name]),
                 f"{name} in results.csv")
checks.check(numpy.allclose(iterations["log_loss"], iterations["validation_loss"], rtol=1e-5), "log loss and cross entropy")
with open("search2/summary.json") as file:
    best = json.load(file)["best"]
checks.check(best["mean_metrics"]["roc_auc"] == trials["mean_roc_auc"][0] and best["metric"] == "log loss",
             "summary.json", str(best))

# A class that most folds lack: ROC AUC is the mean over the others.
rng = numpy.random.default_rng(1)
with h5py.File("rare.h5", "w") as file:
    file["features"] = rng.normal(size=(60, 4)).astype(numpy.float32)
    file["targets"] = numpy.array([0, 1] * 29 + [2, 2])
result = sheaf("run", "rare.h5", "--run.output=rare", "--run.device=cpu", "--search.metric=roc_auc",
                 "--run.metrics=roc_auc", "--search.folds=5", "--search.train.learning_rate=1e-3, 1e-2")
checks.check(result.code == 0, "rare class", result.stderr)
trials, iterations = table("rare", "trials"), table("rare", "iterations")
for trial in trials:
    scores = iterations["validation_score"][iterations["trial"] == trial["trial"]]
    defined = scores[numpy.isfinite(scores)]
    checks.check(0 < len(defined) < 5 and trial["scores"] == len(defined) and
                 abs(trial["mean_score"] - defined.mean()) < 1e-12 and
                 abs(trial["score_deviation"] - defined.std()) < 1e-12, "mean over the folds with all classes",
                 f"{trial} {scores}")
checks.check(trials["mean_score"][0] >= trials["mean_score"][1], "the score ranks the trials", str(trials))
checks.check("2 of 2 trials have fits for which ROC AUC is not defined" in result.stdout and
             re.search(r"\(mean ROC AUC [0-9.]+ over 5 folds, ROC AUC defined in [12] of 5\)", result.stdout) and
             result.stdout.count("mean ROC AUC") == 2, "the summary of undefined folds", result.stdout)
with open("rare/summary.json") as file:
    summary = json.load(file)
checks.check(summary["trials_with_undefined_scores"] == 2 and
             summary["best"]["scores"] + summary["best"]["undefined_scores"] == 5, "summary.json: undefined folds",
             str(summary["best"]))

# The parts of the wall time.
run("drawn", "--data.validation=0.2", "--study.iterations=3", study=DRAWN)
for output in ("search2", "drawn"):
    for row in read_csv(f"{output}/results.csv"):
        parts = [float(row[name]) for name in TIMES]
        checks.check(abs(sum(parts) - float(row["seconds"])) < 1e-9 and min(parts[1:]) > 0 and
                     (parts[0] > 0) == (output == "drawn"), f"{output}: times add up", str(row))

# The same metrics from predictions.
with h5py.File(DIGITS) as file:
    features, labels = file["features"][:], file["targets"][:]
report = evaluate("search2", f"--data.file={DIGITS}", "--predictions=digits.h5")
with h5py.File("digits.h5") as file:
    probabilities = file["probabilities"][:].astype(float)
for name, value in expected(probabilities, labels).items():
    checks.check(abs(report[name] - value) < 1e-5, f"evaluate: {name}", f"{report[name]} {value}")
checks.check(report["log_loss"] == report["loss"], "the log loss of a model trained with cross entropy is its loss")
for ranks in (2, 3):
    checks.check(evaluate("search2", f"--data.file={DIGITS}", "--run.lanes=2", ranks=ranks) ==
                 {key: value for key, value in report.items() if key != "predictions"},
                 f"evaluate has the same bits on {ranks} ranks")

# More rows than fit into data.memory, and classes without rows.
with h5py.File("many.h5", "w") as file:
    file["features"], file["targets"] = numpy.tile(features, (20, 1)), numpy.tile(labels, 20)
with h5py.File("few.h5", "w") as file:
    file["features"], file["targets"] = features[labels != 3], labels[labels != 3]
whole, limited = evaluate("search2", "--data.file=many.h5"), evaluate("search2", "--data.file=many.h5", "--data.memory=1")
checks.check(abs(whole["roc_auc"] - report["roc_auc"]) < 1e-12, "repeated rows have the same ROC AUC")
checks.check(limited.pop("left_out", None) == RANKED and {**limited, **{name: whole[name] for name in RANKED}} == whole,
             "metrics that need too much memory are left out", str(limited))
text = sheaf("evaluate", "search2", "--data.file=many.h5", "--data.memory=1").stdout
checks.check("ROC AUC              left out" in text, "the report names the metric that it leaves out", text)
text = sheaf("evaluate", "search2", "--data.file=few.h5").stdout
checks.check("ROC AUC              not defined for classes without rows" in text, "a class without rows", text)

# An ensemble: the log loss is convex, so that of the mean is not larger than the mean of the members.
run("ensemble", "--ensemble.members=3", "--data.validation=0.3", "--run.metrics=roc_auc f1_macro",
    "--search.metric=log_loss", "--study.iterations=2")
ensembles, iterations = table("ensemble", "ensembles"), table("ensemble", "iterations")
checks.check((ensembles["score"] < ensembles["mean_member_score"]).all() and (ensembles["roc_auc"] > 0.5).all(),
             "metrics of ensembles", str(ensembles))
checks.check(table("ensemble", "trials")["mean_roc_auc"][0] == ensembles["roc_auc"].mean(),
             "the mean of a trial is that of its ensembles")

# Regression.
run("regression", "--data.draw=study", "--data.relation=linear", "--search.folds=2", "--run.metrics=r2",
    "--search.train.learning_rate=1e-5, 1e-2", "--search.metric=mae", study=DRAWN)
trials = table("regression", "trials")
checks.check(list(trials["mean_score"]) == sorted(trials["mean_score"]) and trials["mean_r2"][0] > trials["mean_r2"][1],
             "the lowest mean absolute error is first", str(trials))

# Losses of regressions: the delta of huber is in the units of the targets, in training, models and evaluations.
random = numpy.random.default_rng(3)
values = random.normal(size=(300, 4)).astype("f4")
with h5py.File("values.h5", "w") as file:
    file["features"] = values
    file["targets"] = (1000 * values[:, :2] @ [[1, 0.5], [0.2, 3]] + random.standard_t(2, (300, 2)) * 100).astype("f4")
for loss, delta in (("mae", 1), ("huber", 50)):
    run(loss, "--data.file=values.h5", "--data.validation=0.2", f"--train.loss={loss}", "--run.models=all",
        "--train.learning_rate=0.1", *([f"--train.huber_delta={delta}"] if loss == "huber" else []),
        study=COMMON + ["--data.task=regression"])
    report = evaluate(f"{loss}/models/iteration-0.pt", "--data.file=values.h5", "--predictions=values-out.h5",
                      "--overwrite=true")
    with h5py.File("values.h5") as file, h5py.File("values-out.h5") as out:
        sizes = abs(file["targets"][:] - out["values"][:].astype(float))
    losses = sizes if loss == "mae" else numpy.where(sizes <= delta, sizes**2 / 2, delta * (sizes - delta / 2))
    checks.check(report["loss_kind"] == loss and abs(report["loss"] / losses.mean() - 1) < 1e-6,
                 f"evaluate: the loss {loss}", f"{report} {losses.mean()}")
    row = read_csv(f"{loss}/results.csv")[0]
    checks.check(0.5 < float(row["final_loss"]) / losses.mean() < 2, f"{loss}: the training loss is in the same units",
                 str(row))
    with open(f"{loss}/summary.json") as file:
        checks.check(json.load(file)["best"]["metric"] == "MAE", f"{loss}: the default metric")

# The outputs of poisson are logarithms. Validations, ensembles, evaluations, predictions and saved models give counts.
counts = numpy.random.default_rng(4).poisson(numpy.exp(values @ [0.5, -0.3, 0.2, 0] + 1))
with h5py.File("counts.h5", "w") as file:
    file["features"], file["targets"] = values, counts
for engine in ("native", "torch"):
    run(f"poisson-{engine}", "--data.file=counts.h5", "--data.validation=0.3", "--train.loss=poisson",
        "--ensemble.members=2", "--run.models=all", "--run.metrics=mae", "--train.learning_rate=0.02",
        "--train.epochs=10", f"--run.engine={engine}", study=LONGER)
    with open(f"poisson-{engine}/study.cfg") as file:
        text = file.read()
    checks.check("task = regression" in text and "normalize_targets = none" in text, "poisson: settled keys", text)
    ensembles, trained = table(f"poisson-{engine}", "ensembles"), table(f"poisson-{engine}", "iterations")
    checks.check((ensembles["score"] > 0.3).all() and (trained["validation_score"] > 0.3).all() and
                 (abs(ensembles["mae"] / trained["mae"].mean() - 1) < 0.1).all(),
                 f"poisson {engine}: metrics of counts", f"{ensembles} {trained}")
    one, two = (evaluate(f"poisson-{engine}/models/iteration-{number}.pt", "--data.file=counts.h5",
                         f"--predictions=counts-{number}.h5", "--overwrite=true") for number in (0, 1))
    both = evaluate(f"poisson-{engine}", "--data.file=counts.h5", "--predictions=counts-both.h5", "--overwrite=true")
    means = {}
    for number, report in ((0, one), (1, two), ("both", both)):
        with h5py.File(f"counts-{number}.h5") as out:
            means[number] = out["values"][:, 0].astype(float)
        loss = (means[number] - counts * numpy.log(means[number])).mean()
        checks.check(report["loss_kind"] == "poisson" and abs(report["loss"] / loss - 1) < 1e-6 and
                     abs(report["mae"] / abs(means[number] - counts).mean() - 1) < 1e-6,
                     f"poisson {engine}: evaluation of {number}", f"{report} {loss}")
    checks.check(abs((means[0] + means[1]) / 2 / means["both"] - 1).max() < 1e-6,
                 f"poisson {engine}: an ensemble averages counts")
with h5py.File("negative.h5", "w") as file:
    file["features"], file["targets"] = values, numpy.where(numpy.arange(300) == 17, -2.5, counts)
for mode in ("memory", "streamed"):
    result = sheaf("run", "negative.h5", "--train.loss=poisson", f"--data.mode={mode}", "--run.output=negative")
    checks.check(result.code == 1 and "targets >= 0 (row 17 of '" in result.stderr and "has -2.5)" in result.stderr and
                 not os.path.exists("negative"), f"poisson: negative targets, {mode}", result.stderr)
result = sheaf("evaluate", "poisson-native", "--data.file=counts.h5", "--loss=mse")
checks.check(result.code == 2 and "its outputs are logarithms" in result.stderr, "poisson: another loss",
             result.stderr)

# search.weighted: validations weight the rows and classes.
random = numpy.random.default_rng(8)
points = random.normal(size=(600, 32)).astype("f4")
with h5py.File("weighted.h5", "w") as file:
    file["features"] = points
    file["targets"] = (points[:, 0] + random.normal(size=600) > 1).astype("i8")
    file["w"] = random.random(600).astype("f4")
    row_weights, classes = file["w"][:].astype(float), file["targets"][:]
class_weights = numpy.array([0.5, 3])
for name, *args in (("native", "--run.engine=native"), ("torch", "--run.engine=torch"), ("two", "--ensemble.members=2"),
                    ("streamed", "--run.engine=native", "--data.mode=streamed")):
    for weighted in ("true", "false"):
        run(f"weighted-{name}-{weighted}", "--data.file=weighted.h5", "--data.weights=w", "--train.class_weights=0:0.5, 1:3",
            "--data.validation=0.3", "--train.epochs=5", "--run.metrics=log_loss, roc_auc", "--run.predictions=held_out",
            f"--search.weighted={weighted}", *args, study=LONGER)
        with h5py.File(f"weighted-{name}-{weighted}/results.h5") as file:
            trained, kept = file["iterations"][0], file["predictions"][:]
            ensemble = file["ensembles"][0] if "ensembles" in file else None
        members = [kept[kept["iteration"] == number] for number in sorted(set(kept["iteration"]))]
        rows, target = members[0]["row"], members[0]["target"]
        weights = row_weights[rows] * class_weights[classes[rows]] if weighted == "true" else numpy.ones(len(rows))
        mean = numpy.mean([member["probabilities"].astype(float) for member in members], axis=0)
        for case, probabilities, found in (("one", members[0]["probabilities"].astype(float), trained),
                                           ("mean", mean, ensemble)):
            if found is None:
                continue
            loss = numpy.average(-numpy.log(probabilities[numpy.arange(len(rows)), target]), weights=weights)
            right = numpy.average(probabilities.argmax(axis=1) == target, weights=weights)
            score = found["validation_score"] if case == "one" else found["score"]
            checks.check(abs(score - right) < 1e-6 and abs(found["log_loss"] / loss - 1) < 1e-5 and
                         (case == "mean" or abs(found["validation_loss"] / loss - 1) < 1e-5),
                         f"weighted={weighted} {name}: {case}", f"{loss} {right} {found}")

# sheaf evaluate with weights, from HDF5 and CSV: all metrics count them, and their last bits do not depend on the ranks.
many = 30000  # several batches, and more rows than are sorted by comparisons
points = numpy.round(random.normal(size=(many, 32)), 1).astype("f4")
points[::3] = points[0]  # equal rows have equal outputs
classes, row_weights = (points[:, 0] + random.normal(size=many) > 1).astype("i8"), random.random(many).astype("f4")
row_weights[:50] = 0
with h5py.File("weights.h5", "w") as file:
    file["features"], file["targets"], file["w"], file["zeros"] = points, classes, row_weights, numpy.zeros(many)
    file["short"], file["signed"] = row_weights[:9], row_weights - 0.5
with open("weights.csv", "w") as file:
    file.write(",".join(f"x{column}" for column in range(32)) + ",w,label\n")
    for point, weight, label in zip(points, row_weights, classes):
        file.write(",".join(repr(float(value)) for value in (*point, weight)) + f",{label}\n")
MODEL = "weighted-native-true"
of_rows = evaluate(MODEL, "--data.file=weights.h5", "--data.weights=w", "--predictions=weights-out.h5")
plain = evaluate(MODEL, "--data.file=weights.h5")
with h5py.File("weights-out.h5") as file:
    probabilities = file["probabilities"][:].astype(float)
positive, weights, predicted = probabilities[:, 1], row_weights.astype(float), probabilities.argmax(axis=1)
scores, places = numpy.unique(positive, return_inverse=True)
of_others = numpy.bincount(places, weights * (classes == 0), len(scores))
below = (numpy.cumsum(of_others) - of_others / 2)[places][classes == 1]
totals = [weights[classes == label].sum() for label in (0, 1)]
right = {"loss": numpy.average(-numpy.log(probabilities[numpy.arange(many), classes]), weights=weights),
         "accuracy": numpy.average(predicted == classes, weights=weights),
         "balanced_accuracy": numpy.mean([(weights * ((predicted == classes) & (classes == label))).sum() / totals[label]
                                          for label in (0, 1)]),
         "roc_auc": (weights[classes == 1] * below).sum() / totals[0] / totals[1]}
for name, value in right.items():
    checks.check(abs(of_rows[name] - value) < 1e-6 and abs(plain[name] - value) > 1e-4, f"evaluate with weights: {name}",
                 f"{of_rows[name]}, unweighted {plain[name]}, right {value}")
checks.check([abs(row["weight"] - total) < 1e-6 * total for row, total in zip(of_rows["classes"], totals)] == [True] * 2 and
             sum(map(sum, of_rows["confusion"])) == many, "evaluate with weights: classes and confusion matrix",
             str(of_rows["classes"]))
checks.check(evaluate(MODEL, "--data.file=weights.h5", "--data.weights=w", "--run.lanes=2", ranks=3) ==
             {name: value for name, value in of_rows.items() if name != "predictions"},
             "evaluate with weights: same bits on any number of ranks")
of_csv = evaluate(MODEL, "--data.file=weights.csv", "--weights=w", ranks=2)
checks.check({name: of_csv[name] for name in right} == {name: of_rows[name] for name in right} and
             of_csv["weights"] == "w", "evaluate with weights: a column of a CSV file", str(of_csv))
for file, option, code, text in (
        ("weights.h5", "--data.weights=zeros", 1, "All weights in 'zeros' are 0"),
        ("weights.h5", "--data.weights=short", 1, "Store one weight per row"),
        ("weights.h5", "--data.weights=signed", 1, "must be finite and not negative"),
        ("weights.h5", "--data.weights=none", 1, "no data set '/none'"),
        ("weights.h5", "--weights=w", 2, "select a data set with --data.weights"),
        ("weights.csv", "--data.weights=w", 2, "Select the column with --weights"),
        ("weights.csv", "--weights=q", 1, "'q'"),
        ("weights.csv", "--weights=x3", 1, "'x3'")):
    result = sheaf("evaluate", MODEL, f"--data.file={file}", option, ranks=2)
    checks.check(result.code == code and text in result.stderr and len(result.error_lines()) == 1, f"{file} {option}",
                 f"{result.code} {result.stderr}")

# Test rows count their weights, too.
with h5py.File("weighted.h5", "r+") as file:
    file["when"] = numpy.arange(600)
    points, row_weights, classes = file["features"][:], file["w"][:].astype(float), file["targets"][:]
run("test-weights", "--data.file=weighted.h5", "--data.weights=w", "--data.time=when", "--data.test=0.3",
    "--search.weighted=true", "--train.class_weights=0:0.5, 1:3", "--run.metrics=log_loss", "--train.epochs=5",
    "--run.models=best", study=LONGER)
evaluate("test-weights", "--data.file=weighted.h5", "--predictions=weighted-out.h5")
with h5py.File("weighted-out.h5") as file:
    probabilities = file["probabilities"][420:].astype(float)
with open("test-weights/summary.json") as file:
    of_test = json.load(file)["test"]
    found = {**of_test["metrics"], "loss": of_test["loss"]}
labels = classes[420:]
weights = row_weights[420:] * class_weights[labels]
right = {"loss": numpy.average(-numpy.log(probabilities[numpy.arange(180), labels]), weights=weights),
         "accuracy": numpy.average(probabilities.argmax(axis=1) == labels, weights=weights)}
checks.check(all(abs(found[name] - value) < 1e-5 for name, value in right.items()), "weights of test rows",
             f"{found} {right}")

# Splits in which no row counts are refused.
with h5py.File("some.h5", "w") as file:
    file["features"], file["targets"], file["when"] = points, classes, numpy.arange(600)
    file["half"], file["of_class"] = (numpy.arange(600) < 300).astype("f4"), (classes == 0).astype("f4")
    file["folds"] = (numpy.arange(600) >= 300).astype("i4")
    file["ends"] = (abs(numpy.arange(600) - 470) > 69).astype("f4")  # those of the stopping rows, 432 to 539, are 0
for weights, args, text in (
        ("half", ["--data.folds=folds"], "all training rows of fold 0 weigh 0 (data.weights = half)"),
        ("half", ["--data.folds=none", "--data.time=when", "--data.validation=0.3", "--search.weighted=true"],
         "all validation rows weigh 0 (data.weights = half)"),
        ("half", ["--data.folds=none", "--data.time=when", "--data.test=0.3", "--data.validation=0",
                  "--search.weighted=true"], "all test rows weigh 0 (data.weights = half)"),
        ("ends", ["--data.folds=none", "--data.time=when", "--train.stop_fraction=0.2", "--data.validation=0.1",
                  "--train.patience=2", "--search.weighted=true"], "all stopping rows weigh 0 (data.weights = ends)"),
        ("of_class", ["--data.folds=none", "--train.class_weights=0:0"],
         "all training rows weigh 0 (data.weights = of_class and train.class_weights = 0:0)")):
    result = sheaf("run", *LONGER, "--data.file=some.h5", f"--data.weights={weights}", *args, "--train.epochs=2",
                   "--run.output=refused", ranks=2)
    checks.check(result.code == 1 and text in result.stderr and len(result.error_lines()) == 1 and
                 not os.path.exists("refused"), f"weights that are all 0: {text}", f"{result.code} {result.stderr}")

# A bootstrap sample without a row that counts fails its iteration, on one rank of several, and the others go on.
with h5py.File("few.h5", "w") as file:
    file["features"], file["targets"] = points[:120], classes[:120]
    file["w"] = numpy.isin(numpy.arange(120), (3, 50, 90)).astype("f4")
for mode in ("memory", "streamed"):
    result = sheaf("run", *LONGER, "--data.file=few.h5", "--data.weights=w", f"--data.mode={mode}", "--ensemble.members=20",
                   "--ensemble.bootstrap=true", "--data.validation=0.3", "--train.epochs=3", f"--run.output=few-{mode}",
                   ranks=3)
    table_of_few = read_csv(f"few-{mode}/results.csv")
    failed = [row for row in table_of_few if row["status"] == "failed"]
    checks.check(result.code == 1 and len(table_of_few) == 20 and 0 < len(failed) < 20 and all(
        "All rows of the bootstrap sample weigh 0" in row["message"] for row in failed),
        f"bootstrap samples that weigh 0, {mode}", f"{result.code} {failed}")

# Quantiles of one target: a column of predictions for each.
random, quantiles = numpy.random.default_rng(5), (0.1, 0.5, 0.9)
points = random.normal(size=(2000, 3)).astype("f4")
with open("spread.csv", "w") as file:
    file.write("a,b,c,y\n")
    for point, noise in zip(points, random.normal(size=2000)):
        file.write(",".join(f"{value:.7g}" for value in (*point, 1000 + 30 * point[0] + 10 * noise)) + "\n")
checks.check(sheaf("import", "spread.csv", "spread.h5").code == 0, "quantile: the import")
for name, *args in (("native", "--run.engine=native"), ("torch", "--run.engine=torch"),
                    ("streamed", "--run.engine=native", "--data.mode=streamed"),
                    ("ensemble", "--ensemble.members=2")):
    run(f"quantile-{name}", "--data.file=spread.h5", "--train.loss=quantile", "--train.quantiles=0.1, 0.5, 0.9",
        "--data.validation=0.2", "--train.epochs=20", "--train.learning_rate=0.01", "--run.models=best",
        "--run.metrics=mae, median_ae, pinball:0.9", "--run.predictions=held_out", *args, study=LONGER)
    report = evaluate(f"quantile-{name}", "--data.file=spread.csv", "--metrics=pinball:0.9")
    result = sheaf("predict", f"quantile-{name}", "spread.csv", "spread-out.csv", "--overwrite=true")
    rows = read_csv("spread-out.csv")
    checks.check(result.code == 0 and list(rows[0]) == [f"y_q{q}" for q in quantiles], f"quantile {name}: the columns",
                 f"{result.stderr} {rows[0]}")
    values = numpy.array([[float(row[f"y_q{q}"]) for q in quantiles] for row in rows])
    errors = numpy.array([float(row["y"]) for row in read_csv("spread.csv")])[:, None] - values
    losses = numpy.maximum(numpy.multiply(quantiles, errors), numpy.subtract(quantiles, 1) * errors)
    checks.check(report["loss_kind"] == "quantile" and abs(report["loss"] / losses.mean() - 1) < 1e-4,
                 f"quantile {name}: the loss", f"{report} {losses.mean()}")
    for reported, computed in (("mean_pinball", losses.mean()), ("pinball:0.9", losses[:, 2].mean()),
                               ("mae", abs(errors[:, 1]).mean()), ("median_ae", numpy.median(abs(errors[:, 1])))):
        checks.check(abs(report[reported] / computed - 1) < 1e-4, f"quantile {name}: {reported}", str(report))
    with h5py.File(f"quantile-{name}/results.h5") as file:
        kept, trained = file["predictions"][:], file["iterations"][:]
    kept = kept[kept["iteration"] == 0]
    kept_errors = kept["targets"] - kept["values"]
    for reported, computed in (("mae", abs(kept_errors[:, 1]).mean()), ("validation_score", numpy.maximum(
            kept_errors * quantiles, kept_errors * numpy.subtract(quantiles, 1)).mean())):
        checks.check(abs(trained[reported][0] / computed - 1) < 1e-4, f"quantile {name}: {reported} of the run",
                     f"{trained[reported]} {computed}")
    below = (errors < 0).mean(axis=0)
    checks.check(abs(below - quantiles).max() < 0.1, f"quantile {name}: rows below each quantile", str(below))
    row = read_csv(f"quantile-{name}/results.csv")[0]
    checks.check(abs(float(row["validation_loss"]) / losses.mean() - 1) < 0.3, f"quantile {name}: units", str(row))
for case, reason, *args in (
        ("several targets", "needs one target column", "--data.file=values.h5"),
        ("classes", "needs numbers as targets", "--data.file=spread.h5", "--data.task=classification")):
    result = sheaf("run", *COMMON, "--train.loss=quantile", "--run.output=refused", *args)
    checks.check(result.code != 0 and reason in result.stderr, f"quantile: {case}", result.stderr)
result = sheaf("evaluate", "quantile-native", "--data.file=spread.csv", "--loss=mse")
checks.check(result.code == 2 and "it was trained with quantile" in result.stderr, "quantile: another loss",
             result.stderr)
values = numpy.random.default_rng(3).normal(size=(300, 4)).astype("f4")

# Every metric ranks a search in its direction, and evaluations have all of them, with the same bits on two ranks.
with h5py.File("classes.h5", "w") as file:
    file["features"] = values
    file["targets"] = numpy.digitize(values @ [1, 0.5, -1, 0] + random.normal(size=300), [-1.5, -0.5, 0.5, 1.5])
for data, names in (("classes.h5", METRICS), ("values.h5", REGRESSION_METRICS)):
    for name in names:
        result = sheaf("run", data, f"--run.output=by_{name}", "--run.device=cpu", "--run.progress=none",
                       "--search.folds=2", "--search.train.learning_rate=1e-4, 1e-2, 1e-3", f"--search.metric={name}",
                       f"--run.metrics={','.join(names)}")
        checks.check(result.code == 0, f"a search by {name}", result.stderr)
        scores = list(table(f"by_{name}", "trials")["mean_score"])
        checks.check(scores == sorted(scores, reverse=name not in LOWEST_IS_BEST) and scores[0] != scores[-1],
                     f"{name}: the best trial is first", str(scores))
        checks.check(scores == list(table(f"by_{name}", "trials")[f"mean_{name}"]), f"mean_{name} is the score")
    report = evaluate(f"by_{name}", f"--data.file={data}")
    checks.check([key for key in report if key in names] == names, f"evaluate {data}: all metrics", str(report))
    checks.check(evaluate(f"by_{name}", f"--data.file={data}", ranks=2) == report, f"evaluate {data} on two ranks")

# Metrics with a parameter: columns have their names, and a search, early stopping and an evaluation use them.
with h5py.File("named.h5", "w") as file, h5py.File("classes.h5") as classes:
    file["features"] = classes["features"][:]
    file["targets"] = classes["targets"][:]
    file["targets"].attrs["class_names"] = ["low", "Below", "middle", "1", "high, very"]
    labels = classes["targets"][:]
NAMED = ["f1:Below", "precision:0", "recall:4", "f1:1", "top_k:2"]
result = sheaf("run", "named.h5", "--run.output=named", "--run.device=cpu", "--search.folds=2", "--train.epochs=6",
               "--search.train.learning_rate=1e-3, 1e-2", "--search.metric=Recall:high, very", "--run.curves=true",
               f"--run.metrics={' '.join(NAMED)}", "--train.stop_on=f1:middle", "--train.best_weights=true")
checks.check(result.code == 0 and "recall (high, very)" in result.stdout, "metrics with a parameter", result.stderr)
rows = read_csv("named/results.csv")
trials, epochs = table("named", "trials"), table("named", "epochs")
for name in NAMED:
    checks.check(all(0 <= float(row[name]) <= 1 for row in rows) and f"mean_{name}" in trials.dtype.names and
                 name in epochs.dtype.names, f"columns of {name}")
checks.check([float(row["recall:4"]) for row in rows] == [float(row["validation_score"]) for row in rows],
             "a class by its name and by its number")
report = evaluate("named", "--data.file=named.h5", f"--metrics={','.join(NAMED)}", "--predictions=named-out.h5")
with h5py.File("named-out.h5") as file:
    predicted, probabilities = file["labels"][:], file["probabilities"][:]
for name, label in (("f1:Below", 1), ("f1:1", 3)):
    right = ((predicted == label) & (labels == label)).sum()
    value = 2 * right / ((predicted == label).sum() + (labels == label).sum())
    checks.check(abs(report[name] - value) < 1e-12, f"evaluate: {name}", f"{report[name]} {value}")
best = numpy.argsort(-probabilities, axis=1, kind="stable")[:, :2]
checks.check(abs(report["top_k:2"] - (best == labels[:, None]).any(axis=1).mean()) < 1e-12, "evaluate: top_k:2")
run("quantile", "--data.file=values.h5", "--data.validation=0.2", "--search.metric=pinball:0.9",
    "--run.metrics=pinball:.1", "--search.train.learning_rate=1e-3, 1e-1", study=COMMON + ["--data.task=regression"])
trials = table("quantile", "trials")
checks.check(list(trials["mean_score"]) == sorted(trials["mean_score"]) and (trials["mean_pinball:.1"] > 0).all(),
             "the lowest pinball loss is first", str(trials))
for case, code, reason, *args in (
        ("a class that does not exist", 1, "named.h5' (it has no class 'middel'; its classes are"
         " 'low', 'Below', 'middle', '1' and 'high, very'). Use the name of a class, or a number from 0 to 4. Did "
         "you mean 'middle'?", "--search.metric=f1:middel"),
        ("a class number that does not exist", 1, "run.metrics = recall:5 does not fit", "--run.metrics=recall:5"),
        ("too many classes", 1, "named.h5' (it has 5 classes). Use a number of at most 5.", "--train.stop_on=top_k:6", "--train.patience=3"),
        ("one of the searched classes", 1, "train.stop_on = f1:7", "--search.train.stop_on=f1:0, f1:7",
         "--train.patience=3"),
        ("no class", 2, "f1:CLASS needs a class", "--run.metrics=f1"),
        ("top_k:0", 2, "top_k:N needs an integer of at least 1", "--search.metric=top_k:0"),
        ("pinball:2", 2, "pinball:Q needs a number between 0 and 1", "--search.metric=pinball:2"),
        ("pinball of classes", 2, "search.metric = pinball:0.5 does not apply", "--search.metric=pinball:0.5")):
    result = sheaf("run", "named.h5", "--run.output=refused", *args, ranks=2)
    checks.check(result.code == code and reason in result.stderr, case, result.stderr)
for case, code, reason, *args in (
        ("evaluate: a class that does not exist", 1, "--metrics = f1:9 does not fit model 'named' (it has no class '9'",
         "--metrics=f1:9"),
        ("evaluate: a metric of numbers", 2, "--metrics = pinball:0.5 does not apply", "--metrics=pinball:0.5"),
        ("evaluate: no metric", 2, "is not valid", "--metrics=f1")):
    result = sheaf("evaluate", "named", "--data.file=named.h5", *args)
    checks.check(result.code == code and reason in result.stderr, case, result.stderr)

# Two classes: a threshold of the probability of the positive one, and the table of the classes.
with h5py.File("two.h5", "w") as file, h5py.File("classes.h5") as classes:
    file["features"] = classes["features"][:]
    labels = (classes["targets"][:] > 2).astype(numpy.int64)
    file["targets"] = labels
    file["targets"].attrs["class_names"] = ["no", "yes"]
run("two", "--data.file=two.h5", "--data.validation=0.2", "--run.models=best", study=COMMON)
plain = evaluate("two", "--data.file=two.h5")
for positive, number, threshold in ((None, 1, 0.3), ("no", 0, 0.7), ("yes", 1, 0), ("no", 0, 0.5)):
    args = [f"--threshold={threshold}"] + ([] if positive is None else [f"--positive={positive}"])
    report = evaluate("two", "--data.file=two.h5", *args, "--predictions=two-out.h5", "--overwrite")
    with h5py.File("two-out.h5") as file:
        predicted, scores = file["labels"][:], file["probabilities"][:, number]
    checks.check(((predicted == number) == (scores >= threshold))[abs(scores - threshold) > 1e-6].all(),
                 f"labels with {args}")
    right = [int(((predicted == label) & (labels == label)).sum()) for label in (0, 1)]
    checks.check([row["class"] for row in report["classes"]] == ["no", "yes"] and
                 [row["rows"] for row in report["classes"]] == list(numpy.bincount(labels)) and
                 all(abs(row["recall"] * row["rows"] - right[label]) < 1e-9
                     for label, row in enumerate(report["classes"])) and
                 numpy.diag(report["confusion"]).tolist() == right and
                 abs(report["accuracy"] - sum(right) / len(labels)) < 1e-12, f"the classes with {args}", str(report))
    checks.check(report["log_loss"] == plain["log_loss"] and report["threshold"] == threshold and
                 report["positive"] == (positive or "yes"), f"the log loss with {args}", str(report))
    one_rank = {key: value for key, value in report.items() if key != "predictions"}
    checks.check(evaluate("two", "--data.file=two.h5", *args, ranks=2) == one_rank, f"two ranks with {args}")
checks.check("threshold" not in plain and "positive" not in plain, "no threshold")
text = sheaf("evaluate", "two", "--data.file=two.h5", "--threshold=0.25").stdout
checks.check("yes, from a probability of 0.25" in text and re.search(r"^class +precision +recall +F1 +rows$", text, re.M),
             "the report of a threshold", text)
result = sheaf("predict", "two", "two.h5", "two-out.csv", "--threshold=0.9")
checks.check(result.code == 0 and {row["prediction"] for row in read_csv("two-out.csv")} <=
             {"no", "yes"}, "predict with a threshold", result.stderr)
for case, code, reason, model, *args in (
        ("a threshold of five classes", 2, "--threshold needs two classes or several labels per row (model 'named' has 5 classes)", "named",
         "--data.file=named.h5", "--threshold=0.5"),
        ("a positive class of numbers", 2, "--positive needs two classes (model 'quantile' predicts numbers)", "quantile",
         "--data.file=values.h5", "--positive=1"),
        ("an unknown positive class", 1, "--positive = Yes does not fit model 'two' (it has no class 'Yes'; its classes "
         "are 'no' and 'yes').", "two", "--data.file=two.h5", "--positive=Yes"),
        ("a threshold above 1", 2, "--threshold = '1.5' is not valid", "two", "--data.file=two.h5", "--threshold=1.5")):
    result = sheaf("evaluate", model, *args)
    checks.check(result.code == code and reason in result.stderr, case, result.stderr)

for case, reason, *args in (
        ("huber_delta without huber", "train.huber_delta = 2 has no effect", "--train.huber_delta=2"),
        ("a metric of another task", "run.metrics = r2 does not apply", "--run.metrics=f1_macro, r2"),
        ("an unknown metric", "roc_auc", "--run.metrics=roc"),
        ("a metric twice", "different names", "--run.metrics=roc_auc,roc_auc"),
        ("log loss without probabilities", "needs probabilities", "--search.metric=log_loss", "--train.loss=mse"),
        ("no validation rows", "no validation rows", "--run.metrics=roc_auc", "--data.validation=0")):
    result = sheaf("run", *STUDY, "--run.output=refused", *args)
    checks.check(result.code == 2 and reason in result.stderr, case, result.stderr)
checks.check(not os.path.exists("refused"), "refused studies leave no directory")

# Targets far from 0 are stored without an offset, which relative errors must have.
values = numpy.random.default_rng(3).random((300, 3))
with h5py.File("far.h5", "w") as file:
    file["features"] = values.astype("f4")
    file["targets"] = 2459000 + 40 * values.sum(axis=1)
run("far", "--data.file=far.h5", "--data.validation=0.3", "--run.metrics=mae,mape", "--run.models=best", study=COMMON)
row = read_csv("far/results.csv")[0]
report = evaluate("far", "--data.file=far.h5")
for name, mae, mape in (("run", float(row["mae"]), float(row["mape"])),
                        ("evaluate", report["mae"], report["mape"])):
    checks.check(abs(mape * 2459060 / mae - 1) < 1e-4, f"{name}: relative errors of targets with an offset",
                 str((mae, mape)))
sys.exit(checks.finish())
