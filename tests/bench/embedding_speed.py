"""Compares the speed of MLPs with an embedding of numbers (model.embedding = piecewise) with that of plain MLPs of the
same widths, on one core, in both engines.

    python3 tests/bench/embedding_speed.py SHEAF FOLDER [--rows=N] [--turns=N]

SPDX-License-Identifier: MIT
"""
import csv
import os
import shutil
import subprocess
import sys

# features, hidden widths, batch size
SHAPES = ((10, "64", 256), (20, "128", 32), (20, "256 256", 256), (100, "256 256", 256), (100, "256 256", 1024))
EPOCHS = 3


def train(sheaf, folder, engine, embedding, shape, rows):
    """Returns the seconds of one training."""
    features, hidden, batch = shape
    study, output = os.path.join(folder, "embedding.cfg"), os.path.join(folder, "embedding_run")
    shutil.rmtree(output, ignore_errors=True)
    with open(study, "w") as file:
        file.write(f"[data]\nsource = synthetic\ndraw = study\nrows = {rows}\ncolumns = {features}\n")
    subprocess.run([sheaf, "run", study, f"--run.output={output}", "--model.kind=mlp", f"--model.hidden={hidden}",
                    f"--model.embedding={embedding}", "--train.optimizer=adam", f"--train.batch_size={batch}",
                    f"--train.epochs={EPOCHS}", f"--run.engine={engine}", "--run.device=cpu", "--run.lanes=1",
                    "--run.threads=1", "--run.models=none", "--run.progress=none"],
                   check=True, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    with open(os.path.join(output, "results.csv")) as file:
        row = next(csv.DictReader(file))
    shutil.rmtree(output)
    os.remove(study)
    return float(row["seconds"])


def main(sheaf, folder, rows, turns):
    print(f"{rows} rows, {EPOCHS} epochs, Adam, one core, best of {turns} turns; thousands of row-epochs per second")
    for shape in SHAPES:
        for engine in ("native", "torch"):
            best = {}
            for _ in range(turns):
                for embedding in ("none", "piecewise"):
                    seconds = train(sheaf, folder, engine, embedding, shape, rows)
                    best[embedding] = min(best.get(embedding, seconds), seconds)
            plain, embedded = (rows * EPOCHS / best[embedding] / 1000 for embedding in ("none", "piecewise"))
            print(f"{shape[0]:4} features, hidden {shape[1]:8} batch {shape[2]:5} {engine:7} plain {plain:8.1f}, "
                  f"embedding {embedded:8.1f}: {plain / embedded:.2f} times the time", flush=True)


def option(name, default):
    given = [argument for argument in sys.argv[3:] if argument.startswith(f"--{name}=")]
    return int(given[-1].split("=")[1]) if given else default


if __name__ == "__main__":
    main(os.path.abspath(sys.argv[1]), sys.argv[2], option("rows", 20000), option("turns", 3))
