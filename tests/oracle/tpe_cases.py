"""Computes the densities of TPE's models with Optuna, for drawn histories of trials.

    python3 tpe_cases.py CASES.txt            # writes the file, with the installed Optuna
    python3 tpe_cases.py CASES.txt --check    # compares its values with the installed Optuna

unit_search compares the values with those of Sheaf, so that the test needs no Optuna. Densities are relative to the
uniform distribution of a random search. Equal positions are sorted by age: Optuna's own order of more than 16 of them
depends on the processor.

SPDX-License-Identifier: MIT
"""
import math
import sys

import oracle

try:
    import numpy
    import optuna
    from optuna.distributions import CategoricalDistribution, FloatDistribution, IntDistribution
    from optuna.samplers._tpe import parzen_estimator, sampler as tpe_sampler
    from optuna.trial import TrialState
except ImportError as error:
    oracle.skip(error)

VERSION = tuple(map(int, optuna.__version__.split(".")[:2]))

LEARNING_RATE = ("log_uniform", 1e-4, 0.1)
DROPOUT = ("uniform", 0, 0.5)
HIDDEN = ("log_integer", 16, 256)
LAYERS = ("integer", 1, 5)
OPTIMIZER = ("list", "sgd", "adam", "lion")
DECAY = ("log_uniform", 1e-8, 1)
ROWS = ("log_integer", 1, 100000)
SEED = ("integer", -20000, 70000)
SHUFFLE = ("list", "true", "false")
MIXED = [LEARNING_RATE, OPTIMIZER, HIDDEN, DROPOUT, LAYERS, SHUFFLE]

# Keys that have an effect with some values of other keys: {key: (other key, values)}
CONDITIONAL = [OPTIMIZER, LEARNING_RATE, ("uniform", 0.5, 0.99), ("uniform", 0.9, 0.999), ("log_uniform", 1e-9, 1e-6),
               LAYERS, SHUFFLE, DROPOUT]
CONDITIONS = {2: (0, {"sgd"}), 7: (0, {"sgd"}), 3: (0, {"adam"}), 4: (0, {"adam", "lion"}), 6: (5, {2, 3, 4, 5})}


class StableNumpy:
    """numpy with a stable argsort."""

    def __getattr__(self, name):
        return getattr(numpy, name)

    @staticmethod
    def argsort(values):
        return numpy.argsort(values, kind="stable")


def distribution(key):
    kind, *ends = key
    if kind == "list":
        return CategoricalDistribution(ends)
    number = IntDistribution if "integer" in kind else FloatDistribution
    return number(*ends, log=kind.startswith("log"))


def drawn(key, random, center):
    """A value of a key: uniform, near the center (a part of the range), or an end."""
    kind, *ends = key
    if kind == "list":
        return ends[int(random.integers(len(ends)) if random.random() < 0.5 else center * len(ends))]
    low, high = (end + half for end, half in zip(ends, (-0.5, 0.5) if "integer" in kind else (0, 0)))
    way = random.random()
    part = random.random() if way < 0.4 else (random.integers(2) if way > 0.97 else
                                              min(max(center + 0.03 * random.normal(), 0), 1))
    value = low * (high / low) ** part if kind.startswith("log") else low + (high - low) * part
    if "integer" in kind:
        return min(max(round(value), ends[0]), ends[1])
    return min(max(float(f"{value:.6g}"), ends[0]), ends[1])


def point(keys, conditions, random, centers):
    values = [drawn(key, random, center) for key, center in zip(keys, centers)]
    return [value if key not in conditions or values[conditions[key][0]] in conditions[key][1] else None
            for key, value in enumerate(values)]


def history(keys, random, finished, pending=0, pruned=0.0, infinite=0.0, levels=0, conditions=None):
    """Finished trials (cost, folds of a pruned trial or None, values), the values of pending trials, and points.
    `pruned` and `infinite` are parts of the trials; `levels`: the number of different costs, 0: all differ."""
    conditions = conditions or {}
    centers = [random.random() for _ in keys]
    trials = []
    for _ in range(finished):
        cost = float(random.integers(levels)) if levels else round(random.normal(), 6)
        cost = math.inf if random.random() < infinite else cost
        folds = int(random.integers(5)) if random.random() < pruned else None
        trials.append((cost, folds, point(keys, conditions, random, centers)))
    running = [point(keys, conditions, random, centers) for _ in range(pending)]
    points = [[drawn(key, random, center) for key, center in zip(keys, centers)] for _ in range(6)]
    return keys, trials, running, points


def cases(random):
    """Yields names and histories."""
    kinds = {"numbers": [DROPOUT, LEARNING_RATE], "integers": [LAYERS, HIDDEN], "wide integers": [SEED, ROWS],
             "lists": [OPTIMIZER, SHUFFLE], "mixed": MIXED}
    for name, keys in kinds.items():
        for count in (10, 25, 26, 60):
            yield f"{name}, {count} trials", history(keys, random, count, pending=count % 4)
    for count in (11, 24, 100, 300):
        yield f"mixed, {count} trials", history(MIXED, random, count, pending=count % 7)
    yield "one key", history([DECAY], random, 40)
    yield "ties", history(MIXED, random, 60, levels=3, pending=3)
    yield "integers with equal values", history([LAYERS, SHUFFLE, LAYERS], random, 150, pending=5)
    yield "pruned trials", history(MIXED, random, 50, pruned=0.6, pending=2)
    yield "fewer complete trials than those below", history(MIXED, random, 80, pruned=0.95, levels=2)
    yield "pruned trials only", history([DROPOUT, HIDDEN], random, 30, pruned=1)
    yield "failed trials", history(MIXED, random, 40, infinite=0.5, pending=1)
    yield "failed trials only", history([LEARNING_RATE], random, 20, infinite=1)
    yield "many pending trials", history(MIXED, random, 12, pending=40)
    for count in (10, 30, 120):
        yield f"conditions, {count} trials", history(CONDITIONAL, random, count, pending=4, pruned=0.2,
                                                     conditions=CONDITIONS)
    keys, trials, running, points = history([OPTIMIZER, LEARNING_RATE, DECAY, LAYERS], random, 15, pending=3)
    # Keys 0 and 1 are a group, of which one pending trial has a part; key 2 is only in pending trials, key 3 in none.
    yield "pending trials with other keys", (
        keys, [(cost, folds, values[:2] + [None, None]) for cost, folds, values in trials],
        [[None if key == 3 or (key, number) == (1, 0) else value for key, value in enumerate(values)]
         for number, values in enumerate(running)], points)


def study_of(keys, trials, running, sampler):
    study = optuna.create_study(sampler=sampler)
    distributions = [distribution(key) for key in keys]

    def add(state, values, **other):
        present = {f"{key:03}": value for key, value in enumerate(values) if value is not None}
        study.add_trial(optuna.trial.create_trial(
            state=state, params=present, distributions={name: distributions[int(name)] for name in present}, **other))

    for cost, folds, values in trials:
        if folds is None:
            add(TrialState.COMPLETE, values, value=cost)
        else:  # the mean of the folds so far is reported after each fold
            add(TrialState.PRUNED, values, intermediate_values={fold: cost if fold == folds - 1 else 99.0
                                                                for fold in range(folds)})
    for values in running:
        add(TrialState.RUNNING, values)
    return study


def uniform_log_density(key, value):
    kind, *ends = key
    if kind == "list":
        return -math.log(len(ends))
    low, high = ends
    if kind == "integer":
        return -math.log(high - low + 1)
    if kind == "uniform":
        return -math.log(high - low)
    if kind == "log_uniform":
        return -math.log(math.log(high / low))
    return math.log(math.log1p(1 / (value - 0.5)) / math.log((high + 0.5) / (low - 0.5)))


def models_of(keys, trials, running, points):
    """The groups of keys, in ascending order, and the logarithms of the densities below and above of each point in each
    group."""
    sampler = optuna.samplers.TPESampler(multivariate=True, group=True, seed=0)
    study = study_of(keys, trials, running, sampler)
    spaces = sampler._group_decomposed_search_space.calculate(study).search_spaces
    groups = [sorted(int(name) for name in space) for space in spaces]
    # Optuna draws keys that no finished trial has one by one, when the trial asks for them.
    groups = sorted(groups + [[key] for key in range(len(keys)) if not any(key in group for group in groups)])
    below, above = tpe_sampler._split_trials(study, study.trials, tpe_sampler.default_gamma(len(trials)))
    densities = []
    for group in groups:
        space = {f"{key:03}": distribution(keys[key]) for key in group}
        samples = {f"{key:03}": numpy.array([distribution(keys[key]).to_internal_repr(values[key])
                                             for values in points]) for key in group}
        uniform = numpy.array([sum(uniform_log_density(keys[key], values[key]) for key in group) for values in points])
        densities.append([
            sampler._build_parzen_estimator(study, space, part, handle_below=part is below).log_pdf(samples) - uniform
            for part in (below, above)])
    return groups, densities


def text_of(name, keys, trials, running, points):
    def listed(values):
        return " ".join("-" if value is None else str(value) for value in values)

    groups, densities = models_of(keys, trials, running, points)
    lines = [f"case {name}", *(f"key {listed(key)}" for key in keys)]
    lines += [f"trial {cost} {'-' if folds is None else folds} {listed(values)}" for cost, folds, values in trials]
    lines += [f"pending {listed(values)}" for values in running]
    lines += [f"group {listed(group)}" for group in groups]
    for index, values in enumerate(points):
        logarithms = [repr(float(density[index])) for pair in densities for density in pair]
        lines.append(f"point {listed(values)} densities {' '.join(logarithms)}")
    return "\n".join(lines) + "\nend\n"


def prepare():
    if VERSION < (5, 0):
        oracle.skip("Optuna before 5.0 has other deviations of multivariate kernels")
    optuna.logging.set_verbosity(optuna.logging.ERROR)
    parzen_estimator.np = StableNumpy()


def texts(seed):
    return [text_of(name, *parts) for name, parts in cases(numpy.random.default_rng(seed))]


def differing(one, other):
    """The pairs of words that differ, of two texts with the same number of words. Numbers may differ by rounding."""
    def differ(a, b):
        try:
            return a != b and not abs(float(a) - float(b)) < 1e-9 * max(1, abs(float(a)))
        except ValueError:
            return True

    one, other = one.split(), other.split()
    assert len(one) == len(other), f"{len(one)} words instead of {len(other)}"
    return [pair for pair in zip(one, other) if differ(*pair)]


def main():
    prepare()
    text = "".join(texts(5))
    if sys.argv[2:] != ["--check"]:
        with open(sys.argv[1], "w") as file:
            file.write(f"# Written by tpe_cases.py with Optuna {optuna.__version__}.\n{text}")
        return
    with open(sys.argv[1]) as file:
        wrong = differing(file.read().split("\n", 1)[1], text)
    print(f"Optuna {optuna.__version__}: {len(text.split())} words, {len(wrong)} differ {wrong[:5]}")
    sys.exit(1 if wrong else 0)


if __name__ == "__main__":
    main()
