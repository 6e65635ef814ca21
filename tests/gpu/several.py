"""One rank per GPU on several GPUs: each rank uses a different GPU, and the losses agree with those of one rank."""

import re
import sys

import h5py

from gpu import MODELS, distance, enter, need_gpus, on_gpu, train
from program import Checks, sheaf

need_gpus(2)
enter("several")
checks = Checks()
args = [*MODELS["cnn"], "--study.iterations=6", "--train.epochs=1"]
alone, _ = train(checks, "one rank", *args)
both, _ = train(checks, "two ranks", *args, "--run.partition=block", ranks=2)
checks.check({row["rank"] for row in both} == {"0", "1"} and all(on_gpu(row) for row in both),
             "both ranks train on GPUs",
             str(both))
with h5py.File("run/results.h5") as file:
    devices = sorted(row.decode() for row in file["ranks"]["device"])
checks.check(len({device.split()[0] for device in devices}) == 2, "each rank uses a different GPU", str(devices))
names = re.findall(r"^GPU +(.*),", sheaf("info").stdout, re.MULTILINE)
checks.check(all(device.split(" ", 1)[1] in names for device in devices), "the ranks name their GPUs", f"{devices} {names}")
difference = distance(both, alone)
checks.check(difference < 1e-5, "same losses as with one rank", str(difference))
sys.exit(checks.finish())
