"""Ranks that share one GPU, and ranks without a GPU."""

import sys

from gpu import DEVICE, MODELS, distance, enter, need_gpus, on_gpu, train
from program import Checks, sheaf

ONE_GPU = {"CUDA_VISIBLE_DEVICES": need_gpus()[0]}
enter("ranks")
checks = Checks()
for kind in ("mlp", "cnn"):
    args = [*MODELS[kind], "--run.engine=torch", "--run.stack=1", "--study.iterations=4", "--train.epochs=1"]
    alone, _ = train(checks, f"{kind}, one rank", *args, environment=ONE_GPU)
    shared, _ = train(checks, f"{kind}, two ranks share a GPU", *args, "--run.ranks_per_gpu=2", "--run.partition=block",
                      ranks=2, environment=ONE_GPU)
    checks.check({row["rank"] for row in shared} == {"0", "1"}, f"{kind}: both ranks train", str(shared))
    checks.check(all(on_gpu(row) for row in shared), f"{kind}: both ranks train on the GPU", str(shared))
    difference = distance(shared, alone)
    checks.check(difference < 1e-5, f"{kind}: same losses as with one rank", str(difference))
    print(f"{kind}: two ranks on one GPU, relative difference to one rank {difference:.1e}")

if DEVICE == "cuda":
    args = ["run", "study.cfg", *MODELS["mlp"], "--run.device=cuda", "--run.output=refused"]
    for case, ranks, environment, message in (
            ("more ranks than GPUs", 2, ONE_GPU, "2 ranks share a node with 1 GPU (run.ranks_per_gpu = 1)"),
            ("no visible GPU", None, {"CUDA_VISIBLE_DEVICES": ""}, "no GPU is available (")):
        done = sheaf(*args, ranks=ranks, environment=environment)
        lines = done.error_lines()
        checks.check(done.code == 1 and len(lines) == 1 and message in lines[0], f"{case}: one error line",
                     f"{done.code}\n{done.stderr}")
    # The rank without a GPU trains on its cores, with the same losses.
    args = [*MODELS["cnn"], "--study.iterations=4", "--train.epochs=1", "--run.partition=block",
            "--train.precision=float64"]
    alone, _ = train(checks, "cnn in float64, one rank", *args, environment=ONE_GPU)
    mixed, _ = train(checks, "cnn in float64, a GPU and cores", *args, device="auto", ranks=2, environment=ONE_GPU)
    checks.check({row["device"] for row in mixed} == {"cuda:0", "cpu"}, "the rank without a GPU trains on cores",
                 str(mixed))
    difference = distance(mixed, alone)
    checks.check(difference < 1e-8, "one rank on a GPU, one on cores: same losses as on the GPU", str(difference))
    both, result = train(checks, "cnn in float64, one rank with a GPU lane and a core lane", *args,
                         "--run.core_lanes=1",
                       environment=ONE_GPU)
    checks.check({row["device"] for row in both} == {"cuda:0", "cpu"}, "the GPU lane and the core lane train",
                 str(both))
    checks.check(" on GPUs (" in result.stdout and " on cores (" in result.stdout,
                 "the summary lists GPUs and cores separately",
                 result.stdout)
    difference = distance(both, alone)
    checks.check(difference < 1e-8, "a GPU lane and a core lane: same losses as on the GPU", str(difference))
sys.exit(checks.finish())
