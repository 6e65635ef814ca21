"""A run on a GPU that is killed during an iteration and resumed has the results of an uninterrupted run."""

import os
import shutil
import signal
import sys

from gpu import DEVICE, MODELS, distance, enter, need_gpus, on_gpu, train
from interrupted import results
from program import SHEAF, Checks, Started, journaled, read_csv, sheaf

need_gpus()
enter("resume")
checks = Checks()


def interrupted(args, end):
    """Starts a run and sends it a signal when it has finished an iteration and has a checkpoint of another one."""
    shutil.rmtree("run", ignore_errors=True)
    job = Started([SHEAF, "run", "study.cfg", f"--run.device={DEVICE}", "--run.output=run", *args])
    in_time = job.creep_until(lambda: journaled("run") and os.path.isdir("run/checkpoints") and
                              any(not name.endswith(".partial") for name in os.listdir("run/checkpoints")))
    if in_time:
        os.kill(job.process.pid, end)
        job.go_on()
    return in_time, job.finish().code


for kind, epochs in (("mlp", 40), ("cnn", 10)):  # some seconds in total, much longer than a checkpoint takes
    args = [*MODELS[kind], "--run.engine=torch", "--run.curves=true", "--data.validation=0.2",
            "--study.iterations=3", "--ensemble.members=2", f"--train.epochs={epochs}",
            "--run.checkpoint_interval=0.01", "--run.progress=none"]
    if kind == "mlp":
        args.append("--run.stack=2")  # one stack after another
    expected, _ = train(checks, f"{kind}, uninterrupted", *args, output="whole")
    checks.check(all(on_gpu(row) for row in expected), f"{kind}: trained by LibTorch on a GPU", str(expected))
    for end, code in ((signal.SIGKILL, -signal.SIGKILL), (signal.SIGTERM, 75)):
        name = f"{kind} after {end.name}"
        in_time, ended = interrupted(args, end)
        checks.check(in_time and ended == code, f"{name}: interrupted during an iteration", str(ended))
        left = len(set(journaled("run")))
        result = sheaf("resume", "run")
        checks.check(0 < left < 6 and result.code == 0, f"{name}: resumed", f"{left} {result.stderr}")
        if result.code != 0:
            continue
        rows = read_csv("run/results.csv")
        checks.check(all(on_gpu(row) for row in rows), f"{name}: trained on the GPU", str(rows))
        difference = distance(rows, expected)
        # Matrix products have a fixed order of sums; gradients of convolutions may not.
        same = results("run") == results("whole") if kind == "mlp" else difference < 1e-5
        checks.check(same, f"{name}: same results", str(difference))
        print(f"{name}: {left} of 6 iterations were finished, "
              f"relative difference to the uninterrupted run {difference:.1e}")
sys.exit(checks.finish())
