"""Compares losses of small studies with recorded_losses.json. They agree to the last digit if the native engine uses
the same vector instructions and matrix products as in the recording, and up to rounding otherwise. A commit that
changes losses on purpose records them again and states this in its message.

Without options the test compares the losses of the native engine. Options for use by hand (program.py reads environment
variables; SHEAF_PLUGINS is the folder of gated_mlp.so, tests/app/plugin in the build directory):

    --record          writes recorded_losses.json
    --write FILE      writes the losses of both engines to FILE
    --compare FILE    compares the losses of both engines with FILE, to the last digit

The last two verify that a change does not affect losses: write FILE before the change, on the same machine."""

import argparse
import json
import math
import os
import re
import shutil
import sys
import tempfile

import h5py
import numpy

from program import DIGITS, SOURCE, Checks, read_csv, sheaf

RECORDED = os.path.join(SOURCE, "tests", "app", "recorded_losses.json")
CLOSE = 5e-3  # tolerance between processors: rounding of some hundred steps; one of 359 labels
FEW = {"data.validation": 0.2, "data.normalize": "none", "data.normalize_targets": "none", "model.kind": "linear",
       "train.epochs": 3, "train.optimizer": "sgd", "train.learning_rate": 0.01, "study.iterations": 2, "study.seed": 5}
SYNTHETIC = {**FEW, "data.source": "synthetic", "data.rows": 300, "data.columns": 7, "data.relation": "linear"}
DIGIT = {**FEW, "data.file": DIGITS, "data.task": "classification", "train.loss": "cross_entropy",
         "data.normalize": "standard"}
MLP = {"model.kind": "mlp", "model.hidden": "24 16"}
STREAMED = {"data.file": "streamed.h5", "data.mode": "streamed", "data.window": 300, "data.memory": 1,
            "data.normalize": "none"}
NATIVE = {
    "linear, sgd": {**SYNTHETIC},
    "linear, drawn once": {**SYNTHETIC, "data.draw": "study", "train.shuffle": "false"},
    "linear, full batches": {**SYNTHETIC, "train.batch_size": "full", "train.epochs": 20},
    "linear, sum": {**SYNTHETIC, "train.reduction": "sum", "train.learning_rate": 1e-3},
    "three targets": {**SYNTHETIC, **MLP, "data.outputs": 3, "train.epochs": 4},
    "momentum": {**SYNTHETIC, **MLP, "train.momentum": 0.9, "train.nesterov": "true", "train.weight_decay": 1e-3},
    "adam, tanh": {**SYNTHETIC, **MLP, "train.optimizer": "adam", "model.activation": "tanh"},
    "adamw, gelu": {**SYNTHETIC, **MLP, "train.optimizer": "adamw", "train.weight_decay": 0.01,
                    "model.activation": "gelu"},
    "rmsprop, sigmoid": {**SYNTHETIC, **MLP, "train.optimizer": "rmsprop", "train.momentum": 0.5,
                         "model.activation": "sigmoid"},
    "nadam, mish, one_cycle": {**SYNTHETIC, **MLP, "train.optimizer": "nadam", "model.activation": "mish",
                               "train.schedule": "one_cycle"},
    "float64": {**SYNTHETIC, **MLP, "train.precision": "float64", "train.optimizer": "adam"},
    "minmax, glorot": {**SYNTHETIC, **MLP, "data.normalize": "minmax", "data.draw": "study",
                       "model.initialization": "glorot"},
    "he, no bias": {**SYNTHETIC, **MLP, "model.initialization": "he", "model.bias": "false",
                    "data.distribution": "uniform"},
    "digits": {**DIGIT, **MLP},
    "digits, dropout": {**DIGIT, **MLP, "model.dropout": 0.3},
    "digits, wide": {**DIGIT, "model.kind": "mlp", "model.hidden": "200", "train.batch_size": 50},
    "digits, bce": {**DIGIT, **MLP, "train.loss": "bce", "train.optimizer": "adam"},
    "digits, weights": {**DIGIT, **MLP, "data.file": "weights.h5", "data.weights": "weights"},
    "digits, float64": {**DIGIT, **MLP, "train.precision": "float64"},
    "folds": {**DIGIT, **MLP, "data.validation": 0, "search.folds": 3, "search.repeats": 2, "study.iterations": 1,
              "search.method": "grid", "search.train.learning_rate": "0.01, 0.1"},
    "bagging": {**DIGIT, **MLP, "ensemble.members": 3, "ensemble.bootstrap": "true"},
    "every epoch": {**DIGIT, **MLP, "run.curves": "true"},
    "streamed": {**DIGIT, **MLP, **STREAMED},
    "streamed, standard": {**DIGIT, **MLP, **STREAMED, "data.normalize": "standard", "train.optimizer": "adam"},
    "streamed, every epoch": {**DIGIT, **MLP, **STREAMED, "run.curves": "true", "train.batch_size": 70},
    "streamed, regression": {**DIGIT, **MLP, **STREAMED, "data.task": "regression", "train.loss": "mse",
                             "train.learning_rate": 1e-5},
}
CNN = {"model.kind": "cnn", "model.channels": "4", "model.hidden": "8", "data.image": "1x8x8"}
TORCH = {f"torch, {name}": {**keys, "run.engine": "torch"} for name, keys in NATIVE.items()}
TORCH.update({
    "torch, cnn": {**DIGIT, **CNN},
    "torch, cnn, streamed": {**DIGIT, **CNN, **STREAMED, "data.image": "1x8x20"},
    "torch, resnet18": {**DIGIT, "model.kind": "resnet18", "data.image": "1x8x8", "train.epochs": 1,
                        "study.iterations": 1},
    "torch, torchscript": {**DIGIT, "model.kind": "torchscript:module.pt"},
    "torch, plugin": {**DIGIT, "model.kind": f"plugin:{os.environ.get('SHEAF_PLUGINS')}/gated_mlp.so"},
})


def write_files():
    with h5py.File(DIGITS, "r") as file:
        features, targets = file["features"][:].reshape(-1, 64), file["targets"][:]
    with h5py.File("streamed.h5", "w") as file:
        wide = numpy.tile(features.astype("f4"), 3)[:, :160]
        file.create_dataset("features", data=wide, chunks=(300, 160))
        file["targets"] = targets
    with h5py.File("weights.h5", "w") as file:
        file["features"], file["targets"] = features, targets
        file["weights"] = 0.5 + numpy.arange(len(targets)) % 3


def train(keys):
    shutil.rmtree("run", ignore_errors=True)
    options = {"run.output": "run", "run.device": "cpu", "run.lanes": 1, "run.progress": "none", "run.curves": "false",
               "run.models": "none", **keys}
    options = {key: value for key, value in options.items() if f"search.{key}" not in options}
    result = sheaf("run", "empty.cfg", *(f"--{key}={value}" for key, value in options.items()))
    checks.check(result.code == 0, f"{keys}: the run succeeds", result.stderr)


def losses(keys):
    """Losses of each iteration, and of each epoch with run.curves, as text with all digits."""
    train(keys)
    found = [[row["final_loss"], row["validation_loss"],
              row["validation_score"]] for row in read_csv("run/results.csv")]
    if keys.get("run.curves") == "true":
        with h5py.File("run/results.h5", "r") as file:
            epochs = file["epochs"][:]
        found += [[repr(float(row[name])) for name in ("training_loss", "validation_loss")] for row in epochs]
    return found


def close(found, expected):
    def near(text, other, column):
        if not text or not other or text == other:
            return text == other
        tolerance = {"abs_tol": CLOSE} if column == 2 else {"rel_tol": CLOSE}  # accuracies of 359 rows
        return math.isclose(float(text), float(other), **tolerance)

    return [len(row) for row in found] == [len(row) for row in expected] and all(
        near(text, other, column) for row, known in zip(found, expected)
        for column, (text, other) in enumerate(zip(row, known)))


def processor():
    """The vector instructions and matrix products, which determine the rounding of the native engine."""
    return re.search(r"engine +native: (.*)", sheaf("info").stdout).group(1)


parser = argparse.ArgumentParser()
ways = parser.add_mutually_exclusive_group()
ways.add_argument("--record", action="store_true")
ways.add_argument("--write", metavar="FILE", type=os.path.abspath)
ways.add_argument("--compare", metavar="FILE", type=os.path.abspath)
arguments = parser.parse_args()
path = arguments.write or arguments.compare or RECORDED
studies = NATIVE if path == RECORDED else {**NATIVE, **TORCH}
checks = Checks()
folder = tempfile.TemporaryDirectory()
os.chdir(folder.name)
write_files()
with open("empty.cfg", "w"):
    pass
if "torch, torchscript" in studies:
    import torch

    layers = torch.nn.Sequential(torch.nn.Flatten(), torch.nn.Linear(64, 8), torch.nn.ReLU(), torch.nn.Linear(8, 10))
    torch.jit.script(layers).save("module.pt")
found = {name: losses(keys) for name, keys in studies.items()}
if arguments.write or arguments.record:
    with open(path, "w") as file:
        json.dump({"processor": processor(), "losses": found}, file, indent=1)
    sys.exit(checks.finish())
with open(path) as file:
    recorded = json.load(file)
same = bool(arguments.compare) or recorded["processor"] == processor()
checks.check(found.keys() == recorded["losses"].keys(), "the recording has the same studies")
for name, expected in recorded["losses"].items():
    right = found[name] == expected if same else close(found[name], expected)
    checks.check(right, name, f"{found[name]}\ninstead of\n{expected}")
print("compared to the last digit" if same else f"compared to {CLOSE}: recorded on {recorded['processor']}")
sys.exit(checks.finish())
