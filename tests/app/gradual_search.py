"""Searches whose trials depend on results (tpe, racing, patience): the same trials and results for all numbers of ranks,
lanes and partitions, in memory and streamed, and after kills; runs that grow; bad input."""

import glob
import json
import os
import random
import shutil
import signal
import sys
import time

import h5py
import numpy

from interrupted import streamed_study
from program import DIGITS, SHEAF, SOURCE, Checks, Started, argument, journaled, read_csv, sheaf

checks = Checks()
random.seed(argument("--seed", 1))
shutil.rmtree("runs", ignore_errors=True)
STUDY = [os.path.join(SOURCE, "jobs", "studies", "digits-tpe.cfg"), f"--data.file={DIGITS}", "--run.device=cpu",
         "--train.epochs=3", "--run.models=none"]
KEYS = ["model.hidden", "model.dropout", "train.learning_rate", "train.batch_size", "train.optimizer", "train.momentum"]
SAME = ["iteration", "trial", "fold", "seed", *KEYS, "status", "final_loss", "validation_loss", "validation_score",
        "epochs", "steps"]


def rows(directory, names=SAME):
    path = f"runs/{directory}/results.csv"
    return [[row[name] for name in names] for row in read_csv(path)] if os.path.exists(path) else []


def run(directory, *args, ranks=None, study=STUDY, names=SAME):
    result = sheaf("run", *study, f"--run.output=runs/{directory}", *args, ranks=ranks)
    checks.check(result.code == 0, f"{directory}: the run succeeds", result.stderr)
    return rows(directory, names)


def status(directory):
    return json.loads(sheaf("status", f"runs/{directory}", "--output=json").stdout)


# tpe with forgiving racing.
reference = run("reference", "--run.lanes=1")
checks.check(len(reference) == 180, "60 trials x 3 folds", str(len(reference)))
of = {name: SAME.index(name) for name in SAME}
pruned = [row for row in reference if row[of["status"]] == "pruned"]
checks.check(10 < len(pruned) < 120 and all(row[of["validation_loss"]] == "" and row[of["steps"]] == "0" for row in pruned),
             "some folds are pruned", str(pruned)[:500])
checks.check({row[of["trial"]] for row in reference} == {str(trial) for trial in range(60)}, "all trials are listed")
checks.check(all(float(row[of["train.momentum"]]) == 0 for row in reference if row[of["train.optimizer"]] == "adam"),
             "a key without effect has its lower end")
losses = {}
for row in reference:
    if row[of["validation_loss"]]:
        losses.setdefault(int(row[of["trial"]]), []).append(float(row[of["validation_loss"]]))
means = [numpy.mean(losses[trial]) for trial in range(60)]
checks.check(numpy.median(means[30:]) < numpy.median(means[:10]), "later trials are better", str(means))
for ranks, lanes, partition in ((2, 2, "dynamic"), (3, 1, "cyclic"), (4, 2, "self"), (2, 1, "block")):
    found = run(f"on-{ranks}-{partition}", f"--run.lanes={lanes}", f"--run.partition={partition}", ranks=ranks)
    checks.check(found == reference, f"{ranks} ranks, {lanes} lanes, {partition}: the same results", str(found)[:2000])

# The first ten trials and the pending ones are those of a random search.
independent = run("independent", "--search.method=random", "--search.racing=none", "--search.trials=10")
first = [row[:of["status"]] for row in reference[:30]]
checks.check([row[:of["status"]] for row in independent] == first, "the first trials are those of random",
             str((independent, first))[:2000])

# More lanes than trials at the same time.
result = sheaf("run", *STUDY, "--run.output=runs/many-lanes", "--search.batch=1", "--search.trials=12", "--run.lanes=3")
checks.check(result.code == 0 and "2 of 3 lanes will wait (search.batch = 1:" in result.stderr, "a note about lanes that wait",
             result.stderr)

# Trials that are tried first.
START = "--search.start=train.learning_rate = 1e-2, model.hidden = 64, train.optimizer = adam; model.dropout = 0.25"
started = run("started", START, "--search.trials=14", ranks=2)
first, second = started[0], started[3]
checks.check(first[of["train.learning_rate"]] == "0.01" and first[of["model.hidden"]] == "64"
             and first[of["train.optimizer"]] == "adam" and second[of["model.dropout"]] == "0.25"
             and first[of["model.dropout"]] == reference[0][of["model.dropout"]]
             and [row[4:10] for row in started[6:30]] == [row[4:10] for row in reference[6:30]],
             "start trials come first, others are as without them", str(started[:6]))
for args, message in ((["--search.start=train.learning_rate = 5"], "which is outside the search (search.train.learning_rate"),
                      (["--search.start=train.epochs = 5"], "which is not searched"),
                      (["--search.start=train.learning_rate"], "is not a run directory (it has no study.cfg)"),
                      ([START, "--search.trials=1"], "search.start has 2 trials, but the search has only 1"),
                      (["--search.start=train.learning_rate = 1e-2", "--search.method=halving", "--search.racing=none",
                        "--search.trials=none"], "search.start")):
    result = sheaf("run", *STUDY, "--run.output=runs/bad", *args)
    checks.check(result.code == 2 and message in result.stderr and not os.path.exists("runs/bad"), f"{args}: one message",
                 result.stderr)

# The table of trials, the summary and the status.
with h5py.File("runs/reference/results.h5") as file:
    trials = file["trials"][:]
complete = [trial["left_out"] == 0 for trial in trials]
checks.check(complete == sorted(complete, reverse=True), "pruned trials rank behind complete ones", str(complete))
checks.check(all(abs(trial["mean_validation_loss"] - means[trial["trial"]]) < 1e-12 for trial in trials),
             "means are over trained folds", str(trials[:3]))
found = status("reference")
checks.check(found["state"] == "finished" and found["iterations"]["pruned"] == len(pruned)
             and found["iterations"]["finished"] + len(pruned) == 180, "the status of a finished search", str(found))

# Runs that are killed at random.
kills = 0
while not os.path.exists("runs/killed/results.csv"):
    ranks = random.randint(1, 4)
    job = Started([SHEAF, "run", *STUDY, "--run.output=runs/killed", "--resume", f"--run.lanes={random.randint(1, 2)}",
                   f"--run.partition={random.choice(['dynamic', 'cyclic'])}"], ranks=ranks)
    before = len(journaled("runs/killed")) if os.path.isdir("runs/killed/journal") else 0
    job.wait_for(lambda: os.path.isdir("runs/killed/journal") and len(journaled("runs/killed")) > before)
    time.sleep(random.uniform(0, 0.05))
    if job.process.poll() is None:
        for process in job.rank_processes()[:random.choice([1, 4])]:
            os.kill(process, signal.SIGKILL)
        kills += 1
    result = job.finish()
    checks.check(result.code in (0, -signal.SIGKILL, 128 + signal.SIGKILL), "a job ends with the kill or with success",
                 f"{result.code}\n{result.stdout}")
    if kills >= argument("--count", 8):
        result = sheaf("run", *STUDY, "--run.output=runs/killed", "--resume", "--run.partition=cyclic", ranks=2)
        checks.check(result.code == 0, "the last resume succeeds", result.stderr)
        break
checks.check(kills > 0 and rows("killed") == reference, f"{kills} kills: the same results", str(rows("killed"))[:2000])
checks.check(sorted(set(journaled("runs/killed"))) == list(range(180)), "every iteration is in the journals")

# The line of a pruned iteration is lost, and nothing is left to train.
for partition in ("cyclic", "dynamic"):
    shutil.copytree("runs/reference", "runs/lost")
    os.remove("runs/lost/results.csv")
    for path in glob.glob("runs/lost/journal/*/*.jsonl"):
        with open(path) as file:
            lines = file.readlines()
        last = max(number for number, line in enumerate(lines) if '"pruned"' in line)
        with open(path, "w") as file:
            file.writelines(lines[:last] + lines[last + 1:])
    result = sheaf("resume", "runs/lost", f"--run.partition={partition}", ranks=2)
    checks.check(result.code == 0 and rows("lost") == reference, f"{partition}: a lost pruned iteration is pruned again",
                 result.stderr)
    shutil.rmtree("runs/lost")

# A stopped run goes on.
SLOW = [arg for arg in STUDY if "epochs" not in arg] + ["--train.epochs=20"]
job = Started([SHEAF, "run", *SLOW, "--run.output=runs/stopped", "--run.lanes=1"])
checks.check(job.creep_until(lambda: len(journaled("runs/stopped")) > 20), "a search trains")
job.process.send_signal(signal.SIGTERM)
job.go_on()
result = job.finish()
checks.check(result.code == 75 and "Continue with: " in result.stdout, "a stopped search", f"{result.code}\n{result.stdout}")
found = status("stopped")
checks.check(found["state"] == "stopped" and found["iterations"]["total"] == 180, "the status of a stopped search",
             str(found))
result = sheaf("resume", "runs/stopped", ranks=3)
checks.check(result.code == 0 and rows("stopped") == run("twenty", study=SLOW), "a stopped search goes on",
             result.stderr)

# A run that grows keeps its trials and learns from them.
run("grown", "--search.trials=30", ranks=2)
result = sheaf("resume", "runs/grown", "--search.trials=60", ranks=2)
whole = run("whole", "--search.trials=60", "--search.batch=8")
checks.check(result.code == 0 and rows("grown") == whole, "a run that grew equals a larger one", result.stderr)

# Streamed data are trained in rounds.
STREAMED = [arg for arg in streamed_study("native", 4) if "hidden" not in arg and "members" not in arg] + [
    "--search.method=tpe", "--search.trials=20", "--search.racing=certain", "--search.batch=6",
    "--search.train.learning_rate=log_uniform(1e-4, 1)"]
NAMES = ["iteration", "trial", "train.learning_rate", "status", "validation_loss"]
one = run("streamed", study=STREAMED, names=NAMES)
two = run("streamed-3", study=STREAMED, names=NAMES, ranks=3)
checks.check(len(one) == 60 and one == two, "streamed: the same results for all numbers of ranks", str((one, two))[:3000])

# Patience ends a search, with and without a limit.
found = run("patient", "--search.method=random", "--search.trials=none", "--search.patience=12", "--search.racing=none",
            ranks=2)
losses = [numpy.mean([float(row[of["validation_loss"]]) for row in found[at:at + 3]]) for at in range(0, len(found), 3)]
best, stop = 0, None
for trial, loss in enumerate(losses):
    if loss < losses[best]:
        best = trial
    elif trial - best >= 12 and stop is None:
        stop = trial
checks.check(stop is not None and len(losses) == stop + 32, "patience ends the search", f"{best} {stop} {len(losses)}")
checks.check(status("patient")["state"] == "finished", "a search that patience ended is finished", str(status("patient")))
result = sheaf("resume", "runs/patient")
checks.check(result.code == 0 and "is already complete" in result.stderr, "it has nothing left", result.stderr)
result = sheaf("resume", "runs/patient", "--search.patience=5")
checks.check(result.code == 2 and "search.patience = 5 cannot be less than that of 'runs/patient', 12" in result.stderr,
             "patience is not reduced", result.stderr)
checks.check(run("patient-1", "--search.method=random", "--search.trials=none", "--search.patience=12",
                 "--search.racing=none") == found, "patience does not depend on ranks")

# Time ends a search. Its trials are the first ones of a search without a limit.
TIMED = [arg for arg in SLOW if "trials" not in arg] + ["--search.racing=none"]
start = time.monotonic()
found = run("timed", "--search.trials=none", "--search.time=2s", study=TIMED, ranks=2)
seconds = time.monotonic() - start
checks.check(2 < seconds < 15, "search.time ends a search", f"{seconds} s")
state = status("timed")
checks.check(state["state"] == "finished" and state["iterations"]["left"] == state["iterations"]["unfinished"],
             "a search that time ended is finished", str(state))
unlimited = run("unlimited", f"--search.trials={len(found) // 3}", "--search.batch=32", study=TIMED)
trained = [row for row in found if row[of["status"]] == "finished"]
checks.check(len(found) % 3 == 0 and 2 * len(trained) > len(found) and all(row in unlimited for row in trained),
             "its trials are those of a longer search", f"{len(trained)} of {len(found)}")
result = sheaf("resume", "runs/timed")
checks.check(result.code == 0 and "is already complete" in result.stderr, "it has nothing left", result.stderr)
os.remove("runs/timed/results.csv")  # as if the job had been killed before it wrote the file
result = sheaf("resume", "runs/timed", ranks=2)
checks.check(result.code == 0 and rows("timed") == found, "a job that was killed at the end is resumed", result.stderr)
os.remove("runs/timed/results.csv")
journal = sorted(glob.glob("runs/timed/journal/00001/*.jsonl"))[-1]
with open(journal) as file:
    lines = file.readlines()
with open(journal, "w") as file:
    file.writelines(lines[:-3])
result = sheaf("resume", "runs/timed", ranks=2)
checks.check(result.code == 0 and 2 * len(rows("timed")) > len(found) and "ended the search" in result.stderr,
             "the last results of a rank were lost", result.stderr + f"{len(rows('timed'))} {len(found)}")
result = sheaf("resume", "runs/timed", "--search.trials=3")
checks.check(result.code == 2 and "is too small for 'runs/timed'" in result.stderr, "a run keeps its results", result.stderr)
found = rows("timed")
trained = [row for row in found if row[of["status"]] == "finished"]
result = sheaf("resume", "runs/timed", "--search.time=4s")
longer = rows("timed")
checks.check(result.code == 0 and len(longer) > len(found) and all(row in longer for row in trained),
             "a longer time extends it", result.stderr + f"{len(longer)} {len(found)}")
# The time of a training that is stopped counts, although it has no result.
LONG = [arg for arg in TIMED if "epochs" not in arg and "batch_size" not in arg] + ["--train.epochs=1000000"]
args = [*LONG, "--search.trials=none", "--search.time=5s", "--run.lanes=1", "--run.output=runs/long"]
result = sheaf("run", *args, "--run.time_limit=3s")
checks.check(result.code == 75, "a job stops in a training", result.stderr)
with open("runs/long/journal/00001/00000.jsonl") as file:
    recorded = [json.loads(line) for line in file if line.startswith('{"trained_seconds"')]
times = [line["trained_seconds"] for line in recorded if line.get("is_over", True)]
checks.check(len(times) == 1 and 2.5 < times[0] < 20, "the journal has the time of the job", str(times))

found = run("short", "--search.method=random", "--search.trials=none", "--search.time=1s", study=TIMED)
checks.check(len(found) >= 3 and found[0][of["status"]] == "finished", "random with a time", str(found)[:500])

# Ensembles some of whose members are unfinished have no score, and do not change those of other folds.
partial = 0
for attempt in range(3):
    name = f"members-{attempt}"
    result = sheaf("run", DIGITS, "--search.folds=2", "--search.trials=1000", "--train.epochs=200", "--ensemble.members=3",
                   "--search.model.hidden=log_integer(8, 64)", "--search.time=1s", "--run.lanes=7", "--run.models=none",
                   f"--study.seed={attempt}", f"--run.output=runs/{name}")
    checks.check(result.code == 0, f"{name}: a search with a time ends", result.stderr)
    states = {}
    for row in read_csv(f"runs/{name}/results.csv"):
        states.setdefault((int(row["trial"]), int(row["fold"])), []).append(row["status"])
    with h5py.File(f"runs/{name}/results.h5") as file:
        scored = [(int(row["trial"]), int(row["fold"])) for row in file["ensembles"][:]]
        worst = min(row["score"] - row["mean_member_score"] for row in file["ensembles"][:])
        trials = {int(row["trial"]): int(row["scores"]) for row in file["trials"][:]}
    whole = [key for key, found in states.items() if set(found) == {"finished"}]
    partial += sum("finished" in found and "unfinished" in found for found in states.values())
    checks.check(sorted(scored) == sorted(whole) and worst > -0.1, f"{name}: scores of complete ensembles", f"{states} {scored}")
    checks.check(all(trials[trial] == sum(key[0] == trial for key in whole) for trial in trials), f"{name}: trials count them",
                 f"{trials} {whole}")
print(f"{partial} ensembles were incomplete")

# Bad input, before anything is written.
for args, message in (
        (["--search.trials=none"], "search.method = tpe has no end (search.trials = none)."),
        (["--search.folds=1"], "search.racing = forgiving has no effect (a trial has one fold)"),
        (["--search.method=halving"], "search.racing"),
        (["--search.method=random", "--search.racing=none", "--search.batch=9"], "search.batch = 9 has no effect"),
        (["--run.array=0/2"], "cannot be divided among the tasks of a job array"),
        (["--search.patience=0"], "search.patience"),
        (["--search.batch=0"], "search.batch")):
    result = sheaf("run", *STUDY, "--run.output=runs/bad", *args, ranks=2)
    checks.check(result.code == 2 and message in result.stderr and len(result.error_lines()) == 1
                 and not os.path.exists("runs/bad"), f"{args}: one message", result.stderr)
sys.exit(checks.finish())
