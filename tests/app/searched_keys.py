"""Every key that can be searched, as a grid of two values: both trials have the results of runs with these values, bit for
bit, and keys that cannot be searched are refused with the reason. tests/unit/study/searchable_keys_test.cpp has the same
keys."""

import os
import re
import shutil

import h5py
import numpy

from program import DIGITS, Checks, read_csv, sheaf

checks = Checks()
shutil.rmtree("keys", ignore_errors=True)
os.makedirs("keys")
os.chdir("keys")
NUMBERS = ["numbers.h5"]
IMAGES = [DIGITS, "--data.image=1x8x8", "--model.kind=mlp"]
random = numpy.random.default_rng(5)
with h5py.File("numbers.h5", "w") as file:
    features = random.normal(size=(200, 6)) * [1, 2, 30, 1, 1, 1]
    file["features"], file["targets"] = features, features[:, 0] + features[:, 2] / 30 + random.normal(size=200) / 9
SGD, ADAM, CNN = "--train.optimizer=sgd", "--train.optimizer=adam", ["--model.kind=cnn", "--model.channels=4"]
TREES = ["--model.kind=boosted_trees", "--train.epochs=12"]
with open("texts.csv", "w") as file:
    file.write("a,b,target\n" + "".join(f"{'pqrstuvwxyza'[number % 12]},{number % 7},{(number * number) % 11 + number % 6 / 3}\n"
                                        for number in range(200)))
checks.check(sheaf("import", "texts.csv", "texts.h5", "--task=regression").code == 0, "import of texts.csv")
STOPS = ["--train.patience=2", "--train.epochs=12"]
# The data, two values, and what lets the key have an effect.
KEYS = {
    "data.normalize": (NUMBERS, "none", "robust"),
    "model.kind": (NUMBERS, "linear", "mlp"),
    "model.hidden": (NUMBERS, "16", "64 32"),
    "model.channels": (IMAGES, "4", "8 16", "--model.kind=cnn"),
    "model.kernel": (IMAGES, "3", "5", *CNN),
    "model.stem": (IMAGES, "small", "imagenet", "--model.kind=resnet18", "--train.batch_size=512", "--train.epochs=1"),
    "model.embedding": (NUMBERS, "none", "piecewise"),
    "model.categories": (["texts.h5"], "one_hot", "embedding"),
    "model.activation": (NUMBERS, "relu", "tanh"),
    "model.norm": (NUMBERS, "none", "batch"),
    "model.dropout": (NUMBERS, "0", "0.5"),
    "model.bias": (NUMBERS, "true", "false", "--data.normalize_targets=none"),
    "model.initialization": (NUMBERS, "pytorch", "he"),
    **{f"model.{key}": (NUMBERS, *values, *TREES) for key, values in {
        "eta": ("0.1", "0.3"), "max_depth": ("2", "5"), "max_leaves": ("none", "3"), "subsample": ("0.5", "1"),
        "colsample_bytree": ("0.4", "1"), "colsample_bynode": ("0.4", "1"), "min_child_weight": ("0.01", "20"),
        "lambda": ("0", "5"), "alpha": ("0", "2"), "max_bin": ("4", "256")}.items()},
    "model.max_cat_to_onehot": (["texts.h5"], "1", "100", *TREES),
    "train.epochs": (NUMBERS, "3", "5"),
    "train.batch_size": (NUMBERS, "16", "full"),
    "train.shuffle": (NUMBERS, "true", "false"),
    "train.loss": (NUMBERS, "mse", "huber", "--search.metric=r2"),
    "train.huber_delta": (NUMBERS, "1", "0.1", "--train.loss=huber"),
    "train.label_smoothing": (IMAGES, "0", "0.1"),
    "train.reduction": (NUMBERS, "mean", "sum", "--train.learning_rate=0.001"),
    "train.class_weights": (IMAGES, "none", "balanced"),
    "train.precision": (NUMBERS, "float32", "float64"),
    "train.optimizer": (NUMBERS, "sgd", "adam"),
    "train.learning_rate": (NUMBERS, "0.1", "0.01"),
    "train.schedule": (NUMBERS, "constant", "cosine"),
    "train.warmup_epochs": (NUMBERS, "0", "0.5"),
    "train.plateau_factor": (NUMBERS, "0.1", "0.5", "--train.schedule=plateau", "--train.plateau_patience=0",
                             "--train.epochs=40"),
    "train.plateau_patience": (NUMBERS, "0", "3", "--train.schedule=plateau", "--train.epochs=60"),
    "train.step_factor": (NUMBERS, "0.1", "0.5", "--train.schedule=step", "--train.step_epochs=1"),
    "train.step_epochs": (NUMBERS, "1", "2", "--train.schedule=step"),
    "train.exponential_factor": (NUMBERS, "0.9", "0.5", "--train.schedule=exponential"),
    "train.patience": (NUMBERS, "none", "1", "--train.epochs=60", "--train.best_weights=false"),
    "train.best_weights": (NUMBERS, "false", "true", "--train.epochs=60"),
    "train.stop_on": (NUMBERS, "loss", "mae", *STOPS, "--train.learning_rate=0.05", "--train.epochs=60"),
    "train.min_change": (NUMBERS, "0", "0.1", *STOPS),
    "train.clip_norm": (NUMBERS, "none", "0.01"),
    "train.clip_value": (NUMBERS, "none", "0.001"),
    "train.l1": (NUMBERS, "0", "0.01"),
    "train.average": (NUMBERS, "none", "ema"),
    "train.average_decay": (NUMBERS, "0.9", "0.5", "--train.average=ema"),
    "train.momentum": (NUMBERS, "0", "0.9", SGD),
    "train.nesterov": (NUMBERS, "false", "true", "--train.momentum=0.9", SGD),
    "train.weight_decay": (NUMBERS, "0", "0.01"),
    "train.beta1": (NUMBERS, "0.9", "0.8", ADAM),
    "train.beta2": (NUMBERS, "0.999", "0.9", ADAM),
    "train.alpha": (NUMBERS, "0.99", "0.9", "--train.optimizer=rmsprop"),
    "train.epsilon": (NUMBERS, "1e-08", "0.01", ADAM),
}
# Keys that decide what all trials have in common.
REFUSED = {
    "train.stop_fraction": ("0, 0.2", "all trials have the same rows", *STOPS),
    "train.quantiles": ("0.5, 0.1 0.9", "its trials would have different outputs", "--train.loss=quantile"),
}
TESTED_ELSEWHERE = {"model.keep_weights"}  # it needs a module: tests/app/models.py
OF_THE_JOB = {"seconds", "data_seconds", "training_seconds", "validation_seconds", "wait_seconds", "rank", "lane",
              "device"}


def rows(name, *keys):
    path = f"{name}/results.csv"
    return [{column: value for column, value in row.items() if column not in OF_THE_JOB | set(keys)}
            for row in read_csv(path)] if os.path.exists(path) else []


def run(name, study):
    shutil.rmtree(name, ignore_errors=True)
    given = {}
    for arg in study:
        given[arg.split("=")[0]] = arg
    result = sheaf("run", *given.values(), f"--run.output={name}", "--run.device=cpu", "--run.progress=none",
                   "--run.models=none")
    checks.check(result.code == 0, f"{study}: the run succeeds", result.stderr)


listed = [f"{section}.{name}" for section in ("model", "train")
          for name in re.findall(r"^  ([a-z0-9_]+) = ", sheaf("run", "--help", section).stdout, re.MULTILINE)]
checks.check(len(listed) > 40 and {"data.normalize", *listed} == {*KEYS, *REFUSED, *TESTED_ELSEWHERE},
             "every key of [model] and [train] is tested",
             str({"data.normalize", *listed} ^ {*KEYS, *REFUSED, *TESTED_ELSEWHERE}))
for key, (data, first, second, *args) in KEYS.items():
    study = [*data, "--data.validation=0.2", *([] if key == "train.epochs" else ["--train.epochs=3"]), *args]
    # A second key that does not matter gives the trials of a run with a fixed value the same numbers.
    other, values = ("train.l1", "0, 1e-300") if key.startswith("train.clip") else ("train.clip_norm", "1e11, 2e11")
    if TREES[0] in args:  # each row has the same second derivative, 1
        other, values = (("model.alpha", "0, 1e-30") if key == "model.min_child_weight" else
                         ("model.min_child_weight", "0.01, 0.02"))
    of_no_matter, fixed = f"--search.{other}={values}", f"--{other}={values.split(',')[0]}"
    run("searched", study + [f"--search.{key}={first}, {second}", fixed])
    found = rows("searched", key, other)
    checks.check(len(found) == 2 and found[0]["final_loss"] != found[1]["final_loss"], f"{key}: two different trials",
                 str(found))
    for trial, value in enumerate((first, second)):
        run("fixed", study + [f"--{key}={value}", of_no_matter])
        alone = rows("fixed", key, other)
        checks.check(found[trial:trial + 1] == alone[trial:trial + 1] != [], f"{key} = {value}: a searched value equals a "
                     "fixed one", f"{found[trial:trial + 1]}\n{alone[trial:trial + 1]}")
for key, (values, reason, *args) in REFUSED.items():
    result = sheaf("run", *NUMBERS, "--data.validation=0.2", f"--search.{key}={values}", *args, "--run.output=refused")
    checks.check(result.code == 2 and reason in result.stderr and f"Set {key}" in result.stderr, f"{key} is refused",
                 result.stderr)
    checks.check(not os.path.exists("refused"), f"{key}: no directory")
raise SystemExit(checks.finish())
