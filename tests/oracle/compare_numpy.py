"""Compares jobs/studies/iterations*.cfg with the loops that they replace, written in NumPy: one linear layer that is
trained on random data, as with PyTorch, as with Keras, and by hand. Random numbers differ, so the test compares the means
and deviations of 10,000 losses. It prints them in a table, with the differences in standard errors.

    /usr/bin/python3 compare_numpy.py SHEAF STUDIES_FOLDER

SPDX-License-Identifier: MIT
"""
import pathlib
import subprocess
import sys
import tempfile

import oracle

try:
    import h5py
    import numpy
except ImportError as error:
    oracle.skip(error)

REPEATS, BLOCK = 10_000, 50  # repeats of a block are trained side by side
ROWS, COLUMNS, EPOCHS, RATE = 1000, 10, 5, 0.001
MOST_ERRORS = 4  # allowed difference, in standard errors


def pytorch_weights(random):
    limit = COLUMNS**-0.5
    return random.uniform(-limit, limit, (BLOCK, COLUMNS, 1)), random.uniform(-limit, limit, (BLOCK, 1, 1))


def glorot_weights(random):
    limit = (6 / (COLUMNS + 1))**0.5
    return random.uniform(-limit, limit, (BLOCK, COLUMNS, 1)), numpy.zeros((BLOCK, 1, 1))


def zero_weights(_):
    return numpy.zeros((BLOCK, COLUMNS, 1)), numpy.zeros((BLOCK, 1, 1))


# Study: distribution of features and targets, initial weights and bias, factor of X^T e and sum(e) in the gradients.
STUDIES = {
    "iterations": ("standard_normal", pytorch_weights, 2 / ROWS),
    "iterations-keras": ("standard_normal", glorot_weights, 2 / ROWS),
    "iterations-by-hand": ("random", zero_weights, 1),
}


def train_in_numpy(distribution, initial_weights, factor, random):
    """Returns the losses [REPEATS, EPOCHS]: in each epoch the mean squared error before the update."""
    losses = numpy.empty((REPEATS, EPOCHS))
    draw = getattr(random, distribution)
    for first in range(0, REPEATS, BLOCK):
        features, targets = draw((BLOCK, ROWS, COLUMNS)), draw((BLOCK, ROWS, 1))
        weights, bias = initial_weights(random)
        for epoch in range(EPOCHS):
            errors = features @ weights + bias - targets
            losses[first:first + BLOCK, epoch] = numpy.square(errors).mean(axis=(1, 2))
            weights -= RATE * factor * (features.transpose(0, 2, 1) @ errors)
            bias -= RATE * factor * errors.sum(axis=1, keepdims=True)
    return losses


def train_in_sheaf(program, study, folder):
    """Returns the training losses [REPEATS, epochs]."""
    output = folder / study.stem
    subprocess.run([program, "run", study, f"--study.iterations={REPEATS}", f"--run.output={output}",
                    "--run.curves=true", "--run.device=cpu", "--run.progress=none"],
                   check=True, stdout=subprocess.DEVNULL)
    with h5py.File(output / "results.h5") as file:
        losses = file["epochs"]["training_loss"].reshape(REPEATS, -1)
        assert numpy.array_equal(losses[:, -1], file["iterations"]["final_loss"])
    return losses


def statistics(values):
    """Returns pairs (value, squared standard error) for the mean and the standard deviation of a sample."""
    offsets = values - values.mean()
    variance, fourth = numpy.square(offsets).mean(), (offsets**4).mean()
    return numpy.array([(values.mean(), variance / len(values)),
                        (variance**0.5, (fourth / variance - variance) / 4 / len(values))])


def main():
    program, studies = sys.argv[1:]
    print(f"{'study':20}{'value':18}{'Sheaf':>11}{'NumPy':>11}{'errors':>8}"
          f"{'deviation: Sheaf':>18}{'NumPy':>11}{'errors':>8}")
    failed = 0
    with tempfile.TemporaryDirectory() as name:
        for number, (study, loop) in enumerate(STUDIES.items()):
            ours = train_in_sheaf(program, pathlib.Path(studies) / f"{study}.cfg", pathlib.Path(name))
            theirs = train_in_numpy(*loop, numpy.random.default_rng(number))
            # The change of the loss depends less on the data than the loss, and is more sensitive to the steps.
            for value, pick in (("final loss", lambda losses: losses[:, -1]),
                                ("minus first loss", lambda losses: losses[:, -1] - losses[:, 0])):
                sheaf, loops = statistics(pick(ours)), statistics(pick(theirs))
                errors = (sheaf[:, 0] - loops[:, 0]) / numpy.sqrt(sheaf[:, 1] + loops[:, 1])
                print(f"{study:20}{value:18}{sheaf[0, 0]:11.5g}{loops[0, 0]:11.5g}{errors[0]:8.1f}"
                      f"{sheaf[1, 0]:18.5g}{loops[1, 0]:11.5g}{errors[1]:8.1f}")
                failed += (abs(errors) > MOST_ERRORS).any()
    print(f"{failed} values differ by more than {MOST_ERRORS} standard errors")
    sys.exit(1 if failed else 0)


if __name__ == "__main__":
    main()
