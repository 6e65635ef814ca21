"""Imports 50 of the files that csv_dialects.py draws, in as many dialects: each must be read right, or refused with a
message that names the error in it."""

import os
import shutil
import sys

from csv_dialects import evaluate, sample
from program import SHEAF, Checks

checks = Checks()
shutil.rmtree("csv_dialects", ignore_errors=True)
os.makedirs("csv_dialects")
for seed, draw in sample(50, seed=1000):
    verdict, reason = evaluate(draw, SHEAF, "csv_dialects", f"draw-{seed}")
    checks.check(verdict == "right", f"draw {seed}: {', '.join(draw.traits)}",
                 f"{verdict}\n{reason}\nexpected: {draw.refusals or f'{draw.rows} rows'}")
sys.exit(checks.finish())
