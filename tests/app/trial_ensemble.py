"""`search.ensemble = greedy` selects the ensemble of a search's own trials that NumPy selects from the predictions in
results.h5, on any number of ranks and lanes, and after kills. `sheaf predict` and `sheaf evaluate` use it, and predict
the weighted means of its models. The run keeps the models that the ensemble needs, and shows its scores."""

import csv
import json
import os
import shutil
import signal
import sys

import h5py
import numpy

from draws import draw_counts
from program import DIGITS, SHEAF, Checks, Started, journaled, sheaf

checks = Checks()
shutil.rmtree("trial_ensemble", ignore_errors=True)
os.makedirs("trial_ensemble")
os.chdir("trial_ensemble")

STEPS, BOOTSTRAPS, ENSEMBLE_ROWS = 40, 20, 19
TOLERANCE = 1e-6  # relative, of losses: Sheaf stores mean predictions as 32-bit numbers
COMMON = ["--run.device=cpu", "--run.progress=none", "--search.method=random"]
SPACE = ["--search.train.learning_rate=log_uniform(1e-3, 1e-1)", "--search.model.hidden=4, 8, 16"]
DIGITS_FOLDS = [DIGITS, *COMMON, SPACE[0], "--model.hidden=8", "--train.epochs=4", "--search.folds=3"]
DIGITS_STUDY = [*DIGITS_FOLDS, "--search.trials=12"]


def run(output, *args, ranks=None, code=0):
    result = sheaf("run", *args, f"--run.output={output}", ranks=ranks)
    checks.check(result.code == code, f"{output}: the run succeeds", result.stderr)
    return result


def table(output, name):
    with h5py.File(f"{output}/results.h5") as file:
        return file[name][:] if name in file else None


def read(path, mode="r"):
    with open(path, mode) as file:
        return file.read()


def bytes_of(output):
    return [read(f"{output}/models/ensemble.{ending}", "rb") for ending in ("json", "pt")]


def losses(targets, predictions):
    """[rows] or [candidates, rows]: log losses of probabilities of the class, or squared errors."""
    if targets.dtype.kind == "i":
        chosen = numpy.take_along_axis(predictions, numpy.broadcast_to(targets[:, None], predictions.shape[:-1] + (1,)),
                                       -1)[..., 0]
        return -numpy.log(numpy.clip(chosen, 2.2e-16, 1))
    return ((predictions - targets) ** 2).mean(axis=-1)


def select(targets, candidates, weights):
    chosen, found = [], []
    total = numpy.zeros_like(candidates[0])
    for step in range(STEPS):
        values = losses(targets, (total + candidates) / (step + 1)) @ weights / weights.sum()
        chosen.append(int(values.argmin()))
        found.append(values.min())
        total += candidates[chosen[-1]]
    best = int(numpy.argmin(found)) + 1
    return numpy.bincount(chosen[:best], minlength=len(candidates)) / best, found


def greedy(targets, candidates, weights, seed):
    if (weights > 0).sum() >= 2000:
        parts = [select(targets, candidates, weights)]
    else:
        assert (weights > 0).all()
        parts = [select(targets, candidates, weights * draw_counts(seed, ENSEMBLE_ROWS, number, len(weights)))
                 for number in range(BOOTSTRAPS)]
    return numpy.mean([part[0] for part in parts], axis=0), numpy.mean([part[1] for part in parts], axis=0)


def held_out(output, value="probabilities", target="target"):
    """Targets [rows] or [rows, outputs], and the mean predictions of each complete trial, best first:
    {trial: [rows, outputs]}."""
    predictions, iterations, trials = table(output, "predictions"), table(output, "iterations"), table(output, "trials")
    rows = numpy.unique(predictions["row"])
    means = {}
    last_stage = iterations["stage"].max()
    for trial in trials["trial"]:
        own = iterations[(iterations["trial"] == trial) & (iterations["stage"] == last_stage)]
        if len(own) == 0 or (own["status"] != b"finished").any():
            continue
        mine = predictions[numpy.isin(predictions["iteration"], own["iteration"])]
        place = numpy.searchsorted(rows, mine["row"])
        sums = numpy.zeros((len(rows),) + mine[value].shape[1:])
        numpy.add.at(sums, place, mine[value].astype(float))
        counts = numpy.bincount(place, minlength=len(rows))
        means[int(trial)] = sums / counts[:, None]
    targets = predictions[target][numpy.unique(predictions["row"], return_index=True)[1]]
    if target == "targets":  # Sheaf's numbers are without offsets
        offsets = targets.mean(axis=0)
        return targets - offsets, {trial: mean - offsets for trial, mean in means.items()}
    return targets, means


def check_selection(output, value="probabilities", target="target", weights=None, seed=0):
    """Compares ensemble.json with the selection of NumPy."""
    known = json.loads(read(f"{output}/models/ensemble.json"))
    targets, means = held_out(output, value, target)
    targets = targets.astype(numpy.int64) if target == "target" else targets.astype(float)
    weights = numpy.ones(len(targets)) if weights is None else weights
    trials = list(means)[:50]
    candidates = numpy.stack([means[trial] for trial in trials])
    expected, steps = greedy(targets, candidates, weights, seed)
    found = {member["trial"]: member["weight"] for member in known["members"]}
    checks.check(all(abs(found.get(trial, 0) - weight) < 1e-9 for trial, weight in zip(trials, expected)) and
                 set(found) <= set(trials), f"{output}: the weights are those of NumPy", f"{found} {expected} {trials}")
    checks.check(numpy.allclose(known["step_losses"], steps, rtol=TOLERANCE), f"{output}: the losses after each step")
    mean = sum(weight * candidate for weight, candidate in zip(expected, candidates))
    loss = losses(targets, mean) @ weights / weights.sum()
    singles = {trial: losses(targets, candidate) @ weights / weights.sum()
               for trial, candidate in zip(trials, candidates)}
    checks.check(abs(known["loss"] / loss - 1) < TOLERANCE, f"{output}: the loss of the ensemble", f"{known['loss']} {loss}")
    checks.check(all(abs(member["loss"] / singles[member["trial"]] - 1) < TOLERANCE for member in known["members"]) and
                 known["best_member"] == min(found, key=lambda trial: singles[trial]),
                 f"{output}: the losses of the members", str(known))
    checks.check(known["rows"] == len(targets) and known["candidates"] == len(trials), f"{output}: rows and candidates")
    if target == "target":
        score = ((mean.argmax(axis=1) == targets) * weights).sum() / weights.sum()
        checks.check(abs(known["score"] - score) < 1e-9, f"{output}: the accuracy", f"{known['score']} {score}")
    else:
        squares = ((targets - targets.mean(axis=0)) ** 2).sum(axis=0)
        score = numpy.mean(1 - ((mean - targets) ** 2).sum(axis=0) / squares)
        checks.check(abs(known["score"] - score) < 1e-6, f"{output}: R2", f"{known['score']} {score}")
    return known


def predicted(model, data, *args):
    """The probabilities or values of `sheaf predict`, and its report."""
    result = sheaf("predict", model, data, "out.h5", "--overwrite", *args)
    checks.check(result.code == 0, f"predict {model} {args}", result.stderr)
    with h5py.File("out.h5") as file:
        return file["probabilities" if "probabilities" in file else "values"][:].astype(float), result


def check_predictions(output, data):
    """RUN_DIR predicts the weighted mean of the models of the members."""
    known = json.loads(read(f"{output}/models/ensemble.json"))
    mean = 0
    for member in known["members"]:
        for file in member["files"]:
            mean = mean + member["weight"] / len(member["files"]) * predicted(f"{output}/models/{file}", data)[0]
    ours, result = predicted(output, data)
    checks.check(abs(ours - mean).max() < 1e-6, f"{output}: predict averages the models", abs(ours - mean).max())
    checks.check("(ensemble of trials)" in result.stdout, f"{output}: predict names the ensemble", result.stdout)
    same = predicted(output, data, "--model=ensemble")[0]
    best, result = predicted(output, data, "--model=best")
    checks.check((same == ours).all() and "(best model)" in result.stdout and (best != ours).any(),
                 f"{output}: --model selects the models", result.stdout)


# Folds, 1797 rows: the mean of 20 selections. The same files on all ranks and lanes.
result = run("folds", *DIGITS_STUDY, "--run.lanes=1")
known = check_selection("folds")
checks.check(known["selections"] == BOOTSTRAPS and known["task"] == "classification" and len(known["members"]) > 1 and
             all(len(member["files"]) == 3 for member in known["members"]), "an ensemble of several trials", str(known))
checks.check("ensemble = greedy\n" in read("folds/study.cfg"), "auto: greedy, which is stored")
for ranks, lanes in ((1, 3), (2, 1), (3, 2), (4, 1)):
    run(f"folds{ranks}", *DIGITS_STUDY, f"--run.lanes={lanes}", ranks=ranks)
    checks.check(bytes_of(f"folds{ranks}") == bytes_of("folds"), f"the same files on {ranks} ranks with {lanes} lanes")
check_predictions("folds", DIGITS)

# The models of the best trial and of the members are kept.
best = int(table("folds", "trials")["trial"][0])
needed = {f"iteration-{3 * best + fold}.pt" for fold in range(3)}
needed |= {file for member in known["members"] for file in member["files"]}
checks.check(set(os.listdir("folds/models")) == needed | {"best.txt", "ensemble.json", "ensemble.pt"},
             "the models that are needed are kept", f"{sorted(os.listdir('folds/models'))} {needed}")

# The summary, README.txt, summary.json, results.h5 and status.
line = next((line for line in result.stdout.splitlines() if line.startswith("Ensemble of ")), "")
checks.check(line.startswith(f"Ensemble of {len(known['members'])} trials: loss {known['loss']:.5g}, accuracy "
                             f"{known['score']:.4f} (its member with the least loss, trial {known['best_member']}: loss "),
             "the summary shows the ensemble", result.stdout)
listed = [line for line in result.stdout.splitlines() if line.startswith("  weight ")]
checks.check(len(listed) == min(10, len(known["members"])) and
             listed[0].startswith(f"  weight {known['members'][0]['weight']:.3f}, trial {known['members'][0]['trial']}, "
                                  "train.learning_rate = "), "the summary lists the members", result.stdout)
summary = json.loads(read("folds/summary.json"))["ensemble"]
checks.check(all(summary[key] == known[key] for key in ("members", "loss", "score", "step_losses")) and
             len(summary["step_losses"]) == STEPS, "summary.json has the ensemble")
checks.check("ensemble     " in read("folds/README.txt") and "models/ensemble.pt" in read("folds/README.txt"),
             "README.txt shows the ensemble")
members = table("folds", "ensemble")
checks.check([int(trial) for trial in members["trial"]] == [member["trial"] for member in known["members"]] and
             abs(members["weight"].sum() - 1) < 1e-12, "results.h5 has the members")
status = sheaf("status", "folds")
checks.check(f"ensemble     {len(known['members'])} trials, loss {known['loss']:.5g}" in status.stdout,
             "status shows the ensemble", status.stdout)
status = json.loads(sheaf("status", "folds", "--output=json").stdout)
checks.check(status["ensemble"]["loss"] == known["loss"], "status as JSON", str(status["ensemble"]))
report = json.loads(sheaf("evaluate", "folds", f"--data.file={DIGITS}", "--output=json").stdout)
checks.check(report["models_kind"] == "ensemble" and len(report["models"]) == 3 * len(known["members"]),
             "evaluate names the ensemble", str(report)[:300])

# A killed job that is resumed on another number of ranks.
SLOW = [argument.replace("epochs=4", "epochs=60") for argument in DIGITS_STUDY]
run("slow", *SLOW)
job = Started([SHEAF, "run", *SLOW, "--run.output=killed", "--run.lanes=1"], ranks=2)
checks.check(job.creep_until(lambda: os.path.isdir("killed/journal") and len(journaled("killed")) > 4),
             "a job is killed while it trains")
for process in job.rank_processes():
    os.kill(process, signal.SIGKILL)
job.go_on()
job.process.wait()
checks.check(not os.path.exists("killed/models/ensemble.json"), "a killed job has no ensemble")
result = sheaf("resume", "killed", ranks=3)
checks.check(result.code == 0 and bytes_of("killed") == bytes_of("slow"), "a resumed run has the same ensemble",
             result.stderr)
for name in ("ensemble.json", "ensemble.pt"):  # killed at the end, at different places
    job = Started([SHEAF, "run", *DIGITS_STUDY, "--run.output=late"], ranks=2)
    found = job.creep_until(lambda name=name: os.path.exists(f"late/models/{name}"))
    for process in job.rank_processes():
        os.kill(process, signal.SIGKILL)
    job.go_on()
    job.process.wait()
    complete = os.path.exists("late/results.csv")
    result = sheaf("resume", "late", ranks=1)
    checks.check(found and result.code == 0 and bytes_of("late") == bytes_of("folds") and
                 (complete or set(os.listdir("late/models")) == set(os.listdir("folds/models"))),
                 f"killed when {name} was written", result.stderr)
    shutil.rmtree("late")
for task in range(3):
    sheaf("run", *DIGITS_STUDY, "--run.output=array", f"--run.array={task}/3")
checks.check(bytes_of("array") == bytes_of("folds"), "array tasks select the same ensemble")

# More than 2000 rows: one selection. Regression with two targets, repeats, and an offset that float does not have.
random = numpy.random.default_rng(4)
features = random.normal(size=(1300, 4)).astype("f4")
targets = numpy.stack([numpy.sin(2 * features[:, 0]) + features[:, 1], features[:, 2] * features[:, 3]], axis=1)
with h5py.File("values.h5", "w") as file:
    file["features"], file["targets"] = features, 2459000 + targets + 0.1 * random.normal(size=targets.shape)
run("values", "values.h5", *COMMON, *SPACE, "--search.trials=14", "--search.folds=2", "--search.repeats=2",
    "--train.epochs=15", "--run.lanes=2", "--study.seed=5")
known = check_selection("values", "values", "targets", seed=5)
checks.check(known["selections"] == BOOTSTRAPS and all(len(member["files"]) == 4 for member in known["members"]),
             "repeats: the models of all repeats and folds")
check_predictions("values", "values.h5")
labels = (targets[:, 0] > 0).astype("i8") + (targets[:, 1] > 0.3)
weights = random.integers(0, 3, size=5200).astype("f4")
with h5py.File("classes.h5", "w") as file:
    file["features"], file["targets"] = numpy.tile(features, (4, 1)), numpy.tile(labels, 4)
    file["weights"] = weights
run("classes", "classes.h5", *COMMON, SPACE[0], "--model.hidden=8", "--search.train.loss=cross_entropy, bce", "--search.trials=10",
    "--data.validation=0.6", "--train.epochs=3")
checks.check(check_selection("classes")["selections"] == 1, "more than 2000 rows: one selection")
check_predictions("classes", "classes.h5")
run("weighted", "classes.h5", *COMMON, "--train.epochs=4", *SPACE, "--search.trials=10", "--search.folds=2", "--data.weights=/weights",
    "--search.weighted=true")
check_selection("weighted", weights=weights.astype(float))
run("halving", "classes.h5", *COMMON[:2], "--search.method=halving", "--train.epochs=4", *SPACE, "--search.trials=9", "--search.folds=2")
known = check_selection("halving")
checks.check(known["candidates"] < 9, "halving: candidates are the trials of the last stage", str(known["candidates"]))
run("members", "classes.h5", *COMMON, "--train.epochs=4", *SPACE, "--search.trials=4", "--data.validation=0.6", "--ensemble.members=2")
checks.check(all(len(member["files"]) == 2 for member in check_selection("members")["members"]), "ensembles as members")

# Empty cells: each model fills them with the medians of its own training rows.
with open("cells.csv", "w", newline="") as file:
    writer = csv.writer(file)
    writer.writerow(["a", "b", "c", "target"])
    for row in range(400):
        cells = random.normal(size=3) * numpy.array([1, 5, 20])
        writer.writerow([*("" if random.random() < 0.2 else f"{cell:.4f}" for cell in cells),
                         "yes" if cells[0] + cells[1] / 5 > 0 else "no"])
checks.check(sheaf("import", "cells.csv", "cells.h5").code == 0, "a table with empty cells")
run("cells", "cells.h5", *COMMON, "--train.epochs=4", *SPACE, "--search.trials=6", "--search.folds=4")
check_selection("cells")
check_predictions("cells", "cells.csv")
check_predictions("cells", "cells.h5")

# Test rows: the ensemble is scored besides the best model.
with h5py.File("classes.h5") as file, h5py.File("train.h5", "w") as train, h5py.File("test.h5", "w") as test:
    for name in ("features", "targets"):
        train[name], test[name] = file[name][:4000], file[name][4000:]
result = run("tested", "train.h5", *COMMON, "--train.epochs=4", *SPACE, "--search.trials=6", "--search.folds=2", "--data.test_file=test.h5")
summary = json.loads(read("tested/summary.json"))
for kind, scores in (("ensemble", summary["ensemble"]["test"]), ("best", summary["test"])):
    report = json.loads(sheaf("evaluate", "tested", "--data.file=test.h5", f"--model={kind}", "--output=json").stdout)
    checks.check(scores["rows"] == 1200 and abs(report["loss"] / scores["loss"] - 1) < 1e-6 and
                 abs(report["accuracy"] - scores["metrics"]["accuracy"]) < 1e-9, f"test rows: {kind}", f"{scores} {report}")
checks.check("Test of the best model: " in result.stdout and "Test of the ensemble: " in result.stdout,
             "both tests are shown", result.stdout)

# With a refit, the members predict with models of all rows.
run("refitted", *DIGITS_STUDY, "--run.refit=true")
ensemble, fits = (json.loads(read(f"{output}/models/ensemble.json")) for output in ("refitted", "folds"))
members, rows = ensemble["members"], table("refitted", "iterations")
checks.check([(member["trial"], member["weight"]) for member in members] ==
             [(member["trial"], member["weight"]) for member in fits["members"]] and len(members) > 1,
             "refit: the same members", str(members))
checks.check(all(member["refit"] and len(member["files"]) == 1 for member in members) and
             not any(member["refit"] for member in fits["members"]), "refit: one model for each member", str(members))
of_files = {member["files"][0]: member["trial"] for member in members}
checks.check(all(row["trial"] == of_files.get(f"iteration-{row['iteration']}.pt", row["trial"]) and row["fold"] == 3
                 for row in rows if row["stage"] == 1) and
             sorted(of_files.values()) == sorted({member["trial"] for member in members}), "refit: the models are of its stage")
check_predictions("refitted", DIGITS)
best = read("refitted/models/refit.txt").split()
checks.check(len(best) == 1 and of_files.get(best[0], 0) == json.loads(read("refitted/summary.json"))["best"]["trial"],
             "refit.txt has the best trial only", str(best))
run("refitted_on_3", *DIGITS_STUDY, "--run.refit=true", "--run.lanes=2", ranks=3)
checks.check(bytes_of("refitted_on_3") == bytes_of("refitted"), "refit: the same ensemble on 3 ranks")
shutil.copytree("folds", "later")
result = sheaf("resume", "later", "--run.refit=true")
checks.check(result.code == 0 and all(member["refit"] for member in json.loads(read("later/models/ensemble.json"))["members"]),
             "a finished run gets its refits", result.stderr)
check_predictions("later", DIGITS)

# While a run with a refit is extended, it predicts as before, also if the job is killed.
ALL = [*DIGITS_FOLDS, "--run.refit=true", "--run.models=all"]
run("grown", *ALL, "--search.trials=12")
before = {kind: predicted("grown", DIGITS, f"--model={kind}")[0] for kind in ("ensemble", "refit", "best")}
job = Started([SHEAF, "resume", "grown", "--search.trials=40", "--run.lanes=1"])
reached = job.creep_until(lambda: len(set(journaled("grown"))) >= 60)
job.kill()
checks.check(reached and all((predicted("grown", DIGITS, f"--model={kind}")[0] == before[kind]).all() for kind in before),
             "a run that is extended predicts as before")
result = sheaf("resume", "grown", ranks=2)
run("whole", *ALL, "--search.trials=40")
checks.check(result.code == 0 and bytes_of("grown") == bytes_of("whole") and
             read("grown/models/refit.txt") == read("whole/models/refit.txt") and
             sorted(os.listdir("grown/models")) == sorted(os.listdir("whole/models")), "then it is the larger run",
             result.stderr + str(set(os.listdir("grown/models")) ^ set(os.listdir("whole/models"))))

# A search that is extended has only the models that were kept.
run("extended", *DIGITS_FOLDS, "--search.trials=6", "--run.models=all")
result = sheaf("resume", "extended", "--search.trials=12")
checks.check(result.code == 0 and bytes_of("extended") == bytes_of("folds"), "an extended search with all models",
             result.stderr)
run("shrunk", *DIGITS_FOLDS, "--search.trials=6")
result = sheaf("resume", "shrunk", "--search.trials=12")
known = json.loads(read("shrunk/models/ensemble.json"))
gone = 12 - known["candidates"]
checks.check(result.code == 0 and gone > 0 and f"warning: {gone} good trial" in result.stderr and
             "cannot be in the ensemble" in result.stderr, "trials whose models are gone are left out", result.stderr)
check_predictions("shrunk", DIGITS)

# Settled, and refused before anything is written.
for case, kind, *args in (("auto", "greedy"), ("models", "none", "--run.models=none"),
                          ("predictions", "none", "--run.predictions=none"), ("off", "none", "--search.ensemble=none"),
                          ("streamed", "none", "--data.mode=streamed"),
                          ("kept", "greedy", "--data.mode=streamed", "--run.predictions=held_out"),
                          ("explicit", "greedy", "--search.ensemble=greedy")):
    run(f"settled_{case}", "train.h5", *COMMON, "--train.epochs=4", *SPACE, "--search.trials=3", "--data.validation=0.2", *args)
    checks.check(f"ensemble = {kind}\n" in read(f"settled_{case}/study.cfg") and
                 os.path.exists(f"settled_{case}/models/ensemble.json") == (kind == "greedy"), f"settled: {case}")
GREEDY = ["--run.device=cpu", "--run.progress=none", "--search.ensemble=greedy", "--run.output=refused"]
with open("own.cfg", "w") as file:
    file.write("[data]\nsource = synthetic\nvalidation = 0.2\n")
DRAWN = ["--search.method=random", *SPACE, "--search.trials=3"]
for case, reason, *args in (
        ("no search", "there is no search", "train.h5"),
        ("one trial", "the search has only one trial", "train.h5", "--search.method=random", *SPACE, "--search.trials=1"),
        ("no models", "run.models = none", "train.h5", *DRAWN, "--run.models=none"),
        ("no predictions", "run.predictions = none", "train.h5", *DRAWN, "--run.predictions=none"),
        ("streamed", "run.predictions = none", "train.h5", *DRAWN, "--data.mode=streamed"),
        ("no validation", "there are no validation rows", "train.h5", *DRAWN, "--data.validation=0"),
        ("quantiles", "the mean of quantiles is not a quantile", "values.h5", *DRAWN, "--train.loss=quantile"),
        ("values of classes", "outputs are not probabilities", "train.h5", *DRAWN, "--train.loss=mse"),
        ("own data", "data.draw = iteration", "own.cfg", *DRAWN)):
    result = sheaf("run", *GREEDY, *args)
    checks.check(result.code == 2 and len(result.error_lines()) == 1 and reason in result.stderr and
                 "search.ensemble = greedy is not possible" in result.stderr and not os.path.exists("refused"),
                 f"refused: {case}", result.stderr)
for case, code, reason, *args in (
        ("unknown kind", 2, "model", "folds", "--model=worst"),
        ("no refit", 2, "--model = refit does not fit 'folds' (the run has no refit on all rows)", "folds",
         "--model=refit"),
        ("no ensemble", 2, "--model = ensemble does not fit 'settled_off'", "settled_off", "--model=ensemble"),
        ("a file", 2, "--model = best requires a run directory", f"folds/models/{sorted(needed)[0]}", "--model=best"),
        ("an iteration", 2, "--model = best requires a run directory", "folds", "--model=best", "--iteration=0")):
    result = sheaf("evaluate", *args, f"--data.file={DIGITS}")
    checks.check(result.code == code and len(result.error_lines()) == 1 and reason in result.stderr, f"refused: {case}",
                 result.stderr)
shutil.copytree("folds", "damaged")
for case, content in (("not JSON", "{"), ("no members", '{"members": []}'),
                      ("another directory", read("folds/models/ensemble.json").replace('"iteration-', '"../iteration-'))):
    with open("damaged/models/ensemble.json", "w") as file:
        file.write(content)
    result = sheaf("evaluate", "damaged", f"--data.file={DIGITS}")
    checks.check(result.code == 1 and "'damaged/models/ensemble.json' is damaged" in result.stderr, f"damaged: {case}",
                 result.stderr)
sys.exit(checks.finish())
