"""Compares the searches of TPE with those of Optuna's TPESampler(multivariate=True, group=True) and with random searches.

    python3 tests/bench/search_quality.py SERVE_TPE [--seeds=N] [--trials=N] [--window=B ...] [FUNCTION ...]

SERVE_TPE is the program of tests/oracle/serve_tpe.cpp. Of each function, all searches of a seed begin with the same
random trials. With a window of B, the results of the last B - 1 trials are not known when a trial is drawn: B = 1 is
sequential. The value of a search is the distance of its best trial from the least value of the function; the best trial
of a noisy function is chosen by its noisy values, and its value is without noise. The ratios are those of the medians
over the seeds, below 1 if TPE is better. `wins` is the part of the seeds in which TPE is better than Optuna, and +- two
standard errors of a fair coin.
SPDX-License-Identifier: MIT
"""
import argparse
import math
import subprocess
import sys
import warnings

import numpy

try:
    import optuna
except ImportError as error:
    print(f"skipped: {error}")
    sys.exit(77)

STARTUP = 10  # random trials must be finished


def sphere(values):
    return sum((value - shift) ** 2 for value, shift in zip(values, (1, -2, 0.5, 3, -1, 0)))


def rosenbrock(values):
    return sum(100 * (b - a * a) ** 2 + (1 - a) ** 2 for a, b in zip(values, values[1:]))


def hartmann6(values):
    """Source: Dixon and Szegoe 1978."""
    weights = numpy.array([[10, 3, 17, 3.5, 1.7, 8], [0.05, 10, 17, 0.1, 8, 14], [3, 3.5, 1.7, 10, 17, 8],
                           [17, 8, 0.05, 10, 0.1, 14]])
    centers = 1e-4 * numpy.array([[1312, 1696, 5569, 124, 8283, 5886], [2329, 4135, 8307, 3736, 1004, 9991],
                                  [2348, 1451, 3522, 2883, 3047, 6650], [4047, 8828, 8732, 5743, 1091, 381]])
    powers = (weights * (numpy.array(values) - centers) ** 2).sum(axis=1)
    return 3.32237 - numpy.dot([1, 1.2, 3, 3.2], numpy.exp(-powers))


def ackley(values):
    values = numpy.array(values)
    return (20 - 20 * math.exp(-0.2 * math.sqrt(numpy.mean(values ** 2))) + math.e -
            math.exp(numpy.mean(numpy.cos(2 * math.pi * values))))


def network(values):
    """Like the loss of a network over its learning rate, weight decay, optimizer, activation, width and layers."""
    rate, decay, optimizer, activation, width, layers = values
    best_rate = {"sgd": 3e-2, "adam": 2e-3, "lion": 3e-4}[optimizer]
    return (0.3 * math.log10(rate / best_rate) ** 2 + 0.05 * math.log10(decay / 1e-4) ** 2 +
            {"sgd": 0.1, "adam": 0, "lion": 0.02}[optimizer] +
            {"relu": 0.05, "gelu": 0, "tanh": 0.2, "sigmoid": 0.5}[activation] +
            0.1 * math.log2(width / 180) ** 2 + 0.03 * (layers - 3) ** 2)


def conditional(values):
    """The same with keys that have an effect with one optimizer only."""
    rate, optimizer, momentum, beta, width, layers = values
    own = 4 * (momentum - 0.9) ** 2 if optimizer == "sgd" else 40 * (beta - 0.95) ** 2
    return own + network((rate, 1e-4, optimizer, "gelu", width, layers))


RATE, WIDTH, LAYERS = ("log_uniform", 1e-5, 1), ("log_integer", 8, 1024), ("integer", 1, 8)
OPTIMIZER = ("list", "sgd", "adam", "lion")
# The function, its keys, the deviation of its noise, and the optimizers with which keys have an effect.
FUNCTIONS = {
    "sphere": (sphere, [("uniform", -5, 5)] * 6, 0, {}),
    "rosenbrock": (rosenbrock, [("uniform", -2, 2)] * 6, 0, {}),
    "hartmann6": (hartmann6, [("uniform", 0, 1)] * 6, 0, {}),
    "network": (network, [RATE, ("log_uniform", 1e-7, 1e-1), OPTIMIZER, ("list", "relu", "gelu", "tanh", "sigmoid"),
                          WIDTH, LAYERS], 0, {}),
    "conditional": (conditional, [RATE, OPTIMIZER, ("uniform", 0, 0.99), ("uniform", 0.5, 0.999), WIDTH, LAYERS], 0,
                    {2: (1, {"sgd"}), 3: (1, {"adam", "lion"})}),
    "noisy ackley": (ackley, [("uniform", -6, 4)] * 6, 1, {}),
}


def random_value(key, random):
    kind, *ends = key
    if kind == "list":
        return ends[random.integers(len(ends))]
    low, high = (end + half for end, half in zip(ends, (-0.5, 0.5) if "integer" in kind else (0, 0)))
    value = low * (high / low) ** random.random() if kind.startswith("log") else random.uniform(low, high)
    return min(max(round(value), ends[0]), ends[1]) if "integer" in kind else float(f"{value:.6g}")


class Random:
    def __init__(self, keys, conditions, seed):
        self.keys, self.conditions = keys, conditions
        self.random = numpy.random.default_rng(seed)

    def effective(self, values):
        return [value if key not in self.conditions or values[self.conditions[key][0]] in self.conditions[key][1]
                else None for key, value in enumerate(values)]

    def draw(self, start):
        return self.effective(start if start else [random_value(key, self.random) for key in self.keys])

    def tell(self, values, cost):
        pass


class Tpe(Random):
    def __init__(self, keys, conditions, seed, server):
        super().__init__(keys, conditions, seed)
        self.server, self.pending = server, []
        self.send(f"search {seed}", *(f"key {' '.join(map(str, key))}" for key in keys))

    def send(self, *lines):
        self.server.stdin.write("".join(line + "\n" for line in lines))

    def draw(self, start):
        if start:
            values = start
        else:
            self.send(*(f"pending {self.listed(values)}" for values in self.pending), "draw")
            self.server.stdin.flush()
            values = [word if key[0] == "list" else int(word) if "integer" in key[0] else float(word)
                      for word, key in zip(self.server.stdout.readline().split(), self.keys)]
        self.pending.append(self.effective(values))
        return self.pending[-1]

    def tell(self, values, cost):
        assert self.pending.pop(0) == values
        self.send(f"trial {cost!r} - {self.listed(values)}")

    @staticmethod
    def listed(values):
        return " ".join("-" if value is None else str(value) for value in values)


class Optuna(Random):
    def __init__(self, keys, conditions, seed):
        super().__init__(keys, conditions, seed)
        self.study = optuna.create_study(
            sampler=optuna.samplers.TPESampler(multivariate=True, group=True, constant_liar=True, seed=seed))
        self.trials = []

    def draw(self, start):
        if start:
            self.study.enqueue_trial({str(key): value for key, value in enumerate(start)})
        trial = self.study.ask()
        self.trials.append(trial)
        values = []
        for number, (kind, *ends) in enumerate(self.keys):
            if number in self.conditions and values[self.conditions[number][0]] not in self.conditions[number][1]:
                values.append(None)
            elif kind == "list":
                values.append(trial.suggest_categorical(str(number), ends))
            else:
                suggest = trial.suggest_int if "integer" in kind else trial.suggest_float
                values.append(suggest(str(number), *ends, log=kind.startswith("log")))
        return values

    def tell(self, values, cost):
        self.study.tell(self.trials.pop(0), cost)


def best_values(search, function, noise, starts, trials, window, seed):
    """The value of the best trial after each trial."""
    random = numpy.random.default_rng((seed, 1))
    noises = noise * random.normal(size=trials)
    drawn, best, values = [], (math.inf, math.inf), []
    for trial in range(trials):
        if trial >= window:
            search.tell(*drawn[trial - window])
        is_random = trial - window + 1 < STARTUP
        point = search.draw(starts[trial] if is_random else None)
        value = function(point)
        cost = float(value + noises[trial])
        drawn.append((point, cost))
        best = min(best, (cost, value))
        values.append(best[1])
    return values


def compare(name, arguments, window, server):
    function, keys, noise, conditions = FUNCTIONS[name]
    results = {"tpe": [], "optuna": [], "random": []}
    for seed in range(arguments.seeds):
        random = numpy.random.default_rng((seed, 0))
        starts = [[random_value(key, random) for key in keys] for _ in range(STARTUP + window)]
        for kind, search in (("tpe", Tpe(keys, conditions, seed, server)), ("optuna", Optuna(keys, conditions, seed)),
                             ("random", Random(keys, conditions, seed))):
            results[kind].append(best_values(search, function, noise, starts, arguments.trials, window, seed))
    for trials in sorted({min(60, arguments.trials), arguments.trials}):
        tpe, other, random = (numpy.array([values[trials - 1] for values in results[kind]])
                              for kind in ("tpe", "optuna", "random"))
        medians = [numpy.median(values) for values in (tpe, other, random)]
        wins = numpy.mean(tpe < other) + 0.5 * numpy.mean(tpe == other)
        print(f"{name:14} B {window:2} {trials:4} trials  tpe {medians[0]:8.4g}  optuna {medians[1]:8.4g}  random "
              f"{medians[2]:8.4g}  ratios {medians[0] / medians[1]:6.3f} {medians[0] / medians[2]:6.3f}  wins "
              f"{100 * wins:3.0f} +- {100 / math.sqrt(arguments.seeds):.0f} %", flush=True)


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("program")
    parser.add_argument("functions", nargs="*", default=list(FUNCTIONS))
    parser.add_argument("--seeds", type=int, default=50)
    parser.add_argument("--trials", type=int, default=100)
    parser.add_argument("--window", type=int, action="append")
    arguments = parser.parse_intermixed_args()
    warnings.simplefilter("ignore")
    optuna.logging.set_verbosity(optuna.logging.ERROR)
    for name in arguments.functions:
        for window in arguments.window or (1, 8):
            with subprocess.Popen([arguments.program], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as server:
                compare(name, arguments, window, server)


if __name__ == "__main__":
    main()
