"""Helpers of the GPU tests: detection of GPUs, a model of each kind, and the comparison of losses.

With SHEAF_GPU_TESTS=cpu in the environment everything runs on CPU cores, to try the tests without a GPU.
"""

import math
import os
import re
import shutil
import sys
import tempfile

import h5py

# Appended last: array.py in that folder would otherwise hide the module array of Python.
sys.path.append(os.path.join(os.path.dirname(os.path.abspath(__file__)), "../app"))
from program import DIGITS, read_csv, sheaf  # noqa: E402

# Each test has its own TMPDIR, since programs that start at the same time race to create Open MPI's folder in it.
_TEMPORARY = tempfile.TemporaryDirectory()
os.environ["TMPDIR"] = _TEMPORARY.name

DEVICE = os.environ.get("SHEAF_GPU_TESTS", "cuda")

STUDY = f"""
[data]
file = {DIGITS}
task = classification
normalize = standard
image = 1x8x8
[train]
epochs = 2
batch_size = 32
optimizer = adam
learning_rate = 1e-3
epsilon = 1e-4  # with less, rounding of a gradient near zero becomes a full step of the optimizer
loss = cross_entropy
"""

# Keys of a model of each kind. torchscript_module() writes module.pt.
MODELS = {
    "linear": ["--model.kind=linear"],
    "mlp": ["--model.kind=mlp", "--model.hidden=64 32"],
    "embedding": ["--model.kind=mlp", "--model.hidden=64", "--model.embedding=piecewise"],
    "cnn": ["--model.kind=cnn", "--model.channels=8 16", "--model.hidden=32"],
    "resnet18": ["--model.kind=resnet18", "--data.file=few.h5", "--train.epochs=1"],
    "torchscript": ["--model.kind=torchscript:module.pt"],
    "plugin": [f"--model.kind=plugin:{os.environ.get('GATED_MLP', '')}"],
}


def skip(reason):
    """Ends the script as a skipped test."""
    print(f"skipped: {reason}")
    sys.exit(77)


def find_gpus():
    """Returns the usable GPUs, as named in CUDA_VISIBLE_DEVICES, and the reason if there are none."""
    if DEVICE != "cuda":
        return ["0"], ""
    info = sheaf("info").stdout
    reason = re.search(r"^GPUs +none \((.*)\)$", info, re.MULTILINE)
    if reason:
        return [], f"no GPU can be used ({reason[1]})"
    torch = re.search(r"^LibTorch +(\S+), (\d*)", info, re.MULTILINE)
    if not torch[2]:
        return [], f"LibTorch {torch[1]} was built without CUDA, or cannot use this driver"
    visible = os.environ.get("CUDA_VISIBLE_DEVICES")
    return visible.split(",") if visible else [str(gpu) for gpu in range(int(torch[2]))], ""


def need_gpus(count=1):
    """Returns the usable GPUs; skips the test if there are fewer than `count`."""
    gpus, reason = find_gpus()
    if not gpus:
        skip(reason)
    if len(gpus) < count:
        skip(f"this test needs {count} GPUs, and this machine has {len(gpus)}")
    return gpus


def enter(folder):
    """Creates a folder with study.cfg and few.h5 (300 rows) and makes it the working directory."""
    shutil.rmtree(folder, ignore_errors=True)
    os.makedirs(folder)
    os.chdir(folder)
    with open("study.cfg", "w") as file:
        file.write(STUDY)
    with h5py.File(DIGITS) as digits, h5py.File("few.h5", "w") as file:
        for name in ("features", "targets"):
            file[name] = digits[name][:300]


def torchscript_module(path="module.pt", channels=1, pixels=64):
    """Saves a convolutional network with batch norm."""
    import torch
    from torch import nn

    torch.jit.script(nn.Sequential(nn.Conv2d(channels, 6, 3, padding=1), nn.BatchNorm2d(6), nn.Tanh(), nn.MaxPool2d(2),
                                   nn.Flatten(), nn.Linear(6 * pixels // 4, 10))).save(path)


def train(checks, case, *args, output="run", device=DEVICE, **options):
    """Runs the study; returns the rows of results.csv (empty if the run failed) and the result of the program."""
    shutil.rmtree(output, ignore_errors=True)
    result = sheaf("run", "study.cfg", f"--run.device={device}", f"--run.output={output}", *args, **options)
    checks.check(result.code == 0, f"{case}: the run succeeds", result.stderr)
    rows = read_csv(f"{output}/results.csv") if result.code == 0 else []
    checks.check(all(row["status"] == "finished" for row in rows), f"{case}: all iterations finished", str(rows))
    return rows, result


def on_gpu(row):
    """Whether LibTorch trained the iteration on a GPU."""
    return row["engine"] == "torch" and row["device"].startswith(DEVICE)


def distance(rows, expected):
    """The largest relative difference of losses; infinite if the numbers of rows differ."""
    if len(rows) != len(expected) or not rows:
        return math.inf
    pairs = [(float(row[name]), float(other[name])) for row, other in zip(rows, expected)
             for name in ("final_loss", "validation_loss") if row[name]]
    return max(abs(ours / theirs - 1) for ours, theirs in pairs)
