"""Compares the cross-validated accuracy of a 64-32-10 network on the digits with that of scikit-learn, trained on the
same folds with the same settings. Initial weights and shuffles differ, so the means agree to about one percentage
point.

    /usr/bin/python3 compare_sklearn.py DUMP_TRAINING DIGITS.h5

SPDX-License-Identifier: MIT
"""
import pathlib
import sys
import tempfile
import warnings

import oracle

try:
    import h5py
    import numpy
    from sklearn.exceptions import ConvergenceWarning
    from sklearn.neural_network import MLPClassifier
    from sklearn.preprocessing import StandardScaler
except ImportError as error:
    oracle.skip(error)

FOLDS, REPEATS, EPOCHS = 5, 3, 30

STUDY = {
    "data": {"task": "classification", "normalize": "standard"},
    "model": {"kind": "mlp", "hidden": "32", "activation": "relu", "initialization": "glorot"},
    "train": {"loss": "cross_entropy", "optimizer": "adam", "learning_rate": 1e-3, "batch_size": 32, "epochs": EPOCHS},
    "search": {"method": "grid", "folds": FOLDS, "repeats": REPEATS},
}


def sklearn_accuracy(features, targets, entry):
    training, validation = entry["orders"][0], entry["validation_rows"]
    scaler = StandardScaler().fit(features[training])
    # Exactly EPOCHS passes, without early stopping and without a weight penalty.
    model = MLPClassifier((32,), alpha=0, batch_size=32, learning_rate_init=1e-3, max_iter=EPOCHS, tol=0,
                          n_iter_no_change=EPOCHS + 1, random_state=entry["iteration"])
    model.fit(scaler.transform(features[training]), targets[training])
    return model.score(scaler.transform(features[validation]), targets[validation])


def main():
    program, digits = sys.argv[1:]
    warnings.simplefilter("ignore", ConvergenceWarning)
    STUDY["data"]["file"] = digits
    with tempfile.TemporaryDirectory() as folder:
        entries = oracle.train(program, {"digits": STUDY}, pathlib.Path(folder))
    assert len(entries) == FOLDS * REPEATS
    with h5py.File(digits) as file:
        features, targets = file["features"][:].astype(float), file["targets"][:]
    ours = numpy.mean([entry["validation_score"] for entry in entries])
    theirs = numpy.mean([sklearn_accuracy(features, targets, entry) for entry in entries])
    print(f"accuracy {ours:.4f}, scikit-learn {theirs:.4f}")
    sys.exit(0 if abs(ours - theirs) < 0.01 else 1)


if __name__ == "__main__":
    main()
