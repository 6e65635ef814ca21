"""The unit tests of stacks on a GPU: whole trainings of random stacks against the native engine, and their bits in other
slots, beside a model with NaN and after a stop."""

import os
import sys

from gpu import DEVICE, need_gpus
from program import Checks, launch

need_gpus()
checks = Checks()
# SHEAF_TEST_STACKS: how many stacks. Not the usual number, so that the greatest differences are printed.
environment = {"SHEAF_TEST_GPU": "0", "SHEAF_TEST_STACKS": "91"} if DEVICE == "cuda" else {"SHEAF_TEST_STACKS": "4"}
result = launch([os.environ["UNIT_TESTS"], "stacks *,nothing of *,a last batch *,a stack *", "--durations", "yes"],
                environment=environment, timeout=400)
print(result.stdout)
checks.check(result.code == 0, "unit tests of stacks", result.stdout[-3000:] + result.stderr[-3000:])
sys.exit(checks.finish())
