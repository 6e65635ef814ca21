"""Compares model files with PyTorch: torch.jit.load opens models that `sheaf run` wrote, and `sheaf evaluate` opens
modules scripted in Python. Predictions agree to 1e-5.

    compare_model_files.py SHEAF DIGITS.h5

SPDX-License-Identifier: MIT
"""
import pathlib
import subprocess
import sys
import tempfile

from oracle import skip, study_text

try:
    import h5py
    import numpy
    import torch
except ImportError as error:
    skip(error)

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
    study = {"data": {"file": DIGITS, "task": "classification", "normalize": "standard"},
             "train": {"epochs": 2, "optimizer": "adam", "loss": "cross_entropy"}, "run": {"models": "all"}}
    networks = {"linear": {"kind": "linear"}, "no-bias": {"kind": "mlp", "hidden": 33, "bias": "false"},
                "wide": {"kind": "mlp", "hidden": "200 70"},
                "cnn": {"kind": "cnn", "channels": "4 8", "hidden": 16}}
    networks.update({name: {"kind": "mlp", "hidden": "20 12", "activation": name, "dropout": 0.2}
                     for name in ("tanh", "sigmoid", "gelu")})
    for name, model in networks.items():
        image = {"image": "1x8x8"} if name == "cnn" else {}
        (folder / "study.cfg").write_text(study_text({**study, "study": {"name": name}, "model": model,
                                                      "data": {**study["data"], **image}}))
        done = run(folder, "run", "study.cfg")
        check(done.returncode == 0, f"{name}: the run succeeds", done.stderr)
        path = f"runs/{name}/models/iteration-0.pt"
        module = torch.jit.load(str(folder / path))
        theirs = module(features.float()).softmax(1)
        report = compare(folder, path, theirs, name)
        loss = torch.nn.functional.cross_entropy(module(features), labels).item()
        check(f"loss         {loss:.5g}"[:-1] in report, f"{name}: loss {loss}", report)
        if name != "cnn":
            check("engine       native" in report, f"{name}: native engine", report)
            compare(folder, path, theirs, f"{name}, evaluated by LibTorch", "--run.engine=torch")
    check(module(features.view(-1, 1, 8, 8)[:3]).shape == (3, 10), "the exported cnn accepts images and flattens them")

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
sys.exit(1 if failures else 0)
