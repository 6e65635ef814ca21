"""Runs that are extended with other lists and ranges: known trials keep their numbers, values and bits, new ones are the
same on all numbers of ranks and after kills; two extensions in a row; bad input."""

import glob
import json
import os
import re
import shutil

from program import DIGITS, SHEAF, Checks, Started, journaled, read_csv, sheaf

checks = Checks()
shutil.rmtree("runs", ignore_errors=True)
COMMON = [f"--data.file={DIGITS}", "--run.device=cpu", "--search.folds=2"]
SAME = ["iteration", "trial", "fold", "seed", "train.learning_rate", "model.hidden", "status", "final_loss",
        "validation_loss", "validation_score", "steps"]
KEYS = slice(SAME.index("train.learning_rate"), SAME.index("model.hidden") + 1)

with open("study.cfg", "w") as file:
    file.write("[train]\nepochs = 3\n[search]\ntrain.learning_rate = log_uniform(1e-4, 1e-2)\nmodel.hidden = 8, 16\n")
with open("grid.cfg", "w") as file:
    file.write("[train]\nepochs = 2\n[search]\ntrain.learning_rate = 1e-3, 1e-2\nmodel.hidden = 8, 16\n")
WIDER = ["--search.train.learning_rate=log_uniform(1e-3, 1)", "--search.model.hidden=16, 32"]


def rows(directory):
    return [[row[name] for name in SAME] for row in read_csv(f"runs/{directory}/results.csv")]


def run(directory, *args, study="study.cfg", ranks=None, models="none"):
    result = sheaf("run", study, *COMMON, f"--run.models={models}", f"--run.output=runs/{directory}", *args, ranks=ranks)
    checks.check(result.code == 0, f"{directory}: the run succeeds", result.stderr)
    return rows(directory)


def extend(directory, *args, ranks=None):
    result = sheaf("resume", f"runs/{directory}", *args, ranks=ranks)
    checks.check(result.code == 0, f"{directory}: the extension succeeds", result.stderr)
    return rows(directory)


def copy(directory, to):
    shutil.rmtree(f"runs/{to}", ignore_errors=True)
    shutil.copytree(f"runs/{directory}", f"runs/{to}")


def text_of(path):
    with open(path) as file:
        return file.read()


def state_of(directory):
    """Names, sizes and times of all files of a run, without lock files."""
    return sorted((path, os.path.getsize(path), os.path.getmtime(path)) for path in
                  glob.glob(f"runs/{directory}/**", recursive=True) if os.path.isfile(path) and "lock" not in path)


def refused(directory, args, message, name, code=2):
    before = state_of(directory)
    result = sheaf("resume", f"runs/{directory}", *args)
    checks.check(result.code == code and message in result.stderr and len(result.error_lines()) == 1 and
                 state_of(directory) == before, f"refused: {name}", f"{result.code} {result.stderr}")


# Random and tpe: known trials keep everything, new ones are in the new lists and ranges.
for method in ("random", "tpe"):
    first = run(method, f"--search.method={method}", "--search.trials=24", ranks=2)
    study = text_of(f"runs/{method}/study.cfg")
    copy(method, "reference")
    whole = extend("reference", *WIDER, "--search.trials=48", "--run.lanes=1")
    checks.check(whole[:48] == first and len(whole) == 96, f"{method}: known trials keep their numbers, values and bits",
                 str(whole))
    checks.check(all(1e-3 <= float(row[KEYS][0]) <= 1 and row[KEYS][1] in ("16", "32") for row in whole[48:]) and
                 {row[KEYS][1] for row in whole[48:]} == {"16", "32"}, f"{method}: new trials are in the new ranges",
                 str(whole[48:]))
    for ranks in (1, 2, 3, 4):
        copy(method, "extended")
        checks.check(extend("extended", *WIDER, "--search.trials=48", ranks=ranks) == whole,
                     f"{method}: an extension does not depend on ranks", f"{ranks}")
    # The stored study repeats the whole run.
    again = sheaf("run", "runs/extended/study-2.cfg", "--run.output=runs/again")
    checks.check(again.code == 0 and rows("again") == whole, f"{method}: study-2.cfg repeats the run", again.stderr)
    shutil.rmtree("runs/again")
    checks.check(text_of("runs/extended/study.cfg") == study and "\nearlier = none\n" in study,
                 f"{method}: study.cfg stays")
    text = text_of("runs/extended/study-2.cfg")
    checks.check("\nearlier = 24: train.learning_rate = log_uniform(0.0001, 0.01); model.hidden = 8, 16\n" in text and
                 "\ntrials = 48\n" in text and "\ntrain.learning_rate = log_uniform(0.001, 1)\n" in text,
                 f"{method}: study-2.cfg has the extended study", text)
    summary = json.loads(text_of("runs/extended/summary.json"))
    checks.check(summary["trials"] == 48 and summary["iterations"]["total"] == 96 and
                 summary["changed_keys"]["search.trials"] == "48" and
                 "sheaf run study-2.cfg --run.output" in text_of("runs/extended/README.txt") and
                 json.loads(sheaf("status", "runs/extended", "--output=json").stdout)["state"] == "finished",
                 f"{method}: summary, README.txt and status are those of the extended run", str(summary))
    result = sheaf("resume", "runs/extended")
    checks.check(result.code == 0 and "is already complete (96 iterations)" in result.stderr,
                 f"{method}: a plain resume continues the extended study", result.stderr)

    # Kills during the extension.
    copy(method, "killed")
    job = Started([SHEAF, "resume", "runs/killed", *WIDER, "--search.trials=48", "--run.lanes=1"])
    checks.check(job.creep_until(lambda: len(journaled("runs/killed")) > 52), f"{method}: an extension trains")
    job.kill()
    found = json.loads(sheaf("status", "runs/killed", "--output=json").stdout)
    checks.check(found["state"] == "stopped" and found["earlier_results"] == 48 and rows("killed") == first,
                 f"{method}: the results of the first trials stay", str(found))
    # The same command, as a script repeats it.
    checks.check(extend("killed", *WIDER, "--search.trials=48", ranks=2) == whole, f"{method}: a killed extension is resumed")
    checks.check(sorted(journaled("runs/killed")) == list(range(96)), f"{method}: no iteration was trained again")

    # A second extension, after a kill, moves the trials that have no results to the new ranges.
    copy(method, "twice")
    job = Started([SHEAF, "resume", "runs/twice", *WIDER, "--search.trials=48", "--run.lanes=1"])
    checks.check(job.creep_until(lambda: len(journaled("runs/twice")) > 50), f"{method}: an extension trains again")
    job.kill()
    known = max(journaled("runs/twice")) // 2 + 1
    twice = extend("twice", "--search.train.learning_rate=uniform(0.002, 0.003)", "--search.trials=60", ranks=2)
    checks.check(24 < known < 48 and twice[:2 * known] == whole[:2 * known] and len(twice) == 120,
                 f"{method}: a second extension keeps the trials of the first one", f"{known} {twice}")
    checks.check(all(0.002 <= float(row[KEYS][0]) <= 0.003 and row[KEYS][1] in ("16", "32") for row in twice[2 * known:]),
                 f"{method}: trials without results get the new values", str(twice[2 * known:]))
    checks.check(f" | {known}: train.learning_rate = log_uniform(0.001, 1); model.hidden = 16, 32\n" in
                 text_of("runs/twice/study-3.cfg"), f"{method}: study-3.cfg has both earlier spaces")
    # Back to the first values: also an extension.
    back = extend("twice", "--search.train.learning_rate=log_uniform(1e-4, 1e-2)", "--search.model.hidden=8, 16",
                  "--search.trials=64")
    checks.check(back[:120] == twice and len(back) == 128, f"{method}: three extensions")

    # More trials alone.
    copy(method, "more")
    more = extend("more", "--search.trials=30", ranks=2)
    checks.check(more[:48] == first and len(more) == 60 and "\nearlier = none\n" in text_of("runs/more/study-2.cfg"),
                 f"{method}: more trials alone have the same ranges")
    checks.check(extend("more", *WIDER, "--search.trials=36", ranks=2)[:60] == more, f"{method}: then other ranges")

    refused(method, WIDER, "search.trials = 24 leaves no trial for the new values of search.train.learning_rate and "
            f"search.model.hidden ('runs/{method}' has 24 trials, which keep their values). Set search.trials to 25 or "
            "more.", f"{method}: new ranges without new trials")

# tpe learns from the known trials in the new ranges: the best of them are not tried at random again.
narrow = ["--search.train.learning_rate=log_uniform(3e-3, 3e-2)", "--search.trials=40"]
copy("tpe", "narrow")
learned = extend("narrow", *narrow)
copy("random", "drawn")
drawn = extend("drawn", *narrow)
inside = sum(float(row[KEYS][0]) >= 3e-3 for row in learned[:48:2])
checks.check(inside >= 2 and [row[KEYS] for row in learned[48:]] != [row[KEYS] for row in drawn[48:]] or inside < 10,
             "tpe draws from the known trials in the new ranges", f"{inside}")

# A grid: the combinations that it does not have, after those that it has.
first = run("grid", study="grid.cfg", ranks=2)
lists = ["--search.train.learning_rate=1e-2, 1e-1", "--search.model.hidden=8, 16, 32"]
copy("grid", "wide")
whole = extend("wide", *lists, ranks=2)
checks.check(whole[:8] == first and [tuple(row[KEYS]) for row in whole[8::2]] ==
             [("0.1", "8"), ("0.1", "16"), ("0.1", "32"), ("0.01", "32")], "a grid appends its new combinations", str(whole))
copy("grid", "slow")
job = Started([SHEAF, "resume", "runs/slow", *lists, "--run.lanes=1"])
checks.check(job.creep_until(lambda: len(journaled("runs/slow")) > 9), "the extension of a grid trains")
job.kill()
checks.check(extend("slow", ranks=3) == whole, "a killed extension of a grid is resumed")
refused("wide", ["--search.model.hidden=8"], "the new values of search.model.hidden give no new combination ('runs/wide' "
        "has all of them, 8 trials). Add values.", "a grid without new combinations")
refused("grid", ["--search.train.learning_rate=uniform(0.1, 1)"], "is a range, and a grid needs lists", "a grid with a range")

# Repeats of a cross-validation without searched keys.
with open("cv.cfg", "w") as file:
    file.write("[train]\nepochs = 2\nlearning_rate = 0.01\n[model]\nhidden = 8\n")
COLUMNS = ["iteration", "trial", "repeat", "fold", "seed", "final_loss", "validation_loss"]
for name, repeats in (("cv", 2), ("cv-5", 5)):
    result = sheaf("run", "cv.cfg", *COMMON, "--run.models=none", f"--run.output=runs/{name}", f"--search.repeats={repeats}")
    checks.check(result.code == 0, f"{name}: the run succeeds", result.stderr)
result = sheaf("resume", "runs/cv", "--search.repeats=5", ranks=2)
more, whole = ([[row[name] for name in COLUMNS] for row in read_csv(f"runs/{name}/results.csv")] for name in ("cv", "cv-5"))
checks.check(result.code == 0 and more == whole and len(more) == 10, "more repeats equal a longer run", result.stderr)
refused("cv", ["--search.repeats=4"], "search.repeats = 4 is too small for 'runs/cv' (it has results up to repeat 4",
        "fewer repeats than results")

# Patience counts the new trials: those outside the new ranges do not end the search.
first = run("patient", "--search.method=random", "--search.trials=none", "--search.patience=6", "--search.batch=2")
ended = len(first) // 2
longer = extend("patient", "--search.train.learning_rate=log_uniform(1e-6, 1e-5)")
checks.check(longer[:len(first)] == first and len(longer) >= len(first) + 12, "patience begins again",
             f"{ended} {len(longer)}")

# A refit is no trial: new values begin after the last trial of the search, and fewer trials are still refused.
for method in ("random", "tpe"):
    first = run(f"refit-{method}", f"--search.method={method}", "--search.trials=14", "--run.refit=true",
                "--search.ensemble=none", models="best")
    longer = extend(f"refit-{method}", "--search.trials=16", *WIDER)
    checks.check(len(first) == 29 and longer[:28] == first[:28] and len(longer) == 33 and
                 "earlier = 14: " in text_of(f"runs/refit-{method}/study-2.cfg"), f"{method}: a run with a refit is extended",
                 str((first, longer)))
    refused(f"refit-{method}", ["--search.trials=13"], f"search.trials = 13 is too small for 'runs/refit-{method}' (it has "
            "results up to trial 15, and keeps them). Set search.trials to 16 or more.", f"{method}: fewer trials")

# The end of search.time.
run("timed", "--search.method=random", "--search.trials=none", "--search.time=1s", "--train.epochs=20")
for args in (WIDER, ["--search.trials=100000"]):
    refused("timed", args, "search.time = 1 leaves no time for new trials (it has ended the search of 'runs/timed'). Increase "
            "it, or set search.time = none.", f"search.time is over: {args}")
before = rows("timed")
after = extend("timed", *WIDER, "--search.time=2s")
finished = SAME.index("status")
checks.check(len(after) > len(before) and
             all(row in after for row in before if row[finished] == "finished"), "more time extends it")

# Racing: recorded decisions stay.
first = run("racing", "--search.method=tpe", "--search.trials=24", "--search.racing=forgiving")
copy("racing", "raced")
raced = extend("raced", *WIDER, "--search.trials=40", ranks=2)
checks.check(raced[:48] == first and any(row[finished] == "pruned" for row in first), "pruned folds stay", str(raced[:48]))

# Bad input, before anything is written.
with open("other.csv", "w") as file:
    file.write("a,b,c\n" + "".join(f"{n},{n % 3},{n % 2}\n" for n in range(100)))
sheaf("import", "other.csv", "other.h5")
other_study = "Resume it with the same values, or start a new run with another run.output."
for args, message, name in (
        (["--search.folds=3"], f"(search.folds = 3, was 2). {other_study}", "more folds"),
        (["--train.epochs=4"], f"(train.epochs = 4, was 3). {other_study}", "other epochs"),
        (["--search.model.dropout=0, 0.5", "--search.trials=40"], "search.model.dropout = 0, 0.5, was not searched",
         "another searched key"),
        (["--search.method=tpe", *WIDER, "--search.trials=40"], "search.method = tpe, was random", "another method"),
        ([*WIDER, "--search.trials=40", "--run.array=0/2"], "an array task cannot change the number of iterations",
         "an array task")):
    refused("random", args, message, name)
refused("tpe", ["--search.repeats=2"], f"(search.repeats = 2, was 1). {other_study}", "more repeats of tpe")
refused("random", ["--search.method=tpe", "--search.repeats=2"], "search.method = tpe, was random", "another method and repeats")
refused("random", ["--data.file=other.h5", *WIDER, "--search.trials=40"], "the data have changed since", "another data "
        "file", code=1)
run("halving", "--search.method=halving", "--search.trials=9", "--train.epochs=9")
refused("halving", [*WIDER, "--search.trials=18"], "search.trials = 18, was 9", "a search in stages")
result = sheaf("run", "study.cfg", *COMMON, "--run.models=none", "--run.output=runs/extended", "--search.method=tpe", "--search.trials=24", "--resume")
checks.check(result.code == 2 and "search.trials = 24" in result.stderr, "the first study again is refused", result.stderr)
raise SystemExit(checks.finish())
