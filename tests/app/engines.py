"""Both engines train the same studies to the same losses. Results and summary name the engine."""

import os
import re
import shutil
import sys

import h5py
import numpy

from program import DIGITS, Checks, read_csv, sheaf

# Largest relative difference of losses after some hundred steps. The engines add numbers in different orders.
TOLERANCE = {"float32": 1e-3, "float64": 1e-10}
COMMON = """
[model]
kind = mlp
hidden = 32

[train]
epochs = 3
batch_size = 32
learning_rate = 1e-3
epsilon = 1e-4  # with less, rounding of a gradient near zero becomes a full step of the adaptive optimizers

[search]
method = grid
train.optimizer = sgd, adam, adamw, rmsprop
model.activation = relu, tanh, sigmoid, gelu
train.precision = float32, float64
"""
DIGITS_STUDY = f"""
[data]
file = {DIGITS}
task = classification
normalize = standard
validation = 0.2
{COMMON}
train.loss = mse, cross_entropy, bce
"""
REGRESSION_STUDY = f"""
[data]
source = synthetic
draw = study
task = regression
rows = 400
columns = 30
outputs = 3
relation = linear
validation = 0.2
{COMMON}
"""

checks = Checks()
shutil.rmtree("engines", ignore_errors=True)
os.makedirs("engines")
os.chdir("engines")
for name, text in (("digits", DIGITS_STUDY), ("regression", REGRESSION_STUDY)):
    with open(name + ".cfg", "w") as file:
        file.write(text)


def train(study, engine, *args):
    """Runs a study; returns the rows of results.csv and the line on engines in the summary."""
    shutil.rmtree("run", ignore_errors=True)
    result = sheaf("run", study + ".cfg", f"--run.engine={engine}", "--run.device=cpu", "--run.output=run", *args)
    checks.check(result.code == 0, f"{study}, {engine}: the run succeeds", result.stderr)
    lines = [line for line in result.stdout.splitlines() if line.startswith("engine: ")]
    checks.check(len(lines) == 1, f"{study}, {engine}: the summary has one line on engines", result.stdout)
    return (read_csv("run/results.csv"), lines[0]) if result.code == 0 and lines else ([], "")


def distance(ours, theirs):
    return abs(float(ours) - float(theirs)) / max(abs(float(theirs)), 1e-30)


def compare(study, count, *args):
    torch, torch_line = train(study, "torch", *args)
    native, native_line = train(study, "native", *args)
    checks.check(len(torch) == len(native) == count, f"{study}: {count} trainings", f"{len(torch)} {len(native)}")
    checks.check(torch_line == f"engine: torch {count} iterations (run.engine = torch)", "the summary names torch",
                 torch_line)
    checks.check(native_line == f"engine: native {count} iterations", "the summary names native", native_line)
    for one, other in zip(torch, native):
        case = " ".join(value for key, value in one.items() if "." in key)
        checks.check(one["engine"] == "torch" and other["engine"] == "native", f"{case}: engine column",
                     f"{one['engine']} {other['engine']}")
        checks.check(one["status"] == other["status"] == "finished" and one["steps"] == other["steps"],
                     f"{case}: status and number of steps", f"{one}\n{other}")
        for loss in ("final_loss", "validation_loss"):
            checks.check(distance(other[loss], one[loss]) < TOLERANCE[one["train.precision"]], f"{case}: {loss}",
                         f"{one[loss]} by torch, {other[loss]} by the native engine")
    return native


rows = compare("digits", 96)
checks.check(len({row["final_loss"] for row in rows}) == 96, "all trials have different losses")
for reduction, rate in (("mean", "1e-3"), ("sum", "1e-4")):
    rows = compare("regression", 32, f"--train.reduction={reduction}", f"--train.learning_rate={rate}")
    checks.check(len({row["final_loss"] for row in rows}) == 32, f"{reduction}: all trials have different losses")

# Models that the native engine cannot train: run.engine = native refuses them, run.engine = auto uses LibTorch.
CNN = ["--model.kind=cnn", "--model.channels=4", "--data.image=1x8x8", "--search.train.optimizer=sgd",
       "--search.model.activation=relu", "--search.train.loss=cross_entropy", "--search.train.precision=float32"]
for args, reason, advice in (
        (CNN, "run.engine = native cannot train the model with model.activation = relu, train.precision = float32 "
         "(the network has convolutions)", "Set run.engine = auto."),
        (["--run.threads=2", "--run.lanes=1"],
         "run.engine = native supports only one thread per lane, but run.threads = 2", "Leave out run.threads"),
        (CNN[1:] + ["--search.model.kind=mlp, cnn"], "the network has convolutions", "Set run.engine = auto.")):
    result = sheaf("run", "digits.cfg", "--run.engine=native", "--run.device=cpu", "--run.output=refused", *args)
    lines = result.error_lines()
    checks.check(result.code == 2 and len(lines) == 1 and reason in lines[0] and "run.engine = auto" in lines[0]
                 and advice in lines[0], f"{reason}: refused", result.stderr)
    checks.check(not os.path.exists("refused"), f"{reason}: no run directory is created")
rows, line = train("digits", "auto", *CNN, "--train.epochs=1")
checks.check({row["engine"] for row in rows} == {"torch"} and
             line == "engine: torch 1 iteration (the network has convolutions)", "auto: LibTorch trains a cnn", line)
rows, line = train("digits", "auto", *CNN[3:], "--train.epochs=1", "--search.model.kind=mlp, linear")
checks.check({row["engine"] for row in rows} == {"native"} and line == "engine: native 2 iterations",
             "auto: the native engine trains mlp and linear models", line)

# Features and targets are rounded to float32 as they are read, even with train.precision = float64.
random = numpy.random.default_rng(1)
values = {"features": random.normal(size=(300, 8)), "targets": random.normal(size=(300, 2))}
found = {}
with open("plain.cfg", "w") as file:
    file.write("[data]\n")
for name, convert in (("float64", lambda array: array), ("rounded", lambda array: array.astype("f4").astype("f8")),
                      ("coarser", lambda array: array.astype("f2").astype("f8"))):
    with h5py.File(name + ".h5", "w") as file:
        for key, array in values.items():
            file[key] = convert(array)
    for engine in ("native", "torch"):
        for mode in ("memory", "streamed"):
            shutil.rmtree("run", ignore_errors=True)
            result = sheaf("run", "plain.cfg", f"--data.file={name}.h5", "--data.task=regression", "--model.kind=mlp",
                           "--model.hidden=8", "--train.precision=float64", "--train.epochs=2", "--run.device=cpu",
                           "--run.output=run",
                           f"--run.engine={engine}", f"--data.mode={mode}")
            checks.check(result.code == 0, f"{name} features, {engine}, {mode}: the run succeeds", result.stderr)
            found[name, engine, mode] = [row["final_loss"] for row in read_csv("run/results.csv")]
for (name, engine, mode), losses in found.items():
    same = losses == found["float64", engine, mode]
    checks.check(same == (name != "coarser"),
                 f"{name} features, {engine}, {mode}: losses compared with those of float64 features", str(found))

with open("log.cfg", "w") as file:
    file.write(f"[study]\niterations = 2\n[data]\nfile = {DIGITS}\ntask = classification\nwindow = 300\n"
               "validation = 0\n[model]\nkind = mlp\nhidden = 16\n[train]\nepochs = 2\nloss = cross_entropy\n")

# run.log_every shows the loss of the running epoch and changes no results. 1797 rows are 57 batches of 32.
for engine in ("native", "torch"):
    for mode in ("memory", "streamed"):
        found = {}
        for every in ("auto", "20"):
            shutil.rmtree("run", ignore_errors=True)
            result = sheaf("run", "log.cfg", f"--run.engine={engine}", f"--data.mode={mode}",
                           f"--run.log_every={every}", "--run.output=run", ranks=2 if every == "20" else None)
            checks.check(result.code == 0, f"run.log_every = {every}: the run succeeds", result.stderr)
            found[every] = [row["final_loss"] for row in read_csv("run/results.csv")] if result.code == 0 else []
            lines = re.findall(r"(?:\[\d/2\] )?iteration (\d), epoch (\d), batch (\d+): loss (\S+)$", result.stderr,
                               re.MULTILINE)
            expected = [(iteration, epoch, batch) for iteration in "01" for epoch, batch in
                        (("0", "20"), ("0", "40"), ("1", "3"), ("1", "23"), ("1", "43"))] if every == "20" else []
            checks.check(sorted(line[:3] for line in lines) == sorted(expected) and
                         all(0 < float(line[3]) < 10 for line in lines),
                         f"{engine}, {mode}, run.log_every = {every}: lines", result.stderr)
        checks.check(found["auto"] == found["20"], f"{engine}, {mode}: run.log_every changes no losses", str(found))
sys.exit(checks.finish())
