"""What people type first: a run without run.output started again or twice at once, files that are not HDF5, keys without
effect, searches whose trials are not comparable, classes that are never trained on, and a model that predicts on."""

import csv
import os
import re
import shutil
import sys

import h5py
import numpy

from program import SHEAF, Checks, Started, read_csv, sheaf

PLUGINS = os.environ["SHEAF_PLUGINS"]

checks = Checks()
shutil.rmtree("habits", ignore_errors=True)
os.makedirs("habits")
os.chdir("habits")
random = numpy.random.default_rng(4)


def write(name, features, targets):
    with h5py.File(name, "w") as file:
        file["features"], file["targets"] = features, targets


def check(case, result, code, text, where="stderr"):
    output = result.stdout if where == "stdout" else result.stderr
    checks.check(result.code == code and text in output, f"{case}: exit code {code} and '{text}'",
                 f"{result.code}\n{result.stdout}{result.stderr}")


labels = numpy.arange(60) % 3
write("train.h5", (random.normal(size=(60, 4)) + labels[:, None]).astype("f4"), labels)
RUN = ["run", "train.h5", "--train.epochs=2", "--run.progress=none"]

# ---- A second run goes to the next directory. Only rank 0 chooses it.

for number, ranks in ((1, None), (2, 3), (3, None)):
    output = "runs/train" if number == 1 else f"runs/train-{number}"
    result = sheaf(*RUN, ranks=ranks)
    check(f"run {number}", result, 0, f"results in '{output}'")
    checks.check(("'runs/train' has another run; this one goes to" in result.stderr) == (number > 1),
                 f"run {number} names another directory", result.stderr)
checks.check(sorted(os.listdir("runs")) == ["train", "train-2", "train-3"], "no other directories", os.listdir("runs"))
losses = {tuple(row["final_loss"] for row in read_csv(f"runs/{name}/results.csv")) for name in os.listdir("runs")}
checks.check(len(losses) == 1, "all runs have the same losses", losses)
check("the chosen directory is refused", sheaf(*RUN, "--run.output=runs/train"), 1, "'runs/train' already has a run")
check("--resume", sheaf(*RUN, "--resume"), 0, "'runs/train' is already complete")
check("an array task", sheaf(*RUN, "--run.array=0/2"), 0, "'runs/train' is already complete")
os.remove("runs/train-2/results.csv")
check("an unfinished run is not passed over", sheaf(*RUN), 1, "sheaf resume runs/train-2")
shutil.rmtree("runs")

# Jobs that start at the same time.
ended = [job.finish() for job in [Started([SHEAF, *RUN], ranks=ranks) for ranks in (None, 2, None)]]
checks.check([job.code for job in ended] == [0, 0, 0] and sorted(os.listdir("runs")) == ["train", "train-2", "train-3"],
             "three jobs at once", "\n".join(job.stdout for job in ended) + str(os.listdir("runs")))

# ---- Messages that lead to the next step

with open("my table.csv", "w", newline="") as file:
    csv.writer(file).writerows([["a", "b", "y"]] + [[index, index % 7, "no yes".split()[index % 2]] for index in range(40)])
result = sheaf("run", "my table.csv")
commands = result.stderr.split("then train: ")[-1].strip()
check("a CSV file", result, 2, "sheaf import 'my table.csv' 'my table.h5' && sheaf run 'my table.h5'")
os.environ["PATH"] = os.path.dirname(SHEAF) + ":" + os.environ["PATH"]
checks.check(os.system(commands.replace("sheaf run", "sheaf plan") + " >commands.log 2>&1") == 0,
             "the commands of the message work", commands)
for args, text in ((["run", "images-ubyte.gz"], "sheaf import images-ubyte.gz LABELS images-ubyte.h5 && "),
                   (["plan", "X.npy"], "sheaf import X.npy TARGETS.npy X.h5 && sheaf plan X.h5")):
    check(str(args), sheaf(*args), 2, text)
for args, text in ((["import", "my table.csv", "t.h5", "--target=y"], "Use --label for CSV files"),
                   (["import", "my table.csv", "t.h5", "--targets=y"], "format csv has no option --targets. Use --label."),
                   (["run", "train.h5", "--train.ema=0.9"], "'--train.ema'. Use --train.average."),
                   (["run", "train.h5", "--data.pin_memory=true"], "Sheaf has no such key"),
                   (["run", "train.h5", "--train.early_stopping=3"], "Use --train.patience"),
                   (["run", "train.h5", "--run.device=cpu", "--run.core_lanes=4"],
                    "run.core_lanes = 4 has no effect (run.device = cpu)")):
    check(str(args), sheaf(*args), 2, text)
check("folds without a method", sheaf(*RUN, "--search.folds=3", "--run.output=folds"), 0, " over 3 folds)", "stdout")
if "GPUs " in (info := sheaf("info").stdout):
    result = sheaf(*RUN, "--run.output=keys", "--run.ranks_per_gpu=2", "--run.core_lanes=1", ranks=2)
    for key in ("run.ranks_per_gpu = 2", "run.core_lanes = 1"):
        check("a key without effect", result, 0, f"warning: {key} has no effect (no rank trains on a GPU).")
    reason = re.search(r"^GPUs .*?\((.*)\)$", info, re.MULTILINE).group(1)
    check("info and run give the same reason", sheaf(*RUN, "--run.output=gpu", "--run.device=cuda"), 1, f"({reason})")
result = sheaf(*RUN, "--run.output=plugin", f"--model.kind=plugin:{PLUGINS}/gated_mlp.so", ranks=2)
check("a plugin", result, 0, "sheaf predict plugin", "stderr")
result = sheaf("predict", "plugin", "train.h5", "out.csv")
checks.check(result.code == 0 and os.path.exists("out.csv"), "predictions with a plugin", result.stderr)

# ---- Trials that are not comparable, and classes that are not trained on

GRID = ["--search.method=grid", "--run.progress=none", "--train.epochs=20"]
result = sheaf("run", "train.h5", *GRID, "--search.train.loss=cross_entropy,bce", "--search.folds=3",
               "--search.train.learning_rate=1e-5,1e-2", "--run.output=losses", ranks=2)
check("different losses", result, 0, "Ranked by accuracy (losses of different kinds", "stdout")
ranked = [line.split() for line in result.stdout.splitlines() if re.match(r" +\d ", line)]
checks.check([float(line[2]) for line in ranked] == [1e-2, 1e-2, 1e-5, 1e-5], "accuracy ranks the trials", ranked)
result = sheaf("run", "train.h5", *GRID, "--search.train.loss=cross_entropy,bce", "--data.validation=0",
               "--run.output=unranked", ranks=3)
check("different losses without another metric", result, 2, "the trials cannot be ranked")
checks.check(len(result.error_lines()) == 1 and not os.path.exists("unranked"), "one error, no run", result.stderr)

write("few.h5", random.normal(size=(30, 2)).astype("f4"), random.normal(size=30).astype("f4"))
LEAVE_ONE_OUT = ["run", "few.h5", *GRID, "--search.folds=30", "--search.train.learning_rate=1e-5,1e-2"]
check("R2 of one row", sheaf(*LEAVE_ONE_OUT, "--search.metric=r2", "--run.output=r2", ranks=2), 2,
      "leaves a fold with one row). Set search.folds to at most 15, or set search.metric = loss.")
result = sheaf(*LEAVE_ONE_OUT, "--run.output=by-loss")
check("leave-one-out by loss", result, 0, "R2 not defined over 30 folds)", "stdout")
checks.check("diverged" not in result.stdout, "an undefined R2 is not a divergence", result.stdout)

rare = numpy.zeros(40, int)
rare[17] = 1
write("rare.h5", random.normal(size=(40, 2)).astype("f4"), rare)
for args, text in ((["--data.validation=0.5"], "class 1 (1 row) is not trained on (data.validation = 0.5 holds out"),
                   (["--search.folds=4"], "the fold with the only row of a class trains without the class")):
    result = sheaf("run", "rare.h5", *args, "--train.epochs=1", "--run.output=" + args[0][2:8], ranks=3)
    check(str(args), result, 0, text)
    checks.check(result.stderr.count(text) == 1, f"{args}: one warning", result.stderr)
sys.exit(checks.finish())
