"""The digits search has bit-identical losses for all numbers of ranks and lanes and all partitions: in many
combinations with the native engine, which `auto` selects, and in a few with LibTorch.

--epochs N: epochs of each training with the native engine (the study has 30). LibTorch always trains for 2.
--all: all combinations with the native engine, instead of two for each partition."""

import os
import shutil
import sys

from program import DIGITS, SOURCE, Checks, read_csv, sheaf

PARTITIONS = ["block", "cyclic", "self", "guided", "factoring", "weighted_factoring", "dynamic"]
ALL = [(ranks, lanes, partition) for ranks in (1, 2, 3, 4) for lanes in (1, 2) for partition in PARTITIONS]
TWO_EACH = [((index + turn) % 4 + 1, turn % 2 + 1, partition) for index, partition in enumerate(PARTITIONS)
            for turn in (0, 1)]
SOME = [(1, 2, "self"), (2, 1, "cyclic"), (3, 2, "dynamic")]
epochs = sys.argv[sys.argv.index("--epochs") + 1]
study = os.path.join(SOURCE, "jobs", "studies", "digits-search.cfg")


def losses(ranks, lanes, partition, *args):
    shutil.rmtree("run", ignore_errors=True)
    result = sheaf("run", study, f"--data.file={DIGITS}", f"--run.lanes={lanes}", f"--run.partition={partition}",
                   "--run.output=run", "--run.device=cpu", *args, ranks=ranks, timeout=600)
    if result.code != 0:
        return result.stderr
    return [(row["iteration"], row["seed"], row["final_loss"], row["validation_loss"], row["validation_score"],
             row["status"], row["engine"]) for row in read_csv("run/results.csv")]


def check_combinations(engine, combinations, *args):
    reference = losses(1, 1, "block", *args)
    checks.check(len(reference) == 60 and len({row[2] for row in reference}) == 60, f"{engine}: 60 different losses",
                 str(reference))
    checks.check({row[-1] for row in reference} == {engine}, f"{engine}: the engine column names it", str(reference))
    for ranks, lanes, partition in combinations:
        found = losses(ranks, lanes, partition, *args)
        checks.check(found == reference, f"{engine}: {ranks} ranks, {lanes} lanes, {partition}", str(found)[:2000])


checks = Checks()
check_combinations("native", ALL if "--all" in sys.argv else TWO_EACH, f"--train.epochs={epochs}")
check_combinations("torch", SOME, "--run.engine=torch", "--train.epochs=2")
sys.exit(checks.finish())
