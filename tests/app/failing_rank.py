"""An exception on one rank ends the job early: exit code 1, and the message is printed once."""

import os
import sys

from program import Checks, launch

checks = Checks()
for ranks in (1, 2, 3):
    result = launch([os.environ["SHEAF_FAILING_RANK"]], ranks=ranks)  # the others sleep for an hour
    prefix = "" if ranks == 1 else f"[{ranks - 1}/{ranks}] "
    lines = result.error_lines()
    checks.check(result.code == 1, f"{ranks} ranks: exit code 1", f"{result.code}\n{result.stderr}")
    checks.check(f"{prefix}error: the engine broke in its third iteration." in lines, f"{ranks} ranks: error message",
                 result.stderr)
    print(f"{ranks} ranks: ended after {result.seconds:.1f} s")
sys.exit(checks.finish())
