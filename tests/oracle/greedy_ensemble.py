"""Selects ensembles greedily with NumPy and scikit-learn's losses, for drawn predictions of candidates.

    python3 greedy_ensemble.py CASES.txt            # writes the file, with the installed scikit-learn
    python3 greedy_ensemble.py CASES.txt --check    # compares its values with the installed scikit-learn

unit_search compares the selections and their losses with those of Sheaf, so that the test needs no scikit-learn.
Targets and predictions are stored as multiples of 1/4096, so that they are exact in float and probabilities of classes
add up to exactly 1: scikit-learn before 1.3 divides by their sum.

SPDX-License-Identifier: MIT
"""
import sys

import oracle

try:
    import numpy
    import sklearn
    from sklearn.metrics import log_loss, mean_squared_error
except ImportError as error:
    oracle.skip(error)

STEPS = 40
UNIT = 4096


def loss_of(task, targets, predictions, weights):
    rows = weights > 0
    targets, predictions, weights = targets[rows], predictions[rows], weights[rows]
    if task == "regression":
        return mean_squared_error(targets, predictions, sample_weight=weights)
    if task == "classification":
        return log_loss(targets, predictions, labels=range(predictions.shape[1]), sample_weight=weights)
    return numpy.mean([log_loss(target, prediction, labels=[0, 1], sample_weight=weights)
                       for target, prediction in zip(targets.T, predictions.T)])


def selection_of(task, targets, candidates, weights):
    """The chosen candidates, the loss after each step, and the number of steps with the least loss."""
    usable = [number for number, values in enumerate(candidates) if numpy.isfinite(values[weights > 0]).all()]
    chosen, losses = [], []
    for _ in range(STEPS):
        found = [loss_of(task, targets, sum(candidates[member] for member in chosen + [number]) / (len(chosen) + 1),
                         weights) for number in usable]
        best = int(numpy.argmin(found))
        # Other orders of summation must not change the choice.
        assert all(loss - found[best] > 1e-11 or number == usable[best]
                   or numpy.array_equal(candidates[number], candidates[usable[best]])
                   for number, loss in zip(usable, found))
        chosen.append(usable[best])
        losses.append(found[best])
    best_steps = int(numpy.argmin(losses)) + 1
    assert all(loss == min(losses) or loss - min(losses) > 1e-11 for loss in losses)
    return chosen, losses, best_steps


def whole(values):
    return numpy.rint(numpy.asarray(values) * UNIT) / UNIT


def whole_shares(probabilities):
    """Multiples of 1/4096 that add up to 1 in each row."""
    shares = numpy.floor(probabilities * UNIT) / UNIT
    shares[:, 0] += 1 - shares.sum(axis=1)
    return shares


def softmax(logits):
    powers = numpy.exp(logits - logits.max(axis=1, keepdims=True))
    return powers / powers.sum(axis=1, keepdims=True)


def drawn(random, task, rows, outputs, candidates, confidence=1.0):
    """Targets, and predictions of candidates of different quality."""
    qualities = random.uniform(0.6, 1, candidates)
    if task == "classification":
        targets = random.integers(outputs, size=rows)
        signal = numpy.eye(outputs)[targets]
        return targets, [whole_shares(softmax(confidence * (3 * quality * signal + 2 * random.normal(size=signal.shape))))
                         for quality in qualities]
    if task == "multilabel":
        targets = random.integers(2, size=(rows, outputs))
        return targets, [whole(1 / (1 + numpy.exp(-confidence * (2 * quality * (2 * targets - 1) +
                                                                2 * random.normal(size=targets.shape)))))
                         for quality in qualities]
    targets = whole(random.normal(size=(rows, outputs)))
    return targets, [whole(targets + (1.2 - quality) * random.normal(size=targets.shape) + 0.3 * random.normal())
                     for quality in qualities]


def cases(random):
    """Yields names, tasks, targets, predictions of candidates, and weights of rows."""
    for task, outputs in (("classification", 3), ("classification", 2), ("multilabel", 3), ("multilabel", 1),
                          ("regression", 1), ("regression", 2)):
        name = f"{task}, outputs: {outputs}"
        yield (name, task, *drawn(random, task, 50, outputs, 8), numpy.ones(50))
        yield (f"{name}, weights", task, *drawn(random, task, 35, outputs, 6), random.integers(5, size=35) / 2)
        yield (f"{name}, one row", task, *drawn(random, task, 1, outputs, 4), numpy.ones(1))
        yield (f"{name}, one candidate", task, *drawn(random, task, 20, outputs, 1), numpy.ones(20))
        targets, candidates = drawn(random, task, 30, outputs, 5)
        constant = numpy.tile(candidates[0][:1], (30, 1))
        yield f"{name}, a constant and duplicates", task, targets, [constant] + candidates + candidates, numpy.ones(30)
        weights = random.integers(2, size=30)
        weights[:2] = 0, 1
        candidates = [values.copy() for values in candidates]
        candidates[0][1, -1] = numpy.nan  # not usable
        candidates[1][1, 0] = numpy.inf   # not usable
        candidates[2][0, -1] = numpy.nan  # in a row without weight
        yield f"{name}, not finite", task, targets, candidates, weights
    for task in ("classification", "multilabel"):
        targets, candidates = drawn(random, task, 30, 4, 8, confidence=8)
        right = numpy.eye(4)[targets] if task == "classification" else targets
        for values in candidates:  # all candidates are sure of two rows, and all are wrong in one of them
            values[0] = numpy.roll(right[0], 1) if task == "classification" else 1 - right[0]
            values[1] = right[1]
        yield f"{task}, probabilities of 0 and 1", task, targets, candidates, numpy.ones(30)
        yield f"{task}, probabilities of 0 and 1, weights", task, targets, candidates, random.integers(1, 4, size=30) / 2


def text_of(name, task, targets, candidates, weights):
    def units(values):
        return " ".join(f"{value * UNIT:.0f}" for value in numpy.ravel(values))

    chosen, losses, best_steps = selection_of(task, targets, candidates, weights)
    lines = [f"case {name}", f"task {task} {len(weights)} {candidates[0].shape[1]}",
             "targets " + (" ".join(map(str, targets)) if task == "classification" else units(targets))]
    if (weights != 1).any():
        lines.append("weights " + " ".join(f"{weight:g}" for weight in weights))
    lines += [f"candidate {units(values)}" for values in candidates]
    lines += ["chosen " + " ".join(map(str, chosen)), "losses " + " ".join(repr(float(loss)) for loss in losses),
              f"best {best_steps}"]
    return "\n".join(lines) + "\nend\n"


def differing(one, other):
    """The pairs of words that differ, of two texts with the same number of words. Losses may differ by rounding."""
    def differ(a, b):
        return a != b and not ("." in a and abs(float(a) - float(b)) < 1e-12 * max(1, abs(float(a))))

    one, other = one.split(), other.split()
    assert len(one) == len(other), f"{len(one)} words instead of {len(other)}"
    return [pair for pair in zip(one, other) if differ(*pair)]


def main():
    random = numpy.random.default_rng(11)
    text = "".join(text_of(*case) for case in cases(random))
    if sys.argv[2:] != ["--check"]:
        with open(sys.argv[1], "w") as file:
            file.write(f"# Written by greedy_ensemble.py with scikit-learn {sklearn.__version__}.\n{text}")
        return
    with open(sys.argv[1]) as file:
        wrong = differing(file.read().split("\n", 1)[1], text)
    print(f"scikit-learn {sklearn.__version__}: {len(text.split())} words, {len(wrong)} differ {wrong[:5]}")
    sys.exit(1 if wrong else 0)


if __name__ == "__main__":
    main()
