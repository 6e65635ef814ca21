"""Models that are trained together on a GPU (run.stack): losses of models one by one, on the GPU and on cores; the same bits
in other slots, beside other models and after a stop; a model that diverges."""

import shutil
import sys

from gpu import DEVICE, distance, enter, need_gpus, on_gpu, train
from program import Checks, read_csv, sheaf

need_gpus()
enter("stacks")
checks = Checks()
MLP = ["--model.kind=mlp", "--model.hidden=64 32", "--run.engine=torch", "--search.method=grid", "--data.validation=0.2"]
RATES = ["0.0001", "0.0003", "0.001", "0.0005", "0.002", "0.0002", "0.0007"]


def rates(values):
    return f"--search.train.learning_rate={', '.join(values)}"


def losses(rows):
    return {row["iteration"]: (row["final_loss"], row["validation_loss"]) for row in rows}


for name, keys in {"plain": [], "dropout": ["--model.dropout=0.2"], "layer norm": ["--model.norm=layer"],
                   "batch norm": ["--model.norm=batch"], "embedding": ["--model.embedding=piecewise"],
                   "rmsprop": ["--train.optimizer=rmsprop", "--train.momentum=0.5"],
                   "clipping": ["--train.clip_norm=0.5", "--train.l1=1e-4"]}.items():
    for precision, tolerance in (("float64", 1e-8), ("float32", 1e-3)):
        args = [*MLP, *keys, rates(RATES), f"--train.precision={precision}"]
        alone, _ = train(checks, f"{name}, {precision}, one by one on cores", *args, "--run.stack=1", device="cpu")
        rows, _ = train(checks, f"{name}, {precision}, stacked", *args, "--run.stack=16")
        checks.check(all(on_gpu(row) for row in rows), f"{name}: trained on the GPU", str(rows))
        difference = distance(rows, alone)
        checks.check(difference < tolerance, f"{name}, {precision}: the losses of models one by one", str(difference))
        print(f"{name:12} {precision} stacked: relative difference to the CPU {difference:.1e}")

rows, _ = train(checks, "a stack", *MLP, rates(RATES), "--run.stack=8", "--run.lanes=1")
expected = losses(rows)
rows, _ = train(checks, "the same stack again", *MLP, rates(RATES), "--run.stack=8", "--run.lanes=1")
checks.check(losses(rows) == expected, "the same stack again: the same bits", f"{expected}\n{losses(rows)}")
for case in ("cyclic", "self"):
    rows, _ = train(checks, case, *MLP, rates(RATES), "--run.stack=8", "--run.lanes=2", f"--run.partition={case}")
    checks.check(losses(rows) == expected, f"two lanes, partition {case}: the same bits in other slots, beside others",
                 f"{expected}\n{losses(rows)}")
shutil.rmtree("diverging", ignore_errors=True)
result = sheaf("run", "study.cfg", *MLP, rates(["1e30", *RATES[1:]]), "--run.stack=8", f"--run.device={DEVICE}",
               "--run.output=diverging")
checks.check(result.code == 0, "beside one that diverges: exit code", result.stderr)
rows = read_csv("diverging/results.csv")
found = losses(rows)
checks.check(rows[0]["status"] == "diverged" and all(found[number] == expected[number] for number in list(found)[1:]),
             "beside one that diverges: the same bits", f"{expected}\n{found}")
rows, _ = train(checks, "a wider stack", *MLP, rates(RATES), "--run.stack=16")
print("bits with twice the width:", "equal" if losses(rows) == expected else "differ (reported only)")
sys.exit(checks.finish())
