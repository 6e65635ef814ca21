#!/usr/bin/python3
"""Writes the handwritten digits of scikit-learn to an HDF5 file for sheaf.

    /usr/bin/python3 make_digits.py [digits.h5]

With the same versions of h5py and HDF5, the file is the same each time.
SPDX-License-Identifier: MIT
"""
import sys

try:
    import h5py
    import numpy
    from sklearn.datasets import load_digits
except ImportError as error:
    print(f"{error}. Install scikit-learn and h5py.", file=sys.stderr)
    sys.exit(77)

SOURCE = (
    "E. Alpaydin and C. Kaynak, Optical Recognition of Handwritten Digits, UCI Machine Learning Repository, 1998, "
    "https://doi.org/10.24432/C50P49; the test part, as sklearn.datasets.load_digits returns it"
)
LICENSE = "CC BY 4.0, https://creativecommons.org/licenses/by/4.0/"


def write_digits(path):
    digits = load_digits()
    storage = {"compression": "gzip", "compression_opts": 9, "shuffle": True, "track_times": False}
    with h5py.File(path, "w") as file:
        file.attrs["title"] = "Handwritten digits, 8 x 8 pixels"
        file.attrs["source"] = SOURCE
        file.attrs["licence"] = LICENSE
        features = file.create_dataset("features", data=digits.data.astype(numpy.uint8), chunks=(256, 64), **storage)
        features.attrs["unit"] = "set pixels of a 4 x 4 field of the scanned image, 0 to 16; 8 x 8 fields, row by row"
        targets = file.create_dataset("targets", data=digits.target.astype(numpy.uint8), chunks=(1797,), **storage)
        targets.attrs["unit"] = "the digit, 0 to 9"


if __name__ == "__main__":
    write_digits(sys.argv[1] if len(sys.argv) > 1 else "digits.h5")
