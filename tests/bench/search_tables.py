"""Compares searches with the full grid, and with those of Optuna, in tables of trained configurations.

    python3 tests/bench/search_tables.py SHEAF TABLE_SEARCH [--seeds=N] [--trials=N] [--folder=FOLDER] [--quick] [TABLE ...]

TABLE_SEARCH is the program of tests/bench/table_search.cpp, which runs the searchers of sheaf in a table. The tables are
those of scikit-learn's digits, wine and diabetes: sheaf trains a grid of 288 networks with 5 folds and records the
validation loss of each epoch; FOLDER keeps the tables for the next time. Costs are means of the losses over the folds.

random, tpe: medians over the seeds of the least cost in --trials trials, which both sides draw from ranges (numbers stand
for the nearest level), and of its rank in the grid. `wins` is the part of the seeds in which sheaf is better than Optuna,
and +- two standard errors of a fair coin. B is search.batch; Optuna's trials do not know the results of the last B - 1 trials either.
halving, hyperband: the part of the seeds in which the cost of the selected trial after all epochs is within a standard
error (over the folds) of the least one of the grid, and the epochs relative to those of the grid.
racing: the pruned part of the folds, and the seeds in which the best trial costs the same as without racing, less or more.
SPDX-License-Identifier: MIT
"""
import argparse
import csv
import math
import os
import subprocess
import sys
import tempfile
import warnings

try:
    import h5py
    import numpy
    import sklearn.datasets
except ImportError as error:
    print(f"skipped: {error}")
    sys.exit(77)
try:
    import optuna
except ImportError:
    optuna = None

FOLDS, EPOCHS, PASSES = 5, 27, 3
LOADERS = {"digits": (sklearn.datasets.load_digits, "classification"),
           "wine": (sklearn.datasets.load_wine, "classification"),
           "diabetes": (sklearn.datasets.load_diabetes, "regression")}
KEYS = [("train.learning_rate", "log_uniform", [f"{10 ** (-4 + 3 * step / 11):.4g}" for step in range(12)]),
        ("model.hidden", "log_integer", ["8", "16", "32", "64"]),
        ("train.weight_decay", "log_uniform", ["1e-05", "0.001", "0.1"]),
        ("model.activation", "list", ["relu", "tanh"])]
ENVIRONMENT = {name: value for name, value in os.environ.items() if name != "OMP_NUM_THREADS"}


def run(*command):
    done = subprocess.run(command, env=ENVIRONMENT, capture_output=True, text=True)
    if done.returncode != 0:
        raise SystemExit(f"{' '.join(command)}\n{done.stdout}{done.stderr}")
    return done.stdout


def trained_losses(sheaf, name, keys, folder):
    """The validation losses by configuration, fold and epoch."""
    load, task = LOADERS[name]
    data = load()
    path = lambda file: os.path.join(folder, file)
    with open(path("data.csv"), "w", newline="") as file:
        writer = csv.writer(file)
        writer.writerow([f"x{column}" for column in range(data.data.shape[1])] + ["target"])
        targets = [f"class {target}" for target in data.target] if task == "classification" else data.target
        writer.writerows([*row, target] for row, target in zip(data.data, targets))
    run(sheaf, "import", path("data.csv"), path("data.h5"), f"--task={task}")
    run(sheaf, "run", path("data.h5"), "--search.method=grid", f"--search.folds={FOLDS}", f"--train.epochs={EPOCHS}",
        "--train.patience=none", "--run.curves=true", "--run.models=none", "--run.predictions=none",
        "--run.progress=none", "--run.engine=native", f"--run.output={path('run')}",
        *(f"--search.{key}={', '.join(levels)}" for key, _, levels in keys))
    with h5py.File(os.path.join(path("run"), "results.h5")) as file:
        iterations, epochs = file["iterations"][:], file["epochs"][:]
    count = math.prod(len(levels) for _, _, levels in keys)
    losses = numpy.full((count, FOLDS, EPOCHS), numpy.nan)
    place = dict(zip(iterations["iteration"], zip(iterations["trial"], iterations["fold"])))
    first_epoch = epochs["epoch"].min()
    for iteration, epoch, loss in zip(epochs["iteration"], epochs["epoch"], epochs["validation_loss"]):
        losses[(*place[iteration], epoch - first_epoch)] = loss
    return losses


def table_of(sheaf, name, keys, folder):
    """The path of a table and its losses."""
    path = os.path.join(folder, f"{name}-{'-'.join(str(len(levels)) for _, _, levels in keys)}.txt")
    if not os.path.exists(path):
        with tempfile.TemporaryDirectory() as temporary:
            losses = trained_losses(sheaf, name, keys, temporary)
        with open(path, "w") as file:
            file.write(f"folds {FOLDS} epochs {EPOCHS}\n")
            for key, sampling, levels in keys:
                file.write(f"{key} {sampling} {' '.join(levels)}\n")
            file.write("losses\n")
            numpy.savetxt(file, losses.reshape(-1, EPOCHS), "%.9g")
    return path, numpy.loadtxt(path, skiprows=len(keys) + 2).reshape(-1, FOLDS, EPOCHS)


class Searches:
    def __init__(self, program, path, seeds):
        self.program, self.path, self.seeds = program, path, seeds

    def of_sheaf(self, method, trials=0, batch=0, racing="none", seeds=None):
        """By seed: the configuration of the best trial, the epochs, the trained and the pruned iterations."""
        lines = run(self.program, self.path, method, str(trials), str(batch), racing, str(seeds or self.seeds))
        return numpy.array([list(map(int, line.split())) for line in lines.splitlines()])


def nearest(levels, value, sampling):
    if sampling == "list":
        return levels.index(value)
    return min(range(len(levels)), key=lambda level: abs(math.log(float(levels[level])) - math.log(value)))


def optuna_best(keys, costs, method, trials, window, seed):
    sampler = (optuna.samplers.RandomSampler(seed=seed) if method == "random" else
               optuna.samplers.TPESampler(multivariate=True, group=True, constant_liar=True, seed=seed))
    study = optuna.create_study(sampler=sampler)
    pending, best = [], math.inf
    for _ in range(trials):
        if len(pending) == window:
            study.tell(*pending.pop(0))
        trial = study.ask()
        configuration = 0
        for key, sampling, levels in keys:
            if sampling == "list":
                value = trial.suggest_categorical(key, levels)
            else:
                low, high = float(levels[0]), float(levels[-1])
                value = (trial.suggest_int(key, int(low), int(high), log=True) if "integer" in sampling else
                         trial.suggest_float(key, low, high, log=True))
            configuration = configuration * len(levels) + nearest(levels, value, sampling)
        pending.append((trial, costs[configuration]))
        best = min(best, costs[configuration])
    return best


def compare_samplers(name, keys, costs, searches, trials):
    ordered = numpy.sort(costs)
    for method, windows in (("random", (1,)), ("tpe", (1, 8))):
        for window in windows:
            sheaf = costs[searches.of_sheaf(method, trials, window)[:, 0]]
            line = f"{name:9} {method:6} B {window}  {trials} trials  sheaf {numpy.median(sheaf):.4f}"
            rank = numpy.median(numpy.searchsorted(ordered, sheaf)) + 1
            if optuna:
                other = numpy.array([optuna_best(keys, costs, method, trials, window, seed)
                                     for seed in range(1, searches.seeds + 1)])
                other_rank = numpy.median(numpy.searchsorted(ordered, other)) + 1
                wins = 100 * (numpy.mean(sheaf < other) + 0.5 * numpy.mean(sheaf == other))
                line += (f"  optuna {numpy.median(other):.4f}  ratio {numpy.median(sheaf) / numpy.median(other):.3f}  "
                         f"ranks {rank:.0f} {other_rank:.0f}  wins {wins:.0f} +- "
                         f"{100 / math.sqrt(searches.seeds):.0f} %")
            else:
                line += f"  rank {rank:.0f}"
            print(line, flush=True)


def compare_stages(name, losses, costs, searches):
    best = numpy.argmin(costs)
    error = losses[best, :, -1].std(ddof=1) / math.sqrt(FOLDS)
    print(f"{name:9} grid of {len(costs)}: least cost {costs[best]:.4f}, standard error {error:.4f}, "
          f"{numpy.mean(costs <= costs[best] + error):.1%} of the configurations within it")
    pass_trials = 49  # of Hyperband with 27 epochs and factor 3
    for method, trials in (("halving", 0), ("halving", len(costs) // 2), ("hyperband", pass_trials),
                           ("hyperband", PASSES * pass_trials)):
        found = searches.of_sheaf(method, trials, seeds=None if trials else 1)
        selected, epochs = costs[found[:, 0]], found[:, 1]
        print(f"{name:9} {method:9} {trials or len(costs):3} trials  within a standard error "
              f"{numpy.mean(selected <= costs[best] + error):4.0%} of {len(found)}  median cost {numpy.median(selected):.4f}  "
              f"epochs {epochs.mean() / losses.size:.1%}", flush=True)


def compare_racing(name, costs, searches, trials):
    for method in ("random", "tpe"):
        without, racing = (searches.of_sheaf(method, trials, racing=racing) for racing in ("none", "forgiving"))
        plain, raced = costs[without[:, 0]], costs[racing[:, 0]]
        pruned = racing[:, 3].sum() / racing[:, 2:4].sum()
        print(f"{name:9} {method:6} racing  pruned {pruned:.1%} of the folds  best cost equal {numpy.mean(raced == plain):.0%} "
              f"less {numpy.mean(raced < plain):.0%} more {numpy.mean(raced > plain):.0%}  medians {numpy.median(raced):.4f} "
              f"{numpy.median(plain):.4f}", flush=True)


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("sheaf")
    parser.add_argument("program")
    parser.add_argument("tables", nargs="*", default=list(LOADERS))
    parser.add_argument("--seeds", type=int, default=50)
    parser.add_argument("--trials", type=int, default=40)
    parser.add_argument("--folder")
    parser.add_argument("--quick", action="store_true")
    arguments = parser.parse_intermixed_args()
    warnings.simplefilter("ignore")
    if optuna:
        optuna.logging.set_verbosity(optuna.logging.ERROR)
    keys = [(key, sampling, levels[::4] if arguments.quick and key == "train.learning_rate" else levels)
            for key, sampling, levels in KEYS]
    with tempfile.TemporaryDirectory() as temporary:
        for name in arguments.tables:
            path, losses = table_of(arguments.sheaf, name, keys, arguments.folder or temporary)
            costs = losses[:, :, -1].mean(axis=1)
            costs[numpy.isnan(costs)] = math.inf
            searches = Searches(arguments.program, path, arguments.seeds)
            compare_stages(name, losses, costs, searches)
            compare_samplers(name, keys, costs, searches, arguments.trials)
            compare_racing(name, costs, searches, arguments.trials)


if __name__ == "__main__":
    main()
