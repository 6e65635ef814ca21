"""Hyperband: brackets of successive halving side by side, so a stage continues some trials and begins others. Same results
for all numbers of ranks and lanes and after kills; every training is bit for bit that of a search that trains all trials
to the end."""

import json
import os
import random
import re
import shutil
import signal
import sys

import h5py
import numpy

from program import DIGITS, SHEAF, SOURCE, Checks, Started, journaled, launch, sheaf
from staged import SAME, kill_at, of_stage, rows, run_staged

checks = Checks()
shutil.rmtree("runs", ignore_errors=True)
LARGER = [os.path.join(SOURCE, "jobs", "studies", "digits-hyperband.cfg"), f"--data.file={DIGITS}", "--run.device=cpu"]
STUDY = [*LARGER, "--train.epochs=9"]
FOLDS = 3
ENDS = (1, 3, 9)
BRACKETS = ({0: 9, 1: 3, 2: 1}, {1: 5, 2: 1}, {2: 3})  # by stage: the trials of Li et al. for 9 epochs and factor 3
TRIALS = (9, 3 + 5, 1 + 1 + 3)
FIRST = (0, 9, 14, 17)  # the brackets' first trials


def run(directory, *args, ranks=None, study=STUDY):
    return run_staged(checks, study, directory, *args, ranks=ranks)


def journal_lines(directory):
    for folder, _, names in os.walk(f"runs/{directory}/journal"):
        for name in names:
            if name.endswith(".jsonl"):
                with open(os.path.join(folder, name)) as file:
                    yield from (json.loads(line) for line in file)


def journaled_epochs(directory):
    """The epochs in the curves of the journals: those that were trained, each once."""
    return sum(len(line.get("curve", [])) for line in journal_lines(directory) if "iteration" in line)


# The brackets: each continues its own best trials.
reference = run("reference", "--run.lanes=1", "--run.partition=block", "--run.curves=true")
checks.check([len(of_stage(reference, stage)) for stage in range(4)] == [FOLDS * count for count in TRIALS] + [0],
             "trials of the stages", str(reference))
checks.check(all(row[10] == str(ENDS[int(row[1])]) for row in reference), "epochs of the stages", str(reference))
losses = {}
for row in reference:
    losses.setdefault((int(row[1]), int(row[2])), []).append(float(row[8]))
for bracket, counts in enumerate(BRACKETS):
    for stage, count in counts.items():
        members = [trial for trial in range(FIRST[bracket], FIRST[bracket + 1]) if (stage, trial) in losses]
        checks.check(len(members) == count, f"bracket {bracket}: trials of stage {stage}", str(members))
        if stage > bracket:
            before = [trial for trial in range(FIRST[bracket], FIRST[bracket + 1]) if (stage - 1, trial) in losses]
            best = sorted(before, key=lambda trial: numpy.mean(losses[stage - 1, trial]))[:count]
            checks.check(sorted(best) == members, f"bracket {bracket}: stage {stage} has its best trials", str(losses))
trained = sum(count * (ENDS[stage] - (ENDS[stage - 1] if stage > bracket else 0))
              for bracket, counts in enumerate(BRACKETS) for stage, count in counts.items())
checks.check(trained == 69 and journaled_epochs("reference") == FOLDS * trained, "each epoch is trained once",
             f"{trained} {journaled_epochs('reference')}")
run("larger", "--search.folds=1", "--data.validation=0.3", "--run.curves=true", study=LARGER)
checks.check(journaled_epochs("larger") == 357, "27 epochs and factor 3 are 357 epochs in all", str(journaled_epochs("larger")))
stage_lines = {line["stage"]: line for line in journal_lines("reference") if "stage" in line and "trials" in line}
checks.check([stage_lines[stage].get("first_new_trial") for stage in range(3)] == [None, 9, 14],
             "the journal has the trials that begin in a stage", str(stage_lines))

for ranks, lanes, partition in ((1, 2, "self"), (2, 2, "dynamic"), (3, 1, "cyclic"), (4, 2, "guided"), (2, 1, "block")):
    found = run(f"{ranks}-{partition}", f"--run.lanes={lanes}", f"--run.partition={partition}", "--run.curves=true",
                ranks=ranks)
    checks.check(found == reference, f"{ranks} ranks, {lanes} lanes, {partition}: the same results", str(found)[:2000])

# A random search with the same trials trains each to the end.
RANDOM = "--search.method=random"
whole = {(row[2], row[3]): row for row in run("whole", RANDOM, "--search.trials=17", "--run.curves=true")}
for row in of_stage(reference, 2):
    checks.check(row[5:] == whole[row[2], row[3]][5:], "survivors equal full trainings", str(row))
with h5py.File("runs/reference/results.h5") as found, h5py.File("runs/whole/results.h5") as full:
    trials, epochs, iterations = found["trials"][:], found["epochs"][:], found["iterations"][:]
    all_epochs, all_iterations = full["epochs"][:], full["iterations"][:]
key_of = {row["iteration"]: (row["trial"], row["fold"]) for row in iterations}
full_of = {row["iteration"]: (row["trial"], row["fold"]) for row in all_iterations}
curves = {(full_of[row["iteration"]], row["epoch"]): row["training_loss"] for row in all_epochs}
checks.check(all(row["training_loss"] == curves[key_of[row["iteration"]], row["epoch"]] for row in epochs),
             "all epochs of all stages equal those of full trainings")
checks.check(len(trials) == 17 and list(trials["stage"]) == sorted(trials["stage"], reverse=True) and
             list(trials["stage"]).count(2) == 5, "trials that were trained longer rank first", str(trials))
for stage in range(3):
    scores = [row["mean_validation_loss"] for row in trials if row["stage"] == stage]
    checks.check(scores == sorted(scores), f"among those of stage {stage}, the best rank first", str(scores))

# Schedules extend over all stages. Streamed data, ensembles, other numbers of trials.
for name, args in (("cosine", ["--train.schedule=cosine", "--train.warmup_epochs=0.5"]),
                   ("plateau", ["--train.schedule=plateau"]),
                   ("streamed", ["--data.mode=streamed"]), ("ensemble", ["--ensemble.members=2"]),
                   ("passes", ["--search.trials=40"]), ("cut", ["--search.trials=11"])):
    args += ["--search.folds=1", "--data.validation=0.3"]
    trials = [] if "trials" in args[0] else ["--search.trials=17"]
    names = [*SAME, "member"]
    run(f"whole-{name}", RANDOM, *trials, *args)
    full = {(row[2], row[12]): row for row in rows(f"whole-{name}", names)}
    run(name, *args, ranks=2)
    survivors = of_stage(rows(name, names), 2)
    checks.check(survivors and all(row[5:] == full[row[2], row[12]][5:] for row in survivors),
                 f"{name}: survivors equal full trainings", str(survivors))
checks.check([len(of_stage(rows("passes"), stage)) for stage in range(3)] == [18 + 6, 6 + 2 + 10, 2 + 1 + 2 + 6],
             "two passes and a part of the third one", str(rows("passes")))
checks.check([len(of_stage(rows("cut"), stage)) for stage in range(3)] == [9, 3 + 2, 1 + 1], "a part of a pass")
found = run("streamed-alone", "--data.mode=streamed", "--search.folds=1", "--data.validation=0.3", "--run.lanes=1")
checks.check(found == rows("streamed"), "streamed: the same results on one rank", str(found)[:1000])

# A rung compares the best epochs so far. A training that has stopped early keeps its result and trains no more epochs.
EARLY = ["--search.folds=1", "--data.validation=0.3", "--train.patience=1", "--train.best_weights=true",
         "--search.train.learning_rate=log_uniform(1e-2, 1)", "--run.curves=true"]
stopped = run("early", *EARLY, study=LARGER)
full = run("whole-early", RANDOM, "--search.trials=49", *EARLY, study=LARGER)
with h5py.File("runs/whole-early/results.h5") as file:
    epochs = file["epochs"][:]
curve_of = {int(row[2]): epochs[epochs["iteration"] == int(row[0])]["validation_loss"] for row in full}
last, idle = {}, 0
for row in stopped:
    curve = curve_of[int(row[2])][:(1, 3, 9, 27)[int(row[1])]]
    checks.check(float(row[8]) == min(curve) and int(row[10]) == len(curve), "the score of a rung is the best so far", str(row))
    idle += row[2] in last and row[8:] == last[row[2]][8:]
    last[row[2]] = row
checks.check(idle > 0, "some trials that stopped early are continued", str(stopped))
checks.check(journaled_epochs("early") == sum(int(row[10]) for row in last.values()),
             "trainings that stopped early cost nothing later", str(journaled_epochs("early")))

# Kills at random moments. Wider networks take longer than results take to the journal.
SLOW = [*STUDY, "--search.model.hidden=log_integer(800, 1600)"]
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

# Waiting lanes begin the trials of later stages, those with the most epochs first, while the last trial of the first
# stage trains. With this seed, that is the wide network, whose first epoch takes seconds, the others' milliseconds.
with open("synthetic.cfg", "w") as file:
    file.write("[data]\nsource = synthetic\nvalidation = 0.2\n[search]\nmethod = hyperband\n")
WIDTHS = [str(width) for width in range(4, 20)] + ["3000 3000"]
AHEAD = ["synthetic.cfg", "--data.task=classification", "--data.rows=4000", "--data.columns=300", "--data.classes=3",
         "--model.kind=mlp", "--train.epochs=9", "--train.batch_size=100", "--run.models=none", "--run.device=cpu",
         "--study.seed=38", f"--search.model.hidden={', '.join(WIDTHS)}"]
EPOCH_STEPS = 32
plan = launch([SHEAF, "plan", *AHEAD]).stdout
checks.check(re.search(r"\n +8 +3000 3000 ", plan), "the wide network comes last in the first stage", plan)
alone = run("alone", "--run.lanes=1", study=AHEAD)


def checkpointed(directory, epochs):
    """The trials with a checkpoint after `epochs` epochs."""
    folder = f"runs/{directory}/checkpoints"
    names = os.listdir(folder) if os.path.isdir(folder) else []
    return {int(name.split("-")[0]) for name in names if name.endswith(f".{epochs * EPOCH_STEPS}")}


for name, ranks, args in (("lanes", None, ["--run.lanes=2"]), ("ranks", 2, ["--run.lanes=1"])):
    job = Started([SHEAF, "run", *AHEAD, f"--run.output=runs/{name}", *args], ranks)
    LAST, NEXT = {14, 15, 16}, {9, 10, 11, 12, 13}
    reached = job.creep_until(lambda: checkpointed(name, 9) >= LAST)
    checks.check(reached and checkpointed(name, 9) == LAST and len(journaled(f"runs/{name}")) == 8 and
                 len(checkpointed(name, 3) & NEXT) < 5, f"{name}: trials of the last stage are trained first",
                 f"{checkpointed(name, 9)} {checkpointed(name, 3)} {journaled(f'runs/{name}')}")
    job.go_on()
    reached = job.creep_until(lambda: checkpointed(name, 3) >= NEXT)
    checks.check(reached and len(journaled(f"runs/{name}")) == 8, f"{name}: then those of the next one",
                 f"{checkpointed(name, 3)}")
    for process in job.rank_processes():
        os.kill(process, signal.SIGKILL)
    job.finish()
    job = Started([SHEAF, "resume", f"runs/{name}", *args], ranks)
    reached = job.creep_until(lambda: len(journaled(f"runs/{name}")) >= 11)
    checks.check(reached and LAST <= checkpointed(name, 9), f"{name}: the second stage keeps what was trained ahead",
                 f"{checkpointed(name, 9)} {journaled(f'runs/{name}')}")
    for process in job.rank_processes():
        os.kill(process, signal.SIGKILL)
    job.finish()
    result = sheaf("resume", f"runs/{name}", *args, ranks=ranks)
    checks.check(result.code == 0 and rows(name) == alone, f"{name}: the same results", result.stderr + str(rows(name)))

# An array trains one stage at a time.
for stage in range(3):
    last_output = ""
    for task in range(2):
        result = sheaf("run", *STUDY, "--run.output=runs/array", f"--run.array={task}/2", "--run.curves=true")
        last_output = result.stderr
        checks.check(result.code == 0, f"array: stage {stage}, task {task}", result.stderr)
    checks.check(("have results. Start the next stage with: sheaf resume runs/array, or submit the array again" in last_output)
                 == (stage < 2), f"array: the last task of stage {stage} names the next command", last_output)
checks.check(rows("array") == reference, "array: the same results")

for case, args, reason in (
        ("searched epochs", ["--search.train.epochs=3, 9"], "cannot search train.epochs"),
        ("one stage", ["--train.epochs=2"], "has no second stage (search.min_epochs = 1 times search.factor = 3 is more than "
         "train.epochs = 2)"),
        ("too many first epochs", ["--search.min_epochs=4"], "has no second stage"),
        ("fewer trials than the factor", ["--search.trials=2"], "has no second stage (it has 2 trials"),
        ("too few combinations", ["--search.model.hidden=8", "--search.train.learning_rate=0.1, 0.2"],
         "one pass of search.method = hyperband has 17 trials, which is more than the 6 combinations of the lists"),
        ("too few combinations for automatic epochs", ["--search.model.hidden=8", "--search.train.learning_rate=0.1, 0.2",
                                                       "--train.epochs=auto"],
         "which is more than the 6 combinations of the lists"),
        ("a factor of 1", ["--search.factor=1"], "search.factor"),
        ("stages of the median", ["--search.interval=2"], "search.interval = 2 has no effect (search.method = hyperband)"),
        ("a name in Optuna", ["--search.method=HyperbandPruner"], "Use hyperband.")):
    study = LARGER if any("train.epochs" in arg for arg in args) else STUDY
    result = sheaf("run", *study, "--run.output=runs/refused", *args, ranks=2)
    checks.check(result.code == 2 and reason in result.stderr and result.stderr.count("error:") == 1 and
                 not os.path.exists("runs/refused"), case, result.stderr)
result = sheaf("resume", "runs/reference", "--search.trials=30")
checks.check(result.code in (1, 2) and "search.trials" in result.stderr and rows("reference") == reference,
             "a finished search cannot grow", result.stderr)
result = sheaf("run", *STUDY, "--run.output=runs/progress", "--run.progress=lines")
checks.check(all(f"stage {stage} of 0..2: {FOLDS * count}/{FOLDS * count} iterations (100%)" in result.stderr
                 for stage, count in enumerate(TRIALS)), "progress names the stages", result.stderr)
result = launch([SHEAF, "plan", *STUDY])
checks.check(result.code == 0 and "stages       9 trials to 1 epoch, 8 trials (5 new) to 3 epochs, 5 trials (3 new) to 9 epochs"
             in result.stdout and "iterations   66 = (9 + 8 + 5 trials) x" in result.stdout, "plan names the stages",
             result.stdout + result.stderr)
sys.exit(checks.finish())
