"""Embeddings of numbers (model.embedding) and of categories (model.categories): the same bits for any number of ranks, after a kill, in memory and streamed;
saved models in both engines and in PyTorch; studies that cannot have one."""

import glob
import json
import os
import shutil

import h5py
import numpy
import torch

from program import DIGITS, SHEAF, Checks, Started, read_csv, sheaf

checks = Checks()
shutil.rmtree("embedding", ignore_errors=True)
os.makedirs("embedding")
os.chdir("embedding")
OF_THE_JOB = {"seconds", "data_seconds", "training_seconds", "validation_seconds", "wait_seconds", "rank", "lane",
              "device", "engine"}

# A table with a column of texts, a constant, empty cells, and classes that are not linear in the numbers.
random = numpy.random.default_rng(3)
numbers = random.normal(size=(700, 4)) * [1, 20, 0, 5] + [0, 100, 7, -3]
colors = random.choice(["red", "blue", "green"], 700)
cities = random.integers(0, 15, 700)
bent = (abs(numbers[:, 0]) > 0.8) | (abs(numbers[:, 3] + 3) > 9) | ((colors == "red") & (numbers[:, 1] > 110))
with open("table.csv", "w") as file:
    file.write("a,b,color,c,d,city,class,target\n")
    for row, values in enumerate(numbers):
        cells = ["" if column != 2 and (row * 7 + column) % 13 == 0 else f"{value:.6g}"
                 for column, value in enumerate(values)]
        target = abs(values[0]) + numpy.sin(values[3]) + (colors[row] == "blue") + cities[row] % 2
        cells[2:2] = [colors[row]]
        cells.append(f"city {cities[row]}" if row % 29 else "")
        file.write(",".join([*cells, "yes" if bent[row] else "no", f"{target:.6g}"]) + "\n")
for name, label, drop in (("classes", "class", "target"), ("targets", "target", "class")):
    result = sheaf("import", "table.csv", f"{name}.h5", f"--label={label}", f"--drop={drop}")
    checks.check(result.code == 0, f"import of {name}", result.stderr)
result = sheaf("import", "table.csv", "without.h5", "--label=target", "--drop=class,city,color")
checks.check(result.code == 0, "import without texts", result.stderr)
with h5py.File("classes.h5") as file, h5py.File("chunks.h5", "w") as copy:
    for key, value in file.attrs.items():
        copy.attrs[key] = value
    for key in file:
        copy.create_dataset(key, data=file[key][:], chunks=(50,) + file[key].shape[1:])
        for attribute, value in file[key].attrs.items():
            copy[key].attrs[attribute] = value

JOB = ["--run.device=cpu", "--run.progress=none", "--search.folds=2"]
BASE = [*JOB, "--train.epochs=12", "--train.batch_size=32", "--train.learning_rate=0.003"]
MLP = ["--model.kind=mlp", "--model.hidden=24"]
PIECEWISE = "--model.embedding=piecewise"
ONE_HOT = "--model.categories=one_hot"


def run(name, *args, models="all", ranks=None):
    result = sheaf("run", *args, f"--run.models={models}", f"--run.output={name}", ranks=ranks)
    checks.check(result.code == 0, f"{name}: the run succeeds", result.stderr)


def rows(name):
    path = f"{name}/results.csv"
    return [{key: value for key, value in row.items() if key not in OF_THE_JOB}
            for row in read_csv(path)] if os.path.exists(path) else []


def model_bytes(name, iteration):
    with open(f"{name}/models/iteration-{iteration}.pt", "rb") as file:
        return file.read()


def loss(name):
    return numpy.mean([float(row["validation_loss"]) for row in rows(name)])


# Results and models.
for case, study in (
        ("native", ["classes.h5", *BASE, *MLP]), ("torch", ["classes.h5", *BASE, *MLP, "--run.engine=torch"]),
        ("streamed", ["chunks.h5", *BASE, *MLP, "--data.mode=streamed", "--data.window=100", "--data.memory=1"]),
        ("linear", ["targets.h5", *BASE, "--model.kind=linear"]),
        ("float64", ["targets.h5", *BASE, *MLP, "--train.precision=float64"])):
    run(case, *study, PIECEWISE)
    for ranks in (1, 2, 3) if case in ("native", "streamed") else (2,):
        run(f"{case}-{ranks}", *study, PIECEWISE, "--run.lanes=2", ranks=ranks)
        checks.check(rows(f"{case}-{ranks}") == rows(case) != [], f"{case}: {ranks} ranks have the same results")
        checks.check(all(model_bytes(f"{case}-{ranks}", number) == model_bytes(case, number) for number in range(2)),
                     f"{case}: {ranks} ranks have the same models")
    run(f"{case}-plain", *study)
    checks.check(loss(case) < 0.9 * loss(f"{case}-plain"), f"{case}: bends are learned",
                 f"{loss(case)} and {loss(f'{case}-plain')}")
checks.check(abs(loss("native") - loss("torch")) < 1e-3 * loss("torch"), "the engines agree",
             f"{loss('native')} and {loss('torch')}")

# A search, an ensemble and its saved models.
run("search", "classes.h5", *BASE, *MLP, "--search.model.embedding=none, piecewise", "--ensemble.members=2",
    ranks=2)
found = rows("search")
checks.check({row["model.embedding"] for row in found} == {"none", "piecewise"}, "the embedding is searched",
             str(found)[:300])
result = sheaf("verify", "search")
checks.check(result.code == 0, "iterations are verified", result.stdout + result.stderr)

# A killed run and its checkpoints.
for engine, epochs in (("native", 60), ("torch", 6)):
    study = [DIGITS, *JOB, *MLP, PIECEWISE, f"--train.epochs={epochs}", "--train.batch_size=8",
             "--run.checkpoint_interval=0.01", f"--run.engine={engine}"]
    long, killed = f"long-{engine}", f"killed-{engine}"
    run(long, *study)
    job = Started([SHEAF, "run", *study, "--run.models=all", f"--run.output={killed}"])
    checks.check(job.creep_until(lambda: glob.glob(f"{killed}/checkpoints/*")), f"{engine}: a training is saved")
    job.process.kill()
    job.finish()
    result = sheaf("resume", killed, ranks=3)
    checks.check(result.code == 0 and rows(killed) == rows(long) != [], f"{engine}: a killed run has the same bits",
                 result.stderr)
    checks.check(model_bytes(killed, 1) == model_bytes(long, 1), f"{engine}: with the same model")

# Categories, one-hot encoded or as embeddings, without embeddings of numbers.
for case, study, keys in (("one-hot", ["targets.h5", *BASE, *MLP], [ONE_HOT]),
                          ("one-hot-torch", ["targets.h5", *BASE, *MLP, "--run.engine=torch"], [ONE_HOT]),
                          ("looked-up", ["targets.h5", *BASE, *MLP], []),
                          ("linear-one-hot", ["targets.h5", *JOB, "--model.kind=linear", "--train.epochs=60", "--train.learning_rate=0.03"], [])):
    for ranks in (None, 2):
        run(f"{case}-{ranks}", *study, *keys, ranks=ranks)
    checks.check(rows(f"{case}-2") == rows(f"{case}-None") != [], f"{case}: 2 ranks have the same results")
    run(f"{case}-without", "without.h5", *study[1:], *keys)
    checks.check(loss(f"{case}-None") < 0.98 * loss(f"{case}-without"), f"{case}: the categories are used",
                 f"{loss(f'{case}-None')} and {loss(f'{case}-without')}")

# Predictions of both engines from a CSV file, and of PyTorch, for the rows of the data file: numbers and codes.
with h5py.File("classes.h5") as file:
    features = torch.tensor(file["features"][:])


def predictions(model, name, *args):
    """Returns what `sheaf predict` writes: probabilities, or predictions of targets."""
    result = sheaf("predict", model, "table.csv", f"{name}.csv", *args)
    checks.check(result.code == 0, f"{name}: predictions", result.stderr)
    table = read_csv(f"{name}.csv")
    keys = [key for key in table[0] if key.startswith("probability")] or ["prediction"]
    return numpy.array([[float(row[key]) for key in keys] for row in table])


def in_pytorch(module):
    with torch.no_grad():
        outputs = module(features)
    return (outputs.softmax(1) if outputs.size(1) > 1 else outputs).numpy()


for case in ("native", "torch", "float64", "one-hot-None", "one-hot-torch-None", "looked-up-None",
             "linear-one-hot-None"):
    model = f"{case}/models/iteration-0.pt"
    ours, theirs = (predictions(model, f"{case}-{engine}", f"--run.engine={engine}") for engine in ("native", "torch"))
    checks.check(numpy.allclose(ours, theirs, atol=1e-5), f"{case}: the engines predict the same")
    module = torch.jit.load(model)
    distance = numpy.abs(in_pytorch(module) - ours).max()
    checks.check(distance < 1e-5, f"{case}: PyTorch predicts the same", str(distance))
    module.train()
    module(features).sum().backward()
    checks.check(all(parameter.grad is not None for parameter in module.parameters()), f"{case}: trains further")

# A search with a refit, and the ensemble of its trials, some of which have an embedding.
run("trials", "classes.h5", *BASE, *MLP, "--search.method=grid", "--search.model.embedding=none, piecewise",
    "--search.model.categories=one_hot, embedding", "--search.ensemble=greedy", "--run.refit=true", models="best", ranks=2)
with open("trials/models/ensemble.json") as file:
    members = {member["keys"]["model.embedding"] for member in json.load(file)["members"]}
checks.check("piecewise" in members, "a trial with an embedding is in the ensemble", str(members))
distance = numpy.abs(in_pytorch(torch.jit.load("trials/models/ensemble.pt")) - predictions("trials", "ensemble")).max()
checks.check(distance < 1e-5, "the ensemble predicts the same in PyTorch", str(distance))
for command in (["evaluate", "search", "--data.file=classes.h5"], ["evaluate", "native", "--data.file=table.csv"],
                ["predict", "search", "table.csv", "all.csv"]):
    result = sheaf(*command)
    checks.check(result.code == 0, " ".join(command), result.stderr)
result = sheaf("importance", "native", "classes.h5")
names = {line.split()[0] for line in result.stdout.splitlines() if line.split()}
checks.check(result.code == 0 and names >= {"a", "b", "color", "c", "d", "city"}, "features have importances",
             result.stdout + result.stderr)

# The plan knows the parameters: 50 x 8 and 8 biases for each of four numbers, 8 for each city, the empty one and an
# unknown one, three one-hot features, and empty cells of three numbers.
result = sheaf("plan", "classes.h5", *BASE, *MLP, PIECEWISE)
parameters = 4 * 50 * 8 + 4 * 8 + 16 * 8 + (4 * 8 + 8 + 3 + 3) * 24 + 24 + 24 * 2 + 2
checks.check(str(parameters) in result.stdout.replace(",", ""), "the plan has the number of parameters",
             f"{parameters}\n{result.stdout}")

# Bad input.
module = torch.jit.script(torch.nn.Linear(6, 2))
module.save("linear.pt")
NO_EFFECT = "model.embedding = piecewise has no effect"
for study, message in (
        (["classes.h5", "--model.kind=torchscript:linear.pt", PIECEWISE], NO_EFFECT),
        (["classes.h5", "--model.kind=plugin:none.so", PIECEWISE], NO_EFFECT),
        ([DIGITS, "--model.kind=cnn", PIECEWISE], f"{NO_EFFECT} (model.kind = cnn)"),
        ([DIGITS, "--model.kind=resnet18", PIECEWISE], f"{NO_EFFECT} (model.kind = resnet18)"),
        ([DIGITS, "--data.image=1x8x8", PIECEWISE], f"{NO_EFFECT} (model.kind = cnn)"),  # chosen for images
        ([DIGITS, "--model.kind=linear", ONE_HOT], "model.categories = one_hot has no effect (model.kind = linear)"),
        (["classes.h5", "--model.categories=target"], "model.categories cannot be 'target'"),
        (["classes.h5", "--model.embedding=periodic"], "model.embedding cannot be 'periodic'")):
    result = sheaf("run", *study, "--run.output=refused")
    checks.check(result.code == 2 and message in result.stderr, f"bad input {study}", result.stderr)
result = sheaf("run", "chunks.h5", *JOB, *MLP, PIECEWISE, "--data.mode=streamed", "--data.normalize=none",
               "--search.repeats=501", "--run.output=refused")
checks.check(result.code == 2 and "model.embedding = piecewise supports at most 1000 splits" in result.stderr,
             "many splits of streamed data", result.stderr)
checks.check(not os.path.exists("refused"), "bad input leaves no directory")
raise SystemExit(checks.finish())
