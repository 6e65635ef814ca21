"""`sheaf info` checks the machine: on this one, and with faults, each of which gives its advice and the exit code 0."""

import errno
import os
import re
import shutil
import sys

from program import MPIEXEC, SHEAF, Checks, launch, sheaf

checks = Checks()
shutil.rmtree("info", ignore_errors=True)
os.makedirs("info")
os.chdir("info")
NAMES = ["binding", "threads", "GPU", "LibTorch", "XGBoost", "BLAS", "MPI", "signals", "locks", "disk", "memory", "shared memory",
         "open files"]
CORES = len(os.sched_getaffinity(0))


def findings(done):
    """The lines of the checks: triples of name, ranks (or "") and whether it is fine, and the text of each."""
    matches = re.findall(r"^(fine|ADVICE) +([A-Za-z ]+?)(?: \((ranks? [^)]*)\))?: (.*)$", done.stdout, re.MULTILINE)
    return {(name, ranks, verdict == "fine"): text for verdict, name, ranks, text in matches}


def expect_advice(case, done, name, text, ranks=""):
    found = findings(done).get((name, ranks, False), "")
    checks.check(done.code == 0 and text in found and found.endswith("."), case,
                 f"exit {done.code}\n{done.stdout}{done.stderr}")


# ---- This machine

# mpirun loads an OpenCL runtime if there is one, for example that of the tests of kernels.
for ranks in (None, 2):
    done = sheaf("info", ranks=ranks, environment={"HWLOC_COMPONENTS": "-opencl"})
    found = findings(done)
    checks.check(done.code == 0 and list(dict.fromkeys(name for name, *_ in found)) == NAMES,
                 f"every check has a line (ranks: {ranks})", done.stdout + done.stderr)
    for name in ("MPI", "signals", "locks", "LibTorch", "shared memory", "open files"):
        checks.check((name, "", True) in found, f"{name} is fine (ranks: {ranks})", done.stdout)
    checks.check(found.get(("MPI", "", True), "").startswith(f"{ranks} ranks on 1 host" if ranks else "1 rank on 1 host"),
                 f"the ranks of MPI (ranks: {ranks})", done.stdout)
checks.check(not os.listdir(), "no file is left in the directory", os.listdir())

# ---- Faults

for error in (errno.ENOLCK, errno.ENOSYS):
    reason = os.strerror(error)
    for ranks in (None, 2):
        done = sheaf("info", ranks=ranks,
                     environment={"LD_PRELOAD": os.environ["NO_LOCKS_LIBRARY"], "NO_LOCKS": str(error)})
        expect_advice(f"no locks: {reason} (ranks: {ranks})", done, "locks", f"cannot be locked ({reason}), so two jobs")
expect_advice("a directory without write permission", sheaf("info", cwd="/proc"), "locks", "'/proc' (proc) cannot be written")
expect_advice("a launcher of another MPI", sheaf("info", environment={"PMI_RANK": "0", "PMI_SIZE": "4"}), "MPI",
              "the launcher started 4 processes, but MPI connects only 1")
limited = ["sh", "-c", f"test -z $OMPI_COMM_WORLD_RANK || test $OMPI_COMM_WORLD_RANK = 1 && ulimit -n 100; exec {SHEAF} info"]
expect_advice("few open files", launch(limited), "open files", "a process may open 100 files (ulimit -n)")
done = launch(limited, ranks=3)
expect_advice("few open files on one of three ranks", done, "open files", "(ulimit -n)", "rank 1")
checks.check(("open files", "ranks 0 and 2", True) in findings(done), "the other two ranks share a line", done.stdout)
done = sheaf("info", environment={"OMP_NUM_THREADS": "7", "MKL_NUM_THREADS": "7"})
checks.check("MKL_NUM_THREADS and OMP_NUM_THREADS have no effect" in findings(done).get(("threads", "", True), ""),
             "variables without effect are named", done.stdout)
if CORES > 1:
    expect_advice("a limit on threads", sheaf("info", environment={"OMP_THREAD_LIMIT": "1"}), "threads",
                  "OMP_THREAD_LIMIT = 1")
    core = str(min(os.sched_getaffinity(0)))
    expect_advice("a shell that is bound to a core", launch(["taskset", "-c", core, SHEAF, "info"]), "binding", "1 rank has 1 of ")
    expect_advice("mpirun that binds a rank to a core",
                  launch([MPIEXEC, "-n", "1", "--bind-to", "core", SHEAF, "info"]), "binding", "--bind-to none")
    expect_advice("more ranks than cores",
                  launch([MPIEXEC, "-n", str(CORES + 1), "--bind-to", "none", SHEAF, "info"]), "binding",
                  f"{CORES + 1} ranks share {CORES} cores")
sys.exit(checks.finish())
