"""The run directory: results.csv and results.h5, read in Python and by h5dump, have the right contents and agree."""

import json
import os
import re
import shutil
import subprocess
import sys
import time

import h5py
import numpy

from program import DIGITS, SOURCE, Checks, read_csv, sheaf

checks = Checks()
shutil.rmtree("run", ignore_errors=True)
study = os.path.join(SOURCE, "jobs", "studies", "digits-search.cfg")
args = [study, f"--data.file={DIGITS}", "--train.epochs=2", "--search.folds=2", "--ensemble.members=2",
        "--search.model.hidden=8, 16 8", "--search.train.learning_rate=1e-3, 1e-2", "--run.output=run",
        "--run.models=none", "--run.curves=no", "--run.predictions=none", "--data.validation=0"]
result = sheaf("run", *args, ranks=2, environment={"USER": "anna"})
checks.check(result.code == 0, "the run succeeds", result.stderr)
lines = result.timed.splitlines()
checks.check(len(lines) > 3 and all(re.match(r"\d\d:\d\d:\d\d \S", line) for line in lines) and
             not re.search(r"^\d\d:\d\d:\d\d", result.stdout, re.MULTILINE), "log lines have the time", result.timed)
shutil.rmtree("zone", ignore_errors=True)
local = sheaf("run", "run/study.cfg", "--run.output=zone", environment={"TZ": "XYZ-5:30"}).timed
hours, minutes, seconds = map(int, local[:8].split(":"))
checks.check((time.time() + 19800 - 3600 * hours - 60 * minutes - seconds) % 86400 < 300, "the time is local", local)
refused = sheaf("run", study, "--run.output=run")
checks.check(refused.code == 1 and "\nerror: " in "\n" + refused.timed,
             "an error before the run begins has no time", refused.timed)
checks.check("Best: " in result.stdout and "rank" in result.stdout.splitlines()[0], "the summary has a leaderboard",
             result.stdout)
checks.check(sorted(os.listdir("run")) == ["README.txt", "journal", "results.csv", "results.h5", "study.cfg",
                                           "summary.json"],
             "files of the run directory", str(os.listdir("run")))

rows = read_csv("run/results.csv")
checks.check(len(rows) == 16, "results.csv has one line per iteration", str(len(rows)))
checks.check([int(row["iteration"]) for row in rows] == list(range(16)), "iterations are in order")
checks.check(list(rows[0]) == ["iteration", "stage", "trial", "fold", "member", "repeat", "seed", "model.hidden",
                               "train.learning_rate", "status", "final_loss", "validation_loss", "validation_score",
                               "epochs", "best_epoch", "steps", "seconds", "data_seconds", "training_seconds",
                               "validation_seconds", "wait_seconds", "rank", "lane", "device", "engine", "message"], "columns of results.csv", str(list(rows[0])))
checks.check({row["model.hidden"] for row in rows} == {"8", "16 8"}, "values of model.hidden")
checks.check({row["status"] for row in rows} == {"finished"}, "all iterations finished")
checks.check(all(int(row["steps"]) == 2 * -(-1797 // 2 // 32) for row in rows[:1]), "number of steps", rows[0]["steps"])
checks.check({row["rank"] for row in rows} <= {"0", "1"}, "rank column")
trained = {name: sum(row["engine"] == name for row in rows) for name in ("torch", "native")}
checks.check(sum(trained.values()) == 16, "engine column", str(trained))
line = [line for line in result.stdout.splitlines() if line.startswith("engine: ")]
checks.check(len(line) == 1 and all((f"{name} {count} iteration" in line[0]) == (count > 0)
                                    for name, count in trained.items()), "the summary counts iterations per engine",
             str(line))

with h5py.File("run/results.h5", "r") as file:
    table = file["iterations"][:]
    checks.check(len(table) == 16, "/iterations has one row per iteration")
    for name in ("final_loss", "validation_loss", "validation_score"):
        checks.check(numpy.array_equal(table[name], [float(row[name]) for row in rows]),
                     f"{name}: the CSV file has all digits")
    checks.check(table["model.hidden"][0].decode() == "8", "text column of /iterations", str(table["model.hidden"][0]))
    checks.check(table["train.learning_rate"].dtype == float and
                 numpy.array_equal(table["train.learning_rate"], [float(row["train.learning_rate"]) for row in rows]),
                 "a searched number is a column of numbers", str(table.dtype))
    trials = file["trials"][:]
    checks.check(list(trials["rank"]) == [1, 2, 3, 4], "/trials is sorted from best to worst")
    ensembles = file["ensembles"][:]
    checks.check(len(ensembles) == 8, "/ensembles has one row for each trial and fold")
    best = [e["score"] for e in ensembles if e["trial"] == trials["trial"][0]]
    checks.check(abs(numpy.mean(best) - trials["mean_score"][0]) < 1e-12,
                 "the score of a trial is the mean of its ensembles")
    checks.check(abs(numpy.std(best) - trials["score_deviation"][0]) < 1e-12,
                 "the deviation is the population standard deviation")
    members = [float(row["validation_score"]) for row in rows[:2]]
    checks.check(abs(ensembles["mean_member_score"][0] - numpy.mean(members)) < 1e-12, "mean score of the members")
    checks.check(len(file["ranks"]) == 2, "/ranks has one row per rank")
    checks.check("epochs" not in file, "no /epochs without run.curves")
    for name in ("program", "git_revision", "command_line", "study", "mpi", "libtorch", "hdf5", "data_fingerprint",
                 "started_utc", "wall_seconds", "attempts"):
        checks.check(name in file.attrs and str(file.attrs[name]), f"attribute {name}")
    checks.check("model.hidden = 8, 16 8" in file.attrs["study"], "the attribute study has the values used",
                 file.attrs["study"])

dump = subprocess.run(["h5dump", "-H", "run/results.h5"], capture_output=True, text=True)
checks.check(dump.returncode == 0 and "DATASET \"iterations\"" in dump.stdout, "h5dump reads it", dump.stderr)

# The description of the run.
with open("run/summary.json") as file:
    summary = json.load(file)
with open("run/README.txt") as file:
    readme = file.read()
best = trials[0]
checks.check(summary["best"]["mean_score"] == best["mean_score"] and summary["best"]["trial"] == best["trial"] and
             summary["best"]["keys"]["train.learning_rate"] == repr(float(best["train.learning_rate"])) and
             summary["best"]["models"] == [], "summary.json has the best trial", str(summary))
checks.check(summary["iterations"] == {"total": 16, "finished": 16, "diverged": 0, "failed": 0, "pruned": 0,
                                     "unfinished": 0, "cut": 0} and
             summary["rank_count"] == 2 and summary["user"] == "anna", "summary.json counts iterations and ranks",
             str(summary))
checks.check(summary["data"] == {"file": os.path.normpath(DIGITS), "content_hash": None, "rows": 1797, "features": 64,
                                 "named_features": 0}, "summary.json has the data", str(summary["data"]))
checks.check(summary["changed_keys"]["train.epochs"] == "2" and "train.momentum" not in summary["changed_keys"] and
             summary["changed_keys"]["search.model.hidden"] == "8, 16 8", "summary.json has the changed keys",
             str(summary["changed_keys"]))
checks.check("anna" in readme and "  train.epochs = 2\n" in readme and "No model was saved" in readme, "README.txt",
             readme)
checks.check(f"best         {result.stdout.split('Best: ')[1].splitlines()[0]}\n" in readme,
             "README.txt has the best trial", readme)

# Two lanes have a single iteration, so that one of them is idle.
shutil.rmtree("idle", ignore_errors=True)
result = sheaf("run", DIGITS, "--train.epochs=20", "--train.batch_size=1", "--run.lanes=1", "--run.output=idle", ranks=2)
with open("idle/summary.json") as file:
    lanes = json.load(file)["lanes"]
checks.check(lanes["count"] == 2 and 0.4 < lanes["idle_share"] < 0.6 and
             f"\nlanes: 2, idle for {100 * lanes['idle_share']:.1f} % of the time\n" in result.stdout,
             "the summary has the share of idle lanes", str(lanes) + result.stdout)

# Names and content of an imported file; a README.txt of somebody else stays.
with open("table.csv", "w") as file:
    file.write("a,b,kind\n" + "".join(f"{row},{row % 3},{'xy'[row % 2]}\n" for row in range(20)))
shutil.rmtree("named", ignore_errors=True)
os.mkdir("named")
with open("named/README.txt", "w") as file:
    file.write("mine")
if os.path.exists("table.h5"):
    os.remove("table.h5")
checks.check(sheaf("import", "table.csv", "table.h5").code == 0, "a CSV file is imported")
named = sheaf("run", study, "--data.file=table.h5", "--search.folds=2", "--run.models=best", "--run.output=named")
with open("named/summary.json") as file:
    summary = json.load(file)
checks.check(named.code == 0 and summary["data"]["named_features"] == 2 and summary["data"]["content_hash"],
             "summary.json has the content hash and the named features", str(summary["data"]))
with open("named/models/best.txt") as file:
    checks.check(summary["best"]["models"] == ["models/" + name for name in file.read().split()],
                 "summary.json has the best model", str(summary["best"]))
last = [line for line in named.stderr.splitlines() if line.startswith("best model: ")][-1]
checks.check(last.endswith("predict with: sheaf predict named NEW.csv OUT.csv --model=best") and
             f"best model: named/{summary['best']['models'][0]}; " in last, "the log names the best model", last)
if os.path.exists("predicted.csv"):
    os.remove("predicted.csv")
predicted = sheaf("predict", "named", "table.csv", "predicted.csv")
checks.check(predicted.code == 0 and len(read_csv("predicted.csv")) == 20, "the command predicts", predicted.stderr)
with open("named/README.txt") as file:
    checks.check(file.read() == "mine" and "named/README.txt' was not replaced" in named.stderr,
                 "a README.txt of somebody else stays", named.stderr)

# Curves: every epoch of every iteration, in order. The last one agrees with /iterations, and the number of ranks does
# not matter. The second learning rate diverges.
curves = []
for ranks in (1, 3):
    shutil.rmtree("curves", ignore_errors=True)
    result = sheaf("run", study, f"--data.file={DIGITS}", "--train.epochs=4", "--search.folds=3", "--train.loss=mse",
                   "--train.optimizer=sgd", "--search.model.hidden=4", "--search.train.learning_rate=1e-2, 1e30",
                   "--run.curves=true", "--run.output=curves", ranks=ranks)
    checks.check(result.code == 0, f"run.curves on {ranks} ranks: the run succeeds", result.stderr)
    with h5py.File("curves/results.h5", "r") as file:
        iterations, epochs = file["iterations"][:], file["epochs"][:]
    curves.append(epochs.tobytes())
    checks.check({status.decode() for status in iterations["status"]} == {"finished", "diverged"},
                 "the second learning rate diverges")
    checks.check(epochs.dtype.names == ("iteration", "epoch", "training_loss", "validation_loss", "validation_score"),
                 "columns of /epochs", str(epochs.dtype))
    checks.check([(row["iteration"], row["epoch"]) for row in epochs] ==
                 [(number, epoch) for number in range(6) for epoch in range(iterations["epochs"][number])],
                 "/epochs has all trained epochs, in order", str(epochs))
    last = epochs[numpy.cumsum(iterations["epochs"]) - 1]
    for ours, theirs in (("training_loss", "final_loss"), ("validation_loss",) * 2, ("validation_score",) * 2):
        checks.check(numpy.array_equal(last[ours], iterations[theirs], equal_nan=True),
                     f"{ours} of the last epoch agrees with /iterations", str(last))
    checks.check(numpy.isfinite(epochs[:4]["validation_score"]).all(), "every epoch has a validation score",
                 str(epochs[:4]))
checks.check(curves[0] == curves[1], "curves do not depend on the number of ranks")

# The stored study reproduces the run.
shutil.rmtree("again", ignore_errors=True)
result = sheaf("run", "run/study.cfg", "--run.output=again")
checks.check(result.code == 0, "the stored study.cfg runs", result.stderr)
again = read_csv("again/results.csv")
checks.check([row["final_loss"] for row in again] == [row["final_loss"] for row in rows],
             "the stored study.cfg gives the same losses")

# The leaderboard and the best trial follow the validation loss, or the metric that the study names.
shutil.rmtree("by_score", ignore_errors=True)
result = sheaf("run", "run/study.cfg", "--run.output=by_score", "--search.metric=accuracy")
checks.check(result.code == 0 and "(mean accuracy " in result.stdout, "the summary has the best accuracy",
             result.stdout)
with h5py.File("by_score/results.h5", "r") as file:
    scores = file["trials"]["mean_score"]
checks.check((numpy.diff(scores) <= 0).all(), "trials are ranked by the accuracy", str(scores))
with h5py.File("run/results.h5", "r") as file:
    losses = file["trials"]["mean_validation_loss"]
checks.check((numpy.diff(losses) >= 0).all(), "trials are ranked by the validation loss", str(losses))
sys.exit(checks.finish())
