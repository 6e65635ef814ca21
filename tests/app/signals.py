"""Signals at random moments of every command, on a machine with an OpenCL runtime: the documented exit code, and no
unfinished file. --count N signals per command; --seed S."""

import glob
import os
import random
import shutil
import signal
import subprocess
import sys
import time

import h5py
import numpy

from interrupted import results, study
from program import DIGITS, HANGS, SHEAF, Checks, Started, argument, journaled, sheaf

SIGNALS = [signal.SIGINT, signal.SIGTERM, signal.SIGHUP, signal.SIGUSR1, signal.SIGUSR2, signal.SIGXCPU]
STARTING = 0.15  # seconds of the program's start, in which a signal has its default action, on a busy machine

checks = Checks()
random.seed(argument("--seed", 1))
shutil.rmtree("signals", ignore_errors=True)
os.makedirs("signals/vendors")
os.chdir("signals")
with open("vendors/test.icd", "w") as file:
    file.write(os.environ["OPENCL_RUNTIME"] + "\n")
os.environ["OCL_ICD_VENDORS"] = os.path.abspath("vendors")

STUDY = study("native", epochs=4, models="best")
numbers = numpy.random.default_rng(1).random((4000, 64))
numpy.savetxt("many.csv", numpy.column_stack([numbers, numpy.arange(4000) % 10]), fmt="%.6g", delimiter=",")
with h5py.File("images.h5", "w") as file:
    file.create_dataset("features", data=(numbers[:2000] * 255).astype("u1").reshape(-1, 8, 8, 1), chunks=(50, 8, 8, 1))
checks.check(sheaf("run", *STUDY, "--run.output=whole").code == 0, "the reference run succeeds")
reference = results("whole")
os.makedirs("out")

COMMANDS = {
    "import": ["import", "many.csv", "out/imported.h5", "--header=false"],
    "preprocess": ["preprocess", "images.h5", "out/made.h5", "--resize=64x64"],
    "predict to CSV": ["predict", "whole", DIGITS, "out/predicted.csv"],
    "predict to HDF5": ["predict", "whole", DIGITS, "out/predicted.h5"],
    "evaluate": ["evaluate", "whole", f"--data.file={DIGITS}", "--predictions=out/evaluated.csv"],
    "plan": ["plan", *STUDY],
    "info": ["info"],
    "run": ["run", *STUDY, "--run.output=out/run"],
    "resume": ["resume", "out/run"],
}


def unfinished():
    return glob.glob("out/**/*.partial", recursive=True)


def duration(args):
    start = time.monotonic()
    result = sheaf(*args)
    checks.check(result.code == 0, f"{args[0]} without signals", result.stderr)
    return time.monotonic() - start


def prepare(name):
    """Before each start: no output, or the beginning of a run for resume."""
    shutil.rmtree("out")
    os.makedirs("out")
    if name == "resume":
        shutil.copytree("begun", "out/run")


def end_by(number, args, moment):
    process = subprocess.Popen([SHEAF, *args], stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                               stderr=subprocess.STDOUT, text=True)
    time.sleep(moment)
    process.send_signal(number)
    output, _ = process.communicate(timeout=HANGS)
    return process.returncode, output


# The beginning of a run.
job = Started([SHEAF, "run", *STUDY, "--run.output=begun"])
job.creep_until(lambda: os.path.exists("begun/journal"))
job.process.terminate()
job.go_on()
checks.check(job.finish().code in (0, 75) and os.path.exists("begun/study.cfg"), "a run begins and stops")

counts = {}
for name, args in COMMANDS.items():
    prepare(name)
    seconds = duration(args)
    for number in range(argument("--count", 3)):
        sent = SIGNALS[(number + len(counts)) % len(SIGNALS)]
        prepare(name)
        moment = random.uniform(0, 1.1 * seconds)
        code, output = end_by(sent, args, moment)
        case = f"{name}: {sent.name} after {moment:.3f} of {seconds:.3f} s"
        stops = name in ("run", "resume")
        allowed = [0, 75] + ([-sent] if moment < STARTING else []) if stops else [0, -sent]
        checks.check(code in allowed and not unfinished(), case, f"exit {code}, {unfinished()}\n{output}")
        counts[code] = counts.get(code, 0) + 1
        if stops and os.path.exists("out/run/study.cfg"):
            result = sheaf("resume", "out/run")
            checks.check(result.code == 0 and results("out/run") == reference, f"{case}: resumed", result.stderr)
        if not stops and code == 0:
            checks.check(name in ("plan", "info") or os.listdir("out"), f"{case}: the output is complete", output)

# While an output is written.
for position, name in enumerate(["import", "preprocess", "predict to CSV", "predict to HDF5", "evaluate"]):
    sent = SIGNALS[position]
    for _ in range(20):  # a command may write its whole output between two looks
        prepare(name)
        job = Started([SHEAF, *COMMANDS[name]])
        if job.creep_until(unfinished):
            break
    else:
        checks.check(False, f"{name}: an unfinished file appears")
        continue
    os.kill(job.process.pid, sent)
    job.go_on()
    result = job.finish()
    checks.check(result.code == -sent and not os.listdir("out"), f"{name}: {sent.name} while the output is written",
                 f"exit {result.code}, {os.listdir('out')}\n{result.stdout}")
print("exit codes:", {str(code): count for code, count in sorted(counts.items())})

# The limit on the size of files is an error, not the end by a signal.
prepare("import")
limited = subprocess.run(["bash", "-c", 'ulimit -f 1; exec "$0" "$@"', SHEAF, *COMMANDS["import"]], capture_output=True,
                         text=True)
checks.check(limited.returncode == 1 and "File too large" in limited.stderr and not os.listdir("out"),
             "ulimit -f", f"exit {limited.returncode}, {os.listdir('out')}\n{limited.stderr}")

# After the last line of the log, the exit code is that of the complete run.
prepare("run")
process = subprocess.Popen([SHEAF, *COMMANDS["run"]], stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL,
                           stderr=subprocess.PIPE, text=True)
for line in process.stderr:
    if "results in" in line:
        break
while process.poll() is None:
    process.send_signal(signal.SIGTERM)
    time.sleep(0.005)
checks.check(process.returncode == 0, "signals after the results", f"exit {process.returncode}")

# Under nohup SIGHUP is ignored, and the terminal may close.
prepare("run")
process = subprocess.Popen([SHEAF, *COMMANDS["run"]], stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL,
                           stderr=subprocess.DEVNULL, preexec_fn=lambda: signal.signal(signal.SIGHUP, signal.SIG_IGN))
while process.poll() is None:
    process.send_signal(signal.SIGHUP)
    time.sleep(0.02)
checks.check(process.returncode == 0 and results("out/run") == reference, "a run ignores SIGHUP under nohup")

# A signal to one rank.
for sent in (signal.SIGHUP, signal.SIGUSR2):
    prepare("run")
    job = Started([SHEAF, "run", *study("native"), "--run.output=out/run"], ranks=2)
    job.creep_until(lambda: journaled("out/run"))
    os.kill(job.rank_processes()[-1], sent)
    job.go_on()
    result = job.finish()
    checks.check(result.code == 75 and f"({sent.name}). Continue with" in result.stderr, f"{sent.name} to a rank",
                 f"{result.code}\n{result.stderr}")
    checks.check(not unfinished(), f"{sent.name} to a rank leaves no unfinished file", unfinished())
sys.exit(checks.finish())
