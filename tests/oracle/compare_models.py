"""Trains residual networks and TorchScript modules again with PyTorch, from the initial weights of Sheaf (resnets) or
of the module, on the same batches, in training mode; validation uses the running statistics.

    /usr/bin/python3 compare_models.py DUMP_TRAINING DIGITS.h5 [--every]

--every: the residual networks in every precision, and with every stem; otherwise in float64 and with the usual stems.

SPDX-License-Identifier: MIT
"""
import copy
import pathlib
import sys
import tempfile

import oracle

try:
    import h5py
    import numpy
    import torch
    import compare_pytorch
except ImportError as error:
    oracle.skip(error)

nn = torch.nn
PRECISIONS = "float32, float64, bfloat16"
TOLERANCE = {"float32": 1e-5, "float64": 1e-8, "bfloat16": 5e-5}
# ReLU amplifies the rounding of float32 weights in a residual network to percents of its training loss. The tolerance
# is ROUNDING_FACTOR times the largest difference in ROUNDING_DRAWS trainings from randomly rounded initial weights.
ROUNDING_FACTOR, ROUNDING_DRAWS = 3, 4


class Autocast(nn.Module):
    """Mixed precision, with outputs in float32."""

    def __init__(self, network):
        super().__init__()
        self.network = network

    def forward(self, rows):
        with torch.autocast("cpu", torch.bfloat16):
            return self.network(rows).float()


class Block(nn.Module):
    """A residual block as in He et al. 2016, with the stride in the 3x3 convolution."""

    def __init__(self, inputs, channels, stride, bottleneck):
        super().__init__()
        outputs = channels * (4 if bottleneck else 1)
        if bottleneck:
            sides, widths = (1, 3, 1), (inputs, channels, channels, outputs)
        else:
            sides, widths = (3, 3), (inputs, channels, outputs)
        layers = []
        for index, side in enumerate(sides):
            step = stride if side == 3 and index == len(sides) - 2 else 1
            layers += [nn.Conv2d(widths[index], widths[index + 1], side, step, side // 2, bias=False),
                       nn.BatchNorm2d(widths[index + 1]), nn.ReLU()]
        self.main = nn.Sequential(*layers[:-1])
        self.shortcut = nn.Sequential()
        if stride != 1 or inputs != outputs:
            self.shortcut = nn.Sequential(nn.Conv2d(inputs, outputs, 1, stride, bias=False), nn.BatchNorm2d(outputs))

    def forward(self, rows):
        return torch.relu(self.main(rows) + self.shortcut(rows))


def resnet(image, outputs, blocks, bottleneck, stem=None):
    full = stem == "imagenet" if stem else min(image[1:]) >= 64
    layers = [nn.Unflatten(1, image), nn.Conv2d(image[0], 64, 7 if full else 3, 2 if full else 1, 3 if full else 1,
                                               bias=False), nn.BatchNorm2d(64), nn.ReLU()]
    if full:
        layers.append(nn.MaxPool2d(3, 2, 1))
    inputs = 64
    for stage, count in enumerate(blocks):
        for block in range(count):
            channels = 64 * 2 ** stage
            layers.append(Block(inputs, channels, 2 if block == 0 and stage > 0 else 1, bottleneck))
            inputs = channels * (4 if bottleneck else 1)
    return nn.Sequential(*layers, nn.AdaptiveAvgPool2d(1), nn.Flatten(), nn.Linear(inputs, outputs))


def resnet18(image, outputs):
    return resnet(image, outputs, (2, 2, 2, 2), False)


def resnet18_imagenet(image, outputs):
    return resnet(image, outputs, (2, 2, 2, 2), False, "imagenet")


def resnet18_small(image, outputs):
    return resnet(image, outputs, (2, 2, 2, 2), False, "small")


def resnet50(image, outputs):
    return resnet(image, outputs, (3, 4, 6, 3), True)


def mlp(image, outputs):
    return nn.Sequential(nn.Flatten(), nn.Linear(image[0] * image[1] * image[2], 24), nn.Tanh(), nn.Linear(24, outputs))


def cnn(image, outputs):
    return nn.Sequential(nn.Conv2d(image[0], 6, 3, padding=1), nn.BatchNorm2d(6), nn.ReLU(), nn.MaxPool2d(2),
                         nn.Flatten(), nn.Linear(6 * image[1] // 2 * image[2] // 2, outputs))


def make_data(digits, folder):
    """Writes small images, and a few that are large enough for the full stem; returns {name: (image, (features, labels,
    path, None))}."""
    with h5py.File(digits) as file:
        small = file["features"][:150].astype("f4"), file["targets"][:150].astype("i8")
    random = numpy.random.default_rng(3)
    large = random.normal(0, 1, (20, 3 * 64 * 66)).astype("f4"), numpy.arange(20) % 10
    data = {}
    for name, image, (features, labels) in (("small", (1, 8, 8), small), ("large", (3, 64, 66), large)):
        path = folder / f"{name}.h5"
        with h5py.File(path, "w") as file:
            file["features"], file["targets"] = features.reshape(-1, *image), labels
        data[name] = image, (features, labels, path, None)
    return data


def make_study(kind, path, precisions, **model):
    return {
        "data": {"file": path, "task": "classification", "normalize": "standard", "validation": 0.2},
        "model": {"kind": kind, **model},
        "train": {"epochs": 2, "batch_size": 40, "optimizer": "sgd", "momentum": 0.9, "learning_rate": 1e-3,
                  "reduction": "mean",
                  "loss": "cross_entropy", "shuffle": "false" if model else "true"},
        "search": {"method": "grid", "train.precision": precisions},
    }


def difference(losses, expected):
    """The larger relative difference of the two losses."""
    return max(abs(ours / theirs - 1) for ours, theirs in zip(losses, expected))


def rounded(network):
    """A copy of the network whose parameters differ by about their rounding error."""
    copied = copy.deepcopy(network)
    with torch.no_grad():
        for parameter in copied.parameters():
            parameter.mul_(1 + torch.finfo(parameter.dtype).eps * torch.randn_like(parameter))
    return copied


def main():
    program, digits, *options = sys.argv[1:]
    every = "--every" in options
    torch.set_num_threads(1)
    failures = 0
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        data = make_data(digits, folder)
        cases = {"resnet18-small": (resnet18, "small", PRECISIONS if every else "float64"),
                 "resnet50-large": (resnet50, "large", "float64")}
        if every:
            cases |= {"resnet18-large": (resnet18, "large", "float64"),
                      "resnet18-imagenet": (resnet18_imagenet, "small", "float64"),
                      "resnet18-smallstem": (resnet18_small, "large", "float64")}
        stems = {"resnet18-imagenet": {"stem": "imagenet"}, "resnet18-smallstem": {"stem": "small"}}
        scripts = {"mlp": mlp, "cnn": cnn}
        studies = {case: make_study(case.split("-")[0], data[images][1][2], precisions, **stems.get(case, {}))
                   for case, (_, images, precisions) in cases.items()}
        torch.manual_seed(5)
        for script, make in scripts.items():
            torch.jit.script(make(data["small"][0], 10)).save(folder / f"{script}.pt")
            studies[script] = make_study(f"torchscript:{folder / script}.pt", data["small"][1][2], PRECISIONS,
                                         keep_weights="yes")
        entries = oracle.train(program, studies, folder)
        assert len(entries) == (3 + 4 if every else 2) + 2 * 3, len(entries)
        for entry in entries:
            study, precision = entry["study"], entry["values"]["train.precision"]
            mixed = precision == "bfloat16"
            dtype = torch.float32 if mixed else getattr(torch, precision)
            if study in scripts:
                image, rows = data["small"]
                network = torch.jit.load(folder / f"{study}.pt").to(dtype)
                network = nn.Sequential(nn.Unflatten(1, image), network)
            else:
                make, images, _ = cases[study]
                image, rows = data[images]
                network = make(image, 10).to(dtype)
                compare_pytorch.load_weights(entry, network)
            if mixed:
                network = Autocast(network)
            draws = ROUNDING_DRAWS if study not in scripts and dtype == torch.float32 else 0
            # Without optimization, like Sheaf: the TorchScript compiler of Debian 13 hangs on the gradient of the MLP.
            with torch.jit.optimized_execution(False):
                expected, *others = [compare_pytorch.train_network(module, entry, studies[study], rows)[:2]
                                     for module in [network, *(rounded(network) for _ in range(draws))]]
            tolerance = max([TOLERANCE[precision],
                             *(ROUNDING_FACTOR * difference(losses, expected) for losses in others)])
            found = difference((entry["final_loss"], entry["validation_loss"]), expected)
            good = found <= tolerance
            print(f"{study} {entry['values']}: {found:.1e} (allowed: {tolerance:.1e})"
                  + ("" if good else f" FAILED, {entry} {expected}"[:400]))
            failures += not good
    sys.exit(1 if failures else 0)


if __name__ == "__main__":
    main()
