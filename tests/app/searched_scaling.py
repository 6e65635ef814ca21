"""Searches of data.normalize: each trial has the results, predictions and model of a run with its value, bit for bit, for
all engines and numbers of ranks, in memory and streamed, with empty cells, ensembles, job arrays and after a kill."""

import glob
import json
import os
import shutil

import h5py
import numpy

from program import DIGITS, SHEAF, Checks, Started, journaled, read_csv, sheaf

checks = Checks()
shutil.rmtree("scaling", ignore_errors=True)
os.makedirs("scaling")
os.chdir("scaling")
VALUES = ["none", "standard", "minmax", "robust"]
FOLDS = 2
OF_THE_JOB = {"seconds", "data_seconds", "training_seconds", "validation_seconds", "wait_seconds", "rank", "lane",
              "device", "data.normalize", "train.clip_norm"}
# Limits of the gradient that are never reached give the trials of a run with a fixed value the same numbers.
LIMITS = "1e11, 2e11, 3e11, 4e11"

random = numpy.random.default_rng(3)
features = random.normal(size=(420, 5)) * [1, 20, 300, 0.01, 5] + [0, 100, -1000, 3, 1]
features[::37, 1] *= 8
classes = (features[:, 0] + features[:, 4] / 5 > 0.3).astype(int) + (features[:, 1] > 115)
for name, has_empty_cells in (("whole", False), ("empty", True)):
    with open(f"{name}.csv", "w") as file:
        file.write("a,b,c,d,e,target\n")
        for row, values in enumerate(features):
            cells = ["" if has_empty_cells and (row * 7 + column) % 11 == 0 else f"{value:.7g}"
                     for column, value in enumerate(values)]
            file.write(",".join(cells) + f",class{classes[row]}\n")
    result = sheaf("import", f"{name}.csv", f"{name}.h5", "--label=target")
    checks.check(result.code == 0, f"import of {name}.csv", result.stderr)
    with h5py.File(f"{name}.h5", "r") as file, h5py.File(f"{name}-chunks.h5", "w") as copy:
        for key, value in file.attrs.items():
            copy.attrs[key] = value
        for key in file:
            copy.create_dataset(key, data=file[key][:], chunks=(50,) + file[key].shape[1:])
            for attribute, value in file[key].attrs.items():
                copy[key].attrs[attribute] = value
with h5py.File("numbers.h5", "w") as file:
    file["features"], file["targets"] = features, 1000 + 5 * features[:, 0] + features[:, 1] / 7
BASE = ["--run.device=cpu", "--run.progress=none", "--model.hidden=6", "--train.epochs=3", "--train.batch_size=32",
        f"--search.folds={FOLDS}", "--run.curves=false"]
FILES = {name: [f"{name}.h5", *BASE] for name in ("whole", "empty")}
STREAMED = {name: [f"{name}-chunks.h5", *BASE, "--data.mode=streamed", "--data.window=100", "--data.memory=1"]
            for name in ("whole", "empty")}
MODELS = ["--run.models=all", "--run.predictions=held_out"]


def run(name, *args, ranks=None):
    result = sheaf("run", *args, f"--run.output={name}", ranks=ranks)
    checks.check(result.code == 0, f"{name}: the run succeeds", result.stderr)


def rows(name):
    path = f"{name}/results.csv"
    return [{key: value for key, value in row.items() if key not in OF_THE_JOB}
            for row in read_csv(path)] if os.path.exists(path) else []


def predictions(name, iterations):
    with h5py.File(f"{name}/results.h5", "r") as file:
        table = file["predictions"][:]
    return table[numpy.isin(table["iteration"], iterations)].tobytes()


def model_bytes(name, iteration):
    with open(f"{name}/models/iteration-{iteration}.pt", "rb") as file:
        return file.read()


def equals_fixed_runs(case, name, study, *args, members=1, models=False):
    """The run `name` searches all values; each trial must equal that of a run with one value."""
    found = rows(name)
    per_trial = FOLDS * members
    checks.check(len(found) == len(VALUES) * per_trial, f"{case}: all trials are trained", str(len(found)))
    checks.check(len({row["final_loss"] for row in found}) == len(found), f"{case}: the values differ", str(found)[:800])
    for trial, value in enumerate(VALUES):
        fixed = f"fixed-{case}-{value}"
        run(fixed, *study, *args, f"--data.normalize={value}", f"--search.train.clip_norm={LIMITS}")
        part = slice(trial * per_trial, (trial + 1) * per_trial)
        checks.check(found[part] == rows(fixed)[part], f"{case}: {value} equals a run with this value",
                     f"{found[part]}\n{rows(fixed)[part]}")
        if models:
            numbers = range(part.start, part.stop)
            checks.check(all(model_bytes(name, number) == model_bytes(fixed, number) for number in numbers),
                         f"{case}: {value} has the same models")
            checks.check(predictions(name, numbers) == predictions(fixed, numbers) != b"",
                         f"{case}: {value} has the same predictions")


SEARCH = ["--search.data.normalize=" + ", ".join(VALUES), "--train.clip_norm=1e11"]
for case, study, args in (
        ("native", FILES["whole"], MODELS),
        ("torch", FILES["whole"], MODELS + ["--run.engine=torch"]),
        ("empty", FILES["empty"], MODELS),
        ("streamed", STREAMED["whole"], ["--run.models=all"]),
        ("streamed-empty", STREAMED["empty"], []),
        ("streamed-torch", STREAMED["empty"], ["--run.engine=torch"]),
        ("regression", ["numbers.h5", *BASE], MODELS),
        ("synthetic", ["synthetic.cfg", *BASE[:-2], "--data.validation=0", "--run.models=none"], [])):
    if case == "synthetic":  # each iteration has data of its own
        with open("synthetic.cfg", "w") as file:
            file.write("[data]\nsource = synthetic\nrows = 90\ndistribution = uniform\nrelation = linear\n"
                       f"[study]\niterations = {FOLDS}\n")
    run(case, *study, *args, *SEARCH)
    for ranks in (1, 2, 3, 4) if case in ("native", "streamed-empty") else (3,):
        run(f"{case}-{ranks}", *study, *args, *SEARCH, "--run.lanes=2", ranks=ranks)
        checks.check(rows(f"{case}-{ranks}") == rows(case) != [], f"{case}: {ranks} ranks have the same results")
    equals_fixed_runs(case, case, study, *args, models="--run.predictions=held_out" in args)

# The best model, on test rows and on a file.
TEST = [*FILES["empty"], "--data.test=0.2"]
run("best", *TEST, *SEARCH, "--run.models=best", ranks=2)
with h5py.File("best/results.h5", "r") as file:
    trials = file["trials"][:]
best = int(trials["trial"][numpy.argmin(trials["rank"])])
with open("best/models/best.txt") as file:
    [path] = file.read().split()
checks.check(int(path.split("-")[1][:-3]) // FOLDS == best, "the model of the best trial is kept", path)
run("fixed", *TEST, f"--data.normalize={VALUES[best]}", f"--search.train.clip_norm={LIMITS}", "--run.models=all")
with open(f"best/models/{path}", "rb") as one, open(f"fixed/models/{path}", "rb") as other:
    checks.check(one.read() == other.read(), "the best model has the scaling of its trial")
scores = []
for model in ("best", f"fixed/models/{path}"):
    result = sheaf("evaluate", model, "--data.file=empty.h5", "--output=json",
                   *(["--model=best"] if model == "best" else []))
    report = json.loads(result.stdout) if result.code == 0 else {}
    scores.append((report.get("loss"), report.get("metrics")))
checks.check(scores[0] == scores[1] and scores[0][0] is not None, "the best model is evaluated", str(scores))

# Members of ensembles, with bootstrap samples.
ENSEMBLE = [*FILES["empty"], "--ensemble.members=3", "--ensemble.bootstrap=true"]
run("members", *ENSEMBLE, *SEARCH, ranks=3)
equals_fixed_runs("members", "members", ENSEMBLE, members=3)

# Stages, and trials that depend on results.
LEARNED = ["--search.data.normalize=none, minmax, robust", "--search.train.learning_rate=0.1, 0.01, 0.001, 0.003, 0.03"]
for method, args in (("halving", ["--search.factor=2"]), ("tpe", ["--search.trials=14"])):
    for ranks in (1, 3):
        run(f"{method}-{ranks}", *FILES["whole"], *LEARNED, f"--search.method={method}", *args, ranks=ranks)
    checks.check(rows(f"{method}-1") == rows(f"{method}-3") != [], f"{method}: the same results on 3 ranks")

# A job array, a killed run and its checkpoints.
for task in (1, 0):
    run("array", *FILES["whole"], *MODELS, *SEARCH, f"--run.array={task}/2")
checks.check(rows("array") == rows("native") != [], "tasks of a job array have the results of one job")
LONG = [DIGITS, *BASE[:3], "--train.epochs=250", "--train.batch_size=8", "--search.folds=2",
        "--run.checkpoint_interval=0.01", *SEARCH]
run("long", *LONG)
job = Started([SHEAF, "run", *LONG, "--run.output=killed"])
checks.check(job.creep_until(lambda: journaled("killed") and glob.glob("killed/checkpoints/*")), "a search trains")
job.process.kill()
job.finish()
result = sheaf("resume", "killed", ranks=3)
checks.check(result.code == 0 and rows("killed") == rows("long") != [], "a killed run goes on with the same bits",
             result.stderr)

# Bad input.
for args, message in (
        (["--search.data.normalize=auto, none"], "search.data.normalize has the candidate auto."),
        (["--search.data.normalize=none, none"], "more than once"),
        (["--search.data.normalize=zscore, none"], "search.data.normalize cannot be 'zscore'."),
        (["--search.data.normalize=none, robust", "--data.normalize=minmax"], "data.normalize is set by")):
    result = sheaf("run", *FILES["whole"], *args, "--run.output=refused")
    checks.check(result.code == 2 and message in result.stderr, f"bad input {args}", result.stderr)
checks.check(not os.path.exists("refused"), "bad input leaves no directory")
raise SystemExit(checks.finish())
