"""Plans and runs every study in jobs/studies: iterations.cfg, iterations-keras.cfg, iterations-by-hand.cfg,
digits-bagging.cfg, mlp-grid.cfg (shortened), digits-search.cfg, digits-random.cfg, digits-halving.cfg,
digits-hyperband.cfg, digits-tpe.cfg, digits-early-stopping.cfg, visits-groups.cfg, visits-imbalanced.cfg,
visits-trees.cfg, and resnet18.cfg and resnet50.cfg (on fewer rows)."""

import os
import re
import shutil
import sys

import h5py
import numpy

from program import DIGITS, SOURCE, Checks, read_csv, sheaf

checks = Checks()
shutil.rmtree("runs", ignore_errors=True)
folder = os.path.join(SOURCE, "jobs", "studies")


def run(name, *args, output=None, ranks=2):
    output = f"runs/{output or name}"
    result = sheaf("run", os.path.join(folder, name + ".cfg"), f"--run.output={output}", *args, ranks=ranks)
    checks.check(result.code == 0, f"{name}: the run succeeds", result.stderr)
    return result.stdout, read_csv(output + "/results.csv") if result.code == 0 else []


for file in sorted(name for name in os.listdir(folder) if name.endswith(".cfg")):
    args = [f"--data.file={DIGITS}"] if file.startswith("digits") else []
    result = sheaf("plan", os.path.join(folder, file), *args, ranks=2)
    checks.check(result.code == 0 and "iterations" in result.stdout, f"{file}: plan succeeds", result.stderr)
checks.check(not os.path.exists("runs"), "plan writes no files")

# Features and targets are independent noise. The loss of an untrained linear layer is about 1 + |w|^2, the variance of
# the targets plus that of the predictions, and five small steps change it little.
for name in ("iterations", "iterations-keras"):
    stdout, rows = run(name)
    lines = re.findall(r"^Iteration (\d+) final loss: (\S+)$", stdout, re.MULTILINE)
    checks.check([int(number) for number, _ in lines] == list(range(10)), f"{name}: one line per iteration", stdout)
    checks.check(all(0.8 < float(row["final_loss"]) < 4 for row in rows), f"{name}: losses", stdout)
    checks.check(len({row["final_loss"] for row in rows}) == 10, f"{name}: each iteration draws its own data", stdout)
    checks.check(all(row["epochs"] == "5" and row["steps"] == "5" for row in rows), f"{name}: 5 full-batch epochs")

# Weights start at zero, so the first loss is the mean of the squared uniform targets (1/3). Summed gradients overshoot
# in later steps. oracle/compare_numpy.py compares the losses of these three studies with loops in NumPy.
stdout, rows = run("iterations-by-hand")
checks.check(len(rows) == 10 and all(250 < float(row["final_loss"]) < 750 for row in rows), "by hand: losses overshoot",
             stdout)
stdout, rows = run("iterations-by-hand", "--train.epochs=1", output="one-epoch")
checks.check(len(rows) == 10 and all(0.3 < float(row["final_loss"]) < 0.37 for row in rows),
             "by hand: the first loss is the mean of squared targets", stdout)

stdout, rows = run("digits-bagging", f"--data.file={DIGITS}", "--train.epochs=5")
match = re.search(r"^Ensemble of 10 members accuracy: (\d\.\d{4}) \(mean of members (\d\.\d{4})\)$", stdout,
                  re.MULTILINE)
checks.check(match and float(match.group(1)) > 0.9, "bagging: the summary has the score of the ensemble", stdout)
checks.check(len({row["final_loss"] for row in rows}) == 10, "bagging: members have different losses")

stdout, rows = run("mlp-grid", "--train.epochs=1", "--data.rows=600")
checks.check(len(rows) == 9 and re.sub("^lanes: .*\n", "", stdout, flags=re.MULTILINE).count("\n") == 6 and "Best: train.learning_rate" in stdout,
             "grid: iterations and summary", stdout)

stdout, rows = run("digits-random", f"--data.file={DIGITS}", "--train.epochs=1", "--search.trials=4")
checks.check(len(rows) == 12 and len({row["train.learning_rate"] for row in rows}) == 4, "random: trials x folds", stdout)

stdout, rows = run("digits-tpe", f"--data.file={DIGITS}", "--train.epochs=1", "--search.trials=12")
checks.check(len(rows) == 36 and "Best: model.hidden" in stdout, "tpe: iterations and summary", stdout)

stdout, rows = run("digits-halving", f"--data.file={DIGITS}", "--train.epochs=6", "--search.trials=9")
checks.check([row["stage"] for row in rows] == ["0"] * 27 + ["1"] * 9, "halving: trials x folds", stdout)

stdout, rows = run("digits-hyperband", f"--data.file={DIGITS}", "--train.epochs=3")
checks.check([row["stage"] for row in rows] == ["0"] * 9 + ["1"] * 9 and
             [row["trial"] for row in rows[-6:]] == ["3"] * 3 + ["4"] * 3, "hyperband: brackets x folds", stdout)

stdout, rows = run("digits-early-stopping", f"--data.file={DIGITS}", ranks=1)
checks.check(len(rows) == 1 and int(rows[0]["epochs"]) == int(rows[0]["best_epoch"]) + 16 < 200 and
             "best epoch: " + rows[0]["best_epoch"] in stdout, "early stopping: ends 15 epochs after the best", stdout)
checks.check(float(rows[0]["f1_macro"]) > 0.95 and "log loss: " in stdout, "early stopping: metrics", stdout)

VISITS = os.path.join(SOURCE, "data/visits.h5")
stdout, rows = run("visits-groups", f"--data.file={VISITS}")
apart = numpy.mean([float(row["f1:ill"]) for row in rows])
checks.check(len(rows) == 15 and "Test of the best model: loss " in stdout, "groups: trials x folds, and a test", stdout)
_, rows = run("visits-groups", f"--data.file={VISITS}", "--data.groups=none", output="visits-mixed")
mixed = numpy.mean([float(row["f1:ill"]) for row in rows])
checks.check(mixed > 0.85 and 0.6 < apart < mixed - 0.08, "groups: unknown patients are harder", f"{apart} and {mixed}")

stdout, rows = run("visits-imbalanced", f"--data.file={VISITS}")
_, plain = run("visits-imbalanced", f"--data.file={VISITS}", "--train.class_weights=none", output="visits-plain")
checks.check(float(rows[0]["recall:ill"]) > float(plain[0]["recall:ill"]) and "average precision: " in stdout,
             "imbalanced: weights find more of the rare class", f"{rows} {plain} {stdout}")

stdout, rows = run("visits-trees", f"--data.file={VISITS}")
checks.check(len(rows) == 6 * 5 and [row["engine"] for row in rows] == ["xgboost"] * 20 + ["native"] * 10,
             "trees: four trials of trees and two of networks", stdout)
checks.check(all(float(row["validation_score"]) > 0.75 for row in rows if row["engine"] == "xgboost"), "trees: they find the ill",
             stdout)

# Random labels: the number of memorized ones depends on the rounding of the processor.
for name, parameters in (("resnet18", 11181642), ("resnet50", 23528522)):
    few = ["--data.rows=12", "--train.batch_size=6", "--study.iterations=2", "--train.epochs=2"]
    for ranks in (1, 2):
        stdout, rows = run(name, *few, output=f"{name}-{ranks}", ranks=ranks)
        checks.check(len(rows) == 2 and all(row["steps"] == str(2 * int(row["epochs"])) for row in rows),
                     f"{name}: steps on {ranks} ranks", stdout)
        checks.check(all(0 < float(row["final_loss"]) < 6 for row in rows), f"{name}: losses", stdout)
    result = sheaf("plan", os.path.join(folder, name + ".cfg"), ranks=1)
    checks.check(f" {parameters} " in result.stdout, f"{name}: {parameters} parameters", result.stdout)

# Weights of 1 do not change losses, and the values of a row with weight 0 do not matter.
with h5py.File(DIGITS, "r") as file:
    features, targets = file["features"][:300].astype("f4"), file["targets"][:300]
generator = numpy.random.default_rng(1)
weights = generator.integers(0, 3, 300) * 0.75
with h5py.File("weighted.h5", "w") as file:
    file["features"], file["targets"] = features, targets
    file["other"] = numpy.where(weights[:, None] == 0, generator.normal(8, 4, features.shape), features)
    file["weights"], file["ones"] = weights, numpy.ones(300, "i1")


def weighted_losses(name, *args):
    _, found = run("digits-bagging", "--data.file=weighted.h5", "--data.normalize=none", "--data.validation=0",
                   "--train.epochs=3", "--train.precision=float64", *args, output=name)
    return numpy.array([float(row["final_loss"]) for row in found])


plain, ones = weighted_losses("unweighted"), weighted_losses("ones", "--data.weights=ones")
checks.check(len(plain) == 10 and numpy.allclose(ones, plain, rtol=1e-12, atol=0), "weights of 1: same losses",
             f"{plain}\n{ones}")
some, other = (weighted_losses(name, "--data.weights=weights", f"--data.features={name}")
               for name in ("features", "other"))
checks.check(numpy.array_equal(some, other) and not numpy.allclose(some, plain, rtol=1e-3),
             "rows with weight 0 do not affect losses",
             f"{some}\n{other}")



def planned(*args):
    """The arithmetic (GFLOP) and the memory per lane that `plan` shows."""
    result = sheaf("plan", os.path.join(folder, "digits-search.cfg"), f"--data.file={DIGITS}", *args)
    return (float(re.search(r"arithmetic +([0-9.e+-]+) GFLOP", result.stdout)[1]),
            re.search(r"at most (.*?) per lane", result.stdout)[1]) if result.code == 0 else result.stderr


# All trials count in the sum, those with equal costs as often as they occur.
hidden, rates = ("8", "64 64"), "1e-2, 1e-3, 1e-4"
whole = planned(f"--search.model.hidden={', '.join(hidden)}", f"--search.train.learning_rate={rates}",
                "--search.train.epochs=1, 5")
single = [planned(f"--search.model.hidden={width}", f"--search.train.learning_rate={rates}", f"--train.epochs={epochs}")
          for width in hidden for epochs in (1, 5)]
checks.check(numpy.isclose(whole[0], sum(one[0] for one in single), rtol=1e-3) and whole[1] == single[-1][1],
             "plan: the arithmetic of a grid is the sum over its trials", f"{whole} {single}")
many = ", ".join(str(number) for number in range(1, 10001))
checks.check(planned(f"--search.train.learning_rate={many}", f"--search.train.weight_decay={many}",
                     "--search.model.hidden=8", "--search.folds=2")[0] > 0, "plan: a hundred million trials")

stdout, rows = run("digits-search", f"--data.file={DIGITS}", "--train.epochs=3")
checks.check(len(rows) == 60 and "mean accuracy" in stdout, "search: 60 iterations and the mean accuracy", stdout)
sys.exit(checks.finish())
