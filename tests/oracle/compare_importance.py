"""Compares `sheaf importance` with sklearn.inspection.permutation_importance on the same permutations: models of a run,
which PyTorch evaluates, and a module scripted in Python. Importances agree to 1e-6.

    compare_importance.py SHEAF

SPDX-License-Identifier: MIT
"""
import csv
import json
import pathlib
import subprocess
import sys
import tempfile

from oracle import skip

try:
    import h5py
    import numpy
    import sklearn.inspection
    import sklearn.inspection._permutation_importance as implementation
    import torch
except ImportError as error:
    skip(error)

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "app"))
from draws import permutation  # noqa: E402

torch.set_num_threads(1)  # other tests use the cores, too
SHEAF = sys.argv[1]
ROWS, SEED, REPEATS = 300, 11, 4
failures = 0


def check(good, name, details=""):
    global failures
    print(f"{'ok    ' if good else 'FAILED'} {name} {'' if good else details}")
    failures += not good


def run(*args):
    return subprocess.run([SHEAF, *args], capture_output=True, text=True, timeout=600, check=True).stdout


class Permutations:
    """Stands for the random state of scikit-learn, which permutes the columns one after another, and each of them once
    more for each repeat: shuffles so that the column is then permuted as Sheaf does."""

    def __init__(self, column):
        self.column, self.repeat, self.order = column, 0, numpy.arange(ROWS)

    def randint(self, _):
        return 0

    def shuffle(self, indices):
        wanted = permutation(ROWS, SEED, self.column, self.repeat)
        place = numpy.empty_like(self.order)
        place[self.order] = numpy.arange(ROWS)
        indices[:] = place[wanted]  # in the rows as they were permuted last
        self.order, self.repeat = wanted, self.repeat + 1


class Model:
    """An estimator of scikit-learn: encodes the columns of a table and calls a module."""

    def __init__(self, module, encode, classes):
        self.module, self.encode = module, encode
        if classes:
            self._estimator_type, self.classes_ = "classifier", numpy.arange(classes)

    def fit(self, *_):
        return self

    def outputs(self, table):
        with torch.no_grad():
            return self.module(torch.from_numpy(self.encode(table).astype("f4"))).double()

    def predict_proba(self, table):
        return torch.softmax(self.outputs(table), 1).numpy()

    def predict(self, table):
        outputs = self.outputs(table).numpy()
        return outputs.argmax(axis=1) if hasattr(self, "classes_") else outputs.reshape(len(table))


def compare(name, model, table, targets, metrics, weights, *args):
    """`metrics`: {name in Sheaf: scoring of scikit-learn}."""
    for metric, scoring in metrics.items():
        columns = iter([None, *range(table.shape[1])])
        implementation.check_random_state = lambda _: Permutations(next(columns))
        theirs = sklearn.inspection.permutation_importance(model, table, targets, scoring=scoring, n_repeats=REPEATS,
                                                           sample_weight=weights)
        ours = json.loads(run("importance", *args, f"--metric={metric}", f"--repeats={REPEATS}", f"--seed={SEED}",
                              "--output=json"))["features"]
        distance = 0.0
        for feature in ours:
            number = feature["number"]
            distance = max(distance, abs(theirs.importances[number] - feature["values"]).max(),
                           abs(theirs.importances_mean[number] - feature["mean"]),
                           abs(theirs.importances_std[number] - feature["std"]))
        good = distance < 1e-6 and len(ours) == table.shape[1] and abs(theirs.importances).max() > 0.001
        check(good, f"{name}, {metric}: {distance:.1e}")


def main(folder):
    random = numpy.random.default_rng(4)
    numbers = random.normal(size=(ROWS, 3)).astype("f4").astype(float)
    cities = random.integers(0, 4, ROWS)  # the first one is an empty cell
    names = ["", "Oslo", "Paris", "Rome"]
    table = numpy.column_stack([numbers[:, 0], cities, numbers[:, 1:]])
    weights = random.integers(0, 4, ROWS)
    signal = numbers[:, 0] + (cities == 3) - numbers[:, 1] * (cities == 1) + random.normal(size=ROWS) * 0.3

    def encode(rows):
        """The codes of cities, -1 for an empty cell."""
        return numpy.column_stack([rows[:, :1], rows[:, 1:2] - 1, rows[:, 2:]])

    def write(path, targets):
        with open(path, "w", newline="") as file:
            writer = csv.writer(file)
            writer.writerow(["a", "city", "b", "c", "weight", "target"])
            for row, target, weight in zip(table, targets, weights):
                writer.writerow([row[0], names[int(row[1])], row[2], row[3], weight, target])

    classification = {"accuracy": "accuracy", "log_loss": "neg_log_loss", "f1_macro": "f1_macro"}
    regression = {"r2": "r2", "mae": "neg_mean_absolute_error", "rmse": "neg_root_mean_squared_error",
                  "median_ae": "neg_median_absolute_error"}
    kinds = {"two": (numpy.digitize(signal, [0]), 2, {**classification, "roc_auc": "roc_auc"}),
             "three": (numpy.digitize(signal, [-0.7, 0.7]), 3, {**classification, "roc_auc": "roc_auc_ovr"}),
             "value": (signal.round(5), 0, regression)}
    for kind, (targets, classes, metrics) in kinds.items():
        write(folder / f"{kind}.csv", targets)
        run("import", str(folder / f"{kind}.csv"), str(folder / f"{kind}.h5"), "--drop=weight")
        run("run", str(folder / f"{kind}.h5"), "--run.device=cpu", "--run.progress=none", "--train.epochs=30",
            "--model.kind=mlp", "--model.hidden=16", f"--run.output={folder / kind}")
        module = torch.jit.load(next((folder / kind / "models").glob("*.pt"))).eval()
        model = Model(module, encode, classes)
        for file in (f"{kind}.csv", f"{kind}.h5"):
            compare(file, model, table, targets, metrics, None, str(folder / kind), str(folder / file))
        if classes != 3:  # scikit-learn's weighted median and multi-class ROC AUC need other arguments
            compare(f"{kind}, weights", model, table, targets, {name: metrics[name] for name in metrics if name != "median_ae"},
                    weights, str(folder / kind), str(folder / f"{kind}.csv"), "--weights=weight")

    # A module of somebody else has the names of the file.
    targets = kinds["three"][0]
    torch.manual_seed(1)
    network = torch.nn.Sequential(torch.nn.Linear(3, 8), torch.nn.Tanh(), torch.nn.Linear(8, 3))
    torch.jit.script(network).save(str(folder / "foreign.pt"))
    with h5py.File(folder / "foreign.h5", "w") as file:
        file["features"], file["targets"] = numbers.astype("f4"), targets
    with open(folder / "foreign.csv", "w", newline="") as file:
        csv.writer(file).writerows([["x", "y", "z", "target"], *([*row, target] for row, target in zip(numbers, targets))])
    for file, features in (("foreign.h5", ["feature 0", "feature 1", "feature 2"]), ("foreign.csv", ["x", "y", "z"])):
        compare(f"a module from Python, {file}", Model(network, lambda rows: rows, 3), numbers, targets,
                {"log_loss": "neg_log_loss", "accuracy": "accuracy"}, None, str(folder / "foreign.pt"), str(folder / file))
        shown = run("importance", str(folder / "foreign.pt"), str(folder / file), "--output=csv").splitlines()[1:]
        check(sorted(line.split(",")[0] for line in shown) == features, f"the names of {file}", shown)


with tempfile.TemporaryDirectory() as name:
    main(pathlib.Path(name))
sys.exit(1 if failures else 0)
