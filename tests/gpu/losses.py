"""Final losses on a GPU agree with those on the CPU for each kind of model: to almost all digits in float64, and up to
the accumulated rounding of some hundred steps in float32, TF32 and mixed precision."""

import sys

from gpu import DEVICE, MODELS, distance, enter, need_gpus, on_gpu, torchscript_module, train
from program import Checks

# Relative differences. ReLU and batch norm amplify rounding in a residual network (tests/oracle/compare_models.py).
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
    if DEVICE == "cuda":  # same initial weights as the first iteration
        tf32, _ = train(checks, f"{kind} in TF32", *COMMON, *model, "--train.precision=tf32")
        rows += [{**row, "train.precision": "tf32"} for row in tf32]
        expected += expected[:1]
    checks.check(all(on_gpu(row) for row in rows) or DEVICE == "cpu", f"{kind}: trained by LibTorch on a GPU",
                 str(rows))
    for row, other in zip(rows, expected):
        precision = row["train.precision"]
        difference = distance([row], [other])
        checks.check(difference < tolerance[precision], f"{kind}, {precision}: same losses as on the CPU",
                     str(difference))
        print(f"{kind:12} {precision:9} final loss {float(row['final_loss']):.6f}, "
              f"relative difference to the CPU {difference:.1e}")
sys.exit(checks.finish())
