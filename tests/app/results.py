"""The run directory: results.csv and results.h5 as Python reads them, h5dump, and what they must agree on."""

import os
import shutil
import subprocess
import sys

import h5py
import numpy

from program import DIGITS, SOURCE, Checks, read_csv, sheaf

checks = Checks()
shutil.rmtree("run", ignore_errors=True)
study = os.path.join(SOURCE, "jobs", "studies", "digits-search.cfg")
words = [study, f"--data.file={DIGITS}", "--train.epochs=2", "--search.folds=2", "--ensemble.members=2",
         "--search.model.hidden=8, 16 8", "--search.train.learning_rate=1e-3, 1e-2", "--run.output=run"]
result = sheaf("run", *words, ranks=2)
checks.check(result.code == 0, "the run succeeds", result.stderr)
checks.check("Best: " in result.stdout and "rank" in result.stdout.splitlines()[0], "a leaderboard", result.stdout)
checks.check(sorted(os.listdir("run")) == ["journal", "results.csv", "results.h5", "study.cfg"], "the files", str(os.listdir("run")))

rows = read_csv("run/results.csv")
checks.check(len(rows) == 16, "an iteration a line", str(len(rows)))
checks.check([int(row["iteration"]) for row in rows] == list(range(16)), "in order")
checks.check(list(rows[0]) == ["iteration", "stage", "trial", "fold", "member", "repeat", "seed", "model.hidden",
                               "train.learning_rate", "status", "final_loss", "validation_loss", "validation_score",
                               "epochs", "steps", "seconds", "wait_seconds", "rank", "lane", "device", "engine",
                               "message"], "the columns", str(list(rows[0])))
checks.check({row["model.hidden"] for row in rows} == {"8", "16 8"}, "the searched layers")
checks.check({row["status"] for row in rows} == {"finished"}, "all finished")
checks.check(all(int(row["steps"]) == 2 * -(-1797 // 2 // 32) for row in rows[:1]), "steps", rows[0]["steps"])
checks.check({row["rank"] for row in rows} <= {"0", "1"}, "ranks")
trained = {name: sum(row["engine"] == name for row in rows) for name in ("torch", "native")}
checks.check(sum(trained.values()) == 16, "each was trained by an engine", str(trained))
line = [line for line in result.stdout.splitlines() if line.startswith("engine: ")]
checks.check(len(line) == 1 and all((f"{name} {count} iteration" in line[0]) == (count > 0)
                                    for name, count in trained.items()), "the summary counts them", str(line))

with h5py.File("run/results.h5", "r") as file:
    table = file["iterations"][:]
    checks.check(len(table) == 16, "rows of /iterations")
    for name in ("final_loss", "validation_loss", "validation_score"):
        checks.check(numpy.array_equal(table[name], [float(row[name]) for row in rows]), f"{name} is exact in the CSV")
    checks.check(table["model.hidden"][0].decode() == "8", "text columns", str(table["model.hidden"][0]))
    trials = file["trials"][:]
    checks.check(list(trials["rank"]) == [1, 2, 3, 4], "trials, best first")
    ensembles = file["ensembles"][:]
    checks.check(len(ensembles) == 8, "an ensemble for each trial and fold")
    best = [e["score"] for e in ensembles if e["trial"] == trials["trial"][0]]
    checks.check(abs(numpy.mean(best) - trials["mean_score"][0]) < 1e-12, "trials are ranked by their ensembles")
    checks.check(abs(numpy.std(best) - trials["score_deviation"][0]) < 1e-12, "the deviation is the population's")
    members = [float(row["validation_score"]) for row in rows[:2]]
    checks.check(abs(ensembles["mean_member_score"][0] - numpy.mean(members)) < 1e-12, "the members' mean")
    checks.check(len(file["ranks"]) == 2, "a row a rank")
    checks.check("epochs" not in file, "no curves unasked")
    for name in ("program", "git_revision", "command_line", "study", "mpi", "libtorch", "hdf5", "data_fingerprint",
                 "started_utc", "wall_seconds", "attempts"):
        checks.check(name in file.attrs and str(file.attrs[name]), f"provenance {name}")
    checks.check("model.hidden = 8, 16 8" in file.attrs["study"], "the study as used", file.attrs["study"])

dump = subprocess.run(["h5dump", "-H", "run/results.h5"], capture_output=True, text=True)
checks.check(dump.returncode == 0 and "DATASET \"iterations\"" in dump.stdout, "h5dump reads it", dump.stderr)

# Curves: every epoch of every iteration, in order; the last is what /iterations says, and other ranks change nothing.
# The other learning rate diverges.
curves = []
for ranks in (1, 3):
    shutil.rmtree("curves", ignore_errors=True)
    result = sheaf("run", study, f"--data.file={DIGITS}", "--train.epochs=4", "--search.folds=3", "--train.loss=mse",
                   "--train.optimizer=sgd", "--search.model.hidden=4", "--search.train.learning_rate=1e-2, 1e30",
                   "--run.curves=true", "--run.output=curves", ranks=ranks)
    checks.check(result.code == 0, f"curves on {ranks} ranks", result.stderr)
    with h5py.File("curves/results.h5", "r") as file:
        iterations, epochs = file["iterations"][:], file["epochs"][:]
    curves.append(epochs.tobytes())
    checks.check({status.decode() for status in iterations["status"]} == {"finished", "diverged"}, "some diverge")
    checks.check(epochs.dtype.names == ("iteration", "epoch", "training_loss", "validation_loss", "validation_score"),
                 "the columns of /epochs", str(epochs.dtype))
    checks.check([(row["iteration"], row["epoch"]) for row in epochs] ==
                 [(number, epoch) for number in range(6) for epoch in range(iterations["epochs"][number])],
                 "each epoch done, in order", str(epochs))
    last = epochs[numpy.cumsum(iterations["epochs"]) - 1]
    for ours, theirs in (("training_loss", "final_loss"), ("validation_loss",) * 2, ("validation_score",) * 2):
        checks.check(numpy.array_equal(last[ours], iterations[theirs], equal_nan=True), f"the last {ours}", str(last))
    checks.check(numpy.isfinite(epochs[:4]["validation_score"]).all(), "each epoch is validated", str(epochs[:4]))
checks.check(curves[0] == curves[1], "curves do not depend on the ranks")

# The stored study gives the same run again.
shutil.rmtree("again", ignore_errors=True)
result = sheaf("run", "run/study.cfg", "--run.output=again")
checks.check(result.code == 0, "study.cfg runs again", result.stderr)
again = read_csv("again/results.csv")
checks.check([row["final_loss"] for row in again] == [row["final_loss"] for row in rows], "with the same losses")

# search.metric = loss: the leaderboard, and so the best trial, follow the validation loss.
shutil.rmtree("by_loss", ignore_errors=True)
result = sheaf("run", "run/study.cfg", "--run.output=by_loss", "--search.metric=loss")
checks.check(result.code == 0 and "(mean validation loss " in result.stdout, "the best by loss is told", result.stdout)
with h5py.File("by_loss/results.h5", "r") as file:
    losses = file["trials"]["mean_validation_loss"]
checks.check((numpy.diff(losses) >= 0).all(), "trials are ranked by the validation loss", str(losses))
sys.exit(checks.finish())
