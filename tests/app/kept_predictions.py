"""`run.predictions = held_out` keeps the predictions for the validation rows of each iteration in results.h5. Scores and
validation losses computed from them are those that Sheaf reports: with folds, repeats, ensembles, stages, streamed data
and best weights, on any number of ranks and lanes, and after a killed job was resumed."""

import os
import shutil
import signal
import sys

import h5py
import numpy

from program import DIGITS, SHEAF, Checks, Started, journaled, sheaf

checks = Checks()
shutil.rmtree("kept", ignore_errors=True)
os.makedirs("kept")
os.chdir("kept")
with open("study.cfg", "w") as study_file:
    study_file.write("[study]\n")

COMMON = ["study.cfg", "--run.device=cpu", "--run.progress=none", "--run.models=none"]
DIGITS_STUDY = COMMON + [f"--data.file={DIGITS}", "--model.hidden=8", "--run.predictions=held_out"]
CROSS_VALIDATION = DIGITS_STUDY + ["--search.folds=3", "--search.repeats=2", "--search.train.learning_rate=1e-3, 1e-2"]


def run(output, study, *args, ranks=None, epochs=4):
    result = sheaf("run", *study, f"--run.output={output}", f"--train.epochs={epochs}", *args, ranks=ranks)
    checks.check(result.code == 0, f"{output}: the run succeeds", result.stderr)
    return result


def table(output, name):
    with h5py.File(f"{output}/results.h5") as file:
        return file[name][:] if name in file else None


def check_classification(output, loss_tolerance=1e-5):
    """Compares losses and scores of the iterations with those of their predictions."""
    predictions, iterations = table(output, "predictions"), table(output, "iterations")
    with h5py.File(DIGITS) as file:
        labels = file["targets"][:]
    checks.check((predictions["target"] == labels[predictions["row"]]).all(), f"{output}: targets are those of the rows")
    checks.check(predictions["probabilities"].dtype == numpy.float32 and
                 abs(predictions["probabilities"].sum(axis=1) - 1).max() < 1e-5, f"{output}: probabilities")
    for iteration in iterations:
        own = predictions[predictions["iteration"] == iteration["iteration"]]
        if iteration["status"] != b"finished":
            checks.check(len(own) == 0, f"{output}: an iteration that diverged has no predictions")
            continue
        checks.check(len(own) > 0 and (numpy.diff(own["row"]) > 0).all(), f"{output}: rows ascend")
        probabilities = own["probabilities"].astype(float)
        loss = -numpy.log(probabilities[numpy.arange(len(own)), own["target"]]).mean()
        accuracy = (probabilities.argmax(axis=1) == own["target"]).mean()
        checks.check(abs(loss - iteration["validation_loss"]) < loss_tolerance * max(1, loss) and
                     abs(accuracy - iteration["validation_score"]) < 1e-12, f"{output}: loss and score of an iteration",
                     f"{loss} {accuracy} {iteration}")
    return predictions, iterations


# Folds and repeats: every row is held out once per trial and repeat. The table does not depend on ranks and lanes.
run("folds", CROSS_VALIDATION, "--run.lanes=1")
predictions, iterations = check_classification("folds")
for trial in range(2):
    for repeat in range(2):
        numbers = iterations["iteration"][(iterations["trial"] == trial) & (iterations["repeat"] == repeat)]
        rows = predictions["row"][numpy.isin(predictions["iteration"], numbers)]
        checks.check((numpy.sort(rows) == numpy.arange(1797)).all(), "every row is held out once")
checks.check((numpy.diff(predictions["iteration"]) >= 0).all(), "iterations are in order")
for ranks, lanes in ((1, 3), (2, 1), (3, 2), (4, 1)):
    run(f"folds{ranks}", CROSS_VALIDATION, f"--run.lanes={lanes}", ranks=ranks)
    checks.check(table(f"folds{ranks}", "predictions").tobytes() == predictions.tobytes(),
                 f"the same predictions on {ranks} ranks with {lanes} lanes")

# A killed job that is resumed on another number of ranks.
SLOW = 200  # epochs, so that a job is killed between two iterations
run("slow", CROSS_VALIDATION, ranks=2, epochs=SLOW)
predictions = table("slow", "predictions")
job = Started([SHEAF, "run", *CROSS_VALIDATION, f"--train.epochs={SLOW}", "--run.output=killed", "--run.lanes=1"], ranks=2)
checks.check(job.creep_until(lambda: os.path.isdir("killed/journal") and len(journaled("killed")) > 1),
             "a job is killed while it trains")
for process in job.rank_processes():
    os.kill(process, signal.SIGKILL)
job.go_on()
job.process.wait()
checks.check(not os.path.exists("killed/results.h5") and 0 < len(journaled("killed")) < 12, "a killed job has no results")
result = sheaf("resume", "killed", ranks=3)
checks.check(result.code == 0 and table("killed", "predictions").tobytes() == predictions.tobytes(),
             "a killed and resumed run has the same predictions", result.stderr)

# The best epoch, stages, and an ensemble whose members are averaged.
run("best", DIGITS_STUDY, "--train.learning_rate=0.05", "--data.validation=0.3", "--train.patience=4",
    "--train.best_weights=true", "--study.iterations=3", epochs=30)
best = check_classification("best")[1]
checks.check((best["best_epoch"] + 1 < best["epochs"]).any(), "the best epoch is not the last one", str(best))
run("halving", DIGITS_STUDY, "--search.method=halving", "--search.trials=4", "--search.folds=2", "--search.factor=2",
    "--search.train.learning_rate=log_uniform(1e-4, 1e-1)", "--run.lanes=2")
checks.check(len(set(check_classification("halving")[1]["stage"])) > 1, "a search has several stages")
run("ensemble", DIGITS_STUDY, "--ensemble.members=3", "--search.folds=2", ranks=2)
predictions, iterations = check_classification("ensemble")
ensembles = table("ensemble", "ensembles")
for ensemble in ensembles:
    numbers = iterations["iteration"][iterations["fold"] == ensemble["fold"]]
    members = [predictions[predictions["iteration"] == number] for number in numbers]
    mean = numpy.mean([member["probabilities"].astype(float) for member in members], axis=0).astype(numpy.float32)
    accuracy = (mean.argmax(axis=1) == members[0]["target"]).mean()
    checks.check(abs(accuracy - ensemble["score"]) < 1e-12, "the score of the averaged members",
                 f"{accuracy} {ensemble}")
run("streamed", DIGITS_STUDY, "--data.mode=streamed", "--search.folds=3", ranks=2)
check_classification("streamed")

# Values in the units of the file, with an offset that 32-bit numbers do not have.
random = numpy.random.default_rng(4)
features = random.normal(size=(300, 3)).astype("f4")
for name, shift in (("near", 0), ("far", 2459000)):
    with h5py.File(f"{name}.h5", "w") as file:
        file["features"] = features
        file["targets"] = shift + numpy.stack([features.sum(axis=1) * 40, features[:, 0]], axis=1).astype(float)
        targets = file["targets"][:]
    run(name, COMMON, f"--data.file={name}.h5", "--search.folds=2", "--run.metrics=mae")
    predictions, iterations = table(name, "predictions"), table(name, "iterations")
    checks.check(abs(predictions["targets"] - targets[predictions["row"]]).max() < 1e-4, f"{name}: targets")
    for iteration in iterations:
        own = predictions[predictions["iteration"] == iteration["iteration"]]
        errors = own["values"].astype(float) - own["targets"]
        checks.check(abs((errors**2).mean() / iteration["validation_loss"] - 1) < 1e-4 and
                     abs(abs(errors).mean() / iteration["mae"] - 1) < 1e-4, f"{name}: loss and MAE",
                     f"{errors} {iteration}")
checks.check(predictions["values"].dtype == numpy.float64, "values with an offset are 64-bit numbers")

# auto: for a file, if the predictions are not too many.
for case, kept, *args in (("small", True), ("none", False, "--run.predictions=none"),
                          ("large", False, "--search.folds=2", "--search.repeats=30000", "--run.time_limit=1")):
    result = sheaf("run", *COMMON, "--train.epochs=4", "--data.file=near.h5", f"--run.output=auto_{case}", *args)
    with open(f"auto_{case}/study.cfg") as file:
        text = file.read()
    checks.check(f"predictions = {'held_out' if kept else 'none'}\n" in text, f"auto: {case}", result.stderr)
    checks.check(("are not kept (they would need" in result.stderr) == (case == "large"), f"auto: the note of {case}",
                 result.stderr)
    if case != "large":
        checks.check((table(f"auto_{case}", "predictions") is not None) == kept, f"auto: the table of {case}")
for case, reason, *args in (
        ("no validation rows", "run.predictions = held_out has no effect (there are no validation rows)",
         "--data.file=near.h5", "--data.validation=0"),
        ("data of each iteration", "needs data that all iterations share", "--data.source=synthetic",
         "--data.validation=0.2")):
    result = sheaf("run", *COMMON, "--run.predictions=held_out", "--run.output=refused", *args)
    checks.check(result.code == 2 and reason in result.stderr and not os.path.exists("refused"), case, result.stderr)
sys.exit(checks.finish())
