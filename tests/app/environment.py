"""Environments that other programs need: variables for OpenMP, MKL and OpenBLAS, and OpenCL runtimes. Runs, evaluate and
predict end as without the variables, with the same results and numbers of threads. With --every: all values."""

import os
import shutil
import subprocess
import sys
import time

from interrupted import results, study
from program import DIGITS, HANGS, SHEAF, Checks, sheaf

EVERY = "--every" in sys.argv
checks = Checks()
shutil.rmtree("environment", ignore_errors=True)
os.makedirs("environment")
os.chdir("environment")
for name in ("OMP_NUM_THREADS", "HWLOC_COMPONENTS"):
    os.environ.pop(name, None)

STUDY = study("torch", epochs=1, hidden="16", models="best")
MOST_THREADS = 60
COUNTS = ["300", "2000", "1000000", "4,2", "abc", "0"]
OTHERS = {"GOMP_CPU_AFFINITY": "0", "OMP_THREAD_LIMIT": "3000000000", "OMP_PLACES": "cores(1)", "OMP_PROC_BIND": "true",
          "KMP_AFFINITY": "compact", "KMP_ALL_THREADS": "5000", "KMP_STACKSIZE": "1T", "MKL_NUM_THREADS": "2000",
          "MKL_DYNAMIC": "FALSE", "MKL_DOMAIN_NUM_THREADS": "MKL_DOMAIN_ALL=2000", "OPENBLAS_NUM_THREADS": "2000",
          "GOTO_NUM_THREADS": "2000", "OMP_DYNAMIC": "true", "OMP_NESTED": "true", "OMP_STACKSIZE": "1T",
          "GOMP_STACKSIZE": "1000000000", "OMP_MAX_ACTIVE_LEVELS": "100", "OMP_SCHEDULE": "static,0"}


def threads_of(process):
    try:
        return len(os.listdir(f"/proc/{process}/task"))
    except FileNotFoundError:
        return 0


def run(args, variables):
    """Runs the program. Returns its exit code, its output and the largest number of its threads."""
    with open("log", "w+") as log:
        process = subprocess.Popen([SHEAF, *args], env={**os.environ, **variables}, stdin=subprocess.DEVNULL,
                                   stdout=log, stderr=subprocess.STDOUT)
        most, end = 0, time.monotonic() + HANGS
        while process.poll() is None and most <= MOST_THREADS and time.monotonic() < end:
            most = max(most, threads_of(process.pid))
            time.sleep(0.005)
        if process.poll() is None:
            process.kill()
        code = process.wait()
        log.seek(0)
        return code, log.read(), most


def check_same(variables):
    shutil.rmtree("run", ignore_errors=True)
    code, output, most = run(["run", *STUDY, "--run.output=run"], variables)
    same = code == 0 and results("run") == reference
    checks.check(same and most <= MOST_THREADS and "Invalid value" not in output, f"{variables}: run",
                 f"exit {code}, {most} threads\n{output}")


checks.check(sheaf("run", *STUDY, "--run.output=whole").code == 0, "the reference run succeeds")
reference = results("whole")
values = [{"OMP_NUM_THREADS": count} for count in (COUNTS if EVERY else ["300", "1000000"])]
values += [{name: value} for name, value in OTHERS.items()] if EVERY else [{**OTHERS, "OMP_NUM_THREADS": "4,2"}]
for variables in values:
    check_same(variables)

worst = {**OTHERS, "OMP_NUM_THREADS": "2000"}
for args in (["evaluate", "whole", f"--data.file={DIGITS}", "--run.engine=torch", "--predictions=predicted.csv"],
             ["predict", "whole", DIGITS, "predicted.h5", "--run.engine=torch"], ["info"], ["plan", *STUDY]):
    code, output, most = run(args, worst)
    checks.check(code == 0 and most <= MOST_THREADS and "Invalid value" not in output, f"{args[0]} with {worst}",
                 f"exit {code}, {most} threads\n{output}")

# Threads without work sleep, unless the user has chosen something else. OMP_DISPLAY_ENV prints the settings of libgomp.
for variables, policy in (({}, "PASSIVE"), ({"OMP_WAIT_POLICY": "active"}, "ACTIVE")):
    code, output, _ = run(["info"], {"OMP_DISPLAY_ENV": "verbose", "OMP_NUM_THREADS": "300", **variables})
    if "OPENMP DISPLAY ENVIRONMENT" in output:
        checks.check(f"OMP_WAIT_POLICY = '{policy}'" in output and "OMP_NUM_THREADS = '1'" in output,
                     f"wait policy with {variables}", output)

# An OpenCL runtime on the machine is not loaded by Open MPI and hwloc: it may replace the handlers of signals.
os.makedirs("vendors")
with open("vendors/test.icd", "w") as file:
    file.write(os.environ["OPENCL_RUNTIME"] + "\n")
opencl = {"OCL_ICD_VENDORS": os.path.abspath("vendors"), "OPENCL_WAS_LOADED": os.path.abspath("opencl")}
code, output, _ = run(["plan", *study("native")], opencl)
checks.check(code == 0 and not os.path.exists("opencl"), "no OpenCL runtime is loaded", f"exit {code}\n{output}")
sys.exit(checks.finish())
