"""Whole jobs in which the GPU of one rank fails in the middle of a training (simulated_gpus.cpp): with run.device = auto
its lane goes on with a core, with cuda the job ends and is resumed. The results are those of an undisturbed run."""

import shutil
import sys

import h5py

import gpu  # noqa: F401  # finds the helpers of the app tests
from interrupted import results
from program import DIGITS, Checks, read_csv, sheaf

checks = Checks()
shutil.rmtree("runs", ignore_errors=True)

COMMON = [DIGITS, "--run.engine=torch", "--run.ranks_per_gpu=2", "--run.progress=none", "--model.kind=mlp",
          "--model.hidden=16", "--train.batch_size=64", "--search.model.dropout=0, 0.2", "--run.refit=true",
          "--run.models=all", "--run.checkpoint_interval=0.1"]
GRID = [*COMMON, "--train.epochs=6", "--train.patience=2", "--search.method=grid", "--search.folds=2",
        "--search.repeats=2", "--search.train.learning_rate=1e-3, 1e-2, 1e-1"]
STUDIES = {"grid": [*GRID, "--run.stack=4"],
           "alone": [*GRID, "--run.stack=1"],
           "groups": ["groups.h5", *GRID[1:], "--run.stack=4"],  # a second list in memory that ranks share
           "halving": [*COMMON, "--train.epochs=9", "--search.method=halving", "--search.trials=18", "--run.stack=4",
                       "--search.train.learning_rate=log_uniform(1e-3, 1e-1)"],
           "streamed": [*COMMON, "--data.mode=streamed", "--train.epochs=3", "--study.iterations=8"]}
FAILURE = "CUDA error: unspecified launch failure"
with h5py.File(DIGITS) as digits, h5py.File("groups.h5", "w") as file:
    for name in ("features", "targets"):
        file[name] = digits[name][:]
    file["groups"] = [row // 7 for row in range(len(file["targets"]))]

expected = {}
for study, options in STUDIES.items():
    result = sheaf("run", *options, f"--run.output=runs/{study}")
    checks.check(result.code == 0, f"{study}: the undisturbed run", result.stderr)
    expected[study] = results(f"runs/{study}")


def lose_gpu(case, directory, study, ranks, rank, call, *options):
    """The GPU of `rank` fails in its `call`."""
    result = sheaf("run", *STUDIES[study], *options, f"--run.output={directory}", ranks=ranks,
                   environment={"SIMULATED_GPU_FAILS": f"{rank},{call}"})
    checks.check(FAILURE in result.stderr, f"{case}: the GPU fails", result.stderr)
    checks.check("destroyed" not in result.stderr, f"{case}: nothing is destroyed", result.stderr)
    return result


# A training has at least one call per epoch, and three epochs: the places are reached with static partitions.
for number, (study, ranks, rank, call, lanes, partition) in enumerate([
        ("grid", 1, 0, 1, 1, "self"), ("grid", 1, 0, 15, 1, "self"), ("grid", 2, 1, 7, 1, "block"),
        ("grid", 3, 0, 5, 1, "cyclic"), ("grid", 2, 1, 1, 2, "block"), ("groups", 2, 0, 5, 1, "block"),
        ("halving", 2, 1, 5, 1, "block"), ("alone", 2, 1, 10, 1, "cyclic"), ("alone", 1, 0, 2, 2, "block")]):
    case = f"{study}, rank {rank} of {ranks}, {lanes} lanes, call {call}"
    directory = f"runs/on-cores-{number}"
    result = lose_gpu(case, directory, study, ranks, rank, call, "--run.device=auto", f"--run.lanes={lanes}",
                      f"--run.partition={partition}")
    message = f"the GPU has failed ({FAILURE}): the lane goes on with a core"
    checks.check(result.code == 0 and result.stderr.count(message) == lanes, f"{case}: goes on", result.stderr)
    checks.check(results(directory) == expected[study], f"{case}: the results of an undisturbed run")
    rows = read_csv(f"{directory}/results.csv")
    lost = [row["device"] for row in rows if row["rank"] == str(rank)]
    others = [row["device"] for row in rows if row["rank"] != str(rank)]
    checks.check("cpu" in lost and all(device.startswith("cuda:") for device in others), f"{case}: devices",
                 f"{lost} {others}")

for number, (study, ranks, rank, call, lanes) in enumerate([
        ("grid", 1, 0, 15, 1), ("grid", 3, 2, 5, 1), ("halving", 2, 0, 5, 1), ("alone", 2, 1, 10, 2),
        ("streamed", 1, 0, 2, 1), ("streamed", 2, 1, 2, 2)]):
    case = f"{study}, rank {rank} of {ranks}, run.device = cuda"
    directory = f"runs/ended-{number}"
    result = lose_gpu(case, directory, study, ranks, rank, call, "--run.device=cuda", f"--run.lanes={lanes}",
                      "--run.partition=block")
    checks.check(result.code == 75 and len(result.error_lines()) == 1, f"{case}: exit code 75",
                 f"{result.code}\n{result.stderr}")
    name = f"GPU {number}"
    result = sheaf("resume", directory, "--run.progress=none", environment={"SIMULATED_GPU_NAME": name})
    message = f"earlier jobs of the run used simulated GPU, this one uses {name}: results agree to rounding"
    checks.check(result.code == 0 and message in result.stderr, f"{case}: resumes on another GPU", result.stderr)
    checks.check(results(directory) == expected[study], f"{case}: the results of an undisturbed run")
sys.exit(checks.finish())
