"""Without a launcher the program starts no other process. A rank that loses the other hosts starts a process that kills
the launcher if the launcher does not end in time, and kills no other process. The launchers of this test are copies of
a shell that ignore SIGTERM, the first signal that Open MPI 5 gets; a launcher is recognized by its executable file."""

import os
import shutil
import signal
import subprocess
import sys
import time

from program import DIGITS, HANGS, SHEAF, Checks, Started, children_of, processes, sheaf

RELEASE = os.environ["RELEASE_LAUNCHER"]
BASH = shutil.which("bash")
PATIENCE = 2 + 3  # seconds until connections are closed, and from then until the kill

checks = Checks()
shutil.copy(BASH, "orterun")
with open("mpirun", "w") as file:
    file.write(f"#!{BASH}\n\"$1\"; echo > script; read\n")
os.chmod("mpirun", 0o755)
for marker in ("rank", "wrapper", "script"):
    if os.path.exists(marker):
        os.remove(marker)


def start(*args):
    """Starts a program that ends when its stdin is closed."""
    return subprocess.Popen(args, stdin=subprocess.PIPE, start_new_session=True)


def is_running(name):
    return bool(processes(os.path.basename(name)))


def wait_until(happened):
    end = time.monotonic() + HANGS
    while not happened():
        if time.monotonic() > end:
            raise TimeoutError(f"nothing happened in {HANGS} s")
        time.sleep(0.01)


def wait_until_released(marker):
    """Waits until the rank has ended, which `marker` shows, and the process that it started has ended as well."""
    wait_until(lambda: os.path.exists(marker) and os.path.getsize(marker) > 0 and not is_running(RELEASE))


def ended(process):
    """The exit code of a killed process; None if it still runs."""
    try:
        return process.wait(timeout=10)
    except subprocess.TimeoutExpired:
        return None


# Open MPI 4.1 would start a daemon. Without a daemon, all such programs would share one session directory and remove it
# while others use it.
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
checks.check(happened and started == [], "without a launcher the program starts no other process", str(started))
if "Open MPI v4" in sheaf("info").stdout:  # Open MPI 5 starts no daemon, and names its directory by process
    checks.check(made == [], "without a launcher the program creates no files outside its run", str(made))
checks.check(job.finish().code == 0, "without a launcher the program trains")

# Signals do not shorten the wait before the kill.
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
checks.check(seconds >= PATIENCE, "the launcher is not killed too early", f"after {seconds:.1f} s")

# A wrapper between the launcher and the rank is not killed.
launcher = start("./orterun", "-c", f"trap '' TERM; {BASH} -c '{RELEASE}; echo $$ > wrapper; read'; read")
wait_until_released("wrapper")
checks.check(ended(launcher) == -signal.SIGKILL, "a launcher with a wrapper is killed", str(launcher.poll()))
with open("wrapper") as file:
    wrapper = int(file.read())
checks.check(wrapper in processes(os.path.basename(os.path.realpath(BASH))), "the wrapper keeps running")
launcher.stdin.close()
launcher.wait()

# A script named like a launcher is not a launcher.
script = start("./mpirun", RELEASE)
wait_until_released("script")
checks.check(script.poll() is None, "a script with the name of a launcher keeps running", str(script.poll()))
script.stdin.close()
script.wait()
sys.exit(checks.finish())
