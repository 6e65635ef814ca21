"""The best trial is trained again on all rows after the search: the same bits for all numbers of ranks, lanes and
partitions, after kills, and when it is added to a finished run; each search method; the models with which a run predicts."""

import glob
import json
import os
import shutil
import signal
import sys

import h5py

from program import DIGITS, SHEAF, Checks, Started, journaled, launch, read_csv, sheaf

checks = Checks()
shutil.rmtree("runs", ignore_errors=True)
ROWS = 1797
with open("study.cfg", "w") as file:
    file.write("""[data]
normalize = standard
[model]
kind = mlp
hidden = 16
[train]
epochs = 8
best_weights = true
[search]
folds = 3
ensemble = none
[run]
device = cpu
refit = true
""")
BASE = ["study.cfg", f"--data.file={DIGITS}"]
STUDY = [*BASE, "--search.method=grid", "--search.train.learning_rate=1e-4, 3e-3, 0.3"]
SAME = ["iteration", "stage", "trial", "repeat", "fold", "member", "seed", "status", "final_loss", "validation_loss",
        "validation_score", "epochs", "best_epoch", "steps"]


def rows(directory):
    path = f"runs/{directory}/results.csv"
    return [[row[name] for name in SAME] for row in read_csv(path)] if os.path.exists(path) else []


def column(table, name):
    return [row[SAME.index(name)] for row in table]


def summary(directory):
    with open(f"runs/{directory}/summary.json") as file:
        return json.load(file)


def status(directory):
    return json.loads(sheaf("status", f"runs/{directory}", "--output=json").stdout)


def refit_files(directory):
    """The bytes of the models in refit.txt; None without the list."""
    path = f"runs/{directory}/models/refit.txt"
    if not os.path.exists(path):
        return None
    with open(path) as file:
        names = file.read().split()
    contents = []
    for name in names:
        with open(f"runs/{directory}/models/{name}", "rb") as file:
            contents.append(file.read())
    return contents


def cut_refit(directory):
    """Removes the results of the refit, as if the run had been killed when it began."""
    os.remove(f"runs/{directory}/results.csv")
    for path in glob.glob(f"runs/{directory}/journal/*/*.jsonl"):
        with open(path, "r+b") as file:
            lines = file.read().splitlines(keepends=True)
            kept = next((number + 1 for number, line in enumerate(lines) if b'"refits":[' in line), len(lines))
            file.truncate(sum(map(len, lines[:kept])))


def run(directory, *args, ranks=None, study=STUDY):
    result = sheaf("run", *study, f"--run.output=runs/{directory}", *args, ranks=ranks)
    checks.check(result.code == 0, f"{directory}: the run succeeds", result.stderr)
    checks.check(not os.path.exists(f"runs/{directory}/checkpoints"), f"{directory}: no checkpoints are left")
    return rows(directory)


def check_refit(directory, table, members=1, folds=3, best_weights=True):
    """The last rows are the refit of the first trial of the leaderboard with the length of its median fit."""
    found = summary(directory)
    search, refit = table[:-members], table[-members:]
    with h5py.File(f"runs/{directory}/results.h5") as file:
        best = file["trials"][0]
    fits = [row for row in search if column([row], "trial")[0] == str(best["trial"])
            and column([row], "stage")[0] == str(best["stage"]) and column([row], "status")[0] in ("finished", "cut")]
    of = {name: SAME.index(name) for name in SAME}
    lengths = sorted((int(fit[of["best_epoch"]]) + 1 if best_weights else int(fit[of["epochs"]])) *
                     int(fit[of["steps"]]) // int(fit[of["epochs"]]) for fit in fits)
    steps = str(lengths[(len(lengths) - 1) // 2])
    checks.check(set(column(refit, "trial")) == {str(best["trial"])} == {str(found["best"]["trial"])}
                 and set(column(refit, "steps")) == {steps} and set(column(refit, "fold")) == {str(folds)}
                 and set(column(refit, "repeat")) == {"0"} and set(column(refit, "validation_loss")) == {""}
                 and set(column(refit, "best_epoch")) == {""} and set(column(refit, "status")) == {"finished"}
                 and len(set(column(refit, "stage"))) == 1 and column(refit, "stage")[0] not in column(search, "stage"),
                 f"{directory}: the refit of the best trial has the steps of the median fit", f"{steps} {fits} {refit}")
    checks.check(found["refit"]["trials"][0]["steps"] == int(steps) and len(found["refit"]["models"]) == members
                 and found["best"]["models"] != found["refit"]["models"], f"{directory}: the summary has the refit",
                 str(found["refit"]))
    return int(steps)


reference = run("reference", "--run.lanes=1", "--run.partition=block")
steps = check_refit("reference", reference)
models = refit_files("reference")
for ranks, lanes, partition in ((2, 2, "dynamic"), (3, 1, "cyclic"), (4, 2, "self")):
    name = f"on-{ranks}"
    found = run(name, f"--run.lanes={lanes}", f"--run.partition={partition}", ranks=ranks)
    checks.check(found == reference and refit_files(name) == models, f"{ranks} ranks, {lanes} lanes, {partition}: same bits",
                 str(found))

# The search is that of a run without a refit.
plain = run("plain", "--run.refit=false")
checks.check(plain == reference[:-1] and refit_files("plain") is None, "the results of the search do not change", str(plain))
with h5py.File("runs/reference/results.h5") as refit, h5py.File("runs/plain/results.h5") as without:
    names = [name for name in without["trials"].dtype.names if name != "seconds"]
    checks.check(refit["trials"][:][names].tolist() == without["trials"][:][names].tolist()
                 and len(refit["predictions"]) == len(without["predictions"]) == 3 * ROWS,
                 "the tables of trials and of held-out predictions do not change")
checks.check(summary("reference")["best"]["models"] == summary("plain")["best"]["models"], "best.txt does not change")
result = sheaf("run", *STUDY, "--run.output=runs/again")
epoch = steps // int(column(reference, "steps")[0]) * int(column(reference, "epochs")[0]) - 1
line = f"Refit: the best trial was trained again on all {ROWS} rows for {steps} steps (median best epoch "
checks.check(line in result.stdout and "refit: runs/again/models/refit-1-0.pt; predict with: " in result.stderr,
             "the summary of the run has the refit", result.stdout + result.stderr)
with open("runs/again/README.txt") as file:
    readme = file.read()
checks.check("refit        the best trial was trained again" in readme and "The refit is a TorchScript file:" in readme,
             "README.txt has the refit", readme)
text = sheaf("status", "runs/again").stdout
checks.check(f"refit        trial 1 for {steps} steps (median best epoch " in text and "on all rows; 1/1 iteration trained" in text,
             "the status has the refit", text)

# The models with which a run predicts.
for directory, kind, words in (("reference", "refit", "refit on all rows"), ("plain", "best", "best model")):
    found = json.loads(sheaf("evaluate", f"runs/{directory}", f"--data.file={DIGITS}", "--output=json").stdout)
    checks.check(found["models_kind"] == kind and found["accuracy"] > 0.9, f"evaluate uses the {kind}", str(found))
    result = sheaf("predict", f"runs/{directory}", DIGITS, f"{directory}.csv", "--overwrite")
    checks.check(result.code == 0 and f"({words})" in result.stdout, f"predict says that it uses the {words}", result.stdout)
found = json.loads(sheaf("evaluate", "runs/reference", "--iteration=9", f"--data.file={DIGITS}", "--output=json").stdout)
checks.check(found["accuracy"] > 0.9 and "models_kind" not in found, "evaluate a refit as an iteration", str(found))

# A refit that is added to a finished run, and taken away.
result = sheaf("resume", "runs/plain", "--run.refit=true", ranks=2)
checks.check(result.code == 0 and rows("plain") == reference and refit_files("plain") == models
             and sorted(journaled("runs/plain")) == list(range(10)), "a refit is added: nothing else is trained",
             result.stderr)
result = sheaf("resume", "runs/plain")
checks.check(result.code == 0 and "is already complete" in result.stderr, "the run is complete", result.stderr)
result = sheaf("resume", "runs/plain", "--run.refit=false")
checks.check(result.code == 0 and rows("plain") == reference[:-1] and refit_files("plain") is None,
             "a refit is taken away", result.stderr)
result = sheaf("resume", "runs/plain", "--run.refit=true")
checks.check(result.code == 0 and rows("plain") == reference and refit_files("plain") == models,
             "a refit that was taken away is there again", result.stderr)
run("no-models", "--run.refit=false", "--run.models=none")
result = sheaf("resume", "runs/no-models", "--run.refit=true")
checks.check(result.code == 2 and len(result.error_lines()) == 1 and "run.refit = true needs saved models, but run.models "
             "= none. Set run.models = best" in result.stderr, "resume: a refit needs saved models", result.stderr)
result = sheaf("resume", "runs/no-models", "--run.refit=true", "--run.models=best")
checks.check(result.code == 0 and rows("no-models") == reference and refit_files("no-models") == models
             and "best.txt was not" not in result.stderr, "a refit needs no earlier model", result.stderr)
result = sheaf("run", *STUDY, "--run.output=runs/refused", "--run.models=none")
checks.check(result.code == 2 and len(result.error_lines()) == 1 and "run.refit = true needs saved models" in result.stderr
             and not os.path.exists("runs/refused"), "run.models = none is refused", result.stderr)

# Kills during the refit. Wide networks take longer than a checkpoint.
SLOW = [*BASE, "--search.method=grid", "--search.train.learning_rate=1e-3, 0.3", "--model.hidden=800 800",
        "--run.checkpoint_interval=0.05"]


def refit_checkpoints(directory):
    """Checkpoints of the refit, once the journals have its stage."""
    journals = glob.glob(f"runs/{directory}/journal/*/*.jsonl")
    return any(b'"refits":[' in open(path, "rb").read() for path in journals) and set(
        glob.glob(f"runs/{directory}/checkpoints/*-0-3-0.*"))


slow = run("slow", study=SLOW)
kills = 0
for attempt in range(6):
    begun = os.path.exists("runs/killed/study.cfg")
    before = refit_checkpoints("killed") or set()
    job = Started([SHEAF, "resume", "runs/killed"] if begun else [SHEAF, "run", *SLOW, "--run.output=runs/killed"],
                  ranks=attempt % 3 + 1)
    if job.creep_until(lambda: bool((refit_checkpoints("killed") or set()) - before)):
        if attempt == 0:
            text = sheaf("status", "runs/killed").stdout
            checks.check("0/1 iteration trained" in text and "refit" in text, "the status during a refit", text)
        for process in job.rank_processes():
            os.kill(process, signal.SIGKILL)
        kills += 1
    job.finish()
checks.check(kills > 2, "the run was killed during its refit", str(kills))
if not os.path.exists("runs/killed/results.csv"):
    found = status("killed")
    checks.check(found["state"] == "stopped" and found["refit"]["trained"] == 0 and found["iterations"]["left"] == 1,
                 "the status of a run that stopped in its refit", str(found))
    result = sheaf("resume", "runs/killed")
    checks.check(result.code == 0, "the last resume succeeds", result.stderr)
checks.check(rows("killed") == slow and refit_files("killed") == refit_files("slow"), f"{kills} kills: same bits",
             str(rows("killed")))
checks.check(not os.path.exists("runs/killed/checkpoints"), "no checkpoints are left after kills")

# Each search method; and none.
DRAWN = "--search.train.learning_rate=log_uniform(1e-4, 0.1)"
for name, args, folds in (
        ("random", ["--search.method=random", "--search.trials=4", DRAWN], 3),
        ("tpe", ["--search.method=tpe", "--search.trials=24", "--search.batch=3", "--search.racing=forgiving",
                 "--ensemble.members=2", DRAWN], 3),
        ("patience", ["--search.method=random", "--search.trials=40", "--search.patience=3", DRAWN], 3),
        ("halving", ["--search.method=halving", "--search.trials=6", DRAWN], 3),
        ("hyperband", ["--search.method=hyperband", "--search.trials=6", DRAWN], 3),
        ("median", ["--search.method=median", "--search.trials=4", "--search.interval=3", DRAWN], 3),
        ("time", ["--search.method=random", "--search.trials=100000", "--search.time=2", DRAWN], 3),
        ("time-streamed", ["--search.method=random", "--search.trials=100000", "--search.time=2", "--train.epochs=300",
                           "--data.mode=streamed", "--data.memory=1", "--data.window=300", DRAWN], 3),
        ("none", ["--search.folds=1", "--data.validation=0.2"], 1),
        ("no-validation", ["--search.folds=1", "--data.validation=0", "--train.best_weights=false", "--train.patience=none"], 1),
        ("plateau", ["--search.folds=1", "--data.validation=0.2", "--train.schedule=plateau", "--train.plateau_patience=0"], 1),
        ("torch", ["--run.engine=torch", "--search.folds=1", "--data.validation=0.2", "--train.epochs=2"], 1),
        ("stopping", ["--search.folds=2", "--search.method=grid", "--search.model.hidden=8, 16",
                      "--train.stop_fraction=0.2", "--train.schedule=cosine"], 2)):
    found = run(name, *args, study=BASE, ranks=1 if name == "torch" else 2)
    check_refit(name, found, members=2 if name == "tpe" else 1, folds=folds, best_weights=name != "no-validation")
    if name == "tpe":
        checks.check(summary(name)["best"]["trial"] >= 10, "tpe: the best trial was drawn from results")
    if name in ("tpe", "halving"):
        other = run(f"{name}-alone", *args, study=BASE)
        checks.check(other == found and refit_files(f"{name}-alone") == refit_files(name), f"{name}: same bits on one rank",
                     str(other))
        saved = refit_files(name)
        cut_refit(name)
        result = sheaf("resume", f"runs/{name}", "--run.partition=cyclic", "--run.lanes=1", ranks=2)
        checks.check(result.code == 0 and rows(name) == found and refit_files(name) == saved,
                     f"{name}: the recorded refit is trained, on ranks that do not know its trial", result.stderr)
        shutil.rmtree(f"runs/{name}/models")
        os.remove(f"runs/{name}/results.csv")
        result = sheaf("resume", f"runs/{name}", ranks=3)
        checks.check(result.code == 0 and rows(name) == found and "refit.txt was not written" in result.stderr,
                     f"{name}: the recorded refit is taken", result.stderr)

# The time of a search contains its refit, which has twice the rows of a fit here; unit_commands_train_training has the times.
run("long", "--search.method=random", "--search.trials=none", "--search.time=6", "--search.folds=2",
    "--search.train.learning_rate=log_uniform(1e-4, 1e-3)", "--train.epochs=20000", "--train.batch_size=16",
    "--train.best_weights=false", "--run.lanes=2", study=BASE)
with open("runs/long/journal/00001/00000.jsonl") as file:
    lines = [json.loads(line) for line in file if line.startswith('{"iteration"')]
trained = [line for line in lines if line["status"] == "finished"]
checks.check(len(trained) >= 3 and trained[-1]["seconds"] > 0.3, "a search with a time ends with its refit", str(trained[-1]))

# Ensembles: the trial that ranks first by the score of its ensembles, with all members.
ensemble = run("ensemble", "--ensemble.members=3", "--ensemble.bootstrap=true", ranks=2)
check_refit("ensemble", ensemble, members=3)
found = json.loads(sheaf("evaluate", "runs/ensemble", f"--data.file={DIGITS}", "--output=json").stdout)
checks.check(len(found["models"]) == 3 and found["models_kind"] == "refit", "evaluate uses all members", str(found))
result = sheaf("run", *STUDY, "--ensemble.members=3", "--ensemble.bootstrap=true", "--run.refit=false",
               "--run.output=runs/ensemble-later")
result = sheaf("resume", "runs/ensemble-later", "--run.refit=true")
checks.check(result.code == 0 and rows("ensemble-later") == ensemble, "ensembles: a refit is added", result.stderr)

# Streamed data; test rows; rows of another file are not trained on.
STREAMED = [*STUDY, "--data.mode=streamed", "--data.memory=1", "--data.window=300"]
streamed = run("streamed", study=STREAMED)
check_refit("streamed", streamed)
found = run("streamed-2", "--run.lanes=2", study=STREAMED, ranks=2)
checks.check(found == streamed and refit_files("streamed-2") == refit_files("streamed"), "streamed: same bits", str(found))
job = Started([SHEAF, "run", *STREAMED, "--run.output=runs/streamed-killed", "--run.checkpoint_interval=0.01"])
if job.creep_until(lambda: bool(glob.glob("runs/streamed-killed/checkpoints/*-0-3-0.*"))):
    job.kill()
result = sheaf("resume", "runs/streamed-killed", ranks=2)
checks.check(result.code == 0 and rows("streamed-killed") == streamed, "streamed: same bits after a kill", result.stderr)
result = sheaf("run", *STUDY, "--data.test=0.1", "--run.output=runs/test")
found = summary("test")
checks.check("Test of the refit: " in result.stdout and found["test"]["models"] == "refit" and found["refit"]["rows"] == 1617
             and found["test"]["rows"] == 180 and found["test"]["metrics"]["accuracy"] > 0.85, "the test rows are those of the refit",
             result.stdout + result.stderr + str(found))
run("valid", f"--data.validation_file={DIGITS}", "--search.folds=1", "--train.epochs=2", study=BASE)
checks.check(summary("valid")["refit"]["rows"] == ROWS, "rows of data.validation_file stay out", str(summary("valid")))

# A search that goes on gets another refit.
run("grown", "--search.method=random", DRAWN, "--search.trials=3", study=BASE)
result = sheaf("resume", "runs/grown", "--search.trials=6", ranks=2)
whole = run("whole", "--search.method=random", DRAWN, "--search.trials=6", study=BASE)
checks.check(result.code == 0 and rows("grown") == whole and refit_files("grown") == refit_files("whole"),
             "a search that grew has the refit of the larger one", result.stderr + str(rows("grown")))
checks.check(sorted(os.listdir("runs/grown/models")) == sorted(os.listdir("runs/whole/models")), "no other models are left",
             str(os.listdir("runs/grown/models")))

# A job array trains the search, a job after it the refit.
for task in range(2):
    result = sheaf("run", *STUDY, "--run.output=runs/array", f"--run.array={task}/2")
    checks.check(result.code == 0, f"array: task {task}", result.stderr)
checks.check("all iterations have results. Start the refit with: sheaf resume runs/array" in result.stderr
             and not os.path.exists("runs/array/results.csv"), "the last task names the refit", result.stderr)
found = status("array")
checks.check(found["state"] == "stopped" and found["iterations"]["planned"] == 10 and found["refit"] is None,
             "the status of a run without its refit", str(found))
result = sheaf("resume", "runs/array")
checks.check(result.code == 0 and rows("array") == reference, "a job after the array trains the refit", result.stderr)

# Failed iterations hold up the refit; a search without a finished training has none.
result = launch([SHEAF, "plan", *STUDY])
checks.check(f"refit        1 iteration: the best trial, trained again on all {ROWS} rows" in result.stdout,
             "plan counts the refit", result.stdout + result.stderr)
result = sheaf("run", *BASE, "--search.folds=1", "--data.validation=0.2", "--train.optimizer=sgd",
               "--train.learning_rate=1e30", "--run.output=runs/diverged")
checks.check("there is no refit (no training of the best trial finished)" in result.stderr and len(rows("diverged")) == 1
             and status("diverged")["state"] == "finished", "no refit of a diverged trial", result.stderr)
sys.exit(checks.finish())
