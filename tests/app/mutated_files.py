"""Training and evaluation on damaged HDF5 files succeed or give one error line, with exit code 0, 1 or 2; they never
crash or hang. Files are damaged by flipped bits, overwritten ranges and truncation, in metadata and data of several
layouts.

A crash or hang counts as a failure of libhdf5, not of the program, if libhdf5 alone (hdf5_alone.c, the same calls
without the program) crashes on the same file or takes more than 60 seconds. These cases are counted separately. Files
that fail stay in mutated_files/.

--count N: number of files. --seed S: seed of the damage. --only K: tests file number K only."""

import os
import random
import shutil
import subprocess
import sys

import h5py
import numpy

from program import HANGS, Checks, argument, sheaf

STUDY = """
[data]
task = classification
classes = 3
weights = weights
[model]
kind = mlp
hidden = 4
[train]
epochs = 2
loss = cross_entropy
[run]
device = cpu
lanes = 1
output = out
"""
DATA_SETS = ["features", "targets", "weights"]
MODES = {  # commands that read a file
    "memory": ["run", "study.cfg", "--data.mode=memory"],
    "streamed": ["run", "study.cfg", "--data.mode=streamed"],
    "evaluated": ["evaluate", "model.pt", "--run.device=cpu", "--run.lanes=1"],
}
ROWS, COLUMNS, RANKS = 60, 5, 2


def write_originals():
    """Returns the bytes of an undamaged file for each layout."""
    drawn = numpy.random.default_rng(1)
    features, labels = drawn.normal(size=(ROWS, COLUMNS)), numpy.arange(ROWS) % 3
    filters = {"chunks": (13, 3), "compression": "gzip", "shuffle": True, "fletcher32": True}
    kinds = {
        "contiguous": ("f4", {}, "earliest"),
        "filtered": ("f4", filters, "earliest"),
        "uint8": ("u1", {}, "earliest"),
        "float16": ("f2", {"chunks": (20, COLUMNS)}, "earliest"),
        "big_endian": (">f8", {"chunks": (7, 2), "compression": "gzip"}, "earliest"),
        "latest": ("f4", filters, ("v110", "v110")),  # the latest format that all supported HDF5 versions read
    }
    originals = {}
    for kind, (dtype, layout, version) in kinds.items():
        with h5py.File("original.h5", "w", libver=version) as file:
            values = numpy.abs(features * 50) if dtype == "u1" else features
            file.create_dataset("features", data=values.astype(dtype), **layout)
            file.create_dataset("targets", data=labels)
            file.create_dataset("weights", data=numpy.ones(ROWS, "f4"))
        with open("original.h5", "rb") as file:
            originals[kind] = file.read()
    return originals


def mutate(whole, draw):
    """Returns damaged bytes and the kind of damage."""
    changed = bytearray(whole)
    # Half of the changes are in the first 2 KiB, which have the structures that lead to all others.
    offset = lambda: draw.randrange(min(2048, len(whole)) if draw.random() < 0.5 else len(whole))
    kind = draw.choice(["flips", "flips", "bytes", "range", "cut"])
    if kind == "flips":
        for _ in range(draw.choice([1, 1, 2, 8])):
            changed[offset()] ^= 1 << draw.randrange(8)
    elif kind == "bytes":
        for _ in range(draw.choice([1, 2, 4])):
            changed[offset()] = draw.choice([0, 1, 0x7F, 0x80, 0xFF, draw.randrange(256)])
    elif kind == "range":
        begin, length = offset(), draw.choice([2, 4, 8, 64, 512])
        changed[begin:begin + length] = bytes([draw.choice([0, 0xFF])]) * len(changed[begin:begin + length])
    else:
        del changed[offset():]
    return bytes(changed), kind


def library_fails(path):
    """Whether libhdf5 alone crashes or hangs on the file."""
    try:
        return subprocess.run([os.environ["HDF5_ALONE"], path] + DATA_SETS, timeout=60).returncode != 0
    except subprocess.TimeoutExpired:
        return True


def run(path, mode):
    """Runs a command on the file; returns the problem, or None, and the exit code."""
    shutil.rmtree("out", ignore_errors=True)
    try:
        result = sheaf(*MODES[mode], f"--data.file={path}", ranks=RANKS)
    except subprocess.TimeoutExpired:
        return f"no exit within {HANGS} s", None
    details = f"exit {result.code}\n{result.stderr}"
    if result.code not in (0, 1, 2):
        return f"crashed: {details}", result.code
    # Ranks that read damaged rows at the same time during training each print an error line.
    most = 0 if result.code == 0 else 1 if mode == "memory" else RANKS
    if not min(most, 1) <= len(result.error_lines()) <= most:
        return f"not one error line: {details}", result.code
    return None, result.code


checks = Checks()
seed = argument("--seed", 1)
shutil.rmtree("mutated_files", ignore_errors=True)
os.makedirs("mutated_files")
os.chdir("mutated_files")
with open("study.cfg", "w") as file:
    file.write(STUDY)
originals = write_originals()
result = sheaf("run", "study.cfg", "--data.file=original.h5", "--run.models=best")
checks.check(result.code == 0, "the model to evaluate is trained", result.stderr)
os.rename("out/models/iteration-0.pt", "model.pt")
for kind, whole in originals.items():
    with open("whole.h5", "wb") as file:
        file.write(whole)
    for mode in MODES:
        wrong, code = run("whole.h5", mode)
        checks.check(code == 0, f"{kind}, {mode}: the undamaged file is read", wrong)

codes, library_failures = {}, 0
numbers = [argument("--only", 0)] if "--only" in sys.argv else range(argument("--count", 12))
for number in numbers:
    draw = random.Random(f"{seed} {number}")
    kind, mode = list(originals)[number % len(originals)], draw.choice(list(MODES))
    changed, case = mutate(originals[kind], draw)
    path = f"{number}.h5"
    with open(path, "wb") as file:
        file.write(changed)
    wrong, code = run(path, mode)
    codes[code] = codes.get(code, 0) + 1
    if wrong and not wrong.startswith("not one") and library_fails(path):
        library_failures += 1
    else:
        checks.check(not wrong, f"--seed {seed} --only {number}: {kind}, {mode}, {case}", wrong)
        if not wrong:
            os.remove(path)
print(f"exit codes: {codes}; libhdf5 alone fails on {library_failures} files")
sys.exit(checks.finish())
