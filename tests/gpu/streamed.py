"""Streamed data on a GPU, copied from pinned memory while the model trains: the losses of the same rows from memory, and
shuffled the losses of the CPU."""

import os
import sys

import h5py
import numpy

from gpu import MODELS, distance, enter, need_gpus, on_gpu, torchscript_module, train
from program import DIGITS, Checks

# 18 MB, of which 2 MiB are in memory.
STREAMED = ["--data.file=wide.h5", "--data.mode=streamed", "--data.memory=2", "--data.window=3000", "--train.batch_size=70"]
IN_MEMORY = ["--data.file=wide.h5", "--data.mode=memory", "--train.batch_size=70"]

need_gpus()
enter("streamed")
torchscript_module()
checks = Checks()
with h5py.File(DIGITS) as digits:
    features, labels = (numpy.tile(digits[name][:], (40, 1)[: digits[name].ndim]) for name in ("features", "targets"))
order = numpy.random.default_rng(2).permutation(len(labels))
with h5py.File("wide.h5", "w") as file:
    file.create_dataset("features", data=features[order].astype("f4"), chunks=(300, 64), compression="gzip", shuffle=True)
    file["targets"] = labels[order]

for kind in ("mlp", "cnn", "torchscript"):
    words = [*MODELS[kind], "--train.epochs=2", "--run.engine=torch", "--study.iterations=3", "--data.validation=0.1"]
    whole, _ = train(checks, f"{kind} from memory", *words, *IN_MEMORY, "--train.shuffle=false")
    streamed, done = train(checks, f"{kind} streamed", *words, *STREAMED, "--train.shuffle=false", "--run.lanes=2")
    checks.check(all(on_gpu(row) for row in whole + streamed), f"{kind}: LibTorch on a GPU", str(streamed))
    checks.check("data: streamed" in done.stdout, f"{kind}: streamed", done.stdout)
    difference = distance(streamed, whole)
    checks.check(difference < 1e-5, f"{kind}: the losses of data in memory", str(difference))
    print(f"{kind:12} streamed on the GPU, {difference:.1e} from memory on the GPU")

    words += ["--train.precision=float64"]
    expected, _ = train(checks, f"{kind} streamed on the CPU", *words, *STREAMED, device="cpu")
    shuffled, _ = train(checks, f"{kind} streamed and shuffled", *words, *STREAMED, "--run.lanes=2")
    difference = distance(shuffled, expected)
    checks.check(difference < 1e-8, f"{kind}: the CPU's losses", str(difference))
    print(f"{kind:12} shuffled, float64: {difference:.1e} from the CPU")
os.remove("wide.h5")
sys.exit(checks.finish())
