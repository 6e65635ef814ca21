#!/usr/bin/python3
"""Writes a drawn table of patients' visits to an HDF5 file for sheaf: few patients are ill, and the visits of a patient
resemble each other more than those of other patients with the same diagnosis.

    /usr/bin/python3 make_visits.py [visits.h5]

With the same versions of h5py, HDF5 and NumPy, the file is the same each time.
SPDX-License-Identifier: MIT
"""
import sys

try:
    import h5py
    import numpy
except ImportError as error:
    print(f"{error}. Install h5py.", file=sys.stderr)
    sys.exit(77)

PATIENTS, VISITS, FEATURES, ILL = 100, 8, 10, 15


def write_visits(path):
    random = numpy.random.default_rng(1)
    is_ill = random.permutation(PATIENTS) < ILL
    patients = random.normal(size=(PATIENTS, FEATURES)) + is_ill[:, None] * numpy.linspace(1.5, 0, FEATURES)
    group = random.permutation(numpy.repeat(numpy.arange(PATIENTS), VISITS))
    visits = patients[group] + 0.3 * random.normal(size=(len(group), FEATURES))
    storage = {"compression": "gzip", "compression_opts": 9, "shuffle": True, "track_times": False}
    with h5py.File(path, "w") as file:
        file.attrs["title"] = "Visits of patients, drawn at random"
        file.create_dataset("features", data=visits.round(2).astype("f4"), chunks=(len(group), FEATURES), **storage)
        file.create_dataset("targets", data=numpy.where(is_ill[group], b"ill", b"healthy"), chunks=(len(group),),
                            **storage)
        file.create_dataset("groups", data=group.astype("u1"), chunks=(len(group),), **storage)


if __name__ == "__main__":
    write_visits(sys.argv[1] if len(sys.argv) > 1 else "visits.h5")
