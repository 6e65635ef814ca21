"""Image layouts: runs, plans, evaluations, imports and preprocessing see rows [C, H, W] and [H, W, C] alike; a layout
that nothing decides is refused for models of images, on any number of ranks."""

import os
import shutil
import sys

import h5py
import numpy

from program import Checks, read_csv, sheaf

checks = Checks()
shutil.rmtree("images", ignore_errors=True)
os.makedirs("images")
os.chdir("images")
random = numpy.random.default_rng(7)
PHOTOS = random.integers(0, 256, size=(120, 3, 8, 8), dtype="u1")
DEEP = random.random((120, 5, 8, 6), dtype="f4")  # five channels: no rule knows them
LABELS = numpy.arange(120) % 3


def write(name, features, channels=None):
    with h5py.File(name, "w") as file:
        file["features"], file["targets"] = features, LABELS
        if channels is not None:
            file["features"].attrs["channels"] = channels


def last(features):
    return features.transpose(0, 2, 3, 1)


write("first.h5", PHOTOS)
write("last.h5", last(PHOTOS))
write("deep.h5", DEEP)
write("deep_last.h5", last(DEEP))
write("marked.h5", DEEP, "first")
write("marked_last.h5", last(DEEP), numpy.bytes_("last"))
write("wrong.h5", PHOTOS, "NCHW")
write("counted.h5", PHOTOS, 3)
with open("study.cfg", "w") as file:
    file.write("""
[data]
file = first.h5
task = classification
validation = 0.25
[model]
kind = cnn
channels = 4
hidden = 8
[train]
epochs = 2
loss = cross_entropy
[run]
device = cpu
models = all
""")


def train(name, *args):
    """Trains a new run; returns its losses."""
    shutil.rmtree(name, ignore_errors=True)
    result = sheaf("run", "study.cfg", f"--run.output={name}", *args)
    checks.check(result.code == 0, f"{name} is trained", result.stderr)
    if result.code != 0:
        return None, result
    row, = read_csv(f"{name}/results.csv")
    return (row["final_loss"], row["validation_loss"]), result


def stored_channels(name):
    with open(f"{name}/study.cfg") as file:
        data = file.read().partition("[data]")[2].partition("\n[")[0]
    return [line.split(" = ")[1] for line in data.splitlines() if line.startswith("channels = ")]


def refused(case, code, message, *args):
    for ranks in (None, 3):
        result = sheaf(*args, ranks=ranks)
        checks.check(result.code == code and message in result.stderr and len(result.error_lines()) == 1,
                     f"{case}, {ranks or 1} ranks: exit code {code} and '{message}'", f"{result.code} {result.stderr}")


# ---- Runs and plans

losses, result = train("first")
checks.check("rows: images, 3 channels x 8 x 8 (channels first)" in result.stderr, "the log names the layout",
             result.stderr)
checks.check(stored_channels("first") == ["first"], "the layout is stored with the run", stored_channels("first"))
for name, args, file, channels in (
        ("last", [], "last.h5", "last"),
        ("stated", ["--data.channels=last"], "last.h5", "last"),
        ("image", ["--data.image=3x8x8"], "last.h5", "last"),
        ("streamed", ["--data.mode=streamed", "--data.memory=1", "--train.shuffle=no"], "last.h5", "last"),
        ("counted", [], "counted.h5", "first")):
    expected = losses if name != "streamed" else train("streamed_first", *args)[0]
    found, result = train(name, f"--data.file={file}", *args)
    checks.check(found == expected, f"{name}: losses do not depend on the layout", f"{found}, not {expected}")
    checks.check(stored_channels(name) == [channels], f"{name}: the layout is stored", stored_channels(name))
vectors, _ = train("vectors", "--model.kind=linear", "--model.channels=none", "--model.hidden=none")
found, _ = train("vectors_last", "--model.kind=linear", "--model.channels=none", "--model.hidden=none",
                 "--data.file=last.h5")
checks.check(found == vectors, "linear models train on the same features in both layouts", f"{found}, not {vectors}")
deep, _ = train("deep", "--data.file=deep.h5", "--data.channels=first")
for file in ("marked.h5", "marked_last.h5"):
    found, _ = train("marked", f"--data.file={file}")
    checks.check(found == deep, f"{file}: the attribute decides", f"{found}, not {deep}")
train("uncertain", "--data.file=deep.h5", "--model.kind=linear", "--model.channels=none", "--model.hidden=none")
for file, row in (("last.h5", "rows         images, 3 channels x 8 x 8 (channels last)"),
                  ("marked.h5", "rows         images, 5 channels x 8 x 6 (channels first)")):
    result = sheaf("plan", "study.cfg", f"--data.file={file}", ranks=2)
    checks.check(result.code == 0 and row in result.stdout, f"{file}: the plan names the layout", result.stdout)
for args, row in (([], "network      resnet18: small stem, 3x3 with stride 1"),
                  (["--model.stem=imagenet"], "network      resnet18: imagenet stem, 7x7 with stride 2 and max pooling")):
    result = sheaf("plan", "study.cfg", "--model.kind=resnet18", "--model.channels=none", "--model.hidden=none", *args)
    checks.check(row in result.stdout, f"{args}: the plan names the stem", result.stdout + result.stderr)
os.remove("last/results.csv")
os.remove("last/results.h5")
result = sheaf("resume", "last")
checks.check(result.code == 0, "a run with a settled layout is resumed", result.stderr)
checks.check(sheaf("resume", "last", "--data.channels=first").code == 2, "with another layout it is not")

refused("no layout", 1, "deep.h5' does not show which dimension is the channels (neither the second nor the last is 1 "
        "to 4). Set data.channels to first or last", "run", "study.cfg", "--run.output=new", "--data.file=deep.h5")
refused("contradiction", 1, "data.channels = last contradicts the attribute 'channels'", "run", "study.cfg",
        "--run.output=new", "--data.file=marked.h5", "--data.channels=last")
refused("wrong attribute", 1, "is 'NCHW' (it must be 'first' or 'last')", "run", "study.cfg", "--run.output=new",
        "--data.file=wrong.h5")
refused("wrong image", 1, "are not images of 3x8x8 with channels first, but with channels last", "run", "study.cfg",
        "--run.output=new", "--data.file=last.h5", "--data.channels=first", "--data.image=3x8x8")
checks.check(not os.path.exists("new"), "a refused run writes nothing")

# ---- Evaluation: the model knows its images


def evaluated(model, file, *args):
    result = sheaf("evaluate", model, f"--data.file={file}", "--output=json", *args)
    return result.stdout.split('"seconds"')[0].replace(file, "") if result.code == 0 else result.stderr


for model, files in (("first", ("first.h5", "last.h5")), ("deep", ("deep.h5", "deep_last.h5", "marked_last.h5")),
                     ("vectors", ("first.h5", "last.h5"))):
    reports = [evaluated(f"{model}/models/iteration-0.pt", file) for file in files]
    checks.check('"loss"' in reports[0] and reports.count(reports[0]) == len(reports),
                 f"{model}: equal evaluations of both layouts", reports)
refused("layout that is not the model's", 1, "are not images of 3x8x8 with channels first, but with channels last",
        "evaluate", "first/models/iteration-0.pt", "--data.file=last.h5", "--data.channels=first")
try:
    import torch
except ImportError:
    torch = None
if torch:
    torch.jit.script(torch.nn.Sequential(torch.nn.Flatten(), torch.nn.Linear(192, 3))).save("own.pt")
    checks.check(evaluated("own.pt", "first.h5") == evaluated("own.pt", "last.h5"),
                 "a TorchScript file gets channels first from both layouts")
    torch.jit.script(torch.nn.Sequential(torch.nn.Flatten(), torch.nn.Linear(240, 3))).save("five.pt")
    refused("TorchScript file without a layout", 1, "does not show which dimension is the channels", "evaluate",
            "five.pt", "--data.file=deep.h5")

# ---- Preprocessing stores the attribute, and reads it


def preprocessed(*args):
    result = sheaf("preprocess", *args, "--overwrite=true")
    checks.check(result.code == 0, f"preprocess {args} succeeds", result.stderr)
    if result.code != 0:
        return None
    with h5py.File(args[1]) as file:
        return file["features"][:], file["features"].attrs.get("channels")


for args, features, channels in (
        (("last.h5", "out.h5", "--channels=first"), PHOTOS, "first"),
        (("first.h5", "out.h5", "--channels=last", "--compression=1"), last(PHOTOS), "last"),
        (("marked_last.h5", "out.h5", "--channels=first"), DEEP, "first"),
        (("deep.h5", "out.h5", "--layout=first"), DEEP, "first"),
        (("deep.h5", "out.h5", "--cast=float64"), DEEP, None),
        (("deep.h5", "out.h5", "--layout=first", "--channels=last"), last(DEEP), "last")):
    found = preprocessed(*args)
    checks.check(found and numpy.array_equal(found[0], features) and found[1] == channels,
                 f"{args}: features and attribute", found and (found[0].shape, found[1]))
found, _ = train("preprocessed", "--data.file=out.h5")
checks.check(found == deep, "a run sees the layout of a preprocessed file", f"{found}, not {deep}")
refused("layout against the attribute", 1, "--layout = last contradicts the attribute 'channels'", "preprocess",
        "marked.h5", "new.h5", "--layout=last", "--channels=first")

sys.exit(checks.finish())
