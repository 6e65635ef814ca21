"""A stack of models on a GPU whose memory is held by another program, except a small part: the models are trained in
smaller stacks or one by one, and none is lost. On cores, a limit of the address space takes the place of that program."""

import contextlib
import resource
import subprocess
import sys

from gpu import DEVICE, distance, enter, need_gpus, on_gpu, train
from program import Checks

HOLDER = """
import sys, torch
free, _ = torch.cuda.mem_get_info()
held = torch.empty(free - int(sys.argv[1]), dtype=torch.uint8, device="cuda")
print("holds", held.numel(), flush=True)
sys.stdin.read()
"""
LEFT = 3 << 30  # bytes on a GPU: for the CUDA context and a few models, not for a stack, which needs 26 GiB
ADDRESSES = 3 << 30  # on cores: not for a stack of the smaller models there, which needs more than 2 GiB

need_gpus()
enter("stack_memory")
checks = Checks()
MODELS, HIDDEN = 256, 2048 if DEVICE == "cuda" else 512
KEYS = ["--model.kind=mlp", f"--model.hidden={HIDDEN} {HIDDEN}", "--run.engine=torch", "--train.epochs=1",
        "--data.file=few.h5", "--train.batch_size=300", "--run.lanes=1", f"--study.iterations={MODELS}"]


@contextlib.contextmanager
def little_memory():
    if DEVICE != "cuda":
        before = resource.getrlimit(resource.RLIMIT_AS)
        resource.setrlimit(resource.RLIMIT_AS, (ADDRESSES, before[1]))  # programs that this one starts inherit it
        yield
        resource.setrlimit(resource.RLIMIT_AS, before)
        return
    with subprocess.Popen([sys.executable, "-c", HOLDER, str(LEFT)], stdin=subprocess.PIPE, stdout=subprocess.PIPE,
                          text=True) as holder:
        print("another program", holder.stdout.readline().strip(), "bytes")
        yield
        holder.stdin.close()


expected, _ = train(checks, "one by one", *KEYS, "--run.stack=1")
with little_memory():
    rows, result = train(checks, "beside a program that holds the memory", *KEYS, f"--run.stack={MODELS}")
messages = [line for line in (result.stdout + result.stderr).splitlines() if "lacks memory" in line]
print("\n".join(messages))
checks.check(messages != [], "the stack did not fit", result.stderr)
checks.check(len(rows) == len(expected) and all(on_gpu(row) for row in rows), "all models are trained", str(rows)[-2000:])
difference = distance(rows, expected)
checks.check(difference < 1e-3, "the losses of models one by one", str(difference))
sys.exit(checks.finish())
