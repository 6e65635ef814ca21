"""Repeats trainings of Sheaf's engines with PyTorch, from the same weights and on the same batches, and compares the
final training and validation losses, for all combinations of engine, optimizer, weight decay, loss, reduction, model
and precision, and for some with sample weights. With early stopping, the number of epochs and the best one are those of
Keras's rule.

    /usr/bin/python3 compare_pytorch.py DUMP_TRAINING DIGITS.h5 [--every]

--every: compares all trainings, otherwise every third one.

SPDX-License-Identifier: MIT
"""
import itertools
import json
import math
import pathlib
import sys
import tempfile

import oracle

try:
    import h5py
    import numpy
    import torch
    from torch.optim import lr_scheduler as schedulers
except ImportError as error:
    oracle.skip(error)

# Largest relative differences after 24 steps with another order of sums; float64 allows for a ReLU input near zero. The
# native engine has its own sums, exponentials and square roots.
TOLERANCE = {
    "torch": {"float32": 1e-5, "float64": 1e-10},
    "native": {"float32": 1e-5, "float64": 1e-10},
}
# Before a batch norm, the gradients of biases, and of weights of a feature that is constant in a batch, are zero but for
# rounding. Adaptive optimizers make full steps of them, and sums over rows make large ones.
NOISE_TOLERANCE = 5e-3
# Float32 after up to 14 epochs with large learning rates.
STOPPING_TOLERANCE = 1e-3
EPOCHS, BATCH = 3, 32
EMBEDDING_EPOCHS = 7  # 56 steps
HUBER_DELTA = 0.7
SMOOTHING = 0.1
QUANTILES = (0.1, 0.5, 0.9)

MODELS = {
    "linear": {"kind": "linear"},
    "relu": {"kind": "mlp", "hidden": "24 16", "activation": "relu"},
    "tanh": {"kind": "mlp", "hidden": "24", "activation": "tanh"},
    "sigmoid": {"kind": "mlp", "hidden": "24", "activation": "sigmoid", "bias": "false"},
    "gelu": {"kind": "mlp", "hidden": "24", "activation": "gelu"},
    "silu": {"kind": "mlp", "hidden": "24", "activation": "silu"},
    "leaky_relu": {"kind": "mlp", "hidden": "24", "activation": "leaky_relu"},
    "elu": {"kind": "mlp", "hidden": "24", "activation": "elu"},
    "selu": {"kind": "mlp", "hidden": "24", "activation": "selu"},
    "mish": {"kind": "mlp", "hidden": "24", "activation": "mish"},
    "norm": {"kind": "mlp", "hidden": "32 7", "activation": "tanh", "norm": "layer"},
    "embedding": {"kind": "mlp", "hidden": "24", "activation": "tanh", "embedding": "piecewise"},
    "linear_embedding": {"kind": "linear", "embedding": "piecewise"},
    "batch_norm": {"kind": "mlp", "hidden": "32 7", "activation": "tanh", "norm": "batch"},
    "cnn_norm": {"kind": "cnn", "channels": "4 6", "kernel": 3, "hidden": "16", "activation": "tanh", "norm": "batch"},
    "cnn": {"kind": "cnn", "channels": "4 6", "kernel": 3, "hidden": "16", "activation": "relu"},
}
# Of tables with categories.
TABLE_MODELS = {
    "linear_one_hot": {"kind": "linear", "bias": "true"},  # other than "linear"
    "one_hot": {"kind": "mlp", "hidden": "24", "activation": "tanh", "categories": "one_hot"},
    "lookup": {"kind": "mlp", "hidden": "24", "activation": "tanh", "categories": "embedding"},
    "lookup_embedding": {"kind": "mlp", "hidden": "24", "activation": "tanh", "categories": "embedding",
                         "embedding": "piecewise"},
}
# The models of tasks other than the linear one and tanh.
MODELS_OF = {"classification": MODELS.keys() - {"linear_embedding"},
             "regression": ("linear", "tanh", "linear_embedding"),
             "table": TABLE_MODELS.keys()}
MODELS.update(TABLE_MODELS)
# The categories of the columns of the table, 0 for numbers, and whether a column of texts has empty cells.
COLUMNS = ((0, False), (3, True), (12, False), (0, False), (1, False), (20, True), (9, False), (0, False))
# Name: keys, and learning rates for reduction = mean and sum.
OPTIMIZERS = {
    "sgd": ({"optimizer": "sgd"}, 5e-2, 3e-4),
    "momentum": ({"optimizer": "sgd", "momentum": 0.8}, 2e-2, 1e-4),
    "nesterov": ({"optimizer": "sgd", "momentum": 0.8, "nesterov": "true"}, 2e-2, 1e-4),
    "adam": ({"optimizer": "adam", "beta1": 0.8, "beta2": 0.99}, 3e-3, 3e-3),
    "adamw": ({"optimizer": "adamw", "epsilon": 1e-6}, 3e-3, 3e-3),
    "nadam": ({"optimizer": "nadam", "beta1": 0.8}, 3e-3, 3e-3),
    "rmsprop": ({"optimizer": "rmsprop", "alpha": 0.9}, 1e-3, 1e-3),
    "rmsprop_momentum": ({"optimizer": "rmsprop", "momentum": 0.5}, 5e-4, 5e-4),
}
# Names and keys.
SCHEDULES = {
    "cosine": {"warmup_epochs": 0.5},
    "step": {"warmup_epochs": 0.5, "step_epochs": 1, "step_factor": 0.25},
    "exponential": {"warmup_epochs": 0, "exponential_factor": 0.5},
    "linear": {"warmup_epochs": 0.5},
    "one_cycle": {"warmup_epochs": 0},
    "coslog": {"warmup_epochs": 0},
}
# Names and keys. Most gradients are larger than the limits.
CLIPPINGS = {
    "clip_norm": {"mean": {"clip_norm": 0.1}, "sum": {"clip_norm": 5}},
    "clip_value": {"mean": {"clip_value": 0.02}, "sum": {"clip_value": 0.6}},
}
# L1 penalties, also with clipping, and averaged weights.
WEIGHT_RULES = {
    "l1": {"mean": {"l1": 0.01}, "sum": {"l1": 0.3}},
    "l1_clip": {"mean": {"l1": 0.01, "clip_norm": 0.1}, "sum": {"l1": 0.3, "clip_norm": 5}},
    "ema": {"mean": {"average": "ema", "average_decay": 0.9}, "sum": {"average": "ema", "average_decay": 0.9}},
}
# Early stopping with best weights, which overfits after some epochs.
STOPPING = {
    "stop": {"epochs": 14, "patience": 2, "best_weights": "true"},
    "stop_rows": {"epochs": 14, "patience": 3, "best_weights": "true", "stop_fraction": 0.25},
}
ACTIVATIONS = {"relu": torch.nn.ReLU, "tanh": torch.nn.Tanh, "sigmoid": torch.nn.Sigmoid, "gelu": torch.nn.GELU,
               "silu": torch.nn.SiLU, "leaky_relu": torch.nn.LeakyReLU, "elu": torch.nn.ELU, "selu": torch.nn.SELU,
               "mish": torch.nn.Mish}


def make_data(digits, folder):
    """Writes 300 digits and a noisy linear relation, counts, copies of one target and two labels of 300 rows each as
    files with sample weights. Returns {task: (features, targets, path, weights)}."""
    with h5py.File(digits) as file:
        data = {"classification": (file["features"][:300].astype("f4"), file["targets"][:300].astype("i8"))}
    random = numpy.random.default_rng(5)
    features = random.normal(3, 2, (300, 12)).astype("f4")
    targets = features @ random.normal(0, 0.3, (12, 2)) + random.normal(0, 0.1, (300, 2))
    data["regression"] = (features, targets.astype("f4"))
    # counts, whose logarithms depend on the features
    means = numpy.exp(0.3 * (features - 3) @ random.normal(0, 0.5, (12, 2)))
    data["counts"] = (features, random.poisson(means).astype("f4"))
    data["quantile"] = (features, numpy.repeat(data["regression"][1][:, :1], len(QUANTILES), axis=1))
    linear = data["regression"][1]
    data["multilabel"] = (features, (linear > numpy.quantile(linear, [0.4, 0.7])).astype("f4"))
    # Codes are -1 for empty cells, or for unknown texts.
    columns = [random.integers(-1, categories, 300) if categories else random.normal(3, 2, 300)
               for categories, _ in COLUMNS]
    effects = [column * 0.3 if not categories else random.normal(0, 1, categories + 1)[column]
               for column, (categories, _) in zip(columns, COLUMNS)]
    data["table"] = (numpy.stack(columns, 1).astype("f4"), numpy.stack([sum(effects), effects[2]], 1).astype("f4"))
    described = [{"name": f"c{number}", "empty": empty,
                  **({"categories": [str(code) for code in range(categories)]} if categories else {})}
                 for number, (categories, empty) in enumerate(COLUMNS)]
    for task, (features, targets) in data.items():
        path = folder / f"{task}.h5"
        with h5py.File(path, "w") as file:
            file["features"], file["targets"] = features, targets
            if task == "table":
                file["features"].attrs["columns"] = json.dumps({"format": 2, "columns": described})
            file["weights"] = weights = numpy.where(random.random(300) < 0.2, 0,
                                                    random.exponential(1, 300)).astype("f4")
        data[task] = (features, targets, path, weights)
    return data


def make_studies(data):
    """Returns {name: sections}. Each study searches over losses, weight decays and precisions."""
    studies = {}
    for task, model, optimizer, reduction in itertools.product(data, MODELS, OPTIMIZERS, ("mean", "sum")):
        if model not in MODELS_OF.get(task, ("linear", "tanh")):
            continue
        keys, mean_rate, sum_rate = OPTIMIZERS[optimizer]
        regression = task != "classification"
        losses = {"classification": "mse, cross_entropy, bce", "regression": "mse, mae, huber", "counts": "mse, poisson",
                  "quantile": None, "multilabel": None, "table": "mse"}
        studies[f"{task}-{model}-{optimizer}-{reduction}"] = {
            "data": {
                "file": data[task][2],
                "task": "regression" if regression and task != "multilabel" else task,
                "normalize": "minmax" if regression else "standard",
                "validation": 0.2,
                **({"image": "1x8x8"} if MODELS[model]["kind"] == "cnn" else {}),
            },
            "model": MODELS[model],
            "train": {
                "epochs": EMBEDDING_EPOCHS if "embedding" in MODELS[model] else EPOCHS,
                "batch_size": BATCH,
                "reduction": reduction,
                **({"huber_delta": HUBER_DELTA} if task == "regression" else {}),
                **({"loss": "bce"} if task == "multilabel" else {}),
                **({"loss": "quantile", "quantiles": ", ".join(map(str, QUANTILES))} if task == "quantile" else {}),
                "learning_rate": mean_rate if reduction == "mean" else sum_rate,
                **keys,
            },
            "search": {
                "method": "grid",
                **({"train.loss": losses[task]} if losses[task] else {}),
                "train.weight_decay": "0, 0.02",
                "train.precision": "float32, float64",
            },
        }
    for task, model in (("classification", "relu"), ("regression", "tanh")):
        for optimizer, reduction in itertools.product(("momentum", "adam"), ("mean", "sum")):
            plain = studies[f"{task}-{model}-{optimizer}-{reduction}"]
            if task == "classification":
                studies[f"{task}-{model}-{optimizer}-{reduction}-smoothed"] = {
                    **plain, "train": {**plain["train"], "label_smoothing": SMOOTHING}}
                studies[f"{task}-{model}-{optimizer}-{reduction}-smoothed-weighted"] = {
                    **plain, "data": {**plain["data"], "weights": "weights"},
                    "train": {**plain["train"], "label_smoothing": SMOOTHING}}
            studies[f"{task}-{model}-{optimizer}-{reduction}-weighted"] = {
                **plain, "data": {**plain["data"], "weights": "weights"}}
            if task == "classification":
                for weights in ("", "weights"):
                    studies[f"{task}-{model}-{optimizer}-{reduction}-balanced{weights}"] = {
                        **plain, "train": {**plain["train"], "class_weights": "balanced"},
                        "data": {**plain["data"], **({"weights": weights} if weights else {})}}
            for schedule, keys in SCHEDULES.items():
                studies[f"{task}-{model}-{optimizer}-{reduction}-{schedule}"] = {
                    **plain, "train": {**plain["train"], "schedule": schedule, **keys}}
            for stopping, keys in STOPPING.items():
                rate = plain["train"]["learning_rate"] * (8 if optimizer == "adam" else 4)
                studies[f"{task}-{model}-{optimizer}-{reduction}-{stopping}"] = {
                    **plain, "train": {**plain["train"], **keys, "learning_rate": rate}}
            for clipping, keys in {**CLIPPINGS, **WEIGHT_RULES}.items():
                studies[f"{task}-{model}-{optimizer}-{reduction}-{clipping}"] = {
                    **plain, "train": {**plain["train"], **keys[reduction]}}
    return studies


class Encoding(torch.nn.Module):
    """The definition of model.embedding = piecewise, with products of all hat functions, most of which are 0, and of
    model.categories. `columns`: as COLUMNS."""
    EDGES, WIDTH, MAX_ONE_HOT = 49, 8, 9

    def __init__(self, columns, piecewise, lookup):
        super().__init__()
        self.columns, self.piecewise = columns, piecewise
        self.numbers = [number for number, (categories, _) in enumerate(columns) if categories == 0]
        self.tables = [number for number, (categories, _) in enumerate(columns)
                       if lookup and categories > self.MAX_ONE_HOT]
        features = len(self.numbers)
        if piecewise:
            self.weight = torch.nn.Parameter(torch.zeros(features, 1 + self.EDGES, self.WIDTH))
        for number in self.tables:
            self.register_parameter(f"table{number}", torch.nn.Parameter(torch.zeros(columns[number][0] + 1, self.WIDTH)))
        if piecewise:
            self.bias = torch.nn.Parameter(torch.zeros(features * self.WIDTH))

    def width(self):
        """The number of outputs."""
        return self(torch.zeros(1, len(self.columns))).shape[1]

    def set_edges(self, values):
        """`values`: [rows, features] of the training rows, float32."""
        if not self.piecewise:
            return
        values = values[:, self.numbers]
        self.edges = torch.full((values.shape[1], self.EDGES), math.nan, dtype=self.weight.dtype)  # NaN: unused
        # numpy.quantile, but rounded as in Sheaf: between floats, a quantile is often in the middle of two others
        positions = numpy.arange(self.EDGES) / (self.EDGES - 1) * (len(values) - 1)
        lower = positions.astype(int)
        for feature, ordered in enumerate(numpy.sort(values.astype("f8"), 0).T):
            low, high = ordered[lower], ordered[numpy.minimum(lower + 1, len(values) - 1)]
            quantiles = low + (positions - lower) * (high - low)
            assert numpy.allclose(quantiles, numpy.quantile(ordered, numpy.linspace(0, 1, self.EDGES)), 1e-12, 1e-12)
            edges = []
            for edge in quantiles.astype("f4"):
                if not edges or edge - edges[-1] >= numpy.float32(1e-6):
                    edges.append(edge)
            self.edges[feature, :len(edges)] = torch.tensor(numpy.array(edges))

    def hats(self, values):
        """The values of all hat functions, [rows, features, EDGES]. Before the first edge, and after the last one, a hat
        stays at 1."""
        distances = values.unsqueeze(2) - self.edges
        slopes = distances[:, :, :-1] / self.edges.diff()  # 0 at the lower edge, 1 at the upper one
        rising = torch.nn.functional.pad(slopes, (1, 0), value=1.0)
        falling = torch.nn.functional.pad(1 - slopes, (0, 1), value=1.0).nan_to_num(1.0)
        return torch.minimum(rising, falling).clamp(0, 1).nan_to_num(0.0)

    def forward(self, values):
        parts = []
        if self.piecewise:
            numbers = values[:, self.numbers]
            at_edges = torch.einsum("rfe,few->rfw", self.hats(numbers), self.weight[:, 1:])
            parts.append((numbers.unsqueeze(2) * self.weight[:, 0] + at_edges).flatten(1) + self.bias)
        for number in self.tables:
            parts.append(torch.nn.functional.embedding(values[:, number].long() + 1, getattr(self, f"table{number}")))
        for number, (categories, has_empty_cells) in enumerate(self.columns):
            if categories == 0 and not self.piecewise:
                parts.append(values[:, [number]])
            elif categories > 0 and number not in self.tables:
                levels = torch.nn.functional.one_hot(values[:, number].long() + 1, categories + 1).to(values)
                parts.append(levels if has_empty_cells else levels[:, 1:])
        return torch.cat(parts, 1)


def make_network(model, features, outputs):
    bias = model.get("bias") != "false"
    hidden_bias = bias and model.get("norm") != "batch"
    activation = ACTIVATIONS[model.get("activation", "relu")]
    layers, width = [], features
    is_table = model in TABLE_MODELS.values()
    if "embedding" in model or is_table:
        layers.append(Encoding(COLUMNS if is_table else ((0, False),) * features, "embedding" in model,
                               model.get("categories") == "embedding"))
        if "embedding" in model:
            layers[0].edges = torch.zeros(len(layers[0].numbers), Encoding.EDGES)
        width = layers[0].width()
    if model["kind"] == "cnn":
        layers.append(torch.nn.Unflatten(1, (1, 8, 8)))
        channels = 1
        for more in map(int, model["channels"].split()):
            norm = [torch.nn.BatchNorm2d(more)] if model.get("norm") == "batch" else []
            layers += [torch.nn.Conv2d(channels, more, 3, padding="same", bias=hidden_bias), *norm, activation(),
                       torch.nn.MaxPool2d(2)]
            channels = more
        layers.append(torch.nn.Flatten())
        width = channels * 2 * 2
    for hidden in map(int, model.get("hidden", "").split()):
        norm = {"layer": [torch.nn.LayerNorm(hidden)], "batch": [torch.nn.BatchNorm1d(hidden)]}.get(
            model.get("norm"), [])
        layers += [torch.nn.Linear(width, hidden, bias=hidden_bias), *norm, activation()]
        width = hidden
    return torch.nn.Sequential(*layers, torch.nn.Linear(width, outputs, bias=bias))


def make_optimizer(train, weight_decay, parameters):
    common = {"lr": train["learning_rate"], "weight_decay": weight_decay}
    if train["optimizer"] == "sgd":
        return torch.optim.SGD(parameters, momentum=train.get("momentum", 0), nesterov="nesterov" in train, **common)
    common["eps"] = train.get("epsilon", 1e-8)
    if train["optimizer"] == "rmsprop":
        return torch.optim.RMSprop(parameters, alpha=train.get("alpha", 0.99), momentum=train.get("momentum", 0),
                                   **common)
    common["betas"] = train.get("beta1", 0.9), train.get("beta2", 0.999)
    if train["optimizer"] == "nadam":  # PyTorch 1.13 has a momentum twice in the formula, but not with foreach
        return torch.optim.NAdam(parameters, foreach=True, **common)
    return {"adam": torch.optim.Adam, "adamw": torch.optim.AdamW}[train["optimizer"]](parameters, **common)


def make_scheduler(train, optimizer, epoch_steps):
    """Returns a function to be called after each step."""
    if "schedule" not in train:
        return lambda: None
    warmup = round(train["warmup_epochs"] * epoch_steps)
    steps, rate, group = train["epochs"] * epoch_steps - warmup, train["learning_rate"], optimizer.param_groups[0]
    make, interval = {
        "cosine": (lambda: schedulers.CosineAnnealingLR(optimizer, steps), 1),
        "step": (lambda: schedulers.StepLR(optimizer, 1, 0.25), epoch_steps),
        "exponential": (lambda: schedulers.ExponentialLR(optimizer, 0.5), epoch_steps),
        "linear": (lambda: schedulers.LinearLR(optimizer, 1, 0, steps), 1),
        "one_cycle": (lambda: schedulers.OneCycleLR(optimizer, rate, steps, cycle_momentum=False), 1),
        "coslog": (lambda: schedulers.LambdaLR(optimizer, coslog(steps)), 1),
    }[train["schedule"]]
    done, scheduler = -warmup - 1, None

    def after_step():
        nonlocal done, scheduler
        done += 1
        if done < 0:
            group["lr"] = rate * (1 + (done + 1) / warmup)
        elif done == 0:
            group["lr"] = rate
            scheduler = make()
        elif done % interval == 0:
            scheduler.step()

    after_step()  # sets the rate of the first step
    return after_step


def coslog(steps):
    """RealMLP's coslog4 as factors of the learning rate."""
    return lambda step: (1 - math.cos(2 * math.pi * math.log2(1 + 15 * step / steps))) / 2


def make_loss(name, reduction, classes, smoothing=0.0):
    """Returns a function of (outputs, targets, weights of the rows). Targets are labels if `classes` > 0. The weights
    may be None."""
    plain = make_plain_loss(name, reduction, classes, smoothing)
    weighted = make_weighted_loss(name, reduction, classes, smoothing)
    return lambda outputs, targets, weights: (plain(outputs, targets) if weights is None
                                              else weighted(outputs, targets, weights))


def make_plain_loss(name, reduction, classes, smoothing):
    if name == "cross_entropy":
        return torch.nn.CrossEntropyLoss(reduction=reduction, label_smoothing=smoothing)
    if name == "huber":
        return torch.nn.HuberLoss(reduction=reduction, delta=HUBER_DELTA)
    if name == "quantile":
        def pinball(outputs, targets):
            quantiles, errors = torch.tensor(QUANTILES, dtype=outputs.dtype), targets - outputs
            losses = torch.maximum(quantiles * errors, (quantiles - 1) * errors)
            return losses if reduction == "none" else getattr(losses, reduction)()
        return pinball
    if name == "poisson":
        return torch.nn.PoissonNLLLoss(log_input=True, full=False, reduction=reduction)
    plain = {"mse": torch.nn.MSELoss, "mae": torch.nn.L1Loss,
             "bce": torch.nn.BCEWithLogitsLoss}[name](reduction=reduction)
    if not classes:
        return plain
    return lambda outputs, labels: plain(outputs, torch.nn.functional.one_hot(labels, classes).to(outputs.dtype))


def make_weighted_loss(name, reduction, classes, smoothing):
    unreduced = make_plain_loss(name, "none", classes, smoothing)

    def loss_of(outputs, targets, weights):
        losses = unreduced(outputs, targets)  # [rows] or [rows, outputs]
        return getattr(losses * weights.view(-1, *(1,) * (losses.dim() - 1)), reduction)()

    return loss_of


def load_weights(entry, network):
    """Copies the initial weights of the entry into a network, converted to its type."""
    weights = torch.from_numpy(numpy.fromfile(entry["weights"], "f4"))
    assert sum(parameter.numel() for parameter in network.parameters()) == len(weights)
    torch.nn.utils.vector_to_parameters(weights.to(next(network.parameters()).dtype), network.parameters())


def train_again(entry, sections, data):
    """Returns (final loss, validation loss, epochs, best epoch) of the same training with PyTorch."""
    found = next(one for one in data.values() if one[2] == sections["data"]["file"])
    labelled = found[1].dtype.kind == "i"
    network = make_network(sections["model"], found[0].shape[1], 10 if labelled else found[1].shape[1])
    network.to(getattr(torch, entry["values"]["train.precision"]))
    load_weights(entry, network)
    return train_network(network, entry, sections, found)


def train_network(network, entry, sections, data):
    """Trains a network from its current weights on (features [rows, features], targets, path, weights). Returns (final
    loss, validation loss, epochs, best epoch), the latter -1 without early stopping."""
    features, targets, _, row_weights = data
    values, train = entry["values"], sections["train"]
    dtype = next(network.parameters()).dtype
    shift, scale = (numpy.array(entry[name], "f4") for name in ("shift", "scale"))
    scaled = (features - shift) * scale
    for layer in network.modules():
        if isinstance(layer, Encoding):
            layer.set_edges(scaled[entry["orders"][0]])
    features = torch.from_numpy(scaled).to(dtype)
    labelled = targets.dtype.kind == "i"
    targets = torch.from_numpy(targets) if labelled else torch.from_numpy(targets).to(dtype)
    name, classes = values.get("train.loss", train.get("loss")), 10 if labelled else 0
    smoothing = train.get("label_smoothing", 0.0)
    minimized = make_loss(name, train["reduction"], classes, smoothing)
    trained, evaluated = make_loss(name, "mean", classes, smoothing), make_loss(name, "mean", classes)
    row_weights = torch.from_numpy(row_weights).to(dtype) if "weights" in sections["data"] else None
    if "class_weights" in train:
        counts = numpy.bincount(targets.numpy()[entry["orders"][0]], minlength=10)
        of_classes = torch.from_numpy(len(entry["orders"][0]) / ((counts > 0).sum() * numpy.maximum(counts, 1)))
        of_rows = of_classes[targets]  # float64; the product with float32 weights is rounded once, as in Sheaf
        row_weights = (of_rows if row_weights is None else row_weights.double() * of_rows).to(dtype)
    optimizer = make_optimizer(train, float(values.get("train.weight_decay", 0)), network.parameters())
    network.train()
    averaged = None
    if "average" in train:
        decay = train["average_decay"]
        averaged = torch.optim.swa_utils.AveragedModel(
            network, avg_fn=lambda average, current, count: decay * average + (1 - decay) * current)
    after_step = make_scheduler(train, optimizer, -(-len(entry["orders"][0]) // train["batch_size"]))

    def loss_of(rows):
        tested = network if averaged is None else averaged
        tested.eval()
        with torch.no_grad():
            loss = evaluated(tested(features[rows]), targets[rows], None).item()
        tested.train()
        return loss

    best, validation, best_epoch = math.inf, math.nan, -1
    for epoch, order in enumerate(entry["orders"]):
        assert (sorted(order + entry["validation_rows"] + entry["stopping_rows"]) == list(range(len(features))))
        total = 0.0
        for rows in torch.tensor(order).split(train["batch_size"]):
            optimizer.zero_grad()
            outputs = network(features[rows])
            batch = outputs, targets[rows], None if row_weights is None else row_weights[rows]
            loss = minimized(*batch)
            if "l1" in train:
                loss = loss + train["l1"] * sum(parameter.abs().sum() for parameter in network.parameters()
                                                if parameter.dim() > 1)
            loss.backward()
            if "clip_norm" in train:
                torch.nn.utils.clip_grad_norm_(network.parameters(), train["clip_norm"])
            if "clip_value" in train:
                torch.nn.utils.clip_grad_value_(network.parameters(), train["clip_value"])
            optimizer.step()
            after_step()
            if averaged is not None:
                averaged.update_parameters(network)
            total += trained(*batch).item() * len(rows)
        if "patience" in train:
            monitored = loss_of(entry["stopping_rows"] or entry["validation_rows"])
            if monitored < best:
                best, best_epoch, validation = monitored, epoch, loss_of(entry["validation_rows"])
            elif epoch - best_epoch >= train["patience"]:
                break
    if "patience" not in train:
        validation = loss_of(entry["validation_rows"])
    return total / len(order), validation, epoch + 1, best_epoch


def studies_of(engine, studies):
    return {name: {**sections, "run": {"engine": engine}} for name, sections in studies.items()
            if engine == "torch" or sections["model"]["kind"] != "cnn"}


def compare(entry, expected, worst):
    """Compares an entry with the `expected` losses of PyTorch. Returns failure messages and updates `worst`."""
    engine, precision = entry["engine"], entry["values"]["train.precision"]
    failures = []
    for kind, ours, theirs in zip(("final", "validation"), (entry["final_loss"], entry["validation_loss"]), expected):
        difference = abs(ours - theirs) / abs(theirs)
        noisy = precision == "float32" and any(f"-{name}-" in entry["study"] for name in ("batch_norm", "cnn_norm"))
        long = precision == "float32" and "-stop" in entry["study"]
        kind_of = engine, ("batch norm, " if noisy else "early stopping, " if long else "") + precision
        worst[kind_of] = max(worst.get(kind_of, 0.0), difference)
        if not difference <= (NOISE_TOLERANCE if noisy else STOPPING_TOLERANCE if long
                              else TOLERANCE[engine][precision]):
            failures.append(f"{engine}: {entry['study']} {entry['values']}: {kind} loss {ours} instead of {theirs}")
    if (entry["epochs"], entry["best_epoch"]) != expected[2:]:
        failures.append(f"{engine}: {entry['study']} {entry['values']}: {entry['epochs']} epochs, the best "
                        f"{entry['best_epoch']}, instead of {expected[2:]}")
    return failures


def main():
    program, digits, *options = sys.argv[1:]
    share = 1 if "--every" in options else 3
    torch.set_num_threads(1)
    torch.set_default_dtype(torch.float64)  # the type in which NAdam keeps its product of momenta
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        data = make_data(digits, folder)
        studies = make_studies(data)
        entries = {engine: oracle.train(program, studies_of(engine, studies), folder) for engine in TOLERANCE}
        # weighted, with class weights, smoothed, with a schedule, with early stopping, clipping or rules for the weights
        changed = 8 * (3 + len(SCHEDULES) + len(STOPPING) + len(CLIPPINGS) + len(WEIGHT_RULES))
        others = 32 * 16 + len(TABLE_MODELS) * 16 * 4  # without a choice of losses
        counts = {"torch": (240 + 48 + changed) * 12 + others, "native": (208 + 48 + changed) * 12 + others}
        expected, worst, failures, compared = {}, {}, [], 0
        numbers = {study: number for number, study in enumerate(studies)}
        for engine, trained in entries.items():
            assert len(trained) == counts[engine] and {entry["engine"] for entry in trained} == {engine}, len(trained)
            for entry in trained:
                start = entry["study"], entry["iteration"]  # the same initial weights in both engines
                if (numbers[start[0]] + start[1]) % share != 0:
                    continue
                compared += 1
                if start not in expected:
                    expected[start] = train_again(entry, studies[entry["study"]], data)
                failures += compare(entry, expected[start], worst)
        ends = {one["epochs"] for one in entries["native"] if "-stop" in one["study"]}
        assert len(ends) > 5, ends
    print("\n".join(failures[:50]))
    print(f"{compared} of {sum(counts.values())} trainings compared, {len(failures)} losses differ; largest relative differences: {worst}")
    sys.exit(1 if failures else 0)


if __name__ == "__main__":
    main()
