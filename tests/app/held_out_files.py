"""Validation rows and test rows in files of their own (data.validation_file, data.test_file): by the real program, compared
with one file that has all rows, with PyTorch, on any number of ranks, and after a kill."""

import json
import os
import shutil
import sys

import h5py
import numpy
import torch

from program import SHEAF, Checks, Started, journaled, read_csv, sheaf

checks = Checks()
shutil.rmtree("runs", ignore_errors=True)
KEYS = ["--run.device=cpu", "--run.progress=none"]
SAME = ["trial", "repeat", "fold", "member", "seed", "status", "final_loss", "validation_loss"]


def write(name, attributes=None, **arrays):
    with h5py.File(name, "w") as file:
        for key, values in arrays.items():
            file[key] = values
        for (data_set, key), value in (attributes or {}).items():
            file[data_set].attrs[key] = value


def rows(directory, columns=None):
    return [[row.get(name, "") for name in columns or SAME] for row in read_csv(f"runs/{directory}/results.csv")]


def summary(directory):
    with open(f"runs/{directory}/summary.json") as file:
        return json.load(file)


def run(directory, data, *keys, ranks=None):
    return sheaf("run", data, f"--run.output=runs/{directory}", *KEYS, *keys, ranks=ranks)


def without_folder(text):
    return text.replace(os.getcwd() + "/", "")


def refused(name, code, text, data, *keys):
    result = run("refused", data, *keys)
    said = without_folder(result.stderr).replace("\n", " ")
    checks.check(result.code == code and text in said, name, result.stderr)
    checks.check(not os.path.exists("runs/refused"), f"{name}: nothing is written")
    shutil.rmtree("runs/refused", ignore_errors=True)


random = numpy.random.default_rng(5)
features = random.normal(size=(600, 6)).astype("f4")
label = (features @ random.normal(size=(6, 3))).argmax(1)
number = (features[:, 0] * features[:, 1] + 0.1 * random.normal(size=600)).astype("f4")
PARTS = {"train.h5": slice(0, 400), "valid.h5": slice(400, 520), "test.h5": slice(520, 600)}
for name, part in PARTS.items():
    write(name, features=features[part], targets=label[part])
    write("numbers-" + name, features=features[part], targets=number[part])
FILES = ["--data.validation_file=valid.h5", "--data.test_file=test.h5"]
NUMBERS = ["--data.validation_file=numbers-valid.h5", "--data.test_file=numbers-test.h5"]

# One file with the same rows, whose folds are the validation rows and the training rows.
SHORT = ["--train.epochs=4", "--train.batch_size=32"]
for kind, target, files in [("classes", label, FILES), ("numbers", number, NUMBERS)]:
    write(f"one-{kind}.h5", features=features[:520], targets=target[:520], folds=(numpy.arange(520) < 400).astype("i4"))
    prefix = "" if kind == "classes" else "numbers-"
    for directory, ranks in [(kind, None), (f"{kind}-2", 2), (f"{kind}-3", 3)]:
        result = run(directory, prefix + "train.h5", *files, *SHORT, "--study.iterations=3", "--run.metrics=" +
                     ("log_loss" if kind == "classes" else "mae"), ranks=ranks)
        checks.check(result.code == 0 and "error" not in result.stderr and "warning" not in result.stderr,
                     f"{directory}: the run succeeds", result.stderr)
        checks.check(rows(directory) == rows(kind) and summary(directory)["test"] == summary(kind)["test"],
                     f"{directory}: the same results on any number of ranks")
    result = run(f"one-{kind}", f"one-{kind}.h5", *SHORT, "--search.repeats=3")
    losses = [row for row in rows(f"one-{kind}", ["fold", "seed", "final_loss", "validation_loss"]) if row[0] == "0"]
    checks.check(result.code == 0 and len(losses) == 3
                 and [row[1:] for row in losses] == rows(kind, ["seed", "final_loss", "validation_loss"]),
                 f"{kind}: the losses are those of one file with the validation rows as fold 0",
                 f"{losses} {rows(kind)} {result.stderr}")

# The test score is that of the saved model on the rows of the file.
for kind, prefix in [("classes", ""), ("numbers", "numbers-")]:
    described = summary(kind)
    model = torch.jit.load(f"runs/{kind}/{described['best']['models'][0]}")
    part = PARTS["test.h5"]
    with torch.no_grad():
        outputs = model(torch.from_numpy(features[part])).double()
    test = described["test"]
    if kind == "classes":
        loss = torch.nn.functional.cross_entropy(outputs, torch.from_numpy(label[part])).item()
        expected = {"accuracy": (outputs.argmax(1).numpy() == label[part]).mean()}
    else:
        error = outputs.numpy()[:, 0] - number[part]
        loss, expected = (error ** 2).mean(), {"mae": abs(error).mean()}
    close = abs(test["loss"] - loss) < 1e-5 and all(abs(test["metrics"][name] - value) < 1e-5
                                                    for name, value in expected.items())
    checks.check(test["rows"] == 80 and close, f"{kind}: the test score", f"{test} {loss} {expected}")
    with torch.no_grad():
        outputs = model(torch.from_numpy(features[PARTS['valid.h5']])).double()
    best = min(float(row[0]) for row in rows(kind, ["validation_loss"]))
    loss = (torch.nn.functional.cross_entropy(outputs, torch.from_numpy(label[PARTS["valid.h5"]])).item()
            if kind == "classes" else ((outputs.numpy()[:, 0] - number[PARTS["valid.h5"]]) ** 2).mean())
    checks.check(abs(best - loss) < 1e-5, f"{kind}: the validation loss", f"{best} {loss}")
    data = described["data"]
    checks.check(data["rows"] == 400 and data["validation_file"]["rows"] == 120 and data["test_file"]["rows"] == 80
                 and data["test_file"]["file"].endswith(prefix + "test.h5"), f"{kind}: the summary names the files",
                 str(data))
    with open(f"runs/{kind}/README.txt") as file:
        text = file.read()
    checks.check(f"{prefix}valid.h5\n             120 rows" in text and f"{prefix}test.h5\n             80 rows" in text,
                 f"{kind}: README.txt names the files", text)

# Neither the scaling nor the training sees the rows that are held out.
for name, rest in [("valid.h5", "test.h5"), ("test.h5", "valid.h5")]:
    part = PARTS[name]
    write("far.h5", features=50 + 9 * features[part], targets=label[part])
    changed = [key if name not in key else key.replace(name, "far.h5") for key in FILES]
    run("far", "train.h5", *changed, *SHORT, "--study.iterations=3", "--run.metrics=log_loss")
    columns = ["final_loss"] if name == "valid.h5" else SAME
    checks.check(rows("far", columns) == rows("classes", columns)
                 and (name == "valid.h5" or summary("far")["test"]["loss"] != summary("classes")["test"]["loss"]),
                 f"no training uses the rows of {name}", str(rows("far", columns)))
    shutil.rmtree("runs/far")

# Defaults: early stopping by the validation rows. Each file alone.
big = random.normal(size=(900, 6)).astype("f4")
write("big.h5", features=big, targets=(big[:, 0] > big[:, 1]).astype("u1"))
result = run("early", "train.h5", "--data.validation_file=big.h5")
checks.check(result.code == 0, "a run with defaults", result.stderr)
checks.check("train.patience = 20" in result.stderr and "data.validation = " not in result.stderr,
             "the epochs are compared by the validation file", result.stderr)
result = run("validated", "train.h5", FILES[0], *SHORT)
checks.check(result.code == 0 and rows("validated", ["validation_loss"])[0] == rows("classes", ["validation_loss"])[0]
             and "test" not in summary("validated"), "a validation file alone", result.stderr)
result = run("tested", "train.h5", FILES[1], *SHORT, "--search.folds=3")
checks.check(result.code == 0 and len(rows("tested")) == 3 and summary("tested")["test"]["rows"] == 80,
             "a test file with folds", result.stderr)
result = run("fraction", "train.h5", FILES[0], *SHORT, "--data.test=0.25")
checks.check(result.code == 0 and summary("fraction")["test"]["rows"] == 100, "a validation file and test rows of the data "
             "file", result.stderr)
write("groups.h5", features=features[:400], targets=label[:400], groups=numpy.arange(400) // 8)
result = run("grouped", "groups.h5", FILES[1], *SHORT, "--search.folds=3", "--ensemble.members=2",
             "--ensemble.bootstrap=true", ranks=2)
checks.check(result.code == 0 and "rows of the same group" in result.stderr and summary("grouped")["test"]["rows"] == 80,
             "a test file with groups, bootstraps and ensembles", result.stderr)
write("weights.h5", features=features[:400], targets=label[:400], weights=numpy.ones(400))
result = run("weighted", "weights.h5", *FILES, *SHORT, "--data.weights=weights", "--study.iterations=3")
checks.check(result.code == 0 and rows("weighted") == rows("classes"), "weights are those of the training rows",
             result.stderr)
write("more.h5", features=features[:400], targets=label[:400], weights=numpy.arange(400) % 3)
result = run("refused", "more.h5", *FILES, *SHORT, "--data.weights=weights", "--search.weighted=true", ranks=2)
checks.check(result.code == 1 and "valid.h5', but it has no data set 'weights'" in result.stderr
             and not os.path.exists("runs/refused"), "missing weights of validation rows", result.stderr)
with h5py.File("valid.h5") as file:
    of_rows = numpy.arange(len(file["features"])) % 4
    write("weighted.h5", features=file["features"][:], targets=file["targets"][:], weights=of_rows)
for ranks in (None, 2):
    shutil.rmtree("runs/counted", ignore_errors=True)
    result = run("counted", "more.h5", "--data.validation_file=weighted.h5", *SHORT, "--data.weights=weights",
                 "--search.weighted=true", "--run.predictions=held_out", "--run.metrics=accuracy", ranks=ranks)
    with h5py.File("runs/counted/results.h5") as file:
        kept, found = file["predictions"][:], file["iterations"][0]
    kept = kept[kept["iteration"] == 0]
    right = numpy.average(kept["probabilities"].argmax(axis=1) == kept["target"], weights=of_rows[kept["row"]])
    checks.check(abs(found["accuracy"] - right) < 1e-6, "weights of a validation file", f"{found['accuracy']} {right}")
result = sheaf("plan", "train.h5", *FILES)
checks.check(result.code == 0 and "400 rows x 6 features" in result.stdout
             and "validation: 120 rows of 'valid.h5'; test: 80 rows of 'test.h5'" in result.stdout, "plan names the files",
             result.stdout + result.stderr)

# A kill, a resume, moved files, an array of jobs; changed files are refused.
LONG = ["--study.iterations=40", "--train.epochs=40", "--run.lanes=1"]
result = run("whole", "train.h5", *FILES, *LONG)
job = Started([SHEAF, "run", "train.h5", "--run.output=runs/killed", *KEYS, *FILES, *LONG])
checks.check(job.creep_until(lambda: len(journaled("runs/killed")) > 3), "a run trains")
job.kill()
os.makedirs("moved", exist_ok=True)
write("moved/valid.h5", features=features[PARTS["test.h5"]], targets=label[PARTS["test.h5"]])
changed = sheaf("resume", "runs/killed", "--data.validation_file=moved/valid.h5", "--data.test_file=valid.h5")
checks.check(changed.code != 0 and "data" in changed.stderr, "other files are refused", changed.stderr)
shutil.copy("valid.h5", "moved/valid.h5")
shutil.copy("test.h5", "moved/test.h5")
result = sheaf("resume", "runs/killed", "--data.validation_file=moved/valid.h5", "--data.test_file=moved/test.h5", ranks=2)
checks.check(result.code == 0 and rows("killed") == rows("whole") and summary("killed")["test"] == summary("whole")["test"],
             "a killed run is resumed with moved files", result.stderr)
for task in (0, 1):
    result = run("array", "train.h5", *FILES, *LONG, f"--run.array={task}/2")
checks.check(result.code == 0 and rows("array") == rows("whole"), "a job array", result.stderr)

# Bad input
X, Y = features[400:], label[400:]
LIKE = "`sheaf import --like=train.h5` creates such files."


def differs(name, text, base="train.h5", attributes=None, **arrays):
    write("other.h5", attributes, **{"features": X, "targets": Y, **arrays})
    for key in ("validation", "test"):
        refused(f"{name}, {key}", 1, text, base, f"--data.{key}_file=other.h5")


differs("features", f"'other.h5' does not have the columns of 'train.h5' (it has 5 features per row, not 6). {LIKE}",
        features=X[:, :5])
differs("images", "(it has images of 1 x 2 x 3, channels first, not no images)", features=X.reshape(-1, 1, 2, 3))
differs("bytes", "(its features are unsigned bytes)", features=abs(X).astype("u1"))
differs("classes", "contains 3 in row 2 ('train.h5' has the labels 0 to 2)", targets=numpy.where(numpy.arange(200) == 2, 3, Y))
differs("targets", "(it has 2 target columns, not 1)", targets=numpy.stack([Y, Y + 1], 1))
differs("texts", "(its targets are texts, not numbers)", targets=numpy.array(["a", "b", "c"], "S")[Y])
text_labels = numpy.array(["ant", "bee", "cow"], "S")
write("texts.h5", features=features[:400], targets=text_labels[label[:400]])
differs("text classes", "contains 'cat', which is not a class of 'texts.h5'", "texts.h5",
        targets=numpy.where(Y == 2, b"cat", text_labels[Y]))
write("other.h5", features=X, targets=numpy.array(["ant", "cow"], "S")[Y % 2])
result = run("fewer", "texts.h5", "--data.validation_file=other.h5", *SHORT)
checks.check(result.code == 0, "classes without validation rows", result.stderr)
names = {("features", "columns"): json.dumps(list("abcdef")), ("targets", "class_names"): ["x", "y", "z"]}
with open("named.csv", "w") as file:
    file.write("a,b,c,d,e,f,kind\n" + "".join(",".join(map(str, row)) + f",{text}\n" for row, text in zip(
        features[:400].tolist(), ["x", "y", "z"] * 133 + ["x"])))
with open("named-2.csv", "w") as file:
    file.write("a,c,b,d,e,f,kind\n" + "".join(",".join(map(str, row)) + f",{text}\n" for row, text in zip(
        features[400:].tolist(), ["x", "y"] * 100)))
for source, output, keys in [("named.csv", "named.h5", []), ("named-2.csv", "named-2.h5", []),
                             ("named-2.csv", "like.h5", ["--like=named.h5"])]:
    result = sheaf("import", source, output, "--overwrite", *keys)
    checks.check(result.code == 0, f"import of {output}", result.stderr)
refused("names of columns", 1, "(its column 1 is 'c', not 'b'). `sheaf import --like=named.h5`", "named.h5",
        "--data.validation_file=named-2.h5")
result = run("like", "named.h5", "--data.validation_file=like.h5", *SHORT)
checks.check(result.code == 0, "a file that was imported with --like", result.stderr)
with open("texts.csv", "w") as file:
    file.write("city,time,kind\n" + "".join(f"{'Oslo Rome Bern'.split()[i % 3]},{1.7e9 + 60 * i},{'xyz'[i % 3]}\n"
                                           for i in range(300)))
with open("texts-2.csv", "w") as file:
    file.write("time,kind,city\n" + "".join(f"{1.8e9 + 61 * i},{'xy'[i % 2]},{'Rome Oslo'.split()[i % 2]}\n"
                                           for i in range(60)))
sheaf("import", "texts.csv", "city.h5", "--label=kind", "--overwrite")
sheaf("import", "texts-2.csv", "city-2.h5", "--label=kind", "--overwrite")
sheaf("import", "texts-2.csv", "city-like.h5", "--label=kind", "--overwrite", "--like=city.h5")
refused("columns of texts", 1, "'city-2.h5' does not have the columns of 'city.h5' (its column 0 is 'time', not 'city')",
        "city.h5", "--data.test_file=city-2.h5")
result = run("city", "city.h5", "--data.test_file=city-like.h5", *SHORT)
checks.check(result.code == 0 and summary("city")["test"]["rows"] == 60, "texts and offsets, imported with --like",
             result.stderr)
evaluated = json.loads(sheaf("evaluate", "runs/city", "--data.file=city-like.h5", "--output=json", "--run.device=cpu").stdout)
checks.check(abs(evaluated["loss"] - summary("city")["test"]["loss"]) < 1e-6 * evaluated["loss"],
             "the test is that of sheaf evaluate", f"{evaluated} {summary('city')['test']}")

# Offsets of the training file apply to all files, and empty cells are filled with its medians.
times = numpy.stack([1.7e9 + 3600.0 * numpy.arange(600), numpy.arange(600) % 7], 1)
times[random.integers(0, 600, 60), 1] = numpy.nan
for name, part in PARTS.items():
    write("times-" + name, features=times[part], targets=1e6 + numpy.sin(numpy.arange(600.0))[part])
result = run("times", "times-train.h5", "--data.validation_file=times-valid.h5", "--data.test_file=times-test.h5", *SHORT)
evaluated = [json.loads(sheaf("evaluate", "runs/times", f"--data.file=times-{name}.h5", "--output=json",
                              "--run.device=cpu").stdout)["loss"] for name in ("valid", "test")]
found = [float(rows("times", ["validation_loss"])[0][0]), summary("times")["test"]["loss"]]
checks.check(result.code == 0 and all(abs(a - b) < 1e-5 * abs(b) for a, b in zip(found, evaluated)),
             "offsets and empty cells", f"{found} {evaluated} {result.stderr}")

write("overlap.h5", features=features[500:600], targets=label[500:600])
refused("test rows in the validation file", 1, "20 rows of 'overlap.h5' are also in 'valid.h5'", "train.h5",
        "--data.validation_file=valid.h5", "--data.test_file=overlap.h5")
write("overlap.h5", features=features[397:420], targets=label[397:420])
result = run("overlap", "train.h5", "--data.validation_file=overlap.h5", *SHORT, ranks=3)
checks.check(result.code == 0 and "3 rows of 'train.h5' are also in 'overlap.h5'" in without_folder(result.stderr),
             "training rows in the validation file", result.stderr)
for key, value in [("data.validation", "0.2"), ("search.folds", "3"), ("data.time", "file_order"), ("data.groups", "g")]:
    refused(f"a validation file and {key}", 2, f"data.validation_file = valid.h5 cannot be combined with {key} = {value}",
            "train.h5", FILES[0], f"--{key}={value}")
refused("a validation file and groups of the file", 2, "cannot be combined with the data set '/groups' of 'groups.h5'",
        "groups.h5", FILES[0])
refused("two kinds of test rows", 2, "data.test_file = test.h5 cannot be combined with data.test = 0.2", "train.h5",
        FILES[1], "--data.test=0.2")
refused("streamed", 2, "data.test_file = test.h5 needs rows in memory, but data.mode = streamed.", "train.h5", FILES[1],
        "--data.mode=streamed")
refused("synthetic", 2, "data.test_file = test.h5 has no effect (data.source = synthetic)", "train.h5", FILES[1],
        "--data.source=synthetic")
refused("no models", 2, "data.test_file = test.h5 needs the best model", "train.h5", FILES[1], "--run.models=none")
refused("a missing file", 1, "none.h5", "train.h5", "--data.validation_file=none.h5")
wide = random.normal(size=(20000, 20)).astype("f4")
write("wide.h5", features=wide, targets=numpy.arange(20000) % 2)
write("narrow.h5", features=wide[:1000] + 1, targets=numpy.arange(1000) % 2)
refused("too large together", 1, "does not fit into memory with data.validation_file and data.test_file", "narrow.h5",
        "--data.test_file=wide.h5", "--data.memory=1")

sys.exit(checks.finish())
