"""Runs that look successful but are not: no iteration finished, trials ranked by training loss, values of searched
keys, classes with fewer rows than folds, models that a resume cannot save. On one rank without
mpiexec and on 3 ranks."""

import os
import shutil
import sys

import h5py
import numpy

from program import Checks, read_csv, sheaf

checks = Checks()
shutil.rmtree("outcomes", ignore_errors=True)
os.makedirs("outcomes")
os.chdir("outcomes")
random = numpy.random.default_rng(5)
with h5py.File("large.h5", "w") as file:  # a gradient step diverges
    file["features"] = random.normal(1000, 400, size=(60, 4))
    file["targets"] = random.integers(0, 2, 60)
with h5py.File("rare.h5", "w") as file:
    file["features"] = random.normal(size=(60, 4))
    labels = file.create_dataset("targets", data=[0] * 40 + [1] * 17 + [2] * 3)
    labels.attrs["class_names"] = ["cat", "dog", "owl"]
with open("study.cfg", "w") as file:
    file.write("[data]\nfile = large.h5\ntask = classification\nnormalize = none\nnormalize_targets = none\n"
               "validation = 0\n[model]\nkind = mlp\nhidden = 4\n"
               "[train]\nepochs = 4\noptimizer = sgd\nloss = cross_entropy\n[run]\ndevice = cpu\nmodels = none\n")
REGRESSION = ["--data.task=regression", "--train.loss=mse", "--model.kind=linear", "--model.hidden=none"]
DIVERGES = REGRESSION + ["--train.learning_rate=0.1", "--train.epochs=40"]
GRID = ["--search.method=grid", "--data.file=rare.h5"]


def lines_with(result, start):
    return [line for line in result.stderr.splitlines() if start in line]


def check_sentence(result, code, kind, sentence, case):
    """Checks the exit code, and that the log has one line of this kind ("error: "), which is this sentence."""
    found = lines_with(result, kind)
    checks.check(result.code == code and len(found) == 1 and found[0].endswith(kind + sentence), case,
                 result.stderr + result.stdout)


for ranks in (None, 3):
    # ---- No iteration finished
    for name, args, sentence in (
            ("unscaled", DIVERGES, "The features are not scaled, with values up to "),
            ("steep", DIVERGES + ["--data.normalize=standard", "--train.learning_rate=1e30"],
             "Lower train.learning_rate."),
            ("searched", DIVERGES + ["--search.method=grid", "--data.validation=0.2", "--run.models=best",
                                     "--search.train.weight_decay=0, 1e-3"], "data.normalize = standard."),
            ("streamed", DIVERGES + ["--data.mode=streamed"],
             "Set data.normalize = standard, or lower train.learning_rate.")):
        case = f"{name}, {ranks} ranks"
        output = f"{name}-{ranks}"
        args = [arg for arg in args if arg.split("=")[0] not in [later.split("=")[0] for later in
                                                                args[args.index(arg) + 1:]]]
        first = sheaf("run", "study.cfg", f"--run.output={output}", "--study.iterations=2", *args, ranks=ranks)
        again = sheaf("resume", output, ranks=ranks)
        for result, what in ((first, "run"), (again, "resume")):
            errors = lines_with(result, "error: ")
            checks.check(result.code == 1 and len(errors) == 1 and " diverged, their loss is not finite). " in errors[0]
                         and "error: no iteration finished (all " in errors[0] and sentence in errors[0],
                         f"{case}: {what} ends with one error", result.stderr)
        checks.check("is already complete" in again.stderr and ("Best: none (" in first.stdout) == (name == "searched")
                     and "there is no best model" not in first.stderr, f"{case}: the resume does not train",
                     again.stderr)
        with open(f"{output}/README.txt") as file:
            readme = file.read()
        checks.check("There is no model, since no iteration finished." in readme
                     and "--run.models=best (" not in readme,
                     f"{case}: README.txt does not advise to save models", readme)
        checks.check({row["status"] for row in read_csv(f"{output}/results.csv")} == {"diverged"},
                     f"{case}: the results are written")
    result = sheaf("run", "study.cfg", f"--run.output=some-{ranks}", "--search.method=grid", "--data.validation=0.2",
                   "--search.train.learning_rate=1e-9, 1e30", ranks=ranks)
    checks.check(result.code == 0 and "1 of 2 iterations diverged" in result.stdout and not result.error_lines(),
                 f"{ranks} ranks: a run with a finished iteration succeeds", result.stderr + result.stdout)

    # ---- Trials ranked by training loss; classes with fewer rows than folds
    for args, expected in ((["--search.folds=2"], None), (["--data.validation=0.3"], None),
                           ([], "the trials are ranked by their training loss, which favors models that overfit (no "
                                "rows are held out). Set search.folds or data.validation."),
                           (["--search.folds=5"], "class 'owl' (3 rows) has fewer rows than search.folds = 5 (some "
                                                  "folds validate without them). Use fewer folds, or add rows.")):
        for command in ("plan", "run"):
            case = f"{command} {args}, {ranks} ranks"
            shutil.rmtree("grid", ignore_errors=True)
            result = sheaf(command, "study.cfg", "--run.output=grid", "--search.train.learning_rate=1e-3, 1e-2", *GRID,
                           *args, ranks=ranks)
            if expected:
                check_sentence(result, 0, "warning: ", expected, f"{case}: one warning")
            else:
                checks.check(result.code == 0 and "warning: " not in result.stderr, f"{case}: no warning",
                             result.stderr)
    # ---- A key with a value and candidates
    result = sheaf("run", "study.cfg", "--run.output=none", "--search.train.epochs=1, 2", *GRID, "--train.epochs=3",
                   ranks=ranks)
    check_sentence(result, 2, "error: ", "command line: train.epochs is set by --train.epochs and has candidates in "
                   "--search.train.epochs. Remove one of them.", f"value and candidates, {ranks} ranks")
    checks.check(not os.path.exists("none"), f"value and candidates, {ranks} ranks: no run")

    # ---- Models of iterations that were trained without run.models
    result = sheaf("resume", "grid", "--run.models=best", ranks=ranks)
    checks.check(result.code == 2 and len(result.error_lines()) == 1
                 and "run.models = best has no effect on 'grid'" in result.stderr
                 and "sheaf run grid/study.cfg --run.models=best --run.output=NEW_DIR" in result.stderr,
                 f"models of a complete run, {ranks} ranks", result.stderr)
    shutil.rmtree("models", ignore_errors=True)
    result = sheaf("run", "grid/study.cfg", "--run.models=best", "--run.output=models", ranks=ranks)
    checks.check(result.code == 0 and os.path.exists("models/models/best.txt")
                 and read_csv("models/results.csv")[0]["final_loss"] == read_csv("grid/results.csv")[0]["final_loss"],
                 f"the advised command saves the models, {ranks} ranks", result.stderr)
sys.exit(checks.finish())
