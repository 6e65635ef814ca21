"""Models that are trained together (run.stack): results of whole runs against those of models that are trained one by one
and against each other, for any number of ranks, lanes and models at a time; what cannot be stacked; bad input.

Kills: search_kills.py."""

import math
import re
import shutil
import sys

from interrupted import results
from program import DIGITS, Checks, read_csv, sheaf

checks = Checks()
shutil.rmtree("runs", ignore_errors=True)

COMMON = [DIGITS, "--run.engine=torch", "--run.device=cpu", "--run.progress=none", "--model.kind=mlp",
          "--train.batch_size=64", "--train.epochs=4", "--search.folds=2", "--search.method=grid"]
# What may differ between the models of a stack, and one rate with which models diverge.
MIXED = ["--model.hidden=16", "--search.train.learning_rate=1e-3, 1e-2, 1e30", "--search.train.weight_decay=0, 1e-2", "--train.patience=1",
         "--search.model.dropout=0, 0.2", "--train.clip_norm=1e12", "--run.refit=true", "--run.models=all"]
# Shapes that need stacks of their own.
SHAPES = ["--search.model.hidden=8, 16", "--search.train.optimizer=sgd, adam"]


def run(name, *options, ranks=None):
    result = sheaf("run", *COMMON, *options, f"--run.output=runs/{name}", ranks=ranks)
    checks.check(result.code == 0, f"{name}: exit code", result.stderr)
    return result


def near(one, other):
    """Whether two runs have the same iterations, with losses that are equal to rounding."""
    ours, theirs = (read_csv(f"runs/{name}/results.csv") for name in (one, other))
    if len(ours) != len(theirs) or not ours:
        return False
    for row, same in zip(ours, theirs):
        for key in ("trial", "fold", "status", "epochs"):
            if row[key] != same[key]:
                return False
        for key in ("final_loss", "validation_loss"):
            if row[key] != same[key] and not math.isclose(float(row[key]), float(same[key]), rel_tol=1e-3):
                return False
    return True


for case, options in {"mixed": MIXED, "shapes": SHAPES}.items():
    run(f"{case}-alone", *options, "--run.stack=1")
    run(f"{case}-stacked", *options, "--run.stack=8")
    checks.check(near(f"{case}-alone", f"{case}-stacked"), f"{case}: a stack has the losses of models one by one")
    expected = results(f"runs/{case}-stacked")
    for number, (ranks, more) in enumerate([(1, ["--run.lanes=2"]), (2, ["--run.lanes=1", "--run.partition=cyclic"]),
                                            (3, ["--run.lanes=1", "--run.partition=self"]), (2, ["--run.partition=block"])]):
        run(f"{case}-{number}", *options, "--run.stack=8", *more, ranks=ranks)
        checks.check(results(f"runs/{case}-{number}") == expected, f"{case}: the same bits on {ranks} ranks with {more}")
    run(f"{case}-narrow", *options, "--run.stack=3")
    checks.check(results(f"runs/{case}-narrow") == expected, f"{case}: the same bits with 3 models at a time")
statuses = {row["status"] for row in read_csv("runs/mixed-stacked/results.csv")}
checks.check(statuses == {"finished", "diverged"}, "models diverge alone", str(statuses))

# Tasks of an array, one after the other.
for task in range(3):
    run("array", *SHAPES, "--run.stack=8", f"--run.array={task}/3")
checks.check(results("runs/array") == results("runs/shapes-stacked"), "an array has the same results")

# An ensemble of members.
MEMBERS = ["--model.hidden=16", "--ensemble.members=6", "--ensemble.bootstrap=true"]
run("members", *MEMBERS, "--run.stack=4")
run("members-alone", *MEMBERS, "--run.stack=1")
checks.check(near("members", "members-alone"), "members of an ensemble on bootstrap samples")

# Widths by shape and memory: on cores the same bits.
run("shapes-planned", *SHAPES, "--run.stack=8 in 500 MiB")
checks.check(results("runs/shapes-planned") == results("runs/shapes-stacked"), "the same bits with planned widths")
run("shapes-auto", *SHAPES)
checks.check("\nstack = 1\n" in open("runs/shapes-auto/study.cfg").read(), "auto is 1 on cores")
checks.check(results("runs/shapes-auto") == results("runs/shapes-alone"), "the same bits as with 1")

# Later jobs use the stored number.
result = sheaf("run", *COMMON, *SHAPES, "--run.output=runs/shapes-stacked", "--run.stack=4", "--resume")
checks.check(result.code == 2 and "run.stack" in result.stderr, "a resumed run cannot change run.stack", result.stderr)
result = sheaf("resume", "runs/mixed-alone", "--run.stack=8")
checks.check(result.code == 2 and "another study (run.stack = 8, was 1). Resume it with the same values" in result.stderr,
             "resume does not advise another engine, which the run cannot have either", result.stderr)

# The plan.
result = sheaf("plan", *COMMON, *MEMBERS, "--run.stack=1024")
checks.check(re.search(r"models together, at most +engine\n +0 .* 12 +torch", result.stdout), "not more models together than there are",
             result.stdout)
result = sheaf("plan", *COMMON, "--run.stack=8", "--search.train.precision=float32,bfloat16")
checks.check(re.search(r" 4 +torch \(run.engine = torch\)\n.* 1 +torch \(run.engine = torch\); alone: train.precision = "
                       "bfloat16\n", result.stdout), "the reason why a trial is trained alone", result.stdout)


def refused(expected, *options):
    keys = {option.split("=")[0] for option in options}
    others = [option for option in COMMON if option.split("=")[0] not in keys]
    result = sheaf("run", *others, *options, "--run.output=runs/refused")
    checks.check(result.code == 2 and expected in result.stderr and len(result.error_lines()) == 1, f"refuses {options}",
                 result.stderr)


refused("run.stack = 8 needs LibTorch, but run.engine = native.", "--run.stack=8", "--run.engine=native")
refused("run.stack = 8 needs data in memory, but data.mode = streamed.", "--run.stack=8", "--data.mode=streamed")
refused("run.stack = 8 has no effect (the engine is native).", "--run.stack=8", "--run.engine=auto")
refused("run.stack", "--run.stack=8 in 0 MiB")
refused("run.stack", "--run.stack=0")
refused("run.stack", "--run.stack=1025")
refused("run.stack", "--run.stack=many")
refused("run.stack = 8 has no effect (the network has convolutions).", "--run.stack=8", "--model.kind=cnn",
        "--model.channels=4", "--data.image=1x8x8")
sys.exit(checks.finish())
