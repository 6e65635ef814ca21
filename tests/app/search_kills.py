"""Every search method, with its defaults, has the same results on any number of ranks and lanes, with any partition, and
after random kills. The killed runs are resumed each time on other ranks, lanes and partitions.

--count N: kills of each method. --layouts N: combinations of ranks, lanes and partitions. --seed S: of the random choices."""

import os
import random
import shutil
import signal
import sys

from interrupted import results
from program import DIGITS, SHEAF, Checks, Started, argument, journaled, sheaf

checks = Checks()
shutil.rmtree("runs", ignore_errors=True)
random.seed(argument("--seed", 1))

COMMON = ["--model.hidden=64", "--train.epochs=20", "--train.batch_size=8", "--search.folds=2", "--run.progress=none"]
RATE = "--search.train.learning_rate=log_uniform(1e-4, 1e-1)"
METHODS = {
    "grid": ["--search.train.learning_rate=1e-4, 1e-3, 1e-2, 1e-1", "--search.train.weight_decay=0, 1e-3, 1e-2"],
    "random": ["--search.trials=12", RATE],
    "tpe": ["--search.method=tpe", "--search.trials=16", RATE, "--search.model.dropout=uniform(0, 0.5)"],
    "median": ["--search.method=median", "--search.trials=12", "--search.interval=5", RATE],
    "halving": ["--search.method=halving", "--search.trials=27", RATE],
    "hyperband": ["--search.method=hyperband", RATE],
    "forgiving": ["--search.trials=16", "--search.racing=forgiving", RATE],
    "certain": ["--search.method=tpe", "--search.trials=16", "--search.racing=certain", "--search.metric=accuracy", RATE],
    "patience": ["--search.trials=24", "--search.patience=6", RATE],
    "stack": ["--search.trials=14", "--run.engine=torch", "--run.stack=5", RATE, "--search.model.dropout=0, 0.1"],
    "stages of stacks": ["--search.method=halving", "--search.trials=9", "--run.engine=torch", "--run.stack=4", RATE],
}
TABLE = ["--search.method=random", "--search.trials=12", "--search.model.kind=boosted_trees, mlp, linear",
         "--search.model.embedding=none, piecewise", "--search.model.max_depth=integer(2, 5)",
         "--search.model.categories=one_hot, embedding", "--train.patience=4", "--search.ensemble=greedy",
         "--run.refit=true"]
PARTITIONS = ("auto", "block", "cyclic", "self", "guided", "factoring", "weighted_factoring")


def layout():
    """Random arguments that must not change results, and a number of ranks."""
    return [f"--run.lanes={random.randint(1, 2)}", f"--run.partition={random.choice(PARTITIONS)}"], random.randint(1, 4)


def lines():
    return len(journaled("runs/killed")) if os.path.isdir("runs/killed/journal") else 0


def kill_once(args, most):
    """Starts or resumes the run and kills ranks after some more results. Returns False if the job ended first."""
    options, ranks = layout()
    job = Started([SHEAF, "run", *args, *options, "--run.output=runs/killed", "--resume"], ranks=ranks)
    wanted = lines() + random.randint(1, most)
    reached = job.creep_until(lambda: lines() >= wanted)
    if reached:
        processes = job.rank_processes()
        for process in random.choice([processes, random.sample(processes, 1)]):
            os.kill(process, signal.SIGKILL)
        job.go_on()
    job.finish()
    return reached


def write_table():
    """A table with categories and empty cells."""
    with open("table.csv", "w") as file:
        file.write("age,city,kind,size,target\n")
        for _ in range(800):
            age, city, size = random.gauss(40, 10), random.randrange(15), random.random()
            target = age / 10 + city % 3 + size * size
            cells = [f"{age:.2f}" if random.random() > 0.1 else "", f"city {city}", random.choice(["a", "b", ""]),
                     f"{size:.4f}", f"{target:.4f}"]
            file.write(",".join(cells) + "\n")
    checks.check(sheaf("import", "table.csv", "table.h5", "--overwrite").code == 0, "import of the table")


write_table()
for method, options in {**METHODS, "table": TABLE}.items():
    args = ["table.h5" if method == "table" else DIGITS, *COMMON, *options]
    whole = sheaf("run", *args, "--run.output=runs/whole", "--run.lanes=1")
    checks.check(whole.code == 0, f"{method}: a run without kills", whole.stderr)
    reference, known = results("runs/whole"), set(journaled("runs/whole"))
    for number in range(argument("--layouts", 1)):
        more, ranks = layout()
        result = sheaf("run", *args, *more, f"--run.output=runs/{number}", ranks=ranks)
        checks.check(result.code == 0 and results(f"runs/{number}") == reference,
                     f"{method} on {ranks} ranks, {more}: the same results", result.stderr)
    left = argument("--count", 2)
    while left > 0:
        shutil.rmtree("runs/killed", ignore_errors=True)
        while left > 0 and kill_once(args, max(1, len(known) // 8)):
            left -= 1
        more, ranks = layout()
        result = sheaf("run", *args, *more, "--run.output=runs/killed", "--resume", ranks=ranks)
        checks.check(result.code == 0 and results("runs/killed") == reference and set(journaled("runs/killed")) == known,
                     f"{method}: the same results after kills", result.stderr)
    shutil.rmtree("runs")
sys.exit(checks.finish())
