"""Prints a table of training speeds: each kind of model on a GPU and on cores, precisions, ranks that share the GPU,
streamed data, and PyTorch in Python on the same GPU.

    MPIEXEC=mpiexec SHEAF=build/release/sheaf SHEAF_SOURCE=. GATED_MLP=... python3 tests/gpu/bench.py [SECONDS]

tests/gpu/run.sh sets the variables. The measurement ends after SECONDS (240); missing rows are marked. The exit code is
1 if a run failed. Without a GPU only the cores are measured. With SHEAF_GPU_TESTS=cpu the cores replace the GPU, to try
this script.
"""

import os
import statistics
import subprocess
import sys
import tempfile
import time

from gpu import DEVICE, find_gpus, torchscript_module
from program import DIGITS, read_csv, sheaf

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "../bench"))
import precision_speed  # noqa: E402

CNN, RESNET = "cnn 16-32", "resnet18"
IMAGES = {CNN: 6400, RESNET: 1024}
KEYS = {name: [*keys, f"--data.file={name.split()[0]}.h5"] for name, (keys, _, _) in precision_speed.MODELS.items()}
DENSE = [f"--data.file={DIGITS}", "--data.normalize=standard"]
# Model: keys, and whether an iteration takes seconds on one core.
MODELS = {
    "linear": ([*DENSE, "--model.kind=linear", "--train.epochs=4"], False),
    "mlp 64-32": ([*DENSE, "--model.kind=mlp", "--model.hidden=64 32", "--train.epochs=4"], False),
    "mlp 2048-2048": ([*DENSE, "--model.kind=mlp", "--model.hidden=2048 2048", "--train.batch_size=256"], True),
    "plugin gated mlp": ([*DENSE, f"--model.kind=plugin:{os.environ.get('GATED_MLP', '')}", "--train.epochs=4"], False),
    CNN: (KEYS[CNN], True),
    "torchscript cnn 6": ([f"--data.file={CNN.split()[0]}.h5", "--model.kind=torchscript:module.pt"], True),
    RESNET: (KEYS[RESNET], True),
}
COMMON = ["--data.task=classification", "--train.loss=cross_entropy", "--train.optimizer=adam",
          "--train.learning_rate=1e-3",
          "--train.epsilon=1e-4", f"--train.batch_size={precision_speed.BATCH}", "--train.epochs=1",
          "--run.progress=none"]
COLUMNS = ("case", "engine and device", "iterations/s", "images/s", "ratio to cores", "ratio to PyTorch", "final loss",
           "loss relative to cores")

failures = 0
end = time.monotonic() + float(sys.argv[1] if len(sys.argv) > 1 else 240)


class TimeLimit(Exception):
    pass


def seconds_left():
    left = end - time.monotonic()
    if left < 5:
        raise TimeLimit
    return left


def last_of_each(args):
    """Keeps only the last value of each key, since the command line accepts each key once."""
    return list({arg.split("=")[0]: arg for arg in args}.values())


def train(args, device, iterations, **options):
    """Trains `iterations` models. Returns engine and device, iterations per second and the final loss of the first
    iteration. The time of the first iteration of each lane counts only if there is no other."""
    global failures
    with tempfile.TemporaryDirectory(dir=".") as folder:
        args = last_of_each([*COMMON, *args, f"--study.iterations={iterations}", f"--run.device={device}"])
        done = sheaf("run", "study.cfg", *args, f"--run.output={folder}/run", timeout=seconds_left(), **options)
        if done.code != 0:
            failures += 1
            print(f"FAILED: {' '.join(args)}\n{done.stderr}", file=sys.stderr)
            return None
        rows = read_csv(f"{folder}/run/results.csv")
    begun, seconds = set(), []
    for row in rows:
        lane = row["rank"], row["lane"]
        if lane in begun:
            seconds.append(float(row["seconds"]) + float(row["wait_seconds"] or 0))
        begun.add(lane)
    if not seconds:
        seconds = [float(row["seconds"]) for row in rows]
    device = rows[0]["device"]
    trained_by = f"{rows[0]['engine']}, {f'{len(begun)} lane(s)' if device == 'cpu' else device}"
    return trained_by, len(begun) / statistics.median(seconds), float(rows[0]["final_loss"])


class Table:
    def __init__(self):
        self.rows = [COLUMNS]

    def add(self, case, found, images=0, on_cores=None, in_python=None, comparable=True):
        """Adds a row. `found`, `on_cores` and `in_python` are results of train(), or None. `comparable`: whether the
        loss should agree with that of the cores."""
        if found is None:
            self.missing(case, "failed")
            return
        trained_by, rate, loss = found
        self.rows.append((case, trained_by, f"{rate:.3g}", f"{rate * images:.0f}" if images else "",
                          f"{rate / on_cores[1]:.2f}" if on_cores else "",
                          f"{rate / in_python[1]:.2f}" if in_python else "", f"{loss:.6g}",
                          f"{loss / on_cores[2] - 1:+.1e}" if on_cores and comparable else ""))
        print(" | ".join(self.rows[-1]), file=sys.stderr, flush=True)  # in case of a time limit

    def missing(self, case, reason):
        self.rows.append((case, reason, *[""] * (len(COLUMNS) - 2)))

    def print(self):
        for row in (self.rows[0], ["---"] * len(COLUMNS), *self.rows[1:]):
            print("| " + " | ".join(row) + " |")


def python_on_gpu(name, precision):
    """Measures PyTorch in Python, in the faster of two memory layouts; returns the same values as train()."""
    times = {layout: precision_speed.in_python(f"{name.split()[0]}.h5", name, precision, layout, 1, DEVICE,
                                               timeout=seconds_left()) for layout in (False, True)}
    layout = min(times, key=lambda layout: times[layout][0])
    seconds, loss = times[layout]
    return f"PyTorch{', channels last' if layout else ''}", 1 / seconds, loss


def measure(table, gpus, no_gpu):
    cores = len(os.sched_getaffinity(0))
    on_cores = {}
    for name, (keys, slow) in MODELS.items():
        on_cores[name] = train(keys, "cpu", iterations=cores if slow else 50 * cores)
        table.add(name, on_cores[name], IMAGES.get(name, 0))
        if gpus:
            table.add(f"{name}, GPU", train([*keys, "--run.engine=torch", "--run.stack=1"], DEVICE, iterations=8), IMAGES.get(name, 0),
                      on_cores[name])
        else:
            table.missing(f"{name}, GPU", no_gpu)
    if not gpus:
        return
    for name, images in IMAGES.items():
        for precision in ("float32", "tf32", "bfloat16"):
            if precision == "tf32" and DEVICE != "cuda":
                continue
            in_python = python_on_gpu(name, precision)
            table.add(f"{name}, {precision}, Python on the GPU", in_python, images, on_cores[name], comparable=False)
            table.add(f"{name}, {precision}, GPU",
                      train([*KEYS[name], f"--train.precision={precision}"], DEVICE, iterations=8), images,
                      on_cores[name], in_python)
        shared = [*KEYS[name], "--run.ranks_per_gpu=2", "--run.partition=block"]
        table.add(f"{name}, 2 ranks share a GPU",
                  train(shared, DEVICE, ranks=2, iterations=8, environment={"CUDA_VISIBLE_DEVICES": gpus[0]}), images,
                  on_cores[name])
        if len(gpus) > 1:
            table.add(f"{name}, {len(gpus)} ranks with a GPU each",
                      train([*KEYS[name], "--run.partition=block"], DEVICE, ranks=len(gpus), iterations=4 * len(gpus)),
                      images, on_cores[name])
    # The order of rows differs, and so does the loss.
    table.add(f"{CNN}, streamed, GPU",
              train([*KEYS[CNN], "--data.mode=streamed", "--data.memory=16", "--data.window=320", "--run.lanes=1"],
                    DEVICE,
                    iterations=8), IMAGES[CNN], on_cores[CNN], comparable=False)


def main():
    gpus, reason = find_gpus()
    table = Table()
    with tempfile.TemporaryDirectory() as folder:
        os.chdir(folder)
        open("study.cfg", "w").close()
        for name, count in IMAGES.items():
            precision_speed.write_images(f"{name.split()[0]}.h5", count)
        torchscript_module(channels=3, pixels=1024)
        try:
            measure(table, gpus, reason)
        except (TimeLimit, subprocess.TimeoutExpired):
            table.missing("other cases", "not measured: time limit")
        os.chdir("/")  # the folder is removed
    table.print()
    sys.exit(1 if failures else 0)


main()
