"""Every command that reads or writes files works on a file system without locks."""

import errno
import os
import shutil
import sys

import h5py
import numpy

from program import DIGITS, Checks, sheaf

checks = Checks()
shutil.rmtree("no_locks", ignore_errors=True)
os.makedirs("no_locks")
os.chdir("no_locks")
rows = numpy.arange(60, dtype="f4").reshape(30, 2)
numpy.savetxt("table.csv", numpy.column_stack([rows, numpy.arange(30) % 2]), fmt="%g", delimiter=",")
COMMANDS = [["import", "table.csv", "data.h5", "--overwrite=true"],
            ["run", DIGITS, "--run.output=run", "--train.epochs=1", "--run.models=best"],
            ["resume", "run"],
            ["predict", "run", DIGITS, "p.csv", "--overwrite=true"],
            ["predict", "run", DIGITS, "p.h5", "--overwrite=true"],
            ["evaluate", "run", f"--data.file={DIGITS}", "--predictions=p.h5", "--overwrite=true"],
            ["preprocess", DIGITS, "out.h5", "--normalize=standard", "--overwrite=true"],
            ["preprocess", DIGITS, "out.h5", "--cast=float64", "--compression=1", "--overwrite=true"]]
for error in (errno.ENOLCK, errno.EOPNOTSUPP, errno.ENOSYS):
    shutil.rmtree("run", ignore_errors=True)
    for number, command in enumerate(COMMANDS):
        if error != errno.ENOLCK and command[0] in ("import", "resume"):
            continue
        result = sheaf(*command, ranks=2 if number == 4 else None,
                       environment={"LD_PRELOAD": os.environ["NO_LOCKS_LIBRARY"], "NO_LOCKS": str(error)})
        checks.check(result.code == 0, f"{os.strerror(error)}: {command[0]}", result.stderr)
with h5py.File("out.h5") as file, h5py.File(DIGITS) as digits:
    checks.check(numpy.array_equal(file["features"][:], digits["features"][:]), "the preprocessed values are complete")
sys.exit(checks.finish())
