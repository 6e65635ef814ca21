"""Saved models of plugins: `sheaf predict` gives the predictions for held-out rows that the training gave, with the plugin
and the file of its weights. Python reads the weights. Best models, refits, test rows and ensembles work as for other
models. A plugin that has changed or is missing is refused."""

import csv
import json
import os
import shutil
import sys

import h5py
import numpy

from program import DIGITS, Checks, sheaf

try:
    import torch
except ImportError as error:
    print(f"skipped: {error}")
    sys.exit(77)

checks = Checks()
shutil.rmtree("plugin_models", ignore_errors=True)
os.makedirs("plugin_models")
os.chdir("plugin_models")
GATED, NORMED = (os.path.join(os.environ["SHEAF_PLUGINS"], name) for name in ("gated_mlp.so", "normed_plugin.so"))
COMMON = ["--run.device=cpu", "--run.lanes=1", "--run.progress=none", "--train.epochs=2"]


def describe(result):
    return f"exit {result.code}\n{result.stdout}{result.stderr}"


def run(output, plugin, *args, ranks=2, data=DIGITS):
    result = sheaf("run", data, *COMMON, f"--model.kind=plugin:{plugin}", f"--run.output={output}", *args, ranks=ranks)
    checks.check(result.code == 0, f"{output}: the run succeeds", describe(result))
    return result


def table(output, name):
    with h5py.File(f"{output}/results.h5") as file:
        return file[name][:]


def predicted(output, *args, data=DIGITS):
    result = sheaf("predict", output, data, "predicted.h5", "--overwrite", *args, ranks=2)
    checks.check(result.code == 0, f"{output}: predictions {args}", describe(result))
    with h5py.File("predicted.h5") as file:
        return file["probabilities" if "probabilities" in file else "values"][:]


def read(path, mode="r"):
    with open(path, mode) as file:
        return file.read()


# ---- Predictions are those of the training

for name, plugin, args in (
        ("gated", GATED, ["--data.normalize=standard"]),
        ("normed", NORMED, ["--data.normalize=none"]),
        ("image", GATED, ["--data.image=1x8x8", "--data.normalize=minmax"]),
        ("averaged", NORMED, ["--data.normalize=none", "--train.average=ema", "--train.best_weights=true"]),
        ("double", NORMED, ["--data.normalize=robust", "--train.precision=float64"])):
    run(name, plugin, "--run.models=all", "--run.predictions=held_out", "--search.folds=3", *args)
    held_out = table(name, "predictions")
    largest = 0
    for number in range(3):
        own = held_out[held_out["iteration"] == number]
        found = predicted(name, f"--iteration={number}")
        largest = max(largest, abs(found[own["row"]] - own["probabilities"]).max())
    checks.check(largest < 1e-6, f"{name}: predictions equal the held-out ones", f"by up to {largest}")

# A table with empty cells, texts, and numbers that only double tells apart.
random = numpy.random.default_rng(3)
with open("table.csv", "w", newline="") as file:
    writer = csv.writer(file)
    writer.writerow(["time", "city", "size", "y"])
    for _ in range(200):
        time, size, city = random.normal(), random.normal(), random.choice(["Bern", "Oslo", "Rome"])
        target = 3 * time + size + (city == "Oslo")
        writer.writerow([f"{1e9 + time:.6f}", city, f"{size:.4f}" if random.random() > 0.1 else "", f"{5e8 + target:.6f}"])
checks.check(sheaf("import", "table.csv", "table.h5").code == 0, "the table is imported")
run("table", NORMED, "--run.models=all", "--run.predictions=held_out", "--search.folds=2", "--data.normalize=standard",
    data="table.h5")
held_out = table("table", "predictions")
for number in range(2):
    own = held_out[held_out["iteration"] == number]
    found = predicted("table", f"--iteration={number}", data="table.csv")
    checks.check(abs(found[own["row"]] - own["values"]).max() < 1e-6,
                 "a table: predictions equal the held-out ones", str((found[own["row"]][:3], own[:3])))

# ---- Python reads the weights

with h5py.File(DIGITS) as file:
    features = torch.from_numpy(file["features"][:].astype("f4")).flatten(1)
run("plain", GATED, "--run.models=all", "--data.normalize=none", "--data.validation=0.2", "--study.iterations=2")
state = torch.load("plain/models/iteration-1.pt")
linear = torch.nn.functional.linear
outputs = linear(linear(features, state["values.weight"], state["values.bias"]) *
                 torch.sigmoid(linear(features, state["gates.weight"], state["gates.bias"])),
                 state["outputs.weight"], state["outputs.bias"]).softmax(1).numpy()
found = predicted("plain", "--iteration=1")
checks.check(abs(outputs - found).max() < 1e-5, "the weights are those that torch.load reads", str((outputs[:2], found[:2])))
state = torch.load("normed/models/iteration-0.pt")
checks.check(list(state) == ["projection", "norm.weight", "norm.bias", "outputs.weight", "outputs.bias",
                             "norm.running_mean", "norm.running_var", "norm.num_batches_tracked"] and
             state["norm.num_batches_tracked"].dtype == torch.int64 and int(state["norm.num_batches_tracked"]) > 0,
             "a file has all parameters and buffers", str({name: tensor.dtype for name, tensor in state.items()}))

# ---- Best model, test rows, members, refit and ensemble of trials

run("best", GATED, "--data.test=0.2", "--search.folds=3", "--search.train.learning_rate=1e-3, 1e-2",
    "--search.ensemble=none")
with open("best/summary.json") as file:
    summary = json.load(file)
checks.check(summary["test"]["rows"] > 300 and summary["best"]["models"], "the best model is tested on the test rows",
             str(summary.get("test")))
best = [f"iteration-{number}.pt" for number in range(3 * summary["best"]["trial"], 3 * summary["best"]["trial"] + 3)]
checks.check(set(os.listdir("best/models")) == {"best.txt", *best} and
             set(read("best/models/best.txt").split()) < set(best), "only the models of the best trial are kept",
             str(os.listdir("best/models")))
readme = read("best/README.txt")
checks.check("torch.load(" in readme and "sheaf predict best" in readme and GATED in readme, "README.txt explains the file",
             readme)
evaluated = sheaf("evaluate", "best", f"--data.file={DIGITS}", ranks=2)
checks.check(evaluated.code == 0 and "accuracy" in evaluated.stdout, "evaluate", describe(evaluated))

run("members", NORMED, "--ensemble.members=3", "--run.models=all", "--data.validation=0.2")
parts = [predicted("members", f"--iteration={number}") for number in range(3)]
checks.check(abs(predicted("members") - numpy.mean(parts, axis=0)).max() < 1e-6, "members are averaged")

result = run("searched", GATED, "--search.method=random", "--search.trials=6", "--search.folds=2",
             "--search.train.learning_rate=log_uniform(1e-4, 1e-1)", "--run.refit=true", "--search.ensemble=greedy")
ensemble = json.loads(read("searched/models/ensemble.json"))
checks.check(ensemble["module"] is None and not os.path.exists("searched/models/ensemble.pt"),
             "an ensemble of plugins has no TorchScript file", str(ensemble))
checks.check("no TorchScript file of the ensemble" in read("searched/README.txt"), "README.txt explains this",
             read("searched/README.txt"))
parts = []
for member in ensemble["members"]:
    for name in member["files"]:
        parts.append((member["weight"] / len(member["files"]), predicted(f"searched/models/{name}")))
mean = sum(weight * values for weight, values in parts)
checks.check(abs(predicted("searched", "--model=ensemble") - mean).max() < 1e-6, "the ensemble of trials is averaged")
refit = read("searched/models/refit.txt").split()
checks.check(abs(predicted("searched", "--model=refit") - predicted(f"searched/models/{refit[0]}")).max() == 0, "the refit")
verified = sheaf("verify", "searched", "--iterations=all", ranks=2)
checks.check(verified.code == 0 and "have the same bits" in verified.stdout, "verify", describe(verified))

# ---- The plugin must be the same

shutil.copy(GATED, "mine.so")
run("moved", os.path.abspath("mine.so"), "--data.validation=0.2")
with open("mine.so", "ab") as file:
    file.write(b"\0")


def refused(text):
    for args in (["predict", "moved", DIGITS, "none.csv"], ["evaluate", "moved", f"--data.file={DIGITS}"]):
        result = sheaf(*args, ranks=2)
        errors = result.error_lines()
        checks.check(result.code == 1 and len(errors) == 1 and text in errors[0], f"{args[0]}: {text}", describe(result))
    checks.check(not os.path.exists("none.csv"), "no output")


refused("mine.so' has changed since model 'moved/models/iteration-0.pt' was trained")
os.remove("mine.so")
refused("mine.so' of model 'moved/models/iteration-0.pt' does not exist")
sys.exit(checks.finish())
