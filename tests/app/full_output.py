"""Every command with a full or closed stdout: exit code 1 and one error line, or a warning if the results are already
in a run directory. Runs on a terminal under mpiexec (--count times): the log does not appear inside the leaderboard."""

import os
import pty
import re
import shutil
import subprocess
import sys

import h5py

from interrupted import results, study
from program import DIGITS, HANGS, MPIEXEC, SHEAF, Checks, Result, argument, sheaf

checks = Checks()
shutil.rmtree("full_output", ignore_errors=True)
os.makedirs("full_output")
os.chdir("full_output")
STUDY = study("native", epochs=2, models="best")


def run(args, stdout):
    """Runs the program. `stdout` is "full" or "closed"."""
    if stdout == "full":
        with open("/dev/full", "w") as full:
            done = subprocess.run([SHEAF, *args], stdin=subprocess.DEVNULL, stdout=full, stderr=subprocess.PIPE,
                                  text=True, timeout=HANGS)
    else:
        done = subprocess.run(["sh", "-c", 'exec "$0" "$@" >&-', SHEAF, *args], stdin=subprocess.DEVNULL,
                              stderr=subprocess.PIPE, text=True, timeout=HANGS)
    return Result(done.returncode, "", done.stderr, 0)


with open("data.csv", "w") as file:
    file.write("1,2,a\n3,4,b\n" * 10)
checks.check(sheaf("import", "data.csv", "data.h5").code == 0, "import of the data succeeds")
result = sheaf("run", *STUDY, "--run.output=whole")
checks.check(result.code == 0, "the reference run succeeds", result.stderr)
reference = results("whole")

for stdout, reason in (("full", "No space left on device"), ("closed", "Bad file descriptor")):
    COMMANDS = [["--help"], ["help"], ["--version"],
                *([command, "--help"] for command in ("run", "resume", "plan", "evaluate", "import", "preprocess",
                                                      "info")),
                ["info"], ["plan", *STUDY], ["evaluate", "whole", f"--data.file={DIGITS}"],
                ["evaluate", "whole", f"--data.file={DIGITS}", "--output=json"],
                ["import", "data.csv", f"{stdout}-imported.h5"], ["preprocess", "data.h5", f"{stdout}-made.h5"]]
    for args in COMMANDS:
        result = run(args, stdout)
        errors = result.error_lines()
        checks.check(result.code == 1 and len(errors) == 1 and f"Cannot print the result ({reason})" in errors[0],
                     f"{args} with stdout {stdout}", f"exit {result.code}\n{result.stderr}")
    result = run(["predict", "whole", DIGITS, f"{stdout}-predicted.h5"], stdout)
    checks.check(result.code == 1 and f"'{stdout}-predicted.h5' is complete." in result.stderr,
                 f"predict with stdout {stdout}: the message says that the file is complete", result.stderr)
    for name in ("imported", "made", "predicted"):
        checks.check(h5py.is_hdf5(f"{stdout}-{name}.h5"), f"{name} with stdout {stdout}: the file is complete")
    for args in (["run", *STUDY, f"--run.output={stdout}"], ["resume", stdout]):
        if args[0] == "resume":
            os.remove(f"{stdout}/results.csv")  # resume writes it again
        result = run(args, stdout)
        checks.check(result.code == 0 and f"Cannot print the result ({reason})" in result.stderr and
                     not result.error_lines(), f"{args[0]} with stdout {stdout}",
                     f"exit {result.code}\n{result.stderr}")
        checks.check(results(stdout) == reference, f"{args[0]} with stdout {stdout}: same results")

# mpiexec on a terminal: no line of the log is inside the leaderboard.


def on_terminal(args):
    """Runs a program on a terminal. Returns its exit code and its output."""
    terminal, end = pty.openpty()
    process = subprocess.Popen(args, stdin=subprocess.DEVNULL, stdout=end, stderr=end, close_fds=True)
    os.close(end)
    output = b""
    while True:
        try:
            output += os.read(terminal, 65536)
        except OSError:  # the other end is closed
            break
    os.close(terminal)
    return process.wait(HANGS), output.decode().replace("\r\n", "\n")


for number in range(argument("--count", 4)):
    code, output = on_terminal([MPIEXEC, "-n", "2", SHEAF, "run", *STUDY, f"--run.output=terminal-{number}"])
    table = re.search(r"^rank .*?^Best: [^\n]*\n", output, re.DOTALL | re.MULTILINE)
    foreign = [line for line in table[0].splitlines() if re.search(r"\d\d:\d\d:\d\d |done in|warning:", line)] if table else []
    checks.check(code == 0 and table is not None and not foreign, "the leaderboard is in one piece",
                 f"exit {code}\n{output}")
    checks.check(table is not None and "done in" in output[:table.start()], "the leaderboard is the last output", output)
sys.exit(checks.finish())
