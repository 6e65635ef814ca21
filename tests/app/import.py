"""`sheaf import`: files of every format, written in Python, are imported, compared by h5py and trained on; invalid
files are refused."""

import glob
import gzip
import io
import json
import os
import shutil
import struct
import sys
import zipfile

import h5py
import numpy
import pandas

from program import Checks, sheaf

checks = Checks()
shutil.rmtree("import", ignore_errors=True)
os.makedirs("import")
os.chdir("import")
generator = numpy.random.default_rng(5)

STUDY = """
[study]
name = imported
[model]
kind = mlp
hidden = 4
[train]
epochs = 1
[run]
output = out
"""
with open("study.cfg", "w") as file:
    file.write(STUDY)


def write(name, content):
    data = content if isinstance(content, bytes) else content.encode()
    with (gzip.open if name.endswith(".gz") else open)(name, "wb") as file:
        file.write(data)


def expect(case, args, features, targets, names=None, target_type="i8", train=False, **options):
    """Imports to out.h5 and compares it with the arrays; with `train` also trains for an epoch on it. Without `names`
    the names of classes are their numbers."""
    if names is None and target_type == "i8":
        names = [str(label) for label in sorted(set(targets))]
    result = sheaf("import", *args, "out.h5", "--overwrite", **options)
    details = f"exit {result.code}\n{result.stdout}{result.stderr}"
    checks.check(result.code == 0 and result.stdout.count("\n") == 1 and not result.error_lines(), case, details)
    if result.code != 0:
        return
    with h5py.File("out.h5", "r") as file:
        found, found_targets = file["features"], file["targets"]
        equal = numpy.array_equal(found[:], features, equal_nan=features.dtype.kind == "f")
        checks.check(found.dtype == features.dtype and equal, f"{case}: features",
                     f"{found.dtype} {found.shape}\n{found[:]}")
        checks.check(found_targets.dtype == target_type and numpy.array_equal(found_targets[:], targets),
                     f"{case}: targets", f"{found_targets.dtype} {found_targets[:]}")
        found_names = list(found_targets.attrs.get("class_names", [])) or None
        checks.check(found_names == names, f"{case}: class names", str(found_names))
    if not train:
        return
    shutil.rmtree("out", ignore_errors=True)
    kind = ("classification", "cross_entropy") if target_type == "i8" else ("regression", "mse")
    result = sheaf("run", "study.cfg", "--data.file=out.h5", f"--data.task={kind[0]}", f"--train.loss={kind[1]}")
    checks.check(result.code == 0 and os.path.exists("out/results.csv"), f"{case}: a run trains on it", result.stderr)


def refuse(case, args, code, message, ranks=None):
    before = sorted(os.listdir("."))
    result = sheaf("import", *args, ranks=ranks)
    errors = result.error_lines()
    checks.check(result.code == code and len(errors) == 1 and message in errors[0] and not result.stdout,
                 f"{case}: exit code {code} and one error line with '{message}'",
                 f"exit {result.code}\n{result.stdout}{result.stderr}")
    checks.check(sorted(os.listdir(".")) == before, f"{case}: no new files", str(os.listdir(".")))
    if "--show" in sys.argv:
        print(f"{case:28} {errors}")


# ---- CSV

values = generator.normal(size=(30, 3)).astype("f4")
species = [["setosa", "virginica", "versicolor, dwarf"][row % 3] for row in range(30)]
names = sorted(set(species))
numbers = numpy.array([names.index(name) for name in species])
rows = [",".join(map(repr, map(float, value))) + f',"{name}"' for value, name in zip(values, species)]
write("header.csv", "a,b,c,kind\r\n" + "\r\n".join(rows) + "\r\n")
write("plain.csv.gz", "\n".join(rows))
expect("csv with a header", ["header.csv"], values, numbers, names, train=True)
expect("csv without a header, gzip", ["plain.csv.gz"], values, numbers, names)
expect("two csv files", ["header.csv", "plain.csv.gz", "--compression=6"], numpy.vstack([values] * 2),
       numpy.tile(numbers, 2), names)
write("classes.tsv", "y\ta\tb\n" + "".join(f"{row % 4}\t{row}\t{row * row}\n" for row in range(30)))
squares = numpy.array([[row, row * row] for row in range(30)], "f4")
expect("tsv, labels in the first column", ["classes.tsv", "--label=y"], squares, numpy.arange(30) % 4)
expect("dropped column", ["classes.tsv", "--label=0", "--drop=b"], squares[:, :1], numpy.arange(30) % 4)
expect("two targets", ["header.csv", "--label=a,-2", "--drop=kind"], values[:, 1:2], values[:, [0, 2]],
       target_type="f4",
       train=True)
expect("one target", ["header.csv", "--label=c", "--drop=3"], values[:, :2], values[:, 2], target_type="f4")
signs = numpy.where(numpy.arange(30) % 2, 1, -1)
write("signs.csv", "".join(f"{row};{sign}\n" for row, sign in enumerate(signs)))
expect("negative labels, semicolons", ["signs.csv"], squares[:, :1], (signs + 1) // 2, ["-1", "1"])
expect("integer targets of a regression", ["signs.csv", "--task=regression"], squares[:, :1], signs, target_type="f4")

# ---- CSV with texts, empty cells and row names

people = 40
ages = [None if row % 7 == 3 else round(20 + 1.25 * row, 2) for row in range(people)]
cities = [["Rome", "Oslo", "", "M\u00fcnchen"][row % 4] for row in range(people)]
floors = [[10, 2, 9][row % 3] for row in range(people)]
answers = [["yes", "no", "maybe"][row // 2 % 3] for row in range(people)]


def table(columns, rows, row_names=False, encoding="utf-8"):
    """The CSV text of these columns of the people."""
    values = {"age": ages, "city": cities, "floor": floors, "answer": answers}
    lines = [("," if row_names else "") + ",".join(columns)]
    for row in rows:
        cells = ["" if values[column][row] is None else str(values[column][row]) for column in columns]
        lines.append(",".join([f"r{row}"] * row_names + cells))
    return ("\n".join(lines) + "\n").encode(encoding)


def encoded(rows):
    """The columns of the people: NaN and -1 in empty cells, the codes of categories."""
    return numpy.array([[numpy.nan if ages[row] is None else ages[row],
                         ["M\u00fcnchen", "Oslo", "Rome"].index(cities[row]) if cities[row] else -1,
                         [2, 9, 10].index(floors[row])] for row in rows], "f4")


def described_columns():
    """The attribute `columns` of out.h5."""
    with h5py.File("out.h5") as file:
        return json.loads(file["features"].attrs["columns"])


kinds = sorted(set(answers))
coded = numpy.array([kinds.index(answer) for answer in answers])
everyone = range(people)
order = ["age", "city", "floor", "answer"]
write("people.csv", table(order, everyone, row_names=True))
write("latin.csv", table(order, everyone, encoding="latin-1"))
floor = "--categorical=floor"
for kind, rule in (("mean", {"fill_rule": "mean"}), ("median", {}), ("-1.5", {"fill": -1.5})):
    expect(f"empty cells: {kind}", ["people.csv", floor, f"--missing={kind}"], encoded(everyone), coded, kinds)
    checks.check(described_columns()["columns"] == [
        {"name": "age", "empty": True, **rule},
        {"name": "city", "empty": True, "categories": ["M\u00fcnchen", "Oslo", "Rome"]},
        {"name": "floor", "categories": ["2", "9", "10"]}], f"empty cells: {kind}: description",
                 str(described_columns()))
whole = [row for row in everyone if ages[row] is not None and cities[row]]
expect("rows with empty cells are dropped", ["people.csv", floor, "--missing=drop"],
       encoded(whole), coded[whole], kinds, train=True)
os.rename("out.h5", "whole.h5")
expect("Latin-1, on 3 ranks", ["latin.csv", floor], encoded(everyone), coded, kinds, ranks=3)
os.rename("out.h5", "people.h5")
with h5py.File("people.h5") as file:
    checks.check(list(file["features"].attrs["feature_names"]) == ["age", "city", "floor"],
                 "names of features", str(list(file["features"].attrs["feature_names"])))
    checks.check(list(file["targets"].attrs["target_names"]) == ["answer"] and file.attrs["source"] == "latin.csv",
                 "names of targets and source", str(dict(file.attrs)))
    content_hash = file.attrs["content_hash"]

test_rows = [1, 3, 2, 39, 15]  # without the class "maybe"
test_kinds = coded[test_rows]
write("test.csv", table(["answer", "floor", "age", "city"], test_rows))
write("unlabelled.csv", table(["floor", "city", "age"], test_rows, row_names=True))
write("by-position.csv", table(order, test_rows).split(b"\n", 1)[1])
expect("like, permuted columns", ["test.csv", "--like=people.h5"], encoded(test_rows), test_kinds, kinds)
expect("like, on 3 ranks", ["test.csv", "--like=people.h5"], encoded(test_rows), test_kinds, kinds, ranks=3)
expect("like, without a header", ["by-position.csv", "--like=people.h5", "--header=false"],
       encoded(test_rows), test_kinds, kinds)
expect("like itself", ["latin.csv", "--like=people.h5"], encoded(everyone), coded, kinds)
with h5py.File("out.h5") as file:
    checks.check(file.attrs["content_hash"] == content_hash, "equal data have an equal hash")
result = sheaf("import", "unlabelled.csv", "--like=people.h5", "out.h5", "--overwrite=true")
with h5py.File("out.h5") as file:
    checks.check(result.code == 0 and "no targets" in result.stdout and list(file) == ["features"] and
                 numpy.array_equal(file["features"][:], encoded(test_rows), equal_nan=True), "like, without targets",
                 result.stdout + result.stderr)
write("bern.csv", table(order, [1, 9]).replace(b"Oslo", b"Bern"))
unknown = encoded([1, 9])
unknown[:, 1] = -1
expect("unknown categories are ignored", ["bern.csv", "--like=people.h5"], unknown, coded[[1, 9]], kinds)
expect("a dropped column", ["people.csv", "--drop=floor"], encoded(everyone)[:, :2], coded, kinds)
os.rename("out.h5", "dropped.h5")
expect("like, without the dropped column", ["test.csv", "--like=dropped.h5"], encoded(test_rows)[:, :2], test_kinds,
       kinds)
checks.check(described_columns()["dropped"] == ["floor"], "dropped columns are remembered", str(described_columns()))

# Columns that describe rows
write("rows.csv", "who,a,part,w,day,y\n" +
      "".join(f"p{row % 3},{row}.5,{row % 2},{row % 4},2019-03-0{9 - row},{row % 2}\n" for row in range(8)))
expect("groups, folds, times and weights", ["rows.csv", "--groups=who", "--folds=part", "--weights=w", "--time=day"],
       numpy.arange(8, dtype="f4")[:, None] + 0.5, numpy.arange(8) % 2)
with h5py.File("out.h5") as file:
    found = {name: (file[name].dtype.name, list(file[name])) for name in ("groups", "folds", "time", "weights")}
    checks.check(found == {"groups": ("int64", [row % 3 for row in range(8)]),
                           "folds": ("int32", [row % 2 for row in range(8)]),
                           "time": ("float64", [1552089600 - 86400 * row for row in range(8)]),
                           "weights": ("float32", [row % 4 for row in range(8)])}, "columns of rows", str(found))
# The decimal mark of a table is that of all columns, also of weights and times.
write("comma.csv", "a;w;t;y\n" + "".join(f"{row},25;{row},5;1.00{row},5;{row % 2}\n" for row in range(8)))
expect("decimal commas in weights and times", ["comma.csv", "--weights=w", "--time=t", "--label=y"],
       numpy.arange(8, dtype="f4")[:, None] + 0.25, numpy.arange(8) % 2)
with h5py.File("out.h5") as file:
    checks.check((file["weights"][:] == numpy.arange(8) + 0.5).all() and
                 (file["time"][:] == numpy.arange(8) + 1000.5).all(), "weights and times with decimal commas")
write("thousands.csv", "a;w;y\n" + "".join(f"{row},25;1.50{row};{row % 2}\n" for row in range(8)))
expect("thousands in weights", ["thousands.csv", "--weights=w", "--label=y"],
       numpy.arange(8, dtype="f4")[:, None] + 0.25, numpy.arange(8) % 2)
with h5py.File("out.h5") as file:
    checks.check((file["weights"][:] == numpy.arange(8) + 1500).all(), "thousands in weights", str(file["weights"][:]))
write("gap.csv", "a,part,y\n" + "".join(f"{row}.5,{row % 2 * 2},{row % 2}\n" for row in range(8)))
for name, keys, text in [("folds with a gap", ["--folds=part"], "column 1 ('part') of 'gap.csv' has no row of fold 1, but of fold 2"),
                         ("groups of the label", ["--groups=y", "--label=y"], "--groups and --label name the same column of 'gap.csv' (2)"),
                         ("folds of the label", ["--folds=y", "--label=y"], "--folds and --label name the same column")]:
    result = sheaf("import", "gap.csv", "gap.h5", *keys)
    checks.check(result.code == 1 and text in result.stderr and not os.path.exists("gap.h5"), name, result.stderr)
write("offset.csv", "t,y\n" + "".join(f"{1700000000 + 7.25 * row},{2e9 + 0.5 * row}\n" for row in range(40)))
result = sheaf("import", "offset.csv", "out.h5", "--overwrite")
with h5py.File("out.h5") as file:
    times = file["features"][:, 0].astype("f8") + described_columns()["columns"][0]["offset"]
    targets = file["targets"][:].astype("f8") + file["targets"].attrs["offset"][0]
    checks.check(list(times) == [1700000000 + 7.25 * row for row in range(40)] and
                 list(targets) == [2e9 + 0.5 * row for row in range(40)], "offsets", f"{times} {targets}")
checks.check("'offset.csv': 40 rows of 2 columns: header in line 1, label column 1 ('y')" in result.stderr,
             "one line says what was read", result.stderr)

# Integers of which most rows have one of their own are quantities
prices = [250 + 7 * row - row % 2 for row in range(40)]
write("prices.csv", "a,price\n" + "".join(f"{row % 9}.5,{price}\n" for row, price in enumerate(prices)))
column = numpy.arange(40)[:, None].astype("f4") % 9 + 0.5
expect("prices", ["prices.csv"], column, numpy.array(prices, "f4"), target_type="f4", train=True)
expect("prices as classes", ["prices.csv", "--task=classification"], column, numpy.arange(40),
       names=[str(price) for price in prices])
result = sheaf("import", "prices.csv", "out.h5", "--overwrite")
checks.check("regression (--task=classification makes each number a class)" in result.stderr,
             "the note says how to get classes", result.stderr)

shutil.rmtree("out", ignore_errors=True)
result = sheaf("run", "study.cfg", "--data.file=whole.h5", "--run.models=best",
               "--data.task=classification", "--train.loss=cross_entropy", "--data.validation=0")
models = glob.glob("out/**/*.pt", recursive=True)
checks.check(result.code == 0 and len(models) == 1, "a model is saved", result.stderr)
if models:
    os.replace(models[0], "people.pt")
    filled = encoded(test_rows)
    filled[1, 0] = numpy.median([ages[row] for row in whole])
    expect("like a model, whose fill value is known", ["test.csv", "--like=people.pt"], filled, test_kinds, kinds)

# ---- CSV with dates

sold = pandas.Series(pandas.date_range("1999-12-28 06:00", periods=80, freq="33h"))
built = pandas.Series(pandas.to_datetime(["1899-02-28", "1900-03-01", "2024-02-29", "2100-12-31"] * 20))
sold[[5, 6, 50]] = pandas.NaT
sizes = numpy.round(generator.normal(size=80), 3)
prices = sizes + sold.dt.month.fillna(0) / 10


def parts(name, dates):
    """The columns that a column of dates becomes, by pandas."""
    return {f"{name}.year": dates.dt.year, f"{name}.month": dates.dt.month, f"{name}.day": dates.dt.day,
            f"{name}.weekday": dates.dt.weekday,
            f"{name}.days": (dates - pandas.Timestamp("1970-01-01")) / pandas.Timedelta(days=1)}


numeric = pandas.DataFrame({**parts("sold", sold), "size": sizes, **parts("built", built), "price": prices})
dated = pandas.DataFrame({"sold": sold, "size": sizes, "built": built.dt.strftime("%d/%m/%Y"), "price": prices})
texts = sold.dt.strftime("%m/%d/%Y %H:%M").where(sold.notna(), "")
dated.to_csv("dates.csv", index=False)
numeric.to_csv("parts.csv", index=False)
dated[["built", "size"]].assign(sold=texts).to_csv("new-dates.csv", index=False)  # another order, another format
dated[1:2].drop(columns="price").to_csv("one-date.csv", index=False)  # 01/03/1900
result = sheaf("import", "dates.csv", "dates.h5")
checks.check(result.code == 0 and "(column 0 ('sold'): y-m-d and column 2 ('built'): d/m/y)" in result.stderr,
             "dates: a note says how they were read", result.stderr)
checks.check(sheaf("import", "parts.csv", "parts.h5").code == 0, "parts of dates as numbers")
with h5py.File("dates.h5") as file, h5py.File("parts.h5") as known:
    checks.check(list(file["features"].attrs["feature_names"]) == list(numeric.columns[:-1]), "dates: names of columns",
                 str(list(file["features"].attrs["feature_names"])))
    checks.check(numpy.array_equal(file["features"][:], known["features"][:], equal_nan=True),
                 "dates: the numbers are those of pandas")
    described = json.loads(file["features"].attrs["columns"])["columns"]
    checks.check(described[0] == {"name": "sold.year", "empty": True,
                                  "date": {"column": "sold", "part": "year", "format": "y-m-d"}} and
                 described[10]["date"] == {"column": "built", "part": "days", "format": "d/m/y"},
                 "dates: description", str(described))
for name, keys in (("new-dates.csv", []), ("dates.csv", ["--label=price"])):
    result = sheaf("import", name, "like-dates.h5", "--like=dates.h5", "--overwrite", *keys)
    checks.check(result.code == 0, f"dates: {name} like dates.h5", result.stderr)
    with h5py.File("dates.h5") as file, h5py.File("like-dates.h5") as other:
        checks.check(numpy.array_equal(file["features"][:], other["features"][:], equal_nan=True),
                     f"dates: {name} like dates.h5: features")
predictions = {}
for name in ("dates", "parts"):
    result = sheaf("run", "study.cfg", f"--data.file={name}.h5", f"--run.output={name}", "--run.models=best",
                   "--train.epochs=2", "--data.task=regression", "--train.loss=mse", "--data.validation=0.2")
    checks.check(result.code == 0, f"{name}: a run trains on it", result.stderr)
    for file in (f"{name}.csv", f"{name}.h5", "new-dates.csv", "one-date.csv"):
        if name == "parts" and "date" in file:
            continue
        result = sheaf("predict", name, file, "predicted.csv", "--overwrite")
        checks.check(result.code == 0, f"{name}: predictions of {file}", result.stderr)
        predictions[file] = list(pandas.read_csv("predicted.csv").iloc[:, 0])
for file in ("parts.csv", "parts.h5", "dates.h5", "new-dates.csv"):
    checks.check(predictions[file] == predictions["dates.csv"], f"predictions of {file} are those of dates.csv")
checks.check(predictions["one-date.csv"] == predictions["dates.csv"][1:2],
             "days that do not show the format of dates have that of the training data")
result = sheaf("evaluate", glob.glob("dates/**/*.pt", recursive=True)[0], "--data.file=dates.csv")
checks.check(result.code == 0 and "left out" not in result.stderr, "dates: an evaluation", result.stderr)
for case, keys, columns in (
        ("--drop", ["--drop=built"], list(numeric.columns[:6])),
        ("--time", ["--time=sold", "--missing=drop"], list(numeric.columns[5:11])),
        ("--categorical", ["--categorical=sold,built"], ["sold", "size", "built"]),
        ("--keep", ["--keep=built"], [*numeric.columns[:6], "built"])):
    dated.dropna().to_csv("whole-dates.csv", index=False)
    result = sheaf("import", "whole-dates.csv", "out.h5", "--overwrite", *keys)
    with h5py.File("out.h5") as file:
        checks.check(result.code == 0 and list(file["features"].attrs["feature_names"]) == columns,
                     f"dates: {case} names the column", f"{result.stderr}{list(file['features'].attrs['feature_names'])}")

with h5py.File("numbers.h5", "w") as file:  # as a user of h5py writes it, without names
    file["features"] = numpy.zeros((4, 2), "f4")
    file["targets"] = numpy.arange(4)
write("two.csv", "1,2,3\n4,5,1\n")
result = sheaf("import", "two.csv", "out.h5", "--like=numbers.h5", "--header=false", "--overwrite")
with h5py.File("out.h5") as file:
    checks.check(result.code == 0 and list(file["targets"]) == [3, 1], "labels like a file without class names stay",
                 result.stdout + result.stderr)
write("excel.csv", "sep=;\nsize;kind\n1,5;a\n2;b\n")
expect("a file of Excel with decimal commas", ["excel.csv"], numpy.array([[1.5], [2]], "f4"), numpy.array([0, 1]),
       ["a", "b"])
expect("integers with gaps", ["two.csv", "--header=false"], numpy.array([[1, 2], [4, 5]], "f4"), numpy.array([1, 0]),
       ["1", "3"])

write("town.csv", table(order, [1, 9]).replace(b"city", b"cities"))
write("more.csv", table(order + ["age"], [1, 9]).replace(b",age", b",weight"))
write("perhaps.csv", table(order, [1, 9]).replace(b"no", b"nein"))
write("empty-floor.csv", "age,city,floor,answer\n1,Rome,,no\n")
write("twice.csv", "a,b,a,y\n1,2,3,0\n")
write("equal.csv", "a,a.year,y\n2024-05-01,1,0\n2023-05-01,2,1\n")
write("no-label.csv", "a,y\n1,x\n2,\n")
write("mixed.csv", "a,y\nx,0\n2,1\n")
write("names.csv", "".join(f"name{row},1\n" for row in range(1001)))
write("all-empty.csv", "a,b,y\n1,,0\n2,NA,1\n")
with h5py.File("wrong.h5", "w") as file:
    file["features"] = numpy.zeros((4, 2), "f4")
    file["features"].attrs["feature_names"] = ["a", "b", "c"]

write("one-class.csv", "a,y\n1,x\n2,x\n")
result = sheaf("import", "one-class.csv", "out.h5", "--overwrite=true")
checks.check(result.code == 0 and ", 1 class;" in result.stdout, "a file with one class", result.stdout + result.stderr)
result = sheaf("run", "study.cfg", "--data.file=out.h5", "--data.task=classification", "--train.loss=cross_entropy")
checks.check(result.code == 1 and "Store labels of at least two classes." in result.stderr,
             "data.classes cannot contradict the names of the classes", result.stderr)

# ---- NumPy

images = generator.integers(0, 256, size=(24, 2, 3, 4), dtype=numpy.uint8)
labels = numpy.arange(24) % 5
for kind in ("u1", "<i2", ">i4", "<u8", "<f2", ">f4", "<f8", "?"):
    array = (images % 7).astype(kind)
    expected = array.astype({"?": "u1"}.get(kind.strip("<>"), array.dtype.newbyteorder("=")))
    numpy.save("X.npy", array)
    numpy.save("y.npy", labels.astype(">i4"))
    expect(f"npy of {kind}", ["X.npy", "y.npy"], expected, labels)
numpy.save("X.npy", numpy.asfortranarray(images))
with open("y.npy", "wb") as file:
    numpy.lib.format.write_array(file, labels.astype("f8")[:, None] / 3, version=(3, 0))
expect("npy in Fortran order, version 3", ["X.npy", "y.npy"], images, labels[:, None] / 3, target_type="f8")
numpy.savez("stored.npz", X=images, y=labels, other=numpy.zeros(3))
expect("npz", ["stored.npz"], images, labels, train=True)
numpy.savez_compressed("packed.npz", x_train=images, one=labels, two=labels)
expect("npz, compressed", ["packed.npz", "--targets=one", "--compression=1"], images, labels)

# ---- IDX and CIFAR-10


def idx(array):
    return bytes([0, 0, 8, array.ndim]) + struct.pack(f">{array.ndim}I", *array.shape) + array.tobytes()


pixels = images[:, 0]
write("train-images-idx3-ubyte.gz", idx(pixels))
write("train-labels-idx1-ubyte.gz", idx(labels.astype("u1")))
write("more-images.idx3-ubyte", idx(pixels[:5]))
write("more-labels.idx1-ubyte", idx(labels[:5].astype("u1")))
mnist = ["train-images-idx3-ubyte.gz", "train-labels-idx1-ubyte.gz"]
expect("idx", mnist, pixels[:, None], labels, train=True)
expect("two idx pairs", [*mnist, "more-images.idx3-ubyte", "more-labels.idx1-ubyte"],
       numpy.concatenate([pixels, pixels[:5]])[:, None], numpy.concatenate([labels, labels[:5]]))
pictures = generator.integers(0, 256, size=(400, 3, 32, 32), dtype=numpy.uint8)
kinds = numpy.arange(400) % 10
records = numpy.hstack([kinds.astype("u1")[:, None], pictures.reshape(400, -1)])
write("data_batch_1.bin", records[:391].tobytes())
write("data_batch_2.bin", records[391:].tobytes())
cifar_classes = "airplane automobile bird cat deer dog frog horse ship truck".split()
expect("cifar10", ["data_batch_1.bin", "data_batch_2.bin"], pictures, kinds, cifar_classes, train=True, ranks=2)
with h5py.File("out.h5", "r") as file:
    checks.check(file["features"].attrs["channels"] == "first", "cifar10: the layout of the images is stored")
    checks.check(file["features"].chunks == (341, 3, 32, 32), "chunks of about 1 MiB", str(file["features"].chunks))
os.remove("out.h5")
shutil.rmtree("out")

# ---- Invalid arguments and files

write("ragged.csv", "a,b\n1,2\n3,4,5\n")
write("word.csv", "a,b,y\n1,2,0\n\n3,x,1\n")
write("nan.csv", "1,2,0\n3,nan,1\n")
write("large.csv", "1,2,0\n3,1e39,1\n")
write("open.csv", 'a,y\n1,"x\n2,y\n')
write("endless.csv.gz", b"1,0\n" + b"7" * (80 << 20))  # 80 KiB of gzip
write("commas.csv.gz", b"1,0\n" + b"," * (5 << 20))
write("empty.csv", "")
write("header-alone.csv", "a,b\n")
write("ids.csv", "".join(f"{row},name{row}\n" for row in range(65537)))
with open("plain.csv.gz", "rb") as whole, open("cut.csv.gz", "wb") as part:
    part.write(whole.read()[:200])
numpy.save("objects.npy", numpy.array([{}, []], dtype=object), allow_pickle=True)
numpy.save("short.npy", labels[:-1])
numpy.save("infinite.npy", numpy.array([[numpy.nan, numpy.inf]] * 24))
with open("X.npy", "rb") as whole, open("cut.npy", "wb") as part:
    part.write(whole.read()[:-1])
header = io.BytesIO()
numpy.lib.format.write_array_header_1_0(header, {"descr": "|u1", "fortran_order": False, "shape": (10, 10)})
with zipfile.ZipFile("bomb.npz", "w", zipfile.ZIP_DEFLATED) as archive:
    archive.writestr("X.npy", header.getvalue() + bytes(50_000_000))
    archive.writestr("y.npy", b"")
with open("packed.npz", "rb") as file:
    damaged = bytearray(file.read())
damaged[200] ^= 255
write("damaged.npz", bytes(damaged))
write("labels.bin", b"\x0b" + bytes(3072))
write("screen.csv", "+---+---+\n| a | y |\n+---+---+\n| 1 | 0 |\n+---+---+\n")
write("fixed.csv", "name      size y\nNew York   1.5 0\nRome      22.5 1\n")
write("zero.csv", "a,y\n1,0\n2,\0\n")
write("bad-date.csv", "built,size,sold\n01/02/2003,1,2004-02-29\n02/02/2003,2,2003-02-29\n")
write("there.h5", "a file")
os.makedirs("folder.h5")

for case, args, code, message in (
        ("no arguments", [], 2, "it got 0 file names"),
        ("no output", ["header.csv"], 2, "it got 1 file name"),
        ("output is an input", ["header.csv", "word.csv"], 2, "'word.csv' is not a valid output file name"),
        ("unknown option", ["header.csv", "new.h5", "--lable=a"], 2, "Did you mean '--label'?"),
        ("option without a value", ["header.csv", "new.h5", "--header"], 2, "--header"),
        ("wrong value", ["header.csv", "new.h5", "--compression=10"], 2, "--compression = '10'"),
        ("unknown format", ["study.cfg", "new.h5"], 2, "--format="),
        ("mixed formats", ["header.csv", "X.npy", "new.h5"], 2, "different formats"),
        ("three npy", ["X.npy", "y.npy", "y.npy", "new.h5"], 2, "one or two files, features and targets"),
        ("images without labels", [mnist[0], "new.h5"], 2, "pairs"),
        ("option of another format", ["stored.npz", "new.h5", "--label=a"], 2, "format npz has no option --label"),
        ("missing file", ["absent.csv", "new.h5"], 1, "'absent.csv' cannot be read (No such file"),
        ("a directory", ["folder.h5", "new.h5", "--format=csv"], 1, "is a directory"),
        ("a table with borders", ["screen.csv", "new.h5"], 1, "Line 1 of 'screen.csv' is a border"),
        ("columns of fixed width", ["fixed.csv", "new.h5"], 1, "pandas.read_fwf('fixed.csv')"),
        ("zero bytes", ["zero.csv", "new.h5"], 1, "'zero.csv' has a zero byte at position 10 (it is a binary file"),
        ("output exists", ["header.csv", "there.h5"], 1, "pass --overwrite."),
        ("output is a directory", ["header.csv", "folder.h5", "--overwrite=true"], 1, "is a directory"),
        ("output in a missing directory", ["header.csv", "nowhere/new.h5"], 1, "nowhere/new.h5"),
        ("unknown category", ["bern.csv", "new.h5", "--like=people.h5", "--unknown=error"], 1,
         "line 2 of 'bern.csv', column 1 ('city'), contains 'Bern' (not one of the column's 3 categories)"),
        ("missing column", ["town.csv", "new.h5", "--like=people.h5"], 1,
         "'town.csv' has no column 'city' (it is a feature of 'people.h5')."),
        ("other column", ["more.csv", "new.h5", "--like=people.h5"], 1,
         "'more.csv' has column 'weight', which 'people.h5' does not have. Leave out columns that are not features (--drop)."),
        ("unknown class", ["perhaps.csv", "new.h5", "--like=people.h5"], 1,
         "contains 'nein', which is not one of the 3 known classes ('maybe' to 'yes')"),
        ("like a file of another size", ["ragged.csv", "new.h5", "--like=people.h5"], 1,
         "'ragged.csv' has no columns 'age', 'city' and 'floor' (they are features of 'people.h5')"),
        ("like a file with more columns, by position", ["signs.csv", "new.h5", "--like=people.h5"], 1,
         "'signs.csv' has 2 feature columns, but 'people.h5' has 3"),
        ("npy like a file of another size", ["X.npy", "new.h5", "--like=people.h5"], 1, "but 'people.h5' has 3"),
        ("like a file that is no model", ["test.csv", "new.h5", "--like=people.csv"], 1,
         "'people.csv' was not saved by sheaf"),
        ("like a missing file", ["test.csv", "new.h5", "--like=absent.h5"], 1, "'absent.h5' does not exist"),
        ("a date that does not exist", ["bad-date.csv", "new.h5", "--like=dates.h5"], 1,
         "line 3 of 'bad-date.csv', column 2 ('sold'), contains '2003-02-29' (a date such as 2024-05-31 is expected)."),
        ("no column of dates", ["signs.csv", "new.h5", "--like=dates.h5", "--header=false"], 1,
         "has 2 feature columns, but 'dates.h5' has 3"),
        ("like a file with wrong names", ["two.csv", "new.h5", "--like=wrong.h5"], 1, "has 3 names for 2 features"),
        ("values with --like", ["test.csv", "new.h5", "--like=people.h5", "--missing=mean"], 2,
         "--missing cannot change empty cells with --like"),
        ("categories with --like", ["test.csv", "new.h5", "--like=people.h5", floor], 2,
         "--categorical has no effect with --like"),
        ("unknown texts without --like", ["people.csv", "new.h5", "--unknown=ignore"], 2,
         "--unknown has no effect without --like"),
        ("wrong kind of empty cells", ["people.csv", "new.h5", "--missing=avg"], 2, "--missing = 'avg' is not valid"),
        ("infinite value", ["people.csv", "new.h5", "--missing=1e300"], 2, "--missing = '1e300' is not valid"),
        ("empty cells", ["people.csv", "new.h5", "--missing=error"], 1,
         "line 4 of 'people.csv', column 2 ('city'), is empty. Correct it, set --missing=median or --missing=drop"),
        ("empty floor, like", ["empty-floor.csv", "new.h5", "--like=people.h5", "--unknown=error"], 1,
         "column 2 ('floor'), is empty (there is no known value for empty cells of this column)"),
        ("two columns with one name", ["twice.csv", "new.h5"], 1, "Columns 0 and 2 of 'twice.csv' have the same name"),
        ("two features with one name", ["equal.csv", "new.h5"], 1, "Two features of 'equal.csv' would have the name"),
        ("empty label", ["no-label.csv", "new.h5"], 1, "line 3 of 'no-label.csv', column 1 ('y'), is empty"),
        ("text among numbers", ["mixed.csv", "new.h5"], 1,
         "line 2 of 'mixed.csv', column 0 ('a'), contains 'x' (a number is expected)"),
        ("too many categories", ["names.csv", "new.h5", "--keep=0"], 1,
         "the column has more than 1000 different texts"),
        ("column without values", ["all-empty.csv", "new.h5", "--missing=mean"], 1,
         "All cells of column 1 ('b') of 'all-empty.csv' are empty"),
        ("no rows left", ["all-empty.csv", "new.h5", "--missing=drop"], 1, "'all-empty.csv' has no rows left"),
        ("two labels of classes", ["header.csv", "new.h5", "--label=a,b", "--task=classification"], 1,
         "Classification needs one label column, or columns with a 1"),
        ("ragged row", ["ragged.csv", "new.h5"], 1, "Line 3 of 'ragged.csv' has 3 columns, not 2"),
        ("not a number", ["word.csv", "new.h5"], 1, "line 4 of 'word.csv', column 1 ('b'), contains 'x'"),
        ("NaN", ["nan.csv", "new.h5", "--missing=error"], 1,
         "line 2 of 'nan.csv', column 1, contains 'nan', which means an empty cell"),
        ("too large", ["large.csv", "new.h5"], 1, "contains '1e39'"),
        ("open quote", ["open.csv", "new.h5"], 1, "line 2 of 'open.csv' is not closed"),
        ("endless line", ["endless.csv.gz", "new.h5"], 1,
         "begins in line 2 of 'endless.csv.gz' is longer than 64.0 MiB"),
        ("too many columns", ["commas.csv.gz", "new.h5"], 1, "Line 2 of 'commas.csv.gz' has more than 4194304 columns"),
        ("empty", ["empty.csv", "new.h5"], 1, "'empty.csv' is empty"),
        ("header without rows", ["header-alone.csv", "new.h5"], 1, "only a header"),
        ("too many class names", ["ids.csv", "new.h5", "--task=classification"], 1, "more than 65536"),
        ("a label of identifiers", ["ids.csv", "new.h5"], 1, "has a different text in nearly every row"),
        ("unknown column", ["header.csv", "new.h5", "--label=kinds"], 1, "Did you mean 'kind'?"),
        ("column number too high", ["header.csv", "new.h5", "--label=4"], 1, "no column 4"),
        ("different columns", ["header.csv", "signs.csv", "new.h5"], 1,
         "'signs.csv' has 2 columns, but 'header.csv' has 4"),
        ("truncated gzip", ["cut.csv.gz", "new.h5"], 1, "data is truncated"),
        ("array of objects", ["objects.npy", "y.npy", "new.h5"], 1, "'|O'"),
        ("not an npy file", ["header.csv", "y.npy", "new.h5", "--format=npy"], 1,
         "'header.csv' is not a readable .npy file"),
        ("truncated npy", ["cut.npy", "y.npy", "new.h5"], 1, "'cut.npy' is truncated"),
        ("different lengths", ["X.npy", "short.npy", "new.h5"], 1, "24 and 23 rows"),
        ("infinity in npy", ["infinite.npy", "y.npy", "new.h5"], 1, "inf in row 0, column 1"),
        ("missing array", ["packed.npz", "new.h5"], 1, "it has: x_train, one, two"),
        ("zip bomb", ["bomb.npz", "new.h5"], 1, "50000128 bytes in the archive's directory, 228 in its own header"),
        ("damaged npz", ["damaged.npz", "new.h5", "--targets=one"], 1, "'damaged.npz:x_train.npy' is not a valid ZIP"),
        ("not a zip file", ["header.csv", "new.h5", "--format=npz"], 1, "it has no ZIP signature"),
        ("labels before images", [*reversed(mnist), "new.h5"], 1, "in the order images, labels"),
        ("not an idx file", ["header.csv", "signs.csv", "new.h5", "--format=idx"], 1,
         "'header.csv' is not an IDX file"),
        ("not a cifar10 file", ["labels.bin", "new.h5"], 1, "record 0 has the label 11"),
        ("truncated cifar10", ["study.cfg", "new.h5", "--format=cifar10"], 1, "bytes follow after 0 records")):
    refuse(case, args, code, message)
refuse("unknown category on 3 ranks", ["bern.csv", "new.h5", "--like=people.h5", "--unknown=error"], 1,
       "contains 'Bern'", ranks=3)
refuse("ragged row on 2 ranks", ["ragged.csv", "new.h5"], 1, "Line 3 of 'ragged.csv'", ranks=2)
with open("there.h5") as file:
    checks.check(file.read() == "a file", "an existing output file is not changed by errors")

sys.exit(checks.finish())
