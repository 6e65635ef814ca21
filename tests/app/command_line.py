"""Help, version and errors of the command line: stdout, stderr and exit code, without mpiexec and on 3 ranks."""

import sys

from program import Checks, sheaf

checks = Checks()

for ranks in (None, 3):
    where = "without mpiexec" if ranks is None else f"on {ranks} ranks"
    for args, expected in ((["--help"], "usage: sheaf COMMAND"), (["help"], "usage: sheaf COMMAND"),
                           (["--version"], "sheaf 0."), (["run", "--help"], "--train.epochs"),
                           (["plan", "-h"], "usage: sheaf plan"), (["help", "run"], "usage: sheaf run"),
                           (["--help", "evaluate"], "usage: sheaf evaluate"), (["run", "--help", "train"], "[train]"), (["info", "--help"], "usage: sheaf info"),
                           (["import", "--help"], "usage: sheaf import"),
                           (["preprocess", "--help"], "--resize=HEIGHTxWIDTH")):
        result = sheaf(*args, ranks=ranks)
        checks.check(result.code == 0 and expected in result.stdout and not result.stderr, f"{args} {where}",
                     result.stdout + result.stderr)
        checks.check(result.stdout.count(expected.split("--train")[0] or expected) >= 1
                     and result.stdout.count("usage:") <= 1, f"{args} {where}: printed once", result.stdout)

    for args, expected in (([], "the command is missing"), (["rum"], "Did you mean 'run'?"),
                           (["--frobnicate"], "unknown"),
                           (["run"], "needs a study file"), (["run", "--train.epochs=5"], "needs a study file"),
                           (["info", "more"], "takes no arguments"), (["help", "rum"], "Did you mean 'run'?"),
                           (["import", "--help", "csv"], "has no help topics"),
                           (["run", "x.cfg", "--help", "tran"], "Did you mean 'train'?"),
                           (["run", "x.cfg", "y.cfg"], "takes one study file"),
                           (["run", "--train.epochs"], "--train.epochs has no value"),
                           (["import", "a.csv", "a.h5", "--label", "--drop=a"], "--label has no value"),
                           (["evaluate", "a.pt", "--iteration", "-x"], "--iteration has no value"), (["import"], "it got 0 file names"),
                           (["run", "x.cfg", "--resume=true"], "--resume takes no value"),
                           (["resume", "x", "--force", "--force"], "--force is given twice"),
                           (["import", "a.csv", "a.h5", "--drop=a", "--drop=b"], "--drop is given twice"),
                           (["preprocess", "a.h5", "b.h5", "--cast=uint8", "--cast=int8"], "--cast is given twice"),
                           (["evaluate", "a.pt", "--iteration=1", "--iteration=2"], "--iteration is given twice"),
                           (["run", "a.csv"], "Convert it, then train: sheaf import a.csv a.h5 && sheaf run a.h5"),
                           (["plan", "a.h5", "--data.file=b.h5"], "the data file is given twice ('a.h5' and --data.file)")):
        result = sheaf(*args, ranks=ranks)
        checks.check(result.code == 2 and len(result.error_lines()) == 1 and expected in result.error_lines()[0]
                     and not result.stdout, f"{args} {where}", f"{result.code}\n{result.stdout}{result.stderr}")

    result = sheaf("info", ranks=ranks)
    rank_lines = [line for line in result.stdout.splitlines() if line.split()[:1] and line.split()[0].isdigit()]
    checks.check(result.code == 0 and "LibTorch" in result.stdout and len(rank_lines) == (ranks or 1), f"info {where}",
                 result.stdout + result.stderr)

sys.exit(checks.finish())
