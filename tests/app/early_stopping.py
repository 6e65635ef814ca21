"""Early stopping and best weights: the epochs are those of Keras's rule on the validation losses of a run without it,
the model is that of a run that ends with the best epoch, and kills, ranks, streams and stages change nothing."""

import math
import os
import random
import shutil
import sys

import h5py

from program import DIGITS, SHEAF, Checks, Started, journaled, read_csv, sheaf

checks = Checks()
shutil.rmtree("runs", ignore_errors=True)
EPOCHS = 40
with h5py.File(DIGITS, "r") as file:  # few rows, which are soon overfitted
    features, targets = file["features"][:400], file["targets"][:400]
with h5py.File("few.h5", "w") as file:
    file.create_dataset("features", data=features, chunks=(100, features.shape[1]))
    file["targets"] = targets
BASE = ["few.h5", "--run.device=cpu", "--run.progress=none", "--data.validation=0.4", "--model.hidden=32",
        "--run.metrics=f1_macro"]
RATE = "--train.learning_rate=0.02"


def run(directory, *args, ranks=None, epochs=EPOCHS, rate=RATE):
    result = sheaf("run", *BASE, *([rate] if rate else []), f"--train.epochs={epochs}", f"--run.output=runs/{directory}", *args, ranks=ranks)
    checks.check(result.code == 0, f"{directory}: the run succeeds", result.stderr)
    checks.check(not os.path.exists(f"runs/{directory}/checkpoints"), f"{directory}: no checkpoints are left")
    return read_csv(f"runs/{directory}/results.csv")


def curves(directory, column):
    """The values of a column after each epoch, for each iteration."""
    with h5py.File(f"runs/{directory}/results.h5", "r") as file:
        epochs = file["epochs"][:]
    return [epochs[column][epochs["iteration"] == number] for number in range(epochs["iteration"].max() + 1)]


def stopped(values, patience, min_change=0.0, maximum=False):
    """The number of epochs and the best epoch, by the rule of Keras's EarlyStopping."""
    best, best_epoch, wait = math.inf, -1, 0
    for epoch, value in enumerate(-values if maximum else values):
        wait += 1
        if value < best - min_change:
            best, best_epoch, wait = value, epoch, 0
        elif patience and wait >= patience:
            return epoch + 1, best_epoch
    return len(values), best_epoch


def predictions(directory):
    sheaf("predict", f"runs/{directory}", "few.h5", f"runs/{directory}/predicted.csv")
    with open(f"runs/{directory}/predicted.csv") as file:
        return file.read()


def progress(directory):
    """What a run has saved: its checkpoints and the results in its journals."""
    found = os.path.join(directory, "checkpoints")
    return (os.listdir(found) if os.path.exists(found) else []) + journaled(directory)


RESULTS = ["status", "final_loss", "validation_loss", "validation_score", "f1_macro", "epochs", "best_epoch"]


def results(directory):
    return [[row[name] for name in RESULTS] for row in read_csv(f"runs/{directory}/results.csv")]


# The rule, for both engines, with data in memory and streamed.
ends = set()
for name, more in (("native", ["--run.engine=native"]), ("torch", ["--run.engine=torch", "--model.activation=silu"]),
                   ("streamed", ["--data.mode=streamed", "--data.window=100", "--data.memory=1"])):
    run(f"{name}-whole", *more, "--run.curves=true")
    losses, scores = (curves(f"{name}-whole", column)[0] for column in ("validation_loss", "validation_score"))
    for number, (patience, min_change, stop_on) in enumerate(
            ((3, 0, "loss"), (5, 0.02, "loss"), (2, 0, "accuracy"), (None, 0, "loss"))):
        directory = f"{name}-{number}"
        rule = [f"--train.patience={patience}", f"--train.min_change={min_change}", f"--train.stop_on={stop_on}"]
        row = run(directory, *more, *(rule if patience else ["--train.best_weights=true"]))[0]
        epochs, best = stopped(scores if stop_on == "accuracy" else losses, patience, min_change, stop_on == "accuracy")
        ends.add(epochs)
        checks.check((int(row["epochs"]), int(row["best_epoch"])) == (epochs, best), f"{directory}: epochs",
                     str((row, epochs, best)))
        checks.check(float(row["validation_loss"]) == losses[best] and float(row["validation_score"]) == scores[best],
                     f"{directory}: the validation is that of the best epoch", str((row, losses[best], scores[best])))
        checks.check(float(row["final_loss"]) == curves(f"{name}-whole", "training_loss")[0][epochs - 1],
                     f"{directory}: the final loss is that of the last epoch", str(row))
        if number == 0:
            run(f"{directory}-best", *more, epochs=best + 1)
            checks.check(predictions(directory) == predictions(f"{directory}-best"),
                         f"{directory}: the model is that of the best epoch")
            last = run(f"{directory}-last", *more, *rule, "--train.best_weights=false")[0]
            checks.check(float(last["validation_loss"]) == losses[epochs - 1] and int(last["best_epoch"]) == best,
                         f"{directory}: without best weights, the last epoch counts", str(last))
checks.check(len(ends) > 3 and EPOCHS in ends, "trainings ended at different epochs", str(ends))

# train.stop_fraction: rows of their own decide, whatever the targets of the validation rows are.
with h5py.File("other.h5", "w") as file:
    file.create_dataset("features", data=features, chunks=(100, features.shape[1]))
    file["targets"] = [*targets[:240], *targets[240:][::-1]]
for name, more in (("memory", []), ("streams", ["--data.mode=streamed", "--data.window=100", "--data.memory=1"])):
    ends = {}
    for fraction in (0, 0.25):
        for ranks, data in ((None, "few.h5"), (2, "few.h5"), (3, "other.h5")):
            args = [data, *BASE[1:], RATE, *more, "--data.time=file_order", "--train.patience=4", "--train.epochs=40",
                    f"--train.stop_fraction={fraction}", "--study.iterations=3"]
            directory = f"runs/stop-{name}-{fraction}-{ranks}"
            result = sheaf("run", *args, f"--run.output={directory}", ranks=ranks)
            checks.check(result.code == 0, f"{directory} succeeds", result.stderr)
            ends[fraction, ranks] = read_csv(f"{directory}/results.csv")
    same = {fraction: [[row[column] for column in ("final_loss", "epochs", "best_epoch")] for row in ends[fraction, 3]] ==
                      [[row[column] for column in ("final_loss", "epochs", "best_epoch")] for row in ends[fraction, None]]
            for fraction in (0, 0.25)}
    checks.check(same == {0: False, 0.25: True}, f"{name}: the validation rows do not decide", str(ends))
    checks.check(ends[0.25, 3][0]["validation_loss"] != ends[0.25, 2][0]["validation_loss"],
                 f"{name}: the validation rows give the score")
    checks.check(all([row[column] for column in RESULTS] == [other[column] for column in RESULTS]
                     for row, other in zip(ends[0.25, None], ends[0.25, 2])), f"{name}: the same on two ranks")

# Ranks, lanes and kills; an ensemble, whose predictions are those of the best epochs.
MANY = ["--study.iterations=6", "--ensemble.members=2", "--train.patience=4", "--run.curves=true", "--run.models=best"]
run("many", *MANY, "--run.lanes=1")
reference = results("many")
checks.check(len({row[5] for row in reference}) > 2, "iterations end after different epochs", str(reference))
with h5py.File("runs/many/results.h5", "r") as file:
    ensembles = file["ensembles"][:].tobytes()
for ranks, lanes in ((2, 2), (4, 1)):
    run(f"on-{ranks}", *MANY, f"--run.lanes={lanes}", ranks=ranks)
    checks.check(results(f"on-{ranks}") == reference, f"{ranks} ranks: the same results")
SLOW = [*[arg for arg in BASE if "hidden" not in arg], "--model.hidden=512", "--train.learning_rate=0.001",
        f"--train.epochs={EPOCHS}", *MANY, "--train.batch_size=1", "--run.lanes=1"]
for name, more in (("memory", []), ("streams", ["--data.mode=streamed", "--data.window=100", "--data.memory=1"])):
    sheaf("run", *SLOW, *more, f"--run.output=runs/{name}")
    random.seed(2)
    kills = 0
    while kills < 20:
        begun = os.path.exists("runs/killed/study.cfg")
        job = Started([SHEAF, "resume", "runs/killed"] if begun else
                      [SHEAF, "run", *SLOW, *more, "--run.checkpoint_interval=0.02", "--run.output=runs/killed"])
        seen, wanted = set(progress("runs/killed")), random.randint(1, 12)
        reached = job.creep_until(lambda: len(set(progress("runs/killed")) - seen) >= wanted)
        if reached:
            kills += 1
            job.kill()
        if not reached:
            break
    result = sheaf("resume", "runs/killed")
    checks.check(kills >= 2 and result.code == 0 and results("killed") == results(name),
                 f"{name}: the same results after {kills} kills", result.stderr)
    checks.check(predictions("killed") == predictions(name), f"{name}: the same model after kills")
    with h5py.File("runs/killed/results.h5", "r") as file, h5py.File(f"runs/{name}/results.h5", "r") as whole:
        checks.check(file["ensembles"][:].tobytes() == whole["ensembles"][:].tobytes(), f"{name}: the same ensembles")
    shutil.rmtree("runs/killed")

# A resumed run may save models although it did not so far: the checkpoint has no weights of the best epoch, so that they
# are trained again.
UNSAVED = [arg for arg in SLOW if "run.models" not in arg]
sheaf("run", *UNSAVED, "--run.models=all", "--run.output=runs/all")
job = Started([SHEAF, "run", *UNSAVED, "--run.models=none", "--run.checkpoint_interval=0.02", "--run.output=runs/changed"])
reached = job.creep_until(lambda: len(journaled("runs/changed")) >= 4)
job.kill()
result = sheaf("resume", "runs/changed", "--run.models=all")
checks.check(reached and result.code == 0 and results("changed") == results("memory"), "models from now on: the same results",
             result.stderr)
models = sorted(os.listdir("runs/changed/models"))
checks.check(0 < len(models) < 12, "models of the iterations that remained", str(models))
for model in models:
    with open(f"runs/changed/models/{model}", "rb") as file, open(f"runs/all/models/{model}", "rb") as whole:
        checks.check(file.read() == whole.read(), f"models from now on: {model} is that of a run without kills")

# Halving: a training that has stopped keeps its result in later stages.
SEARCH = ["--search.trials=9", "--search.train.learning_rate=log_uniform(0.002, 0.05)", "--train.patience=3",
          "--run.curves=true"]
whole = {row["trial"]: row for row in run("search-whole", *SEARCH, "--search.method=random", epochs=36, rate=None)}
for ranks in (1, 2):
    rows = run(f"search-{ranks}", *SEARCH, "--search.method=halving", ranks=ranks, epochs=36, rate=None)
    last = [row for row in rows if row["stage"] == "2"]
    checks.check(last and all([row[name] for name in RESULTS] == [whole[row["trial"]][name] for name in RESULTS]
                              for row in last), "halving: survivors equal full trainings", str(last))
    checks.check(any(int(row["epochs"]) < 12 for row in rows if row["stage"] != "0"), "some stop in an early stage")

# A patience of its own for each trial, and one that diverges after good epochs.
rows = run("searched", "--search.train.patience=none, 2, 6", "--train.best_weights=true", "--train.min_change=0.01")
checks.check(int(rows[0]["epochs"]) == EPOCHS and all(int(row["epochs"]) < EPOCHS for row in rows[1:]) and
             all(int(row["epochs"]) - 1 - int(row["best_epoch"]) == patience for row, patience in zip(rows[1:], (2, 6))),
             "each trial has its own patience", str(rows))
for best_weights in ("true", "false"):
    result = sheaf("run", "few.h5", "--data.task=regression", "--data.validation=0.4", "--train.loss=mse",
                   "--train.optimizer=sgd", "--train.learning_rate=20", "--train.warmup_epochs=30", "--train.epochs=40",
                   f"--train.best_weights={best_weights}", f"--run.output=runs/diverging-{best_weights}")
    row = read_csv(f"runs/diverging-{best_weights}/results.csv")[0]
    if best_weights == "true":
        checks.check(row["status"] == "finished" and f"that of epoch {row['best_epoch']}" in row["message"] and
                     int(row["best_epoch"]) + 1 < int(row["epochs"]) < EPOCHS and
                     math.isfinite(float(row["validation_loss"])) and predictions("diverging-true"),
                     "diverges after a good epoch", str(row) + result.stderr)
    else:
        checks.check(row["status"] == "diverged" and not row["best_epoch"], "diverges", str(row) + result.stderr)

# The default: with enough held-out rows and no train.epochs.
chosen = sheaf("run", DIGITS, "--run.output=runs/default").stderr
checks.check("train.patience = 20, train.best_weights = true" in chosen, "patience is chosen for the data", chosen)
for more in (["--train.epochs=3"], ["--data.validation=0.05"], ["--search.folds=3"], ["--train.patience=none"]):
    shutil.rmtree("runs/other", ignore_errors=True)
    chosen = sheaf("run", DIGITS, "--run.output=runs/other", *more).stderr
    checks.check("results in" in chosen and "best_weights" not in chosen, f"{more}: no early stopping is chosen", chosen)

# Mistakes.
for args, text in (
        (["--train.patience=0"], "integer"),
        (["--train.patience=3", "--data.validation=0"], "train.patience = 3 needs validation rows. Set data.validation"),
        (["--train.best_weights=true", "--data.validation=0"], "train.best_weights = true needs validation rows"),
        (["--train.epochs=5", "--train.min_change=0.1"], "train.min_change = 0.1 has no effect"),
        (["--train.patience=3", "--train.stop_on=r2"], "train.stop_on = r2 does not apply to classification"),
        (["--train.early_stopping=true"], "train.patience"),
        (["--train.restore_best_weights=true"], "train.best_weights")):
    result = sheaf("run", DIGITS, "--run.output=runs/mistake", *args, ranks=2)
    checks.check(result.code == 2 and text in result.stderr and not os.path.exists("runs/mistake"), f"{args}",
                 result.stderr)
sys.exit(checks.finish())
