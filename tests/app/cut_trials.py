"""Trainings that run when search.time is over: they are cut and count with their best epoch so far, trees and networks, in
memory and streamed, on any number of ranks. Kills, extensions and `sheaf verify` take them as they are recorded."""

import glob
import json
import os
import shutil

import numpy

from interrupted import streamed_study
from program import DIGITS, SHEAF, Checks, Started, read_csv, sheaf

checks = Checks()
shutil.rmtree("cut-trials", ignore_errors=True)
os.makedirs("cut-trials")
os.chdir("cut-trials")
QUIET = ["--run.device=cpu", "--run.progress=none"]
SAME = ["iteration", "trial", "fold", "stage", "status", "final_loss", "validation_loss", "validation_score", "epochs",
        "best_epoch", "steps"]


def rows(run):
    path = f"{run}/results.csv"
    return [{name: row[name] for name in (*SAME, "message")} for row in read_csv(path)] if os.path.exists(path) else []


def cut_rows(run):
    return [row for row in rows(run) if row["status"] == "cut"]


def lines_of(run):
    """The journal lines of a run, by file."""
    found = {}
    for path in sorted(glob.glob(f"{run}/journal/*/*.jsonl")):
        with open(path) as file:
            found[path] = file.readlines()
    return found


def is_cut(line):
    return '"status":"cut"' in line


def check_cut(run, result, what):
    """The results of a search some of whose trainings were cut; returns these."""
    cut = cut_rows(run)
    checks.check(result.code == 0 and cut, f"{what}: trainings are cut", f"{result.stdout}{result.stderr}{rows(run)}")
    checks.check(f" cut (search.time was over" in result.stdout, f"{what}: the summary counts them", result.stdout)
    for row in cut:
        checks.check(0 <= int(row["best_epoch"]) < int(row["epochs"]) and int(row["steps"]) % int(row["epochs"]) == 0
                     and float(row["validation_loss"]) < 1e3, f"{what}: the result of the best epoch", str(row))
    return cut


# Trees that take longer than the search: they are cut, and trained again up to their best rounds.
random = numpy.random.default_rng(5)
numbers = random.normal(size=(30000, 6)).round(4)
value = numbers[:, 0] * numbers[:, 1] + numpy.sin(3 * numbers[:, 2]) + numbers[:, 3:].max(axis=1)
numpy.savetxt("table.csv", numpy.column_stack([numbers, value]), delimiter=",", header="a,b,c,d,e,f,value", comments="",
              fmt="%.5g")
result = sheaf("import", "table.csv", "table.h5", "--task=regression")
checks.check(result.code == 0, "the table is imported", result.stderr)
for ranks in (None, 2):
    run = f"trees-{ranks}"
    lanes = ["--run.lanes=2"] if ranks is None else []
    result = sheaf("run", "table.h5", "--search.time=3s", *QUIET, *lanes, f"--run.output={run}", ranks=ranks)
    cut = check_cut(run, result, run)
    refits = {row["trial"]: row for row in rows(run) if row["stage"] == "1"}
    checks.check(any(row["trial"] in refits for row in cut), f"{run}: the ensemble has trials that were cut",
                 f"{cut} {refits}")
    for row in cut:
        refit = refits.get(row["trial"])
        checks.check(refit is None or refit["status"] == "finished" and int(refit["epochs"]) == int(row["best_epoch"]) + 1,
                     f"{run}: the refit follows the best epoch", f"{row} {refit}")
state = json.loads(sheaf("status", "trees-None", "--output=json").stdout)
checks.check(state["state"] == "finished" and state["iterations"]["cut"] == len(cut_rows("trees-None")),
             "the status counts them", str(state))
checks.check(" cut " in sheaf("report", "trees-None").stdout, "the report marks their trials")
with open("trees-None/summary.json") as file:
    summary = json.load(file)
checks.check(summary["iterations"]["cut"] == len(cut_rows("trees-None")), "summary.json counts them", str(summary))
result = sheaf("verify", "trees-None", "--iterations=all")
checks.check(result.code == 0, "trained again for as many rounds, they have the same bits", result.stdout + result.stderr)

# A kill at any moment after a result was recorded: it is taken as it is. Journals without their last lines are those of
# such kills.
whole = rows("trees-None")
cut = cut_rows("trees-None")
all_lines = lines_of("trees-None")
journal, = all_lines
last_cut = max(number for number, line in enumerate(all_lines[journal]) if is_cut(line))
for kept in (last_cut + 1, last_cut + 2, len(all_lines[journal]) - 1):
    shutil.rmtree("killed", ignore_errors=True)
    shutil.copytree("trees-None", "killed")
    for name in ("results.csv", "results.h5", "summary.json"):
        os.remove(f"killed/{name}")
    with open(journal.replace("trees-None", "killed"), "w") as file:
        file.writelines(all_lines[journal][:kept])
    result = sheaf("resume", "killed", ranks=2)
    found = rows("killed")
    checks.check(result.code == 0 and all(row in found for row in cut), f"killed after line {kept}: the results stay",
                 f"{result.stderr}{cut} {found}")
    checks.check(sum(map(is_cut, sum(lines_of("killed").values(), []))) == len([row for row in found if row["status"] == "cut"]),
                 f"killed after line {kept}: they are not trained again", str(found))
checks.check(found == whole, "a job that is killed in the refit ends with the same results", f"{whole} {found}")

# A search that goes on keeps them.
result = sheaf("resume", "killed", "--search.time=9s")
longer = rows("killed")
checks.check(result.code == 0 and len(longer) > len(whole) and all(row in longer for row in cut),
             "an extended search keeps them", f"{result.stderr}{longer}")

# A job that is killed while it trains.
job = Started([SHEAF, "run", "table.h5", "--search.time=3s", "--run.lanes=2", *QUIET, "--run.output=really-killed"])
checks.check(job.creep_until(lambda: any(map(is_cut, sum(lines_of("really-killed").values(), [])))), "a training is cut")
job.kill()
job.finish()
recorded = {int(json.loads(line)["iteration"]) for line in sum(lines_of("really-killed").values(), [])
            if is_cut(line) and line.endswith("}\n")}
result = sheaf("resume", "really-killed")
found = {int(row["iteration"]) for row in cut_rows("really-killed")}
checks.check(result.code == 0 and recorded and recorded <= found, "a killed search keeps what was cut",
             f"{result.stderr}{recorded} {found}")

# Networks that would train for very long: the first trial is cut as well.
ENDLESS = ["--search.method=random", "--search.model.hidden=integer(8, 32)", "--train.epochs=1000000", "--train.patience=1000000",
           "--search.time=2s", "--run.refit=true", "--run.models=best", *QUIET]
MEMORY = ["run", DIGITS, "--data.validation=0.2", "--model.kind=mlp"]
STREAMED = ["run", "streamed.h5", *[arg for arg in streamed_study("native") if arg.startswith("--data.")][1:],
            "--data.validation=0.2", "--model.kind=mlp"]
for name, study in (("memory", MEMORY), ("streamed", STREAMED)):
    for ranks in (None, 2):
        run = f"{name}-{ranks}"
        result = sheaf(*study, *ENDLESS, f"--run.output={run}", ranks=ranks)
        check_cut(run, result, run)
        checks.check(all(row["status"] in ("cut", "unfinished") for row in rows(run) if row["stage"] == "0"),
                     f"{run}: no training ends by itself", str(rows(run)))
        checks.check(result.seconds < 20, f"{run}: the search ends", f"{result.seconds} s")
        result = sheaf("verify", run, "--iterations=all")
        checks.check(result.code == 0, f"{run}: the same bits", result.stdout + result.stderr)

# Each fold of a trial is cut. A learning rate that depends on the number of epochs, or the last epoch as the result: a
# training that is not over has no result.
FOLDS = [arg for arg in ENDLESS if not arg.startswith("--train.epochs")] + [
    "--search.train.epochs=2, 1000000", "--search.start=train.epochs = 2; train.epochs = 1000000", "--search.trials=2",
    "--search.folds=2", "--run.lanes=2"]
for name, args, cuts in (("folds", [], True), ("cosine", ["--train.schedule=cosine", "--train.best_weights=true"], False),
                         ("last", ["--train.patience=none", "--train.best_weights=false"], False)):
    keys = {arg.split("=")[0]: arg for arg in [*FOLDS, *args]}
    if name == "cosine":
        keys.pop("--train.patience")
    result = sheaf("run", DIGITS, "--model.kind=mlp", *keys.values(), f"--run.output={name}")
    found = [(row["trial"], row["status"]) for row in rows(name) if row["stage"] == "0"]
    checks.check(result.code == 0 and found == [("0", "finished")] * 2 + [("1", "cut")] * 2 * cuts,
                 f"{name}: the folds of the second trial", f"{result.stderr}{found}")
raise SystemExit(checks.finish())
