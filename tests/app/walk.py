"""The way of a user from tables to predictions: import, run, predict and evaluate, with data sets of scikit-learn and a
table with texts and empty cells. Predictions are those of the model file in PyTorch, on features that NumPy encodes.
Wrong files are errors that name the culprit, on one rank and on three."""

import csv
import json
import os
import shutil
import sys

import h5py
import numpy

from program import Checks, sheaf

try:
    import torch
    from sklearn import datasets
except ImportError as error:
    print(f"skipped: {error}")
    sys.exit(77)

STUDY = """
[model]
kind = mlp
hidden = 8
[data]
normalize = standard
[train]
epochs = 3
batch_size = 16
optimizer = adam
[run]
device = cpu
models = best
"""

checks = Checks()
shutil.rmtree("walk", ignore_errors=True)
os.makedirs("walk")
os.chdir("walk")
with open("study.cfg", "w") as file:
    file.write(STUDY)
random = numpy.random.default_rng(11)


class Table:
    """Columns by name; a column is a list of texts. The last one is the target."""

    def __init__(self, columns):
        self.columns = columns

    def rows(self, numbers):
        return Table({name: [cells[number] for number in numbers] for name, cells in self.columns.items()})

    def ordered(self, names):
        return Table({name: self.columns[name] for name in names})

    def with_column(self, name, cells):
        return Table({**self.columns, name: cells})

    def without(self, name):
        return Table({other: cells for other, cells in self.columns.items() if other != name})

    def count(self):
        return len(next(iter(self.columns.values())))

    def write(self, path, **options):
        with open(path, "w", newline="", encoding="utf-8") as file:
            writer = csv.writer(file, **options)
            writer.writerow(self.columns)
            writer.writerows(zip(*self.columns.values()))


class Encoding:
    """Features and labels by hand, as data/README.md documents them, from the rows of the training."""

    def __init__(self, train, target, classes):
        self.target, self.names = target, [name for name in train.columns if name != target]
        self.classes = sorted(set(train.columns[target])) if classes else None
        self.categories = {}
        for name in self.names:
            cells = train.columns[name]
            try:
                [float(cell) for cell in cells if cell]
            except ValueError:
                self.categories[name] = sorted(set(cells))  # the empty text comes first

    def numbers(self, name, table):
        return [float(cell) if cell else numpy.nan for cell in table.columns[name]]

    def features(self, table):
        """The columns of a data file and of a model: NaN in empty cells, codes of texts, -1 for empty and unknown ones."""
        columns = []
        for name in self.names:
            if name in self.categories:
                texts = [category for category in self.categories[name] if category]
                columns.append([texts.index(cell) if cell in texts else -1 for cell in table.columns[name]])
            else:
                columns.append(self.numbers(name, table))
        return numpy.array(columns, dtype="f4").T

    def targets(self, table):
        cells = table.columns[self.target]
        return numpy.array([self.classes.index(cell) if self.classes else float(cell) for cell in cells])


def from_sklearn(bunch, target):
    columns = {name: [repr(float(value)) for value in column]
               for name, column in zip(bunch.feature_names, bunch.data.T)}
    names = [str(bunch.target_names[label]) for label in bunch.target] if "target_names" in bunch else \
        [repr(float(value)) for value in bunch.target]
    return Table({**columns, target: names})


def made_table(count=240):
    """Texts, empty cells in numbers and in texts, a label with three names."""
    city = random.choice(["Oslo", "Rome", "São Paulo", ""], count)
    age = [f"{value:.2f}" if random.random() > 0.1 else "" for value in random.normal(40, 12, count)]
    income = [f"{value:.1f}" for value in random.normal(3000, 700, count)]
    plan = random.choice(["basic, monthly", 'the "gold" plan', "none at all"], count)
    label = random.choice(["churn", "stay", "upgrade"], count)
    return Table({"age": age, "city": list(city), "income": income, "plan": list(plan), "outcome": list(label)})


def run_program(case, *args, ranks=None):
    result = sheaf(*args, ranks=ranks)
    checks.check(result.code == 0, case, f"{args}\n{result.stdout}{result.stderr}")
    return result


def refused(case, reason, *args, code=1):
    """Checks for one error line with `reason`, without mpiexec and on 3 ranks, and that no output appears."""
    for ranks in (None, 3):
        before = sorted(os.listdir("."))
        result = sheaf(*args, ranks=ranks, timeout=60)
        lines = result.error_lines()
        checks.check(result.code == code and len(lines) == 1 and reason in lines[0],
                     f"{case}, {ranks} ranks: exit code {code} and one error", f"{args}\n{result.code} {result.stderr}")
        checks.check(sorted(os.listdir(".")) == before, f"{case}, {ranks} ranks: no file appears",
                     sorted(set(os.listdir(".")) - set(before)))


def python_predictions(run, features, classes):
    """Probabilities or values of the run's best model in PyTorch."""
    with open(f"{run}/models/best.txt") as file:
        name, = file.read().split()
    with torch.no_grad():
        outputs = torch.jit.load(f"{run}/models/{name}")(torch.from_numpy(features)).numpy().astype("f8")
    if not classes:
        return outputs
    exponentials = numpy.exp(outputs - outputs.max(axis=1, keepdims=True))
    return exponentials / exponentials.sum(axis=1, keepdims=True)


def read_predictions(path, encoding):
    """Predicted names (None for regression) and the numbers, from a CSV file."""
    with open(path, newline="", encoding="utf-8") as file:
        header, *rows = csv.reader(file)
    if not encoding.classes:
        checks.check(header == ["prediction"], f"{path}: header", header)
        return None, numpy.array(rows, dtype="f8")
    checks.check(header == ["prediction"] + [f"probability_{name}" for name in encoding.classes], f"{path}: header",
                 header)
    return [row[0] for row in rows], numpy.array([row[1:] for row in rows], dtype="f8")


def report(*args, ranks=None):
    result = run_program(f"evaluate {args}", "evaluate", *args, "--output=json", ranks=ranks)
    found = json.loads(result.stdout) if result.code == 0 else {}
    return {key: value for key, value in found.items() if key not in ("seconds", "data") and "per_second" not in key}


# ---- Import, run, predict, evaluate

TABLES = {"wine": (from_sklearn(datasets.load_wine(), "cultivar"), "cultivar", True),
          "breast_cancer": (from_sklearn(datasets.load_breast_cancer(), "diagnosis"), "diagnosis", True),
          "diabetes": (from_sklearn(datasets.load_diabetes(), "progression"), "progression", False),
          "made": (made_table(), "outcome", True)}
encodings, held_tables = {}, {}
for name, (table, target, classes) in TABLES.items():
    order = random.permutation(table.count())
    cut = len(order) * 3 // 4
    train, held = table.rows(order[:cut]), table.rows(order[cut:])
    encoding = encodings[name] = Encoding(train, target, classes)
    if classes:  # the held-out file lacks the class that is first in the order of the model
        held = held.rows([row for row, cell in enumerate(held.columns[target]) if cell != encoding.classes[0]])
    held = held_tables[name] = held.ordered(random.permutation(list(held.columns)))
    train.write(f"{name}.csv")
    held.write(f"{name}-held.csv")
    held.without(target).write(f"{name}-new.csv")
    held.with_column("note", ["x, y"] * held.count()).write(f"{name}-wider.csv")
    run_program(f"{name}: import", "import", f"{name}.csv", f"{name}.h5",
                *(["--missing=median"] if name == "made" else []))
    run_program(f"{name}: the held-out rows are imported", "import", f"{name}-held.csv", f"{name}-held.h5",
                f"--like={name}.h5")
    run_program(f"{name}: run", "run", "study.cfg", f"--data.file={name}.h5", f"--run.output={name}",
                *(["--data.task=classification", "--train.loss=cross_entropy", "--data.validation=0.2"] if classes else
                  ["--data.task=regression", "--train.loss=mse"]))
    features, targets = encoding.features(held), encoding.targets(held)
    with h5py.File(f"{name}-held.h5") as file:
        same = numpy.array_equal(file["features"][:], encoding.features(held), equal_nan=True)
        checks.check(same and (file["targets"][:] == targets.astype("f4")).all(),
                     f"{name}: the import encodes the held-out rows as the training", file["features"][:3])
    expected = python_predictions(name, features, classes)
    labels = [encoding.classes[label] for label in expected.argmax(axis=1)] if classes else None

    refused(f"{name}: a column too many", "'note'", "predict", name, f"{name}-wider.csv", "wider.csv")
    for source, args in ((f"{name}-held.csv", []), (f"{name}-new.csv", []), (f"{name}-wider.csv", ["--drop=note"]),
                         (f"{name}-held.h5", [])):
        for ranks in (None, 3):
            case = f"{name}: predictions of {source}, {ranks} ranks"
            for output in ("out.csv", "out.h5"):
                run_program(f"{case} in {output}", "predict", name, source, output, "--overwrite=true", *args,
                            ranks=ranks)
            found_labels, found = read_predictions("out.csv", encoding)
            limit = 1e-5 * max(1, abs(expected).max())
            checks.check(found.shape == expected.shape and abs(found - expected).max() < limit
                         and found_labels == labels, f"{case} are those of Python",
                         f"{found[:3]}\n{expected[:3]}")
            with h5py.File("out.h5") as file:
                stored = file["probabilities" if classes else "values"][:]
                checks.check((stored == found.astype("f4")).all() and
                             (not classes or (file["labels"][:] == expected.argmax(axis=1)).all()),
                             f"{case}: CSV and HDF5 have the same numbers")
    direct = report(name, f"--data.file={name}-held.csv")
    checks.check(direct == report(name, f"--data.file={name}-held.h5") == report(name, f"--data.file={name}-held.csv",
                                                                                ranks=3),
                 f"{name}: evaluate of the CSV file and of its import give the same numbers", direct)
    if classes:
        known = -numpy.log(expected[numpy.arange(len(targets)), targets]).mean()
        accuracy = (expected.argmax(axis=1) == targets).mean()
        checks.check(abs(direct["loss"] - known) < 1e-5 and abs(direct["accuracy"] - accuracy) < 1e-12
                     and sum(direct["confusion"][0]) == 0, f"{name}: loss and accuracy are those of Python",
                     f"{direct} {known} {accuracy}")
    else:
        known = ((expected[:, 0] - targets) ** 2).mean()
        checks.check(abs(direct["loss"] / known - 1) < 1e-5, f"{name}: the loss is that of Python", f"{direct} {known}")

# ---- Files that do not fit the model

wine, made = held_tables["wine"], held_tables["made"]
wine.without("hue").write("narrow.csv")
refused("missing column", "'hue'", "predict", "wine", "narrow.csv", "x.csv")
refused("missing column in evaluate", "'hue'", "evaluate", "wine", "--data.file=narrow.csv")
made.without("city").with_column("city", ["Paris"] + made.columns["city"][1:]).write("paris.csv")
refused("unknown category", "'Paris'", "predict", "made", "paris.csv", "x.csv", "--unknown=error")
refused("unknown category in evaluate", "'Paris'", "evaluate", "made", "--data.file=paris.csv", "--unknown=error")
run_program("an unknown category", "predict", "made", "paris.csv", "ignored.csv")
features = encodings["made"].features(made)
features[0, encodings["made"].names.index("city")] = -1
found = read_predictions("ignored.csv", encodings["made"])[1]
checks.check(abs(found - python_predictions("made", features, True)).max() < 1e-5,
             "an unknown category is read as an empty cell, which is a category of the training data")
wine.without("cultivar").with_column("cultivar", ["class_9"] + wine.columns["cultivar"][1:]).write("class.csv")
refused("unknown class", "'class_9'", "evaluate", "wine", "--data.file=class.csv")
run_program("predict does not need known classes", "predict", "wine", "class.csv", "class-out.csv")
numbers = {name: str(index) for index, name in enumerate(["class_0", "class_1", "class_2"], 1)}
wine.without("cultivar").with_column("cultivar", [numbers[cell] for cell in wine.columns["cultivar"]]).write("123.csv")
refused("labels as numbers from 1", "cultivar", "evaluate", "wine", "--data.file=123.csv")
features, targets = encodings["wine"].features(wine), encodings["wine"].targets(wine)
for name, width, changed in (("nameless.h5", 13, targets), ("short.h5", 12, targets), ("from1.h5", 13, targets + 1)):
    with h5py.File(name, "w") as file:
        file["features"], file["targets"] = features[:, :width], changed
refused("another number of features, without names", "takes 13 features per row (the data have 12)", "evaluate", "wine",
        "--data.file=short.h5")
refused("labels 1..3 in HDF5", "'from1.h5'", "evaluate", "wine", "--data.file=from1.h5")
named = report("wine", "--data.file=wine-held.h5")
checks.check(named == report("wine", "--data.file=nameless.h5"), "a file without names is read by position")
with h5py.File("wine-held.h5") as file, h5py.File("two.h5", "w") as two:  # class_0 has neither rows nor a name
    file.copy("features", two)
    two.create_dataset("targets", data=targets - 1).attrs["class_names"] = ["class_1", "class_2"]
checks.check(named == report("wine", "--data.file=two.h5"), "a file without class_0: labels are found by name")
with h5py.File("wine-held.h5") as file, h5py.File("other.h5", "w") as other:
    file.copy("features", other)
    other.create_dataset("targets", data=targets - 1).attrs["class_names"] = ["class_1", "claret"]
refused("unknown class in HDF5", "'claret'", "evaluate", "wine", "--data.file=other.h5")
sys.exit(checks.finish())
