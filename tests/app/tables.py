"""Tables: empty cells, numbers that 32-bit floating point cannot tell apart, texts, and files of version 0.7."""

import json
import os
import shutil
import sys

import h5py
import numpy

from program import SOURCE, Checks, read_csv, sheaf

checks = Checks()
shutil.rmtree("tables", ignore_errors=True)
os.makedirs("tables")
os.chdir("tables")
random = numpy.random.default_rng(1)
ADAM = ["--train.optimizer=adam", "--train.learning_rate=0.05"]
QUIET = ["--model.kind=linear", "--run.progress=none", "--run.device=cpu"]
LINEAR = [*QUIET, "--train.epochs=30"]


def write(path, features, targets, **options):
    with h5py.File(path, "w") as file:
        file.create_dataset("features", data=features, **options)
        file.create_dataset("targets", data=targets)


def run(data, output, *args, ranks=None):
    result = sheaf("run", data, f"--run.output={output}", *LINEAR, *args, ranks=ranks)
    checks.check(result.code == 0, f"{output}: trained", result.stderr)
    return result


def losses(run):
    with open(f"{run}/summary.json") as file:
        best = json.load(file)["best"]
    return best["mean_final_loss"], best.get("mean_validation_loss")


def evaluate(model, data, *args, ranks=None):
    result = sheaf("evaluate", model, f"--data.file={data}", "--output=json", *args, ranks=ranks)
    checks.check(result.code == 0, f"{model} is evaluated on {data}", result.stderr)
    return (json.loads(result.stdout) if result.code == 0 else {}), result.stderr


def predicted(model, data, *args):
    result = sheaf("predict", model, data, "predicted.h5", "--overwrite=true", *args)
    checks.check(result.code == 0, f"{model} predicts {data}", result.stderr)
    with h5py.File("predicted.h5") as file:
        return file["values" if "values" in file else "probabilities"][:], result.stderr


def close(found, wanted, tolerance):
    return numpy.shape(found) == numpy.shape(wanted) and numpy.allclose(found, wanted, rtol=0, atol=tolerance)


# ---- Empty cells: filled by the training rows, in memory and streamed, by all engines, in Python

rows = 600
full = random.normal(size=(rows, 4)).astype("f4") * [1, 10, 1, 1] + [0, 100, 0, 0]
targets = full @ [1, 0.1, -1, 2] + random.normal(size=rows) * 0.1
holes = full.astype("f4")
holes[random.random((rows, 4)) < 0.1] = numpy.nan
holes[:, 3] = full[:, 3]
write("holes.h5", holes, targets.astype("f4"), chunks=(50, 4))
count = int(numpy.isnan(holes).sum())
filled = numpy.where(numpy.isnan(holes), numpy.nanmedian(holes, axis=0), holes).astype("f4")
write("filled.h5", filled, targets.astype("f4"), chunks=(50, 4))

result = run("holes.h5", "holes", "--data.validation=0")
checks.check(f"{count} empty cells in 3 columns are filled with the median of the training rows" in result.stderr,
             "the run names the rule for empty cells", result.stderr)
run("holes.h5", "holes2", "--data.validation=0", ranks=2)
run("holes.h5", "torch", "--data.validation=0", "--run.engine=torch")
run("holes.h5", "none", "--data.validation=0", "--data.normalize=none")
run("holes.h5", "streamed", "--data.validation=0", "--data.mode=streamed", "--data.memory=1", "--train.shuffle=no")
run("holes.h5", "memory", "--data.validation=0", "--train.shuffle=no")
run("holes.h5", "streamed_none", "--data.validation=0", "--data.mode=streamed", "--data.memory=1",
    "--data.normalize=none", "--train.shuffle=no")
checks.check(losses("holes") == losses("holes2"), "losses are the same on 2 ranks")
checks.check(close(losses("torch")[0], losses("holes")[0], 1e-4), "both engines fill in the same way", losses("torch"))
checks.check(close(losses("streamed")[0], losses("memory")[0], 1e-4), "streamed data are filled in the same way")
checks.check(numpy.isfinite(losses("none")[0]) and numpy.isfinite(losses("streamed_none")[0]), "without scaling, too")
report, note = evaluate("holes", "holes.h5")
checks.check(f"{count} empty cells were filled with the values that the model has for them" in note,
             "the evaluation counts the filled cells", note)
checks.check(close(report["loss"], evaluate("holes", "filled.h5")[0]["loss"], 1e-6), "the same loss as the filled file")
checks.check(close(report["loss"], losses("holes")[0], 0.2), "the loss is near that of the training", report)
checks.check(evaluate("holes", "holes.h5", ranks=2)[0]["loss"] == report["loss"], "the same on 2 ranks")
checks.check(close(evaluate("holes", "holes.h5", "--run.engine=torch")[0]["loss"], report["loss"], 1e-5),
             "the same by LibTorch")
numpy.save("holes.npy", holes)
checks.check((predicted("holes", "holes.npy")[0] == predicted("holes", "holes.h5")[0]).all(), "NumPy files, too")
write("no_holes.h5", full.astype("f4"), targets.astype("f4"))
run("no_holes.h5", "standard", "--data.normalize=standard")
result = sheaf("evaluate", "standard", "--data.file=holes.h5", ranks=3)
checks.check(result.code == 1 and len(result.error_lines()) == 1 and "has an empty cell (NaN) in row" in result.stderr
             and "has no value for empty cells of this column" in result.stderr,
             "without a value for an empty cell, it is an error", result.stderr)
images = random.normal(size=(60, 1, 6, 6)).astype("f4")
images[7, 0, 2, 3] = numpy.nan
write("images.h5", images, random.integers(0, 2, 60))
result = sheaf("run", "images.h5", "--run.output=images", *LINEAR)
checks.check(result.code == 1 and "contains nan in row 7" in result.stderr, "in images NaN is an error", result.stderr)
holes[5, 1] = numpy.inf
write("infinite.h5", holes, targets)
result = sheaf("run", "infinite.h5", "--run.output=infinite", *LINEAR, ranks=2)
checks.check(result.code == 1 and "contains inf in row 5, column 1" in result.stderr, "infinity is an error",
             result.stderr)

# ---- Numbers with offsets: training, scores and predictions as of the differences

times = numpy.round(random.uniform(0, 3600, rows))
other = random.normal(size=rows)
value = times / 1000 - other + random.normal(size=rows) * 0.1
plain = numpy.stack([times, other], axis=1)
shifted = plain + [1.7e9, 0]
write("plain.h5", plain, value, chunks=(50, 2))
write("shifted.h5", shifted, value * 3 + 2e9, chunks=(50, 2))
run("shifted.h5", "shifted", *ADAM)
report, _ = evaluate("shifted", "shifted.h5")
found, _ = predicted("shifted", "shifted.h5")
checks.check(found.dtype == numpy.float64, "predictions are double", found.dtype)
residuals = value * 3 + 2e9 - found[:, 0]
r2 = 1 - (residuals**2).sum() / ((value - value.mean()) ** 2).sum() / 9
checks.check(close(report["r2"], r2, 1e-6) and close(report["loss"], (residuals**2).mean(), 1e-5) and r2 > 0.5,
             "scores are right", (report, r2))
run("shifted.h5", "shifted_streamed", "--data.mode=streamed", "--data.memory=1", *ADAM)
checks.check(evaluate("shifted_streamed", "shifted.h5")[0]["r2"] > 0.5, "streamed, too")
numpy.save("shifted.npy", shifted)
checks.check((predicted("shifted", "shifted.npy")[0] == found).all(), "NumPy files, too")
result = sheaf("predict", "shifted", "shifted.h5", "shifted.csv")
checks.check(close([float(row["prediction"]) for row in read_csv("shifted.csv")], found[:, 0], 0), "CSV has all digits")
checks.check(close(predicted("shifted", "shifted.h5", "--run.engine=torch")[0], found, 1e-5), "LibTorch agrees")
# The content of streamed data is that of the differences: a change that float32 cannot hold is noticed.
result = sheaf("run", "shifted.h5", "--run.output=changed", *QUIET, "--data.mode=streamed", "--data.memory=1",
               "--train.epochs=1000000", "--run.time_limit=1s")
checks.check(result.code == 75, "a long run is stopped", result.stderr)
with h5py.File("shifted.h5", "r+") as file:
    before = file["features"][7, 0]
    file["features"][7, 0] = before + 10
result = sheaf("resume", "changed")
checks.check(result.code == 1 and "the data have changed" in result.stderr, "a change of 10 s is noticed",
             result.stderr)
with h5py.File("shifted.h5", "r+") as file:
    file["features"][7, 0] = before


def write_csv(path, *columns):
    with open(path, "w") as file:
        file.writelines(",".join(map(repr, row)) + "\n" for row in zip(*(column.tolist() for column in columns)))


def imported(path, *args):
    result = sheaf("import", *args, path)
    checks.check(result.code == 0, f"{path} is imported", result.stderr)


# A file is imported like another one that stores its numbers unchanged: with the offsets of a run on that.
write_csv("shifted_too.csv", *shifted.T, value * 3 + 2e9)
imported("shifted_too.h5", "shifted_too.csv", "--like=shifted.h5", "--header=false")
checks.check(evaluate("shifted", "shifted_too.h5")[0]["loss"] == report["loss"], "imports like it lose no digits")
ticks = (times + 1.7e9).astype("i8")
write("ticks.h5", ticks[:, None], ticks)
write_csv("ticks.csv", ticks, ticks)
imported("ticks_too.h5", "ticks.csv", "--like=ticks.h5", "--header=false", "--task=regression")
with h5py.File("ticks_too.h5") as file:
    offset = json.loads(file["features"].attrs["columns"])["columns"][0].get("offset", 0)
    checks.check((file["features"][:, 0].astype("f8") + offset == ticks).all(), "integer features, too", offset)
    offset = numpy.asarray(file["targets"].attrs.get("offset", [0]))
    checks.check((file["targets"][:].astype("f8") + offset == ticks).all(), "integer targets, too", offset)
with h5py.File("no_targets.h5", "w") as file:
    file["features"] = shifted
write_csv("features.csv", *shifted.T)
imported("features.h5", "features.csv", "--like=no_targets.h5", "--header=false")
with h5py.File("features.h5") as file, h5py.File("shifted_too.h5") as like:
    checks.check((file["features"][:] == like["features"][:]).all(), "and files without targets")
# Integer targets of NumPy
numpy.savez("ticks.npz", X=numpy.stack([other, value], axis=1), y=ticks)
imported("ticks_numpy.h5", "ticks.npz", "--task=regression")
run("ticks_numpy.h5", "ticks", *ADAM)
residuals = ticks - predicted("ticks", "ticks.npz")[0][:, 0]
for path in ("ticks_numpy.h5", "ticks.npz"):
    loss = evaluate("ticks", path)[0]["loss"]
    checks.check(close(loss / (residuals**2).mean(), 1, 1e-6), f"targets of {path} keep their digits",
                 (loss, (residuals**2).mean()))
write("single.h5", shifted.astype("f4"), (value * 300 + 2e9).astype("f4"))
result = run("single.h5", "single")
checks.check("feature 0 and target 0 of '" in result.stderr and "have lost digits" in result.stderr,
             "lost digits are named", result.stderr)
write("years.h5", numpy.stack([random.integers(1990, 2024, rows), random.integers(0, 9, rows)], axis=1), value)
result = run("years.h5", "years")
with h5py.File("years.h5") as file:
    write("years_single.h5", file["features"][:].astype("f4"), file["targets"][:].astype("f4"))
run("years_single.h5", "years_single")
checks.check(losses("years") == losses("years_single"), "exact numbers have no offset, and keep their bits")
# A model without offsets, whose outputs are compared with the targets of the file in double.
report, _ = evaluate("years", "shifted.h5", ranks=2)
residuals = value * 3 + 2e9 - predicted("years", "shifted.h5")[0][:, 0].astype("f8")
checks.check(close(report["loss"] / (residuals**2).mean(), 1, 1e-5), "models without offsets are scored in double",
             (report, (residuals**2).mean()))

# ---- Texts, and scaling by `sheaf preprocess`

with open("table.csv", "w") as file:
    file.write("time,city,size,y\n")
    for row in range(200):
        file.write(f"{1700000000 + row},{['Oslo', 'Rome', 'Bern', ''][row % 4]},{row % 7},{row % 2}\n")
checks.check(sheaf("import", "table.csv", "table.h5", "--missing=median").code == 0, "imported")
with h5py.File("table.h5") as file:
    checks.check(file["features"].shape == (200, 3) and set(file["features"][:, 1]) == {-1, 0, 1, 2},
                 "texts are stored as numbers of their categories", file["features"][:4])
run("table.h5", "table")
report, _ = evaluate("table", "table.h5")
checks.check(report["accuracy"] == evaluate("table", "table.csv")[0]["accuracy"], "CSV and HDF5 give the same")
with open("table.csv") as file, open("other.csv", "w") as other_file:
    other_file.write(file.read().replace("Rome", "Paris"))
imported("own.h5", "other.csv")
for path in ("other.csv", "own.h5"):
    _, log = evaluate("table", path)
    checks.check("50 cells are not among the categories of the training data; such cells are read as empty" in log,
                 f"unknown texts of {path} are noted", log)
numpy.savez("one_hot.npz", X=numpy.zeros((4, 3)), y=numpy.eye(2)[[0, 1, 1, 0]])
log = evaluate("table", "one_hot.npz")[1]
checks.check("(--data.task=regression predicts the numbers)" in log, "notes name the options of the command", log)
numpy.savez("codes.npz", X=[[0, 0, 0]] * 3 + [[0, 0.5, 0]] + [[0, 3, 0]], y=[0, 1, 1, 0, 1])
result = sheaf("evaluate", "table", "--data.file=codes.npz", ranks=2)
checks.check(result.code == 1 and "contains 0.5 in row 3, column 1 (the model has texts there" in result.stderr,
             "a number that is not a code of the model's categories is refused", result.stderr)
result = sheaf("preprocess", "table.h5", "scaled.h5", "--normalize=standard", ranks=2)
checks.check(result.code == 0, "preprocessed", result.stderr)
with h5py.File("scaled.h5") as scaled, h5py.File("table.h5") as file:
    checks.check((scaled["features"][:, 1] == file["features"][:, 1]).all(), "codes are not scaled")
    checks.check(close(scaled["features"][:, 2].std(), 1, 1e-5), "numbers are")
    checks.check("offset" not in scaled["features"].attrs["columns"], "scaled numbers have no offset")
run("scaled.h5", "scaled")
checks.check(sheaf("preprocess", "table.h5", "like.h5", "--like=scaled.h5").code == 0, "scaled like another file")
checks.check(evaluate("scaled", "like.h5")[0]["loss"] == evaluate("scaled", "scaled.h5")[0]["loss"], "the same rows")
result = sheaf("preprocess", "table.h5", "bytes.h5", "--cast=uint8")
checks.check(result.code == 1 and "cannot be converted to uint8" in result.stderr and not os.path.exists("bytes.h5"),
             "codes are not converted to bytes", result.stderr)
result = sheaf("preprocess", "holes.h5", "scaled_holes.h5", "--normalize=standard")
with h5py.File("scaled_holes.h5") as file:
    values = file["features"][:]
checks.check(int(numpy.isnan(values).sum()) == count and close(numpy.nanmean(values, axis=0), [0] * 4, 1e-5),
             "empty cells stay empty", result.stderr)
with h5py.File("table.h5", "r+") as file:
    file["features"][9, 1] = 3
result = sheaf("run", "table.h5", "--run.output=damaged", *LINEAR, ranks=2)
checks.check(result.code == 1 and "contains 3 in row 9, column 1 (it is not the number of one of the column's "
             "categories)" in result.stderr, "a number that is not a category is an error", result.stderr)

# ---- The description belongs to the data: a run does not go on with another value of empty cells

with h5py.File("described.h5", "w") as file:
    file["features"] = holes[:, [0, 2]]
    file["targets"] = targets
    columns = {"format": 2, "columns": [{"name": "a", "empty": True, "fill": 5.0}, {"name": "b", "empty": True}]}
    file["features"].attrs["columns"] = json.dumps(columns)
result = sheaf("run", "described.h5", "--run.output=described", *QUIET, "--train.epochs=1000000", "--run.time_limit=1s")
with h5py.File("described.h5", "r+") as file:
    columns["columns"][0]["fill"] = 9.0
    file["features"].attrs["columns"] = json.dumps(columns)
again = sheaf("resume", "described")
checks.check(result.code == 75 and again.code == 1 and "the data have changed" in again.stderr,
             "another fill value is another data set", result.stderr + again.stderr)

# ---- Labels: an attribute `offset` has no meaning for them, and unknown texts are named

with h5py.File("labels.h5", "w") as file:
    file["features"] = full.astype("f4")
    file["targets"] = (targets > 0).astype("i4")
    file["targets"].attrs["offset"] = [0.5]
run("labels.h5", "labels")
checks.check(evaluate("labels", "labels.h5")[0]["accuracy"] > 0.8, "labels have no offset")
for name, words in (("texts", ["low", "high"]), ("others", ["low", "middle"])):
    with h5py.File(f"{name}.h5", "w") as file:
        file["features"] = full.astype("f4")
        file["targets"] = [words[int(target > targets.mean())] for target in targets]
run("texts.h5", "texts")
result = sheaf("evaluate", "texts", "--data.file=others.h5", ranks=2)
checks.check(result.code == 1 and len(result.error_lines()) == 1 and "'middle'" in result.stderr
             and "'high' to 'low'" in result.stderr, "an unknown label of text is named", result.stderr)

# ---- The decimal mark and the empty cells of a table are remembered by the data file and the model

with open("comma.csv", "w") as file:
    file.write("a;b;y\n" + "".join(f"{1 + row / 8:.3f};{row % 7};{row / 4 - row % 7}\n".replace(".", ",")
                                  for row in range(60)) + "-999;3;1,5\n")
with open("unclear.csv", "w") as file:
    file.write("a;b\n1.500;-999\n-999;4\n3.250;-999\n")
result = sheaf("import", "comma.csv", "comma.h5", "--na_values=-999", "--task=regression")
checks.check(result.code == 0, "a table with decimal commas is imported", result.stderr)
result = sheaf("preprocess", "comma.h5", "comma-scaled.h5", "--normalize=standard")
checks.check(result.code == 0, "the table is scaled", result.stderr)
for name in ("comma.h5", "comma-scaled.h5"):
    with h5py.File(name) as file:
        columns = json.loads(file["features"].attrs["columns"])
    checks.check(columns["decimal"] == "," and columns["na_values"] == ["-999"], f"{name}: the options are stored",
                 str(columns))
run("comma.h5", "comma")
explicit, _ = predicted("comma", "unclear.csv", "--decimal=,", "--na_values=-999")
remembered, notes = predicted("comma", "unclear.csv")
checks.check(close(remembered, explicit, 0) and "3 cells in 2 columns are empty" in notes,
             "new data are read like the training data", notes)
checks.check(not close(predicted("comma", "unclear.csv", "--decimal=.")[0], explicit, 1e-3), "options take precedence")
result = sheaf("import", "unclear.csv", "unclear.h5", "--like=comma.h5", "--label=none")
checks.check(result.code == 0, "new data are imported like the training data", result.stderr)
checks.check(close(predicted("comma", "unclear.h5")[0], explicit, 1e-6), "and give the same predictions")

# ---- Several targets are found by name, in whatever order --label names them

with open("two.csv", "w") as file:
    file.write("a,t1,t2\n" + "".join(f"{row},{row % 5},{3 * row - 0.5}\n" for row in range(50)))
checks.check(sheaf("import", "two.csv", "two.h5", "--label=t1,t2").code == 0, "a table with two targets is imported")
run("two.h5", "two")
by_default = evaluate("two", "two.csv")[0]["loss"]
for label in ("t1,t2", "t2,t1", "2,1"):
    checks.check(evaluate("two", "two.csv", f"--label={label}")[0]["loss"] == by_default, f"--label={label}")

# ---- Many splits of streamed data without statistics need none

result = sheaf("run", "filled.h5", "--run.output=splits", *QUIET, "--data.mode=streamed", "--data.memory=1",
               "--data.normalize=none", "--study.iterations=1200", "--data.validation=0.1", "--train.epochs=1",
               "--run.models=none")
checks.check(result.code == 0, "1200 splits of streamed data", result.stderr)

# ---- Files of version 0.7

old = os.path.join(SOURCE, "tests", "app", "version_0_7")
run(f"{old}/table.h5", "old")
wanted = numpy.array([[float(row["probability_no"]), float(row["probability_yes"])]
                      for row in read_csv(f"{old}/predictions.csv")])
checks.check(close(predicted(f"{old}/model.pt", f"{old}/table.h5")[0], wanted, 1e-6),
             "a model of version 0.7 predicts the same for a data file of that version")
predicted("old", f"{old}/table.h5")
result = sheaf("predict", f"{old}/model.pt", f"{old}/table.csv", "none.csv")
checks.check(result.code == 1 and "has no columns 'city=', 'city=Bern'" in result.stderr,
             "its texts are features, which a table does not have", result.stderr)
sys.exit(checks.finish())
