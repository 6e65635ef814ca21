"""Searches of several trials that are extended by more repeats: known iterations keep their numbers and bits, and all
tables, models and the report are those of a run that had these repeats from the beginning; kills, ranks, bad input."""

import glob
import json
import os
import shutil
import sys

import h5py
import numpy

from program import DIGITS, SHEAF, Checks, Started, journaled, read_csv, sheaf

checks = Checks()
shutil.rmtree("runs", ignore_errors=True)
with open("grid.cfg", "w") as file:
    file.write("[data]\nnormalize = standard\n[train]\nepochs = 3\nbest_weights = true\n"
               "[search]\nfolds = 2\nmodel.hidden = 4, 8\ntrain.learning_rate = 1e-3, 1e-2, 1e-1\n")
with open("random.cfg", "w") as file:
    file.write("[data]\nnormalize = standard\n[train]\nepochs = 3\n[ensemble]\nmembers = 2\n"
               "[search]\nfolds = 2\ntrials = 5\ntrain.learning_rate = log_uniform(1e-4, 1e-1)\n")
FIT = ["trial", "repeat", "fold", "member", "seed", "status", "final_loss", "validation_loss", "validation_score", "epochs",
       "best_epoch", "steps"]
LAST_STAGE = {"grid": 2, "random": 1}


def run(study, directory, *args, ranks=None):
    result = sheaf("run", study, f"--data.file={DIGITS}", "--run.device=cpu", f"--run.output=runs/{directory}", *args,
                   ranks=ranks)
    checks.check(result.code == 0, f"{directory}: the run succeeds", result.stderr)
    return result


def resume(directory, *args, ranks=None):
    result = sheaf("resume", f"runs/{directory}", *args, ranks=ranks)
    checks.check(result.code == 0, f"{directory} {args}: the extension succeeds", result.stderr)
    return result


def rows(directory):
    return read_csv(f"runs/{directory}/results.csv")


def fits(directory):
    """The results by trial, repeat, fold and member."""
    return sorted([row[name] for name in FIT] for row in rows(directory))


def table(directory, name, without=()):
    with h5py.File(f"runs/{directory}/results.h5") as file:
        found = file[name][:]
    return {column: found[column].tolist() for column in found.dtype.names if column not in without}


def trials(directory):
    return table(directory, "trials", ("stage", "seconds"))


def ensemble(directory):
    with open(f"runs/{directory}/models/ensemble.json") as file:
        content = json.load(file)
    return [(member["trial"], member["weight"], member["score"]) for member in content["members"]], content["loss"]


def copy(directory, to):
    shutil.rmtree(f"runs/{to}", ignore_errors=True)
    shutil.copytree(f"runs/{directory}", f"runs/{to}")


def state_of(directory):
    return sorted((path, os.path.getsize(path), os.path.getmtime(path)) for path in
                  glob.glob(f"runs/{directory}/**", recursive=True) if os.path.isfile(path) and "lock" not in path)


def refused(directory, args, message, name):
    before = state_of(directory)
    result = sheaf("resume", f"runs/{directory}", *args)
    checks.check(result.code == 2 and message in result.stderr and len(result.error_lines()) == 1 and
                 state_of(directory) == before, f"refused: {name}", f"{result.code} {result.stderr}")


for method in ("grid", "random"):
    args = ["--run.refit=true", "--run.models=all"]
    study = f"{method}.cfg"
    whole = run(study, f"{method}-whole", *args, "--search.repeats=4")
    run(study, method, *args, "--search.repeats=1", ranks=2)
    first = [row for row in rows(method) if row["stage"] == "0"]
    steps = ("2", "4") if method == "grid" else ("4",)
    for ranks, repeats in zip((2, 1), steps):
        extended = resume(method, f"--search.repeats={repeats}", ranks=ranks)
    checks.check([row for row in rows(method) if row["stage"] == "0"] == first, f"{method}: known iterations keep everything")
    checks.check(fits(method) == fits(f"{method}-whole"), f"{method}: the fits are those of a run with four repeats")
    checks.check(trials(method) == trials(f"{method}-whole"), f"{method}: so are the trials",
                 f"{trials(method)} {trials(f'{method}-whole')}")
    checks.check(ensemble(method) == ensemble(f"{method}-whole"), f"{method}: and the ensemble",
                 f"{ensemble(method)} {ensemble(f'{method}-whole')}")
    best = [line for line in whole.stdout.splitlines() if line.startswith(("Best:", "Refit:", "Ensemble of"))]
    checks.check(len(best) == 3 and all(line in extended.stdout for line in best) and "x 4 repeats" in best[0],
                 f"{method}: the summary", f"{best} {extended.stdout}")
    checks.check("epochs" not in extended.stdout.splitlines()[0], f"{method}: no column of epochs", extended.stdout)
    for row in rows(method):
        if row["stage"] == "0" and row["member"] == "0":
            checks.check(os.path.exists(f"runs/{method}/models/iteration-{row['iteration']}.pt"), f"{method}: models stay")
    with open(f"runs/{method}/study-{LAST_STAGE[method] + 1}.cfg") as file:
        text = file.read()
    checks.check(f"\nearlier_repeats = {'1 2' if method == 'grid' else '1'}\n" in text and "\nrepeats = 4\n" in text,
                 f"{method}: the stored study", text)
    result = sheaf("run", f"runs/{method}/study-{LAST_STAGE[method] + 1}.cfg", f"--run.output=runs/{method}-again", ranks=2)
    checks.check(result.code == 0 and [[row[name] for name in ["iteration", "stage", *FIT]] for row in rows(f"{method}-again")]
                 == [[row[name] for name in ["iteration", "stage", *FIT]] for row in rows(method)],
                 f"{method}: the stored study repeats the run", result.stderr)
    plan = sheaf("plan", f"runs/{method}/study-{LAST_STAGE[method] + 1}.cfg")
    checks.check(plan.code == 0 and "4 repeats" in plan.stdout and "\nstages" not in plan.stdout, f"{method}: plan", plan.stdout)
    found = json.loads(sheaf("status", f"runs/{method}", "--output=json").stdout)
    reference = json.loads(sheaf("status", f"runs/{method}-whole", "--output=json").stdout)
    checks.check(found["state"] == "finished" and found["best"] == reference["best"], f"{method}: the status",
                 f"{found} {reference}")
    boards = [json.loads(sheaf("report", f"runs/{name}", "--format=json").stdout) for name in (method, f"{method}-whole")]
    shares = [[value for name in ("importances", "variance_shares") for value in (board[name] or {}).values()] for board in boards]
    checks.check(all(boards[0][name] == boards[1][name] for name in ("ranked", "verdict")) and
                 numpy.allclose(*shares, rtol=1e-9), f"{method}: the report", f"{boards[0]['ranked']} {boards[1]['ranked']}")
    predicted = [sheaf("evaluate", f"runs/{name}", f"--data.file={DIGITS}", "--output=json").stdout
                 for name in (method, f"{method}-whole")]
    losses = [json.loads(text)["loss"] for text in predicted]
    checks.check(losses[0] == losses[1], f"{method}: the models predict the same", str(losses))

    # Kills during the extension; a static partition.
    run(study, "killed", "--search.repeats=1", "--train.epochs=12", "--run.refit=true")
    copy("killed", "static")
    before = len(journaled("runs/killed"))
    job = Started([SHEAF, "resume", "runs/killed", "--search.repeats=4", "--run.lanes=1"])
    checks.check(job.creep_until(lambda: len(journaled("runs/killed")) > before + 6), f"{method}: an extension trains")
    job.kill()
    found = json.loads(sheaf("status", "runs/killed", "--output=json").stdout)
    checks.check(found["state"] == "stopped" and found["trials"]["complete"] > 0, f"{method}: the status of a killed extension",
                 str(found))
    report = sheaf("report", "runs/killed")
    checks.check(report.code == 0, f"{method}: the report of a killed extension", report.stderr)
    resume("killed", ranks=2)
    resume("static", "--search.repeats=4", "--run.partition=block", ranks=3)
    run(study, "reference", "--search.repeats=4", "--train.epochs=12", "--run.refit=true")
    for name in ("killed", "static"):
        checks.check(fits(name) == fits("reference") and trials(name) == trials("reference"), f"{method}: {name}, same bits")
    shutil.rmtree("runs/reference")
    shutil.rmtree("runs/static")

    refused(method, ["--search.repeats=3"], "search.repeats = 3 is too small for", "fewer repeats than results")
    if method == "random":
        for args in (["--search.trials=9"], ["--search.trials=9", "--search.repeats=5"],
                     ["--search.train.learning_rate=log_uniform(1e-3, 1)", "--search.trials=9"]):
            refused(method, args, "cannot be extended together with its repeats, or after them", f"{args}")
    shutil.rmtree("runs/killed")

# Extended by trials before.
run("random.cfg", "trials", "--search.repeats=1")
resume("trials", "--search.trials=8")
resume("trials", "--search.repeats=3", ranks=2)
run("random.cfg", "trials-whole", "--search.repeats=3", "--search.trials=8")
checks.check(fits("trials") == fits("trials-whole") and trials("trials") == trials("trials-whole"), "first trials, then repeats")
for args, name in ((["--search.method=tpe", "--search.trials=12"], "tpe"), (["--search.racing=forgiving"], "racing"),
                   (["--search.patience=4"], "patience")):
    run("random.cfg", name, *args)
    refused(name, ["--search.repeats=2"], "search.repeats = 2, was 1", name)
result = sheaf("run", "grid.cfg", f"--data.file={DIGITS}", "--search.repeats=2", "--search.earlier_repeats=3",
               "--run.output=runs/bad")
checks.check(result.code == 2 and "search.earlier_repeats does not fit the search" in result.stderr
             and not os.path.exists("runs/bad"), "earlier repeats of another study", result.stderr)

# Failed iterations do not hold up added repeats, but a refit, and the job says so.
with h5py.File("weights.h5", "w") as file:
    features = numpy.random.default_rng(0).normal(size=(40, 3)).astype(numpy.float32)
    file["features"], file["targets"] = features, features[:, :1]
    file["weights"] = (numpy.arange(40) < 4).astype(numpy.float32)
FAILING = ["weights.h5", "--data.weights=/weights", "--search.train.learning_rate=1e-3, 1e-2", "--search.folds=2",
           "--ensemble.bootstrap=true", "--train.epochs=2", "--run.device=cpu"]
for seed in range(100):  # until a sample of the first repeat weighs 0, but no fold
    shutil.rmtree("runs/failing-whole", ignore_errors=True)
    args = [*FAILING, f"--study.seed={seed}"]
    result = sheaf("run", *args, "--search.repeats=4", "--run.output=runs/failing-whole")
    if result.code == 1 and any(row["status"] == "failed" and row["repeat"] == "0" for row in rows("failing-whole")):
        break
result = sheaf("run", *args, "--run.output=runs/failing")
checks.check(result.code == 1 and " failed (iteration " in result.stdout, "bootstrap samples that weigh 0 fail", result.stdout)
result = sheaf("resume", "runs/failing", "--search.repeats=4", ranks=2)
checks.check(result.code == 1 and fits("failing") == fits("failing-whole") and len(fits("failing")) == 16,
             "failed iterations do not hold up repeats", result.stderr)
found = json.loads(sheaf("status", "runs/failing", "--output=json").stdout)
checks.check(found["state"] == "finished" and found["iterations"]["left"] == found["iterations"]["failed"] and found["stages"] == 2, "its status", str(found))
result = sheaf("resume", "runs/failing")
checks.check(result.code == 1 and fits("failing") == fits("failing-whole"), "failures of the last stage are tried again",
             result.stderr)
result = sheaf("run", *args, "--run.refit=true", "--run.output=runs/no-refit")
checks.check(result.code == 1 and "the refit is not trained, because" in result.stderr, "failed iterations hold up a refit",
             result.stderr)

# An extension that was stopped before its first result can still be reduced, also to no extension.
run("random.cfg", "stopped", "--search.repeats=1", "--run.refit=true")
first = fits("stopped")
job = Started([SHEAF, "resume", "runs/stopped", "--search.repeats=50", "--train.epochs=3"])
checks.check(job.creep_until(lambda: os.path.exists("runs/stopped/journal/00002/00000.jsonl") and
                             b'"first_repeat"' in open("runs/stopped/journal/00002/00000.jsonl", "rb").read()),
             "the extension begins its stage")
job.kill()
for line in open("runs/stopped/journal/00002/00000.jsonl"):
    if line.startswith('{"iteration"'):
        break
else:
    resume("stopped", "--search.repeats=3")
    run("random.cfg", "stopped-whole", "--search.repeats=3", "--run.refit=true")
    checks.check(fits("stopped") == fits("stopped-whole"), "fewer repeats than those of a stopped extension")

# With run.models = best, the best model is one that is still there.
run("grid.cfg", "best", "--search.repeats=1", "--search.ensemble=none", ranks=2)
result = resume("best", "--search.repeats=6")
with open("runs/best/models/best.txt") as file:
    names = file.read().split()
checks.check(names and all(os.path.exists(f"runs/best/models/{name}") for name in names), "the best model exists", str(names))
checks.check(sheaf("evaluate", "runs/best", f"--data.file={DIGITS}").code == 0, "it can be used")

# Keys that make trials depend on results or time.
for key, value in (("search.time", "9"), ("search.patience", "3"), ("search.racing", "forgiving"), ("search.method", "tpe")):
    refused("random", [f"--{key}={value}"], f"{key} = {value} cannot be used in a search whose repeats were extended", key)
sys.exit(checks.finish())
