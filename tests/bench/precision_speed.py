"""Compares float32 and mixed-precision (bfloat16) training in sheaf with the same training by PyTorch in Python.

    python3 tests/bench/precision_speed.py SHEAF FOLDER [turns]

Needs h5py and torch of the same version as LibTorch. The data file is in FOLDER. Both train one model on images of
3 x 32 x 32 with one thread per core, alternately; the best turn counts. tests/gpu/bench.py measures the same on a GPU.
SPDX-License-Identifier: MIT
"""
import csv
import os
import shutil
import subprocess
import sys
import time

CORES = len(os.sched_getaffinity(0))
BATCH = 64
# model: keys, number of images, epochs
MODELS = {"resnet18": (["--model.kind=resnet18"], 256, 2),
          "cnn 16-32": (["--model.kind=cnn", "--model.channels=16 32"], 3200, 4)}
PRECISIONS = ("float32", "bfloat16")


def make_model(name):
    import torch
    from torch import nn

    torch.manual_seed(0)
    if name != "resnet18":
        return nn.Sequential(nn.Conv2d(3, 16, 3, padding=1), nn.ReLU(), nn.MaxPool2d(2),
                             nn.Conv2d(16, 32, 3, padding=1), nn.ReLU(), nn.MaxPool2d(2), nn.Flatten(),
                             nn.Linear(32 * 8 * 8, 10))
    sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "../oracle"))
    import compare_models

    return compare_models.resnet18((3, 32, 32), 10)[1:]  # without the layer that reshapes rows to images


def train_in_python(path, name, precision, channels_last, epochs, device):
    import h5py
    import torch

    torch.set_num_threads(CORES)
    torch.backends.cuda.matmul.allow_tf32 = torch.backends.cudnn.allow_tf32 = precision == "tf32"
    with h5py.File(path) as file:
        images, labels = torch.from_numpy(file["features"][:]), torch.from_numpy(file["targets"][:].astype("int64"))
    images, labels = images.to(device), labels.to(device)

    def train():
        model = make_model(name).to(device)
        pixels = images
        if channels_last:
            pixels, model = (value.to(memory_format=torch.channels_last) for value in (pixels, model))
        optimizer = torch.optim.Adam(model.parameters(), lr=1e-3)
        start = time.perf_counter()
        for _ in range(epochs):
            total = torch.zeros((), device=device)
            order = torch.randperm(len(images), device=device)
            for begin in range(0, len(images), BATCH):
                rows = order[begin : begin + BATCH]
                optimizer.zero_grad()
                with torch.autocast(device, torch.bfloat16, enabled=precision == "bfloat16"):
                    loss = torch.nn.functional.cross_entropy(model(pixels[rows]), labels[rows])
                loss.backward()
                optimizer.step()
                total += loss.detach() * len(rows)
        loss = total.item() / len(images)  # waits for the GPU
        return time.perf_counter() - start, loss

    if device != "cpu":
        train()  # loads kernels and fills the allocator
    print(*train())


def in_python(path, name, precision, channels_last, epochs, device="cpu", **options):
    args = [sys.executable, os.path.abspath(__file__), "--train", path, name, precision, str(channels_last),
            str(epochs),
            device]
    done = subprocess.run(args, check=True, stdout=subprocess.PIPE, **options)
    return [float(number) for number in done.stdout.split()]


def write_images(path, count):
    """Writes images of 3 x 32 x 32 in ten classes."""
    import h5py
    import numpy

    random = numpy.random.default_rng(0)
    labels = random.integers(0, 10, count)
    with h5py.File(path, "w") as file:
        file["features"] = random.normal(labels[:, None, None, None] / 10, 1, (count, 3, 32, 32)).astype("f4")
        file["targets"] = labels.astype("u1")


def in_sheaf(sheaf, path, folder, model, precision, epochs):
    study, output = os.path.join(folder, "precision.cfg"), os.path.join(folder, "precision_run")
    shutil.rmtree(output, ignore_errors=True)
    with open(study, "w"):
        pass
    subprocess.run([sheaf, "run", study, f"--data.file={path}", f"--run.output={output}", "--data.task=classification",
                    "--train.optimizer=adam", "--train.learning_rate=1e-3", "--train.loss=cross_entropy",
                    f"--train.batch_size={BATCH}", f"--train.epochs={epochs}", f"--train.precision={precision}",
                    "--run.device=cpu", "--run.lanes=1", f"--run.threads={CORES}", "--run.progress=none", *model],
                   check=True, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    with open(os.path.join(output, "results.csv")) as file:
        row = next(csv.DictReader(file))
    shutil.rmtree(output)
    os.remove(study)
    return float(row["seconds"]), float(row["final_loss"])


def main(sheaf, folder, turns):
    path = os.path.join(folder, "precision.h5")
    print(f"batch {BATCH}, Adam, {CORES} threads, best of {turns} turns")
    for name, (keys, count, epochs) in MODELS.items():
        write_images(path, count)
        best = {}
        for _ in range(turns):
            for precision in PRECISIONS:
                trained = {"sheaf": in_sheaf(sheaf, path, folder, keys, precision, epochs)}
                for layout in (False, True):
                    label = "PyTorch, channels last" if layout else "PyTorch"
                    trained[label] = in_python(path, name, precision, layout, epochs)
                for program, found in trained.items():
                    best[program, precision] = min(best.get((program, precision), found), found)
        os.remove(path)
        rows = count * epochs
        for precision in PRECISIONS:
            fastest = min(seconds for (program, kind), (seconds, _) in best.items()
                          if kind == precision and program != "sheaf")
            for program in ("PyTorch", "PyTorch, channels last", "sheaf"):
                seconds, loss = best[program, precision]
                line = f"{name:10} {precision:9} {program:23} {rows / seconds:8.0f} images/s, loss {loss:.4f}"
                if program == "sheaf":
                    line += f": {fastest / seconds:.2f} times the best PyTorch"
                    if precision == "bfloat16":
                        plain_seconds, plain_loss = best["sheaf", "float32"]
                        line += (f"; {plain_seconds / seconds:.2f} times float32, "
                                 f"loss {100 * (loss / plain_loss - 1):+.1f} %")
                print(line)


if __name__ == "__main__":
    if sys.argv[1] == "--train":
        train_in_python(sys.argv[2], sys.argv[3], sys.argv[4], sys.argv[5] == "True", int(sys.argv[6]), sys.argv[7])
    else:
        main(os.path.abspath(sys.argv[1]), sys.argv[2], int(sys.argv[3]) if len(sys.argv) > 3 else 3)
