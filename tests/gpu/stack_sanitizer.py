"""Unit tests of a few stacks on a GPU under NVIDIA's compute-sanitizer: memory errors, and wrong uses of barriers."""

import os
import shutil
import sys

from gpu import DEVICE, need_gpus, skip
from program import Checks, launch

need_gpus()
tool = shutil.which("compute-sanitizer", path=f"{os.environ['PATH']}:/usr/local/cuda/bin")
if not tool:
    skip("compute-sanitizer was not found")
checks = Checks()
LIMIT = 120  # seconds
environment = {"SHEAF_TEST_STACKS": "1", "OMP_NUM_THREADS": "1"}
if DEVICE == "cuda":
    environment["SHEAF_TEST_GPU"] = "0"
ended = 0
for kind in ("memcheck", "synccheck"):
    # Errors that calls of the CUDA runtime return are not reported: LibTorch asks for features that cards may not have.
    # `timeout` ends the program that the tool starts, too.
    result = launch(["timeout", str(LIMIT), tool, "--tool", kind, "--report-api-errors", "no", "--error-exitcode", "9",
                     os.environ["UNIT_TESTS"], "stacks train *,nothing of *"], environment=environment)
    if result.code == 124:
        print(f"{kind}: not done after {LIMIT} s")
        continue
    ended += 1
    print(f"{kind}, after {result.seconds:.0f} s: {(result.stdout.strip().splitlines() or [''])[-1]}")
    checks.check(result.code == 0, kind, result.stdout[-3000:] + result.stderr[-3000:])
if ended == 0:
    skip("compute-sanitizer took too long")
sys.exit(checks.finish())
