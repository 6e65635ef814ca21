"""Models from files: TorchScript modules that this test saves, and the plugin of jobs/plugin (its CMakeLists.txt and
gated_mlp.cpp). Unsuitable models are refused with one error line before any file is written; the others train to the
same losses on all numbers of ranks and lanes."""

import os
import shutil
import sys

from program import DIGITS, Checks, read_csv, sheaf

try:
    import torch
except ImportError as error:
    print(f"skipped: {error}")
    sys.exit(77)

STUDY = f"""
[study]
name = models
iterations = 5
[data]
file = {DIGITS}
task = classification
normalize = standard
validation = 0.2
[train]
epochs = 1
optimizer = adam
learning_rate = 0.003
loss = cross_entropy
[run]
device = cpu
"""
PLUGINS = os.environ["SHEAF_PLUGINS"]
nn = torch.nn
checks = Checks()
shutil.rmtree("models", ignore_errors=True)
os.makedirs("models")
os.chdir("models")
with open("study.cfg", "w") as file:
    file.write(STUDY)
with open("text.pt", "w") as file:
    file.write("no module")


class Rows(nn.Module):
    def forward(self, rows):
        return rows.sum(1)


class Noise(nn.Module):
    def forward(self, rows):
        return rows + torch.rand_like(rows)


class Pair(nn.Module):
    def forward(self, rows):
        return rows, rows


class AlwaysDrops(nn.Module):
    def forward(self, rows):
        return nn.functional.dropout(rows, 0.5)


class Same(nn.Module):
    def forward(self, rows):
        return rows


def convolutions(kernel):
    return nn.Sequential(nn.Conv2d(1, 4, kernel, bias=False), nn.BatchNorm2d(4), nn.ReLU(), nn.MaxPool2d(2),
                         nn.Flatten(), nn.LayerNorm(36), nn.Linear(36, 10))


MODULES = {
    "mlp": nn.Sequential(nn.Linear(64, 32), nn.ReLU(), nn.Linear(32, 10)),
    "cnn": convolutions(3),
    "large_kernel": convolutions(9),
    "three": nn.Linear(64, 3),
    "five": nn.Linear(5, 10),
    "one_dimension": nn.Sequential(nn.Linear(64, 10), Rows()),
    "pair": nn.Sequential(nn.Linear(64, 10), Pair()),
    "noise": nn.Sequential(nn.Linear(64, 10), Noise()),
    "dropout": nn.Sequential(nn.Linear(64, 32), nn.Dropout(0.2), nn.Linear(32, 10)),
    "always_drops": nn.Sequential(nn.Linear(64, 10), AlwaysDrops()),
    "alpha_dropout": nn.Sequential(nn.Linear(64, 10), nn.AlphaDropout(0.5)),
    "prelu": nn.Sequential(nn.Linear(64, 10), nn.PReLU()),
    "nothing": nn.Sequential(Same()),
}
for name, module in MODULES.items():
    torch.jit.script(module).save(f"{name}.pt")
MODULES["dropout"].eval()
torch.jit.trace(MODULES["dropout"], torch.zeros(2, 64)).save("traced_dropout.pt")

# (case, arguments, exit code, text in the error line)
IMAGE = "--data.image=1x8x8"
CASES = [
    ("missing file", ["--model.kind=torchscript:absent.pt"], 1, "absent.pt"),
    ("not a module", ["--model.kind=torchscript:text.pt"], 1, "text.pt"),
    ("no file name", ["--model.kind=torchscript:"], 2, "model.kind"),
    ("unknown prefix", ["--model.kind=onnx:mlp.pt"], 2, "model.kind"),
    ("3 outputs", ["--model.kind=torchscript:three.pt"], 1, "[2, 3]"),
    ("one dimension", ["--model.kind=torchscript:one_dimension.pt"], 1, "not [2, 10]"),
    ("output is not a tensor", ["--model.kind=torchscript:pair.pt"], 1, "Tuple"),
    ("another number of features", ["--model.kind=torchscript:five.pt"], 1, "2x64 and 5x10"),
    ("kernel larger than the image", ["--model.kind=torchscript:large_kernel.pt", IMAGE], 1, "Kernel size"),
    ("features without data.image", ["--model.kind=torchscript:cnn.pt"], 1, "[2, 64]"),
    ("random numbers", ["--model.kind=torchscript:noise.pt"], 1, "rand_like"),
    ("dropout without a switch", ["--model.kind=torchscript:always_drops.pt"], 1, "(dropout; lanes share"),
    ("alpha dropout", ["--model.kind=torchscript:alpha_dropout.pt"], 1, "alpha_dropout"),
    ("unknown layer", ["--model.kind=torchscript:prelu.pt"], 2, "model.keep_weights = true"),
    ("no parameters", ["--model.kind=torchscript:nothing.pt"], 1, "no parameters"),
    ("file in a search", ["--search.method=grid", "--search.model.kind=linear, torchscript:three.pt"], 1, "three.pt"),
    ("keep_weights without a module", ["--model.kind=linear", "--model.keep_weights=yes"], 2, "model.keep_weights"),
    ("hidden layers of a module", ["--model.kind=torchscript:mlp.pt", "--model.hidden=3"], 2, "model.hidden"),
    ("resnet without an image", ["--model.kind=resnet18"], 2, "image"),
    ("missing plugin file", ["--model.kind=plugin:absent.so"], 1, "absent.so"),
    ("plugin is not a library", ["--model.kind=plugin:text.pt"], 1, "text.pt"),
    ("library is not a plugin", [f"--model.kind=plugin:{PLUGINS}/plugin_of_other_symbol.so"], 1,
     "SHEAF_REGISTER_MODEL"),
    ("plugin whose initializer throws", [f"--model.kind=plugin:{PLUGINS}/throwing_library.so"], 1,
     "cannot be loaded (this operator is already registered)"),
    ("plugin with random numbers", [f"--model.kind=plugin:{PLUGINS}/random_plugin.so"], 1,
     f"the plugin '{PLUGINS}/random_plugin.so' draws random numbers in training (torch::nn::DropoutImpl; lanes share "
     "LibTorch's generator, so results would not be reproducible). Build it without random numbers."),
    ("plugin of another Sheaf", [f"--model.kind=plugin:{PLUGINS}/plugin_of_other_version.so"], 1, "version 99"),
    ("plugin of another LibTorch", [f"--model.kind=plugin:{PLUGINS}/plugin_of_other_torch.so"], 1, "0.4"),
]
before = sorted(os.listdir("."))
for case, args, code, message in CASES:
    result = sheaf("run", "study.cfg", "--run.output=out", *args, ranks=2)
    errors = result.error_lines()
    details = f"exit {result.code}\n{result.stdout}{result.stderr}"
    checks.check(result.code == code, f"{case}: exit code {code}", details)
    checks.check(len(errors) == 1 and message in errors[0], f"{case}: one error line with '{message}'", details)
    checks.check(sorted(os.listdir(".")) == before, f"{case}: no new files", str(os.listdir(".")))
    if "--show" in sys.argv:
        print(f"{case:28} {errors}")


def losses(*args, ranks=1):
    shutil.rmtree("out", ignore_errors=True)
    result = sheaf("run", "study.cfg", "--run.output=out", *args, ranks=ranks)
    checks.check(result.code == 0, f"{args}: the run succeeds", result.stderr)
    return [(row["final_loss"], row["validation_loss"]) for row in read_csv("out/results.csv")]


GATED = f"--model.kind=plugin:{PLUGINS}/gated_mlp.so"
NOISE = ["--data.source=synthetic", "--data.file=", "--data.classes=10", "--data.columns=64", "--data.rows=41",
         "--data.draw=study", IMAGE]
for args, most in ((["--model.kind=torchscript:mlp.pt"], 2), (["--model.kind=torchscript:cnn.pt", IMAGE], 2),
                   (["--model.kind=torchscript:dropout.pt"], 2),
                   ([GATED], 2), (["--model.kind=resnet18", *NOISE, "--study.iterations=3"], 6)):
    alone = losses(*args)
    checks.check(len(set(alone)) == len(alone), f"{args}: every iteration starts from its own weights", str(alone))
    checks.check(all(float(loss) < most for loss, _ in alone), f"{args}: losses", str(alone))
    together = losses(*args, "--run.lanes=2", ranks=2)
    checks.check(together == alone, f"{args}: 2 ranks of 2 lanes", f"{alone}\n{together}")

# The layers of a module have the same initial weights as the same layers of an mlp.
ours = losses("--model.kind=mlp", "--model.hidden=32", "--run.engine=torch", "--model.initialization=glorot")
checks.check(losses("--model.kind=torchscript:mlp.pt", "--model.initialization=glorot") == ours,
             "a TorchScript mlp trains as an mlp",
             str(ours))
found = losses("--model.kind=torchscript:mlp.pt", "--model.keep_weights=yes", "--data.validation=0",
               "--train.shuffle=no")
checks.check(len(set(found)) == 1, "keep_weights: all iterations have the same losses", str(found))
checks.check(len(losses("--model.kind=torchscript:traced_dropout.pt")) == 5, "a trace without dropout is accepted")
sys.exit(checks.finish())
