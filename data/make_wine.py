#!/usr/bin/python3
"""Writes the wines of scikit-learn to a CSV file, for the walkthrough in jobs.

    /usr/bin/python3 make_wine.py [wine.csv]

SPDX-License-Identifier: MIT
"""
import sys

try:
    from sklearn.datasets import load_wine
except ImportError as error:
    print(f"{error}. Install scikit-learn.", file=sys.stderr)
    sys.exit(77)

NAMES = ["barolo", "grignolino", "barbera"]  # of the classes, in the order of scikit-learn


def write_wine(path):
    wine = load_wine()
    columns = [name.replace("od280/od315_of_diluted_wines", "od280_od315") for name in wine.feature_names]
    with open(path, "w", newline="") as file:
        file.write(",".join([*columns, "cultivar"]) + "\n")
        for row, label in zip(wine.data, wine.target):
            file.write(",".join([*(f"{value:g}" for value in row), NAMES[label]]) + "\n")


if __name__ == "__main__":
    write_wine(sys.argv[1] if len(sys.argv) > 1 else "wine.csv")
