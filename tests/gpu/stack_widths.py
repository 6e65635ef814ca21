"""How many models a GPU trains together: as many as run.stack = auto plans, and not more than its memory allows.
stack_memory.py tests stacks that lack memory later."""

import sys

from gpu import DEVICE, enter, need_gpus, on_gpu, skip, train
from program import Checks, sheaf

need_gpus()
if DEVICE == "cpu":
    skip("the widths depend on a GPU")
enter("stack_widths")
checks = Checks()
STUDY = ["--run.engine=torch", "--model.kind=mlp"]

HUGE = [*STUDY, "--model.hidden=16384 16384", "--study.iterations=32", "--train.epochs=1", "--data.file=few.h5",
        "--train.batch_size=300"]
result = sheaf("run", "study.cfg", *HUGE, "--run.stack=1024", "--run.device=cuda", "--run.output=refused")
checks.check(result.code == 2 and "run.stack = 1024 does not fit into the memory of a GPU" in result.stderr,
             "a stack that cannot fit is refused", result.stderr)

rows, result = train(checks, "auto", *STUDY, "--study.iterations=7", "--train.epochs=1")
checks.check("up to 7 models of one shape together (run.stack = 8 in " in result.stderr, "auto trains them together",
             result.stderr)
checks.check(all(on_gpu(row) for row in rows), "on the GPU", str(rows))
# A later job with more models keeps the widths.
result = sheaf("run", "study.cfg", *STUDY, "--study.iterations=20", "--train.epochs=1", "--run.output=run", "--resume",
               "--run.progress=none")
checks.check(result.code == 0 and "up to 8 models of one shape together (run.stack = 8 in " in result.stderr and
             "earlier jobs" not in result.stderr, "a later job has the same widths", result.stderr)
sys.exit(checks.finish())
