"""run.engine = auto on a rank with a GPU trains small dense networks on the cores, and large ones, and many small ones
together, on the GPU. The program prints the reason."""

import sys

from gpu import DEVICE, MODELS, enter, need_gpus, skip, train
from program import Checks

need_gpus()
if DEVICE == "cpu":
    skip("the choice depends on a GPU")
enter("engine_choice")
checks = Checks()
LARGE = ["--model.kind=mlp", "--model.hidden=4096 4096", "--train.batch_size=512", "--train.epochs=1"]


def engines(case, *args):
    """Returns (engine, device) of each iteration, and the output of the program."""
    rows, done = train(checks, case, *args, device="auto")
    return [(row["engine"], row["device"]) for row in rows], done.stdout + done.stderr


for kind in ("linear", "mlp"):
    found, text = engines(f"a small {kind}", *MODELS[kind], "--study.iterations=8", "--run.stack=1")
    checks.check(len(found) == 8 and all(device == "cpu" and engine != "torch" for engine, device in found),
                 f"a small {kind} is trained on the cores", str(found))
    checks.check("train on CPU cores" in text and "times as fast as the GPU" in text, f"a small {kind}: the reason",
                 text)
found, text = engines("many small mlps", *MODELS["mlp"], "--study.iterations=256")
checks.check(set(found) == {("torch", "cuda:0")} and "a GPU is expected to be" in text,
             "many small mlps are trained on the GPU", f"{found}\n{text}")
found, text = engines("a large mlp", *LARGE)
checks.check(found == [("torch", "cuda:0")] and "a GPU is expected to be" in text, "a large mlp is trained on the GPU",
             f"{found}\n{text}")
found, text = engines("a cnn", *MODELS["cnn"])
checks.check(found == [("torch", "cuda:0")] and "the network has convolutions" in text, "a cnn is trained on the GPU",
             f"{found}\n{text}")
found, text = engines("run.engine = torch", *MODELS["mlp"], "--run.engine=torch")
checks.check(found == [("torch", "cuda:0")], "run.engine = torch trains a small mlp on the GPU", f"{found}\n{text}")
sys.exit(checks.finish())
