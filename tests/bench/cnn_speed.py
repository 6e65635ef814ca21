"""Compares the training of a small CNN by sheaf on streamed data with PyTorch in Python on data in memory, at its best
setting.

    python3 tests/bench/cnn_speed.py SHEAF FOLDER [images [epochs]]

Needs h5py and torch. The data file is in FOLDER. Both train one model with one thread per core, alternately.
SPDX-License-Identifier: MIT
"""
import csv
import os
import shutil
import subprocess
import sys
import time

EPOCHS = int(sys.argv[4]) if len(sys.argv) > 4 else 10
IMAGES = int(sys.argv[3]) if len(sys.argv) > 3 else 6400
CORES = len(os.sched_getaffinity(0))
TUNED = {"MALLOC_MMAP_THRESHOLD_": "4294967296", "MALLOC_TRIM_THRESHOLD_": "4294967296",
         "MALLOC_TOP_PAD_": "268435456"}
HUGE_PAGES = {**TUNED, "GLIBC_TUNABLES": "glibc.malloc.hugetlb=1"}
SETTINGS = {  # environment variables, and whether images are in channels-last memory order
    "default": ({}, False),
    "tuned malloc": (TUNED, False),
    "tuned malloc, huge pages": (HUGE_PAGES, False),
    "huge pages, channels last": (HUGE_PAGES, True),
}
# With --data.memory=32 every epoch reads and decompresses the file again. With the default the file is cached after the
# first epoch.
MEMORY = {"streamed from gzip": ["--data.memory=32"], "streamed from gzip, cached": []}
STUDY = f"""
[study]
name = cnn
[data]
task = classification
mode = streamed
[model]
kind = cnn
channels = 16 32
[train]
optimizer = adam
learning_rate = 1e-3
loss = cross_entropy
batch_size = 64
epochs = {EPOCHS}
[run]
device = cpu
lanes = 1
threads = {CORES}
progress = none
"""


def train_in_python(path, channels_last):
    import h5py
    import torch

    torch.set_num_threads(CORES)
    with h5py.File(path) as file:
        images = torch.from_numpy(file["features"][:])
        labels = torch.from_numpy(file["targets"][:].astype("int64"))
    model = torch.nn.Sequential(
        torch.nn.Conv2d(3, 16, 3, padding=1), torch.nn.ReLU(), torch.nn.MaxPool2d(2),
        torch.nn.Conv2d(16, 32, 3, padding=1), torch.nn.ReLU(), torch.nn.MaxPool2d(2),
        torch.nn.Flatten(), torch.nn.Linear(32 * 8 * 8, 10))
    if channels_last:
        images = images.to(memory_format=torch.channels_last)
        model = model.to(memory_format=torch.channels_last)
    optimizer = torch.optim.Adam(model.parameters(), lr=1e-3)
    start = time.perf_counter()
    for _ in range(EPOCHS):
        order = torch.randperm(len(images))
        for begin in range(0, len(images), 64):
            rows = order[begin : begin + 64]
            optimizer.zero_grad()
            torch.nn.functional.cross_entropy(model(images[rows]), labels[rows]).backward()
            optimizer.step()
    print(time.perf_counter() - start)


def python_seconds(path, environment, channels_last):
    args = [sys.executable, os.path.abspath(__file__), "--train", path, str(IMAGES), str(EPOCHS), str(channels_last)]
    return float(subprocess.run(args, env={**os.environ, **environment}, check=True, stdout=subprocess.PIPE).stdout)


def sheaf_seconds(sheaf, path, folder, options):
    study, output = os.path.join(folder, "cnn.cfg"), os.path.join(folder, "cnn_run")
    shutil.rmtree(output, ignore_errors=True)
    with open(study, "w") as file:
        file.write(STUDY)
    subprocess.run([sheaf, "run", study, f"--data.file={path}", f"--run.output={output}", *options], check=True,
                   stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    with open(os.path.join(output, "results.csv")) as file:
        row = next(csv.DictReader(file))
    shutil.rmtree(output)
    os.remove(study)
    return float(row["seconds"]) + float(row["wait_seconds"]), float(row["wait_seconds"])


def main(sheaf, folder):
    import h5py
    import numpy

    path = os.path.join(folder, "cnn.h5")
    random = numpy.random.default_rng(0)
    with h5py.File(path, "w") as file:
        images = (random.random((IMAGES, 3, 32, 32), dtype="f4") * 256).astype("i4").astype("f4") / 256
        file.create_dataset("features", data=images, chunks=(64, 3, 32, 32), compression="gzip", shuffle=True)
        file.create_dataset("targets", data=random.integers(0, 10, IMAGES).astype("u1"))
    best, streamed = {}, {name: (1e9, 0) for name in MEMORY}
    for _ in range(3):
        for name, options in MEMORY.items():
            streamed[name] = min(streamed[name], sheaf_seconds(sheaf, path, folder, options))
        for name, (environment, channels_last) in SETTINGS.items():
            best[name] = min(best.get(name, 1e9), python_seconds(path, environment, channels_last))
    os.remove(path)
    rows = IMAGES * EPOCHS
    print(f"CNN 16-32-10, {IMAGES} images of 3 x 32 x 32, batch 64, Adam, {CORES} threads")
    for name, seconds in best.items():
        print(f"  PyTorch from memory, {name:25} {rows / seconds:8.0f} rows/s")
    for name, (seconds, waited) in streamed.items():
        print(f"  sheaf, {name:38} {rows / seconds:8.0f} rows/s: "
              f"{min(best.values()) / seconds:.2f} times the best of PyTorch; waited {100 * waited / seconds:.1f} % of the time")


if sys.argv[1] == "--train":
    train_in_python(sys.argv[2], sys.argv[5] == "True")
else:
    main(os.path.abspath(sys.argv[1]), sys.argv[2])
