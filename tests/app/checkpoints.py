"""Long iterations that are stopped or killed in their middle: they go on from there, to the same bits."""

import os
import shutil
import signal
import sys
import time

from interrupted import results, study
from program import SHEAF, Checks, Started, journaled, sheaf

checks = Checks()


def words(engine):
    # Six iterations of some seconds each in the place of the small ones.
    return study(engine, epochs={"resident": 9000, "torch": 300}[engine], hidden="64") + [
        "--search.train.learning_rate=1e-3", "--run.checkpoint_interval=1"]


def checkpoints():
    return lambda: os.path.isdir("run/checkpoints") and len([name for name in os.listdir("run/checkpoints")
                                                              if not name.endswith(".partial")]) > 0


for engine in ("resident", "torch"):
    for directory in ("whole", "run"):
        shutil.rmtree(directory, ignore_errors=True)
    result = sheaf("run", *words(engine), "--run.output=whole", ranks=2, timeout=300)
    checks.check(result.code == 0, f"{engine}: a run to its end", result.stderr)
    checks.check(not os.path.isdir("whole/checkpoints") or not os.listdir("whole/checkpoints"),
                 f"{engine}: a finished run keeps no checkpoints", str(os.listdir("whole")))
    reference = results("whole")

    job = Started([SHEAF, "run", *words(engine), "--run.output=run"], ranks=2)
    job.wait_for(checkpoints())
    for process in job.rank_processes():
        os.kill(process, signal.SIGKILL)
    checks.check(job.finish().code != 0, f"{engine}: killed")
    checks.check(len(journaled("run")) == 0, f"{engine}: in the middle of the first iterations")
    kept = sorted(os.listdir("run/checkpoints"))
    job = Started([SHEAF, "resume", "run"], ranks=1)
    time.sleep(1.5)
    os.kill(job.rank_processes()[0], signal.SIGUSR1)
    result = job.finish()
    checks.check(result.code == 75, f"{engine}: stopped by SIGUSR1", f"{result.code} {result.stderr}")
    result = sheaf("resume", "run", ranks=3, timeout=300)
    checks.check(result.code == 0, f"{engine}: resumed", result.stderr)
    checks.check(results("run") == reference, f"{engine}: the same results", f"checkpoints {kept}")
    checks.check(not os.listdir("run/checkpoints"), f"{engine}: its checkpoints are gone",
                 str(os.listdir("run/checkpoints")))
sys.exit(checks.finish())
