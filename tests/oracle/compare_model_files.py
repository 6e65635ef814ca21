"""Compares model files with PyTorch: torch.jit.load opens models that `sheaf run` wrote, and `sheaf evaluate` opens
modules scripted in Python. Predictions agree to 1e-5.

    compare_model_files.py SHEAF DIGITS.h5

SPDX-License-Identifier: MIT
"""
import io
import json
import pathlib
import pickletools
import re
import struct
import subprocess
import sys
import tempfile
import zipfile

from oracle import skip, study_text

try:
    import h5py
    import numpy
    import torch
except ImportError as error:
    skip(error)

torch.set_num_threads(1)  # other tests use the cores, too
SHEAF, DIGITS = sys.argv[1], str(pathlib.Path(sys.argv[2]).resolve())
failures = 0


def check(good, name, details=""):
    global failures
    print(f"{'ok    ' if good else 'FAILED'} {name} {'' if good else details}")
    failures += not good


def run(folder, *args):
    return subprocess.run([SHEAF, *args], cwd=folder, capture_output=True, text=True, timeout=600, check=False)


def evaluate(folder, model, *args):
    """Returns the predictions (None on failure) and the report."""
    done = run(folder, "evaluate", model, f"--data.file={DIGITS}", "--predictions=p.h5", "--overwrite=true", *args)
    if done.returncode != 0:
        return None, done.stderr
    with h5py.File(folder / "p.h5") as file:
        return file["probabilities" if "probabilities" in file else "values"][:], done.stdout


def compare(folder, model, theirs, name, *args):
    ours, report = evaluate(folder, model, *args)
    distance = numpy.inf if ours is None else abs(ours - theirs.detach().numpy()).max()
    check(distance < 1e-5, f"{name}: {distance:.1e}", report)
    return report


def refused(folder, module, reason, *args):
    torch.jit.script(module).save(str(folder / "bad.pt"))
    done = run(folder, "evaluate", "bad.pt", f"--data.file={DIGITS}", *args)
    lines = [line for line in done.stderr.splitlines() if "error: " in line]
    check(done.returncode == 1 and len(lines) == 1 and reason in lines[0], f"refused: {reason}", done.stderr)


class Scripted(torch.nn.Module):
    """A scripted module with batch norm and dropout, which behave differently in evaluation mode."""

    def __init__(self):
        super().__init__()
        self.convolution = torch.nn.Conv2d(1, 4, 3, padding=1)
        self.norm = torch.nn.BatchNorm2d(4)
        self.drop = torch.nn.Dropout(0.5)
        self.dense = torch.nn.Linear(4 * 64, 10)

    def forward(self, features):
        values = torch.relu(self.norm(self.convolution(features / 16)))
        return self.dense(self.drop(values.flatten(1)))


def check_training(module, name, drops, norms, steps=30):
    """The module of a file can be trained further: `drops`, `norms`: whether it has dropout and batch norm. On few
    rows: a step of a ResNet takes long."""
    check(not module.training and all(parameter.requires_grad for parameter in module.parameters()),
          f"{name}: loaded in evaluation mode, with parameters that require gradients")
    rows, targets = features[:60].float(), labels[:60]
    module.train()
    buffers = [buffer.clone() for buffer in module.buffers()]
    first, second = module(rows).detach(), module(rows).detach()
    check(torch.equal(first, second) != drops, f"{name}: dropout in training mode: {drops}")
    changed = any(not torch.equal(old, new) for old, new in zip(buffers, module.buffers()))
    check(changed == norms, f"{name}: running statistics change in training mode: {norms}")
    check(torch.allclose(first, module.eval()(rows), 1e-4, 1e-4) != (drops or norms),
          f"{name}: training and evaluation mode differ: {drops or norms}")
    before = torch.nn.functional.cross_entropy(module(rows), targets).item()
    optimizer = torch.optim.Adam(module.parameters(), lr=3e-3)
    module.train()
    for _ in range(steps):
        optimizer.zero_grad()
        torch.nn.functional.cross_entropy(module(rows), targets).backward()
        optimizer.step()
    buffers = [buffer.clone() for buffer in module.buffers()]
    after = torch.nn.functional.cross_entropy(module.eval()(rows), targets).item()
    check(after < 0.9 * before, f"{name}: an optimizer lowers the loss from {before:.3g} to {after:.3g}")
    check(all(torch.equal(old, new) for old, new in zip(buffers, module.buffers())),
          f"{name}: evaluation mode changes no buffer")


def check_archive(folder, path, module, name):
    """Python reads the archive without LibTorch: its members, their checksums and alignment, and its pickles. A copy that
    torch.jit.save writes has the same tensors and, with the record, the same predictions."""
    content = (folder / path).read_bytes()
    with zipfile.ZipFile(io.BytesIO(content)) as archive:
        check(archive.testzip() is None, f"{name}: the checksums of the archive")
        starts = [info.header_offset + 30 + sum(struct.unpack_from("<HH", content, info.header_offset + 26))
                  for info in archive.infolist()]
        check(all(start % 64 == 0 for start in starts), f"{name}: the members are aligned", starts)
        for member in ("archive/data.pkl", "archive/constants.pkl"):
            pickletools.dis(archive.read(member), out=io.StringIO())  # checks the stack of the unpickler
        stored = {"archive/" + part for part in ("data.pkl", "constants.pkl", "code/__torch__.py", "version",
                                                 "extra/sheaf", *(f"data/{i}" for i in range(len(module.state_dict()))))}
        check(stored == set(archive.namelist()), f"{name}: the members of the archive", archive.namelist())
        record = archive.read("archive/extra/sheaf")
    torch.jit.save(module, str(folder / "again.pt"), _extra_files={"sheaf": record})
    again = torch.jit.load(str(folder / "again.pt"))
    pairs = list(zip(module.state_dict().items(), again.state_dict().items()))
    check(len(pairs) == len(again.state_dict()) and
          all(ours[0] == theirs[0] and torch.equal(ours[1], theirs[1]) for ours, theirs in pairs),
          f"{name}: saved again by torch.jit.save", list(again.state_dict()))
    for other in (torch.float64, torch.float32):
        again = again.to(other)
    check(torch.equal(again(features.float()), module(features.float())), f"{name}: moved to float64 and back")
    compare(folder, "again.pt", module(features.float()).softmax(1), f"{name}, saved again")


def check_counts(folder):
    """A model trained with poisson returns the exponentials of its outputs, as sheaf predicts."""
    generator = numpy.random.default_rng(2)
    rows = generator.normal(size=(400, 3)).astype("f4")
    with h5py.File(folder / "counts.h5", "w") as file:
        file["features"], file["targets"] = rows, generator.poisson(numpy.exp(rows[:, 0] + 1))
    for engine in ("native", "torch"):
        done = run(folder, "run", "counts.h5", f"--run.output=counts-{engine}", f"--run.engine={engine}",
                   "--run.device=cpu", "--train.loss=poisson", "--train.epochs=3", "--run.models=all")
        check(done.returncode == 0, f"counts, {engine}: trained", done.stderr)
        model = f"counts-{engine}/models/iteration-0.pt"
        for predictor in ("native", "torch"):
            done = run(folder, "evaluate", model, "--data.file=counts.h5", "--predictions=c.h5", "--overwrite=true",
                       f"--run.engine={predictor}", "--run.device=cpu")
            with h5py.File(folder / "c.h5") as file:
                ours = file["values"][:]
            theirs = torch.jit.load(str(folder / model))(torch.from_numpy(rows)).detach().numpy()
            check(abs(ours / theirs - 1).max() < 1e-5 and theirs.min() > 0 and theirs.max() > 2,
                  f"counts, {engine}, evaluated by {predictor}", done.stderr)


def check_offsets(folder):
    """Features and targets with offsets up to 1e9 times their spread: Sheaf's predictions and scores, and those of the
    module of the file, equal those of the same network in float64."""
    generator = numpy.random.default_rng(1)
    for factor in (1e4, 1e6, 1e9):
        plain = generator.normal(size=(400, 3))
        offset = numpy.round(factor * numpy.array([1, -0.7, 0])) + 0.5
        rows = plain + offset
        targets = plain @ [1, -2, 0.5] + 0.1 * generator.normal(size=400) + 2 * factor
        with h5py.File(folder / "offsets.h5", "w") as file:
            file["features"], file["targets"] = rows, targets
        for kind in ("--run.engine=native", "--run.engine=torch"):
            output = f"offsets-{factor:g}-{kind[-6:]}"
            done = run(folder, "run", "offsets.h5", f"--run.output={output}", kind, "--run.device=cpu",
                       "--train.epochs=3", "--model.hidden=8", "--model.activation=relu", "--run.models=all")
            check(done.returncode == 0, f"offsets of {factor:g}: trained", done.stderr)
            model = f"{output}/models/iteration-0.pt"
            done = run(folder, "evaluate", model, "--data.file=offsets.h5", "--predictions=p.h5", "--overwrite=true",
                       "--output=json", kind)
            check(done.returncode == 0, f"offsets of {factor:g}: evaluated", done.stderr)
            report = json.loads(done.stdout)
            with h5py.File(folder / "p.h5") as file:
                ours = file["values"][:]
            module = torch.jit.load(str(folder / model))
            theirs = module(torch.tensor(rows)).detach().numpy()
            # The network in float64, with the exact differences to the module's offsets.
            exact = {name: buffer.double() for name, buffer in module.named_buffers()}
            exact.update((name, parameter.detach().double()) for name, parameter in module.named_parameters())
            values = (torch.tensor(rows) - exact["offset"] - exact["shift"]) * exact["scale"]
            values = values / torch.sqrt(1 + (values * exact["clip"]) ** 2)
            values = torch.relu(values @ exact["weight0"].T + exact["bias0"])
            outputs = (values @ exact["weight1"].T + exact["bias1"]).numpy()
            whole = outputs + exact["target_offset"].numpy()
            residuals = targets - exact["target_offset"].numpy() - outputs[:, 0]
            loss = (residuals**2).mean()
            distance = max(abs(ours - whole).max(), abs(theirs - whole).max())
            check(ours.dtype == theirs.dtype == numpy.float64 and distance < 1e-5,
                  f"offsets of {factor:g}, {kind}: predictions {distance:.1e}")
            r2 = 1 - loss / targets.var()
            check(abs(report["loss"] / loss - 1) < 1e-5 and abs(report["r2"] - r2) < 1e-5,
                  f"offsets of {factor:g}, {kind}: scores", (report, loss, r2))
    # A module of Python that returns float64, and targets that float does not represent.
    module = torch.jit.script(Shifted())
    module.save(str(folder / "shifted.pt"))
    done = run(folder, "evaluate", "shifted.pt", "--data.file=offsets.h5", "--output=json")
    residuals = targets - 2e9 - plain[:, 2]
    report = json.loads(done.stdout) if done.returncode == 0 else {"loss": 0}
    check(abs(report["loss"] / (residuals**2).mean() - 1) < 1e-5, "outputs in float64 are scored in float64",
          (report, done.stderr))


def check_dropout(folder):
    """A module of Python with dropout trains as Sheaf's own network: it has the same initial weights and masks."""
    torch.jit.script(torch.nn.Sequential(
        torch.nn.Linear(64, 20), torch.nn.ReLU(), torch.nn.Dropout(0.3), torch.nn.Linear(20, 12), torch.nn.ReLU(),
        torch.nn.Dropout(0.3), torch.nn.Linear(12, 10))).save(str(folder / "dropout.pt"))
    common = [DIGITS, "--run.device=cpu", "--data.normalize=standard", "--train.epochs=4", "--study.iterations=4",
              "--run.models=all"]
    losses = {}
    for output, args in (
            ("dropping", ["--model.kind=mlp", "--model.hidden=20 12", "--model.dropout=0.3"]),
            ("dropping-script", [f"--model.kind=torchscript:{folder / 'dropout.pt'}", "--run.lanes=1"]),
            ("dropping-lanes", [f"--model.kind=torchscript:{folder / 'dropout.pt'}", "--run.lanes=4"])):
        done = run(folder, "run", *common, f"--run.output={output}", *args)
        check(done.returncode == 0, f"{output}: the run succeeds", done.stderr)
        with h5py.File(folder / output / "results.h5") as file:
            losses[output] = file["iterations"]["final_loss", "validation_loss"].tolist()
    ours, theirs = (numpy.array(losses[name]) for name in ("dropping", "dropping-script"))
    check(abs(theirs / ours - 1).max() < 1e-5, "dropout of a module has the masks of an MLP", losses)
    check(losses["dropping-lanes"] == losses["dropping-script"], "dropout of a module is the same on any number of lanes")
    module = torch.jit.load(str(folder / "dropping-script/models/iteration-0.pt"))
    rows = features[:5].float()
    check(torch.equal(module(rows), module(rows)), "a saved module drops nothing in evaluation mode")
    module.train()
    check(not torch.equal(module(rows), module(rows)), "a saved module has its dropout in training mode")


def check_ensembles(folder):
    """The TorchScript file of an ensemble of trials gives the predictions of Sheaf, which averages those of its models:
    for networks of all kinds, losses that differ, labels, counts, offsets of features and targets, and empty cells."""
    generator = numpy.random.default_rng(3)
    rows = generator.normal(size=(300, 3))
    sums = rows @ [1, -2, 0.5]
    with h5py.File(folder / "labels.h5", "w") as file:
        file["features"], file["targets"] = rows.astype("f4"), numpy.stack([sums > 0, rows[:, 0] > 1], axis=1).astype("i8")
    with h5py.File(folder / "events.h5", "w") as file:
        file["features"], file["targets"] = rows.astype("f4"), generator.poisson(numpy.exp(sums / 2)).astype("f4")
    with h5py.File(folder / "far.h5", "w") as file:
        file["features"], file["targets"] = rows + 1e6, numpy.stack([sums + 1e7, rows[:, 0]], axis=1)
    cells = numpy.where(generator.random(rows.shape) < 0.2, numpy.nan, rows)
    with open(folder / "cells.csv", "w") as file:
        file.write("a,b,c,target\n")
        for row, target in zip(cells, sums):
            file.write(",".join("" if numpy.isnan(cell) else repr(float(cell)) for cell in row) + f",{float(target)!r}\n")
    done = run(folder, "import", "cells.csv", "cells.h5")
    check(done.returncode == 0, "a table with empty cells", done.stderr)
    classes = lambda outputs: outputs.softmax(1)
    for name, data, given, predictions, *args in (
            ("kinds", DIGITS, features.float(), classes, "--data.image=1x8x8", "--search.model.kind=linear, mlp, cnn",
             "--model.channels=4", "--model.norm=batch", "--search.folds=2"),
            ("losses", DIGITS, features.float(), torch.exp, "--search.train.loss=cross_entropy, bce", "--search.folds=2"),
            ("bce", DIGITS, features.float(), torch.sigmoid, "--train.loss=bce"),
            ("labels", "labels.h5", torch.from_numpy(rows).float(), torch.sigmoid, "--data.task=multilabel"),
            ("counts", "events.h5", torch.from_numpy(rows).float(), lambda outputs: outputs,
             "--search.train.loss=mse, poisson", "--data.task=regression"),
            ("offsets", "far.h5", torch.from_numpy(rows + 1e6), lambda outputs: outputs, "--search.folds=2"),
            ("cells", "cells.h5", torch.from_numpy(cells).float(), lambda outputs: outputs, "--search.folds=3")):
        output = f"ensemble-{name}"
        done = run(folder, "run", data, f"--run.output={output}", "--run.device=cpu", "--train.epochs=3",
                   "--model.hidden=8", "--search.train.learning_rate=1e-2, 1e-1, 3e-1", "--search.ensemble=greedy",
                   *(() if any("folds" in arg for arg in args) else ("--data.validation=0.3",)), *args)
        check(done.returncode == 0, f"{output}: the run succeeds", done.stderr)
        members = json.loads((folder / output / "models/ensemble.json").read_text())["members"]
        module = torch.jit.load(str(folder / output / "models/ensemble.pt"))
        done = run(folder, "predict", output, data, "e.h5", "--overwrite", "--model=ensemble")
        check(done.returncode == 0, f"{output}: predicted", done.stderr)
        with h5py.File(folder / "e.h5") as file:
            ours = file["probabilities" if "probabilities" in file else "values"][:]
        theirs = predictions(module(given)).detach().numpy()
        distance = abs(ours - theirs).max() / max(1, abs(ours).max())
        check(len(members) > 1 and distance < 1e-5 and (name != "offsets" or theirs.dtype == numpy.float64),
              f"{output}: {len(members)} members, {distance:.1e}", members)
        with zipfile.ZipFile(folder / output / "models/ensemble.pt") as archive:
            check(archive.testzip() is None, f"{output}: the checksums of the archive")
            pickletools.dis(archive.read("archive/data.pkl"), out=io.StringIO())
        torch.jit.save(module, str(folder / "again.pt"))
        check(torch.equal(torch.jit.load(str(folder / "again.pt"))(given), module(given)), f"{output}: saved again")


class Shifted(torch.nn.Module):
    def forward(self, features):
        return features[:, 2:].double() - 0.5 + 2e9


class Fails(torch.nn.Module):
    def forward(self, features):
        if features.size(1) == 64:
            raise ValueError("no digits here")
        return features


class Wrong(torch.nn.Module):
    def forward(self, features):
        return features.unsqueeze(2)


class Pair(torch.nn.Module):
    def forward(self, features):
        return features, features


with h5py.File(DIGITS) as file:
    features, labels = torch.tensor(file["features"][:]), torch.tensor(file["targets"][:]).long()
torch.manual_seed(1)
with tempfile.TemporaryDirectory() as name:
    folder = pathlib.Path(name)
    study = {"data": {"file": DIGITS, "task": "classification", "normalize": "robust"},
             "train": {"epochs": 2, "optimizer": "adam", "learning_rate": 1e-2, "loss": "cross_entropy"},
             "run": {"models": "all"}}
    networks = {"linear": {"kind": "linear"}, "no-bias": {"kind": "mlp", "hidden": 33, "bias": "false"},
                "wide": {"kind": "mlp", "hidden": "200 70"},
                "norm": {"kind": "mlp", "hidden": "70 12 3", "norm": "layer", "activation": "silu", "dropout": 0.2},
                "batch-norm": {"kind": "mlp", "hidden": "70 12", "norm": "batch", "activation": "silu", "dropout": 0.2},
                "embedding": {"kind": "mlp", "hidden": 20, "embedding": "piecewise"},
                "cnn-norm": {"kind": "cnn", "channels": "4 8", "hidden": 16, "norm": "batch"},
                "cnn": {"kind": "cnn", "channels": "4 8", "hidden": 16}}
    networks.update({name: {"kind": "mlp", "hidden": "20 12", "activation": name, "dropout": 0.2}
                     for name in ("tanh", "sigmoid", "gelu", "silu", "leaky_relu", "elu", "selu", "mish")})
    torch.jit.script(torch.nn.Sequential(torch.nn.Linear(64, 20), torch.nn.BatchNorm1d(20), torch.nn.ReLU(),
                                         torch.nn.Linear(20, 10))).save(str(folder / "normed.pt"))
    networks["resnet18"] = {"kind": "resnet18"}
    networks["torchscript"] = {"kind": f"torchscript:{folder / 'normed.pt'}"}
    for name, model in networks.items():
        image = {"image": "1x8x8"} if name in ("cnn", "cnn-norm", "resnet18") else {}
        if name == "resnet18":
            image["validation"] = 0.8  # trains on few rows
        (folder / "study.cfg").write_text(study_text({**study, "study": {"name": name}, "model": model,
                                                      "data": {**study["data"], **image}}))
        done = run(folder, "run", "study.cfg")
        check(done.returncode == 0, f"{name}: the run succeeds", done.stderr)
        path = f"runs/{name}/models/iteration-0.pt"
        has_native_engine = name not in ("cnn", "cnn-norm", "resnet18", "torchscript")
        module = torch.jit.load(str(folder / path))
        theirs = module(features.float()).softmax(1)
        report = compare(folder, path, theirs, name)
        loss = torch.nn.functional.cross_entropy(module(features), labels).item()
        check(re.search(rf"^loss +{re.escape(f'{loss:.5g}'[:-1])}", report, re.M), f"{name}: loss {loss}", report)
        if has_native_engine:
            check(re.search("^engine +native$", report, re.M), f"{name}: native engine", report)
            compare(folder, path, theirs, f"{name}, evaluated by LibTorch", "--run.engine=torch")
        if name != "torchscript":
            check_archive(folder, path, module, name)
        if name in ("cnn", "cnn-norm"):
            check(module(features.view(-1, 1, 8, 8)[:3]).shape == (3, 10), "an exported cnn accepts images")
        # Without optimization: the TorchScript compiler of Debian 13 hangs on the gradient of an MLP.
        with torch.jit.optimized_execution(False):
            check_training(module, name, "dropout" in model,
                           name in ("batch-norm", "cnn-norm", "resnet18", "torchscript"),
                           10 if name == "resnet18" else 30)

    scripted = Scripted()
    scripted(torch.rand(64, 1, 8, 8) * 16)  # updates the running means
    torch.jit.script(scripted).save(str(folder / "scripted.pt"))
    outputs = scripted.eval()(features.float().view(-1, 1, 8, 8))
    compare(folder, "scripted.pt", outputs.softmax(1), "scripted in Python", "--data.image=1x8x8")
    compare(folder, "scripted.pt", outputs.sigmoid(), "scripted in Python, --loss=bce", "--data.image=1x8x8",
            "--loss=bce")
    compare(folder, "scripted.pt", outputs, "scripted in Python, plain outputs", "--data.image=1x8x8",
            "--data.targets=",
            "--data.task=regression")
    refused(folder, Fails(), "no digits here")
    refused(folder, Wrong(), "returns outputs [1, 64, 1]")
    refused(folder, Pair(), "does not return one tensor")
    refused(folder, torch.nn.Linear(60, 10), "cannot be multiplied")
    refused(folder, torch.nn.Linear(64, 7), "labels are 0 to 6")
    refused(folder, torch.nn.Linear(64, 1), "a classifier needs one output per class")
    check_counts(folder)
    check_offsets(folder)
    check_dropout(folder)
    check_ensembles(folder)
sys.exit(1 if failures else 0)
