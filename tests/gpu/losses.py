"""Final losses of each kind of model on a GPU are those of the CPU, in float64 to almost all digits, and in float32,
TF32 and mixed precision to what their rounding makes of some hundred steps."""

import sys

from gpu import DEVICE, MODELS, distance, enter, need_gpus, on_gpu, torchscript_module, train
from program import Checks

# Relative. Rectifiers and batch norms amplify rounding in a residual network (tests/oracle/compare_models.py).
TOLERANCE = {"float64": 1e-8, "float32": 1e-3, "tf32": 1e-2, "bfloat16": 3e-2}
TOLERANCE_OF_RESNET = {"float64": 1e-6, "float32": 0.1, "tf32": 0.1, "bfloat16": 0.1}
COMMON = ["--study.seed=3", "--data.validation=0.2"]

need_gpus()
enter("losses")
torchscript_module()
checks = Checks()
for kind, model in MODELS.items():
    tolerance = TOLERANCE_OF_RESNET if kind == "resnet18" else TOLERANCE
    searched = ["--search.method=grid", "--search.train.precision=float32, float64, bfloat16"]
    expected, _ = train(checks, f"{kind} on the CPU", *COMMON, *model, *searched, device="cpu")
    rows, _ = train(checks, f"{kind} on the GPU", *COMMON, *model, *searched, "--run.engine=torch")
    if DEVICE == "cuda":  # from the weights of the first iteration
        tf32, _ = train(checks, f"{kind} in TF32", *COMMON, *model, "--train.precision=tf32")
        rows += [{**row, "train.precision": "tf32"} for row in tf32]
        expected += expected[:1]
    checks.check(all(on_gpu(row) for row in rows) or DEVICE == "cpu", f"{kind}: LibTorch on a GPU", str(rows))
    for row, other in zip(rows, expected):
        precision = row["train.precision"]
        difference = distance([row], [other])
        checks.check(difference < tolerance[precision], f"{kind}, {precision}: the CPU's losses", str(difference))
        print(f"{kind:12} {precision:9} final loss {float(row['final_loss']):.6f}, {difference:.1e} from the CPU")
sys.exit(checks.finish())
