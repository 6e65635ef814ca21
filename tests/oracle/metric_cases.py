"""Computes the metrics of stored and drawn cases with scikit-learn: weights, ties, missing classes, one class only.

    python3 metric_cases.py CASES.txt            # writes the file, with the installed scikit-learn
    python3 metric_cases.py CASES.txt --check    # compares its values with the installed scikit-learn

unit_training_metrics compares the values with those of Sheaf, so that the test needs no scikit-learn. Outputs are 32-bit
numbers; their probabilities are computed in double.

SPDX-License-Identifier: MIT
"""
import math
import sys
import warnings

import oracle

try:
    import numpy
    import sklearn
    from sklearn import metrics
except ImportError as error:
    oracle.skip(error)

VERSION = tuple(map(int, sklearn.__version__.split(".")[:2]))


def probabilities_of(loss, outputs):
    if loss == "cross_entropy":
        powers = numpy.exp(outputs - outputs.max(axis=1, keepdims=True))
        return powers / powers.sum(axis=1, keepdims=True)
    return 1 / (1 + numpy.exp(-outputs)) if loss == "bce" else outputs


def mean_area(labels, scores, weights):
    classes = scores.shape[1]
    if classes == 2:
        return metrics.roc_auc_score(labels, scores[:, 1], sample_weight=weights)
    areas = [metrics.roc_auc_score(labels == label, scores[:, label], sample_weight=weights)
             for label in range(classes)]
    if numpy.allclose(scores.sum(axis=1), 1) and len(set(labels)) == classes:  # scikit-learn accepts no others
        area = metrics.roc_auc_score(labels, scores, multi_class="ovr", average="macro", sample_weight=weights)
        assert abs(area - numpy.mean(areas)) < 1e-12
    return numpy.mean(areas)


def weighted_area(labels, scores, weights):
    """Classes without rows have no weight."""
    classes = scores.shape[1]
    if classes == 2:
        return metrics.roc_auc_score(labels, scores[:, 1], sample_weight=weights)
    shares = numpy.bincount(labels, weights, classes)
    areas = [metrics.roc_auc_score(labels == label, scores[:, label], sample_weight=weights) for label in range(classes)]
    area = numpy.average(numpy.where(shares > 0, areas, 0), weights=shares)
    if numpy.allclose(scores.sum(axis=1), 1):  # scikit-learn accepts no others
        theirs = metrics.roc_auc_score(labels, scores, multi_class="ovr", average="weighted", labels=range(classes),
                                       sample_weight=weights)
        assert abs(area - theirs) < 1e-12 or math.isnan(area) and math.isnan(theirs)
    return area


def average_precision(labels, scores, weights):
    classes = scores.shape[1]
    columns = numpy.array([labels == label for label in range(classes)], int).T
    if classes == 2:
        return metrics.average_precision_score(columns[:, 1], scores[:, 1], sample_weight=weights)
    return metrics.average_precision_score(columns, scores, average="macro", sample_weight=weights)


def top_accuracy(count, labels, outputs, weights):
    classes = outputs.shape[1]
    scores = outputs[:, 1] if classes == 2 else outputs
    return metrics.top_k_accuracy_score(labels, scores, k=count, labels=range(classes), sample_weight=weights)


def brier(labels, scores, weights):
    """By its definition with scikit-learn before 1.7, which has none of several classes."""
    classes = scores.shape[1]
    if VERSION < (1, 7):
        return numpy.average(((numpy.eye(classes)[labels] - scores) ** 2).sum(axis=1), weights=weights)
    return metrics.brier_score_loss(labels, scores, labels=range(classes), scale_by_half=False, sample_weight=weights)


def calibration_error(labels, predicted, scores, weights):
    """By its definition: scikit-learn has none. Bins include their upper ends."""
    weights = numpy.ones(len(labels)) if weights is None else weights.astype(float)
    confidences = scores[numpy.arange(len(labels)), predicted]
    bins = numpy.digitize(confidences, numpy.arange(1, 15) / 15, right=True)
    gap = 0
    for number in range(15):
        of_bin = weights * (bins == number)
        if of_bin.sum() > 0:
            accuracy = numpy.average(predicted == labels, weights=of_bin)
            gap += of_bin.sum() * abs(accuracy - numpy.average(confidences, weights=of_bin))
    return gap / weights.sum()


def classification(loss, outputs, labels, weights, are_probabilities):
    scores = outputs if are_probabilities else probabilities_of(loss, outputs)
    predicted = outputs.argmax(axis=1)
    values = {
        "accuracy": metrics.accuracy_score(labels, predicted, sample_weight=weights),
        "balanced_accuracy": metrics.balanced_accuracy_score(labels, predicted, sample_weight=weights),
        "f1_macro": metrics.f1_score(labels, predicted, average="macro", sample_weight=weights),
        "f1_weighted": metrics.f1_score(labels, predicted, average="weighted", sample_weight=weights),
        "precision_macro": metrics.precision_score(labels, predicted, average="macro", sample_weight=weights),
        "precision_weighted": metrics.precision_score(labels, predicted, average="weighted", sample_weight=weights),
        "recall_macro": metrics.recall_score(labels, predicted, average="macro", sample_weight=weights),
        "recall_weighted": metrics.recall_score(labels, predicted, average="weighted", sample_weight=weights),
        "matthews": metrics.matthews_corrcoef(labels, predicted, sample_weight=weights),
        "roc_auc": mean_area(labels, scores, weights),
        "roc_auc_weighted": weighted_area(labels, scores, weights),
        "average_precision": average_precision(labels, scores, weights),
        "top_3_accuracy": top_accuracy(3, labels, outputs, weights),
    }
    for label in range(min(outputs.shape[1], 3)):
        one = {"labels": [label], "average": "macro", "sample_weight": weights}
        values[f"f1:{label}"] = metrics.f1_score(labels, predicted, **one)
        values[f"precision:{label}"] = metrics.precision_score(labels, predicted, **one)
        values[f"recall:{label}"] = metrics.recall_score(labels, predicted, **one)
    for count in range(2, outputs.shape[1]):
        values[f"top_k:{count}"] = top_accuracy(count, labels, outputs, weights)
    if loss != "mse":
        classes = range(outputs.shape[1])
        values["log_loss"] = metrics.log_loss(labels, scores, labels=classes, sample_weight=weights)
        values["brier"] = brier(labels, scores, weights)
        values["ece"] = calibration_error(labels, predicted, scores, weights)
    return values


def multilabel(outputs, targets, weights, are_probabilities):
    """log_loss and brier: the means of scikit-learn's values of the labels. accuracy: of sets of labels."""
    labels, weights = targets.astype(int), None if weights is None else weights.astype(float)
    width = labels.shape[1]
    scores = outputs if are_probabilities else probabilities_of("bce", outputs)
    predicted = (scores >= 0.5).astype(int)

    def mean(value):
        return numpy.mean([value(labels[:, label], scores[:, label]) for label in range(width)])

    weighted_area = metrics.roc_auc_score(labels, scores, average="weighted", sample_weight=weights)
    if labels.sum() == 0:  # scikit-learn: 0
        weighted_area = math.nan
    values = {
        "accuracy": metrics.accuracy_score(labels, predicted, sample_weight=weights),
        "hamming_loss": metrics.hamming_loss(labels, predicted, sample_weight=weights),
        "roc_auc": metrics.roc_auc_score(labels, scores, average="macro", sample_weight=weights),
        "roc_auc_weighted": weighted_area,
        "average_precision": metrics.average_precision_score(labels, scores, average="macro", sample_weight=weights),
        "average_precision_weighted": metrics.average_precision_score(labels, scores, average="weighted",
                                                                      sample_weight=weights),
        "log_loss": mean(lambda truth, score: metrics.log_loss(truth, score, labels=[0, 1], sample_weight=weights)),
        "brier": mean(lambda truth, score: metrics.brier_score_loss(truth, score, labels=[0, 1], pos_label=1,
                                                                    sample_weight=weights)),
    }
    for name, score in (("f1", metrics.f1_score), ("precision", metrics.precision_score),
                        ("recall", metrics.recall_score)):
        for average in ("macro", "micro", "weighted"):
            values[f"{name}_{average}"] = score(labels, predicted, average=average, sample_weight=weights)
        for label, value in enumerate(score(labels, predicted, average=None, sample_weight=weights)):
            values[f"{name}:{label}"] = value
    return values


def root_mean_squared_error(targets, outputs, weights):
    if VERSION < (1, 4):
        squares = metrics.mean_squared_error(targets, outputs, multioutput="raw_values", sample_weight=weights)
        return numpy.sqrt(squares).mean()
    return metrics.root_mean_squared_error(targets, outputs, sample_weight=weights)


def max_error(outputs, targets, weights):
    """scikit-learn has no weights and one target."""
    rows = slice(None) if weights is None else weights > 0
    return numpy.mean([metrics.max_error(target, output) for target, output in zip(targets[rows].T, outputs[rows].T)])


def regression(outputs, targets, weights):
    variance = metrics.explained_variance_score(targets, outputs, sample_weight=weights)
    return {"r2": metrics.r2_score(targets, outputs, sample_weight=weights),
            "explained_variance": variance if len(outputs) > 1 else math.nan,  # like R2
            "mae": metrics.mean_absolute_error(targets, outputs, sample_weight=weights),
            "mse": metrics.mean_squared_error(targets, outputs, sample_weight=weights),
            "rmse": root_mean_squared_error(targets, outputs, weights),
            "median_ae": metrics.median_absolute_error(targets, outputs, sample_weight=weights),
            "mape": metrics.mean_absolute_percentage_error(targets, outputs, sample_weight=weights),
            "max_error": max_error(outputs, targets, weights),
            **{f"pinball:{quantile}": metrics.mean_pinball_loss(targets, outputs, alpha=quantile, sample_weight=weights)
               for quantile in (0.1, 0.5, 0.95)}}


def label_cases(random):
    """As cases(), with several labels per row."""
    def draw(rows, width, step, share=0.4):
        targets = numpy.float32(random.random((rows, width)) < share)
        return rounded(random.normal(0, 2, (rows, width)) + 1.5 * targets - 0.7, step), targets

    def weigh(rows):
        return numpy.float32(random.integers(0, 8, rows) / 4)

    for width in (2, 3, 6):
        outputs, targets = draw(40, width, 0.01)
        yield f"{width} labels", False, outputs, targets, None
        yield f"{width} labels, weights", False, outputs, targets, weigh(40)
        outputs, targets = draw(40, width, 1)
        yield f"{width} labels, ties and logits of 0", False, outputs, targets, weigh(40)
        outputs, targets = draw(30, width, 0.5)
        yield (f"{width} labels, probabilities", True, numpy.float32(probabilities_of("bce", outputs)), targets,
               weigh(30))
    outputs, targets = draw(30, 4, 0.1)
    targets[:, 2] = 0
    yield "a label that no row has", False, outputs, targets, None
    outputs[:, 2] = -9
    yield "a label that no row has or is predicted to have", False, outputs, targets, weigh(30)
    targets[:, 3] = 1
    yield "a label that all rows have", False, outputs, targets, None
    yield "no labels predicted", False, numpy.float32(outputs * 0 - 1), targets, None
    yield "no labels at all", False, outputs, targets * 0, None
    yield "one row with labels", False, outputs[:1], numpy.float32([[1, 0, 1, 0]]), None
    yield ("probabilities of labels of 0, 0.5 and 1", True, numpy.float32([[1, 0], [0, 1], [1, 0], [0.5, 0.5]]),
           numpy.float32([[1, 0], [0, 1], [0, 1], [1, 0]]), numpy.float32([1, 2, 0.5, 1]))


def rounded(values, step):
    """32-bit numbers with few digits, so that some are equal."""
    return numpy.float32(numpy.round(values / step) * step)


def cases():
    """Yields name, loss, whether outputs are probabilities, outputs, labels or targets, and weights or None. Of several
    labels per row, the loss is "labels"."""
    random = numpy.random.default_rng(5)

    def draw(rows, classes, step, share=0.6):
        labels = random.integers(0, classes, rows)
        outputs = rounded(random.normal(0, 2, (rows, classes)), step)
        outputs[numpy.arange(rows), labels] += numpy.float32(random.random(rows) < share) * numpy.float32(1.5)
        return outputs, labels

    def weigh(rows):
        return numpy.float32(random.integers(0, 8, rows) / 4)

    for classes in (2, 3, 6):
        for loss in ("cross_entropy", "bce", "mse"):
            outputs, labels = draw(40, classes, 0.01)
            yield f"{classes} classes", loss, False, outputs, labels, None
            yield f"{classes} classes, weights", loss, False, outputs, labels, weigh(40)
            outputs, labels = draw(40, classes, 1)
            yield f"{classes} classes, ties", loss, False, outputs, labels, weigh(40)
        outputs, labels = draw(30, classes, 0.5)
        yield (f"{classes} classes, probabilities", "cross_entropy", True,
               numpy.float32(probabilities_of("cross_entropy", outputs)), labels, weigh(30))
    outputs, labels = draw(30, 4, 0.1)
    labels[labels == 2] = 1
    yield "a class without labels", "cross_entropy", False, outputs, labels, None
    outputs[:, 2] = -9
    yield "a class without labels and predictions", "cross_entropy", False, outputs, labels, weigh(30)
    outputs[:, 3] = -9
    yield "a class without predictions", "cross_entropy", False, outputs, labels, None
    yield "one class only", "cross_entropy", False, outputs, numpy.full(30, 1), None
    yield "one row", "cross_entropy", False, outputs[:1], labels[:1], None
    yield "all rows wrong", "cross_entropy", False, outputs[:6], (outputs[:6].argmax(axis=1) + 1) % 4, None
    weights = weigh(30)
    weights[labels == 3] = 0
    yield "a class without weight", "cross_entropy", False, outputs, labels, weights
    yield ("probabilities of 0 and 1", "cross_entropy", True, numpy.float32([[1, 0], [0, 1], [1, 0], [0.5, 0.5]]),
           numpy.array([0, 1, 1, 0]), numpy.float32([1, 2, 0.5, 1]))
    yield "all outputs equal", "cross_entropy", False, numpy.ones((8, 3), numpy.float32), numpy.arange(8) % 3, None
    for width in (1, 2, 5):
        targets = rounded(random.normal(100, 3, (40, width)), 0.25)
        outputs = numpy.float32(targets + random.normal(0, 1, (40, width)))
        yield f"{width} targets", None, False, outputs, targets, None
        yield f"{width} targets, weights", None, False, outputs, targets, weigh(40)
    targets[:, 1] = 7
    yield "a constant target", None, False, outputs, targets, None
    outputs[:, 1] = 7
    yield "a constant target that is predicted", None, False, outputs, targets, weigh(40)
    yield "one row of targets", None, False, outputs[:1], targets[:1], None
    yield ("five classes with equal outputs", "cross_entropy", False, numpy.ones((9, 5), numpy.float32),
           numpy.arange(9) % 5, weigh(9))
    targets = rounded(random.normal(0, 2, (40, 2)), 1)  # some are 0
    outputs = numpy.float32(targets + 3 + rounded(random.normal(0, 1, (40, 2)), 0.5))
    yield "targets of 0, with a mean error", None, False, outputs, targets, weigh(40)
    yield "a constant error", None, False, targets + 3, targets, None
    yield "a constant target with a constant error", None, False, outputs * 0 + 3, targets * 0, weigh(40)
    outputs = numpy.zeros((8, 5), numpy.float32)
    outputs[4:, 0] = 0.2
    yield ("confidences at the upper end of a bin, and above it", "cross_entropy", False, outputs,
           numpy.arange(8) // 4, None)
    for name, are_probabilities, outputs, targets, weights in label_cases(random):
        yield name, "labels", are_probabilities, outputs, targets, weights


def number(value):
    """Text that reads back exactly; that of a 32-bit number as a 32-bit number."""
    return "nan" if math.isnan(value) else str(value) if isinstance(value, numpy.float32) else repr(float(value))


def text_of(name, loss, are_probabilities, outputs, truth, weights, values):
    def listed(array):
        return " ".join(number(value) for value in numpy.ravel(array))

    kind = "regression" if loss is None else "multilabel" if loss == "labels" else "classification"
    loss = "bce" if loss == "labels" else loss
    lines = [f"case {name}",
             f"{kind} {loss or 'mse'} {'probabilities' if are_probabilities else 'outputs'} {len(outputs)} "
             f"{outputs.shape[1]} {'unweighted' if weights is None else 'weighted'}",
             listed(outputs), " ".join(map(str, truth)) if kind == "classification" else listed(truth)]
    lines += [] if weights is None else [listed(weights)]
    lines += [f"{metric} {number(value)}" for metric, value in values.items()]
    return "\n".join(lines) + "\nend\n"


def main():
    warnings.simplefilter("ignore")
    if VERSION < (1, 7):
        oracle.skip("scikit-learn before 1.7 has other weighted medians, and no Brier score of several classes")
    text = ""
    for name, loss, are_probabilities, outputs, truth, weights in cases():
        exact = outputs.astype(float)
        values = (regression(exact, truth.astype(float), weights) if loss is None else
                  multilabel(exact, truth, weights, are_probabilities) if loss == "labels" else
                  classification(loss, exact, truth, weights, are_probabilities))
        text += text_of(name, loss, are_probabilities, outputs, truth, weights, values)
    if sys.argv[2:] != ["--check"]:
        with open(sys.argv[1], "w") as file:
            file.write(f"# Written by metric_cases.py with scikit-learn {sklearn.__version__}.\n{text}")
        return
    with open(sys.argv[1]) as file:
        stored = file.read().split("\n", 1)[1].split()
    found = text.split()
    assert len(stored) == len(found), "the cases differ: write the file again"

    def differ(one, other):
        try:
            return not (abs(float(one) - float(other)) < 1e-12 * max(1, abs(float(one))) or one == other)
        except ValueError:
            return one != other

    wrong = [pair for pair in zip(stored, found) if differ(*pair)]
    print(f"scikit-learn {sklearn.__version__}: {len(found)} values, {len(wrong)} differ {wrong[:5]}")
    sys.exit(1 if wrong else 0)


if __name__ == "__main__":
    main()
