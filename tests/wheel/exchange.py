"""Models that one build of Sheaf exports have the same outputs, to 1e-5, in a build with another LibTorch.

    exchange.py SHEAF OTHER_SHEAF DIGITS.h5

SPDX-License-Identifier: MIT
"""
import os
import pathlib
import subprocess
import sys
import tempfile

import h5py
import numpy

sys.path.insert(0, str(pathlib.Path(__file__).parents[1] / "oracle"))
from oracle import study_text

PROGRAMS = [os.path.abspath(program) for program in sys.argv[1:3]]
DIGITS = os.path.abspath(sys.argv[3])
MODELS = {"linear": {"kind": "linear"},
          "tanh": {"kind": "mlp", "hidden": "20 12", "activation": "tanh", "dropout": 0.2},
          "gelu": {"kind": "mlp", "hidden": 33, "activation": "gelu"},
          "embedding": {"kind": "mlp", "hidden": 20, "embedding": "piecewise"},
          "cnn": {"kind": "cnn", "channels": "4 8", "hidden": 16},
          "resnet18": {"kind": "resnet18"}}


def sheaf(program, folder, *args):
    done = subprocess.run([program, *args], cwd=folder, capture_output=True, text=True, timeout=600, check=False)
    if done.returncode != 0:
        sys.exit(f"{program} {' '.join(args)}: exit code {done.returncode}\n{done.stderr}")
    return done.stdout


def libtorch(program):
    """The LibTorch version that the program uses."""
    lines = sheaf(program, ".", "info").splitlines()
    return next(line.split()[1].rstrip(",") for line in lines if line.startswith("LibTorch "))


def outputs(program, folder, model, engine):
    sheaf(program, folder, "evaluate", model, f"--data.file={DIGITS}", "--predictions=outputs.h5", "--overwrite=true",
          f"--run.engine={engine}", "--run.device=cpu")
    with h5py.File(folder / "outputs.h5") as file:
        return file["probabilities"][:]


def main():
    versions = [libtorch(program) for program in PROGRAMS]
    if versions[0] == versions[1]:
        sys.exit(f"both programs use LibTorch {versions[0]}; this test needs two versions")
    failed = 0
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        for exporter in (0, 1):
            for kind, model in MODELS.items():
                run = f"{kind}-{versions[exporter]}"
                image = {"image": "1x8x8"} if kind in ("cnn", "resnet18") else {}
                (folder / "study.cfg").write_text(study_text({
                    "study": {"name": run},
                    "data": {"file": DIGITS, "task": "classification", "normalize": "standard", **image},
                    "model": model,
                    "train": {"epochs": 1, "optimizer": "adam", "loss": "cross_entropy"},
                    "run": {"models": "all", "device": "cpu"}}))
                sheaf(PROGRAMS[exporter], folder, "run", "study.cfg")
                file = f"runs/{run}/models/iteration-0.pt"
                own = outputs(PROGRAMS[exporter], folder, file, "torch")
                for engine in ("torch", "auto"):
                    distance = numpy.abs(outputs(PROGRAMS[1 - exporter], folder, file, engine) - own).max()
                    good = distance < 1e-5
                    failed += not good
                    print(f"{'ok    ' if good else 'FAILED'} {kind}: exported with LibTorch {versions[exporter]}, "
                          f"evaluated with {versions[1 - exporter]} (engine {engine}): {distance:.1e}")
    sys.exit(1 if failed else 0)


if __name__ == "__main__":
    main()
