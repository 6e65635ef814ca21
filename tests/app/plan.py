"""The lines of `sheaf plan` on a Slurm job: a shell runs the command with a study and keys that need quotes, and it is the
same on any number of ranks."""

import os
import re
import shutil
import sys

from program import DIGITS, MPIEXEC, SHEAF, SOURCE, Checks, launch, sheaf

checks = Checks()
shutil.rmtree("plan", ignore_errors=True)
os.makedirs("plan/bin")
os.chdir("plan")
with open("my study.cfg", "w") as file:
    file.write(f"[data]\nfile = {DIGITS}\n[search]\nmethod = grid\nmodel.hidden = 8, 16\nfolds = 4\n[run]\noutput = out dir\n")
with open("bin/sbatch", "w") as file:
    file.write('#!/bin/sh\nfor word in "$STUDY" "$OUTPUT" "$@"; do echo "$word"; done\n')
os.chmod("bin/sbatch", 0o755)
KEYS = ["--search.model.hidden=8, 16 8", "--study.name=it's", "--run.output=other dir", "--run.device=cpu"]


def lines(done, begin):
    return [line[13:] for line in done.stdout.splitlines() if line.startswith(begin + " ")]


def plan(*args, **options):
    done = sheaf("plan", *args, **options)
    job, submit = lines(done, "job"), lines(done, "submit")
    checks.check(done.code == 0 and len(job) == len(submit) == 1, f"{args} {options}", done.stdout + done.stderr)
    return job[0], submit[0]


job, submit = plan("my study.cfg", *KEYS)
words = launch(["bash", "-c", submit], environment={"PATH": f"{os.path.abspath('bin')}:{os.environ['PATH']}"}).stdout.splitlines()
sizes = {word.split("=")[0]: word.split("=")[1] for word in words if re.match(r"--(nodes|ntasks|cpus|time)", word)}
script = os.path.join(os.path.realpath(SOURCE), "jobs/cpu.sbatch")
checks.check(words[:2] == ["my study.cfg", "other dir"] and script in words and
             words[words.index(script) + 1:] == [KEYS[0], KEYS[1], KEYS[3]], "a shell passes every word", f"{submit}\n{words}")
cores = int(sizes["--ntasks-per-node"]) * int(sizes["--cpus-per-task"])
checks.check(sizes["--nodes"] == "1" and 1 <= cores <= min(8, len(os.sched_getaffinity(0))) and sizes["--time"] == "00:10:00",
             "the size is that of this machine, for 8 iterations", sizes)
checks.check(re.fullmatch(rf"1 node with {cores} lanes?: less than 1 s of training", job), "the job", job)
checks.check(plan("my study.cfg")[1].startswith("STUDY='my study.cfg' OUTPUT='out dir' sbatch "), "run.output of the study")
for ranks in (1, 3):
    checks.check(plan("my study.cfg", *KEYS, ranks=ranks) == (job, submit), f"the same on {ranks} ranks")

job, submit = plan("my study.cfg", "--train.epochs=200000", "--train.patience=20")
checks.check(re.search(r": at most roughly .* of training \(train.patience may end it early\)$", job) and
             "--time=00:10:00" not in submit, "a long training that may end early", f"{job}\n{submit}")
job, submit = plan("my study.cfg", "--search.method=random", "--search.patience=3", "--train.patience=none")
checks.check(job.endswith(" for an unknown time") and "--time" not in submit, "a search of unknown length", f"{job}\n{submit}")
job, submit = plan("my study.cfg", "--search.method=random", "--search.time=26h", "--train.patience=none")
checks.check(job.endswith("at most roughly 26 h 0 min of training (search.time may end it early)") and
             "--time=1-03:00:00" in submit, "a search with a time limit", f"{job}\n{submit}")

if len(os.sched_getaffinity(0)) > 1:
    done = launch([MPIEXEC, "-n", "1", "--bind-to", "core", SHEAF, "plan", "my study.cfg"])
    checks.check(re.search(r"^rank 0: .* 1 core bound \(\d+ cores? (is|are) unused; with mpirun, pass --bind-to none\)$",
                           done.stdout, re.MULTILINE), "a rank that mpirun binds to one core", done.stdout)
sys.exit(checks.finish())
