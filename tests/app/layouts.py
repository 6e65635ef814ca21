"""Every HDF5 layout on every reading path, with h5py as the reference. Training in memory and streamed, evaluation
and preprocessing give the same numbers as with a plain copy of the arrays that h5py reads, or refuse the file with one
error line. Other files that a data set refers to are part of the data: if they change, a resume is refused, and all
ranks must see the same ones.

Each layout stores features, targets and weights in the same way.
--every: reads every layout in memory and streamed, and every refused one in all ways; by default they take turns.
--only NAME: runs one layout in all ways. --show: prints the error lines."""

import json
import os
import shutil
import sys

import h5py
import numpy

from program import SHEAF, Checks, launch, one_rank_each, read_csv, sheaf

ROWS, COLUMNS = 240, 6
ROLES = ["features", "targets", "weights"]
FILL = {"features": 2.5, "targets": 2, "weights": 0.25}
UNLIMITED = h5py.h5s.UNLIMITED

STUDY = f"""
[data]
file = data.h5
task = classification
classes = 3
weights = weights
[model]
kind = mlp
hidden = 4
[train]
epochs = 2
loss = cross_entropy
batch_size = 50
[run]
device = cpu
lanes = 1
output = out
"""

# ---- Layouts: each function stores `values` as data set `name` of the open file


def plain(file, name, values, **options):
    file.create_dataset(name, data=values, **options)


def low_level(file, name, values, creation, file_type=None):
    space = h5py.h5s.create_simple(values.shape)
    made = h5py.h5d.create(file.id, name.encode(), file_type or h5py.h5t.py_create(values.dtype), space, creation)
    made.write(h5py.h5s.ALL, h5py.h5s.ALL, values)


def creation(layout=None, chunk=None, allocation=None):
    made = h5py.h5p.create(h5py.h5p.DATASET_CREATE)
    if layout is not None:
        made.set_layout(layout)
    if chunk is not None:
        made.set_chunk(chunk)
    if allocation is not None:
        made.set_alloc_time(allocation)
    return made


def chunk_of(values):
    return (32,) + values.shape[1:]


def compact(file, name, values):
    low_level(file, name, values, creation(h5py.h5d.COMPACT))


def early(file, name, values):
    low_level(file, name, values, creation(allocation=h5py.h5d.ALLOC_TIME_EARLY))


def late(file, name, values):
    low_level(file, name, values, creation(allocation=h5py.h5d.ALLOC_TIME_LATE))


def early_chunks(file, name, values):
    low_level(file, name, values, creation(chunk=chunk_of(values), allocation=h5py.h5d.ALLOC_TIME_EARLY))


def incremental_chunks(file, name, values):
    low_level(file, name, values, creation(chunk=chunk_of(values), allocation=h5py.h5d.ALLOC_TIME_INCR))


def chunked(**options):
    return lambda file, name, values: plain(file, name, values, chunks=chunk_of(values), **options)


def n_bit(file, name, values):
    """Integers with 12 of 16 bits, since HDF5 1.14.5 and 2 require most bits of a type in use; floats with all bits."""
    made = creation(chunk=chunk_of(values))
    made.set_filter(h5py.h5z.FILTER_NBIT, h5py.h5z.FLAG_MANDATORY, ())
    stored = (h5py.h5t.STD_I16LE if values.dtype.kind == "i" else h5py.h5t.py_create(values.dtype)).copy()
    if values.dtype.kind == "i":
        stored.set_precision(12)
    low_level(file, name, values, made, stored)


def scale_offset(file, name, values):
    plain(file, name, values, chunks=chunk_of(values), scaleoffset=3 if values.dtype.kind == "f" else 0)


def fill_values(file, name, values):
    made = file.create_dataset(name, values.shape, values.dtype, chunks=chunk_of(values), fillvalue=FILL[name])
    made[40:90] = values[40:90]
    made[200:] = values[200:]


def never_written(file, name, values):
    """The weights are never written and have a nonzero fill value; features and targets are written."""
    if name == "weights":
        file.create_dataset(name, values.shape, values.dtype, fillvalue=FILL[name])
    else:
        plain(file, name, values)


def external_storage(file, name, values):
    """Values in two files; in the first, other bytes come before them."""
    half = values.nbytes // 2
    stem = file.filename.replace("/", "_") + name
    for number, skipped in ((0, 16), (1, 0)):
        with open(f"{stem}.{number}", "wb") as raw:
            raw.write(b"x" * skipped)
    made = file.create_dataset(name, values.shape, values.dtype,
                               external=[(f"{stem}.0", 16, half), (f"{stem}.1", 0, h5py.h5f.UNLIMITED)])
    made[:] = values


def decoys(file, name, values):
    """Stores other values, which a reader finds if it confuses this file with the target of a link."""
    file.create_dataset("other_" + name, data=values[::-1].copy())


def soft_link(file, name, values):
    plain(file, "stored/" + name, values)
    file["between_" + name] = h5py.SoftLink("/stored/" + name)
    file[name] = h5py.SoftLink("between_" + name)


def hard_link(file, name, values):
    plain(file, "a_" + name, values)
    file[name] = file["a_" + name]


def in_file(path, store, name, values):
    os.makedirs(os.path.dirname(path) or ".", exist_ok=True)
    with h5py.File(path, "a") as file:
        store(file, name, values)


def external_link(store, folder="."):
    """A link to a data set in another file, written by `store`."""
    def stored(file, name, values):
        decoys(file, name, values)
        in_file(f"{folder}/target.h5", store, name, values)
        file[name] = h5py.ExternalLink(f"{folder}/target.h5", "/" + name)
    return stored


def link_to_link(file, name, values):
    """A soft link to an external link to a soft link to an external link. The path in b/middle.h5 is relative to b."""
    decoys(file, name, values)
    in_file("b/end.h5", plain, name, values)
    in_file("b/middle.h5", decoys, name, values)
    with h5py.File("b/middle.h5", "a") as middle:
        middle["out_" + name] = h5py.ExternalLink("end.h5", "/" + name)
        middle[name] = h5py.SoftLink("/out_" + name)
    file["in_" + name] = h5py.ExternalLink("b/middle.h5", "/" + name)
    file[name] = h5py.SoftLink("/in_" + name)


def linked_group(file, name, values):
    in_file("target.h5", chunked(compression="gzip"), "group/" + name, values)
    if "group" not in file:
        file["group"] = h5py.ExternalLink("target.h5", "/group")
    file[name] = h5py.SoftLink("/group/" + name)


def map_sources(file, name, values, sources, fill=None):
    """A virtual data set of `sources`: (first row, file, data set, rows)."""
    layout = h5py.VirtualLayout(values.shape, values.dtype)
    for first, path, data_set, rows in sources:
        layout[first:first + rows] = h5py.VirtualSource(path, data_set, (rows,) + values.shape[1:], values.dtype)
    file.create_virtual_dataset(name, layout, fillvalue=fill)


def virtual(file, name, values):
    """A virtual data set of two files in another folder, one of them chunked and of another type."""
    in_file("parts/first.h5", plain, name, values[:100])
    in_file("parts/second.h5", chunked(compression="gzip"), name, values[100:].astype(values.dtype.newbyteorder(">")))
    map_sources(file, name, values, [(0, "parts/first.h5", name, 100), (100, "parts/second.h5", name, ROWS - 100)])


def virtual_of_many(file, name, values):
    for part in range(10):
        in_file(f"parts/many{part}.h5", plain, name, values[24 * part:24 * (part + 1)])
    map_sources(file, name, values, [(24 * part, f"parts/many{part}.h5", name, 24) for part in range(10)])


def virtual_of_same_file(file, name, values):
    plain(file, "stored_" + name, values)
    map_sources(file, name, values, [(0, ".", "stored_" + name, ROWS)])


def virtual_of_virtual(file, name, values):
    in_file("parts/inner.h5", virtual, name, values)  # its sources are also searched in the working directory
    map_sources(file, name, values, [(0, "parts/inner.h5", name, ROWS)])


def virtual_with_gaps(file, name, values):
    in_file("first.h5", plain, name, values[:100])
    map_sources(file, name, values, [(30, "first.h5", name, 100)], fill=FILL[name])


def virtual_of_links(file, name, values):
    in_file("linked.h5", external_link(plain, "parts"), name, values)
    map_sources(file, name, values, [(0, "linked.h5", name, ROWS)])


def virtual_numbered(selected=False):
    """A virtual data set of unlimited length: each block of 60 rows is in a numbered file. `selected`: the source is
    mapped by a selection of its rows instead of as a whole."""
    def stored(file, name, values):
        columns = values.shape[1:]
        for block in range(4):
            in_file(f"parts/block{block}%.h5", plain, name, values[60 * block:60 * (block + 1)])
        zeros = (0,) * (1 + len(columns))
        whole = h5py.h5s.create_simple((60,) + columns, (UNLIMITED,) + columns)
        whole.select_hyperslab(zeros, (UNLIMITED,) + (1,) * len(columns), (60,) + columns, (60,) + columns)
        source = h5py.h5s.create_simple((60,) + columns)
        if selected:
            source.select_hyperslab(zeros, (1,) * len(zeros), None, (60,) + columns)
        made = creation(h5py.h5d.VIRTUAL)
        made.set_virtual(whole, b"parts/block%b%%.h5", name.encode(), source)
        h5py.h5d.create(file.id, name.encode(), h5py.h5t.py_create(values.dtype), whole, made)
    return stored


LAYOUTS = {
    "contiguous": plain, "compact": compact, "early": early, "late": late, "chunked": chunked(),
    "early chunks": early_chunks, "incremental chunks": incremental_chunks,
    "gzip": chunked(compression="gzip", shuffle=True, fletcher32=True), "scale-offset": scale_offset, "n-bit": n_bit,
    "fill values": fill_values, "never written": never_written, "external storage": external_storage,
    "soft link": soft_link, "hard link": hard_link, "external link": external_link(plain),
    "external link, chunks": external_link(chunked(compression="gzip")),
    "external link, bare chunks": external_link(chunked()), "external link, folder": external_link(plain, "a"),
    "external link, external storage": external_link(external_storage, "a"),
    "external link, fill values": external_link(fill_values), "external link, virtual": external_link(virtual),
    "link to a link": link_to_link, "linked group": linked_group, "virtual": virtual,
    "virtual of many": virtual_of_many,
    "virtual of the same file": virtual_of_same_file, "virtual of virtual": virtual_of_virtual,
    "virtual with gaps": virtual_with_gaps, "virtual of links": virtual_of_links,
           "virtual, numbered": virtual_numbered(),
    "virtual, numbered, selected": virtual_numbered(selected=True),
}

# ---- Refused files: a layout, a change to it, the text in the error line


def break_link(path, name):
    with h5py.File(path, "a") as file:
        del file[name]
        file[name] = h5py.SoftLink("/nothing")


def shrink(path):
    os.truncate(path, os.path.getsize(path) - 4)


def remove_data_set(path, name):
    with h5py.File(path, "a") as file:
        del file[name]


def replace_by_fewer(path, name):
    with h5py.File(path, "a") as file:
        rows = file[name][:-1]
        del file[name]
        file[name] = rows


def turn(path, name):
    """Transposes a data set."""
    with h5py.File(path, "a") as file:
        turned = file[name][:].T
        del file[name]
        file[name] = turned


def own_source(file, name, values):
    in_file("parts/second.h5", lambda other, *_: map_sources(other, name, values, [(0, "../data.h5", name, ROWS)]),
            name,
            values)
    map_sources(file, name, values, [(0, "parts/second.h5", name, ROWS)])


def spoil(path):
    with open(path, "wb") as file:
        file.write(b"x" * 5000)


REFUSED = {
    "lzf": (chunked(compression="lzf"), None, "is stored with filter 32000 'lzf'"),
    "source file": (virtual, lambda: os.remove("parts/second.h5"), "'parts/second.h5' is missing"),
    "source data set": (virtual, lambda: remove_data_set("parts/first.h5", "features"),
                        "'features' of 'parts/first.h5' is missing (the file has no such data set)"),
    "source is no HDF5 file": (virtual, lambda: spoil("parts/first.h5"),
                               "'parts/first.h5' cannot be opened (file signature"),
    "short source": (virtual, lambda: replace_by_fewer("parts/first.h5", "features"), "a different size than the region"),
    "source of a source": (virtual_of_virtual, lambda: os.remove("parts/first.h5"), "'parts/first.h5' is missing"),
    "its own source": (own_source, None, "is its own source"),
    "linked source": (virtual_of_links, lambda: os.remove("parts/target.h5"),
                      "'linked.h5' cannot be opened ('/features' is a link"),
    "virtual, linked": (external_link(virtual), lambda: os.remove("parts/first.h5"), "'parts/first.h5' is missing"),
    "short block": (virtual_numbered(), lambda: replace_by_fewer("parts/block2%.h5", "features"),
                    "'parts/block2%.h5' has a different size"),
    "short block, selected": (virtual_numbered(selected=True), lambda: replace_by_fewer("parts/block2%.h5", "features"),
                              "'parts/block2%.h5' is smaller"),
    "turned block": (virtual_numbered(), lambda: turn("parts/block2%.h5", "features"), "has a different row shape"),
    "block is no HDF5 file": (virtual_numbered(), lambda: spoil("parts/block3%.h5"),
                              "'parts/block3%.h5' cannot be opened"),
    "block is a link to nothing": (virtual_numbered(), lambda: break_link("parts/block3%.h5", "features"),
                                   "'/features' is a link to '/nothing'"),
    "external storage": (external_storage, lambda: os.remove("data.h5features.1"),
                         "'data.h5features.1', which is missing"),
    "short external storage": (external_storage, lambda: shrink("data.h5features.1"), "which is too short"),
    "link to no file": (external_link(plain), lambda: os.remove("target.h5"), "target.h5', which cannot be opened"),
    "link to no data set": (external_link(plain), lambda: remove_data_set("target.h5", "features"),
                            "'features' doesn't exist"),
    "soft link to nothing": (soft_link, lambda: remove_data_set("data.h5", "stored/features"),
                             "is a link to 'between_features', which cannot"),
}

# ---- Comparison

OTHER_NAMES = ["a_features", "stored/features", "between_features", "in_features", "group/features"]  # of features
PREPROCESS = ["preprocess", "data.h5", "out.h5", "--cast=float64"]
checks = Checks()


def written(store):
    """Creates a new folder with data.h5 and makes it the working directory."""
    os.chdir(TOP)
    shutil.rmtree("case", ignore_errors=True)
    os.makedirs("case")
    os.chdir("case")
    draw = numpy.random.default_rng(1)
    values = {"features": draw.normal(0, 50, (ROWS, COLUMNS)).astype("f4"),
              "targets": draw.integers(0, 3, ROWS).astype("i4"), "weights": draw.uniform(0.5, 2, ROWS).astype("f4")}
    with h5py.File("data.h5", "w") as file:
        for name, numbers in values.items():
            store(file, name, numbers)


def one_error(result, message):
    lines = result.error_lines()
    return result.code == 1 and len(lines) == 1 and message in lines[0]


def trained(file, mode, ranks=None):
    shutil.rmtree("out", ignore_errors=True)
    result = sheaf("run", "../study.cfg", f"--data.file={file}", f"--data.mode={mode}", ranks=ranks)
    return [row["final_loss"] for row in read_csv("out/results.csv")] if result.code == 0 else result.stderr


def evaluated(file):
    """Returns the metrics and the predictions, or stderr if the command fails."""
    result = sheaf("evaluate", "../model.pt", f"--data.file={file}", "--output=json", "--run.device=cpu",
                   "--predictions=predictions.h5", "--overwrite=true")
    if result.code != 0:
        return result.stderr
    with h5py.File("predictions.h5") as predictions:
        numbers = {name: predictions[name][:].tolist() for name in predictions}
    report = json.loads(result.stdout)
    return report["rows"], report.get("loss"), report.get("accuracy"), numbers


references = {}


def of_plain_copy(read, way):
    """The result for the same values in a plain, contiguous file."""
    key = way, *(numbers.tobytes() for numbers in read.values())
    if key not in references:
        with h5py.File("plain.h5", "w") as file:
            for name, numbers in read.items():
                file[name] = numbers
        references[key] = evaluated("plain.h5") if way == "evaluated" else trained("plain.h5", way)
        checks.check(not isinstance(references[key], str), f"a plain copy is {way}", references[key])
    return references[key]


def numbers_in(file, name):
    try:
        return file[name][:]
    except (KeyError, OSError) as error:
        return str(error)


def compare(layout, modes, ranks):
    written(LAYOUTS[layout])
    with h5py.File("data.h5") as file:
        read = {name: file[name][:] for name in ROLES}
        other_names = [name for name in OTHER_NAMES if name in file]
    for mode in modes:
        found, expected = trained("data.h5", mode, ranks), of_plain_copy(read, mode)
        checks.check(found == expected, f"{layout}: {mode}", f"{found}\nnot {expected}")
    found, expected = evaluated("data.h5"), of_plain_copy(read, "evaluated")
    checks.check(found == expected, f"{layout}: evaluated", f"{found}\nnot {expected}")
    result = sheaf("preprocess", "data.h5", "../out.h5", "--cast=float64", "--overwrite=true")
    checks.check(result.code == 0, f"{layout}: preprocessed", result.stderr)
    if result.code != 0:
        return
    # The new file refers to no other file: it is read after all others are removed.
    os.chdir("..")
    shutil.rmtree("case")
    with h5py.File("out.h5") as file:
        for name, numbers in [*read.items(), *((name, read["features"]) for name in other_names)]:
            found = numbers_in(file, name)
            checks.check(numpy.array_equal(found, numbers), f"{layout}: {name} after preprocessing", str(found)[:200])
            if name in other_names:
                checks.check(file[name] == file["features"], f"{layout}: {name} is a link to the new features")


def refuse(case, ways):
    store, change, message = REFUSED[case]
    written(store)
    if change:
        change()
    commands = {"trained": ["run", "../study.cfg", "--data.file=data.h5"],
                "streamed": ["run", "../study.cfg", "--data.file=data.h5", "--data.mode=streamed"],
                "evaluated": ["evaluate", "../model.pt", "--data.file=data.h5", "--run.device=cpu"],
                "preprocessed": PREPROCESS}
    for way in ways:
        result = sheaf(*commands[way])
        lines = result.error_lines()
        checks.check(result.code == 1 and len(lines) == 1 and message in lines[0], f"{case}: error line when {way}",
                     f"exit {result.code}\n{result.stderr}")
    if "--show" in sys.argv:
        print(f"{case:24} {lines}")


def touch(path):
    os.utime(path, ns=(1, 1))


def edit(path, name):
    """Changes one value of features or weights in place, and keeps the size and time of the file."""
    before = os.stat(path)
    if path.endswith(".h5"):
        with h5py.File(path, "r+") as file:
            file[name][1] += 1
    else:
        with open(path, "r+b") as file:  # external storage: the second byte of a float
            file.seek(1)
            value = file.read(1)[0]
            file.seek(1)
            file.write(bytes([value ^ 0x40]))
    os.utime(path, ns=(before.st_atime_ns, before.st_mtime_ns))


def check_resumes():
    """A resume without --force is refused if values in a file with part of the data have changed. A new time alone is
    not a change."""
    for part, store, file in (("a source", virtual, "parts/second.h5"),
                              ("a source of a source", virtual_of_virtual, "parts/first.h5"),
                              ("one of many sources", virtual_of_many, "parts/many5.h5"),
                              ("a link's target", external_link(plain), "target.h5"),
                              ("external storage", external_storage, "data.h5weights.1")):
        written(store)
        checks.check(isinstance(trained("data.h5", "memory"), list), f"{part}: the run succeeds")
        result = sheaf("resume", "out")
        checks.check(result.code == 0, f"{part} has not changed: resumed", result.stderr)
        touch(file)
        result = sheaf("resume", "out")
        checks.check(result.code == 0, f"{part} has another time: resumed", result.stderr)
        edit(file, "features")
        result = sheaf("resume", "out")
        lines = result.error_lines()
        checks.check(result.code == 1 and len(lines) == 1 and "the data have changed" in lines[0],
                     f"{part} has changed: refused", f"exit {result.code}\n{result.stderr}")
        result = sheaf("resume", "out", "--force")
        checks.check(result.code == 0, f"{part} has changed: resumed with --force", result.stderr)


def check_prefixes():
    """Prefixes with ${ORIGIN}, the directory of the referring file, locate source files and external storage."""
    for variable, store, parts in (("HDF5_VDS_PREFIX", virtual, "parts"),
                                   ("HDF5_EXTFILE_PREFIX", external_storage, "data.h5features.0 data.h5features.1")):
        for prefix in ("${ORIGIN}/moved", "${ORIGIN}moved"):
            written(lambda file, name, values: (store if name == "features" else plain)(file, name, values))
            with h5py.File("data.h5") as file:
                read = {name: file[name][:] for name in ROLES}
            os.makedirs("in/moved")
            shutil.move("data.h5", "in/data.h5")
            for part in parts.split():
                shutil.move(part, f"in/moved/{part}")
            os.environ[variable] = prefix
            found = trained("in/data.h5", "memory")
            del os.environ[variable]
            checks.check(found == of_plain_copy(read, "memory"), f"{variable}={prefix}", str(found))


def check_ranks():
    """Ranks that find different source files under the same name are refused."""
    written(virtual)
    shutil.copytree("parts", "other/parts")
    touch("other/parts/first.h5")
    for prefix, code in ((".", 0), ("other", 1)):
        shutil.rmtree("out", ignore_errors=True)
        rank = [SHEAF, "run", "../study.cfg", "--data.file=data.h5"]
        result = launch(one_rank_each(rank, ["env", f"HDF5_VDS_PREFIX={prefix}", *rank]))
        lines = result.error_lines()
        checks.check(result.code == code and len(lines) == code and
                     all("has a different data file" in line for line in lines),
                     f"trained with sources of rank 1 in '{prefix}'", f"exit {result.code}\n{result.stderr}")
    rank = [SHEAF, *PREPROCESS]
    result = launch(one_rank_each(rank, ["env", "HDF5_VDS_PREFIX=other", *rank]))
    checks.check(result.code == 1 and "differs from that of rank 0" in result.stderr,
                 "preprocessed with other sources on rank 1",
                 f"exit {result.code}\n{result.stderr}")


shutil.rmtree("layouts", ignore_errors=True)
os.makedirs("layouts")
os.chdir("layouts")
TOP = os.getcwd()
with open("study.cfg", "w") as file:
    file.write(STUDY)
every = "--every" in sys.argv
only = sys.argv[sys.argv.index("--only") + 1] if "--only" in sys.argv else None
written(plain)
result = sheaf("run", "../study.cfg", "--data.file=data.h5", "--run.models=best")
checks.check(result.code == 0, "the model to evaluate is trained", result.stderr)
os.rename("out/models/iteration-0.pt", "../model.pt")
MODES = ["memory", "streamed"]
WAYS = ["trained", "evaluated", "streamed", "preprocessed"]
for number, layout in enumerate(LAYOUTS):
    if only in (None, layout):
        compare(layout, MODES if every or only else [MODES[number % 2]], 2 if number % 3 == 0 else None)
        os.chdir(TOP)
if only is None:
    check_resumes()
    check_prefixes()
    check_ranks()
for number, case in enumerate(REFUSED):
    if only in (None, case):
        refuse(case, WAYS if every or only else [WAYS[number % len(WAYS)]])
sys.exit(checks.finish())
