"""`sheaf preprocess`: results agree with skimage and scikit-learn, and are identical on any number of ranks; runs train
on them; invalid input is refused."""

import glob
import os
import re
import shutil
import signal
import subprocess
import sys
import time

import h5py
import numpy
from skimage.transform import resize
from sklearn.preprocessing import MinMaxScaler, StandardScaler

from program import SHEAF, Checks, launch, one_rank_each, sheaf

checks = Checks()
shutil.rmtree("preprocess", ignore_errors=True)
os.makedirs("preprocess")
os.chdir("preprocess")
generator = numpy.random.default_rng(11)


def write(name, features, **options):
    """Writes a data file with features and with other objects that are copied."""
    with h5py.File(name, "w") as file:
        data = file.create_dataset("features", data=features, **options)
        data.attrs["unit"] = "grey"
        data.attrs["names"] = ["a", "bé"]
        file["targets"] = numpy.arange(len(features)) % 3
        file["targets"].attrs["class_names"] = ["x", "y", "z"]
        file.create_dataset("more/weights", data=numpy.linspace(0, 1, len(features)), chunks=True, compression=4)
        file["link"] = h5py.SoftLink("/targets")
        file.attrs["made_by"] = "a test"
    return features


def made(case, args, **options):
    """Preprocesses a file; returns the features of the output, None if the command failed."""
    result = sheaf("preprocess", *args, "--overwrite", **options)
    good = result.code == 0 and not result.error_lines() and result.stdout.count("\n") == 1
    checks.check(good, case, f"exit {result.code}\n{result.stdout}{result.stderr}")
    if not good:
        return None
    with h5py.File(args[1], "r") as file:
        return file["features"][:]


def skimage_resize(images, height, width):
    return numpy.stack([resize(image.astype("f8"), (height, width), order=1, mode="reflect", preserve_range=True)
                        for image in images])


def check_close(found, expected, case, tolerance=1e-6):
    right = found is not None and found.shape == expected.shape
    error = numpy.abs(found - expected).max() if right else numpy.inf
    checks.check(error <= tolerance, case, f"differs by {error}, {None if found is None else found.shape}")


# ---- Resizing, compared with skimage

for height, width, new_height, new_width, channels in (
        (128, 128, 64, 64, 3), (33, 47, 16, 20, 3), (16, 20, 33, 47, 1), (9, 9, 9, 5, 4), (7, 30, 21, 4, 3),
        (1, 1, 5, 6, 3), (5, 6, 1, 1, 1), (1, 40, 3, 7, 3), (2, 2, 9, 1, 3), (100, 3, 2, 3, 4), (31, 17, 30, 16, 1)):
    images = write("in.h5", generator.random((3, height, width, channels)))
    args = ["in.h5", "out.h5", f"--resize={new_height}x{new_width}", "--layout=last"]
    case = f"resize {height}x{width} to {new_height}x{new_width}, {channels} channels"
    check_close(made(case, args), skimage_resize(images, new_height, new_width), case, 1e-12)
images = write("in.h5", generator.integers(0, 256, (40, 3, 33, 47), dtype="u1"))
last = numpy.moveaxis(images, 1, 3)
expected = skimage_resize(last, 16, 20)
found = made("resize bytes", ["in.h5", "out.h5", "--resize=16x20"])
check_close(found / 255, numpy.moveaxis(expected, 3, 1) / 255, "resized bytes, channels first")
checks.check(found.dtype == "f4", "resized bytes are float32", str(found.dtype))
found = made("to bytes", ["in.h5", "out.h5", "--resize=16x20", "--cast=uint8", "--channels=last"])
checks.check(found.dtype == "u1" and numpy.array_equal(found, numpy.rint(expected)), "resized to bytes, channels last")
found = made("channels alone", ["in.h5", "out.h5", "--channels=last", "--compression=2"])
checks.check(found.dtype == "u1" and numpy.array_equal(found, last), "channels moved last, not resized")
grey = write("in.h5", generator.random((5, 12, 10), dtype="f4"))
check_close(made("grey", ["in.h5", "out.h5", "--resize=6x5"]), skimage_resize(grey, 6, 5),
            "resized images without channels")
check_close(made("grey", ["in.h5", "out.h5", "--channels=first"]), grey[:, None], "images without channels get one", 0)

# ---- Scaling and casting

values = generator.normal(50, 20, (700, 6))
values[:, 3] = 7
write("in.h5", values)
for kind, scaler in (("standard", StandardScaler()), ("minmax", MinMaxScaler())):
    found = made(kind, ["in.h5", "out.h5", f"--normalize={kind}"])
    expected = scaler.fit_transform(values)
    check_close(found, expected, f"{kind}: same as scikit-learn", 1e-12)
    with h5py.File("out.h5", "r") as file:
        back = found * file["features_divisor"][:] + file["features_shift"][:]
    check_close(back, values, f"{kind} can be undone with the stored divisor and shift", 1e-10)
again = made("scaled again", ["out.h5", "again.h5", "--normalize=standard"])
check_close(again, StandardScaler().fit_transform(expected), "output of preprocess is scaled again", 1e-12)
photos = write("in.h5", generator.integers(0, 256, (90, 8, 9, 3), dtype="u1"), chunks=(7, 8, 9, 3), compression=1)
flat = photos.reshape(-1, 3).astype("f8")
for channels in ("first", "last"):
    found = made("by channel", ["in.h5", "out.h5", "--normalize=standard", "--per=channel", f"--channels={channels}",
                                "--cast=float64"])
    expected = ((flat - flat.mean(0)) / flat.std(0)).reshape(photos.shape)
    check_close(found, numpy.moveaxis(expected, 3, 1) if channels == "first" else expected, f"by channel, {channels}",
                1e-12)
write("in.h5", numpy.array([[-1e30, -129.0, -128.5, -0.5, 0.5, 1.5, 2.5, 127.5, 255.5, 1e30]]))
for kind in ("i1", "u1", "i2", "u2", "i4", "u4", "i8", "u8"):
    limits = numpy.iinfo(kind)
    exact = [min(max(int(number), limits.min), limits.max) for number in
             (-10**30, -129, -128, 0, 0, 2, 2, 128, 256, 10**30)]
    found = made(kind, ["in.h5", "out.h5", f"--cast={numpy.dtype(kind).name}"])
    checks.check(found.dtype == kind and found[0].tolist() == exact, f"cast to {kind}", str(found))
halves = write("in.h5", generator.normal(0, 1, (60, 50)) * 10.0 ** generator.integers(-8, 6, (60, 50)))
with numpy.errstate(over="ignore"):
    expected = halves.astype("f2")
found = made("f2", ["in.h5", "out.h5", "--cast=float16", "--compression=1"])
checks.check(found.dtype == "f2" and numpy.array_equal(found, expected), "cast to f2", str(found))
write("in.h5", expected[:, :4])
found = made("f2 again", ["in.h5", "out.h5", "--chunk-rows=7"])
checks.check(found.dtype == "f2" and numpy.array_equal(found, expected[:, :4]), "float16 stays float16", str(found))

# ---- Layout, copies, ranks

write("in.h5", generator.integers(0, 256, (301, 33, 47, 3), dtype="u1"), chunks=(10, 33, 47, 3), compression=1)
steps = ["--resize=16x20", "--normalize=standard", "--per=channel", "--channels=first"]
for options in ([], ["--compression=5"], ["--compression=1", "--chunk-rows=3"], ["--chunk-rows=100"]):
    contents = []
    for ranks in (1, 2, 3):
        found = made("ranks", ["in.h5", "out.h5", *steps, *options], ranks=ranks)
        with open("out.h5", "rb") as file:
            contents.append(file.read())
    checks.check(contents[0] == contents[1] == contents[2], f"{options}: identical files from 1, 2 and 3 ranks")
    first = found if not options else first
    checks.check(numpy.array_equal(found, first), f"{options}: same values as without options")
with h5py.File("out.h5", "r") as file:
    data = file["features"]
    checks.check(data.chunks == (100, 3, 16, 20) and data.attrs["unit"] == "grey" and
                 list(data.attrs["names"]) == ["a", "bé"] and "resize 33x47 to 16x20" in data.attrs["preprocess"],
                 "chunks and attributes", f"{data.chunks} {dict(data.attrs)}")
    checks.check(numpy.array_equal(file["targets"][:], numpy.arange(301) % 3) and
                 list(file["targets"].attrs["class_names"]) == ["x", "y", "z"] and
                 file["more/weights"].compression == "gzip" and len(file["more/weights"][:]) == 301 and
                 file.attrs["made_by"] == "a test" and numpy.array_equal(file["link"][:], file["targets"][:]),
                 "other data sets, links and attributes are copied")
made("alone", ["in.h5", "alone.h5", "--resize=8x8", "--copy=false"])
with h5py.File("alone.h5", "r") as file:
    checks.check(list(file) == ["features"], "--copy=false copies only the features", str(list(file)))
with h5py.File("deep.h5", "w") as file:
    file["train/images"] = numpy.arange(12.0).reshape(3, 4)
    file["train/labels"] = numpy.arange(3)
    file["train"].attrs["of"] = "2026"
result = sheaf("preprocess", "deep.h5", "out2.h5", "--features=train/images", "--normalize=minmax", ranks=2)
checks.check(result.code == 0, "features in a group", result.stderr)
with h5py.File("out2.h5", "r") as file:
    checks.check(sorted(file["train"]) == ["images", "images_divisor", "images_shift", "labels"] and
                 file["train"].attrs["of"] == "2026" and numpy.array_equal(file["train/images"][:, 0], [0, 0.5, 1]),
                 "other data sets of the group are copied", str(list(file["train"])))

with open("study.cfg", "w") as file:
    file.write("[study]\nname=small\n[data]\nfile=out.h5\ntask=classification\n[model]\nkind=cnn\nchannels=4\n"
               "[train]\nepochs=1\nloss=cross_entropy\n[run]\noutput=run\n")
result = sheaf("run", "study.cfg")
checks.check(result.code == 0 and os.path.exists("run/results.csv"), "a run trains on the output", result.stderr)
shutil.rmtree("run", ignore_errors=True)

# ---- Copies of objects in other files: the copy does not refer to these files


def contents(path):
    """Shape and values of all data sets, by path; a data set with several paths appears several times."""
    found = {}

    def visit(group, prefix, depth):
        for name in group:
            item = group[name]
            if isinstance(item, h5py.Group):
                if depth < 5:
                    visit(item, f"{prefix}/{name}", depth + 1)
            elif item.name != "/features":
                found[f"{prefix}/{name}"] = item.shape, numpy.array(item[()]).tolist()

    with h5py.File(path, "r") as file:
        visit(file, "", 0)
    return found


def copied(case):
    """Checks that a copy of near.h5 has the same contents, read from a folder without near.h5 and far.h5."""
    expected = contents("near.h5")
    made(case, ["near.h5", "copy.h5"])
    os.makedirs("away", exist_ok=True)
    shutil.move("copy.h5", "away/copy.h5")
    found = contents("away/copy.h5")
    checks.check(found == expected, case,
                 str({path: (expected.get(path), found.get(path)) for path in {*expected, *found}
                      if expected.get(path) != found.get(path)}))


with h5py.File("far.h5", "w") as file:
    file["group/data"] = numpy.arange(5)
    file["group/deep/data"] = numpy.arange(6)
    file["group/alone"] = h5py.SoftLink("/elsewhere")
    file["group/absolute"] = h5py.SoftLink("/group/data")
    file["group/before"] = h5py.SoftLink("deep/data")
    file["group/whole"] = h5py.SoftLink("/more")
    file["elsewhere"] = numpy.arange(7)
    file["more/data"] = numpy.arange(8)
    file["more/back"] = h5py.ExternalLink("near.h5", "/group")
write("near.h5", generator.random((4, 3)))
with h5py.File("near.h5", "a") as file:  # with the same names as far.h5, so that a link may find the wrong object
    file["elsewhere"] = numpy.zeros(1)
    file["group/data"] = numpy.zeros(2)
    file["group/link"] = h5py.SoftLink("/elsewhere")
    file["more/data"] = numpy.zeros(3)
    file["far"] = h5py.ExternalLink("far.h5", "/group")
copied("soft links in another file lead to objects of that file")
with h5py.File("far.h5", "a") as file:
    file["group/broken"] = h5py.SoftLink("/nothing")
result = sheaf("preprocess", "near.h5", "copy.h5")
checks.check(result.code == 1 and "'/far/broken' is a link to '/nothing'" in result.error_lines()[0],
             "a broken soft link in another file is refused", result.stderr)



def stored_outside(file, name, shape, kind, values=None):
    """Creates a data set with external storage; an empty one, which h5py alone cannot create, if `shape` is None."""
    creation = h5py.h5p.create(h5py.h5p.DATASET_CREATE)
    creation.set_external(f"{name}.raw".encode(), 0, h5py.h5f.UNLIMITED)
    open(f"{name}.raw", "wb").close()
    space = h5py.h5s.create(h5py.h5s.NULL) if shape is None else h5py.h5s.create_simple(shape) if shape else \
        h5py.h5s.create(h5py.h5s.SCALAR)
    made_set = h5py.Dataset(h5py.h5d.create(file.id, name.encode(), kind, space, creation))
    if values is not None:
        made_set[...] = values


write("near.h5", generator.random((4, 3)))
with h5py.File("near.h5", "a") as file:
    stored_outside(file, "scalar", (), h5py.h5t.IEEE_F64LE, 2.5)
    stored_outside(file, "none", None, h5py.h5t.IEEE_F64LE)
    stored_outside(file, "no_rows", (0, 3), h5py.h5t.IEEE_F64LE)
    stored_outside(file, "rows", (3, 5, 7), h5py.h5t.STD_I64LE, numpy.arange(105).reshape(3, 5, 7))
    stored_outside(file, "large_rows", (2, 3, 300, 1000), h5py.h5t.STD_I64LE,
                   numpy.arange(1800000).reshape(2, 3, 300, 1000))
with h5py.File("near.h5", "r") as file:
    expected = {name: file[name][()] for name in ("scalar", "no_rows", "rows", "large_rows")}
made("external storage of all shapes", ["near.h5", "copy.h5"])
with h5py.File("copy.h5", "r") as file:
    for name, numbers in expected.items():
        checks.check(file[name].shape == numpy.shape(numbers) and numpy.array_equal(file[name][()], numbers) and
                     file[name].external is None, f"external storage: {name}", str(file[name]))
    checks.check(file["none"].shape is None, "external storage: empty data set", str(file["none"]))

# References are addresses within their file, so they are not copied.
write("near.h5", generator.random((4, 3)))
with h5py.File("near.h5", "a") as file:
    targets = file["targets"]
    record = numpy.dtype([("number", "i4"), ("reference", h5py.ref_dtype)])
    file.create_dataset("references", (1,), h5py.ref_dtype)[0] = targets.ref
    file.create_dataset("regions", (1,), h5py.regionref_dtype)[0] = targets.regionref[1:2]
    file.create_dataset("records", (1,), record)[0] = (3, targets.ref)
    stored_outside(file, "outside", (1,), h5py.h5t.STD_REF_OBJ)
    file["outside"][0] = targets.ref
    targets.attrs["records"] = numpy.array([(3, targets.ref)], record)
    targets.attrs["größe"] = "groß"
    file["axis"] = numpy.arange(3)
    file["axis"].make_scale("an axis")
    file["features"].dims[1].attach_scale(file["axis"])
result = sheaf("preprocess", "near.h5", "copy.h5", "--overwrite=true")
warnings = [line for line in result.stderr.splitlines() if line.startswith("warning: ")]
checks.check(result.code == 0 and len(warnings) == 1 and
             "'/outside', '/records', '/references', '/regions' of 'near.h5' are not copied" in warnings[0],
             "a warning names data sets with references", f"exit {result.code}\n{result.stderr}")
with h5py.File("copy.h5", "r") as file:
    checks.check(sorted(file) == ["axis", "features", "link", "more", "targets"],
                 "data sets with references are not copied", str(list(file)))
    checks.check(sorted(file["targets"].attrs) == ["class_names",
                                                   "größe"] and file["targets"].attrs["größe"] == "groß" and
                 sorted(file["axis"].attrs) == ["CLASS", "NAME"], "attributes with references are not copied",
                 f"{list(file['targets'].attrs)} {list(file['axis'].attrs)}")

# A model that was trained on scaled features refuses other files.
with open("train.csv", "w") as file:
    file.write("a,b,kind\n" + "".join(f"{row % 7},{row % 5 * 100},{row % 3}\n" for row in range(60)))
with open("linear.cfg", "w") as file:
    file.write("[data]\nfile = units.h5\n[train]\nepochs = 2\n[run]\nmodels = best\noutput = scaled-model\n")
for args in (("import", "train.csv", "raw.h5"), ("preprocess", "raw.h5", "units.h5", "--normalize=standard"),
             ("run", "linear.cfg")):
    result = sheaf(*args)
    checks.check(result.code == 0, " ".join(args), result.stderr)
with h5py.File("units.h5", "r") as file:
    units = file["features"].attrs["scaling"]
    checks.check(re.fullmatch(r"standard by feature \(checksum [0-9a-f]{8}\)", units) and
                 "content_hash" not in file.attrs and
                 list(file["features"].attrs["feature_names"]) == ["a", "b"], "scaled features are marked",
                 f"{dict(file.attrs)} {dict(file['features'].attrs)}")
result = sheaf("evaluate", "scaled-model", "--data.file=units.h5")
checks.check(result.code == 0, "the model is evaluated on data with the same scaling", result.stderr)
for path in ("raw.h5", "train.csv"):
    for ranks in (None, 3):
        result = sheaf("evaluate", "scaled-model", f"--data.file={path}", ranks=ranks)
        errors = result.error_lines()
        checks.check(result.code == 1 and len(errors) == 1 and f"'{path}' and the training data of model" in errors[0] and
                     f"(scaling by sheaf preprocess: none; {units})" in errors[0],
                     f"{path} without the scaling is refused, {ranks} ranks", result.stderr)

# Other rows have other units unless they are scaled as the training data.
with h5py.File("raw.h5", "r") as file, h5py.File("some.h5", "w") as some:
    some["features"], some["targets"] = file["features"][:20], file["targets"][:20]
    some["features"].attrs["feature_names"] = file["features"].attrs["feature_names"]
for args in (["some.h5", "own.h5", "--normalize=standard"], ["some.h5", "like.h5", "--like=units.h5"],
             ["some.h5", "like2.h5", "--like=units.h5", "--compression=3"],
             ["like.h5", "twice.h5", "--normalize=minmax"]):
    result = sheaf("preprocess", *args, ranks=2 if "like2.h5" in args else None)
    checks.check(result.code == 0, " ".join(args), result.stderr)
result = sheaf("evaluate", "scaled-model", "--data.file=own.h5")
checks.check(result.code == 1 and "Scale the file with sheaf preprocess --like=TRAIN.h5" in result.stderr,
             "a file in its own units is refused", result.stderr)
result = sheaf("evaluate", "scaled-model", "--data.file=like.h5")
checks.check(result.code == 0, "a file in the units of the training data is evaluated", result.stderr)
with h5py.File("units.h5") as whole, h5py.File("like.h5") as like, h5py.File("like2.h5") as packed, \
        h5py.File("twice.h5") as twice:
    checks.check((like["features"][:] == whole["features"][:20]).all() and
                 (packed["features"][:] == like["features"][:]).all() and
                 (like["features_shift"][:] == whole["features_shift"][:]).all(), "--like uses the stored numbers")
    checks.check(twice["features"].attrs["scaling"].startswith(units + ", then minmax by feature (checksum "),
                 "a second scaling is added to the first", twice["features"].attrs["scaling"])
# The numbers belong to features in their order: other names and layouts are refused.
with h5py.File("swapped.h5", "w") as file:
    file["features"] = numpy.zeros((5, 2), "f4")
    file["features"].attrs["feature_names"] = ["b", "a"]
with h5py.File("images-last.h5", "w") as file:
    file["features"] = numpy.random.default_rng(1).random((5, 3, 3, 3), dtype="f4")
    file["features"].attrs["channels"] = "last"
result = sheaf("preprocess", "images-last.h5", "images-first.h5", "--normalize=standard", "--channels=first")
checks.check(result.code == 0, "scaled images", result.stderr)
for name, args, message in (
        ("swapped.h5", ["--like=units.h5"], "have other names or another order"),
        ("images-last.h5", ["--like=images-first.h5"], "has its channels first, but the rows made from 'images-last.h5' last")):
    result = sheaf("preprocess", name, "new-units.h5", *args, ranks=3)
    checks.check(result.code == 1 and len(result.error_lines()) == 1 and message in result.stderr,
                 f"--like for {name} is refused", result.stderr)
result = sheaf("preprocess", "images-last.h5", "images-like.h5", "--like=images-first.h5", "--channels=first")
with h5py.File("images-first.h5") as first, h5py.File("images-like.h5") as like:
    checks.check(result.code == 0 and (first["features"][:] == like["features"][:]).all(), "images in the same layout",
                 result.stderr)
with h5py.File("units.h5") as whole, h5py.File("bad.h5", "w") as bad:
    for name in ("features", "features_shift"):
        bad[name] = whole[name][:]
    bad["features_divisor"] = numpy.zeros(2)
    bad["features"].attrs["scaling"] = units
    bad["wide"] = numpy.zeros((5, 3), "f4")
with h5py.File("units.h5") as whole, h5py.File("short.h5", "w") as short:
    short["features"] = whole["features"][:]
    short["features"].attrs["scaling"] = units
    short["features_shift"] = short["features_divisor"] = numpy.ones(1)
with h5py.File("wide.h5", "w") as file:
    file["features"] = numpy.zeros((5, 3), "f4")
for like, message in (("raw.h5", "'raw.h5' has no scaling of '/features'"), ("bad.h5", "(a divisor is 0 or not finite)"),
                      ("short.h5", "the scaling in 'short.h5' is damaged (it has 1 number for 2 of a row)"),
                      ("units.h5", "the rows made from 'wide.h5' have the shape [3], but those of 'units.h5' [2]")):
    for ranks in (None, 3):
        result = sheaf("preprocess", "some.h5" if like == "short.h5" else "wide.h5", "new-units.h5", f"--like={like}",
                       ranks=ranks)
        checks.check(result.code == 1 and len(result.error_lines()) == 1 and message in result.stderr and
                     not os.path.exists("new-units.h5"), f"--like={like} is refused, {ranks} ranks", result.stderr)

# Copying values of other files takes 4 MiB of memory for any size of rows. Measured through a small process, since the
# peak memory of a program includes that of the process that started it.
MEASURE = """import resource, subprocess, sys
code = subprocess.run(sys.argv[1:]).returncode
print(resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss // 1024, file=sys.stderr)
sys.exit(code)"""


def peak_mebibytes(*args):
    result = launch([sys.executable, "-c", MEASURE, SHEAF, "preprocess", *args, "--overwrite=true"])
    checks.check(result.code == 0, f"preprocess {args}", result.stderr)
    return int(result.stderr.splitlines()[-1])


def virtual(name, shape):
    """Adds a virtual data set of fill values to near.h5."""
    with h5py.File("near.h5", "a") as file:
        layout = h5py.VirtualLayout(shape, "f8")
        layout[:, 0] = h5py.VirtualSource(".", "targets", (4,))
        file.create_virtual_dataset(name, layout, fillvalue=1.5)


write("near.h5", generator.random((4, 3)))
small = peak_mebibytes("near.h5", "copy.h5")
virtual("wide", (4, 1 << 22))
large = peak_mebibytes("near.h5", "copy.h5")
checks.check(large < small + 20, "rows of 32 MiB are copied in small parts", f"{small} MiB, {large} MiB")
with h5py.File("copy.h5", "r") as file:
    checks.check(numpy.array_equal(file["wide"][:, 0], [0, 1, 2, 0]) and (file["wide"][:, 1:] == 1.5).all(),
                 "rows of 32 MiB are copied correctly")

# ---- Invalid arguments and files


def refuse(case, args, code, message):
    before = {name: os.stat(name).st_mtime_ns for name in os.listdir(".")}
    for ranks in (None,) if code == 2 else (3,):  # errors in arguments do not depend on ranks
        result = sheaf("preprocess", *args, ranks=ranks)
        errors = result.error_lines()
        checks.check(result.code == code and len(errors) == 1 and message in errors[0] and not result.stdout,
                     f"{case}: exit code {code} and one error line with '{message}'",
                     f"exit {result.code}\n{result.stdout}{result.stderr}")
    after = {name: os.stat(name).st_mtime_ns for name in os.listdir(".")}
    checks.check(after == before, f"{case}: no new or changed files", str(sorted(after)))
    if "--show" in sys.argv:
        print(f"{case:28} {errors}")


write("table.h5", generator.normal(size=(30, 4)))
write("odd.h5", generator.normal(size=(4, 9, 9, 9)))
bad = generator.normal(size=(200, 16, 16, 3))
bad[151, 3, 2, 1] = numpy.nan
bad[180, 3, 2, 1] = numpy.inf
write("nan.h5", bad, chunks=(10, 16, 16, 3))
write("damaged.h5", generator.integers(0, 99, (200, 16, 16, 3)), chunks=(10, 16, 16, 3), compression=1)
with h5py.File("damaged.h5", "r") as file:
    offset = file["features"].id.get_chunk_info(13).byte_offset
with open("damaged.h5", "r+b") as file:
    file.seek(offset + 50)
    file.write(b"damaged")
with open("text.h5", "w") as file:
    file.write("no HDF5")
os.makedirs("folder.h5")
os.link("table.h5", "same.h5")
resize_words = "--resize=8x8"
write("near.h5", generator.random((4, 3)))
virtual("huge", (4, 1 << 58))
for case, args, code, message in (
        ("no arguments", [], 2, "it got 0 file names"),
        ("three files", ["a.h5", "b.h5", "c.h5"], 2, "it got 3 file names"),
        ("output is not named .h5", ["table.h5", "new.csv"], 2, "'new.csv' is not a valid output file name"),
        ("unknown option", ["in.h5", "new.h5", "--resise=8x8"], 2, "Did you mean '--resize'?"),
        ("no value", ["in.h5", "new.h5", "--resize"], 2, "--resize has no value"),
        ("one side", ["in.h5", "new.h5", "--resize=8"], 2, "--resize = '8'"),
        ("side of 0", ["in.h5", "new.h5", "--resize=0x8"], 2, "--resize = '0x8'"),
        ("sides too large", ["in.h5", "new.h5", "--resize=1000000x1000000"], 2, "each 1 to 65536"),
        ("rows too large", ["in.h5", "new.h5", "--resize=65536x65536"], 1, "too large"),
        ("chunks too large", ["in.h5", "new.h5", "--resize=4096x4096", "--chunk-rows=100"], 1, "--chunk-rows"),
        ("larger than the free disk space", ["in.h5", "new.h5", "--resize=8192x8192", "--cast=float64"], 1,
         "is too full"),
        ("unknown type", ["in.h5", "new.h5", "--cast=float8"], 2, "--cast = 'float8'"),
        ("unknown scaling", ["in.h5", "new.h5", "--normalize=max"], 2, "--normalize = 'max'"),
        ("--like with --normalize", ["in.h5", "new.h5", "--like=table.h5", "--normalize=minmax"], 2, "cannot be combined"),
        ("--per without --normalize", ["in.h5", "new.h5", "--per=channel"], 2, "--normalize"),
        ("compression out of range", ["in.h5", "new.h5", "--compression=10"], 2, "--compression = '10'"),
        ("missing file", ["absent.h5", "new.h5"], 1, "'absent.h5' does not exist"),
        ("too many values", ["near.h5", "new.h5"], 1, "'/huge' cannot be copied (it has too many numbers)"),
        ("not an HDF5 file", ["text.h5", "new.h5"], 1, "'text.h5' is not an HDF5 file"),
        ("missing data set", ["in.h5", "new.h5", "--features=feature"], 1, "Did you mean '/features'?"),
        ("a group", ["in.h5", "new.h5", "--features=more"], 1, "has a group"),
        ("input is the output", ["table.h5", "table.h5", "--overwrite=true"], 1, "are the same file"),
        ("input is the output, by another name", ["table.h5", "same.h5", "--overwrite=true"], 1, "are the same file"),
        ("output exists", ["in.h5", "table.h5"], 1, "--overwrite"),
        ("output is a directory", ["in.h5", "folder.h5", "--overwrite=true"], 1, "is a directory"),
        ("output in a missing directory", ["in.h5", "nowhere/new.h5"], 1, "nowhere/new.h5"),
        ("not images", ["table.h5", "new.h5", resize_words], 1, "is not a list of images"),
        ("channels of features that are not images", ["table.h5", "new.h5", "--normalize=minmax", "--per=channel"], 1,
         "not a list of images"),
        ("ambiguous channels", ["odd.h5", "new.h5", resize_words], 1, "--layout=first"),
        ("NaN to integers", ["nan.h5", "new.h5", "--cast=int16"], 1, "contains nan in row 151"),
        ("NaN scaled", ["nan.h5", "new.h5", "--normalize=standard"], 1, "contains nan in row 151"),
        ("NaN, compressed", ["nan.h5", "new.h5", "--cast=int16", "--compression=1"], 1, "contains nan in row 151"),
        ("damaged", ["damaged.h5", "new.h5", resize_words], 1,
         "of 'damaged.h5' cannot be read (it does not decompress)"),
        ("damaged, scaled", ["damaged.h5", "new.h5", "--normalize=minmax"], 1,
         "of 'damaged.h5' cannot be read (it does not decompress)"),
        ("damaged, compressed", ["damaged.h5", "new.h5", "--compression=1"], 1,
         "of 'damaged.h5' cannot be read (it does not decompress)")):
    refuse(case, args, code, message)
os.makedirs("elsewhere", exist_ok=True)
ranks = [[*place, SHEAF, "preprocess", os.path.abspath("in.h5"), "new.h5"] for place in ([], ["env", "-C", "elsewhere"])]
result = launch(one_rank_each(*ranks))
errors = result.error_lines()
checks.check(result.code == 1 and len(errors) == 1 and "error: File 'new.h5." in errors[0] and
             " of rank 0 is not visible on host " in errors[0] and errors[0].endswith(
                 " (all ranks write to it). Choose an output directory that all nodes share.") and
             not glob.glob("new.h5*") + glob.glob("elsewhere/*"), "an output directory that only rank 0 sees",
             f"exit {result.code}\n{result.stderr}")
found = made("NaN copied", ["nan.h5", "out.h5"])
checks.check(numpy.array_equal(found, bad, equal_nan=True), "NaN and infinity are copied unchanged")

# ---- Ended by a signal: no output file and no temporary file

write("many.h5", numpy.zeros((3000, 128, 128, 3), "u1"), chunks=(100, 128, 128, 3), compression=1)
for args in ([], ["--compression=9"]):
    process = subprocess.Popen([SHEAF, "preprocess", "many.h5", "ended.h5", "--resize=256x256", *args],
                               stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    while process.poll() is None and not glob.glob("ended.h5.*.partial"):
        time.sleep(0.001)
    process.send_signal(signal.SIGTERM)
    code = process.wait(60)
    left = [name for name in os.listdir(".") if name.startswith("ended")]
    checks.check(code == -signal.SIGTERM and not left, f"{args}: SIGTERM leaves no files", f"exit {code}, {left}")

sys.exit(checks.finish())
