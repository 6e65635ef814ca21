"""Unexpected files at paths that the program reads or writes. With symbolic links, files outside the run directory are
not changed, and links inside it are not used as the program's own files. A FIFO, directory or device at a path that the
program opens gives one error line and the documented exit code, and the program never waits.

--every-kind 1: directories and devices at all paths; by default FIFOs at all paths, the others at some."""

import os
import shutil
import subprocess
import sys

import h5py
import numpy

from interrupted import ITERATIONS, results, study
from program import DIGITS, SHEAF, SOURCE, Checks, Result, argument, launch, one_rank_each

EVERY_KIND = argument("--every-kind", 0)
# Seconds after which a program counts as waiting for ever.
WAITS = 120

checks = Checks()
STUDY = study("native", epochs=2, models="all")
NO_DATA = [arg for arg in STUDY if not arg.startswith("--data.file")]
shutil.rmtree("planted", ignore_errors=True)
os.makedirs("planted")
os.chdir("planted")


def put(path, text):
    with open(path, "w") as file:
        file.write(text)


def describe(result):
    return f"exit {result.code}\n{result.stdout}{result.stderr}"


def run_limited(line, **options):
    """Runs a program; the result has code None if it does not end."""
    try:
        return launch(line, timeout=WAITS, **options)
    except subprocess.TimeoutExpired:
        return Result(None, "", f"no exit within {WAITS} s", WAITS)


def program(*args, **options):
    return run_limited([SHEAF, *args], **options)


def one_error(result, code, texts, case):
    errors = result.error_lines()
    checks.check(result.code == code and len(errors) == 1 and all(text in errors[0] for text in texts), case,
                 describe(result))


result = program("run", *STUDY, "--run.output=whole")
checks.check(result.code == 0, "the reference run succeeds", describe(result))
reference = results("whole")
put("data.csv", "1,2,a\n3,4,b\n" * 10)
numpy.savez("data.npz", features=numpy.zeros((4, 2), "f4"), targets=numpy.arange(4))
result = program("import", "data.csv", "data.h5")
checks.check(result.code == 0, "import of the data succeeds", describe(result))
EVALUATED = ["evaluate", "whole", f"--data.file={DIGITS}"]

# ---- Links

put("victim", "precious")
os.makedirs("outside")


def untouched(case):
    with open("victim") as file:
        checks.check(file.read() == "precious" and not os.listdir("outside"), f"{case}: files outside are unchanged",
                     str(os.listdir("outside")))


for name, target in (("journal/lock", "victim"), ("journal/lock", "absent"), ("journal", "outside"),
                     ("journal", "absent"), ("checkpoints", "outside"), ("models", "outside")):
    shutil.rmtree("run", ignore_errors=True)
    os.makedirs(os.path.dirname(f"run/{name}"))
    os.symlink(os.path.abspath(target), f"run/{name}")
    before = sorted(os.walk("run"))
    result = program("run", *STUDY, "--run.output=run")
    one_error(result, 1, [f"run/{name}'", "symbolic link"], f"a link {name} to {target}")
    untouched(f"a link {name} to {target}")
    checks.check(sorted(os.walk("run")) == before and not os.path.exists("absent"),
                 f"a link {name} to {target}: no new files",
                 f"{before} {sorted(os.walk('run'))}")

# Links with the names of temporary files (from before these were random), of attempts and of results.
shutil.rmtree("run", ignore_errors=True)
os.makedirs("run/models")
os.makedirs("run/checkpoints")
os.makedirs("run/journal")
for name in ("study.cfg", "results.csv", "results.h5", "models/iteration-0.pt", "models/best.txt", "checkpoints/0-0-0-0.0"):
    os.symlink(os.path.abspath("victim"), f"run/{name}.partial")
os.symlink(os.path.abspath("absent"), "run/study.cfg")
os.symlink(os.path.abspath("absent"), "run/results.csv")
os.symlink(os.path.abspath("absent"), "run/README.txt")
os.symlink(os.path.abspath("outside"), "run/journal/00001")
os.symlink(os.path.abspath("absent"), "run/journal/00002")
result = program("run", *STUDY, "--run.output=run")
checks.check(result.code == 0 and results("run") == reference,
             "links with names of temporary and result files: the run succeeds", describe(result))
checks.check(not any(os.path.islink(f"run/{name}") for name in ("study.cfg", "results.csv", "README.txt")),
             "links with names of result files are replaced")
untouched("links with names of temporary and result files")
checks.check(not os.path.exists("absent"), "the target of a dangling link is not created")

for args in (["import", "data.csv", "new.h5"], ["preprocess", "data.h5", "new.h5"],
             ["preprocess", "data.h5", "new.h5", "--compression=1"], [*EVALUATED, "--predictions=new.h5"]):
    os.symlink(os.path.abspath("victim"), "new.h5")
    os.symlink(os.path.abspath("victim"), "new.h5.partial")
    result = program(*args, "--overwrite=true", ranks=2)
    checks.check(result.code == 0 and not os.path.islink("new.h5") and h5py.is_hdf5("new.h5"),
                 f"output of {args} is a link",
                 describe(result))
    untouched(f"output of {args} is a link")
    os.remove("new.h5")
    os.remove("new.h5.partial")

os.makedirs("scratch")
os.symlink("scratch", "linked")
result = program("run", *STUDY, "--run.output=linked")
checks.check(result.code == 0 and results("scratch") == reference and os.path.islink("linked"),
             "run.output may be a link to a directory", describe(result))

# ---- FIFOs, directories and devices


def plant(kind, path):
    """Replaces whatever is at the path by a FIFO, a directory or a device."""
    if os.path.isdir(path) and not os.path.islink(path):
        shutil.rmtree(path)
    elif os.path.lexists(path):
        os.remove(path)
    if kind == "fifo":
        os.mkfifo(path)
    elif kind == "directory":
        os.makedirs(path)
    else:
        os.symlink("/dev/zero", path)


with h5py.File("virtual.h5", "w") as file:
    file["targets"] = numpy.arange(20) % 3
    layout = h5py.VirtualLayout((20, 3), "f4")
    layout[:] = h5py.VirtualSource("planted.h5", "features", (20, 3))
    file.create_virtual_dataset("features", layout)
with h5py.File("linking.h5", "w") as file:  # an external link to the planted file, and a group that is one
    file["targets"] = numpy.arange(20) % 3
    file["features"] = h5py.ExternalLink("planted.h5", "features")
    file["group"] = h5py.ExternalLink("planted.h5", "/")
with h5py.File("copied.h5", "w") as file:
    file["features"] = numpy.zeros((20, 3), "f4")
    file["more/link"] = h5py.ExternalLink("planted.h5", "x")
with h5py.File("source.h5", "w") as file:
    file["features"] = h5py.ExternalLink("planted.h5", "features")
with h5py.File("virtual_link.h5", "w") as file:
    file["targets"] = numpy.arange(20) % 3
    layout = h5py.VirtualLayout((20, 3), "f4")
    layout[:] = h5py.VirtualSource("source.h5", "features", (20, 3))
    file.create_virtual_dataset("features", layout)
with h5py.File("stored_outside.h5", "w") as file:
    file["targets"] = numpy.arange(20) % 3
    file.create_dataset("features", (20, 3), "f4", external=[("planted.h5", 0, 240)])
NAMES = {"fifo": "pipe", "directory": "directory", "device": "device"}
# Plans a study whose model is in the planted file.
LIBTORCH = ["plan", "models.cfg", f"--data.file={DIGITS}", "--run.device=cpu"]
put("models.cfg", "[data]\ntask = classification\n[model]\nkind = torchscript:planted.pt\n")
# (what is planted, path, arguments, exit code)
INPUTS = [
    ("a study file", "planted.cfg", ["run", "planted.cfg"], 2),
    ("a study file to plan", "planted.cfg", ["plan", "planted.cfg"], 2),
    ("a data file", "planted.h5", ["run", *NO_DATA, "--data.file=planted.h5", "--run.output=none"], 1),
    ("a data file to stream", "planted.h5", ["run", *NO_DATA, "--data.file=planted.h5", "--data.mode=streamed",
                                             "--run.output=none"], 1),
    ("a data file to evaluate on", "planted.h5", ["evaluate", "whole", "--data.file=planted.h5"], 1),
    ("the source of a virtual data set", "planted.h5", ["run", *NO_DATA, "--data.file=virtual.h5", "--run.output=none"],
     1),
    ("the target of a link", "planted.h5", ["run", *NO_DATA, "--data.file=linking.h5", "--run.output=none"], 1),
    ("the target of a linked group", "planted.h5", ["run", *NO_DATA, "--data.file=linking.h5",
                                                       "--data.features=group/features", "--run.output=none"], 1),
    ("the target of a link to preprocess", "planted.h5", ["preprocess", "linking.h5", "none.h5"], 1),
    ("the target of a link to copy", "planted.h5", ["preprocess", "copied.h5", "none.h5"], 1),
    ("the target of a link in a source file", "planted.h5", ["run", *NO_DATA, "--data.file=virtual_link.h5",
                                                        "--run.output=none"], 1),
    ("external storage", "planted.h5", ["run", *NO_DATA, "--data.file=stored_outside.h5", "--run.output=none"], 1),
    ("a CSV file", "planted.csv", ["import", "planted.csv", "none.h5", "--format=csv"], 1),
    ("the second CSV file", "planted.csv", ["import", "data.csv", "planted.csv", "none.h5", "--format=csv"], 1),
    ("a gzip file", "planted.csv.gz", ["import", "planted.csv.gz", "none.h5"], 1),
    ("a NumPy archive", "planted.npz", ["import", "planted.npz", "none.h5"], 1),
    ("a file to preprocess", "planted.h5", ["preprocess", "planted.h5", "none.h5"], 1),
    ("a model to evaluate", "planted.pt", ["evaluate", "planted.pt", f"--data.file={DIGITS}"], 1),
    ("a TorchScript module", "planted.pt", LIBTORCH, 1),
    ("a plugin", "planted.so", [*LIBTORCH, "--model.kind=plugin:planted.so"], 1),
    ("the list of best models", "damaged/models/best.txt", ["evaluate", "damaged", f"--data.file={DIGITS}", "--model=best"], 1),
    ("the ensemble of trials", "damaged/models/ensemble.json", ["evaluate", "damaged", f"--data.file={DIGITS}"], 1),
    ("a model of a run", "damaged/models/iteration-3.pt", ["evaluate", "damaged", f"--data.file={DIGITS}",
                                                           "--iteration=3"], 1),
    ("the study file of a run", "damaged/study.cfg", ["resume", "damaged"], 2),
    ("a journal", "damaged/journal/00001/00000.jsonl", ["resume", "damaged"], 1),
    ("predictions", "damaged/journal/00001/00000.predictions", ["resume", "damaged"], 1),
    ("a lock", "damaged/journal/lock", ["resume", "damaged"], 1),
    ("the lock of a task", "damaged/journal/lock-0-of-2", ["resume", "damaged", "--run.array=0/2"], 1),
    ("the lock of a new run", "fresh/journal/lock", ["run", *STUDY, "--run.output=fresh"], 1),
    ("run.output", "planted", ["run", *STUDY, "--run.output=planted"], 1),
    ("a parent of run.output", "planted", ["run", *STUDY, "--run.output=planted/run"], 1),
    ("the journal's directory", "fresh/journal", ["run", *STUDY, "--run.output=fresh"], 1),
    ("the checkpoints' directory", "fresh/checkpoints", ["run", *STUDY, "--run.output=fresh"], 1),
    ("the models' directory", "fresh/models", ["run", *STUDY, "--run.output=fresh"], 1),
    ("the output of import", "planted.h5", ["import", "data.csv", "planted.h5", "--overwrite=true"], 1),
    ("the output of preprocess", "planted.h5", ["preprocess", "data.h5", "planted.h5", "--overwrite=true"], 1),
    ("the predictions of evaluate", "planted.h5", [*EVALUATED, "--predictions=planted.h5", "--overwrite=true"], 1),
]
for case, path, args, code in INPUTS:
    for kind, name in NAMES.items():
        if kind != "fifo" and not EVERY_KIND:
            continue
        if kind == "directory" and (path == "planted" or path.startswith("fresh/") and "lock" not in path):
            continue  # a directory is valid there
        if kind == "directory" and case == "a model to evaluate":
            continue  # a directory is a run directory
        for directory in ("damaged", "fresh"):
            shutil.rmtree(directory, ignore_errors=True)
        shutil.copytree("whole", "damaged")
        os.makedirs(f"{os.path.dirname(path) or '.'}", exist_ok=True)
        plant(kind, path)
        if kind == "device" and (path.startswith("fresh/") or "lock" in path):
            name = "symbolic link"  # not followed at these paths
        one_error(program(*args), code, [os.path.basename(path), name if "run.output" not in case else "'"],
                     f"{kind} as {case}")
        checks.check(not any(os.path.lexists(left) for left in ("none", "none.h5")),
                     f"{kind} as {case}: no output file")
        if os.path.lexists(path):
            plant("fifo", path)
            os.remove(path)
        else:
            checks.check(False, f"{kind} as {case}: the planted file is not removed")

# A FIFO, directory or device with the name of a checkpoint: the iteration restarts.
for kind in NAMES:
    shutil.rmtree("damaged", ignore_errors=True)
    shutil.copytree("whole", "damaged")
    for name in ("results.csv", "results.h5", "journal"):
        (shutil.rmtree if name == "journal" else os.remove)(f"damaged/{name}")
    os.makedirs("damaged/checkpoints")
    plant(kind, "damaged/checkpoints/0-0-1-1.0")
    result = program("resume", "damaged")
    checks.check(result.code == 0 and results("damaged") == reference, f"{kind} as a checkpoint: same results",
                 describe(result))

# Only one of two ranks finds the planted file.
for path, args, code in (("planted.cfg", ["run", "planted.cfg"], 2),
                         ("planted.h5", ["run", *NO_DATA, "--data.file=/proc/self/cwd/planted.h5", "--run.output=none"], 1),
                         ("planted.pt", ["evaluate", "planted.pt", f"--data.file={DIGITS}"], 1)):
    for kind, name in NAMES.items():
        if kind == "directory" and not EVERY_KIND:
            continue
        for directory in ("good", "bad"):
            shutil.rmtree(directory, ignore_errors=True)
            os.makedirs(directory)
        good = {"planted.cfg": STUDY[0], "planted.h5": DIGITS, "planted.pt": "whole/models/iteration-3.pt"}[path]
        shutil.copy(good, f"good/{path}")
        if kind == "directory" and path == "planted.pt":
            continue
        plant(kind, f"bad/{path}")
        for first, second in (("good", "bad"), ("bad", "good")):
            line = one_rank_each(*(["env", "-C", folder, SHEAF, *args] for folder in (first, second)))
            one_error(run_limited(line), code, [path, name], f"{kind} as {path} in {second} of two ranks")
sys.exit(checks.finish())
