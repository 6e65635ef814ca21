"""Checks that the files of data/ equal those that their scripts create. SPDX-License-Identifier: MIT"""
import os
import subprocess
import sys

data = sys.argv[1]
script = subprocess.run([sys.executable, os.path.join(data, "make_digits.py"), "made.h5"])
if script.returncode:
    sys.exit(script.returncode)

import h5py
import numpy


def check(condition, what):
    if not condition:
        sys.exit(f"wrong: {what}")


with h5py.File(os.path.join(data, "digits.h5"), "r") as kept, h5py.File("made.h5", "r") as made:
    check(dict(kept.attrs) == dict(made.attrs), "attributes of the file")
    check("CC BY 4.0" in kept.attrs["licence"], kept.attrs["licence"])
    check(set(kept) == set(made) == {"features", "targets"}, list(kept))
    for name, shape in (("features", (1797, 64)), ("targets", (1797,))):
        check(kept[name].shape == shape and kept[name].dtype == numpy.uint8, kept[name])
        check(dict(kept[name].attrs) == dict(made[name].attrs), f"attributes of {name}")
        check(numpy.array_equal(kept[name][:], made[name][:]), f"values of {name}")
    check(kept["features"][:].max() == 16 and set(kept["targets"][:]) == set(range(10)), "ranges")
check(os.path.getsize(os.path.join(data, "digits.h5")) < 300000, "size")

subprocess.run([sys.executable, os.path.join(data, "make_visits.py"), "visits.h5"], check=True)
with h5py.File(os.path.join(data, "visits.h5"), "r") as kept, h5py.File("visits.h5", "r") as made:
    check(set(kept) == set(made) == {"features", "targets", "groups"}, list(kept))
    for name in made:
        check(kept[name].dtype == made[name].dtype and numpy.array_equal(kept[name][:], made[name][:]), f"visits: {name}")
check(os.path.getsize(os.path.join(data, "visits.h5")) < 50000, "size of visits.h5")

subprocess.run([sys.executable, os.path.join(data, "make_wine.py"), "wine.csv"], check=True)
with open(os.path.join(data, "wine.csv")) as kept, open("wine.csv") as made:
    check(kept.read() == made.read(), "wine.csv")
