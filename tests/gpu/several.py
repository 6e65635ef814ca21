"""One rank per GPU on several GPUs: each has its own, and the losses are those of one rank."""

import sys

import h5py

from gpu import MODELS, distance, enter, need_gpus, on_gpu, train
from program import Checks

need_gpus(2)
enter("several")
checks = Checks()
words = [*MODELS["cnn"], "--study.iterations=6", "--train.epochs=1"]
alone, _ = train(checks, "one rank", *words)
both, _ = train(checks, "two ranks", *words, "--run.partition=block", ranks=2)
checks.check({row["rank"] for row in both} == {"0", "1"} and all(on_gpu(row) for row in both), "both train on GPUs",
             str(both))
with h5py.File("run/results.h5") as file:
    devices = sorted(row.decode() for row in file["ranks"]["device"])
checks.check(len({device.split()[0] for device in devices}) == 2, "each on its own", str(devices))
difference = distance(both, alone)
checks.check(difference < 1e-5, "the losses of one rank", str(difference))
sys.exit(checks.finish())
