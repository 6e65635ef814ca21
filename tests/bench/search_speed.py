"""Compares the speed of searches in sheaf with those of Optuna with PyTorch, on the digits.

    python3 tests/bench/search_speed.py SHEAF [--trials=N] [--epochs=N] [--turns=N] [random tpe hyperband]

Each search draws trials of one hidden layer (learning rate, width, weight decay and activation), with 3 folds. Both
sides use two cores: sheaf two lanes, Optuna n_jobs=2 with one PyTorch thread each. Since Python's lock can make two jobs
slower than one, n_jobs=1 is measured, too. The reference keeps the data in tensors
and uses the fused Adam; all folds of a trial train side by side, so that Hyperband can compare means of folds. Programs
alternate, and the best turn of each counts. The time of the reference starts after its imports; the time of sheaf is the
whole command, with all files but without saved models. The score is the best mean accuracy of the folds, with sheaf after
all epochs, with Optuna of the trials that were not pruned.
SPDX-License-Identifier: MIT
"""
import argparse
import csv
import json
import os
import resource
import subprocess
import sys
import tempfile
import time
import warnings

ROOT = os.path.abspath(os.path.join(os.path.dirname(os.path.abspath(__file__)), "../.."))
DIGITS = os.path.join(ROOT, "data", "digits.h5")
ENVIRONMENT = {name: value for name, value in os.environ.items() if name != "OMP_NUM_THREADS"}
FOLDS, BATCH, LANES = 3, 32, 2
RATES, WIDTHS, DECAYS, ACTIVATIONS = (1e-4, 1e-1), (16, 128), (1e-6, 1e-2), ("relu", "tanh", "gelu")

try:
    import h5py
    import numpy
    import optuna
    import torch
    from torch import nn
except ImportError as error:
    print(f"skipped: {error}")
    sys.exit(77)


def children_seconds():
    usage = resource.getrusage(resource.RUSAGE_CHILDREN)
    return usage.ru_utime + usage.ru_stime


def sheaf_search(sheaf, method, trials, epochs, seed):
    """Wall and processor seconds, the best score, and the epochs that all trials together have trained."""
    with tempfile.TemporaryDirectory() as folder:
        output = os.path.join(folder, "run")
        start, earlier = time.perf_counter(), children_seconds()
        done = subprocess.run(
            [sheaf, "run", DIGITS, f"--study.seed={seed}", f"--search.method={method}", f"--search.trials={trials}",
             f"--search.folds={FOLDS}", "--search.metric=accuracy", f"--train.epochs={epochs}",
             f"--train.batch_size={BATCH}", "--train.optimizer=adam", "--train.patience=none",
             "--data.normalize=standard",
             f"--search.train.learning_rate=log_uniform({RATES[0]}, {RATES[1]})",
             f"--search.train.weight_decay=log_uniform({DECAYS[0]}, {DECAYS[1]})",
             f"--search.model.hidden=log_integer({WIDTHS[0]}, {WIDTHS[1]})",
             f"--search.model.activation={', '.join(ACTIVATIONS)}", f"--run.lanes={LANES}", "--run.models=none",
             "--run.progress=none", f"--run.output={output}"],
            env=ENVIRONMENT, capture_output=True, text=True)
        seconds, processor_seconds = time.perf_counter() - start, children_seconds() - earlier
        if done.returncode != 0:
            raise SystemExit(done.stdout + done.stderr)
        with open(os.path.join(output, "results.csv")) as file:
            epochs_of = {(row["trial"], row["fold"]): int(row["epochs"]) for row in csv.DictReader(file)}  # the last stage
        with open(os.path.join(output, "summary.json")) as file:
            score = json.load(file)["best"]["mean_score"]
    return seconds, processor_seconds, score, sum(epochs_of.values()) / FOLDS


def read_folds(seed):
    with h5py.File(DIGITS) as file:
        features, labels = file["features"][:].astype("f4"), file["targets"][:].astype("i8")
    order = numpy.random.default_rng(seed).permutation(len(labels))
    folds = []
    for held_out in numpy.array_split(order, FOLDS):
        training = numpy.setdiff1d(order, held_out)
        mean, deviation = features[training].mean(axis=0), features[training].std(axis=0)
        scaled = torch.from_numpy((features - mean) / numpy.where(deviation > 0, deviation, 1))
        targets = torch.from_numpy(labels)
        folds.append((scaled[training], targets[training], scaled[held_out], targets[held_out]))
    return folds


class Training:
    """A network and its optimizer in one fold."""

    def __init__(self, fold, rate, width, decay, activation):
        self.features, self.labels, self.held_out, self.held_out_labels = fold
        layer = {"relu": nn.ReLU, "tanh": nn.Tanh, "gelu": nn.GELU}[activation]
        self.model = nn.Sequential(nn.Linear(64, width), layer(), nn.Linear(width, 10))
        self.optimizer = torch.optim.Adam(self.model.parameters(), lr=rate, weight_decay=decay, fused=True)

    def train_epoch(self):
        for rows in torch.randperm(len(self.labels)).split(BATCH):
            self.optimizer.zero_grad()
            nn.functional.cross_entropy(self.model(self.features[rows]), self.labels[rows]).backward()
            self.optimizer.step()

    @torch.no_grad()
    def accuracy(self):
        return (self.model(self.held_out).argmax(dim=1) == self.held_out_labels).double().mean().item()


def optuna_search(jobs, method, trials, epochs, seed):
    torch.manual_seed(seed)
    folds = read_folds(seed)
    sampler = optuna.samplers.TPESampler(seed=seed) if method == "tpe" else optuna.samplers.RandomSampler(seed=seed)
    pruner = optuna.pruners.NopPruner()
    if method == "hyperband":
        pruner = optuna.pruners.HyperbandPruner(min_resource=1, max_resource=epochs, reduction_factor=3)

    def objective(trial):
        values = (trial.suggest_float("rate", *RATES, log=True), trial.suggest_int("width", *WIDTHS, log=True),
                  trial.suggest_float("decay", *DECAYS, log=True), trial.suggest_categorical("activation", ACTIVATIONS))
        trainings = [Training(fold, *values) for fold in folds]
        for epoch in range(1, epochs + 1):
            for training in trainings:
                training.train_epoch()
            score = sum(training.accuracy() for training in trainings) / FOLDS
            trial.report(score, epoch)
            if trial.should_prune():
                raise optuna.TrialPruned()
        return score

    start, earlier = time.perf_counter(), time.process_time()
    study = optuna.create_study(direction="maximize", sampler=sampler, pruner=pruner)
    study.optimize(objective, n_trials=trials, n_jobs=jobs)
    seconds, processor_seconds = time.perf_counter() - start, time.process_time() - earlier
    trained = sum(len(trial.intermediate_values) for trial in study.trials)
    return seconds, processor_seconds, study.best_value, trained


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("sheaf")
    parser.add_argument("methods", nargs="*", default=["random", "tpe", "hyperband"])
    parser.add_argument("--trials", type=int, default=60)
    parser.add_argument("--epochs", type=int, default=20)
    parser.add_argument("--turns", type=int, default=2)
    arguments = parser.parse_intermixed_args()
    warnings.simplefilter("ignore")
    optuna.logging.set_verbosity(optuna.logging.ERROR)
    torch.set_num_threads(1)
    Training(read_folds(0)[0], RATES[0], WIDTHS[0], 0, "relu").train_epoch()  # loads libraries
    print(f"{arguments.trials} trials, {FOLDS} folds, {arguments.epochs} epochs; load average {os.getloadavg()[0]:.1f}")
    for method in arguments.methods:
        turns = {"n_jobs=1": [], "n_jobs=2": [], "sheaf": []}
        for turn in range(arguments.turns):
            options = method, arguments.trials, arguments.epochs, 1 + turn
            turns["n_jobs=1"].append(optuna_search(1, *options))
            turns["n_jobs=2"].append(optuna_search(2, *options))
            turns["sheaf"].append(sheaf_search(arguments.sheaf, *options))
        seconds = {side: [min(turn[at] for turn in of_side) for at in (0, 1)] for side, of_side in turns.items()}
        for side, of_side in turns.items():
            wall, processor = seconds[side]
            ratios = [slow / fast for slow, fast in zip(seconds[side], seconds["sheaf"])]
            scores = " ".join(f"{turn[2]:.4f}" for turn in of_side)
            epochs = " ".join(f"{turn[3]:.0f}" for turn in of_side)
            print(f"{method:10} {side:9} {wall:7.2f} s (x {ratios[0]:.1f})  processor {processor:7.2f} s (x {ratios[1]:.1f})  "
                  f"best accuracy {scores}  epochs {epochs}", flush=True)


if __name__ == "__main__":
    main()
