"""The digits search gives bit-identical losses whatever the ranks, the lanes and the partition.

--epochs N: shorter than the study's own 30, which --epochs 30 runs in full."""

import os
import shutil
import sys

from program import DIGITS, SOURCE, Checks, read_csv, sheaf

PARTITIONS = ["block", "cyclic", "self", "guided", "factoring", "weighted_factoring", "dynamic"]
epochs = sys.argv[sys.argv.index("--epochs") + 1]
study = os.path.join(SOURCE, "jobs", "studies", "digits-search.cfg")


def losses(ranks, lanes, partition):
    shutil.rmtree("run", ignore_errors=True)
    result = sheaf("run", study, f"--data.file={DIGITS}", f"--train.epochs={epochs}", f"--run.lanes={lanes}",
                   f"--run.partition={partition}", "--run.output=run", "--run.device=cpu", ranks=ranks, timeout=600)
    if result.code != 0:
        return result.stderr
    return [(row["iteration"], row["seed"], row["final_loss"], row["validation_loss"], row["validation_score"],
             row["status"]) for row in read_csv("run/results.csv")]


checks = Checks()
reference = losses(1, 1, "block")
checks.check(len(reference) == 60 and len({row[2] for row in reference}) == 60, "60 different losses", str(reference))
for ranks in (1, 2, 3, 4):
    for lanes in (1, 2):
        for partition in PARTITIONS:
            found = losses(ranks, lanes, partition)
            checks.check(found == reference, f"{ranks} ranks, {lanes} lanes, {partition}", str(found)[:2000])
sys.exit(checks.finish())
