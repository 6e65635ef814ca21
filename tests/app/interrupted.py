"""Studies for tests that interrupt runs, and the results that must not depend on the interruption."""

import os

import h5py
import numpy

from program import DIGITS, SOURCE, read_csv

ENGINES = ("native", "torch")


def study(engine, epochs=None, hidden="16, 32", models="none"):
    """Arguments of `sheaf run` for 48 iterations. With the default `epochs` each takes some hundredths of a second."""
    return [os.path.join(SOURCE, "jobs", "studies", "digits-search.cfg"), f"--data.file={DIGITS}", "--run.device=cpu",
            "--run.lanes=1", "--run.curves=true", f"--run.models={models}", "--run.progress=none",
            f"--run.engine={engine}", "--search.folds=3", "--ensemble.members=2", f"--search.model.hidden={hidden}",
            f"--train.epochs={epochs or {'native': 60, 'torch': 5}[engine]}"]


ITERATIONS = 48
WIDTH = 160  # features of the streamed file


def streamed_study(engine, epochs=None):
    """The same 48 iterations on streamed data: the digits, repeated until they exceed data.memory, in small windows."""
    if not os.path.exists("streamed.h5"):
        with h5py.File(DIGITS, "r") as file, h5py.File("streamed.h5", "w") as copy:
            wide = numpy.tile(file["features"][:].astype("f4"), 3)[:, :WIDTH]
            copy.create_dataset("features", data=wide, chunks=(300, WIDTH))
            copy["targets"] = file["targets"][:]
    args = study(engine, epochs=epochs or {"native": 12, "torch": 2}[engine])
    return [arg for arg in args if not arg.startswith("--data.file")] + [
        "--data.file=streamed.h5", "--data.mode=streamed", "--data.window=300", "--data.memory=1"]
_OF_THE_RUN = {"seconds", "data_seconds", "training_seconds", "validation_seconds", "wait_seconds", "rank", "lane",
               "device"}


def results(directory):
    """The results of a run without times, ranks, lanes and devices."""
    rows = [{name: value for name, value in row.items() if name not in _OF_THE_RUN}
            for row in read_csv(os.path.join(directory, "results.csv"))]
    with h5py.File(os.path.join(directory, "results.h5"), "r") as file:
        trials = file["trials"][:]
        tables = [file[name][:].tobytes() for name in ("epochs", "ensembles", "predictions") if name in file]
        return (rows, tables, [trials[name].tobytes() for name in trials.dtype.names if name not in _OF_THE_RUN])
