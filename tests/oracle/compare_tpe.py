"""Compares TPE with Optuna: the densities of its models for other histories than those of tpe_cases.txt, and the
distributions of drawn trials.

    python3 compare_tpe.py SERVE_TPE [SEEDS]

SERVE_TPE is the program of serve_tpe.cpp; each of the SEEDS (20) draws the histories of tpe_cases.py again.
SPDX-License-Identifier: MIT
"""
import math
import subprocess
import sys

import tpe_cases  # skips the test without Optuna

import numpy
import optuna

DRAWS = 1500  # of each history


def answers_of(requests):
    return subprocess.run(sys.argv[1], input="\n".join(requests) + "\n", stdout=subprocess.PIPE, check=True,
                          text=True).stdout.splitlines()


def requests_of(text):
    lines = [line.split(" densities ") for line in text.splitlines()
             if line.split()[0] in ("key", "trial", "pending", "point")]
    return ["search 0", *(line[0] for line in lines)], [line[1] for line in lines if len(line) == 2]


def compare_densities(seeds):
    requests, expected = [], []
    for seed in range(100, 100 + seeds):
        for text in tpe_cases.texts(seed):
            of_case = requests_of(text)
            requests += of_case[0]
            expected += of_case[1]
    found = answers_of(requests)
    assert len(found) == len(expected), f"{len(found)} answers to {len(expected)} points"
    wrong = [pair for one, other in zip(expected, found) for pair in tpe_cases.differing(one, other)]
    print(f"densities at {len(expected)} points: {len(wrong)} differ {wrong[:5]}")
    return not wrong


def drawn_by_optuna(keys, trials, running):
    sampler = optuna.samplers.TPESampler(multivariate=True, group=True, seed=1)
    study = tpe_cases.study_of(keys, trials, running, sampler)
    trial = study.ask()
    frozen = study._storage.get_trial(trial._trial_id)
    space = sampler.infer_relative_search_space(study, frozen)
    return [sampler.sample_relative(study, frozen, space) for _ in range(DRAWS)]


def drawn_by_sheaf(text):
    history = [line for line in requests_of(text)[0][1:] if not line.startswith("point")]
    return answers_of([line for seed in range(DRAWS) for line in (f"search {seed}", *history, "draw")])


def distance(one, other):
    """Of two empirical distributions, as a part of the distance that is exceeded with a probability of 1e-4."""
    at = numpy.unique(numpy.concatenate([one, other]))
    parts = [numpy.searchsorted(numpy.sort(values), at, side="right") / len(values) for values in (one, other)]
    return numpy.abs(parts[0] - parts[1]).max() / (2.23 * math.sqrt(1 / len(one) + 1 / len(other)))


def compare_draws():
    """Of each key, and of the sum of each pair of keys, standardized."""
    largest = 0
    for name, parts in tpe_cases.cases(numpy.random.default_rng(100)):
        keys, trials, running, points = parts
        if not name.startswith(("mixed, 100", "mixed, 24", "conditions, 30", "many pending", "integers with")):
            continue
        theirs = drawn_by_optuna(keys, trials, running)
        ours = [line.split() for line in drawn_by_sheaf(tpe_cases.text_of(name, *parts))]
        columns = []
        for key, of_key in enumerate(keys):
            number = (lambda value: of_key[1:].index(value)) if of_key[0] == "list" else float
            if of_key[0].startswith("log"):
                number = lambda value: math.log(float(value))
            both = numpy.array([[number(draw[f"{key:03}"]) for draw in theirs], [number(draw[key]) for draw in ours]])
            columns.append((both - both.mean()) / both.std())
        for key, column in enumerate(columns):
            for other in columns[:key + 1]:
                largest = max(largest, distance(*(column + other)))
    print(f"distributions of draws: largest distance {largest:.2f} of the limit")
    return largest < 1


def main():
    tpe_cases.prepare()
    agree = compare_densities(int((sys.argv[2:] or [20])[0]))
    sys.exit(0 if compare_draws() and agree else 1)


if __name__ == "__main__":
    main()
