"""Streamed data on a GPU, copied from pinned memory during training: unshuffled losses agree with those of data in
memory, shuffled losses with those of streaming on the CPU."""

import os
import sys

import h5py
import numpy

from gpu import MODELS, distance, enter, need_gpus, on_gpu, torchscript_module, train
from program import DIGITS, Checks

# The file has 18 MB; 2 MiB of it are in memory.
STREAMED = ["--data.file=wide.h5", "--data.mode=streamed", "--data.memory=2", "--data.window=3000",
            "--train.batch_size=70"]
IN_MEMORY = ["--data.file=wide.h5", "--data.mode=memory", "--run.stack=1", "--train.batch_size=70"]

need_gpus()
enter("streamed")
torchscript_module()
checks = Checks()
with h5py.File(DIGITS) as digits:
    features, labels = (numpy.tile(digits[name][:], (40, 1)[: digits[name].ndim]) for name in ("features", "targets"))
order = numpy.random.default_rng(2).permutation(len(labels))
with h5py.File("wide.h5", "w") as file:
    file.create_dataset("features", data=features[order].astype("f4"), chunks=(300, 64), compression="gzip",
                        shuffle=True)
    file["targets"] = labels[order]

for kind in ("mlp", "cnn", "torchscript"):
    args = [*MODELS[kind], "--train.epochs=2", "--run.engine=torch", "--study.iterations=3", "--data.validation=0.1"]
    whole, _ = train(checks, f"{kind} from memory", *args, *IN_MEMORY, "--train.shuffle=false")
    streamed, done = train(checks, f"{kind} streamed", *args, *STREAMED, "--train.shuffle=false", "--run.lanes=2")
    checks.check(all(on_gpu(row) for row in whole + streamed), f"{kind}: trained by LibTorch on a GPU", str(streamed))
    checks.check("data: streamed" in done.stdout, f"{kind}: data are streamed", done.stdout)
    difference = distance(streamed, whole)
    checks.check(difference < 1e-5, f"{kind}: same losses as with data in memory", str(difference))
    print(f"{kind:12} streamed on the GPU, relative difference to data in memory {difference:.1e}")

    args += ["--train.precision=float64"]
    expected, _ = train(checks, f"{kind} streamed on the CPU", *args, *STREAMED, device="cpu")
    shuffled, _ = train(checks, f"{kind} streamed and shuffled", *args, *STREAMED, "--run.lanes=2")
    difference = distance(shuffled, expected)
    checks.check(difference < 1e-8, f"{kind}: same losses as on the CPU", str(difference))
    print(f"{kind:12} shuffled, float64: relative difference to the CPU {difference:.1e}")
os.remove("wide.h5")
sys.exit(checks.finish())
