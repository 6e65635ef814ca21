"""Compares the speed of MLPs with an embedding of numbers (model.embedding = piecewise), and of categories
(model.categories), with that of plain MLPs of the same widths, on one core, in both engines.

    python3 tests/bench/embedding_speed.py SHEAF FOLDER [--rows=N] [--turns=N]

SPDX-License-Identifier: MIT
"""
import csv
import json
import os
import shutil
import subprocess
import sys

import h5py
import numpy

# features, hidden widths, batch size
SHAPES = ((10, "64", 256), (20, "128", 32), (20, "256 256", 256), (100, "256 256", 256), (100, "256 256", 1024))
EPOCHS = 3
# The categories of the columns of a table, 0 for numbers: 125 one-hot features.
COLUMNS = (0, 0, 0, 0, 0, 4, 20, 45, 51)


def train(sheaf, folder, engine, study, hidden, batch, keys):
    """Returns the seconds of one training."""
    output = os.path.join(folder, "embedding_run")
    shutil.rmtree(output, ignore_errors=True)
    subprocess.run([sheaf, "run", study, f"--run.output={output}", "--model.kind=mlp", f"--model.hidden={hidden}", *keys,
                    "--train.optimizer=adam", f"--train.batch_size={batch}", f"--train.epochs={EPOCHS}",
                    f"--run.engine={engine}", "--run.device=cpu", "--run.lanes=1", "--run.threads=1",
                    "--run.models=none", "--run.progress=none"],
                   check=True, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    with open(os.path.join(output, "results.csv")) as file:
        row = next(csv.DictReader(file))
    shutil.rmtree(output)
    return float(row["seconds"])


def write_table(path, columns, rows):
    random = numpy.random.default_rng(1)
    values = [random.integers(0, count, rows) if count else random.normal(size=rows) for count in columns]
    described = [{"name": f"c{number}", **({"categories": [str(code) for code in range(count)]} if count else {})}
                 for number, count in enumerate(columns)]
    with h5py.File(path, "w") as file:
        file["features"] = numpy.stack(values, 1).astype("f4")
        file["features"].attrs["columns"] = json.dumps({"format": 2, "columns": described})
        file["targets"] = random.normal(size=rows).astype("f4")


def compare(name, turns, rows, train_one, variants):
    """`variants`: {name: argument of train_one}; the first one is the reference."""
    best = {}
    for _ in range(turns):
        for variant, argument in variants.items():
            seconds = train_one(argument)
            best[variant] = min(best.get(variant, seconds), seconds)
    plain = best[next(iter(variants))]
    print(f"{name}: " + ", ".join(f"{variant} {rows * EPOCHS / seconds / 1000:.1f} ({seconds / plain:.2f})"
                                  for variant, seconds in best.items()), flush=True)


def main(sheaf, folder, rows, turns):
    print(f"{rows} rows, {EPOCHS} epochs, Adam, one core, best of {turns} turns; thousands of row-epochs per second, and the "
          "time relative to the first")
    study = os.path.join(folder, "embedding.cfg")
    for features, hidden, batch in SHAPES:
        with open(study, "w") as file:
            file.write(f"[data]\nsource = synthetic\ndraw = study\nrows = {rows}\ncolumns = {features}\n")
        for engine in ("native", "torch"):
            compare(f"{features} features, hidden {hidden}, batch {batch}, {engine}", turns, rows,
                    lambda embedding: train(sheaf, folder, engine, study, hidden, batch,
                                            [f"--model.embedding={embedding}"]),
                    {"plain": "none", "embedding": "piecewise"})
    os.remove(study)
    tables = {"numbers": (0,) * len(COLUMNS), "one_hot": COLUMNS, "embedding": COLUMNS}
    paths = {name: os.path.join(folder, f"embedding-{name}.h5") for name in tables}
    for name, columns in tables.items():
        write_table(paths[name], columns, rows)
    for hidden, batch in (("64", 256), ("256 256", 256)):
        for engine in ("native", "torch"):
            compare(f"{len(COLUMNS)} columns, hidden {hidden}, batch {batch}, {engine}", turns, rows,
                    lambda name: train(sheaf, folder, engine, paths[name], hidden, batch,
                                       ["--data.validation=0", *([] if name == "numbers" else
                                                                    [f"--model.categories={name}"])]),
                    {name: name for name in tables})
    for path in paths.values():
        os.remove(path)


def option(name, default):
    given = [argument for argument in sys.argv[3:] if argument.startswith(f"--{name}=")]
    return int(given[-1].split("=")[1]) if given else default


if __name__ == "__main__":
    main(os.path.abspath(sys.argv[1]), sys.argv[2], option("rows", 20000), option("turns", 3))
