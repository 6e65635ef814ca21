"""Invalid input of all kinds: one error line, the documented exit code and no new files, on 1 and 3 ranks."""

import os
import shutil
import sys

import h5py
import numpy

from program import DIGITS, Checks, sheaf

STUDY = """
[study]
name = bad
[data]
file = good.h5
task = classification
[model]
kind = mlp
hidden = 4
[train]
epochs = 1
loss = cross_entropy
[run]
output = out
"""

checks = Checks()
shutil.rmtree("bad_input", ignore_errors=True)
os.makedirs("bad_input")
os.chdir("bad_input")


def write_h5(name, features, targets):
    with h5py.File(name, "w") as file:
        file["features"] = features
        if targets is not None:
            file["targets"] = targets


generator = numpy.random.default_rng(1)
features = generator.normal(size=(20, 3)).astype("f4")
labels = numpy.arange(20) % 3
infinite = features.copy()
infinite[7, 1] = numpy.inf

write_h5("good.h5", features, labels)
write_h5("no-targets.h5", features, None)
write_h5("short-targets.h5", features, labels[:-1])
write_h5("negative-label.h5", features, labels - 1)
write_h5("high-label.h5", features, numpy.where(labels == 2, 9, labels))
write_h5("fraction-label.h5", features, labels + 0.5)
write_h5("infinite.h5", infinite, labels)
write_h5("weights.h5", features, labels)
with h5py.File("weights.h5", "a") as file:
    file["negative"] = numpy.where(numpy.arange(20) == 13, -1.0, 1.0)
    file["zeros"] = numpy.zeros(20)
write_h5("text.h5", features, numpy.array([b"a"] * 20))
write_h5("empty.h5", features[:0], labels[:0])
write_h5("two-rows.h5", features[:2], labels[:2])
with open("not.h5", "w") as file:
    file.write("this is no HDF5 file, but long enough to look like something " * 20)
with open(DIGITS, "rb") as whole, open("truncated.h5", "wb") as part:
    part.write(whole.read()[: os.path.getsize(DIGITS) // 2])
with open("study.cfg", "w") as file:
    file.write(STUDY)
os.makedirs("holds-a-run")
with open("holds-a-run/study.cfg", "w") as file:
    file.write(STUDY)
with open("a-file", "w") as file:
    file.write("x")

# (case, arguments of `run`, exit code, text in the error line)
CASES = [
    ("unknown key", ["study.cfg", "--train.epoch=5"], 2, "train.epochs"),
    ("positional argument", ["study.cfg", "word"], 2, "word"),
    ("wrong type", ["study.cfg", "--train.epochs=many"], 2, "train.epochs"),
    ("out of range", ["study.cfg", "--train.epochs=0"], 2, "train.epochs"),
    ("negative count", ["study.cfg", "--study.seed=-1"], 2, "study.seed"),
    ("wrong choice", ["study.cfg", "--train.optimizer=adan"], 2, "adam"),
    ("missing study file", ["absent.cfg"], 2, "absent.cfg"),
    ("study file is a directory", ["holds-a-run"], 2, "holds-a-run"),
    ("missing data file", ["study.cfg", "--data.file=absent.h5"], 1, "absent.h5"),
    ("data file is a directory", ["study.cfg", "--data.file=holds-a-run"], 1, "holds-a-run"),
    ("not an HDF5 file", ["study.cfg", "--data.file=not.h5"], 1, "not.h5"),
    ("truncated HDF5 file", ["study.cfg", "--data.file=truncated.h5"], 1, "truncated.h5"),
    ("missing data set", ["study.cfg", "--data.file=no-targets.h5"], 1, "/features"),
    ("different lengths", ["study.cfg", "--data.file=short-targets.h5"], 1, "19"),
    ("negative label", ["study.cfg", "--data.file=negative-label.h5"], 1, "-1"),
    ("label too high", ["study.cfg", "--data.file=high-label.h5", "--data.classes=3"], 1, "9"),
    ("fractional label", ["study.cfg", "--data.file=fraction-label.h5"], 1, "0.5"),
    ("labels are text", ["study.cfg", "--data.file=text.h5"], 1, "/targets"),
    ("infinity in the features", ["study.cfg", "--data.file=infinite.h5"], 1, "row 7"),
    ("negative weight", ["study.cfg", "--data.file=weights.h5", "--data.weights=negative"], 1, "-1 in row 13"),
    ("all weights zero", ["study.cfg", "--data.file=weights.h5", "--data.weights=zeros"], 1, "'/zeros'"),
    ("missing weights", ["study.cfg", "--data.file=weights.h5", "--data.weights=weights"], 1, "'/weights'"),
    ("no rows", ["study.cfg", "--data.file=empty.h5"], 1, "empty.h5"),
    ("no training rows", ["study.cfg", "--data.source=synthetic", "--data.file=", "--data.rows=1",
                          "--data.classes=2", "--data.validation=0.5"], 1, "No row is left"),
    ("fewer rows than folds", ["study.cfg", "--data.file=two-rows.h5", "--search.method=grid", "--search.folds=3",
                               "--data.classes=3"], 1, "3"),
    ("empty search list", ["study.cfg", "--search.method=grid", "--search.train.learning_rate="], 2,
     "train.learning_rate"),
    ("output has a run", ["study.cfg", "--run.output=holds-a-run"], 1, "already has an unfinished run"),
    ("output not writable", ["study.cfg", "--run.output=/proc/sheaf"], 1, "/proc/sheaf"),
    ("output under a file", ["study.cfg", "--run.output=a-file/run"], 1, "a-file/run"),
    ("no GPU", ["study.cfg", "--run.device=cuda"], 1, "GPU"),
    ("native engine, searched cnn", ["study.cfg", "--run.engine=native", "--search.method=grid",
                                     "--search.model.kind=mlp, cnn", "--model.channels=4"], 2, "a cnn needs images"),
    ("loss does not match the task", ["study.cfg", "--data.task=regression"], 2, "cross_entropy"),
    ("cnn without an image", ["study.cfg", "--model.kind=cnn", "--model.hidden=", "--model.channels=4"], 2, "image"),
]

# Without this, Open MPI 4.1 waits one second for the other ranks after the first one returns an error.
os.environ["OMPI_MCA_odls_base_sigkill_timeout"] = "0"

before = sorted(os.listdir("."))
slowest = 0
for ranks in (1, 3):
    for case, args, code, message in CASES:
        result = sheaf("run", *args, ranks=ranks, environment={"CUDA_VISIBLE_DEVICES": ""})
        details = f"exit {result.code}, {result.seconds:.1f} s\n{result.stdout}{result.stderr}"
        errors = result.error_lines()
        checks.check(result.code == code, f"{case} on {ranks} ranks: exit code {code}", details)
        checks.check(len(errors) == 1 and message in errors[0],
                     f"{case} on {ranks} ranks: one error line with '{message}'",
                     details)
        checks.check(not result.stdout, f"{case} on {ranks} ranks: no output on stdout", details)
        checks.check(sorted(os.listdir(".")) == before, f"{case} on {ranks} ranks: no new files",
                     str(os.listdir(".")))
        slowest = max(slowest, result.seconds)
        if "--show" in sys.argv and ranks == 1:
            print(f"{case:28} {errors}")

# Several problems are reported together, one per line.
result = sheaf("run", "study.cfg", "--train.epoch=5", "--train.momentum=2", ranks=3)
checks.check(result.code == 2 and len(result.error_lines()) == 2, "two problems give two error lines", result.stderr)

# The valid study runs, so the cases above fail for the intended reason.
result = sheaf("run", "study.cfg", ranks=3)
checks.check(result.code == 0 and os.path.exists("out/results.csv"), "the valid study runs", result.stderr)
print(f"slowest case: {slowest:.1f} s")
sys.exit(checks.finish())
