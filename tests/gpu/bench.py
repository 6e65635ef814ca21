"""One table: models of each kind on a GPU and on this machine's cores, precisions, ranks that share the GPU, streamed data,
and PyTorch for Python on the same GPU.

    MPIEXEC=mpiexec SHEAF=build/release/sheaf SHEAF_SOURCE=. GATED_MLP=... python3 tests/gpu/bench.py [SECONDS]

tests/gpu/run.sh sets the variables. What does not fit into SECONDS (240) is not measured. The exit code is 1 if a run
failed. Without a GPU the cores alone are measured; with SHEAF_GPU_TESTS=cpu the cores take the place of the GPU, to try
the program.
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
# Model: its keys, and whether an iteration takes a core seconds.
MODELS = {
    "linear": ([*DENSE, "--model.kind=linear", "--train.epochs=4"], False),
    "mlp 64-32": ([*DENSE, "--model.kind=mlp", "--model.hidden=64 32", "--train.epochs=4"], False),
    "mlp 2048-2048": ([*DENSE, "--model.kind=mlp", "--model.hidden=2048 2048", "--train.batch_size=256"], True),
    "plugin gated mlp": ([*DENSE, f"--model.kind=plugin:{os.environ.get('GATED_MLP', '')}", "--train.epochs=4"], False),
    CNN: (KEYS[CNN], True),
    "torchscript cnn 6": ([f"--data.file={CNN.split()[0]}.h5", "--model.kind=torchscript:module.pt"], True),
    RESNET: (KEYS[RESNET], True),
}
COMMON = ["--data.task=classification", "--train.loss=cross_entropy", "--train.optimizer=adam", "--train.learning_rate=1e-3",
          "--train.epsilon=1e-4", f"--train.batch_size={precision_speed.BATCH}", "--train.epochs=1", "--run.progress=none"]
COLUMNS = ("what", "trained by", "iterations/s", "images/s", "times the cores", "times PyTorch", "final loss",
           "from the cores'")

failures = 0
end = time.monotonic() + float(sys.argv[1] if len(sys.argv) > 1 else 240)


class TimeIsUp(Exception):
    pass


def seconds_left():
    left = end - time.monotonic()
    if left < 5:
        raise TimeIsUp
    return left


def last_of_each(words):
    """The words without keys that come again later: the command line takes each once."""
    return list({word.split("=")[0]: word for word in words}.values())


def train(words, device, iterations, **options):
    """Trains so many, and returns: who trained, iterations per second, and the first one's final loss. The first iteration
    of each lane does not count, unless there is no other."""
    global failures
    with tempfile.TemporaryDirectory(dir=".") as folder:
        words = last_of_each([*COMMON, *words, f"--study.iterations={iterations}", f"--run.device={device}"])
        done = sheaf("run", "study.cfg", *words, f"--run.output={folder}/run", timeout=seconds_left(), **options)
        if done.code != 0:
            failures += 1
            print(f"FAILED: {' '.join(words)}\n{done.stderr}", file=sys.stderr)
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

    def add(self, what, found, images=0, on_cores=None, in_python=None, comparable=True):
        """`found`, `on_cores`, `in_python`: what train() returned. `comparable`: whether the loss should be the cores'."""
        if found is None:
            self.missing(what, "failed")
            return
        trained_by, rate, loss = found
        self.rows.append((what, trained_by, f"{rate:.3g}", f"{rate * images:.0f}" if images else "",
                          f"{rate / on_cores[1]:.2f}" if on_cores else "",
                          f"{rate / in_python[1]:.2f}" if in_python else "", f"{loss:.6g}",
                          f"{loss / on_cores[2] - 1:+.1e}" if on_cores and comparable else ""))
        print(" | ".join(self.rows[-1]), file=sys.stderr, flush=True)  # in case the time ends here

    def missing(self, what, reason):
        self.rows.append((what, reason, *[""] * (len(COLUMNS) - 2)))

    def print(self):
        for row in (self.rows[0], ["---"] * len(COLUMNS), *self.rows[1:]):
            print("| " + " | ".join(row) + " |")


def python_on_gpu(name, precision):
    """PyTorch for Python, in the faster one of its two memory layouts, in the form of train()."""
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
            table.add(f"{name}, GPU", train([*keys, "--run.engine=torch"], DEVICE, iterations=8), IMAGES.get(name, 0),
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
    # Another order of the rows, so another loss.
    table.add(f"{CNN}, streamed, GPU",
              train([*KEYS[CNN], "--data.mode=streamed", "--data.memory=16", "--data.window=320", "--run.lanes=1"], DEVICE,
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
        except (TimeIsUp, subprocess.TimeoutExpired):
            table.missing("the rest", "not measured: the time is up")
        os.chdir("/")  # the folder goes
    table.print()
    sys.exit(1 if failures else 0)


main()
