"""Runs of searches in stages, for their tests."""

import os

from program import SHEAF, Started, journaled, read_csv, sheaf

SAME = ["iteration", "stage", "trial", "fold", "seed", "train.learning_rate", "status", "final_loss",
        "validation_loss", "validation_score", "epochs", "steps"]


def rows(directory, names=SAME):
    """These columns of results.csv in runs/DIRECTORY; empty if the file is missing."""
    path = f"runs/{directory}/results.csv"
    return [[row.get(name) for name in names] for row in read_csv(path)] if os.path.exists(path) else []


def run_staged(checks, study, directory, *args, ranks=None):
    """Runs a study into runs/DIRECTORY. Returns rows()."""
    result = sheaf("run", *study, f"--run.output=runs/{directory}", *args, ranks=ranks)
    checks.check(result.code == 0, f"{directory}: the run succeeds", result.stderr)
    checks.check(not os.path.exists(f"runs/{directory}/checkpoints"), f"{directory}: no checkpoints are left")
    return rows(directory)


def of_stage(table, stage):
    return [row for row in table if row[1] == str(stage)]


def kill_at(study, directory, count, *args):
    """Begins or resumes a run and kills it when the journals have `count` results. Returns False if it ended before."""
    begun = os.path.exists(f"{directory}/study.cfg")
    job = Started([SHEAF, "resume", directory, *args] if begun else
                  [SHEAF, "run", *study, f"--run.output={directory}", "--run.curves=true", *args])
    reached = job.creep_until(lambda: len(journaled(directory)) >= count)
    if reached:
        job.kill()
    return reached
