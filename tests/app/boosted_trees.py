"""Boosted trees: the same bits for any number of ranks, in searches with networks, after kills and in stages; model files
that evaluate, predict, importance and verify read; refused studies, and a missing library."""

import csv
import glob
import json
import os
import shutil

import h5py
import numpy

from program import SHEAF, SOURCE, Checks, Started, journaled, read_csv, sheaf

checks = Checks()
shutil.rmtree("trees", ignore_errors=True)
os.makedirs("trees")
os.chdir("trees")
OF_THE_JOB = {"seconds", "data_seconds", "training_seconds", "validation_seconds", "wait_seconds", "rank", "lane"}
QUIET = ["--run.device=cpu", "--run.progress=none"]
TREES = ["--model.kind=boosted_trees"]

random = numpy.random.default_rng(4)
CITIES = ["Bern", "Oslo", "Rome", "Wien"]
numbers = random.normal(size=(600, 3)).round(3)
cities = random.integers(0, 4, 600)
signal = numbers[:, 0] * (cities % 2) + numbers[:, 1] + 0.3 * random.normal(size=600)


def write(path, rows, target):
    with open(path, "w", newline="") as file:
        writer = csv.writer(file)
        writer.writerow(["a", "b", "c", "city"] + ([target] if target else []))
        for row in rows:
            cells = [f"{value:g}" for value in numbers[row]] + [CITIES[cities[row]]]
            cells = ["" if (row * 5 + column) % 23 == 0 else cell for column, cell in enumerate(cells)]
            label = {"answer": "yes" if signal[row] > 0 else "no", "value": f"{signal[row]:.4f}"}
            writer.writerow(cells + ([label[target]] if target else []))


def run(name, *args, ranks=None, code=0):
    result = sheaf("run", *args, *QUIET, f"--run.output={name}", ranks=ranks)
    checks.check(result.code == code, f"{name}: exit code {code}", result.stderr)
    return result


def rows(name):
    path = f"{name}/results.csv"
    return [{key: value for key, value in row.items() if key not in OF_THE_JOB}
            for row in read_csv(path)] if os.path.exists(path) else []


def contents(name):
    found = {}
    for path in sorted(glob.glob(f"{name}/models/*")):
        with open(path, "rb") as file:
            found[os.path.basename(path)] = file.read()
    return found


def loss(model, file, *args):
    result = sheaf("evaluate", model, f"--data.file={file}", "--output=json", *args)
    checks.check(result.code == 0, f"evaluate {model} {file}", result.stderr)
    return json.loads(result.stdout)["loss"] if result.code == 0 else None


for target in ("answer", "value"):
    write(f"{target}.csv", range(500), target)
    write(f"{target}-test.csv", range(500, 600), target)
    result = sheaf("import", f"{target}.csv", f"{target}.h5")
    checks.check(result.code == 0, f"import of {target}.csv", result.stderr)
write("new.csv", range(500, 600), None)

# One model: defaults, the summary, its file, predictions and their loss.
for target in ("answer", "value"):
    one = run(f"one-{target}", f"{target}.h5", *TREES, "--data.validation=0.4", "--run.models=best")
    row = rows(f"one-{target}")[0]
    checks.check(row["engine"] == "xgboost" and int(row["epochs"]) == int(row["best_epoch"]) + 31 < 2000,
                 f"{target}: XGBoost stops early", str(row))
    checks.check(list(contents(f"one-{target}")) == ["best.txt", "iteration-0.json"], f"{target}: one model file")
    with open(f"one-{target}/README.txt") as file:
        checks.check('xgboost.Booster(model_file="models/iteration-0.json")' in file.read(), f"{target}: how to use it")
    network = run(f"network-{target}", f"{target}.h5", "--data.validation=0.4")
    constant = numpy.var(signal) if target == "value" else 0.693
    checks.check(float(row["validation_loss"]) < 0.6 * constant, f"{target}: the trees have learned",
                 f"{row} {constant}")
    tested = loss(f"one-{target}", f"{target}-test.csv")
    result = sheaf("import", f"{target}-test.csv", f"{target}-test.h5", f"--like={target}.h5")
    checks.check(result.code == 0 and abs(loss(f"one-{target}", f"{target}-test.h5") - tested) < 1e-9,
                 f"{target}: the same loss from CSV and HDF5", result.stderr)
    result = sheaf("predict", f"one-{target}/models/iteration-0.json", "new.csv", f"{target}-out.csv", ranks=2)
    checks.check(result.code == 0, f"{target}: predict", result.stderr)
    out = read_csv(f"{target}-out.csv")
    if target == "value":
        squares = [(float(list(found.values())[-1]) - signal[500 + number].round(4)) ** 2
                   for number, found in enumerate(out)]
        checks.check(abs(numpy.mean(squares) - tested) < 1e-5, "predictions have the loss of evaluate",
                     f"{numpy.mean(squares)} {tested}")

# The same bits for any number of ranks and lanes: folds, repeats, ensembles, bootstraps, weights of classes.
SEARCH = ["answer.h5", "--search.model.kind=boosted_trees, mlp", "--search.model.max_depth=2, 6",
          "--search.train.learning_rate=0.01, 0.001", "--search.folds=3", "--train.epochs=12", "--train.patience=4",
          "--model.hidden=8", "--run.models=all", "--train.class_weights=balanced"]
for ranks, extra in ((None, []), (3, []), (2, ["--run.lanes=2", "--run.partition=cyclic"])):
    run(f"search-{ranks}", *SEARCH, *extra, ranks=ranks)
first = rows("search-None")
checks.check(len(first) == 4 * 3 and {row["engine"] for row in first} == {"xgboost", "native"},
             "a grid leaves out keys without effect", str(first))
for ranks in (3, 2):
    checks.check(rows(f"search-{ranks}") == first, f"{ranks} ranks: the same results")
    checks.check(contents(f"search-{ranks}") == contents("search-None"), f"{ranks} ranks: the same models")
MEMBERS = ["value.h5", *TREES, "--ensemble.members=3", "--ensemble.bootstrap=true", "--search.model.eta=0.1, 0.3",
           "--train.epochs=10", "--run.models=all"]
for ranks in (None, 3):
    run(f"members-{ranks}", *MEMBERS, ranks=ranks)
checks.check(rows("members-None") == rows("members-3") != [], "an ensemble of bootstrap samples: the same results")
checks.check(loss("members-None", "value-test.csv") < max(loss("members-None", "value-test.csv", f"--iteration={number}")
                                                         for number in range(6)), "the ensemble predicts")

# A refit, an ensemble of trials, and what reads its models.
run("refit", "answer.h5", "--search.model.kind=boosted_trees, mlp", "--search.folds=3", "--train.epochs=30",
    "--train.patience=5", "--run.refit=true", "--search.ensemble=greedy", "--data.test=0.2", ranks=2)
found = contents("refit")
checks.check(any(name.startswith("refit-") for name in found) and "ensemble.json" in found, "refit and ensemble",
             str(list(found)))
result = sheaf("predict", "refit", "new.csv", "refit-out.csv")
checks.check(result.code == 0 and len(read_csv("refit-out.csv")) == 100, "the ensemble of trials predicts", result.stderr)
result = sheaf("importance", "one-answer", "answer-test.csv", "--output=json", ranks=2)
checks.check(result.code == 0 and len(json.loads(result.stdout)["features"]) == 4 and
             json.loads(result.stdout)["features"][-1]["feature"] == "c", "importance: four columns", result.stderr)
result = sheaf("verify", "search-3", "--iterations=all", ranks=2)
checks.check(result.code == 0 and "12 of 12" in result.stdout, "verify finds the same bits", result.stdout + result.stderr)
result = sheaf("report", "search-3", "--html=report.html")
checks.check(result.code == 0 and os.path.getsize("report.html") > 10000, "a report", result.stderr)

# Stages that continue trainings, and kills.
DEPTHS = ["answer.h5", *TREES, "--search.model.max_depth=1, 2, 3, 4, 5, 6, 7, 8, 9", "--search.folds=2",
          "--train.epochs=27", "--train.patience=none"]
HALVING = [*DEPTHS, "--search.method=halving", "--run.checkpoint_interval=0.01"]
for ranks in (None, 3):
    run(f"halving-{ranks}", *HALVING, ranks=ranks)
checks.check(rows("halving-None") == rows("halving-3") != [] and
             {row["epochs"] for row in rows("halving-3")} == {"3", "9", "27"}, "halving: the same results on 3 ranks")
run("whole", *DEPTHS)
of_trial = lambda table: {(row["trial"], row["fold"]): row["validation_loss"] for row in table if row["epochs"] == "27"}
continued, whole = of_trial(rows("halving-3")), of_trial(rows("whole"))
checks.check(continued and all(whole.get(key) == value for key, value in continued.items()),
             "halving: continued trainings have the bits of whole ones", f"{continued} {whole}")
LONG = ["answer.h5", *TREES, "--search.model.max_depth=6, 7, 8", "--search.folds=3", "--train.epochs=250",
        "--train.patience=none", "--run.checkpoint_interval=0.01", "--run.models=all"]
run("long", *LONG)
for number in range(3):
    if number == 0:
        job = Started([SHEAF, "run", *LONG, *QUIET, "--run.output=killed"])
    else:
        job = Started([SHEAF, "resume", "killed"])
    reached = job.creep_until(lambda: len(journaled("killed")) > 2 * number and glob.glob("killed/checkpoints/*"))
    checks.check(reached, f"kill {number}: the run trains")
    job.kill()
    job.finish()
result = sheaf("resume", "killed", ranks=2)
checks.check(result.code == 0 and rows("killed") == rows("long") != [] and contents("killed") == contents("long"),
             "a killed run goes on with the same bits", result.stderr)

# Targets of different size and unit are learned alike, and so are weights of any scale.
both = numpy.stack([3e5 + 1e5 * signal, 1e-6 * signal], 1)
with h5py.File("units.h5", "w") as file:
    file["features"], file["targets"] = numpy.column_stack([numbers, cities]), both
    file["weights"], file["small"] = numpy.tile([1.0, 2, 0.5], 200), numpy.tile([1.0, 2, 0.5], 200) / 1024
run("units", "units.h5", *TREES, "--data.validation=0.4", "--run.predictions=held_out")
with h5py.File("units/results.h5") as file:
    kept = file["predictions"][:]
for number in (0, 1):
    wanted, found = (kept[name][:, number] for name in ("targets", "values"))
    checks.check(1 - numpy.mean((wanted - found) ** 2) / numpy.var(wanted) > 0.5, f"target {number} is learned")
for name in ("weights", "small"):
    run(name, "units.h5", *TREES, "--data.validation=0.4", f"--data.weights={name}")
checks.check(rows("weights")[0]["validation_loss"] == rows("small")[0]["validation_loss"], "weights of any scale",
             f"{rows('weights')} {rows('small')}")

# A value that the import states for empty cells counts in the training and in predictions.
result = sheaf("import", "answer.csv", "stated.h5", "--missing=9")
run("stated", "stated.h5", *TREES, "--data.validation=0.4", "--run.models=best")
checks.check(result.code == 0 and abs(loss("stated", "stated.h5") - loss("stated", "answer.csv")) < 1e-7,
             "a stated value for empty cells", result.stderr)

# Plan: an estimate.
result = sheaf("plan", "answer.h5", *TREES)
checks.check(result.code == 0 and "  xgboost\n" in result.stdout, "plan", result.stdout)

# Refused studies, with one error line each.
with h5py.File("one-class.h5", "w") as file:
    file["features"], file["targets"] = numbers, numpy.zeros(600, "i8")
for args, message in (
        (["value.h5", *TREES, "--train.loss=huber"], "trees are trained with mse, cross_entropy, bce and poisson"),
        (["value.h5", *TREES, "--data.mode=streamed"], "needs the rows in memory"),
        (["value.h5", *TREES, "--model.max_depth=none"], "needs model.max_leaves"),
        (["value.h5", *TREES, "--train.learning_rate=0.1"], "train.learning_rate = 0.1 has no effect"),
        (["value.h5", *TREES, "--data.normalize=standard"], "data.normalize = standard has no effect"),
        (["value.h5", *TREES, "--run.threads=2", "--run.lanes=1"], "run.threads = 2 has no effect"),
        (["value.h5", *TREES, "--model.subsample=0"], "model.subsample"),
        (["value.h5", "--model.eta=0.3"], "model.eta = 0.3 has no effect"),
        (["value.h5", *TREES, "--run.engine=native"], "run.engine = native cannot train"),
        (["value.h5", "--run.engine=xgboost"], "run.engine = xgboost cannot train"),
        (["value.h5", "--model.kind=xgboost"], "boosted_trees"),
        (["one-class.h5", *TREES, "--data.classes=2"], None)):
    result = sheaf("run", *args, *QUIET, "--run.output=refused", ranks=2 if message is None else None)
    if message is None:
        checks.check(result.code == 0, "a class without rows", result.stderr)
        shutil.rmtree("refused", ignore_errors=True)
        continue
    errors = result.error_lines()
    checks.check(result.code == 2 and len(errors) == 1 and message in errors[0], f"refused: {args}",
                 f"{result.code} {result.stderr}")
checks.check(not os.path.exists("refused"), "refused studies leave no directory")

# Without the library, only trees are refused, before anything is written.
os.makedirs("broken")
for name in ("libxgboost.so.0", "libxgboost.so"):
    with open(f"broken/{name}", "w") as file:
        file.write("not a library")
ENVIRONMENT = {"LD_LIBRARY_PATH": os.path.abspath("broken")}
result = sheaf("run", "value.h5", *TREES, *QUIET, "--run.output=missing", ranks=2, environment=ENVIRONMENT)
errors = result.error_lines()
checks.check(result.code == 1 and len(errors) == 1 and "boosted trees need XGBoost, which cannot be loaded" in errors[0]
             and "libxgboost0" in errors[0] and not os.path.exists("missing"), "without the library", result.stderr)
result = sheaf("run", "value.h5", *QUIET, "--train.epochs=1", "--run.output=missing", environment=ENVIRONMENT)
checks.check(result.code == 0, "networks need no XGBoost", result.stderr)

# Damaged model files.
with open("one-answer/models/iteration-0.json") as file:
    text = file.read()
for name, damaged in (("cut", text[:len(text) // 2]), ("child", text.replace('"left_children":[1,', '"left_children":[999999,', 1)),
                      ("other", text.replace('"sheaf"', '"other"', 1)),
                      ("score", text.replace('"base_score":"', '"base_score":"-', 1)), ("nested", '{"a":' + "[" * 100000)):
    with open(f"{name}.json", "w") as file:
        file.write(damaged)
    result = sheaf("predict", f"{name}.json", "new.csv", "damaged.csv", ranks=2)
    errors = result.error_lines()
    checks.check(damaged != text and result.code in (1, 2) and len(errors) == 1 and name in errors[0],
                 f"a damaged model file: {name}", f"{result.code} {result.stderr[-2000:]}")
raise SystemExit(checks.finish())
