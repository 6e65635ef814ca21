"""sheaf status: runs that are under way, finished, stopped, killed or damaged. It changes nothing and disturbs no job."""

import json
import os
import pwd
import re
import shutil
import signal
import subprocess
import sys
import tempfile

from interrupted import ITERATIONS, streamed_study, study
from program import DIGITS, SHEAF, SOURCE, Checks, Result, Started, journaled, read_csv, sheaf

checks = Checks()
STUDY = [arg for arg in study("native", epochs=600) if not arg.startswith("--ensemble")]
TOTAL = ITERATIONS // 2


def fresh():
    shutil.rmtree("run", ignore_errors=True)


def files_of(directory):
    """The paths in a directory with size and time of change."""
    return {path: (os.stat(path).st_size, os.stat(path).st_mtime_ns) for folder, _, names in os.walk(directory)
            for path in [folder] + [os.path.join(folder, name) for name in names]}


def status(directory="run", **options):
    """The JSON object; {} on an error, which is a failed check."""
    result = sheaf("status", directory, "--output=json", **options)
    checks.check(result.code == 0 and result.stderr == "", f"status of {directory}", f"{result.code}\n{result.stderr}")
    return json.loads(result.stdout) if result.code == 0 else {}


def text(directory="run", **options):
    result = sheaf("status", directory, **options)
    checks.check(result.code == 0, f"status of {directory} as text", f"{result.code}\n{result.stderr}")
    return {line[:12].rstrip(): line[13:] for line in result.stdout.splitlines()}


# What is not a run.
fresh()
os.mkdir("run")
for args in (["run"], ["missing"], [], ["run", "run"], [DIGITS], ["run", "--output=xml"], ["run", "--outpu=json"]):
    result = sheaf("status", *args)
    checks.check(result.code == 2 and len(result.error_lines()) == 1 and result.stdout == "", f"status {args}",
                 f"{result.code}\n{result.stderr}")
checks.check("'run' is not a run directory (it has no study.cfg)" in sheaf("status", "run").stderr, "empty directory")
checks.check(os.listdir("run") == [], "an empty directory stays empty", str(os.listdir("run")))

# A job that is stopped in the middle of its work.
fresh()
job = Started([SHEAF, "run", *STUDY, "--run.output=run"], ranks=2)
job.creep_until(lambda: len(journaled("run")) >= 5)
done, before = len(set(journaled("run"))), files_of("run")
found, lines = status(), text()
checks.check(files_of("run") == before, "the directory of a running job is unchanged")
holder = found["jobs"][0]
checks.check(found["state"] == "running" and len(found["jobs"]) == 1 and holder["host"] == os.uname().nodename and
             holder["process"] in job.rank_processes() and holder["task"] is None, "the running job", str(found))
checks.check(found["iterations"] == {"total": TOTAL, "planned": TOTAL, "finished": done, "diverged": 0, "failed": 0, "pruned": 0, "unfinished": 0, "cut": 0,
                                     "left": TOTAL - done}, "counts of a running job", f"{done}\n{found}")
checks.check(found["iterations_per_second"] > 0 and abs(
    found["seconds_left"] - (TOTAL - done) / found["iterations_per_second"]) < 1e-9 and found["resume"] is None and
    found["attempts"][0]["results"] == done and found["warnings"] == [], "rate and time left", str(found))
checks.check(lines["state"] == f"running on {holder['host']} (process {holder['process']})" and
             lines["progress"].startswith(f"{done}/{TOTAL} iterations ({100 * done / TOTAL:.0f}%), ") and
             lines["progress"].endswith(" left") and "continue" not in lines, "text of a running job", str(lines))
under_mpirun = sheaf("status", "run", ranks=2)
checks.check(under_mpirun.code == 0 and under_mpirun.stdout.count("progress ") == 1, "two ranks print once",
             under_mpirun.stdout)
job.go_on()
ended = job.finish()
checks.check(ended.code == 0, "the job is not disturbed", ended.stderr)

# Finished.
found, lines = status(), text()
with open("run/summary.json") as file:
    summary = json.load(file)
best = {key: value for key, value in summary["best"].items() if key != "models"}
checks.check(found["state"] == "finished" and found["iterations"] == summary["iterations"] | {"left": 0, "planned": TOTAL} and
             found["jobs"] == [] and found["resume"] is None and found["trained_twice"] == 0, "a finished run", str(found))
checks.check(found["best"] == best and found["trials"] == {"total": 8, "complete": 8}, "the best trial is that of the run",
             f"{found['best']}\n{best}")
rows = read_csv("run/results.csv")
lowest = min(rows, key=lambda row: float(row["validation_loss"]))
checks.check(found["best_iteration"] == int(lowest["iteration"]) and
             lines["best value"] == f"validation loss {float(lowest['validation_loss']):.5g} (iteration "
             f"{lowest['iteration']})", "the best iteration", str(lines))
checks.check(lines["state"] == "finished" and lines["best trial"].endswith(", of 8 complete trials"),
             "text of a finished run", str(lines))

# Killed, then a journal line is damaged, then resumed.
fresh()
job = Started([SHEAF, "run", *STUDY, "--run.output=run", "--run.checkpoint_interval=0.2"])
job.creep_until(lambda: len(journaled("run")) >= 4)
os.kill(job.process.pid, signal.SIGKILL)
job.finish()
done = len(set(journaled("run")))
found, lines = status(), text()
checks.check(found["state"] == "stopped" and found["jobs"] == [] and found["iterations"]["left"] == TOTAL - done and
             found["resume"] == "sheaf resume run" == lines["continue"] and lines["state"] == "stopped",
             "a killed run", f"{found}\n{lines}")
with open("run/journal/00001/00000.jsonl", "rb") as file:
    journal = file.read()
with open("run/journal/00001/00000.jsonl", "wb") as file:
    file.write(journal.replace(b'"epochs":600', b'"epochs":601', 1) + b'{"iteration":')
found, lines = status(), text()
checks.check(len(found["warnings"]) == 1 and "is damaged" in lines["warning"] and
             found["iterations"]["finished"] == done - 1, "a damaged line is reported, an incomplete one is not",
             str(found))
resumed = sheaf("resume", "run")
found, lines = status(), text()
checks.check(resumed.code == 0 and found["state"] == "finished" and found["iterations"]["left"] == 0 and
             [attempt["results"] for attempt in found["attempts"]] == [done - 1, TOTAL - done + 1] and
             lines["jobs"] == f"2 ({done - 1} results, {TOTAL - done + 1} results)", "the run was resumed",
             f"{resumed.stderr}\n{found}")

# Another version of the program.
with open("run/study.cfg") as file:
    stored = file.read()
other = re.sub("Written by sheaf [0-9.]+", "Written by sheaf 0.0.1", stored)
with open("run/study.cfg", "w") as file:
    file.write(other)
checks.check(status()["program"] == "0.0.1" and status()["iterations"]["finished"] == TOTAL, "a run of another version")
with open("run/study.cfg", "w") as file:
    file.write(other.replace("[model]", "[model]\nforgotten = 1"))
unknown = sheaf("status", "run")
checks.check(unknown.code == 1 and len(unknown.error_lines()) == 1 and "written by sheaf 0.0.1" in unknown.stderr,
             "an unknown key of another version", unknown.stderr)
with open("run/study.cfg", "w") as file:
    file.write(stored)

# Without write permission, and without permission to read the locks. Root may write everywhere.
with tempfile.TemporaryDirectory(dir="/tmp") as folder:
    program = shutil.copy(SHEAF, folder)
    shutil.copytree("run", os.path.join(folder, "run"))
    os.remove(os.path.join(folder, "run", "results.csv"))
    for path in files_of(folder):
        os.chmod(path, 0o555 if os.path.isdir(path) or path == program else 0o444)
    home = os.path.join(folder, "home")
    os.chmod(folder, 0o755)
    os.mkdir(home, 0o777)
    os.chmod(home, 0o777)
    user = pwd.getpwnam("nobody").pw_uid

    def become_nobody():
        if os.geteuid() == 0:
            os.setgroups([])
            os.setgid(user)
            os.setuid(user)

    def as_nobody():
        ended = subprocess.run([program, "status", "run"], cwd=folder, capture_output=True, text=True,
                               stdin=subprocess.DEVNULL, preexec_fn=become_nobody,
                               env={**os.environ, "HOME": home, "TMPDIR": home})
        return Result(ended.returncode, ended.stdout, ended.stderr, 0)

    result = as_nobody()
    checks.check(result.code == 0 and "stopped before the result files were written" in result.stdout,
                 "a directory without write permission", f"{result.code}\n{result.stdout}\n{result.stderr}")
    os.chmod(os.path.join(folder, "run", "journal", "lock"), 0)
    result = as_nobody()
    checks.check(result.code == 0 and "whether a job is running is unknown" in result.stdout, "a lock that cannot be read",
                 f"{result.code}\n{result.stdout}\n{result.stderr}")

# Tasks of an array.
fresh()
tasks = [Started([SHEAF, "run", *STUDY, "--run.output=run", f"--run.array={task}/3"]) for task in range(2)]
for number, task in enumerate(tasks):
    task.creep_until(lambda: [one for one in journaled("run") if one % 3 == number])
found, lines = status(), text()
checks.check(found["state"] == "running" and
             [(one["task"], one["tasks"], one["process"]) for one in found["jobs"]] ==
             [(number, 3, task.process.pid) for number, task in enumerate(tasks)], "array tasks at work", str(found))
checks.check(lines["state"].startswith("running: 2 of 3 array tasks (task 0 on "), "text of an array", str(lines))
tasks[1].go_on()
checks.check(tasks[1].finish().code == 0, "the first task ends")
checks.check([one["task"] for one in status()["jobs"]] == [0], "one task is at work")
os.kill(tasks[0].process.pid, signal.SIGKILL)
tasks[0].finish()
checks.check(status()["state"] == "stopped", "no task is at work")

# A random search with ranges.
fresh()
job = Started([SHEAF, "run", os.path.join(SOURCE, "jobs", "studies", "digits-random.cfg"), f"--data.file={DIGITS}",
               "--run.device=cpu", "--run.models=none", "--run.output=run", "--run.lanes=1"])
job.creep_until(lambda: len(journaled("run")) >= 7)
found, lines = status(), text()
job.go_on()
checks.check(job.finish().code == 0, "the random search ends")
rows = [row for row in read_csv("run/results.csv") if row["trial"] == str(found["best"]["trial"])]
checks.check(found["trials"]["complete"] >= 2 and found["best"]["keys"] ==
             {key: rows[0][key] for key in found["best"]["keys"]} and len(found["best"]["keys"]) == 4 and
             abs(sum(float(row["validation_loss"]) for row in rows) / len(rows) -
                 found["best"]["mean_validation_loss"]) < 1e-12, "the best trial of a random search", str(found))
checks.check(f"train.learning_rate = {rows[0]['train.learning_rate']}" in lines["best trial"], "its drawn values",
             str(lines))

# Streamed data, stopped: checkpoints wait.
fresh()
job = Started([SHEAF, "run", *streamed_study("native", epochs=200), "--run.output=run",
               "--run.checkpoint_interval=0.05"])


def waiting_iterations():
    """Those with checkpoints, TRIAL-REPEAT-FOLD-MEMBER.STEPS, in a study of 3 folds and 2 members."""
    names = os.listdir("run/checkpoints") if os.path.isdir("run/checkpoints") else []
    found = (re.fullmatch(r"(\d+)-0-(\d+)-(\d+)\.\d+", name) for name in names)
    return {(int(match[1]) * 3 + int(match[2])) * 2 + int(match[3]) for match in found if match}


job.creep_until(waiting_iterations)
waiting = waiting_iterations()
os.kill(job.process.pid, signal.SIGKILL)
job.finish()
found, lines = status(), text()
checks.check(found["checkpoints"] == len(waiting - set(journaled("run"))) > 0 and
             lines["checkpoints"].startswith(f"of {found['checkpoints']} unfinished iteration"), "checkpoints wait",
             f"{waiting}\n{found}")

# Jobs that start while others look are not refused.
for attempt in range(3):
    fresh()
    job = Started([SHEAF, "run", *study("native"), "--run.output=run"])
    looks = 0
    while job.process.poll() is None:
        if os.path.exists("run/study.cfg"):
            looks += sheaf("status", "run").code == 0
    ended = job.finish()
    checks.check(ended.code == 0 and looks > 0, f"a job that is watched from its beginning ({looks} looks)", ended.stderr)
sys.exit(checks.finish())
