"""Random searches: the same trials for all numbers of ranks and lanes, trials that can be repeated from their printed
values, runs that grow, and searches with very many trials."""

import json
import os
import shutil
import sys

import h5py

from program import DIGITS, SHEAF, SOURCE, Checks, Started, journaled, launch, read_csv, sheaf

checks = Checks()
shutil.rmtree("runs", ignore_errors=True)
STUDY = [os.path.join(SOURCE, "jobs", "studies", "digits-random.cfg"), f"--data.file={DIGITS}", "--run.device=cpu",
         "--train.epochs=10"]
KEYS = ["model.hidden", "model.dropout", "train.learning_rate", "train.batch_size"]
SAME = ["iteration", "stage", "trial", "fold", "seed", *KEYS, "status", "final_loss", "validation_loss",
        "validation_score", "epochs", "steps"]


def rows(directory):
    path = f"runs/{directory}/results.csv"
    return [[row[name] for name in SAME] for row in read_csv(path)] if os.path.exists(path) else []


def status(directory):
    return json.loads(sheaf("status", directory, "--output=json").stdout)


def run(directory, *args, ranks=None):
    result = sheaf("run", *STUDY, f"--run.output=runs/{directory}", *args, ranks=ranks)
    checks.check(result.code == 0, f"{directory}: the run succeeds", result.stderr)
    return rows(directory)


reference = run("reference", "--run.lanes=1", "--run.partition=block")
checks.check(len(reference) == 60, "20 trials x 3 folds", str(reference))
values = {tuple(row[5:9]) for row in reference}
checks.check(len(values) == 20, "all trials differ", str(values))
for hidden, dropout, rate, batch in values:
    checks.check(16 <= int(hidden) <= 128 and 0 <= float(dropout) <= 0.5 and 1e-4 <= float(rate) <= 1e-1
                 and batch in ("16", "32", "64"), "values are in their ranges", str((hidden, dropout, rate, batch)))
for ranks, lanes, partition in ((2, 2, "dynamic"), (3, 1, "cyclic"), (4, 2, "self")):
    found = run(f"on-{ranks}", f"--run.lanes={lanes}", f"--run.partition={partition}", ranks=ranks)
    checks.check(found == reference, f"{ranks} ranks, {lanes} lanes, {partition}: the same results", str(found)[:2000])

# The first trial again, with its printed values.
first = reference[0]
with open("again.cfg", "w") as file:
    file.write(f"[data]\nfile = {DIGITS}\n[train]\nepochs = 10\nlearning_rate = {first[7]}\nbatch_size = {first[8]}\n"
               f"[model]\nhidden = {first[5]}\ndropout = {first[6]}\n[search]\nfolds = 3\n")
result = sheaf("run", "again.cfg", "--run.output=runs/again", "--run.device=cpu")
again = [row["validation_loss"] for row in read_csv("runs/again/results.csv")] if result.code == 0 else []
checks.check(again == [row[SAME.index("validation_loss")] for row in reference[:3]],
             "a trial can be repeated from its printed values", str((again, reference[:3])) + result.stderr)

# A run that grows, after its end, when it was killed, and through other jobs.
run("grown", "--search.trials=5", ranks=2)
checks.check(rows("grown") == reference[:15], "fewer trials are the first ones", str(rows("grown")))
job = Started([SHEAF, "resume", "runs/grown", "--search.trials=20", "--run.lanes=1"])
checks.check(job.creep_until(lambda: len(journaled("runs/grown")) > 17), "a growing run trains")
found = status("runs/grown")
checks.check(found["state"] == "running" and not found["has_results"] and found["earlier_results"] == 15, "the status of a "
             "growing run", str(found))
job.kill()
found = status("runs/grown")
checks.check(found["state"] == "stopped" and found["earlier_results"] == 15, "the status of a stopped, growing run",
             str(found))
checks.check("of the first 15 iterations, until the run is complete" in sheaf("status", "runs/grown").stdout,
             "the status names the tables")
with open("runs/grown/summary.json") as file, h5py.File("runs/grown/results.h5") as tables:
    checks.check(rows("grown") == reference[:15] and json.load(file)["iterations"]["total"] == 15 ==
                 len(tables["iterations"]), "the tables of the smaller run stay", str(rows("grown"))[:500])

# The number of trials can be reduced to those that have results.
least = max(journaled("runs/grown")) // 3 + 1
result = sheaf("resume", "runs/grown", f"--search.trials={least - 1}")
checks.check(result.code == 2 and f"Set search.trials to {least} or more." in result.stderr, "too few trials",
             result.stderr)
checks.check(status("runs/grown")["earlier_results"] == 15, "a refused job leaves the results")
planted = ["results.csv.0123456789ab.partial", "models/iteration-3.pt.0123456789ab.partial"]
for name in planted:
    open(f"runs/grown/{name}", "w").close()
result = sheaf("resume", "runs/grown", f"--search.trials={least}")
checks.check(result.code == 0 and rows("grown") == reference[:3 * least] and least < 20, "a run with fewer trials",
             result.stderr)
found = status("runs/grown")
checks.check(found["state"] == "finished" and found["has_results"] and found["earlier_results"] is None,
             "a reduced run is finished", str(found))
checks.check(not any(os.path.exists(f"runs/grown/{name}") for name in planted), "unfinished files are removed")
result = sheaf("resume", "runs/grown", "--search.trials=20", ranks=3)
checks.check(result.code == 0 and rows("grown") == reference, "a run that grew equals a larger one",
             result.stderr + str(rows("grown"))[:2000])
checks.check(sorted(journaled("runs/grown")) == list(range(60)), "no iteration was trained again")
result = sheaf("resume", "runs/grown", "--search.trials=10")
checks.check(result.code == 2 and "search.trials = 10 is too small for 'runs/grown' (it has results up to trial 19, and "
             "keeps them). Set search.trials to 20 or more." in result.stderr, "a run keeps its results", result.stderr)
result = sheaf("resume", "runs/grown", "--search.trials=30", "--run.array=0/2")
checks.check(result.code == 2 and "an array task cannot change the number" in result.stderr, "an array task does not extend a run",
             result.stderr)
checks.check(rows("grown") == reference, "a refused job leaves the results", str(rows("grown"))[:500])

ITERATIONS = [os.path.join(SOURCE, "jobs", "studies", "iterations.cfg"), "--run.device=cpu"]
for output, args in (("ten", []), ("four", ["--study.iterations=4"])):
    result = sheaf("run", *ITERATIONS, f"--run.output=runs/{output}", *args)
    checks.check(result.code == 0, f"{output} iterations", result.stderr)
result = sheaf("resume", "runs/four", "--study.iterations=10", ranks=2)
checks.check(sheaf("resume", "runs/four", "--study.iterations=9").code == 2, "repeats with results stay")
columns = ("iteration", "seed", "final_loss")
ten, grown = ([[row[name] for name in columns] for row in read_csv(f"runs/{name}/results.csv")]
              for name in ("ten", "four"))
checks.check(result.code == 0 and ten == grown and len(ten) == 10, "repeats can be added to a run", result.stderr)

# Lists alone: every combination once.
result = sheaf("run", *ITERATIONS, "--run.output=runs/lists", "--search.train.learning_rate=1e-3, 1e-2, 1e-1",
               "--search.train.epochs=1, 2", "--search.trials=6", "--study.iterations=1")
found = {(row["train.learning_rate"], row["train.epochs"]) for row in read_csv("runs/lists/results.csv")}
checks.check(result.code == 0 and len(found) == 6, "lists alone: distinct combinations", result.stderr + str(found))
result = sheaf("resume", "runs/lists", "--search.trials=7")
checks.check(result.code == 2 and "Set search.trials = 6 to train each of them once." in result.stderr and
             "grid" not in result.stderr, "more trials than combinations", result.stderr)

# Start-up time and memory do not depend on the number of trials.
MEASURED = """
import resource, subprocess, sys
code = subprocess.run(sys.argv[1:]).returncode
print(resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss // 1024, file=sys.stderr)
sys.exit(code)
"""
peaks = []
for trials in (100, 100_000_000):
    result = launch([sys.executable, "-c", MEASURED, SHEAF, "run", *STUDY, f"--run.output=runs/many-{trials}",
                     f"--search.trials={trials}", "--search.folds=1", "--run.time_limit=5s", "--run.lanes=2",
                     "--run.models=none", "--run.curves=false"])
    checks.check(result.code in (0, 75), f"{trials} trials: the run ends", result.stderr)
    checks.check(result.seconds < 60, f"{trials} trials: the run ends in time", f"{result.seconds} s")
    peaks.append(int(result.stderr.split()[-1]))
checks.check(peaks[1] < peaks[0] + 60, "memory does not depend on the number of trials", str(peaks))
sys.exit(checks.finish())
