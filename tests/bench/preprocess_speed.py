"""Measures resizing by joblib with scikit-image, then runs the program preprocess_speed on as many images and cores,
and prints the ratio. Usage: python3 preprocess_speed.py PROGRAM FOLDER [images]"""

import os
import re
import subprocess
import sys
import time

import joblib
import numpy
from skimage.transform import resize

program, folder = sys.argv[1:3]
count = int(sys.argv[3]) if len(sys.argv) > 3 else 1000
cores = len(os.sched_getaffinity(0))
images = numpy.random.default_rng(1).random((count, 128, 128, 3), dtype="f4")


def best_seconds(backend):
    best = float("inf")
    with joblib.Parallel(n_jobs=cores, backend=backend) as pool:
        for _ in range(5):
            start = time.perf_counter()
            pool(joblib.delayed(resize)(image, (64, 64)) for image in images)
            best = min(best, time.perf_counter() - start)
    return best


seconds = {backend: best_seconds(backend) for backend in ("loky", "threading")}
for backend, value in seconds.items():
    print(f"joblib ({backend}) with skimage, {count} images on {cores} cores   {value:8.4f} s")
output = subprocess.run([program, folder, str(count)], check=True, capture_output=True, text=True).stdout
lines = [line for line in output.splitlines() if not line.startswith("'")]
print("\n".join(lines))
own = float(re.search(r"memory to memory.* (\S+) s", lines[0]).group(1))
print(f"memory to memory: {min(seconds.values()) / own:.1f} times as fast as joblib")
