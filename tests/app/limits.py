"""The program on a system that refuses threads or memory. It exits with 0, 1, 2 or 75 and an error line; it never
crashes, calls std::terminate or hangs; and its run can be resumed.

A preloaded library (refusing_system.cpp) refuses the start of MPI, the K-th thread or the K-th allocation, on all ranks
or on one of two. The kernel limits processes (RLIMIT_NPROC) and address space (RLIMIT_AS).

--fine: tests in small steps and all kinds of runs, which takes an hour."""

import os
import resource
import shutil
import subprocess
import sys
import tempfile

from program import DIGITS, HANGS, MPIEXEC, SHEAF, Checks, Result, launch, one_rank_each

checks = Checks()
fine = "--fine" in sys.argv
REFUSING = os.environ["REFUSING_SYSTEM"]
STUDY = """
[data]
task = classification
classes = 10
[model]
kind = mlp
hidden = 8
[train]
epochs = 1
loss = cross_entropy
[search]
method = grid
folds = 4
[run]
device = cpu
progress = none
output = out
lanes = 3
"""
KINDS = {
    "memory": ["--data.mode=memory"],
    "streamed": ["--data.mode=streamed"],
    "torch": ["--data.mode=memory", "--run.engine=torch"],
    "torch, two threads": ["--data.mode=memory", "--run.engine=torch", "--run.lanes=1", "--run.threads=2"],
}


def args(kind):
    return [SHEAF, "run", "study.cfg", f"--data.file={DIGITS}", *KINDS[kind]]


def refusing(**case):
    """Environment variables for refusing_system.cpp."""
    return [f"LD_PRELOAD={REFUSING}"] + [f"SHEAF_{name.upper()}={value}" for name, value in case.items()]


def run(command, ranks=None, one_of_two=False, **case):
    shutil.rmtree("out", ignore_errors=True)
    limited = ["env", *refusing(**case), *command]
    if one_of_two:
        return launch(one_rank_each(command, limited))
    return launch(limited, ranks=ranks)


def check_end(case, result):
    """Checks the exit code and, if the program failed, for an error message."""
    text = result.stdout + result.stderr
    crashed = [word for word in ("terminate called", "bad_alloc", "Signal:", "Assertion") if word in text]
    explained = result.code == 0 or "error" in text or "failed" in text.lower()
    by_open_mpi = result.code > 0 and "error occurred in MPI_Init_thread" in text  # 14 if Open MPI 5 gets no thread
    return checks.check((result.code in (0, 1, 2, 75) or by_open_mpi) and not crashed and explained, case,
                        f"exit {result.code}\n{text[-3000:]}")


def steps(first, last, coarse_count, fine_count):
    count = fine_count if fine else coarse_count
    return sorted({round(first + (last - first) * number / (count - 1)) for number in range(count)})


def measure(kind):
    """Runs without limits; returns the number of threads and allocations, and the peak address space in kB at the start
    of MPI and at the end."""
    result = run(args(kind), report="report")
    checks.check(result.code == 0, f"{kind}: the run succeeds without limits", result.stderr)
    with open("report") as file:
        return [int(number) for number in file.read().split()]


def refuse_mpi():
    for case, message in (("start", "MPI cannot be started"), ("threads", "does not support threads")):
        for ranks in (None, 2):
            result = run([SHEAF, "info"], ranks=ranks, refuse_mpi=case)
            most = 1 if case == "threads" else ranks or 1  # without MPI each rank prints the error
            checks.check(result.code == 1 and 1 <= len(result.error_lines()) <= most and
                         all(message in line for line in result.error_lines()),
                         f"MPI refuses {case}, {ranks} ranks: error lines",
                         f"exit {result.code}\n{result.stderr}")


def refuse_threads(kind, count):
    """Refuses threads of the `count` of a run (the long tests: each of them), and one more."""
    ways = ({}, {"ranks": 2}, {"one_of_two": True})
    for number in range(1, count + 2, 1 if fine else 2):
        for way in ways if fine else [ways[number % len(ways)]]:
            case = f"{kind}: thread {number} of {count} is refused, {way or 'alone'}"
            result = run(args(kind), refuse_thread=number, **way)
            check_end(case, result)
            lines = result.error_lines()
            checks.check(result.code == 0 and number > 1 or len(lines) == 1 and "Cannot start thread" in lines[0] and
                         "ulimit -u" in lines[0], f"{case}: one error line", f"exit {result.code}\n{result.stderr}")
    # The run succeeds without the last threads, which read and write files at the end.
    result = next(result for result in (run(args(kind), refuse_thread=number) for number in range(count, 0, -1))
                  if result.code != 0)
    again = launch([SHEAF, "resume", "out"] if os.path.exists("out/study.cfg") else args(kind))
    checks.check(result.code == 1 and again.code == 0 and os.path.exists("out/results.csv"),
                 f"{kind}: a later job completes the run",
                 again.stderr)


def refuse_allocations(kind, count):
    """Refuses some of the `count` allocations of a run, and all from some on."""
    for burst in (1, 10**9):
        for number in steps(1, count, 4, 200):
            for way in ({}, {"one_of_two": True}) if fine else [{"one_of_two": True} if burst == 1 else {}]:
                result = run(args(kind), refuse_memory=f"{number},{burst}", **way)
                check_end(f"{kind}: {burst} allocations from {number} are refused, {way or 'alone'}", result)


def limit_address_space(kind, started_kb, max_kb):
    """Limits address space, from the size at the start of MPI upwards. Smaller limits fail outside the program: the
    loader cannot map libraries, OpenBLAS retries the allocation of a buffer for ever, Open MPI ends the process."""
    blas_kb = 5 * 135000 if "torch" in kind else 0  # buffers that OpenBLAS allocates only if address space is limited
    for kb in steps(started_kb + 1024, max_kb + blas_kb + 65536, 5, 100):
        limit = ["prlimit", f"--as={kb * 1024}"]
        check_end(f"{kind}: {kb} kB of address space", run([*limit, *args(kind)]))
        if fine:
            check_end(f"{kind}: {kb} kB of address space, 2 ranks", run([*limit, *args(kind)], ranks=2))


def unused_user():
    used = {os.stat(f"/proc/{entry}").st_uid for entry in os.listdir("/proc") if entry.isdigit()}
    return next(user for user in range(61000, 62000) if user not in used)


def limit_processes():
    """Limits processes, as a user with no other process: the kernel counts the threads of a user, and root has no
    limit. The program and its files are copied to a folder of that user."""
    if os.getuid() != 0:
        print("limits of processes: skipped (needs root to become a user without processes)")
        return
    user = unused_user()
    with tempfile.TemporaryDirectory(dir="/tmp") as folder:
        for path in (SHEAF, os.path.join(os.path.dirname(SHEAF), "libsheaf_libtorch.so"), DIGITS, "study.cfg"):
            shutil.copy(path, folder)
        for path in [folder] + [os.path.join(folder, name) for name in os.listdir(folder)]:
            os.chown(path, user, user)
        program = [os.path.join(folder, "sheaf"), "run", "study.cfg", "--data.file=digits.h5"]

        def start(args, processes=None):
            shutil.rmtree(os.path.join(folder, "out"), ignore_errors=True)

            def become_user():
                if processes is not None:
                    resource.setrlimit(resource.RLIMIT_NPROC, (processes, processes))
                os.setgroups([])
                os.setgid(user)
                os.setuid(user)

            done = subprocess.run(args, cwd=folder, capture_output=True, text=True, timeout=HANGS,
                                  stdin=subprocess.DEVNULL, preexec_fn=become_user,
                                  env={**os.environ, "HOME": folder, "TMPDIR": folder})
            return Result(done.returncode, done.stdout, done.stderr, 0)

        if start([program[0], "--help"]).code != 0:
            print("limits of processes: skipped (another user cannot run the program)")
            return
        for kind, options in KINDS.items():
            # A process starts with one thread; Open MPI has up to a dozen more in the process and in its daemon.
            for processes in range(1, 33) if fine else (range(1, 28, 13) if kind == "memory" else (18, 24)):
                check_end(f"{kind}: {processes} processes", start([*program, *options], processes))
            if fine:
                for processes in range(1, 48):
                    check_end(f"{kind}: {processes} processes, 2 ranks",
                              start([MPIEXEC, "-n", "2", *program, *options], processes))


with open("study.cfg", "w") as file:
    file.write(STUDY)
refuse_mpi()
for kind in KINDS if fine else ("memory", "streamed", "torch, two threads"):
    threads, allocations, started_kb, max_kb = measure(kind)
    if kind in ("memory", "streamed"):
        refuse_threads(kind, threads)
    if kind == "memory" or (fine and kind == "streamed"):
        refuse_allocations(kind, allocations)
    if kind != "streamed" or fine:
        limit_address_space(kind, started_kb, max_kb)
limit_processes()
sys.exit(checks.finish())
