"""Multi-label classification: targets [rows, labels] of 0 and 1 from HDF5, CSV and NumPy, with both engines, in memory and
streamed, for any number of ranks: losses, metrics, predictions and evaluations agree with those computed from the
probabilities. What does not fit several labels per row is refused before anything is written."""

import json
import os
import shutil
import sys

import h5py
import numpy

from program import Checks, read_csv, sheaf

checks = Checks()
shutil.rmtree("multilabel", ignore_errors=True)
os.makedirs("multilabel")
os.chdir("multilabel")

LABELS = ["rain", "wind", "snow"]
METRICS = ["accuracy", "hamming_loss", "f1_macro", "f1_micro", "f1_weighted", "precision_macro", "precision_micro",
           "precision_weighted", "recall_macro", "recall_micro", "recall_weighted", "log_loss", "brier", "roc_auc",
           "roc_auc_weighted", "average_precision", "average_precision_weighted"]

rng = numpy.random.default_rng(3)
features = rng.normal(size=(600, 5)).astype("f4")
scores = features @ rng.normal(size=(5, 3)) + 0.3 * rng.normal(size=(600, 3)) - [0, 0.5, 1]
targets = (scores > 0).astype("i1")
targets[:2] = [[1, 1, 0], [0, 0, 0]]


def write(path, values, names=LABELS, **attributes):
    with h5py.File(path, "w") as file:
        file["features"] = features[:len(values)]
        file["targets"] = values
        if names:
            file["targets"].attrs["target_names"] = names
        for name, value in attributes.items():
            file["targets"].attrs[name] = value


def write_csv(path, values, head=LABELS):
    with open(path, "w") as file:
        file.write(",".join([f"x{number}" for number in range(5)] + head) + "\n")
        for row, labels in zip(features, values):
            file.write(",".join([repr(float(value)) for value in row] + [str(label) for label in labels]) + "\n")


def run(output, *args, ranks=None):
    result = sheaf("run", f"--run.output={output}", "--run.device=cpu", "--run.progress=none", *args, ranks=ranks)
    checks.check(result.code == 0, f"{output}: the run succeeds", result.stderr)
    return result


def evaluate(*args, ranks=None):
    result = sheaf("evaluate", *args, "--output=json", ranks=ranks)
    checks.check(result.code == 0, f"evaluate {' '.join(args)}", result.stderr)
    return {key: value for key, value in json.loads(result.stdout or "{}").items() if "second" not in key}


def predicted(model, *args):
    result = sheaf("predict", model, "all.h5", "predicted.h5", "--overwrite", *args)
    checks.check(result.code == 0, f"predict {model}", result.stderr)
    with h5py.File("predicted.h5") as file:
        return file["probabilities"][:].astype(float), file["labels"][:]


def area(of_label, scores):
    one, other = scores[of_label][:, None], scores[~of_label][None, :]
    return ((one > other) + 0.5 * (one == other)).mean()


def expected(probabilities, truth, threshold=0.5):
    found, truth = probabilities >= threshold, truth == 1
    right, both = (found & truth).sum(axis=0), found.sum(axis=0) + truth.sum(axis=0)
    areas = numpy.array([area(truth[:, label], probabilities[:, label]) for label in range(truth.shape[1])])
    return {"accuracy": (found == truth).all(axis=1).mean(), "hamming_loss": (found != truth).mean(),
            "f1_macro": (2 * right / both).mean(), "f1_micro": 2 * right.sum() / both.sum(),
            "f1_weighted": numpy.average(2 * right / both, weights=truth.sum(axis=0)),
            "recall_micro": right.sum() / truth.sum(), "precision_micro": right.sum() / found.sum(),
            "log_loss": -numpy.log(numpy.where(truth, probabilities, 1 - probabilities)).mean(),
            "brier": ((truth - probabilities) ** 2).mean(), "roc_auc": areas.mean(),
            "roc_auc_weighted": numpy.average(areas, weights=truth.sum(axis=0)), "f1:snow": 2 * right[2] / both[2]}


def agree(found, wanted, tolerance=1e-6):
    return all(abs(found[name] - value) < tolerance for name, value in wanted.items())


# Any numbers of 0 and 1 that are not one-hot are labels, and the log says so.
for kind in ("i1", "?", "f4", "f8", "i8"):
    write("all.h5", targets.astype(kind))
    result = sheaf("plan", "all.h5")
    checks.check(result.code == 0 and "data.task = multilabel" in result.stderr and "train.loss = bce" in result.stderr and
                 "the targets are 0 and 1 in 3 columns: multi-label classification" in result.stderr and
                 "3 labels" in result.stdout, f"targets of type {kind}", result.stderr + result.stdout)
    os.rename("all.h5", f"all-{kind}.h5")
one_hot = numpy.eye(3, dtype="i1")[numpy.arange(600) % 3]
write("all.h5", targets)
write("one_hot.h5", one_hot)
write("said.h5", one_hot, task="multilabel")
for args, words in ((("one_hot.h5",), "classification with 3 classes"), (("said.h5",), "multi-label classification"),
                    (("one_hot.h5", "--data.task=multilabel"), "train.loss = bce"),
                    (("all.h5", "--data.task=regression"), "train.loss = mse")):
    result = sheaf("plan", *args)
    checks.check(result.code == 0 and words in result.stderr, f"plan {args}", result.stderr)

# Both engines, any number of ranks, streamed rows: the losses are the mean of the binary cross entropies.
STUDY = ["--data.test=0.25", "--data.validation=0.2", "--train.epochs=8", "--train.learning_rate=0.01",
         "--model.kind=mlp", "--model.hidden=8", f"--run.metrics={','.join(METRICS)},f1:snow", "--run.curves=false"]
rows = {}
for output, options, ranks in (("native", ["--run.engine=native"], None), ("ranks", ["--run.engine=native"], 2),
                               ("torch", ["--run.engine=torch"], None), ("floats", [], None)):
    file = "all-f8.h5" if output == "floats" else "all.h5"
    result = run(output, file, *STUDY, *options, ranks=ranks)
    rows[output] = read_csv(f"{output}/results.csv")[0]
    checks.check(float(rows[output]["validation_loss"]) < 0.6 and float(rows[output]["accuracy"]) > 0.2,
                 f"{output} has learned", str(rows[output]))
    checks.check(float(rows[output]["validation_score"]) == float(rows[output]["accuracy"]), f"{output}: the score")
values = ["final_loss", "validation_loss"] + METRICS + ["f1:snow"]
for other in ("ranks", "floats"):
    checks.check([rows["native"][name] for name in values] == [rows[other][name] for name in values],
                 f"the results of {other} are the same", f"{rows['native']} {rows[other]}")
checks.check(agree({name: float(rows["torch"][name]) for name in values},
                   {name: float(rows["native"][name]) for name in ("final_loss", "validation_loss", "brier")}, 1e-4),
             "both engines agree", f"{rows['native']} {rows['torch']}")
with open("native/summary.json") as file:
    test = json.load(file)["test"]
checks.check(test["rows"] == 150 and set(METRICS) <= set(test["metrics"]) and "matthews" not in test["metrics"],
             "the test rows have all metrics", str(test))
streamed = run("streamed", "all.h5", "--data.mode=streamed", "--data.memory=1", "--train.epochs=3", "--train.learning_rate=0.01",
               f"--run.metrics={','.join(METRICS)}", "--run.models=best")
checks.check("is streamed" in streamed.stderr and float(read_csv("streamed/results.csv")[0]["hamming_loss"]) < 0.4,
             "streamed labels", streamed.stderr)

# Predictions and evaluations.
for model in ("native", "torch"):
    probabilities, labels = predicted(model)
    checks.check(labels.shape == (600, 3) and (labels == (probabilities >= 0.5)).all(), f"{model}: labels of a file")
    found = evaluate(model, "--data.file=all.h5", "--metrics=f1:snow")
    wanted = expected(probabilities, targets)
    checks.check(agree(found, wanted) and abs(found["loss"] - wanted["log_loss"]) < 1e-6 and
                 [row["label"] for row in found["labels"]] == LABELS and
                 [row["rows"] for row in found["labels"]] == list(targets.sum(axis=0)) and
                 abs(found["labels"][2]["f1"] - wanted["f1:snow"]) < 1e-9 and "confusion" not in found,
                 f"{model}: the evaluation", f"{found} {wanted}")
checks.check(evaluate("native", "--data.file=all.h5", ranks=2) == evaluate("native", "--data.file=all.h5"),
             "an evaluation on two ranks is the same")
found = evaluate("native", "--data.file=all.h5", "--threshold=0.3")
checks.check(agree(found, {name: value for name, value in expected(predicted("native")[0], targets, 0.3).items()
                           if name in found}) and found["threshold"] == 0.3, "a threshold for all labels", str(found))
checks.check((predicted("native", "--threshold=0.3")[1] == (predicted("native")[0] >= 0.3)).all(), "its predictions")
text = sheaf("evaluate", "native", "--data.file=all.h5").stdout
checks.check("Hamming loss" in text and "label  precision" in text and "snow" in text and "label   as" not in text,
             "the table of the labels", text)

# CSV: columns of 0 and 1, or of words with --task, and the predictions as a table.
write_csv("train.csv", targets)
write_csv("words.csv", numpy.where(targets == 1, "Yes", "no"))
imported = {}
for name, options in (("train", []), ("words", ["--task=multilabel"]), ("numbers", ["--task=regression"])):
    source = "train.csv" if name == "numbers" else f"{name}.csv"
    result = sheaf("import", source, f"{name}.h5", f"--label={','.join(LABELS)}", *options)
    checks.check(result.code == 0, f"import {name}", result.stderr)
    with h5py.File(f"{name}.h5") as file:
        checks.check((file["targets"][:] == targets).all() and list(file["targets"].attrs["target_names"]) == LABELS,
                     f"the labels of {name}")
        imported[name] = file["targets"].dtype, "task" in file["targets"].attrs, result.stderr + result.stdout
checks.check(imported["train"][0] == "u1" and "multi-label classification (--task=regression" in imported["train"][2] and
             "3 labels" in imported["train"][2] and imported["words"][:2] == ("u1", True) and
             imported["numbers"][:2] == ("f4", False), "what the import has chosen", str(imported))
write_csv("one_hot.csv", one_hot)
for task, words in (([], "classification with 3 classes"), (["--task=multilabel"], "multi-label classification")):
    said = sheaf("import", "one_hot.csv", "said-2.h5", f"--label={','.join(LABELS)}", "--overwrite", *task)
    checks.check(words in said.stderr + sheaf("plan", "said-2.h5").stderr, f"one-hot columns of a table, {task}")
run("table", "train.h5", "--train.epochs=5")
found = {ranks: evaluate("table", "--data.file=train.csv", ranks=ranks) for ranks in (None, 2)}
from_file = evaluate("table", "--data.file=train.h5")
checks.check(found[None] == found[2] and agree(found[None], {name: from_file[name] for name in METRICS}, 1e-12),
             "evaluation of a table", f"{found} {from_file}")
result = sheaf("predict", "table", "train.csv", "predicted.csv")
table = read_csv("predicted.csv")
checks.check(list(table[0]) == LABELS + [f"probability_{label}" for label in LABELS] and all(
    row[label] == str(int(float(row[f"probability_{label}"]) >= 0.5)) for row in table for label in LABELS),
    "predictions as a table", result.stderr + str(table[0]))
numpy.save("X.npy", features)
numpy.save("y.npy", targets)
result = sheaf("import", "X.npy", "y.npy", "arrays.h5")
checks.check("multi-label classification" in result.stderr and "3 labels" in result.stdout, "NumPy arrays", result.stderr)
numpy.savez("arrays.npz", X=features, y=targets)
checks.check(agree(evaluate("native", "--data.file=arrays.npz"), {"accuracy": evaluate("native", "--data.file=all.h5")["accuracy"]}),
             "an .npz file")

# Searches, ensembles and resumed runs.
result = run("search", "all.h5", "--search.folds=3", "--search.train.learning_rate=1e-2, 1e-5", "--train.epochs=3",
             "--search.metric=f1:snow")
checks.check("mean F1 (snow)" in result.stdout and "Best: train.learning_rate = 0.01" in result.stdout, "a search",
             result.stdout)
result = run("ensemble", "all.h5", "--ensemble.members=3", "--data.validation=0.2", "--train.epochs=8",
             "--run.metrics=log_loss")
with h5py.File("ensemble/results.h5") as file:
    one = file["ensembles"][0]
members = [float(row["log_loss"]) for row in read_csv("ensemble/results.csv")]
checks.check(0 < one["log_loss"] < sum(members) / 3, "the mean of three models has the better log loss",
             f"{one} {members}")
checks.check(evaluate("ensemble", "--data.file=all.h5")["log_loss"] < 0.6, "an ensemble is evaluated")
resumed = sheaf("resume", "native")
checks.check(resumed.code == 0, "a finished run is resumed", resumed.stderr)
checks.check(sheaf("status", "native").code == 0, "its status")

# What does not fit is refused, in one sentence and before anything is written.
with open("study.cfg", "w") as study_file:
    study_file.write("[study]\n")
write("bad.h5", targets + (numpy.arange(600) == 77)[:, None])
write("names.h5", targets, names=["a", "b"])
write("classes.h5", targets, names=[], class_names=LABELS)
for args, words in ((["all.h5", "--train.loss=cross_entropy"], "does not fit data.task = multilabel"),
                    (["all.h5", "--train.loss=mse"], "does not fit data.task = multilabel"),
                    (["all.h5", "--train.class_weights=balanced"], "train.class_weights = balanced has no effect"),
                    (["all.h5", "--train.label_smoothing=0.1"], "train.label_smoothing = 0.1 has no effect"),
                    (["all.h5", "--search.metric=matthews"], "search.metric = matthews does not apply to multilabel"),
                    (["all.h5", "--run.metrics=top_k:2"], "run.metrics = top_k:2 does not apply to multilabel"),
                    (["all.h5", "--run.metrics=f1:hail"], "it has no class 'hail'"),
                    (["all.h5", "--data.task=classification"], "Store one label per row, or set data.task = multilabel"),
                    (["all.h5", "--data.classes=3"], "set data.task = multilabel without data.classes"),
                    (["bad.h5", "--data.task=multilabel"], "has another value than 0 and 1 in row 77"),
                    (["names.h5"], "has 3 labels, but its attribute target_names has 2 names"),
                    (["classes.h5"], "Name the attribute target_names"),
                    (["study.cfg", "--data.source=synthetic", "--data.task=multilabel"], "data.task = multilabel needs a data file")):
    result = sheaf("run", *args, "--run.output=refused")
    checks.check(result.code in (1, 2) and words in result.stderr and len(result.error_lines()) == 1 and
                 not os.path.exists("refused"), f"{args} is refused", result.stderr)
write_csv("three.csv", targets + (numpy.arange(600) == 77)[:, None] * 2)
write("other.h5", targets[:, ::-1], names=LABELS[::-1])
for args, words in ((["evaluate", "native", "--data.file=bad.h5"], "(labels are 0 or 1)"),
                    (["evaluate", "native", "--data.file=other.h5"], "Store the targets in the order of the model"),
                    (["evaluate", "native", "--data.file=all.h5", "--positive=rain"], "--positive needs two classes"),
                    (["evaluate", "native", "--data.file=all.h5", "--loss=cross_entropy"], "--loss = cross_entropy"),
                    (["evaluate", "native", "--data.file=all.h5", "--metrics=top_k:2"], "it predicts labels"),
                    (["import", "three.csv", "three.h5", f"--label={','.join(LABELS)}", "--task=multilabel"],
                     "(labels are 0 or 1, no or yes, false or true)"),
                    (["import", "train.csv", "three.h5", "--label=rain", "--task=multilabel"],
                     "needs several label columns")):
    result = sheaf(*args)
    checks.check(result.code in (1, 2) and words in result.stderr and not os.path.exists("three.h5"),
                 f"{args} is refused", result.stderr)

# Labels as words are recognized without a task; one-hot columns are classes with the names of the columns.
def write_table(path, header, rows):
    with open(path, "w") as table:
        table.write("\n".join([header, *(",".join(map(str, row)) for row in rows)]) + "\n")

words = numpy.where(targets != 0, "yes", "no")
write_table("yes.csv", "x,y,z," + ",".join(LABELS), [(*row[:3], *word) for row, word in zip(features, words)])
result = sheaf("import", "yes.csv", "yes.h5", "--label=" + ",".join(LABELS))
with h5py.File("yes.h5") as file:
    checks.check(result.code == 0 and (file["targets"][:] == targets).all() and "multi-label" in result.stderr,
                 "labels as words", result.stderr)
kinds = numpy.eye(3, dtype=int)[(features[:, 0] > 0).astype(int) + (features[:, 1] > 0)]
write_table("kinds.csv", "x,y,z,low,middle,high", [(*row[:3], *kind) for row, kind in zip(features, kinds)])
write_table("turned.csv", "high,low,middle,z,y,x", [(*kind[[2, 0, 1]], *row[2::-1]) for row, kind in zip(features, kinds)])
result = sheaf("import", "kinds.csv", "kinds.h5", "--label=low,middle,high")
checks.check(result.code == 0 and "the targets are one-hot: classification with 3 classes" in result.stderr,
             "one-hot columns are classes", result.stderr)
result = run("kinds", "kinds.h5", "--train.epochs=40", "--run.models=best", "--run.metrics=f1:high")
checks.check(result.code == 0, "classes of one-hot columns have names", result.stderr)
values = []
for file in ("kinds.h5", "kinds.csv", "turned.csv"):
    result = sheaf("evaluate", "kinds", f"--data.file={file}", "--output=json")
    values.append(json.loads(result.stdout or "{}").get("loss") if result.code == 0 else result.stderr)
checks.check(len(set(values)) == 1 and values[0] < 0.5, "one-hot columns in any order", str(values))
result = sheaf("predict", "kinds", "turned.csv", "kinds-out.csv")
with open("kinds-out.csv") as table:
    header = table.readline()
checks.check(result.code == 0 and "low" in header, "predictions of one-hot columns", header + result.stderr)

# Validation and test rows in files of their own, also if all of their rows look one-hot.
write("first.h5", targets[:400])
with h5py.File("held.h5", "w") as file:
    file["features"], file["targets"] = features[400:], numpy.eye(3, dtype="i1")[numpy.arange(200) % 3]
    file["targets"].attrs["target_names"] = LABELS
for ranks in (None, 2):
    result = run(f"files-{ranks}", "first.h5", "--data.validation_file=held.h5", "--train.epochs=3", ranks=ranks)
    with h5py.File(f"files-{ranks}/results.h5") as file:
        held_out = file["predictions"][:]
    checks.check((held_out["row"] == numpy.arange(200)).all() and (held_out["targets"].sum(axis=1) == 1).all(),
                 "labels of a validation file, with their rows in it")
for name, values, reason in (("twos.h5", 2 * targets[400:], "has another value than 0 and 1 in row"),
                             ("numbers.h5", targets[400:, 0], "does not have several labels per row")):
    write(name, values, names=None)
    for ranks in (None, 2):
        result = sheaf("run", "first.h5", f"--data.test_file={name}", "--data.task=multilabel", "--run.output=refused",
                       ranks=ranks)
        checks.check(result.code == 1 and reason in result.stderr and not os.path.exists("refused"),
                     f"a test file with other targets: {name}", result.stderr)
sys.exit(checks.finish())
