"""HDF5 files as people write them, drawn at random: names, types, byte orders, storage, links, texts, one-hot targets,
files of MATLAB, netCDF and pandas. The generator knows the numbers that it stored. They are compared with those that
the program reads: features in double (preprocess), rows, classes and their names, and the targets through the
evaluation of a model. Files that the program cannot read must be refused with the reason.

--count N, --seed S: how many files, and which ones. --keep: does not stop at 20 failures and prints each file's layout.
Without arguments: one file of each kind, and a few drawn ones."""

import json
import os
import shutil
import sys

import h5py
import numpy

from program import Checks, argument, sheaf

NAMES = ["data.h5", "data.hdf5", "data.H5", "data.HDF5", "data.hdf", "data.he5", "data.mat", "data.nc", "data.nc4", "data",
         "data.dat", "measured 3.1"]
FOLDERS = ["plain", "with space", "a#b", "#c", "tab\there", 'quote"d', "back\\slash", "Größe", "comma, and=equals", " lead"]
NUMBERS = ["<f4", ">f4", "<f8", ">f8", "<f2", ">f2", "i1", "u1", "<i2", ">i2", "<u2", ">u2", "<i4", ">i4", "<u4", ">u4",
           "<i8", ">i8", "<u8", ">u8", "?"]
TEXTS = [["cat", "dog", "eel"], ["no", "yes"], ["Ärger", "naïve", "β"], ["10", "2", "9"], ["a", "A", " a b "],
         ["x" * 70, "y"]]


class Drawn:
    """What a file contains, and what the program should make of it."""

    def __init__(self):
        self.words = []       # the choices, for messages
        self.options = []     # --data.features=... and others
        self.features = None  # [rows, ...] in double
        self.labels = None    # numbers of classes
        self.names = None     # texts of the classes
        self.values = None    # regression targets [rows, outputs]
        self.label_sets = None  # 0 and 1 [rows, labels]
        self.warning = []     # texts that stderr must contain
        self.refused = []     # texts of the error; empty: the file is read


def numbers(rng, shape, kind):
    """Numbers that the type stores exactly, with repeated and extreme values."""
    dtype = numpy.dtype(kind)
    if dtype.kind == "b":
        return rng.integers(0, 2, shape).astype(dtype)
    if dtype.kind == "f":
        return rng.normal(size=shape).astype(dtype)
    low, high = (0, 100) if dtype.kind == "u" else (-100, 100)
    return rng.integers(low, high, shape).astype(dtype)


def text_array(rng, texts, rows):
    """Labels as one of the ways in which texts are stored, and their truth."""
    chosen = rng.integers(0, len(texts), rows)
    chosen[:len(texts)] = numpy.arange(len(texts))
    names = sorted(texts, key=lambda text: text.encode())
    labels = numpy.array([names.index(texts[one]) for one in chosen])
    return [texts[one] for one in chosen], labels, names


def store_texts(rng, file, name, texts, drawn):
    way = rng.choice(["variable utf-8", "variable ascii", "fixed, zeros", "fixed, spaces", "fixed, ended", "column"])
    if way == "variable ascii" and any(not text.isascii() for text in texts):
        way = "variable utf-8"
    if way == "fixed, spaces" and any(text.endswith(" ") for text in texts):
        way = "fixed, zeros"
    drawn.words.append(f"texts: {way}")
    if way.startswith("variable"):
        kind = h5py.string_dtype("utf-8" if way.endswith("8") else "ascii")
        file.create_dataset(name, data=texts, dtype=kind)
        return
    encoded = numpy.array([text.encode() for text in texts])
    if way == "column":
        encoded = encoded.reshape(-1, 1)
    if way in ("fixed, zeros", "column"):
        file.create_dataset(name, data=encoded)
        return
    width = encoded.dtype.itemsize + (1 if way == "fixed, ended" else 0)
    kind = h5py.h5t.C_S1.copy()
    kind.set_size(width)
    kind.set_strpad(h5py.h5t.STR_SPACEPAD if way == "fixed, spaces" else h5py.h5t.STR_NULLTERM)
    fill = b" " if way == "fixed, spaces" else b"\0"
    raw = numpy.array([text.ljust(width, fill) for text in encoded.tolist()], dtype=f"V{width}")
    made = h5py.h5d.create(file.id, name.encode(), kind, h5py.h5s.create_simple((len(texts),)))
    made.write(h5py.h5s.ALL, h5py.h5s.ALL, raw, mtype=kind)


def storage(rng, shape, dtype, drawn):
    """Options of create_dataset."""
    way = rng.choice(["contiguous", "whole chunks", "odd chunks", "gzip", "gzip, shuffle", "checksum", "growing"])
    drawn.words.append(way)
    if way == "contiguous":
        return {}
    chunk = [max(1, int(rng.integers(1, extent + 1))) for extent in shape]
    if way == "whole chunks":
        chunk[1:] = shape[1:]
    options = {"chunks": tuple(chunk)}
    if way.startswith("gzip"):
        options.update(compression="gzip", shuffle="shuffle" in way)
    if way == "checksum":
        options["fletcher32"] = True
    if way == "growing":
        options["maxshape"] = (None,) + tuple(shape[1:])
    return options


def put(rng, file, name, values, drawn, options=None):
    """Stores an array, perhaps behind a link."""
    link = rng.choice(["none", "none", "none", "soft", "hard", "external", "virtual"]) if options is None else "none"
    options = storage(rng, values.shape, values.dtype, drawn) if options is None else options
    if link == "none":
        return file.create_dataset(name, data=values, **options)
    drawn.words.append(f"{link} link" if link != "virtual" else link)
    hidden = "hidden" + name.replace("/", "_")
    if link in ("soft", "hard"):
        made = file.create_dataset(hidden, data=values, **options)
        file[name] = h5py.SoftLink("/" + hidden) if link == "soft" else made
        return made
    other = f"part{name.replace('/', '_')}.h5"
    with h5py.File(os.path.join(os.path.dirname(file.filename), other), "w") as part:
        part.create_dataset("stored", data=values, **options)
    if link == "external":
        file[name] = h5py.ExternalLink(other, "/stored")
        return file[name]
    layout = h5py.VirtualLayout(values.shape, values.dtype)
    layout[...] = h5py.VirtualSource(other, "stored", values.shape, values.dtype)
    return file.create_virtual_dataset(name, layout)


def draw_features(rng, file, name, rows, drawn):
    kind = rng.choice(NUMBERS)
    width = int(rng.integers(1, 6))
    shape = [(rows, width), (rows,), (rows, width, 2), (rows, 1, 4, 5), (rows, 4, 5, 3)][rng.choice(
        5, p=[0.6, 0.1, 0.1, 0.1, 0.1])]
    values = numbers(rng, shape, kind)
    drawn.words.append(f"features {kind} {list(shape)}")
    put(rng, file, name, values, drawn)
    drawn.features = values.astype("f8")


def draw_targets(rng, file, name, rows, drawn, way=None):
    way = way or rng.choice(["labels", "column", "booleans", "texts", "one-hot", "values", "outputs", "several ones"],
                            p=[0.25, 0.1, 0.1, 0.2, 0.15, 0.1, 0.05, 0.05])
    drawn.words.append(f"targets: {way}")
    classes = int(rng.integers(2, 6))
    labels = rng.integers(0, classes, rows)
    labels[:classes] = numpy.arange(classes)
    if way in ("labels", "column"):
        kind = rng.choice([one for one in NUMBERS if numpy.dtype(one).kind in "iu"])
        drawn.words.append(kind)
        put(rng, file, name, labels.astype(kind).reshape((rows,) if way == "labels" else (rows, 1)), drawn)
        drawn.labels = labels
    elif way == "booleans":
        drawn.labels = labels % 2
        put(rng, file, name, drawn.labels.astype("?"), drawn)
    elif way == "texts":
        texts, drawn.labels, drawn.names = text_array(rng, TEXTS[rng.integers(0, len(TEXTS))], rows)
        store_texts(rng, file, name, texts, drawn)
    elif way in ("one-hot", "several ones"):
        kind = rng.choice(["u1", "<f4", "<f8", "?", "<i8", ">i4"])
        drawn.words.append(kind)
        coded = numpy.eye(max(classes, 3))[labels]
        if way == "several ones":
            coded[1::2, :2] = 1
            drawn.label_sets = coded
        put(rng, file, name, coded.astype(kind), drawn)
        drawn.labels = labels
        drawn.classes = max(classes, 3)
    else:
        kind = rng.choice(["<f4", ">f4", "<f8", ">f8"])
        outputs = 1 if way == "values" else int(rng.integers(2, 4))
        values = (10 * rng.normal(size=(rows, outputs))).astype(kind)
        drawn.values = values.astype("f8")
        put(rng, file, name, values[:, 0] if way == "values" else values, drawn)


def unwritten(rng, file, rows, drawn):
    """Growing data sets whose last rows were never written, as loggers that were stopped leave them."""
    step = int(rng.integers(5, 20))
    written = (rows // step - 1) * step
    features, labels = numpy.zeros((rows, 3)), numpy.zeros(rows, "i8")
    features[:written] = rng.normal(size=(written, 3)).astype("f4")
    labels[:written] = rng.integers(0, 2, written)
    labels[:2] = 0, 1
    for name, values, kind in (("features", features, "<f4"), ("targets", labels, "u1")):
        made = file.create_dataset(name, values.shape, kind, chunks=(step,) + values.shape[1:],
                                   maxshape=(None,) + values.shape[1:])
        made[:written] = values[:written]
    drawn.words.append(f"rows from {written} of {rows} are not written")
    drawn.features, drawn.labels = features, labels
    drawn.warning = [f"{written} to {rows - 1}", "never written"]


def pandas_table(rng, file, rows, drawn):
    """The layout of DataFrame.to_hdf(format="table"), which PyTables writes."""
    drawn.words.append("pandas table")
    file.attrs["PYTABLES_FORMAT_VERSION"] = numpy.bytes_("2.1")
    file.attrs["CLASS"] = numpy.bytes_("GROUP")
    group = file.create_group("df")
    group.attrs["pandas_type"] = numpy.bytes_("frame_table")
    index = group.create_group("_i_table/index")
    for name in ("abounds", "bounds", "indices", "indicesLR", "mbounds", "mranges", "ranges", "sorted", "sortedLR", "zbounds"):
        index[name] = numpy.zeros(8, "i8")
    table = numpy.zeros(rows, [("index", "<i8"), ("values_block_0", "<f8", (2,)), ("values_block_1", "<i8", (1,))])
    group.create_dataset("table", data=table, chunks=(16,), maxshape=(None,)).attrs["CLASS"] = numpy.bytes_("TABLE")
    drawn.refused = ["pandas", "'/df'", "to_csv"]


def pandas_fixed(rng, file, rows, drawn):
    """The layout of DataFrame.to_hdf(format="fixed")."""
    drawn.words.append("pandas, fixed")
    file.attrs["PYTABLES_FORMAT_VERSION"] = numpy.bytes_("2.1")
    group = file.create_group("train")
    group.attrs["pandas_type"] = numpy.bytes_("frame")
    group["axis0"] = numpy.array([b"a", b"b"])
    group["axis1"] = numpy.arange(rows)
    group["block0_items"] = numpy.array([b"a", b"b"])
    group["block0_values"] = rng.normal(size=(rows, 2))
    drawn.refused = ["pandas", "'/train'", "to_csv"]


def matlab(rng, file, rows, drawn):
    """save('-v7.3') of X and y: MATLAB stores the transposed arrays."""
    drawn.words.append("MATLAB")
    turned = rng.random() < 0.5
    values = rng.normal(size=(rows, 4))
    labels = rng.integers(0, 3, rows)
    labels[:3] = 0, 1, 2
    file.create_dataset("features", data=values if turned else values.T).attrs["MATLAB_class"] = numpy.bytes_("double")
    stored = labels.reshape(-1, 1).astype("<i4")
    file.create_dataset("targets", data=stored if turned else stored.T).attrs["MATLAB_class"] = numpy.bytes_("int32")
    drawn.features, drawn.labels = values, labels
    if not turned:
        drawn.refused = ["MATLAB", "transposed"]


def matlab_texts(rng, file, rows, drawn):
    """Labels of MATLAB as rows of characters: their codes are not classes."""
    drawn.words.append("MATLAB, texts")
    file.create_dataset("features", data=rng.normal(size=(rows, 4))).attrs["MATLAB_class"] = numpy.bytes_("double")
    labels = file.create_dataset("targets", data=rng.integers(97, 100, (rows, 1)).astype("u2"))
    labels.attrs["MATLAB_class"] = numpy.bytes_("char")
    labels.attrs["MATLAB_int_decode"] = numpy.int32(2)
    drawn.refused = ["'/targets'", "MATLAB array of class 'char'", "findgroups"]


def netcdf_packed(rng, file, rows, drawn):
    """Features or targets that netCDF has packed into integers."""
    drawn.words.append("netCDF, packed")
    file["features"] = rng.integers(0, 1000, (rows, 3)).astype("<i2")
    file["targets"] = rng.integers(0, 1000, rows).astype("<i2")
    name = ["features", "targets"][rng.integers(0, 2)]
    file[name].attrs[["scale_factor", "add_offset"][rng.integers(0, 2)]] = numpy.array([0.25])
    drawn.refused = [f"'/{name}'", "is packed", "xarray"]


def netcdf_missing(rng, file, rows, drawn):
    """A fill value as the netCDF library writes it; files in which it does not occur, or is NaN, are read."""
    drawn.words.append("netCDF, fill value")
    values = rng.normal(size=(rows, 3)).astype("f4")
    fill = numpy.array([numpy.float32([9.969209968386869e36, numpy.nan][rng.integers(0, 2)])])
    if not numpy.isnan(fill[0]) and rng.random() < 0.5:
        values[rows - 3, 1] = fill[0]
        drawn.refused = ["'/features'", f"row {rows - 3}, column 1", "_FillValue", "xarray"]
    put(rng, file, "features", values, drawn, storage(rng, values.shape, values.dtype, drawn))
    file["features"].attrs["_FillValue"] = fill
    drawn.features = values
    draw_targets(rng, file, "targets", rows, drawn, "values")


def other_names(rng, file, rows, drawn):
    """Data sets with names of their own among many others."""
    drawn.words.append("names")
    features, targets = [("x_train", "y_train"), ("group/Merkmale é", "group/Ziel"), ("a b", "c, d"), ("X", "y")][rng.integers(0, 4)]
    file.create_group("entry/instrument")
    file["entry/instrument/gain"] = 3.0
    drawn.options = [f"--data.features={features}", f"--data.targets={targets}"]
    draw_features(rng, file, features, rows, drawn)
    draw_targets(rng, file, targets, rows, drawn, rng.choice(["labels", "values", "texts"]))


def missing_names(rng, file, rows, drawn):
    """Neither /features nor /targets: the message lists what can be used."""
    drawn.words.append("other names")
    for number in range(15):
        file[f"calibration/step{number:02}"] = float(number)
    file["measured/spectra"] = rng.normal(size=(rows, 3))
    drawn.refused = ["no data set '/features'", "it has '/measured/spectra'"]


def unreadable(rng, file, rows, drawn):
    """A data set whose storage message has a version of a later HDF5 library."""
    drawn.words.append("later format")
    file.create_dataset("features", data=rng.normal(size=(rows, 3)), chunks=(rows, 3), compression="gzip")
    file["targets"] = numpy.arange(rows) % 2
    drawn.later_format = True
    drawn.refused = ["version", "h5repack"]


def tables(rng, file, rows, drawn):
    drawn.words.append("compound values")
    file["features"] = numpy.zeros(rows, [("a", "<f8"), ("b", "<i4")])
    file["targets"] = numpy.arange(rows) % 2
    drawn.refused = ["compound values"]


SPECIAL = [unwritten, pandas_table, pandas_fixed, matlab, matlab_texts, netcdf_packed, netcdf_missing, other_names,
           missing_names, unreadable, tables]


def raise_layout_version(path):
    """Sets the version of the layout message of /features to 5, as HDF5 2.0 writes it. The object header is of the
    oldest version, which has no checksum. Message type 8 with flags 0 or 1, then version 3 and class 2 (chunked)."""
    with open(path, "rb") as file:
        content = bytearray(file.read())
    for offset in range(0, len(content) - 10, 8):
        if content[offset:offset + 2] == b"\x08\x00" and content[offset + 8:offset + 10] == b"\x03\x02":
            content[offset + 8] = 5
            break
    with open(path, "wb") as file:
        file.write(content)


def make(seed, kind=None):
    """Draws a file and stores it in the working directory. Returns its path and its contents."""
    rng = numpy.random.default_rng(seed)
    drawn = Drawn()
    drawn.classes, drawn.later_format = None, False
    folder = FOLDERS[rng.integers(0, len(FOLDERS))] if rng.random() < 0.3 else "plain"
    path = os.path.join(folder, NAMES[0] if rng.random() < 0.6 else rng.choice(NAMES))
    os.makedirs(folder, exist_ok=True)
    rows = int(rng.integers(40, 120))
    special = kind if kind else SPECIAL[rng.integers(0, len(SPECIAL))] if rng.random() < 0.3 else None
    options = {}
    if special is not unreadable:
        if rng.random() < 0.2:
            options["userblock_size"] = int(rng.choice([512, 1024, 4096]))
        options["libver"] = rng.choice(["earliest", "latest"])
    drawn.words += [path, *(f"{key} {value}" for key, value in options.items())]
    with h5py.File(path, "w", **options) as file:
        if special:
            special(rng, file, rows, drawn)
        else:
            draw_features(rng, file, "features", rows, drawn)
            draw_targets(rng, file, "targets", rows, drawn)
        file.attrs["title"] = "drawn"
    if "userblock_size" in options:
        with open(path, "r+b") as file:
            file.write(b"MATLAB 7.3 MAT-file, Platform: GLNXA64")
    if drawn.later_format:
        raise_layout_version(path)
    return path, drawn


def option_text(path):
    """The path as the value of a key: in double quotes if it has control characters or outer spaces."""
    if path.isprintable() and path == path.strip():
        return path
    escapes = {"\\": "\\\\", '"': '\\"', "\t": "\\t", "\n": "\\n"}
    return '"' + "".join(escapes.get(character, character) for character in path) + '"'


def problem_of_reading(path, drawn):
    """The verdict on a file that should be read: "" if all is right, "refused: ..." or "wrong: ..."."""
    name = next((one.partition("=")[2] for one in drawn.options if "features" in one), "features")
    result = sheaf("preprocess", path, "out.h5", "--cast=float64", "--overwrite=true", f"--features={name}", "--copy=false")
    if result.code != 0:
        return f"refused: {result.stderr}"
    with h5py.File("out.h5") as file:
        found = file[name][:]
    if found.shape != drawn.features.shape or not numpy.array_equal(found, drawn.features):
        return "wrong: features"
    result = sheaf("run", path, *drawn.options, "--run.output=run", "--train.epochs=1", "--model.kind=linear",
                   "--data.validation=0", "--run.models=best", "--run.device=cpu", "--run.lanes=1", "--run.engine=native")
    if result.code != 0:
        return f"refused: {result.stderr}"
    for text in drawn.warning:
        if text not in result.stderr:
            return f"wrong: no warning with '{text}'\n{result.stderr}"
    again = sheaf("resume", "run")
    if again.code != 0:
        return f"wrong: the run cannot be resumed: {again.stderr}"
    result = sheaf("evaluate", "run", f"--data.file={option_text(path)}", *drawn.options, "--output=json",
                   "--predictions=p.h5", "--overwrite=true", "--run.device=cpu")
    if result.code != 0:
        return f"wrong: trained, but not evaluated: {result.stderr}"
    report = json.loads(result.stdout)
    if report["rows"] != len(drawn.features):
        return f"wrong: {report['rows']} rows"
    with h5py.File("p.h5") as file:
        predicted = {key: file[key][:] for key in file}
    if drawn.values is not None:
        if "values" not in predicted:
            return "wrong: classification instead of regression"
        loss = numpy.mean((predicted["values"].astype("f8") - drawn.values) ** 2)
        return "" if abs(report["loss"] / loss - 1) < 1e-4 else f"wrong: loss {report['loss']}, not {loss}"
    if drawn.label_sets is not None:
        if predicted.get("labels", numpy.zeros(0)).shape != drawn.label_sets.shape:
            return "wrong: not several labels per row"
        wrong = numpy.mean(predicted["labels"] != drawn.label_sets)
        return "" if abs(report["hamming_loss"] - wrong) < 1e-9 else f"wrong: Hamming loss {report['hamming_loss']}, not {wrong}"
    if "labels" not in predicted:
        return "wrong: regression instead of classification"
    classes = drawn.classes or (len(drawn.names) if drawn.names else int(max(drawn.labels)) + 1)
    confusion = numpy.zeros((classes, classes), "i8")
    numpy.add.at(confusion, (drawn.labels, predicted["labels"]), 1)
    if report.get("confusion") != confusion.tolist():
        return f"wrong: confusion {report.get('confusion')}, not {confusion.tolist()}"
    if drawn.names is not None and report.get("class_names") != drawn.names:
        return f"wrong: classes {report.get('class_names')}, not {drawn.names}"
    return ""


def problem_of_refusal(path, drawn):
    result = sheaf("run", path, *drawn.options, "--run.output=run", "--train.epochs=1", "--run.device=cpu")
    lines = result.error_lines()
    if result.code == 0:
        return "wrong: it is read"
    missing = [text for text in drawn.refused if text not in "".join(lines)]
    return f"refused, but without {missing}: {result.stderr}" if missing or len(lines) != 1 else ""


def verdict(seed, kind=None):
    shutil.rmtree("hdf5_files", ignore_errors=True)
    os.makedirs("hdf5_files")
    os.chdir("hdf5_files")
    path, drawn = make(seed, kind)
    problem = problem_of_refusal(path, drawn) if drawn.refused else problem_of_reading(path, drawn)
    os.chdir("..")
    return problem, ", ".join(drawn.words)


if __name__ == "__main__":
    checks = Checks()
    first = argument("--seed", 1)
    counts = {"right": 0, "refused": 0, "wrong": 0}
    cases = [(first + number, None) for number in range(argument("--count", 12))]
    if "--count" not in sys.argv:
        cases += [(number, kind) for number, kind in enumerate(SPECIAL)]
    for seed, kind in cases:
        problem, words = verdict(seed, kind)
        counts[problem.split(":")[0].split(",")[0] if problem else "right"] += 1
        checks.check(not problem, f"file {seed}: {words}", problem)
        if checks.failed == 20 and "--keep" not in sys.argv:
            break
    print(", ".join(f"{count} {name}" for name, count in counts.items()))
    sys.exit(checks.finish())
