"""Compares the speed of sheaf with that of the Python programs that it replaces: joblib, GridSearchCV, ensembles,
DataLoader, Dask.

    python3 tests/bench/comparison.py SHEAF FOLDER [--quick] [--turns=N] [CASE ...]

The references run in the Python that runs this script; a case with a missing package is skipped. The data are
written to FOLDER (up to 400 MB). Programs alternate, and the best turn of each counts. The time of a reference starts
after its imports, when the workers of joblib have started and imported their modules. The time of sheaf is the wall
time of the whole command, without saved models, since the references save none. A case fails if the losses or
accuracies of the two sides differ by more than chance.
SPDX-License-Identifier: MIT
"""
import argparse
import csv
import json
import os
import re
import shutil
import subprocess
import sys
import tempfile
import time
from importlib import metadata
from importlib.util import find_spec

CORES = len(os.sched_getaffinity(0))
ROOT = os.path.abspath(os.path.join(os.path.dirname(os.path.abspath(__file__)), "../.."))
DIGITS = os.path.join(ROOT, "data", "digits.h5")
STUDIES = os.path.join(ROOT, "jobs", "studies")
PACKAGES = ("torch", "sklearn", "joblib", "torchensemble", "dask", "h5py")
DISTRIBUTIONS = {"sklearn": "scikit-learn"}  # where the package has another name
SKIPPED = 77  # exit code
# Both sides choose their own number of threads.
ENVIRONMENT = {name: value for name, value in os.environ.items() if name != "OMP_NUM_THREADS"}


# The references. Each gets the settings of its case, and returns its seconds and the loss or accuracy to compare.

def start_workers(*modules):
    """Starts the workers of joblib's pool, which later calls use again, and imports the modules in each."""
    import joblib

    def load(folder):
        for module in modules:
            __import__(module)
        open(os.path.join(folder, str(os.getpid())), "w").close()
        end = time.perf_counter() + 30
        while len(os.listdir(folder)) < CORES and time.perf_counter() < end:  # so that each worker gets one call
            time.sleep(0.01)

    with tempfile.TemporaryDirectory() as folder:
        joblib.Parallel(n_jobs=CORES)(joblib.delayed(load)(folder) for _ in range(CORES))


def train_on_drawn_data(rows, columns, learning_rate, epochs):
    import torch
    from torch import nn

    features, targets = torch.randn(rows, columns), torch.randn(rows, 1)
    model = nn.Linear(columns, 1)
    optimizer = torch.optim.SGD(model.parameters(), lr=learning_rate)
    criterion = nn.MSELoss()
    for _ in range(epochs):
        optimizer.zero_grad()
        loss = criterion(model(features), targets)
        loss.backward()
        optimizer.step()
    return loss.item()


def joblib_loop(settings):
    import joblib

    start_workers("torch")
    start = time.perf_counter()
    losses = joblib.Parallel(n_jobs=CORES)(
        joblib.delayed(train_on_drawn_data)(1000, 10, 0.001, 5) for _ in range(settings["iterations"]))
    return time.perf_counter() - start, sum(losses) / len(losses)


def read_digits():
    import h5py

    with h5py.File(DIGITS) as file:
        return file["features"][:].astype("f4"), file["targets"][:].astype("i8")


def sklearn_network(hidden, epochs):
    """The settings of sheaf: no weight decay, no early stopping."""
    from sklearn.neural_network import MLPClassifier
    from sklearn.pipeline import make_pipeline
    from sklearn.preprocessing import StandardScaler

    return make_pipeline(StandardScaler(), MLPClassifier(
        (hidden,), solver="adam", alpha=0, batch_size=32, learning_rate_init=1e-3, max_iter=epochs, tol=0,
        n_iter_no_change=epochs + 1))


def grid_search(settings):
    from sklearn.model_selection import GridSearchCV, StratifiedKFold

    features, labels = read_digits()
    grid = {"mlpclassifier__hidden_layer_sizes": [(width,) for width in settings["hidden"]],
            "mlpclassifier__learning_rate_init": settings["learning_rates"]}
    search = GridSearchCV(sklearn_network(32, settings["epochs"]), grid, n_jobs=CORES, refit=False,
                          cv=StratifiedKFold(settings["folds"], shuffle=True, random_state=0))
    start_workers("sklearn.model_selection", "sklearn.neural_network")
    start = time.perf_counter()
    search.fit(features, labels)
    return time.perf_counter() - start, float(search.best_score_)


def split_digits():
    import numpy

    features, labels = read_digits()
    order = numpy.random.default_rng(0).permutation(len(labels))
    held_out, training = order[: len(labels) // 5], order[len(labels) // 5 :]
    return features[training], labels[training], features[held_out], labels[held_out]


def torch_ensemble(settings):
    import torch
    from torch import nn
    from torch.utils.data import DataLoader, TensorDataset
    from torchensemble import BaggingClassifier

    class Network(nn.Module):
        def __init__(self):
            super().__init__()
            self.layers = nn.Sequential(nn.Linear(64, 64), nn.ReLU(), nn.Linear(64, 10))

        def forward(self, rows):
            return self.layers(rows)

    torch.set_num_threads(1)  # more threads make networks this small slower
    if settings["jobs"] > 1:
        start_workers("torch", "torchensemble")
    start = time.perf_counter()
    features, labels, held_out, held_out_labels = split_digits()
    shift, scale = features.mean(axis=0), features.std(axis=0)
    scale[scale == 0] = 1
    training, validation = (
        DataLoader(TensorDataset(torch.from_numpy((rows - shift) / scale), torch.from_numpy(targets)), batch_size=32,
                   shuffle=True)
        for rows, targets in ((features, labels), (held_out, held_out_labels)))
    model = BaggingClassifier(estimator=Network, n_estimators=settings["members"], cuda=False, n_jobs=settings["jobs"])
    model.set_optimizer("Adam", lr=1e-3)
    model.fit(training, epochs=settings["epochs"], save_model=False)
    accuracy = model.evaluate(validation) / 100
    return time.perf_counter() - start, accuracy


def sklearn_ensemble(settings):
    from sklearn.ensemble import BaggingClassifier

    start_workers("sklearn.ensemble", "sklearn.neural_network")
    start = time.perf_counter()
    features, labels, held_out, held_out_labels = split_digits()
    model = BaggingClassifier(sklearn_network(64, settings["epochs"]), n_estimators=settings["members"], n_jobs=CORES)
    accuracy = model.fit(features, labels).score(held_out, held_out_labels)
    return time.perf_counter() - start, float(accuracy)


def data_loader(settings):
    import h5py
    import torch
    from torch import nn
    from torch.utils.data import DataLoader, Dataset

    class Rows(Dataset):
        def __init__(self, path):
            self.path, self.file = path, None
            with h5py.File(path) as file:
                self.count = len(file["targets"])

        def __len__(self):
            return self.count

        def __getitem__(self, row):
            if self.file is None:  # each worker opens the file
                self.file = h5py.File(self.path)
            return torch.from_numpy(self.file["features"][row]), int(self.file["targets"][row])

    if settings["model"] == "cnn":
        model = nn.Sequential(nn.Conv2d(3, 16, 3, padding=1), nn.ReLU(), nn.MaxPool2d(2),
                              nn.Conv2d(16, 32, 3, padding=1), nn.ReLU(), nn.MaxPool2d(2), nn.Flatten(),
                              nn.Linear(32 * 8 * 8, 10))
    else:
        model = nn.Sequential(nn.Flatten(), nn.Linear(3072, 128), nn.ReLU(), nn.Linear(128, 10))
    torch.set_num_threads(1)  # more threads wait for each other while the workers have their cores
    start = time.perf_counter()
    loader = DataLoader(Rows(settings["file"]), batch_size=64, shuffle=True, num_workers=CORES, persistent_workers=True)
    optimizer = torch.optim.Adam(model.parameters(), lr=1e-3)
    for _ in range(settings["epochs"]):
        total = 0
        for features, labels in loader:
            optimizer.zero_grad()
            loss = nn.functional.cross_entropy(model(features), labels)
            loss.backward()
            optimizer.step()
            total += loss.item() * len(labels)
    return time.perf_counter() - start, total / len(loader.dataset)


def dask_predictions(settings):
    import dask
    import dask.array
    import h5py
    import numpy
    import torch

    torch.set_num_threads(1)  # in each of Dask's threads
    dask.config.set(scheduler="threads", num_workers=CORES)
    start = time.perf_counter()
    model = torch.jit.load(settings["model"]).eval()

    def predict(rows):
        with torch.no_grad():
            return torch.softmax(model(torch.from_numpy(rows)), 1).numpy()

    with h5py.File(settings["file"]) as file, h5py.File(settings["predictions"], "w") as output:
        rows = dask.array.from_array(file["features"], chunks=(10000, 784))
        probabilities = rows.map_blocks(predict, dtype="f4", chunks=(rows.chunks[0], (10,)),
                                        meta=numpy.empty((0, 0), "f4"))
        labels = probabilities.argmax(axis=1)
        dask.array.store([probabilities, labels],
                         [output.create_dataset("probabilities", probabilities.shape, "f4"),
                          output.create_dataset("labels", labels.shape, "i8")])
        accuracy = float((output["labels"][:] == file["targets"][:]).mean())
    return time.perf_counter() - start, accuracy


# The corresponding commands of sheaf.

class Programs:
    def __init__(self, sheaf, folder):
        self.sheaf, self.folder = sheaf, folder
        self.mpiexec = os.environ.get("MPIEXEC") or shutil.which("mpiexec")
        self.run = os.path.join(folder, "comparison_run")
        self.out = os.path.join(folder, "comparison_out")

    def seconds(self, *arguments, ranks=1):
        """Runs a command of sheaf with its stdout in the file `out`; returns its wall time in seconds."""
        launcher = [self.mpiexec, "-n", str(ranks)] if ranks > 1 else []
        shutil.rmtree(self.run, ignore_errors=True)
        with open(self.out, "w") as out:
            start = time.perf_counter()
            done = subprocess.run([*launcher, self.sheaf, *arguments], env=ENVIRONMENT, stdout=out,
                                  stderr=subprocess.PIPE, text=True)
            seconds = time.perf_counter() - start
        if done.returncode:
            sys.exit(f"{' '.join(arguments)}: exit code {done.returncode}\n{done.stderr}")
        return seconds

    def train(self, study, keys, ranks=1):
        """Trains a study: seconds of `sheaf run`, and the rows of its results."""
        options = [f"--{key}={value}" for key, value in keys.items()]
        if "run.models" not in keys:
            options.append("--run.models=none")
        seconds = self.seconds("run", study, f"--run.output={self.run}", "--run.device=cpu", "--run.progress=none",
                               *options, ranks=ranks)
        with open(os.path.join(self.run, "results.csv")) as file:
            return seconds, list(csv.DictReader(file))

    def reference(self, function, settings):
        """Runs a reference in its own process: its seconds, its result, and the seconds of the whole process."""
        result = os.path.join(self.folder, "comparison.json")
        start = time.perf_counter()
        done = subprocess.run([sys.executable, os.path.abspath(__file__), "--reference", function, result,
                               json.dumps(settings)],
                              env={**ENVIRONMENT, "PYTHONWARNINGS": "ignore"}, stdout=subprocess.DEVNULL,
                              stderr=subprocess.PIPE, text=True)
        whole = time.perf_counter() - start
        if done.returncode == SKIPPED:
            raise ImportError(done.stderr.strip())
        if done.returncode:
            sys.exit(f"{function}: exit code {done.returncode}\n{done.stderr}")
        with open(result) as file:
            seconds, value = json.load(file)
        os.remove(result)
        return seconds, value, whole


def mean(values):
    values = [float(value) for value in values]
    return sum(values) / len(values)


class Case:
    """References and commands of sheaf: {label: function}. Functions of `references` return seconds, result and the
    seconds of the whole process; those of `ours` seconds and result. `close(theirs, ours)` compares two results;
    `counts` divides the seconds of each side; `files` are removed at the end."""

    def __init__(self, packages, result, close, references, ours, unit="", counts=(1, 1), files=()):
        self.packages, self.result, self.close = packages, result, close
        self.references, self.ours = references, ours
        self.unit, self.counts, self.files = unit, counts, files


def loop_case(programs, quick):
    iterations, more = (200, 2000) if quick else (10000, 200000)

    def train():
        seconds, rows = programs.train(os.path.join(STUDIES, "iterations.cfg"), {"study.iterations": more})
        return seconds, mean(row["final_loss"] for row in rows)

    error = 0.13 * (1 / iterations + 1 / more) ** 0.5  # 0.13: standard deviation of one iteration's loss
    return Case(["joblib", "torch"], "mean loss", lambda a, b: abs(a - b) < 5 * error,
                {"joblib": lambda: programs.reference("joblib_loop", {"iterations": iterations})},
                {"sheaf run": train}, "/iteration", (iterations, more))


def search_case(programs, quick):
    settings = {"hidden": [16, 32, 64], "learning_rates": [1e-4, 1e-3, 1e-2, 1e-1], "folds": 5, "epochs": 30}
    if quick:
        settings = {"hidden": [16], "learning_rates": [1e-3, 1e-2], "folds": 3, "epochs": 10}
    keys = {"data.file": DIGITS, "search.folds": settings["folds"], "train.epochs": settings["epochs"],
            "search.model.hidden": ", ".join(map(str, settings["hidden"])),
            "search.train.learning_rate": ", ".join(map(str, settings["learning_rates"]))}

    def search(ranks):
        seconds, rows = programs.train(os.path.join(STUDIES, "digits-search.cfg"), keys, ranks)
        trials = {}
        for row in rows:
            trials.setdefault(row["trial"], []).append(row["validation_score"])
        return seconds, max(map(mean, trials.values()))

    return Case(["sklearn", "h5py"], "best accuracy", lambda a, b: abs(a - b) < (0.03 if quick else 0.01),
                {"GridSearchCV": lambda: programs.reference("grid_search", settings)},
                {f"mpiexec -n {CORES} sheaf run": lambda: search(CORES), "sheaf run": lambda: search(1)})


def ensemble_case(programs, quick):
    settings = {"members": 4, "epochs": 5} if quick else {"members": 10, "epochs": 20}
    keys = {"data.file": DIGITS, "ensemble.members": settings["members"], "train.epochs": settings["epochs"]}

    def train():
        seconds, _ = programs.train(os.path.join(STUDIES, "digits-bagging.cfg"), keys)
        with open(programs.out) as out:
            return seconds, float(re.search(r"accuracy: (\S+) \(mean of members", out.read()).group(1))

    if find_spec("torchensemble"):
        packages = ["torchensemble", "torch", "h5py"]
        references = {f"TorchEnsemble n_jobs={jobs}":
                      lambda jobs=jobs: programs.reference("torch_ensemble", {**settings, "jobs": jobs})
                      for jobs in ((CORES,) if quick else (1, CORES))}
    else:
        packages = ["sklearn", "h5py"]
        references = {"scikit-learn's Bagging": lambda: programs.reference("sklearn_ensemble", settings)}
    return Case(packages, "accuracy", lambda a, b: abs(a - b) < 0.04, references, {"sheaf run": train})


def loader_case(programs, quick, model):
    images, epochs = (320, 1) if quick else (6400, 3)
    path, study = os.path.join(programs.folder, "comparison.h5"), os.path.join(programs.folder, "comparison.cfg")

    def write():
        import h5py
        import numpy

        random = numpy.random.default_rng(0)
        labels = random.integers(0, 10, images)
        with h5py.File(path, "w") as file:
            # Labels that a network learns slowly: the losses of both sides stay far from 0.
            file["features"] = random.normal(labels[:, None, None, None] / 20, 1, (images, 3, 32, 32)).astype("f4")
            file["targets"] = labels.astype("u1")
        with open(study, "w") as file:
            file.write("[study]\nname = comparison\n")

    keys = {"data.file": path, "data.task": "classification", "train.optimizer": "adam", "train.learning_rate": "1e-3",
            "train.loss": "cross_entropy", "train.batch_size": 64, "train.epochs": epochs, "run.lanes": 1, "data.normalize": "none",
            "data.validation": 0}
    keys.update({"model.kind": "cnn", "model.channels": "16 32"} if model == "cnn" else
                {"model.kind": "mlp", "model.hidden": 128})

    def train(mode):
        seconds, rows = programs.train(study, {**keys, "data.mode": mode})
        return seconds, float(rows[0]["final_loss"])

    return write, Case(["torch", "h5py"], "loss", lambda a, b: abs(a - b) < 0.15 * max(a, b),
                       {"DataLoader": lambda: programs.reference(
                           "data_loader", {"model": model, "file": path, "epochs": epochs})},
                       {f"sheaf, {mode}": lambda mode=mode: train(mode) for mode in ("memory", "streamed")},
                       files=(path, study))


def prediction_case(programs, quick):
    rows = 2000 if quick else 100000
    names = ("comparison.h5", "comparison.cfg", "comparison.pt", "comparison_dask.h5", "comparison_sheaf.h5")
    path, study, model, theirs, ours = (os.path.join(programs.folder, name) for name in names)

    def write():
        import h5py
        import numpy

        random = numpy.random.default_rng(0)
        relation = random.normal(size=(784, 10)).astype("f4")
        with h5py.File(path, "w") as file:
            features = file.create_dataset("features", (rows, 784), "f4")
            targets = file.create_dataset("targets", (rows,), "u1")
            for begin in range(0, rows, 10000):
                values = random.standard_normal((min(10000, rows - begin), 784), "f4")
                features[begin : begin + len(values)] = values
                targets[begin : begin + len(values)] = (values @ relation).argmax(axis=1)
        with open(study, "w") as file:
            file.write("[study]\nname = comparison\n")
        programs.train(study, {"data.file": path, "data.task": "classification", "train.loss": "cross_entropy",
                               "train.optimizer": "adam", "train.learning_rate": "1e-3", "train.epochs": 1,
                               "train.batch_size": 64, "model.kind": "mlp", "model.hidden": 128, "data.normalize": "none",
                               "run.models": "best"})
        shutil.copy(os.path.join(programs.run, "models", "iteration-0.pt"), model)

    def evaluate(engine):
        seconds = programs.seconds("evaluate", model, f"--data.file={path}", f"--predictions={ours}",
                                   "--overwrite=true", "--run.device=cpu", f"--run.engine={engine}", "--output=json")
        with open(programs.out) as out:
            accuracy = json.load(out)["accuracy"]
        return seconds, accuracy

    def close(theirs_accuracy, ours_accuracy):
        import h5py

        with h5py.File(theirs) as one, h5py.File(ours) as other:
            difference = abs(one["probabilities"][:] - other["probabilities"][:]).max()
        return difference < 1e-4 and abs(theirs_accuracy - ours_accuracy) < 1e-4

    return write, Case(["dask", "torch", "h5py"], "accuracy", close,
                       {"Dask": lambda: programs.reference(
                           "dask_predictions", {"model": model, "file": path, "predictions": theirs})},
                       {f"sheaf evaluate, {engine}": lambda engine=engine: evaluate(engine)
                        for engine in ("native", "torch")}, files=(path, study, model, theirs, ours))


def time_text(seconds):
    for scale, unit in ((1, "s"), (1e-3, "ms")):
        if seconds >= scale:
            return f"{seconds / scale:.3g} {unit}"
    return f"{seconds * 1e6:.3g} us"


def version(package):
    if not find_spec(package):
        return f"no {package}"
    try:
        return f"{package} {metadata.version(DISTRIBUTIONS.get(package, package))}"
    except metadata.PackageNotFoundError:
        return package


def measure(name, case, turns):
    """Runs the case, prints its lines, and returns whether both sides came to the same result up to chance."""
    found = {label: [] for label in (*case.references, *case.ours)}
    for _ in range(turns):
        for label, program in (*case.references.items(), *case.ours.items()):
            found[label].append(program())
    reference = min(case.references, key=lambda label: min(found[label]))
    best, expected, whole = min(found[reference])
    theirs, ours = case.counts
    words = f"{reference} {time_text(best / theirs)}{case.unit} (whole process {whole:.1f} s)"
    for label in case.references:
        if label != reference:
            words += f", {label} {time_text(min(found[label])[0] / theirs)}{case.unit}"
    passed = True
    for label in case.ours:
        seconds, result = min(found[label])
        by_turn = [min(found[other][turn][0] for other in case.references) / theirs * ours / found[label][turn][0]
                   for turn in range(turns)]
        same = case.close(expected, result)
        print(f"{name:12} {words}; {label} {time_text(seconds / ours)}{case.unit}: "
              f"{best / theirs * ours / seconds:.1f} times as fast ({min(by_turn):.1f} to {max(by_turn):.1f} by turn); "
              f"{case.result} {expected:.4f} and {result:.4f}{'' if same else ': NOT THE SAME'}", flush=True)
        passed = passed and same
    return passed


CASES = {
    "loop": lambda programs, quick: (None, loop_case(programs, quick)),
    "search": lambda programs, quick: (None, search_case(programs, quick)),
    "ensemble": lambda programs, quick: (None, ensemble_case(programs, quick)),
    "loader cnn": lambda programs, quick: loader_case(programs, quick, "cnn"),
    "loader mlp": lambda programs, quick: loader_case(programs, quick, "mlp"),
    "predictions": prediction_case,
}


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("sheaf", metavar="SHEAF")
    parser.add_argument("folder", metavar="FOLDER")
    parser.add_argument("cases", metavar="CASE", nargs="*", help=f"default: all of {', '.join(CASES)}")
    parser.add_argument("--quick", action="store_true", help="small sizes and one turn, to see that everything works")
    parser.add_argument("--turns", type=int, help="default: 3")
    options = parser.parse_intermixed_args()
    unknown = [name for name in options.cases if name not in CASES]
    if unknown:
        parser.error(f"unknown case: {', '.join(unknown)}")
    quick, turns = options.quick, options.turns or (1 if options.quick else 3)
    programs = Programs(os.path.abspath(options.sheaf), os.path.abspath(options.folder))
    if quick:
        print("--quick: small sizes, to see that everything works; the times are mostly start-up")
    print(f"{CORES} cores, best of {turns} turns; Python {sys.version.split()[0]}, {', '.join(map(version, PACKAGES))}",
          flush=True)
    passed, ran = True, False
    for name in options.cases or CASES:
        prepare, case = CASES[name](programs, quick)
        try:
            absent = [package for package in case.packages if not find_spec(package)]
            if absent:
                raise ImportError(f"this Python has no {', '.join(absent)}")
            if prepare:
                prepare()
            passed = measure(name, case, turns) and passed
            ran = True
        except ImportError as error:
            print(f"{name:12} skipped: {error}", flush=True)
        finally:
            shutil.rmtree(programs.run, ignore_errors=True)
            for path in (*case.files, programs.out):
                if os.path.exists(path):
                    os.remove(path)
    return (0 if passed else 1) if ran else SKIPPED


if __name__ == "__main__":
    if sys.argv[1:2] == ["--reference"]:
        try:
            result = globals()[sys.argv[2]](json.loads(sys.argv[4]))
        except ImportError as error:
            print(error, file=sys.stderr)
            sys.exit(SKIPPED)
        with open(sys.argv[3], "w") as file:
            json.dump(result, file)
    else:
        sys.exit(main())
