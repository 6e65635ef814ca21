"""`sheaf importance`: the importances are the differences of the metrics that `sheaf evaluate` has for files with
permuted columns, on any number of ranks and lanes; reports show them; invalid input gives one error line."""

import csv
import glob
import io
import json
import os
import re
import shutil
import signal
import sys
import time
import xml.etree.ElementTree

import h5py
import numpy

from draws import drawn_rows, permutation
from program import DIGITS, SHEAF, Checks, Started, launch, one_rank_each, sheaf

checks = Checks()
shutil.rmtree("importance", ignore_errors=True)
os.makedirs("importance")
os.chdir("importance")
COMMON = ["--run.device=cpu", "--run.progress=none"]
ROWS = 150
random = numpy.random.default_rng(3)


def run(*args, ranks=None):
    result = sheaf(*args, ranks=ranks)
    checks.check(result.code == 0, " ".join(args), result.stderr)
    return result.stdout


def importance(*args, ranks=None):
    text = run("importance", *args, "--output=json", ranks=ranks)
    return json.loads(text) if text else {}


def evaluate(model, file, *args):
    return json.loads(run("evaluate", model, f"--data.file={file}", "--output=json", *args))


def refused(case, code, reason, *args, ranks=3):
    """Checks for one error line: from 3 ranks for errors in files (code 1), without mpiexec for errors in arguments."""
    result = sheaf("importance", *args, ranks=ranks if code == 1 else None)
    lines = result.error_lines()
    checks.check(result.code == code and len(lines) == 1 and reason in lines[0] and not result.stdout,
                 f"{case}: exit code {code} and one error line", f"{result.code}\n{result.stderr}")


def differs(found, expected):
    return abs(found - expected) > 1e-12 + 1e-12 * abs(expected)


def check_against_evaluate(case, found, metric, baseline, permuted, larger_is_better):
    """`permuted`: {number of the feature: [the report of evaluate for each repeat]}."""
    sign = 1 if larger_is_better else -1
    checks.check(found["larger_is_better"] == larger_is_better and not differs(found["baseline"], baseline[metric]),
                 f"{case}: the baseline of {metric}", f"{found['baseline']} {baseline[metric]}")
    checks.check(sorted(feature["number"] for feature in found["features"]) == sorted(permuted),
                 f"{case}: all features, by {metric}", str(found["features"]))
    means = [feature["mean"] for feature in found["features"]]
    checks.check(means == sorted(means, reverse=True), f"{case}: the most important feature first", str(means))
    for feature in found["features"]:
        expected = [sign * (baseline[metric] - report[metric]) for report in permuted[feature["number"]]]
        checks.check(not any(map(differs, feature["values"], expected)) and len(feature["values"]) == len(expected) and
                     not differs(feature["mean"], numpy.mean(feature["values"])) and
                     not differs(feature["std"], numpy.std(feature["values"])),
                     f"{case}: {metric} of {feature['feature']}", f"{feature} {expected}")


def write_table(path, columns):
    with open(path, "w", newline="") as file:
        writer = csv.writer(file)
        writer.writerow(columns)
        writer.writerows(zip(*columns.values()))


def permuted_table(columns, number, seed, repeat):
    name = list(columns)[number]
    order = permutation(len(columns[name]), seed, number, repeat)
    return {**columns, name: [columns[name][row] for row in order]}


# ---- A classifier of a table: texts, empty cells, a column without importance, weights, an ensemble of trials

a, b, noise = random.normal(size=(3, ROWS)).round(6)
city = random.choice(["Oslo", "Rome", "Paris", ""], ROWS)
wins = a + 2 * (city == "Rome") - b + random.normal(size=ROWS) * 0.3 > 0.4
table = {"a": a.tolist(), "b": ["" if row % 30 == 0 else value for row, value in enumerate(b.tolist())],
         "city": city.tolist(), "noise": noise.tolist(), "constant": [7] * ROWS}
others = {"weight": random.integers(0, 4, ROWS).tolist(), "result": ["win" if won else "loss" for won in wins]}
write_table("table.csv", {**table, **others})
run("import", "table.csv", "table.h5", "--drop=weight")
run("run", "table.h5", *COMMON, "--search.method=grid", "--search.train.learning_rate=1e-2,1e-1", "--search.folds=2",
    "--train.epochs=20", "--search.metric=roc_auc", "--run.output=table")

WEIGHTED = "--weights=weight"
for kind, weights in (("ensemble", []), ("best", [WEIGHTED])):
    options = [f"--model={kind}", *weights]
    baseline = evaluate("table", "table.csv", *options)
    permuted = {}
    for number in range(len(table)):
        for repeat in range(2):
            write_table("permuted.csv", {**permuted_table(table, number, 5, repeat), **others})
            permuted.setdefault(number, []).append(evaluate("table", "permuted.csv", *options, "--metrics=f1:win"))
    baseline = evaluate("table", "table.csv", *options, "--metrics=f1:win")
    for metric in ("accuracy", "log_loss", "roc_auc", "f1:win", "loss"):
        arguments = ["table", "table.csv", *options, f"--metric={metric}", "--repeats=2", "--seed=5"]
        found = importance(*arguments)
        check_against_evaluate(f"{kind} {weights}", found, metric, baseline, permuted, metric not in ("log_loss", "loss"))
        checks.check(found["models_kind"] == kind and found["weights"] == ("weight" if weights else None) and
                     found["repeats"] == 2 and found["seed"] == 5 and found["rows"] == ROWS and
                     len(found["models"]) == len(baseline["models"]), f"{kind}: what was computed", str(found))
        constant = [feature for feature in found["features"] if feature["feature"] == "constant"]
        checks.check([feature["values"] for feature in constant] == [[0, 0]], f"{kind}: a constant column has none",
                     str(constant))
found = importance("table", "table.csv")
checks.check({feature["feature"] for feature in found["features"][:3]} == {"a", "city", "b"},
             "the columns that decide are the most important", str(found["features"]))
checks.check(found["metric"] == "roc_auc" and found["metric_label"] == "ROC AUC" and found["repeats"] == 5,
             "the metric of the run is the default", str(found))
checks.check(importance(found["models"][0], "table.csv")["metric"] == "accuracy",
             "a model file has the metric of its task")
checks.check(importance("table", "table.csv", "--seed=1")["features"] != found["features"], "the seed decides")

# Ranks, lanes and file formats: the same bytes.
for metric in ("roc_auc", "accuracy", "loss"):
    texts = {}
    for file in ("table.csv", "table.h5"):
        for ranks, lanes in ((None, 1), (1, 2), (2, 1), (3, 2)):
            text = run("importance", "table", file, f"--metric={metric}", f"--run.lanes={lanes}", "--output=json",
                       ranks=ranks)
            texts.setdefault(text.replace("table.h5", "table.csv"), []).append((file, ranks, lanes))
    checks.check(len(texts) == 1, f"{metric}: the same numbers for any number of ranks and lanes", str(texts))

# A part of the rows.
rows = drawn_rows(ROWS, 60, 9)
write_table("part.csv", {name: [values[row] for row in rows] for name, values in {**table, **others}.items()})
part, drawn = importance("table", "part.csv", "--seed=9"), importance("table", "table.csv", "--rows=60", "--seed=9", ranks=2)
checks.check(part["features"] == drawn["features"] and drawn["rows"] == 60 and drawn["file_rows"] == ROWS and
             part["file_rows"] == 60, "rows that are drawn", f"{part}\n{drawn}")
checks.check(importance("table", "table.h5", "--rows=60", "--seed=9", "--run.lanes=2")["features"] == drawn["features"],
             "rows that are drawn from HDF5")
checks.check(importance("table", "table.csv", "--rows=1000")["features"] == found["features"], "fewer rows than --rows")

# Text and CSV.
text = run("importance", "table", "table.csv")
for part in ("model        ensemble of 2", "'table.csv', 150 rows", "metric       ROC AUC 0.", "5 of each feature, seed 0",
             "feature   importance       std\n"):
    checks.check(part in text, f"the text has '{part}'", text)
lines = list(csv.DictReader(io.StringIO(run("importance", "table", "table.csv", "--output=csv"))))
checks.check([(line["feature"], float(line["importance"]), float(line["std"])) for line in lines] ==
             [(feature["feature"], feature["mean"], feature["std"]) for feature in found["features"]], "the table as CSV",
             str(lines))

# ---- Regression: two targets; quantiles; features without names

features = random.normal(size=(ROWS, 3)).astype("f4")
targets = (features @ random.normal(size=(3, 2)) + random.normal(size=(ROWS, 2)) * 0.1).astype("f4")
weights = random.random(ROWS).astype("f4")


def write_arrays(path, features, targets):
    with h5py.File(path, "w") as file:
        file["features"], file["targets"], file["weights"] = features, targets, weights


write_arrays("numbers.h5", features, targets)
write_arrays("one.h5", features, targets[:, 0])
run("run", "numbers.h5", *COMMON, "--run.output=numbers", "--train.epochs=10")
run("run", "one.h5", *COMMON, "--run.output=quantiles", "--train.loss=quantile", "--train.quantiles=0.1,0.5,0.9",
    "--train.epochs=10")
for model, of_targets, metrics in (("numbers", targets, ("r2", "mae", "rmse", "median_ae", "loss")),
                                   ("quantiles", targets[:, 0], ("mean_pinball", "r2", "median_ae"))):
    file = "numbers.h5" if model == "numbers" else "one.h5"
    for options in ([], ["--data.weights=weights"]):
        baseline, permuted = evaluate(model, file, *options), {}
        for number in range(3):
            for repeat in range(2):
                changed = features.copy()
                changed[:, number] = features[permutation(ROWS, 0, number, repeat), number]
                write_arrays("permuted.h5", changed, of_targets)
                permuted.setdefault(number, []).append(evaluate(model, "permuted.h5", *options))
        for metric in metrics:
            found = importance(model, file, *options, f"--metric={metric}", "--repeats=2")
            check_against_evaluate(f"{model} {options}", found, metric, baseline, permuted, metric == "r2")
checks.check({feature["feature"] for feature in found["features"]} == {"feature 0", "feature 1", "feature 2"},
             "features without names", str(found["features"]))
checks.check(importance("numbers", "numbers.h5")["metric"] == "r2" and
             importance("quantiles", "one.h5")["metric"] == "mean_pinball", "the metric of a regression")

# ---- Images: each channel is permuted as a whole

images = random.normal(size=(ROWS, 2, 4, 4)).astype("f4")
labels = (images[:, 1].mean(axis=(1, 2)) > 0).astype("i8")
with h5py.File("images.h5", "w") as file:
    file["features"], file["targets"] = images, labels
run("run", "images.h5", *COMMON, "--model.kind=mlp", "--train.epochs=20", "--run.output=images", "--data.channels=first")
found, baseline, permuted = importance("images", "images.h5", "--repeats=2", "--metric=log_loss", "--data.channels=first"), {}, {}
baseline = evaluate("images", "images.h5", "--data.channels=first")
for number in range(2):
    for repeat in range(2):
        changed = images.copy()
        changed[:, number] = images[permutation(ROWS, 0, number, repeat), number]
        with h5py.File("permuted.h5", "w") as file:
            file["features"], file["targets"] = changed, labels
        permuted.setdefault(number, []).append(evaluate("images", "permuted.h5", "--data.channels=first"))
check_against_evaluate("images", found, "log_loss", baseline, permuted, False)
checks.check([feature["feature"] for feature in found["features"]] == ["channel 1", "channel 0"], "the channels", str(found))
with h5py.File("last.h5", "w") as file:
    file["features"], file["targets"] = images.transpose(0, 2, 3, 1), labels
last = importance("images", "last.h5", "--repeats=2", "--metric=log_loss", "--data.channels=last")
checks.check(last["features"] == found["features"], "channels that are the last dimension", str(last))
with h5py.File("gray.h5", "w") as file:
    file["features"], file["targets"] = images[:, :1], labels
run("run", "gray.h5", *COMMON, "--model.kind=mlp", "--train.epochs=1", "--run.output=gray", "--data.channels=first")
refused("images with one channel", 1, "columns, or images with several channels (rows of 'gray.h5' have the shape 1x4x4",
        "gray", "gray.h5", "--data.channels=first")

# ---- Several labels per row

several = numpy.stack([features[:, 0] > 0, features[:, 1] > 0], axis=1).astype("f4")
write_arrays("labels.h5", features, several)
run("run", "labels.h5", *COMMON, "--data.task=multilabel", "--train.epochs=10", "--run.output=labels")
found, baseline, permuted = importance("labels", "labels.h5", "--metric=hamming_loss", "--repeats=1"), {}, {}
for number in range(3):
    changed = features.copy()
    changed[:, number] = features[permutation(ROWS, 0, number, 0), number]
    write_arrays("permuted.h5", changed, several)
    permuted[number] = [evaluate("labels", "permuted.h5")]
check_against_evaluate("several labels", found, "hamming_loss", evaluate("labels", "labels.h5"), permuted, False)

# ---- Stored importances in reports

def report(*args):
    return run("report", "table", *args)


def page():
    report("--html=page.html", "--pictures=pictures", "--overwrite")
    with open("page.html") as file:
        return file.read()


checks.check("sheaf importance table DATA --save computes it" in page() and "Importance of the features:" not in report()
             and json.loads(report("--format=json"))["feature_importance"] is None and
             not os.path.exists("pictures/feature-importance.svg"), "a run without importances")
saved = importance("table", "table.csv", "--save", ranks=2)
with open("table/importance.json") as file:
    checks.check(json.load(file) == saved, "the stored importances are the printed ones")
checks.check(json.loads(report("--format=json"))["feature_importance"] == saved, "the report as JSON has them")
text = report()
checks.check(re.search(r"Importance of the features: how much worse ROC AUC gets .*\nROC AUC 0\.\d+ without permutations; 'table.csv' "
                       r"\(150 rows\); 5 permutations of each feature; ensemble of 2, .*\nfeature   importance     std\n", text) and
             all(re.search(rf"\n{feature['feature']} +{feature['mean']:.4f}  {feature['std']:.4f}\n", text)
                 for feature in saved["features"]), "the report as text has them", text)
text = page()
picture = re.search(r'<svg[^>]*feature-importance.*?</svg>', text, re.DOTALL)
for feature in saved["features"]:
    checks.check(picture and f"{feature['feature']}: {feature['mean']:.4f} ± {feature['std']:.4f}" in picture.group(),
                 f"the picture has {feature['feature']}", picture.group() if picture else text[:300])
checks.check("--save computes it" not in text and 'href="#features"' in text and
             xml.etree.ElementTree.parse("pictures/feature-importance.svg") is not None, "the page has the picture")
importance("table", "table.csv", "--save", "--metric=accuracy", "--repeats=1")
checks.check(json.loads(report("--format=json"))["feature_importance"]["metric"] == "accuracy", "later ones replace them")
with open("table/importance.json", "w") as file:
    file.write('{"models": []}')
result = sheaf("report", "table")
checks.check(result.code == 0 and "'table/importance.json' is damaged" in result.stderr and
             "Importance of the features:" not in result.stdout, "a damaged file is left out", result.stderr)

# Many features, of which some have negative importances.
run("run", DIGITS, *COMMON, "--train.epochs=2", "--model.hidden=8", "--run.output=digits", "--study.iterations=2")
saved = importance("digits", DIGITS, "--save", "--rows=300")
checks.check(len(saved["features"]) == 64 and saved["features"][-1]["mean"] < 0, "many features", str(saved)[:300])
text = run("report", "digits")
checks.check("... and 44 other features in importance.json" in text, "the text has the most important ones", text)
run("report", "digits", "--html=digits.html")
with open("digits.html") as file:
    checks.check("The other 34 features are in importance.json." in file.read(), "the page has the most important ones")

# More training makes them obsolete.
run("resume", "digits", "--study.iterations=3")
checks.check(not os.path.exists("digits/importance.json"), "an extended run has no importances of earlier models")

# ---- What is refused

refused("no data file", 2, "takes a model and a data file (it got 1 argument)", "table")
refused("an unknown metric", 2, "--metric = 'accuracies' is not valid", "table", "table.csv", "--metric=accuracies")
refused("no repeats", 2, "--repeats = '0' is not valid", "table", "table.csv", "--repeats=0")
refused("one row", 2, "--rows = '1' is not valid", "table", "table.csv", "--rows=1")
refused("an unknown option", 2, "--shuffles", "table", "table.csv", "--shuffles=3")
refused("a metric of another task", 2, "--metric = r2 does not apply to model 'table' (it predicts classes)", "table",
        "table.csv", "--metric=r2")
refused("a class that does not exist", 1, "draw", "table", "table.csv", "--metric=f1:draw")
refused("a metric that needs probabilities", 2, "--metric = accuracy does not apply to model 'numbers'", "numbers",
        "numbers.h5", "--metric=accuracy")
refused("a quantile that the model does not have", 2, "--metric", "quantiles", "one.h5", "--metric=pinball:0.7")
write_table("narrow.csv", {"a": table["a"], **others})
refused("missing columns", 1, "'narrow.csv'", "table", "narrow.csv")
write_table("untargeted.csv", table)
refused("no targets in CSV", 1, "'untargeted.csv' has no targets, which the importance of features needs. Select the targets "
        "with --label.", "table", "untargeted.csv")
with h5py.File("untargeted.h5", "w") as file:
    file["features"] = features
refused("no targets in HDF5", 1, "'untargeted.h5' has no targets, which the importance of features needs. Select the targets "
        "with --data.targets.", "numbers", "untargeted.h5")
numpy.save("only.npy", features)
refused("no targets in NumPy", 1, "'only.npy' has no targets, which the importance of features needs. Store features and "
        "targets as X and y of a .npz file.", "numbers", "only.npy")
write_table("single.csv", {name: values[:1] for name, values in {**table, **others}.items()})
refused("a file with one row", 1, "'single.csv' has 1 row (with one row there is nothing to permute)", "table", "single.csv")
write_table("unweighted.csv", {**table, **others, "weight": [0] * ROWS})
refused("weights that are 0", 1, "All weights in 'weight' are 0", "table", "unweighted.csv", WEIGHTED)
write_table("wins.csv", {**table, **others, "result": ["win"] * ROWS})
refused("a metric that is not defined", 1, "ROC AUC is not defined for classes without rows of 'wins.csv'", "table", "wins.csv")
refused("data of another task", 1, "takes 5 features per row (the data have 3)", "table", "numbers.h5")
refused("a missing run", 1, "'missing' does not exist", "missing", "table.csv")
refused("a missing file", 1, "missing.csv", "table", "missing.csv")
refused("--save of a model file", 2, "--save requires a run directory", saved["models"][0], DIGITS, "--save")
refused("--model of a model file", 2, "--model = best requires a run directory", saved["models"][0], DIGITS, "--model=best")
with h5py.File("large.h5", "w") as file:
    file["features"], file["targets"] = numpy.tile(features, (600, 1)), numpy.tile(targets, (600, 1))
refused("rows that do not fit", 1, "90000 rows of 'large.h5' do not fit into memory (3.8 MiB for the rows and 3 lanes; the "
        "limit is 1.0 MiB)", "numbers", "large.h5", "--data.memory=1", "--run.lanes=1")
refused("outputs that do not fit", 1, "do not fit into memory", "numbers", "large.h5", "--data.memory=4", "--run.lanes=1",
        "--metric=median_ae")
checks.check(len(importance("numbers", "large.h5", "--data.memory=4", "--run.lanes=1", "--repeats=1")["features"]) == 3,
             "without them they do")
checks.check(importance("numbers", "large.h5", "--data.memory=1", "--rows=1000")["rows"] == 1000, "a part of them fits")
broken = features.copy()
broken[7, 1] = numpy.inf
write_arrays("infinite.h5", broken, targets)
refused("an infinite feature", 1, "row 7, column 1", "numbers", "infinite.h5")
checks.check(not glob.glob("*/*.partial"), "no unfinished files", str(glob.glob("*/*.partial")))

# A file that one rank does not see.
for name in ("here", "elsewhere"):
    shutil.copytree("labels", f"{name}/labels")
for file in ("table.csv", "labels.h5"):
    shutil.copy(file, "here")
    here, elsewhere = (["sh", "-c", f"cd {folder}; exec {SHEAF} importance labels {file}"] for folder in ("here", "elsewhere"))
    result = launch(one_rank_each(here, here, elsewhere))
    checks.check(result.code == 1 and len(result.error_lines()) == 1 and file in result.error_lines()[0] and
                 "traceback" not in result.stderr, f"{file} is missing on one rank", f"{result.code}\n{result.stderr}")

# An interrupt ends the program at once, and leaves no unfinished file.
result = sheaf("run", DIGITS, "--train.epochs=1", "--model.hidden=8", "--run.output=many")
checks.check(result.code == 0, "a run with many features", result.stderr)
job = Started([SHEAF, "importance", "many", DIGITS, "--repeats=10000", "--save"])
time.sleep(1)
os.kill(job.process.pid, signal.SIGINT)
result = job.finish()
checks.check(result.code == -signal.SIGINT and not glob.glob("many/*.partial") and
             not os.path.exists("many/importance.json"), "an interrupt", f"{result.code}\n{result.stdout}")

sys.exit(checks.finish())
