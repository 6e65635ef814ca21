"""Computes the importance of keys with Optuna, for drawn histories of trials.

    python3 importance_cases.py CASES.txt            # writes the file, with the installed Optuna
    python3 importance_cases.py CASES.txt --check    # compares its values with the installed Optuna

unit_search compares the values with those of Sheaf, so that the test needs no Optuna.

SPDX-License-Identifier: MIT
"""
import math
import sys

import oracle
import tpe_cases
from tpe_cases import CONDITIONAL, CONDITIONS, DROPOUT, HIDDEN, LAYERS, LEARNING_RATE, MIXED, OPTIMIZER, ROWS, SEED, history

import numpy
import optuna


def cases(random):
    """Yields names, keys and trials: costs and values."""
    def complete(keys, trials, *_):
        return keys, [(cost, values) for cost, _, values in trials]

    for count in (2, 5, 9, 10, 11, 30, 100, 400):
        yield f"mixed, {count} trials", complete(*history(MIXED, random, count))
    yield "integers", complete(*history([LAYERS, HIDDEN, SEED, ROWS], random, 60))
    yield "numbers", complete(*history([DROPOUT, LEARNING_RATE], random, 60))
    yield "ties", complete(*history(MIXED, random, 50, levels=4))
    yield "equal costs", complete(*history(MIXED, random, 20, levels=1))
    yield "failed trials", complete(*history(MIXED, random, 60, infinite=0.5))
    yield "one finished trial", complete(*history(MIXED, random, 1))
    yield "one key", complete(*history([OPTIMIZER], random, 30))
    for count in (4, 12, 30, 120):
        yield f"conditions, {count} trials", complete(*history(CONDITIONAL, random, count, conditions=CONDITIONS))


def importances(keys, trials):
    """In the order of the keys; 0 for keys that no trial has."""
    study = tpe_cases.study_of(keys, [(cost, None, values) for cost, values in trials], [], None)
    found = optuna.importance.get_param_importances(study)
    return [found.get(f"{key:03}", 0.0) for key in range(len(keys))]


def text_of(name, keys, trials):
    def listed(values):
        return " ".join("-" if value is None else str(value) for value in values)

    lines = [f"case {name}", *(f"key {listed(key)}" for key in keys)]
    lines += [f"trial {cost} {listed(values)}" for cost, values in trials]
    lines.append("importances " + " ".join(repr(float(value)) for value in importances(keys, trials)))
    return "\n".join(lines) + "\nend\n"


def text():
    return "".join(text_of(name, *case) for name, case in cases(numpy.random.default_rng(7)))


def main(path, *options):
    tpe_cases.prepare()
    if options == ("--check",):
        with open(path) as file:
            stored = file.read().split("\n", 1)[1]
        differences = tpe_cases.differing(stored, text())
        print("\n".join(map(str, differences)) or "all importances are those of Optuna")
        return bool(differences)
    with open(path, "w") as file:
        file.write(f"# Written by importance_cases.py with Optuna {optuna.__version__}.\n{text()}")
    return False


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
