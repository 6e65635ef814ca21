"""Without a launcher the program starts no other process. The process that a cut-off rank leaves behind kills a launcher
that does not end, after a while, and nothing else. The launchers are copies of a shell here that ignore SIGTERM, which
Open MPI 5 gets first: what counts is the program that runs."""

import os
import shutil
import signal
import subprocess
import sys
import time

from program import DIGITS, HANGS, SHEAF, Checks, Started, children_of, processes, sheaf

RELEASE = os.environ["RELEASE_LAUNCHER"]
BASH = shutil.which("bash")
PATIENCE = 2 + 3  # seconds until connections are closed, and from then on

checks = Checks()
shutil.copy(BASH, "orterun")
with open("mpirun", "w") as file:
    file.write(f"#!{BASH}\n\"$1\"; echo > script; read\n")
os.chmod("mpirun", 0o755)
for marker in ("rank", "wrapper", "script"):
    if os.path.exists(marker):
        os.remove(marker)


def start(*words):
    """A program that ends when its input does."""
    return subprocess.Popen(words, stdin=subprocess.PIPE, start_new_session=True)


def is_there(name):
    return bool(processes(os.path.basename(name)))


def wait_until(happened):
    end = time.monotonic() + HANGS
    while not happened():
        if time.monotonic() > end:
            raise TimeoutError(f"nothing happened in {HANGS} s")
        time.sleep(0.01)


def wait_until_released(marker):
    """The rank has ended, which `marker` shows, and what it has left behind has."""
    wait_until(lambda: os.path.exists(marker) and os.path.getsize(marker) > 0 and not is_there(RELEASE))


def ended(process):
    """The exit code of what has been killed; None when it runs on."""
    try:
        return process.wait(timeout=10)
    except subprocess.TimeoutExpired:
        return None


# Open MPI 4.1 would start a daemon. Without one, its directory for the job would be the same for all such programs, which
# would remove it under each other.
for directory in ("alone", "temporary"):
    shutil.rmtree(directory, ignore_errors=True)
os.makedirs("temporary")
os.environ["TMPDIR"] = os.path.abspath("temporary")
with open("alone.cfg", "w") as file:
    file.write("[run]\nprogress = none\n")
job = Started([SHEAF, "run", "alone.cfg", f"--data.file={DIGITS}", "--data.task=classification", "--data.classes=10",
               "--train.loss=cross_entropy", "--run.output=alone"])
happened = job.creep_until(lambda: os.path.exists("alone/study.cfg"))
started = children_of(job.process.pid)
made = os.listdir("temporary")
job.go_on()
checks.check(happened and started == [], "a program without a launcher starts no other", str(started))
if "Open MPI v4" in sheaf("info").stdout:  # Open MPI 5 needs none, and its directory has a name of its own
    checks.check(made == [], "it makes no files outside its run", str(made))
checks.check(job.finish().code == 0, "it trains")

# Signals do not shorten its patience.
begun = time.monotonic()
launcher = start("./orterun", "-c", f"trap '' TERM; {RELEASE}; echo > rank; read")
wait_until(lambda: os.path.exists("rank"))
while launcher.poll() is None and time.monotonic() < begun + HANGS:
    for process in processes(os.path.basename(RELEASE)):
        try:
            os.kill(process, signal.SIGUSR1)
        except ProcessLookupError:
            pass
    time.sleep(0.05)
seconds = time.monotonic() - begun
checks.check(launcher.poll() == -signal.SIGKILL, "a launcher that does not end is killed", str(launcher.poll()))
checks.check(seconds >= PATIENCE, f"after {seconds:.1f} s")

# A wrapper between the launcher and the rank stays as it is.
launcher = start("./orterun", "-c", f"trap '' TERM; {BASH} -c '{RELEASE}; echo $$ > wrapper; read'; read")
wait_until_released("wrapper")
checks.check(ended(launcher) == -signal.SIGKILL, "a launcher is found behind a wrapper", str(launcher.poll()))
with open("wrapper") as file:
    wrapper = int(file.read())
checks.check(wrapper in processes(os.path.basename(os.path.realpath(BASH))), "the wrapper is left alone")
launcher.stdin.close()
launcher.wait()

# A script that has the name of a launcher is none.
script = start("./mpirun", RELEASE)
wait_until_released("script")
checks.check(script.poll() is None, "a script with a launcher's name is left alone", str(script.poll()))
script.stdin.close()
script.wait()
sys.exit(checks.finish())
