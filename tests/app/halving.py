"""Successive halving: the trainings of a stage continue those of the one before. Same results for all numbers of ranks
and lanes and after kills; the survivors are bit for bit those of a search that trains all trials to the end."""

import json
import os
import random
import re
import shutil
import signal
import sys

import h5py
import numpy

from program import DIGITS, SHEAF, SOURCE, Checks, Started, journaled, launch, read_csv, sheaf
from staged import SAME, kill_at, of_stage, rows, run_staged

checks = Checks()
shutil.rmtree("runs", ignore_errors=True)
STUDY = [os.path.join(SOURCE, "jobs", "studies", "digits-halving.cfg"), f"--data.file={DIGITS}", "--run.device=cpu",
         "--train.epochs=18", "--search.trials=18"]
ENDS, TRIALS, FOLDS = (2, 6, 18), (18, 6, 2), 3


def run(directory, *args, ranks=None, study=STUDY):
    return run_staged(checks, study, directory, *args, ranks=ranks)


reference = run("reference", "--run.lanes=1", "--run.partition=block", "--run.curves=true")
checks.check([len(of_stage(reference, stage)) for stage in range(4)] == [FOLDS * count for count in TRIALS] + [0],
             "the stages have 18, 6 and 2 trials", str(reference))
checks.check(all(row[10] == str(ENDS[int(row[1])]) for row in reference), "epochs of the stages", str(reference))
previous = None
for stage in range(3):
    means = {}
    for row in of_stage(reference, stage):
        means.setdefault(int(row[2]), []).append(float(row[8]))
    if previous:
        best = sorted(previous, key=lambda trial: numpy.mean(previous[trial]))[:len(means)]
        checks.check(sorted(best) == sorted(means), f"stage {stage} has the best trials of stage {stage - 1}",
                     str((best, means)))
    previous = means
for ranks, lanes, partition in ((2, 2, "dynamic"), (3, 1, "cyclic"), (4, 2, "self")):
    found = run(f"on-{ranks}", f"--run.lanes={lanes}", f"--run.partition={partition}", "--run.curves=true", ranks=ranks)
    checks.check(found == reference, f"{ranks} ranks, {lanes} lanes, {partition}: the same results", str(found)[:2000])

# A random search with the same trials trains each to the end.
whole = {(row[2], row[3]): row for row in run("whole", "--search.method=random", "--run.curves=true")}
for row in of_stage(reference, 2):
    checks.check(row[5:] == whole[row[2], row[3]][5:], "survivors equal full trainings", str(row))
with h5py.File("runs/reference/results.h5") as halved, h5py.File("runs/whole/results.h5") as full:
    trials, epochs, iterations = halved["trials"][:], halved["epochs"][:], halved["iterations"][:]
    all_epochs, all_iterations = full["epochs"][:], full["iterations"][:]
checks.check(len(epochs) == FOLDS * (18 * 2 + 6 * 4 + 2 * 12), "each epoch is trained once", str(len(epochs)))
key_of = {row["iteration"]: (row["trial"], row["fold"]) for row in iterations}
full_of = {row["iteration"]: (row["trial"], row["fold"]) for row in all_iterations}
curves = {(full_of[row["iteration"]], row["epoch"]): row["training_loss"] for row in all_epochs}
checks.check(all(row["training_loss"] == curves[key_of[row["iteration"]], row["epoch"]] for row in epochs),
             "all epochs of all stages equal those of full trainings")
checks.check(len(trials) == 18 and list(trials["stage"]) == sorted(trials["stage"], reverse=True) and
             set(trials["trial"][:2]) == {int(row[2]) for row in of_stage(reference, 2)},
             "trials that were trained longer rank first", str(trials))
with open("runs/reference/summary.json") as file:
    checks.check(json.load(file)["best"]["trial"] == trials["trial"][0], "the best trial is in the summary")
best = [row["iteration"] for row in iterations if row["stage"] == 2 and row["trial"] == trials["trial"][0]]
with open("runs/reference/models/ensemble.json") as file:
    of_members = {name for member in json.load(file)["members"] for name in member["files"]}
checks.check(set(os.listdir("runs/reference/models")) ==
             {"best.txt", "ensemble.json", "ensemble.pt"} | {f"iteration-{n}.pt" for n in best} | of_members,
             "models of the best trial and of the ensemble", str(os.listdir("runs/reference/models")))

# Schedules extend over all stages; a plateau sees the same validation losses.
for schedule in ("cosine", "plateau"):
    args = [f"--train.schedule={schedule}", "--train.warmup_epochs=0.5", "--search.folds=1", "--data.validation=0.3"]
    full = {row[2]: row for row in run(f"whole-{schedule}", "--search.method=random", *args)}
    survivors = of_stage(run(schedule, *args, ranks=2), 2)
    checks.check(len(survivors) == 2 and all(row[5:] == full[row[2]][5:] for row in survivors),
                 f"{schedule}: survivors equal full trainings", str(survivors))

# Streamed data, and ensembles.
for name, args in (("streamed", ["--data.mode=streamed", "--search.folds=1", "--data.validation=0.3"]),
                   ("ensemble", ["--ensemble.members=2", "--search.folds=1", "--data.validation=0.3"])):
    names = [*SAME, "member"]
    run(f"whole-{name}", "--search.method=random", *args)
    full = {(row[2], row[12]): row for row in rows(f"whole-{name}", names)}
    run(name, *args, ranks=2)
    survivors = of_stage(rows(name, names), 2)
    checks.check(survivors and all(row[5:] == full[row[2], row[12]][5:] for row in survivors),
                 f"{name}: survivors equal full trainings", str(survivors))

# Kills at random moments. Wider networks take longer than results take to the journal.
SLOW = [*STUDY, "--search.model.hidden=log_integer(600, 1200)"]
slow = run("slow", "--run.curves=true", study=SLOW)
random.seed(4)
killed = 0
while killed < 20:
    target = len(journaled("runs/killed")) + random.randint(1, 5)
    if not kill_at(SLOW, "runs/killed", target, f"--run.lanes={killed % 2 + 1}"):
        break
    killed += 1
checks.check(killed > 8, "the run was killed many times", str(killed))
result = sheaf("resume", "runs/killed", ranks=2)
checks.check(result.code == 0 and rows("killed") == slow, f"the same results after {killed} kills",
             result.stderr + str(rows("killed"))[:1000])
checks.check(not os.path.exists("runs/killed/checkpoints"), "no checkpoints are left after kills")

# Every finished iteration has its model, so that the best trial has one even if it is of an earlier stage. The warm-up
# lets large rates look good in the first stages and diverge in the last one.
run("every-model", "--run.models=all")
checks.check(len(os.listdir("runs/every-model/models")) == FOLDS * sum(TRIALS) + 3, "run.models = all: models of all stages",
             str(os.listdir("runs/every-model/models")))
with open("synthetic.cfg", "w") as file:
    file.write("[data]\nsource = synthetic\nvalidation = 0.2\n[search]\nmethod = halving\n")
result = sheaf("run", "synthetic.cfg", "--data.task=regression", "--data.rows=500", "--data.columns=5",
               "--model.kind=linear", "--train.optimizer=sgd", "--train.epochs=81", "--train.warmup_epochs=60",
               "--train.batch_size=full", "--search.train.learning_rate=2.5, 3, 3.5, 1e5, 1e6, 1e7, 1e8, 1e9, 1e10",
               "--run.models=best", "--run.device=cpu", "--run.output=runs/diverging")
table = read_csv("runs/diverging/results.csv")
checks.check(result.code == 0 and [row["status"] for row in table if row["stage"] == "2"] == ["diverged"],
             "the only finalist diverges", str([(row["trial"], row["stage"], row["status"]) for row in table]))
checks.check("warning" not in result.stderr and len(os.listdir("runs/diverging/models")) == 2,
             "the best trial of the stage before has its model", result.stderr)

# Waiting lanes begin trials that certainly survive while the last trial of a stage trains. The wide network comes last;
# its first epoch takes seconds, the others milliseconds.
AHEAD = ["synthetic.cfg", "--data.task=classification", "--data.rows=4000", "--data.columns=300", "--data.classes=3",
         "--model.kind=mlp", "--train.epochs=9", "--train.batch_size=100", "--run.models=none", "--run.device=cpu",
         "--search.model.hidden=4, 5, 6, 7, 8, 9, 10, 11, 3000 3000"]
EPOCH_STEPS = 32
alone = run("alone", "--run.lanes=1", study=AHEAD)


def trained_ahead(directory):
    """The trials with a checkpoint after the second stage while the first one is not complete."""
    folder = f"runs/{directory}/checkpoints"
    names = os.listdir(folder) if os.path.isdir(folder) else []
    found = {int(name.split("-")[0]) for name in names if name.endswith(f".{3 * EPOCH_STEPS}")}
    return found if len(journaled(f"runs/{directory}")) < 9 else set()


survivors = {int(row[2]) for row in of_stage(alone, 1)}
for name, ranks, args in (("lanes", None, ["--run.lanes=2"]), ("ranks", 2, ["--run.lanes=1"])):
    job = Started([SHEAF, "run", *AHEAD, f"--run.output=runs/{name}", *args], ranks)
    ahead = job.creep_until(lambda: len(trained_ahead(name)) == 2) and trained_ahead(name)
    checks.check(ahead and ahead <= survivors, f"{name}: two certain survivors are trained ahead",
                 f"{ahead} {survivors} {job.process.poll()}")
    for process in job.rank_processes():
        os.kill(process, signal.SIGKILL)
    job.finish()
    result = sheaf("resume", f"runs/{name}", *args, ranks=ranks)
    checks.check(result.code == 0 and rows(name) == alone, f"{name}: the same results", result.stderr + str(rows(name)))

# A damaged or missing checkpoint costs time, not results.
kill_at(SLOW, "runs/damaged", 56, "--run.lanes=1")
result = sheaf("status", "runs/damaged", "--output=json")
found = json.loads(result.stdout)
checks.check(found["stages"] == 2 and found["iterations"]["total"] == 72 and found["iterations"]["planned"] == 78,
             "the status has the iterations of all stages", result.stdout)
text = sheaf("status", "runs/damaged").stdout
checks.check("/78 iterations (" in text and "%), stage 1 of 0..2" in text, "the status names the stage", text)
folder = "runs/damaged/checkpoints"
files = sorted(os.listdir(folder)) if os.path.isdir(folder) else []
sizes = [os.path.getsize(f"{folder}/{name}") for name in files]
plan = launch([SHEAF, "plan", *SLOW]).stdout
found = re.search(r"checkpoints  54 after the first stage, about ([0-9.]+) MiB on disk", plan)
checks.check(found and sizes and 0.7 < float(found[1]) * 2**20 / 54 / numpy.mean(sizes) < 1.4,
             "plan estimates the size of the checkpoints", f"{sizes}\n{plan}")
checks.check(len(files) >= 15, "the second stage has checkpoints", str(files))
for number, name in enumerate(files):
    if number % 3 == 0:
        os.remove(f"{folder}/{name}")
    elif number % 3 == 1:
        with open(f"{folder}/{name}", "r+b") as file:
            file.truncate(100)
result = sheaf("resume", "runs/damaged")
checks.check(result.code == 0 and rows("damaged") == slow, "the same results without some checkpoints", result.stderr)

# Without regular checkpoints, trainings continue as well.
found = run("none", "--run.checkpoint_interval=none", "--run.curves=true")
checks.check(found == reference, "without regular checkpoints: the same results", str(found)[:1000])

# An array trains one stage at a time.
for stage in range(3):
    last = ""
    for task in range(2):
        result = sheaf("run", *STUDY, "--run.output=runs/array", f"--run.array={task}/2", "--run.curves=true")
        last = result.stderr
        checks.check(result.code == 0, f"array: stage {stage}, task {task}", result.stderr)
    checks.check(("have results. Start the next stage with: sheaf resume runs/array, or submit the array again" in last)
                 == (stage < 2), f"array: the last task of stage {stage} names the next command", last)
checks.check(rows("array") == reference, "array: the same results")

for case, args, reason in (
        ("searched epochs", ["--search.train.epochs=3, 9"], "cannot search train.epochs"),
        ("one stage", ["--train.epochs=2"], "has no second stage"),
        ("too many first epochs", ["--search.min_epochs=9"], "has no second stage"),
        ("fewer trials than the factor", ["--search.factor=20"], "has no second stage (it has 18 trials"),
        ("ranges without trials", ["--search.trials=none"], "is a range"),
        ("a factor of 1", ["--search.factor=1"], "search.factor"),
        ("epochs of stages for a random search", ["--search.method=random", "--search.min_epochs=2"],
         "search.min_epochs = 2 has no effect (search.method = random)"),
        ("an unknown method", ["--search.method=gp"], "none | grid | random | tpe | halving | hyperband")):
    result = sheaf("run", *STUDY, "--run.output=runs/refused", *args, ranks=2)
    checks.check(result.code == 2 and reason in result.stderr and not os.path.exists("runs/refused"), case, result.stderr)
result = sheaf("resume", "runs/reference", "--search.trials=30")
checks.check(result.code in (1, 2) and "search.trials" in result.stderr and rows("reference") == reference,
             "a finished halving cannot grow", result.stderr)
result = sheaf("run", *STUDY, "--run.output=runs/progress", "--run.progress=lines")
checks.check(all(f"stage {stage} of 0..2: {FOLDS * count}/{FOLDS * count} iterations (100%)" in result.stderr
                 for stage, count in enumerate(TRIALS)), "progress names the stages", result.stderr)
result = launch([SHEAF, "plan", *STUDY])
checks.check(result.code == 0 and "stages       18 trials to 2 epochs, 6 trials to 6 epochs, 2 trials to 18 epochs" in result.stdout and
             "iterations   78 = (18 + 6 + 2 trials) x" in result.stdout, "plan names the stages", result.stdout + result.stderr)
sys.exit(checks.finish())
