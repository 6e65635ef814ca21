"""Grid searches in which a searched key has no effect in some combinations: each model is trained once, on any number of
ranks and after a kill, and everything that the program prints and writes counts only what it trains."""

import json
import shutil
import sys

import h5py

from program import DIGITS, SHEAF, Checks, Started, journaled, read_csv, sheaf

checks = Checks()
shutil.rmtree("runs", ignore_errors=True)
with open("grid.cfg", "w") as file:
    file.write(f"[data]\nfile = {DIGITS}\n[model]\nhidden = 16\n[train]\nepochs = 200\n[run]\ndevice = cpu\n[search]\n"
               "folds = 3\ntrain.learning_rate = 0.01, 0.1\ntrain.optimizer = sgd, adam\ntrain.momentum = 0, 0.9\n")
KEYS = ["train.learning_rate", "train.optimizer", "train.momentum"]
SAME = ["iteration", "trial", "fold", "seed", *KEYS, "status", "final_loss", "validation_loss"]
SKIPPED = "2 of 8 combinations: train.momentum has no effect with train.optimizer = adam"
TRIALS = [("0.01", "sgd", "0"), ("0.01", "sgd", "0.9"), ("0.1", "sgd", "0"), ("0.1", "sgd", "0.9"),
          ("0.01", "adam", "0"), ("0.1", "adam", "0")]


def rows(directory):
    return [[row[name] for name in SAME] for row in read_csv(f"runs/{directory}/results.csv")]


result = sheaf("plan", "grid.cfg")
checks.check(result.code == 0 and "iterations   18 = 6 trials x 1 repeat x 3 folds x 1 member\n" in result.stdout
             and f"skipped      {SKIPPED}\n" in result.stdout, "plan", result.stdout + result.stderr)
result = sheaf("plan", "grid.cfg", "--search.train.optimizer=sgd, rmsprop")
checks.check(result.code == 0 and "8 trials" in result.stdout and "skipped" not in result.stdout,
             "plan: no combinations are skipped", result.stdout + result.stderr)

with open("kinds.cfg", "w") as file:
    file.write(f"[data]\nfile = {DIGITS}\n[run]\ndevice = cpu\n[search]\nmodel.hidden = 8, 32, 256\n"
               "model.kind = linear, mlp\nmodel.dropout = 0, 0.5\n")
result = sheaf("plan", "kinds.cfg")
lines = [line.split() for line in result.stdout.splitlines()]
table = lines[next((i for i, line in enumerate(lines) if line[:1] == ["trial"]), 0) + 1:]
total = [float(line[1]) for line in lines if line[:1] == ["arithmetic"]]
checks.check([line[1:4] for line in table] ==
             [["-", "linear", "-"]] + [[hidden, "mlp", rate] for hidden in ("8", "32", "256") for rate in ("0", "0.5")]
             and len(total) == 1 and abs(sum(float(line[5]) for line in table) / total[0] - 1) < 1e-3,
             "plan: the arithmetic is that of the trials", result.stdout + result.stderr)

result = sheaf("run", "grid.cfg", "--run.output=runs/reference", "--run.lanes=1")
checks.check(result.code == 0 and "18 iterations into" in result.stderr
             and result.stderr.count(f"skipped {SKIPPED}\n") == 1, "the run succeeds", result.stderr)
reference = rows("reference")
checks.check([tuple(row[4:7]) for row in reference] == [trial for trial in TRIALS for fold in range(3)],
             "each combination with an effect is trained once", str(reference))
with open("runs/reference/summary.json") as file, h5py.File("runs/reference/results.h5") as tables:
    checks.check(json.load(file)["iterations"]["total"] == len(tables["iterations"]) == 18 and len(tables["trials"]) == 6,
                 "the tables have what was trained")
status = json.loads(sheaf("status", "runs/reference", "--output=json").stdout)
checks.check(status["trials"] == {"total": 6, "complete": 6}, "status", str(status))
result = sheaf("run", "grid.cfg", "--run.output=runs/on-3", "--run.partition=dynamic", ranks=3)
checks.check(result.code == 0 and result.stderr.count("skipped") == 1, "3 ranks: the run succeeds", result.stderr)
checks.check(rows("on-3") == reference, "3 ranks: the same results", str(rows("on-3")))

job = Started([SHEAF, "run", "grid.cfg", "--run.output=runs/killed", "--run.lanes=1"])
checks.check(job.creep_until(lambda: len(journaled("runs/killed")) > 4), "a run trains")
job.kill()
checks.check(len(journaled("runs/killed")) < 18, "the run is killed in the middle")
result = sheaf("resume", "runs/killed", ranks=3)
checks.check(result.code == 0 and rows("killed") == reference, "a killed run is resumed", result.stderr)
checks.check(sorted(journaled("runs/killed")) == list(range(18)), "no iteration is trained again")

# A study that is narrowed on the command line.
result = sheaf("run", "grid.cfg", "--search.train.optimizer=adam", "--run.output=runs/narrowed")
checks.check(result.code == 0 and "skipped 2 of 4 combinations" in result.stderr and len(rows("narrowed")) == 6,
             "a key without effect in all combinations", result.stderr)

sys.exit(checks.finish())
