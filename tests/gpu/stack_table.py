"""Prints a table of the speed of stacks of models on a GPU, beside other ways to train many networks on it or on the cores.

    MPIEXEC=mpiexec SHEAF=build/release/sheaf SHEAF_SOURCE=. python3 tests/gpu/stack_table.py [SECONDS]

All columns are optimizer steps of all models per second, in float32 with Adam, except the ratios. The estimates are for
an H100: with separate kernels, in a CUDA graph, and in a graph with one kernel for the update. What is not measured within
SECONDS (240) is left out. The exit code is 1 if Sheaf failed. With SHEAF_GPU_TESTS=cpu the cores replace the GPU, with
fewer models and short measurements, to try this script.
"""

import importlib.util
import json
import os
import subprocess
import sys
import tempfile
import time
from dataclasses import dataclass

import h5py
import numpy

from gpu import DEVICE, find_gpus, skip
from program import read_csv, sheaf

ON_GPU = DEVICE == "cuda"
HERE = os.path.dirname(os.path.abspath(__file__))
ROWS = 1797
SECONDS = 1.0 if ON_GPU else 0.1  # of a measurement
PROCESSES = (4, 16) if ON_GPU else (2,)
CORES = len(os.sched_getaffinity(0))
LARGEST_STACK = 1024
ALONE = 1.3e3  # steps/s of a model that LibTorch trains alone, about
LONGEST_RUN = 60  # seconds

# Network: features, hidden, batch, steps/s of a model on one core, and for numbers of models: estimates of stacks.
NETWORKS = {
    "64-32-10, batch 32": (64, 32, 32, 2e5, {
        1: ("7 k", "20 k", "25 k"),
        32: ("0.24 M", "0.63 M", "0.78 M"),
        132: ("0.98 M", "2.3-2.6 M", "2.8-3.1 M"),
        1024: ("4.8-6.0 M", "5.5-7.3 M", "7.1-10 M"),
        8192: ("", "", ""),
    }),
    "784-128-10, batch 32": (784, 128, 32, 4e3, {
        1: ("7 k", "20 k", "25 k"),
        10: ("70 k", "130-160 k", "150-200 k"),
        50: ("150-200 k", "180-250 k", "250-420 k"),
        256: ("200-290 k", "200-300 k", "290-550 k"),
    }),
    "784-512-10, batch 128": (784, 512, 128, 4e2, {
        1: ("", "", ""),
        8: ("", "", ""),
        32: ("20-45 k", "20-45 k", ""),
    }),
}
FEWER = {1: 1, 32: 4, 10: 3, 8: 2}  # numbers of models that are measured on cores instead of a GPU

failed = False
end = time.monotonic() + float(sys.argv[1] if len(sys.argv) > 1 else 240)


@dataclass(frozen=True)
class Case:
    network: str
    models: int

    def sizes(self):
        return NETWORKS[self.network][:3]

    def estimates(self):
        return NETWORKS[self.network][4][self.models] if ON_GPU else ("", "", "")


def all_cases():
    for network, (*_, estimates) in NETWORKS.items():
        for models in estimates:
            if ON_GPU:
                yield Case(network, models)
            elif models in FEWER:
                yield Case(network, FEWER[models])


def seconds_left():
    return end - time.monotonic()


def write_data():
    random = numpy.random.default_rng(0)
    for features in {sizes[0] for sizes in NETWORKS.values()}:
        labels = random.integers(0, 10, ROWS)
        with h5py.File(f"{features}.h5", "w") as file:
            file["features"] = random.normal(labels[:, None] / 10, 1, (ROWS, features)).astype("f4")
            file["targets"] = labels.astype("u1")
    open("study.cfg", "w").close()


def in_sheaf(case, keys, device, models, steps_per_second):
    """Steps/s of all lanes together: of the second half of the models, because the first ones load kernels. Each model
    trains about SECONDS at `steps_per_second`. None: there is no time."""
    global failed
    if seconds_left() < 10:
        return None
    features, hidden, batch = case.sizes()
    steps = -(-ROWS // batch)
    epochs = max(1, round(SECONDS * steps_per_second / steps))
    with tempfile.TemporaryDirectory(dir=".") as folder:
        args = [f"--data.file={features}.h5", "--data.task=classification", "--data.normalize=standard",
                "--model.kind=mlp", f"--model.hidden={hidden}", "--train.loss=cross_entropy", "--train.optimizer=adam",
                "--train.learning_rate=1e-3", f"--train.batch_size={batch}", f"--train.epochs={epochs}",
                f"--study.iterations={models}", f"--run.device={device}", f"--run.output={folder}/run",
                "--run.progress=none", *keys]
        try:
            result = sheaf("run", "study.cfg", *args, timeout=min(seconds_left(), LONGEST_RUN))
        except subprocess.TimeoutExpired:
            print(f"{case}, {keys}: not done after {LONGEST_RUN} s", file=sys.stderr)
            return None
        if result.code != 0:
            failed = True
            print(f"FAILED: {case}, {keys}\n{result.stderr}", file=sys.stderr)
            return None
        rows = read_csv(f"{folder}/run/results.csv")
    measured = rows[models // 2:]
    lanes = len({(row["rank"], row["lane"]) for row in rows})
    # The time of a model in a stack is its part of the time of the stack.
    return lanes * epochs * steps * len(measured) / sum(float(row["seconds"]) for row in measured)


def stack(case):
    """A stack of K models is measured twice. One model is trained alone."""
    if case.models > LARGEST_STACK:
        return None
    keys = ["--run.engine=torch", "--run.lanes=1", f"--run.stack={case.models}"]
    most = {32: 5e6, 128: 2e5, 512: 2e4}[case.sizes()[1]] if ON_GPU else 2e3  # steps/s, about
    of_one = 7e3 if case.models > 1 else ALONE
    return in_sheaf(case, keys, DEVICE, 2 * case.models, min(most / case.models, of_one))


def one_by_one(case):
    return in_sheaf(case, ["--run.engine=torch", "--run.lanes=1", "--run.stack=1"], DEVICE, 4, ALONE)


def on_cores(case):
    keys = ["--run.engine=native", "--run.stack=1", f"--run.lanes={CORES}", "--run.threads=1"]
    return in_sheaf(case, keys, "cpu", 4 * CORES, NETWORKS[case.network][3])


def references(kind, cases):
    """Results of stack_references.py, by case."""
    if seconds_left() < 20:
        return {}
    named = [[str(number), *case.sizes(), case.models] for number, case in enumerate(cases)]
    args = [sys.executable, os.path.join(HERE, "stack_references.py"), kind, DEVICE, str(SECONDS), json.dumps(named)]
    try:
        done = subprocess.run(args, capture_output=True, text=True, timeout=seconds_left(),
                              env={**os.environ, "XLA_PYTHON_CLIENT_PREALLOCATE": "false"})
        output = done.stdout
        if done.returncode != 0:
            print(f"{kind} failed:\n{done.stderr[-2000:]}", file=sys.stderr)
    except subprocess.TimeoutExpired as expired:
        output = (expired.stdout or b"").decode()
    found = {}
    for line in output.splitlines():
        number, rate = json.loads(line)
        if isinstance(rate, str):
            print(f"{kind}, {cases[int(number)]}: {rate}", file=sys.stderr)
        else:
            found[cases[int(number)]] = rate
    return found


def text(rate):
    if rate is None:
        return ""
    return f"{rate / 1e6:.3g} M" if rate >= 1e6 else f"{rate / 1e3:.3g} k"


def print_table(columns, rows):
    for row in (columns, ["---"] * len(columns), *rows):
        print("| " + " | ".join(row) + " |")


def main():
    gpus, reason = find_gpus()
    if not gpus:
        skip(reason)
    cases = list(all_cases())
    networks = [Case(network, 1) for network in NETWORKS]
    with tempfile.TemporaryDirectory() as folder:
        os.chdir(folder)
        write_data()
        stacks = {}
        for case in cases:
            stacks[case] = stack(case)
            print(f"{case}: {text(stacks[case])} steps/s in a stack", file=sys.stderr, flush=True)
        vmap = references("vmap", cases)
        native = {case.network: on_cores(case) for case in networks}
        alone = {case.network: one_by_one(case) for case in networks}
        shared = {count: references("processes", [Case(case.network, count) for case in networks]) for count in PROCESSES}
        has_jax = importlib.util.find_spec("jax") is not None
        jax = references("jax", cases) if has_jax else {}
        os.chdir("/")  # the folder is removed
    rows = []
    for case in cases:
        ratio = f"{stacks[case] / vmap[case]:.2f}" if stacks[case] and case in vmap else ""
        rows.append([case.network, str(case.models), text(stacks[case]), ratio, *case.estimates(),
                     text(vmap.get(case)), text(jax.get(case)) if has_jax else "not installed",
                     text(native[case.network]), text(alone[case.network]),
                     *(text(shared[count].get(Case(case.network, count))) for count in PROCESSES)])
    print_table(["network", "models", "stack", "ratio to vmap", "estimate", "in a graph", "fused update",
                 f"torch.func.vmap{', graphs' if ON_GPU else ''}", "JAX vmap, scan", f"{CORES} cores, native",
                 "LibTorch one by one", *(f"PyTorch, {count} processes" for count in PROCESSES)], rows)
    sys.exit(1 if failed else 0)


if __name__ == "__main__":
    main()
