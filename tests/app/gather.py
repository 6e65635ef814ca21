"""Rank 0 gathers results by MPI: result files do not depend on the ranks, memory stays small, journals are not read."""

import os
import shutil
import sys

import h5py

from program import DIGITS, SHEAF, SOURCE, Checks, journaled, launch, read_csv, sheaf

checks = Checks()
OF_THE_RUN = {"seconds", "data_seconds", "training_seconds", "validation_seconds", "wait_seconds", "rank", "lane"}


def fresh(*names):
    for name in names:
        shutil.rmtree(name, ignore_errors=True)


def without_results(directory):
    for name in ("results.csv", "results.h5"):
        os.remove(os.path.join(directory, name))


def summary_of(stdout):
    """The printed summary without the line with the idle time of lanes."""
    return [line for line in stdout.splitlines() if not line.startswith("lanes: ")]


def tables(directory):
    """The content of results.csv and results.h5 without times, ranks and lanes; tables as bytes."""
    rows = [[value for name, value in row.items() if name not in OF_THE_RUN]
            for row in read_csv(os.path.join(directory, "results.csv"))]
    with h5py.File(os.path.join(directory, "results.h5"), "r") as file:
        whole = {name: file[name][:] for name in ("iterations", "epochs", "trials", "ensembles") if name in file}
    types = {name: str(table.dtype) for name, table in whole.items()}
    return rows, types, [table[column].tobytes() for table in whole.values() for column in table.dtype.names
                         if column not in OF_THE_RUN]


# Iterations that finish, diverge and fail, with curves and ensembles.
MIXED = [os.path.join(SOURCE, "jobs", "studies", "digits-search.cfg"), f"--data.file={DIGITS}", "--run.lanes=1",
         "--run.device=cpu", "--run.curves=true", "--run.progress=none", "--run.engine=native", "--run.retries=0",
         "--search.folds=2", "--ensemble.members=3", "--search.model.hidden=4, 1000000 1000000",
         "--train.loss=mse", "--train.optimizer=sgd", "--search.train.learning_rate=1e-2, 1e30", "--train.epochs=3"]
fresh("one", "many", "tasks")
first = sheaf("run", *MIXED, "--run.output=one")
checks.check(first.code == 1 and {row["status"] for row in read_csv("one/results.csv")} ==
             {"finished", "diverged", "failed"}, "finished, diverged and failed iterations", first.stderr)
reference = tables("one")
for ranks in (2, 3):
    fresh("many")
    result = sheaf("run", *MIXED, "--run.output=many", ranks=ranks)
    checks.check(result.code == 1 and tables("many") == reference, f"same results on {ranks} ranks", result.stderr)
    checks.check(summary_of(result.stdout) == summary_of(first.stdout), f"same summary on {ranks} ranks", result.stdout)
without_results("many")
result = sheaf("resume", "many", ranks=2)
checks.check(result.code == 1 and tables("many") == reference and summary_of(result.stdout) == summary_of(first.stdout),
             "same results after failed iterations are retried", result.stderr)
for task in range(2):
    result = sheaf("run", *MIXED, "--run.output=tasks", f"--run.array={task}/2", ranks=2)
checks.check(result.code == 1 and tables("tasks") == reference, "same results from array tasks", result.stderr)

# Many iterations, gathered in several windows. Results of an earlier attempt are read from its journals, all others
# come from the ranks.
COUNT = 150000
MANY = [os.path.join(SOURCE, "jobs", "studies", "iterations.cfg"), f"--study.iterations={COUNT}", "--data.rows=20",
        "--data.columns=2", "--train.epochs=1", "--run.progress=none", "--run.device=cpu", "--run.lanes=1",
        "--run.engine=native", "--run.output=large"]
fresh("large")


def on_two_ranks(*args):
    """Returns the result and the stdout of rank 0. The stdout goes to a file, since mpirun of Open MPI 5 may move the
    beginning of a stdout line to stderr."""
    result = launch(["sh", "-c", 'exec "$0" "$@" >stdout.$OMPI_COMM_WORLD_RANK', SHEAF, *args], ranks=2)
    with open("stdout.0") as file:
        return result, file.read()


result, summary = on_two_ranks("run", *MANY)
checks.check(result.code == 0, "a run of many iterations succeeds", result.stderr)
reference = tables("large")
checks.check([int(row[0]) for row in reference[0]] == list(range(COUNT)), "results.csv has one line per iteration")
checks.check(f"{COUNT} iterations" in summary, "the summary has statistics of all iterations", summary)

without_results("large")
for journal in ("00000", "00001"):
    path = os.path.join("large", "journal", "00001", journal + ".jsonl")
    with open(path, "rb+") as file:
        file.truncate(os.path.getsize(path) * 2 // 3)  # as if the job had been killed
journal_lines = len(journaled("large"))
result, resumed_summary = on_two_ranks("resume", "large")
checks.check(result.code == 0 and f"{COUNT - journal_lines} of {COUNT} iterations left" in result.stderr,
             "resume trains the lost iterations", result.stderr)
checks.check(tables("large") == reference and summary_of(resumed_summary) == summary_of(summary), "same results after a kill")
without_results("large")
# Measured through a small process, since the peak memory of a program includes that of the process that started it.
MEASURE = """import resource, subprocess, sys
code = subprocess.run(sys.argv[1:]).returncode
print(resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss // 1024, file=sys.stderr)
sys.exit(code)"""
result = launch([sys.executable, "-c", MEASURE, SHEAF, "resume", "large"])
checks.check(result.code == 0 and tables("large") == reference and summary_of(result.stdout) == summary_of(summary),
             "same results from the journals alone", result.stderr)
megabytes = int(result.stderr.splitlines()[-1])
checks.check(megabytes < 140, "rank 0 needs little memory per iteration", f"{megabytes} MB")  # 1 KB each would make 210
sys.exit(checks.finish())
