"""Whole jobs in which the GPU of one rank fails in the middle of a stack (lost_gpu.cpp): the lane goes on with its core, or
the job ends and is resumed. The results are those of an undisturbed run."""

import os
import shutil
import sys

from interrupted import results
from program import DIGITS, Checks, launch, sheaf

PROGRAM = os.environ["LOST_GPU"]
checks = Checks()
shutil.rmtree("runs", ignore_errors=True)

COMMON = [DIGITS, "--run.engine=torch", "--run.device=cpu", "--run.stack=4", "--run.progress=none", "--model.kind=mlp",
          "--model.hidden=16", "--train.batch_size=64", "--search.model.dropout=0, 0.2", "--run.refit=true",
          "--run.models=all", "--run.checkpoint_interval=0.1"]
STUDIES = {"grid": [*COMMON, "--train.epochs=6", "--train.patience=2", "--search.method=grid", "--search.folds=2",
                    "--search.repeats=2", "--search.train.learning_rate=1e-3, 1e-2, 1e-1"],
           "halving": [*COMMON, "--train.epochs=9", "--search.method=halving", "--search.trials=18",
                       "--search.train.learning_rate=log_uniform(1e-3, 1e-1)"]}
FAILURE = "CUDA error: unspecified launch failure"

expected = {}
for study, options in STUDIES.items():
    result = sheaf("run", *options, f"--run.output=runs/{study}")
    checks.check(result.code == 0, f"{study}: the undisturbed run", result.stderr)
    expected[study] = results(f"runs/{study}")


def lost_gpu(directory, study, ranks, call, *options, fallback):
    return launch([PROGRAM, "run", *STUDIES[study], *options, f"--run.output={directory}"], ranks=ranks,
                  environment={"LOST_GPU_RANK": str(ranks - 1), "LOST_GPU_CALL": str(call),
                               "LOST_GPU_FALLBACK": str(int(fallback))})


for number, (study, ranks, call, lanes, partition) in enumerate([
        ("grid", 1, 1, 1, "block"), ("grid", 1, 40, 1, "self"), ("grid", 2, 25, 1, "self"), ("grid", 3, 10, 1, "cyclic"),
        ("grid", 2, 1, 2, "guided"), ("halving", 2, 20, 1, "self")]):
    case = f"{study}, {ranks} ranks, {lanes} lanes, call {call}"
    directory = f"runs/on-cores-{number}"
    result = lost_gpu(directory, study, ranks, call, f"--run.lanes={lanes}", f"--run.partition={partition}", fallback=True)
    message = f"the GPU has failed ({FAILURE}): the lane goes on with a core"
    checks.check(result.code == 0 and result.stderr.count(message) == lanes, f"{case}: goes on", result.stderr)
    checks.check(results(directory) == expected[study], f"{case}: the results of an undisturbed run")

for number, (study, ranks, call) in enumerate([("grid", 1, 30), ("grid", 3, 8), ("halving", 2, 20)]):
    case = f"{study}, {ranks} ranks, no fallback"
    directory = f"runs/ended-{number}"
    result = lost_gpu(directory, study, ranks, call, "--run.lanes=1", fallback=False)
    checks.check(result.code == 75 and FAILURE in result.stderr and len(result.error_lines()) == 1, f"{case}: exit code 75",
                 f"{result.code}\n{result.stderr}")
    result = sheaf("resume", directory, "--run.progress=none")
    checks.check(result.code == 0, f"{case}: resumes", result.stderr)
    checks.check(results(directory) == expected[study], f"{case}: the results of an undisturbed run")
sys.exit(checks.finish())
