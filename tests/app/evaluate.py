"""`sheaf evaluate`: models of a run have the metrics that the run reported, on any number of ranks and lanes;
predictions are in row order; invalid input gives one error line and leaves no files."""

import glob
import json
import os
import re
import shutil
import subprocess
import sys

import h5py
import numpy

from program import DIGITS, Checks, read_csv, sheaf

STUDY = f"""
[data]
file = {DIGITS}
task = classification
normalize = standard
validation = 0.3
[model]
kind = mlp
hidden = 24
[train]
epochs = 3
optimizer = adam
loss = cross_entropy
[run]
device = cpu
"""

checks = Checks()
shutil.rmtree("evaluate", ignore_errors=True)
os.makedirs("evaluate")
os.chdir("evaluate")
with open("study.cfg", "w") as file:
    file.write(STUDY)
with h5py.File(DIGITS) as file:
    features, labels = file["features"][:], file["targets"][:]


def train(output, *args, ranks=None, code=0):
    result = sheaf("run", "study.cfg", f"--run.output={output}", "--search.ensemble=none", *args, ranks=ranks)
    checks.check(result.code == code, f"{output}: the run ends with exit code {code}", result.stderr)


def evaluate(*args, ranks=None):
    """Returns the report without its times."""
    result = sheaf("evaluate", *args, "--output=json", ranks=ranks)
    checks.check(result.code == 0, f"evaluate {' '.join(args)}", result.stderr)
    report = json.loads(result.stdout) if result.code == 0 else {}
    checks.check(result.code != 0 or report.pop("seconds") > 0, "the report has a time")
    return {key: value for key, value in report.items() if not key.endswith("per_second")}


def refused(case, code, reason, *args, absent=()):
    """Checks for one error line: from 3 ranks for errors in files (code 1), without mpiexec for errors in arguments."""
    result = sheaf("evaluate", *args, ranks=3 if code == 1 else None)
    lines = result.error_lines()
    checks.check(result.code == code and len(lines) == 1 and reason in lines[0],
                 f"{case}: exit code {code} and one error line", result.stderr)
    for name in absent:
        checks.check(not glob.glob(name + "*"), f"{case}: no file '{name}'")


def model_names(run):
    return sorted(os.path.basename(path) for path in glob.glob(run + "/models/*"))


# ---- Models that a run writes

train("all", "--run.models=all", "--search.method=grid", "--search.train.learning_rate=1e-3,1e-2",
      "--study.iterations=2", ranks=2)
train("best", "--run.models=best", "--search.method=grid", "--search.train.learning_rate=1e-3,1e-2",
      "--ensemble.members=3", "--run.curves=true", ranks=2)
train("none", "--run.models=none")
checks.check(model_names("all") == ["best.txt"] + [f"iteration-{number}.pt" for number in range(4)],
             "all: one file per iteration", model_names("all"))
checks.check(model_names("best") == ["best.txt", "iteration-3.pt", "iteration-4.pt", "iteration-5.pt"],
             "best: the members of the best trial", model_names("best"))
checks.check(not os.path.exists("none/models"), "none: no models directory")
with open("all/models/best.txt") as file:
    best = file.read().split()
scores = [float(row["validation_score"]) for row in read_csv("all/results.csv")]
checks.check(best == [f"iteration-{2 + (scores[3] > scores[2])}.pt"], "best.txt names the best model",
             f"{best} {scores}")
train("diverged", "--run.models=all", "--train.learning_rate=1e30", "--train.optimizer=sgd", code=1)
checks.check(model_names("diverged") == [], "a diverged model is not written", model_names("diverged"))

# A file of the user in place of best.txt, which would be removed.
os.makedirs("taken/models/best.txt/folder")
result = sheaf("run", "study.cfg", "--run.output=taken", "--run.models=all", "--train.learning_rate=1e30",
               "--train.optimizer=sgd", ranks=3)
checks.check(result.code == 1 and len(result.error_lines()) == 1 and "'taken/models/best.txt' cannot be removed "
             "(Directory not empty). Correct the directory's permissions." in result.error_lines()[0],
             "a list of models that cannot be removed", f"{result.code}\n{result.stderr}")

# ---- The report

train("lanes", "--run.models=all", "--train.epochs=1", "--study.iterations=100", "--run.lanes=2")
checks.check(model_names("lanes") == ["best.txt"] + sorted(f"iteration-{number}.pt" for number in range(100)),
             "several lanes write models at the same time", str(model_names("lanes")))
train("held", "--run.models=all", "--train.learning_rate=1e-2", "--data.validation=0", "--data.normalize=none")
whole = evaluate("held", f"--data.file={DIGITS}")
checks.check(whole["rows"] == 1797 and whole["outputs"] == 10 and whole["loss_kind"] == "cross_entropy"
             and whole["engine"] == "native" and whole["models"] == ["held/models/iteration-0.pt"],
             "report of a classifier", whole)
confusion = numpy.array(whole["confusion"])
checks.check((confusion.sum(axis=1) == numpy.bincount(labels)).all()
             and abs(numpy.trace(confusion) / 1797 - whole["accuracy"]) < 1e-12, "confusion matrix", confusion)
torch = evaluate("held", f"--data.file={DIGITS}", "--run.engine=torch")
checks.check(abs(torch["loss"] - whole["loss"]) < 1e-5 and torch["engine"] == "torch (run.engine = torch)",
             "LibTorch computes the same loss", torch)

# ---- Numbers of ranks and lanes, with bit-identical results; HDF5 layouts

with h5py.File("layouts.h5", "w") as file:
    file.create_dataset("features", data=numpy.tile(features, (9, 1)).astype("f4"), chunks=(50, 64), compression=1)
    file.create_dataset("targets", data=numpy.tile(labels, 9).astype("i1"), chunks=(1000,))
known = None
for ranks, lanes in ((None, 1), (None, 3), (2, 1), (3, 2)):
    report = evaluate("best", "--data.file=layouts.h5", f"--run.lanes={lanes}", "--predictions=p.h5",
                      "--overwrite=true", ranks=ranks)
    with h5py.File("p.h5") as file:
        found = (report, file["probabilities"][:].tobytes(), file["labels"][:].tobytes())
        probabilities = file["probabilities"][:]
        checks.check((probabilities.argmax(axis=1) == file["labels"][:]).mean() > 0.999
                     and file.attrs["model"] == "best" and file.attrs["data"] == "layouts.h5",
                     "labels and attributes of predictions")
    known = known or found
    checks.check(found == known, f"{ranks} ranks, {lanes} lanes: bit-identical report and predictions", report)
checks.check(not glob.glob("p.h5.*.partial"), "no temporary file is left")
checks.check(len(known[0]["models"]) == 3 and known[0]["accuracy"] > 0.9, "ensemble of three models", known[0])
checks.check(numpy.allclose(probabilities.sum(axis=1), 1, atol=1e-5), "probabilities of a row add up to 1")
checks.check((probabilities[:1797] == probabilities[-1797:]).all(),
             "predictions are in row order and independent of other rows")
checks.check(abs(-numpy.log(probabilities[numpy.arange(9 * 1797), numpy.tile(labels, 9)]).mean()
                 - known[0]["loss"]) < 1e-5, "the loss of an ensemble is that of its mean probabilities")
with h5py.File("layouts.h5") as file, h5py.File("plain.h5", "w") as plain:  # can be mapped without a copy
    plain["features"], plain["targets"] = file["features"][:], file["targets"][:]
evaluate("best", "--data.file=plain.h5", "--predictions=p.h5", "--overwrite=true", ranks=2)
with h5py.File("p.h5") as file:
    checks.check((file["probabilities"][:] == probabilities).all(), "contiguous floats: bit-identical predictions")
text = sheaf("evaluate", "best", "--iteration=4", "--data.file=layouts.h5").stdout
checks.check("iteration-4.pt" in text and "accuracy" in text and "precision" in text, "text report", text)

# ---- Images: channels last, bytes, flat rows; networks with buffers; TorchScript modules from Python

images = (features[:240].reshape(-1, 1, 8, 8) * [[[1]], [[15]], [[4]]]).astype("u1")  # [rows, 3, 8, 8]
for name, stored in (("first.h5", images), ("last.h5", images.transpose(0, 2, 3, 1)),
                     ("flat.h5", images.reshape(240, -1).astype("f4"))):
    with h5py.File(name, "w") as file:
        file["features"], file["targets"] = stored, labels[:240]
train("resnet", "--run.models=best", "--data.file=first.h5", "--model.kind=resnet18", "--model.hidden=none",
      "--train.epochs=1")
whole = evaluate("resnet", "--data.file=first.h5")
checks.check(whole["rows"] == 240 and whole["engine"].startswith("torch"), "report of a resnet", whole)
for name, args in (("last.h5", []), ("last.h5", ["--data.channels=last"]), ("flat.h5", [])):
    report = evaluate("resnet", f"--data.file={name}", *args)
    checks.check(report.get("loss") == whole["loss"], f"{name}, {args}: same loss", report)
report = evaluate("resnet", "--data.file=last.h5", "--loss=auto")
checks.check(report.get("loss") == whole["loss"], "--loss=auto is the training loss", report)
refused("images with channels last", 1, "not images of 3x8x8 with channels first", "resnet", "--data.file=last.h5",
        "--data.channels=first")
with h5py.File("wide.h5", "w") as file:
    file["features"], file["targets"] = images.reshape(240, 3, 4, 16), labels[:240]
refused("images of another shape", 1, "takes images of 3x8x8", "resnet", "--data.file=wide.h5")
try:
    import torch as pytorch
except ImportError:
    pytorch = None
if pytorch:
    pytorch.manual_seed(1)
    pytorch.jit.script(pytorch.nn.Sequential(pytorch.nn.Linear(64, 20), pytorch.nn.BatchNorm1d(20), pytorch.nn.ReLU(),
                                             pytorch.nn.Linear(20, 10))).save("own.pt")
    inplace = pytorch.nn.Sequential(pytorch.nn.ReLU(inplace=True), pytorch.nn.Linear(64, 10))
    pytorch.jit.script(inplace).save("inplace.pt")
    report = evaluate("inplace.pt", "--data.file=plain.h5", "--loss=cross_entropy")
    checks.check(report["rows"] == 9 * 1797, "a TorchScript module that changes its input", report)
    train("script", "--run.models=all", "--model.kind=torchscript:own.pt", "--model.hidden=none",
          "--data.validation=0.5")
    report = evaluate("script", f"--data.file={DIGITS}")
    row, = read_csv("script/results.csv")
    checks.check(report["loss_kind"] == "cross_entropy"
                 and abs(report["accuracy"] - float(row["validation_score"])) < 0.05, "a trained TorchScript module",
                 report)
    # Labels are class numbers in files of all formats, also if the file does not have all classes.
    pytorch.manual_seed(1)
    pytorch.jit.script(pytorch.nn.Linear(4, 3)).save("three.pt")
    rows = numpy.random.default_rng(3).normal(size=(50, 4)).astype("f4")
    numbers = numpy.array([0, 2] * 25)
    with h5py.File("numbers3.h5", "w") as file:
        file["features"], file["targets"] = rows, numbers
    numpy.savez("numbers3.npz", X=rows, y=numbers)
    def write_table(name, names):
        with open(name, "w") as file:
            file.writelines(",".join(map(repr, map(float, row))) + f",{names[label]}\n" for row, label in zip(rows, numbers))
    write_table("numbers3.csv", "012")
    write_table("texts3.csv", ["cat", "dog", "owl"])
    expected = evaluate("three.pt", "--data.file=numbers3.h5")
    for name in ("numbers3.npz", "numbers3.csv"):
        report = evaluate("three.pt", f"--data.file={name}", ranks=2)
        checks.check(report.get("accuracy") == expected["accuracy"] and report["confusion"] == expected["confusion"]
                     and abs(report["loss"] / expected["loss"] - 1) < 1e-12, f"{name}: labels stay class numbers",
                     f"{report} {expected}")
    refused("texts as labels of a model without class names", 1, "contains 'cat' (no class names are known", "three.pt",
            "--data.file=texts3.csv")
    refused("targets of a CSV file", 2, "Select the target column with --label.", "three.pt",
            "--data.file=numbers3.csv", "--data.targets=y")

    # Files that LibTorch must not read: damaged, too large, or with source code that overflows its stack.
    import zipfile
    def rewritten(name, change, method=zipfile.ZIP_STORED):
        with zipfile.ZipFile("three.pt") as old, zipfile.ZipFile(name, "w", method) as new:
            for member in old.infolist():
                new.writestr(member.filename, change(member.filename, old.read(member)))
    with open("three.pt", "rb") as file, open("flipped.pt", "wb") as flipped:
        content = bytearray(file.read())
        content[content.index(pytorch.jit.load("three.pt").weight.detach().numpy().tobytes()[:8]) + 2] ^= 16
        flipped.write(content)
    refused("a flipped bit in a weight", 1, "its checksum is wrong", "flipped.pt", "--data.file=numbers3.h5")
    result = sheaf("run", "numbers3.h5", "--run.output=flipped", "--model.kind=torchscript:flipped.pt", ranks=2)
    checks.check(result.code == 1 and "its checksum is wrong" in result.stderr, "training of a damaged module", result.stderr)
    rewritten("bomb.pt", lambda name, data: data + bytes(40 << 20) if name.endswith("data.pkl") else data,
              zipfile.ZIP_DEFLATED)
    refused("a file that unpacks to much more", 1, "'bomb.pt' unpacks to more than 16.", "bomb.pt",
            "--data.file=numbers3.h5")
    rewritten("packed.pt", lambda name, data: data, zipfile.ZIP_DEFLATED)
    checks.check(evaluate("packed.pt", "--data.file=numbers3.h5").get("loss") == expected["loss"], "a compressed module")
    nested = f"  return {'(' * 100000}input{')' * 100000}\n".encode()
    rewritten("nested.pt", lambda name, data: re.sub(rb"  return .*\n", nested, data) if name.endswith(".py") else data)
    refused("deeply nested source code", 1, "is nested more than 1000 levels deep", "nested.pt", "--data.file=numbers3.h5")
    # Modules that end in softmax or sigmoid
    pytorch.manual_seed(1)
    linear = pytorch.nn.Linear(64, 10)
    linear.weight.data *= 0.2  # probabilities that float32 rounds to 0 or 1 would lose the logits
    for name, ending in (("logits", pytorch.nn.Identity()), ("softmax", pytorch.nn.Softmax(1)),
                         ("sigmoid", pytorch.nn.Sigmoid())):
        pytorch.jit.script(pytorch.nn.Sequential(linear, ending)).save(f"{name}.pt")
    for name, loss in (("softmax", "cross_entropy"), ("sigmoid", "bce")):
        found = {}
        for model, ranks, args in (("logits", 1, []), (name, 1, []), (name, 3, []),
                                   (name, 1, ["--outputs=probabilities"]), (name, 1, ["--outputs=logits"])):
            case = f"{model}, {loss}, {args}, {ranks} ranks"
            result = sheaf("evaluate", f"{model}.pt", f"--data.file={DIGITS}", f"--loss={loss}", "--output=json",
                           "--predictions=p.h5", "--overwrite=true", *args, ranks=ranks)
            checks.check(result.code == 0, case, result.stderr)
            told = f"the outputs of '{model}.pt' are taken as probabilities" in result.stderr
            checks.check(told == (model == name and not args), f"{case}: the log tells that probabilities were found",
                         result.stderr)
            with h5py.File("p.h5") as file:
                found[model, ranks, *args] = json.loads(result.stdout)["loss"], file["probabilities"][:]
        loss_of_logits, probabilities = found["logits", 1]
        for key in ((name, 1), (name, 3), (name, 1, "--outputs=probabilities")):
            checks.check(abs(found[key][0] - loss_of_logits) < 1e-4 and abs(found[key][1] - probabilities).max() < 1e-6,
                         f"{key}: loss and predictions are those of the logits", (found[key][0], loss_of_logits))
        checks.check(found[name, 1][0] == found[name, 3][0], f"{name}: the loss does not depend on the ranks")
        checks.check(abs(found[name, 1, "--outputs=logits"][0] - loss_of_logits) > 0.01,
                     f"--outputs=logits applies {name} again")
    class Uneven(pytorch.nn.Module):
        def forward(self, rows):
            return rows[:, :10] if bool((rows == 0).all()) else rows[:, :9]

    pytorch.jit.script(Uneven()).save("uneven.pt")
    refused("a number of outputs that depends on the rows", 1, "model 'uneven.pt' returns 9 outputs for some rows and 10 "
            "for others. Wrap it in a module that returns the same number for all rows.", "uneven.pt",
            f"--data.file={DIGITS}")
    refused("probabilities of a saved model", 2, "models saved by sheaf give logits", "best", f"--data.file={DIGITS}",
            "--outputs=probabilities")
    refused("outputs of a regression", 2, "--outputs requires classes", "own.pt", f"--data.file={DIGITS}",
            "--outputs=logits", "--data.task=regression", "--data.targets=", "--predictions=none.h5")
    for name, warned in (("softmax", True), ("logits", False)):
        result = sheaf("plan", "study.cfg", f"--model.kind=torchscript:{name}.pt", "--model.hidden=none", ranks=2)
        warnings = result.stderr.count("are probabilities, but train.loss = cross_entropy")
        checks.check(result.code == 0 and warnings == warned, f"{name}: warning before the training", result.stderr)

# ---- Stopped and resumed: each iteration in the journals has its model file

RESUMED = ["--run.models=best", "--search.method=grid", "--search.train.learning_rate=1e-2,1e-3,1e-5",
           "--search.folds=3", "--data.validation=0", "--run.lanes=1"]
train("straight", *RESUMED)
result = sheaf("run", "study.cfg", "--run.output=stopped", "--run.time_limit=3s", "--search.ensemble=none",
               "--train.epochs=600", *RESUMED)
checks.check(result.code in (0, 75), "run.time_limit stops a run", result.stderr)
journaled = sum(line.startswith('{"iteration":') for path in glob.glob("stopped/journal/**/*", recursive=True)
                if os.path.isfile(path) for line in open(path, errors="replace"))
if result.code == 75:
    checks.check(len(model_names("stopped")) >= journaled > 0, "one model for each journal line",
                 model_names("stopped"))
    result = sheaf("resume", "stopped", "--run.time_limit=none", ranks=2)
    checks.check(result.code == 0, "the stopped run is resumed", result.stderr)
for run in ("straight", "stopped"):
    with h5py.File(f"{run}/results.h5") as file:
        trial = int(file["trials"]["trial"][0])
    checks.check(model_names(run) == ["best.txt"] + [f"iteration-{3 * trial + fold}.pt" for fold in range(3)],
                 f"{run}: only the models of the best trial", f"{trial} {model_names(run)}")
    evaluate(run, f"--data.file={DIGITS}")

# Resume reports missing models of earlier jobs.
for removed, warning in (("iteration-0.pt", "'gone/models' has only 3 of 4 models (that of iteration 0 is missing"),
                         (best[0], f"best.txt was not written ('gone/models/{best[0]}' is missing")):
    shutil.rmtree("gone", ignore_errors=True)
    shutil.copytree("all", "gone")
    os.remove("gone/results.csv")
    os.remove("gone/results.h5")
    os.remove(f"gone/models/{removed}")
    result = sheaf("resume", "gone")
    checks.check(result.code == 0 and warning in result.stderr, f"{removed} is missing: warning", result.stderr)
    checks.check(os.path.exists("gone/models/best.txt") == (removed != best[0]), f"{removed} is missing: best.txt")

# ---- Regression; data without targets

with h5py.File("numbers.h5", "w") as file:
    inputs = numpy.random.default_rng(3).normal(50, 9, size=(3000, 5))
    file["features"] = inputs
    file["targets"] = numpy.stack([inputs @ [1, 2, 3, 4, 5], inputs[:, 0] ** 2], axis=1)
with h5py.File("no-targets.h5", "w") as file:
    file["features"] = inputs
train("linear", "--run.models=best", "--data.file=numbers.h5", "--data.task=regression", "--train.loss=mse",
      "--model.kind=linear", "--model.hidden=none", "--data.validation=0", "--train.precision=float64")
report = evaluate("linear", "--data.file=numbers.h5", "--predictions=values.h5")
with h5py.File("numbers.h5") as file, h5py.File("values.h5") as values:
    residuals = file["targets"][:] - values["values"][:]
    spread = file["targets"][:] - file["targets"][:].mean(axis=0)
    r2 = (1 - (residuals**2).sum(axis=0) / (spread**2).sum(axis=0)).mean()
checks.check(abs(report["loss"] / (residuals**2).mean() - 1) < 1e-6 and abs(report["r2"] - r2) < 1e-6
             and "confusion" not in report, "loss and R2 of a regression", f"{report} {r2}")
report = evaluate("linear", "--data.file=no-targets.h5", "--predictions=alone.h5")
with h5py.File("alone.h5") as alone, h5py.File("values.h5") as values:
    checks.check("loss" not in report and (alone["values"][:] == values["values"][:]).all(),
                 "without targets: predictions, no loss", report)

# ---- Invalid input

with h5py.File("narrow.h5", "w") as file:
    file["features"], file["targets"] = features[:, :60], labels
with h5py.File("high.h5", "w") as file:
    file["features"], file["targets"] = features, numpy.where(numpy.arange(1797) == 1500, 10, labels)
with h5py.File("short.h5", "w") as file:
    file["features"], file["targets"] = features, labels[:-1]
with h5py.File("nan.h5", "w") as file:
    spoiled = numpy.tile(features, (3, 1)).astype("f4")
    spoiled[5000, 63] = numpy.nan
    file["features"], file["targets"] = spoiled, numpy.tile(labels, 3)
shutil.copy("layouts.h5", "chunk.h5")
with h5py.File("chunk.h5") as file:
    offset = file["features"].id.get_chunk_info(200).byte_offset
with open("chunk.h5", "r+b") as file:
    file.seek(offset)
    file.write(b"\xff" * 40)
with open("layouts.h5", "rb") as file, open("cut.h5", "wb") as cut:
    cut.write(file.read()[:-3000])
with open("best/models/iteration-3.pt", "rb") as file, open("cut.pt", "wb") as cut:
    cut.write(file.read()[:-300])
shutil.copytree("best", "broken")
os.remove("broken/models/iteration-4.pt")
shutil.copytree("best", "listless")
os.remove("listless/models/best.txt")
shutil.copytree("listless", "unfinished")
for name in ("results.csv", "results.h5"):
    os.remove(f"unfinished/{name}")
for path in glob.glob("unfinished/journal/*/*.jsonl"):
    with open(path) as file:
        lines = [line for line in file if not line.startswith('{"iteration":5,')]
    with open(path, "w") as file:
        file.writelines(lines)
shutil.copytree("unfinished", "begun")
shutil.rmtree("begun/journal")
train("twelve", "--run.models=all", "--data.classes=12", "--train.epochs=1")
shutil.copytree("best", "mixed")
shutil.copy("twelve/models/iteration-0.pt", "mixed/models/iteration-4.pt")
with h5py.File("tiny.h5", "w") as file, h5py.File("far.h5", "w") as far:
    file["features"] = 1e-6 * numpy.random.default_rng(1).normal(size=(60, 2))
    file["targets"] = numpy.arange(60.0)
    far["features"], far["targets"] = [[3e38, 0], [1e-6, 0]], [0.0, 1]
result = sheaf("run", "tiny.h5", "--run.output=tiny", "--train.epochs=1")
checks.check(result.code == 0, "a model of tiny features", result.stderr)
refused("features that overflow when they are scaled", 1, "has no finite output for some rows", "tiny",
        "--data.file=far.h5", "--predictions=far.csv", absent=("far.csv",))
GOOD = f"--data.file={DIGITS}"
refused("no arguments", 2, "needs a model")
refused("no data", 2, "needs --data.file", "best")
refused("misspelt option", 2, "Did you mean '--predictions'?", "best", GOOD, "--prediction=p.h5")
for loss in ("bce", "mse", "mae"):
    refused(f"loss {loss} for a model of cross_entropy", 2, "it was trained with cross_entropy, which makes other "
            "predictions of its outputs", "best", GOOD, f"--loss={loss}")
for task in ("regression", "multilabel"):
    refused(f"task {task} for a model of classes", 2, "--data.task does not fit model 'best' (it predicts classes)", "best",
            GOOD, f"--data.task={task}")
refused("a metric of another task by a name of scikit-learn", 2, "Use roc_auc for 'auc'.", "best", GOOD, "--metrics=auc")
refused("repeated option", 2, "--loss is given twice", "best", GOOD, "--loss=mse", "--loss=bce")
refused("invalid value", 2, "run.lanes", "best", GOOD, "--run.lanes=-1")
refused("--iteration with a model file", 2, "--iteration", "best/models/iteration-3.pt", GOOD, "--iteration=3")
refused("missing model file", 1, "Model 'absent.pt' does not exist", "absent.pt", GOOD)
refused("not a TorchScript file", 1, "is not a complete TorchScript file", "study.cfg", GOOD)
refused("truncated model file", 1, "is not a complete TorchScript file", "cut.pt", GOOD)
refused("run without models", 1, "has no best model (run.models = none)", "none", GOOD)
refused("unfinished run", 1, "(1 of 6 iterations left). Continue with: sheaf resume unfinished.", "unfinished",
        GOOD)
refused("run without iterations", 1, "(no iteration has finished yet). Continue with: sheaf resume begun.", "begun", GOOD)
refused("models of different studies as an ensemble", 1, "Models 'mixed/models/iteration-3.pt' and "
        "'mixed/models/iteration-4.pt' have different numbers of outputs (they are not an ensemble). Evaluate them one "
        "by one.", "mixed", GOOD)
refused("model that the native engine cannot run", 2, "run.engine = native cannot run model "
        "'resnet' (the network has convolutions). Set run.engine = auto.", "resnet",
        "--data.file=first.h5", "--run.engine=native")
refused("targets with three dimensions", 1, "The data set '/features' of 'first.h5' has shape [240, 3, 8, 8] (targets are "
        "[rows] or [rows, outputs]). Select another data set with --data.targets.", "resnet", "--data.file=first.h5",
        "--data.targets=/features")
refused("directory without a run", 1, "it is not a run directory", "best/models", GOOD)
refused("run without best.txt", 1, "'listless/models/best.txt' is missing", "listless", GOOD)
refused("run with a missing model", 1, "broken/models/iteration-4.pt", "broken", GOOD)
refused("missing iteration", 1, "Iteration 7 has no saved model", "best", GOOD, "--iteration=7")
refused("another number of features", 1, "takes 64 features per row (the data have 60)", "best", "--data.file=narrow.h5")
refused("another number of classes", 1, "data.classes = 3 does not fit", "best", GOOD, "--data.classes=3")
refused("targets with several columns", 1, "a classifier needs one label per row", "best", GOOD,
        "--data.targets=features")
refused("label too high", 1, "has 10 in row 1500", "best", "--data.file=high.h5", "--predictions=x.h5",
        absent=["x.h5"])
refused("fewer targets than rows", 1, "They must have the same number of rows", "best", "--data.file=short.h5")
refused("missing targets", 1, "'/absent'", "best", GOOD, "--data.targets=/absent")
refused("NaN in the features", 1, "has an empty cell (NaN) in row 5000, column 63", "best", "--data.file=nan.h5",
        "--predictions=x.h5", absent=["x.h5"])
refused("damaged chunk", 1, "cannot be read", "best", "--data.file=chunk.h5", "--predictions=x.h5",
        absent=["x.h5"])
refused("truncated data file", 1, "cut.h5", "best", "--data.file=cut.h5")
refused("neither targets nor predictions", 2, "Select the targets with --data.targets, or", "best", GOOD,
        "--data.targets=")
numpy.save("x.npy", features[:5].astype("f4"))
refused("features only", 2, "Store features and targets as X and y of a .npz file, or", "best", "--data.file=x.npy")
refused("--label with HDF5", 2, "--label needs a CSV file", "best", GOOD, "--label=targets")
refused("existing predictions file", 1, "p.h5' already exists", "best", GOOD, "--predictions=p.h5")
refused("missing directory", 1, "No such file or directory", "best", GOOD, "--predictions=absent/p.h5")
refused("classification loss for a regression model", 2, "--loss = bce requires classes", "linear", "--data.file=numbers.h5",
        "--loss=bce")
os.makedirs("disk", exist_ok=True)
if subprocess.run(["mount", "-t", "tmpfs", "-o", "size=400k", "tmpfs", "disk"], capture_output=True).returncode == 0:
    try:
        result = sheaf("evaluate", "best", GOOD, "--predictions=disk/full.h5")
        checks.check(result.code == 1 and len(result.error_lines()) == 1 and "No space left" in result.stderr
                     and not os.listdir("disk"), "full disk: exit code 1 and one error line", result.stderr)
    finally:
        subprocess.run(["umount", "disk"], check=True)
else:
    print("full disk: skipped (mounting a file system is not permitted)")
sys.exit(checks.finish())
