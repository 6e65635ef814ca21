"""`sheaf verify` trains iterations again: they have the same bits on any number of ranks, for searches with folds,
ensembles, refits, stages, drawn values, streamed data and LibTorch, also after kills and while a job trains the run. A
wrong number, prediction or weight is found. With another instruction set, or without a record of it, results agree to
rounding. Changed data are refused, and the run directory is never written to."""

import glob
import json
import os
import re
import shutil
import signal
import sys
import time
import zlib

import h5py

from interrupted import streamed_study, study
from program import DIGITS, SHEAF, SOURCE, Checks, Started, argument, journaled, launch, sheaf

checks = Checks()
shutil.rmtree("verified", ignore_errors=True)
os.makedirs("verified")
os.chdir("verified")
ALL = "--iterations=all"
OTHER_PROCESSOR = {"LIBXSMM_TARGET": "generic"}  # products by BLAS, as on a processor that LIBXSMM does not know


def describe(result):
    return f"exit {result.code}\n{result.stdout}{result.stderr}"


def run(directory, *args, ranks=None, **options):
    """Later arguments replace earlier ones of the same key."""
    keys = {arg.split("=")[0]: arg for arg in (*args, "--run.progress=none", f"--run.output={directory}")}
    result = sheaf("run", *keys.values(), ranks=ranks, **options)
    checks.check(result.code == 0, f"{directory}: the run succeeds", describe(result))


def content(directory):
    """Everything that a program could change in a directory."""
    paths = sorted(glob.glob(f"{directory}/**", recursive=True))
    return [(path, os.stat(path).st_mtime_ns, os.stat(path).st_size) for path in paths]


def verify(directory, *args, code=0, texts=(), case="", ranks=None, **options):
    before = content(directory)
    result = sheaf("verify", directory, *args, ranks=ranks, **options)
    checks.check(result.code == code and all(text in result.stdout + result.stderr for text in texts),
                 f"{directory}: {case or ' '.join(args)}, {ranks} ranks", describe(result))
    checks.check(content(directory) == before, f"{directory}: verify writes no file", describe(result))
    return result


def refused(directory, *args, text, case=""):
    result = verify(directory, *args, code=2, texts=[text], case=case)
    checks.check(len(result.error_lines()) == 1, f"{directory}: one error", describe(result))


def same_bits(count, of=None):
    return f"{count} of {of or count} iterations have the same bits\n"


# ---- The same bits

# With these learning rates, trainings do not amplify rounding errors.
SEARCH = [*study("native", epochs=3, models="all"), "--search.train.learning_rate=3e-4, 1e-3, 3e-3, 1e-2"]
run("search", *SEARCH, ranks=2)
for ranks in (None, 2, 3):
    verify("search", ranks=ranks, texts=[same_bits(10), "held-out predictions of 10, weights of 10\n"])
verify("search", ALL, "--run.lanes=2", texts=[same_bits(48)])
verify("search", "--iterations=3", "--seed=5", texts=[same_bits(3)])
shutil.copy(DIGITS, "copy.h5")
verify("search", "--data.file=copy.h5", texts=[same_bits(10)], case="moved data")

SMALL = [DIGITS, "--run.device=cpu", "--run.lanes=2", "--model.kind=mlp", "--model.hidden=8"]
run("bagging", *SMALL, "--train.epochs=3", "--ensemble.members=4", "--ensemble.bootstrap=true", "--search.folds=2",
    "--run.refit=true", "--train.patience=2", "--train.schedule=plateau")
verify("bagging", ALL, ranks=2, texts=[same_bits(12)])

run("streamed", *streamed_study("native", epochs=2), "--search.folds=1", "--data.validation=0.2",
    "--search.model.hidden=16", ranks=2)
verify("streamed", ALL, ranks=3, texts=[same_bits(8)])

HALVING = [os.path.join(SOURCE, "jobs", "studies", "digits-halving.cfg"), f"--data.file={DIGITS}", "--run.device=cpu",
           "--search.trials=9", "--run.refit=true"]
run("halving", *HALVING, "--train.epochs=9")
verify("halving", ALL, ranks=2, texts=["have the same bits"])

TPE = [*SMALL, "--search.method=tpe", "--search.trials=16", "--search.folds=3", "--search.racing=forgiving",
       "--search.train.learning_rate=log_uniform(1e-4, 1e-1)", "--run.refit=true"]
run("tpe", *TPE, "--train.epochs=2")
with open("tpe/summary.json") as file:
    counts = json.load(file)["iterations"]
trained = counts["finished"]
verify("tpe", ALL, ranks=3, texts=["have the same bits\n", f"of {trained} iterations", "left out: ", " pruned\n"])
checks.check(counts["pruned"] > 0, "some iterations were pruned", str(counts))

run("torch", *study("torch", epochs=2, hidden="16"), "--search.folds=2")
verify("torch", ranks=2, texts=[same_bits(10)])
run("cnn", DIGITS, "--run.device=cpu", "--data.image=1x8x8", "--model.kind=cnn", "--model.channels=4", "--train.epochs=1",
    "--study.iterations=2", "--run.models=all")
verify("cnn", texts=[same_bits(2), "weights of 2\n"])

run("float64", *SMALL, "--train.epochs=3", "--train.precision=float64", "--study.iterations=3")
run("diverged", *SMALL, "--train.epochs=3", "--search.train.learning_rate=1e-3, 1e30", "--train.optimizer=sgd")
with open("diverged/summary.json") as file:
    checks.check(json.load(file)["iterations"]["diverged"] == 1, "one iteration diverged")
verify("diverged", texts=[same_bits(2)])

# ---- Rounding

for directory in ("search", "float64", "diverged"):
    done = verify(directory, environment=OTHER_PROCESSOR, case="another instruction set",
                  texts=["agree to rounding (they were trained with the instruction set ", "LIBXSMM", "BLAS"])
    checks.check("same bits" not in done.stdout, f"{directory}: to rounding only", done.stdout)
verify("torch", "--run.threads=2", "--run.lanes=1",
       texts=["10 of 10 iterations agree to rounding (they were trained with run.threads = 1, this is 2)\n"])


def journals(directory):
    return sorted(glob.glob(f"{directory}/journal/*/*.jsonl"))


def closed(body, seed):
    return body + b',"crc32":"%08x"}\n' % zlib.crc32(body, seed)


def seed_of(header):
    facts = json.loads(header)
    text = facts["study"] + "\n" + facts["data"]
    return zlib.crc32(text.encode())


def forge(directory, new, change):
    """Copies a run. `change(line, is_header)`: the new text of a journal line without its checksum."""
    shutil.copytree(directory, new)
    for path in journals(new):
        with open(path, "rb") as file:
            lines = file.readlines()
        seed = seed_of(lines[0])
        bodies = [line[:line.rindex(b',"crc32"')] for line in lines]
        checks.check(all(closed(body, seed if number else 0) == line for number, (body, line) in
                         enumerate(zip(bodies, lines))), f"{directory}: checksums are understood", lines[1].decode())
        with open(path, "wb") as file:
            file.writelines(closed(change(body, number == 0), seed if number else 0)
                            for number, body in enumerate(bodies))


def without_platform(body, is_header):
    return re.sub(rb',"platform":\{.*\}$', b"", body) if is_header else body


forge("search", "older", without_platform)
verify("older", texts=["10 of 10 iterations agree to rounding (the run has not recorded its processor)\n"])


def changed(number, pattern, text):
    def change(body, is_header):
        ours = body.startswith(b'{"iteration":%d,' % number)
        return re.sub(pattern, text, body) if ours else body
    return change


for directory, pattern, text, found in (
        ("wrong-loss", rb'"validation_loss":[^,]*', b'"validation_loss":0.25', " instead of 0.25"),
        ("wrong-epochs", rb'"epochs":3', b'"epochs":4', "epochs 3 instead of 4"),
        ("wrong-status", rb'"status":"finished"', b'"status":"diverged"', "finished instead of diverged")):
    forge("search", directory, changed(7, pattern, text))
    done = verify(directory, ALL, code=1, ranks=2, texts=[same_bits(47, 48), found])
    lines = [line for line in done.stdout.splitlines() if line.startswith("iteration ")]
    checks.check(len(lines) == 1 and lines[0].startswith("iteration 7 (trial "), "one line names the iteration",
                 done.stdout)
    verify(directory, ALL, code=1, environment=OTHER_PROCESSOR, texts=["47 of 48 iterations agree to rounding", found])


def next_digit(match):
    """Another last digit: a difference of a few bits."""
    return match[1] + (b"3" if match[2] == b"2" else b"2")


forge("search", "wrong-bit", changed(7, rb'("final_loss":[0-9.]*)([0-9])', next_digit))
verify("wrong-bit", ALL, code=1, texts=[same_bits(47, 48), "final_loss "])
verify("wrong-bit", ALL, environment=OTHER_PROCESSOR, texts=["48 of 48 iterations agree to rounding"],
       case="a wrong bit does not matter to rounding")

shutil.copytree("search", "wrong-weights")
shutil.copy("search/models/iteration-8.pt", "wrong-weights/models/iteration-7.pt")
verify("wrong-weights", ALL, code=1, texts=[same_bits(47, 48), "weights differ, by up to "])

# ---- Runs that are not finished

LONGER = study("native", epochs=40)
job = Started([SHEAF, "run", *LONGER, "--run.output=unfinished", "--run.checkpoint_interval=0.02"])
checks.check(job.creep_until(lambda: len(journaled("unfinished")) >= 12), "the run is under way")
known = len(journaled("unfinished"))
verify("unfinished", texts=[same_bits(10)], case="while a job trains the run")
job.kill()
checks.check(known < 48 and not os.path.exists("unfinished/results.csv"), "the run is not finished")
verify("unfinished", ALL, texts=["have the same bits"], case="after a kill")
result = sheaf("resume", "unfinished")
checks.check(result.code == 0, "the run is resumed", describe(result))
verify("unfinished", ALL, texts=[same_bits(48)], case="after it was resumed")

for directory, args in (("killed-tpe", TPE), ("killed-halving", HALVING)):
    job = Started([SHEAF, "run", *args, f"--run.output={directory}", "--run.progress=none", "--train.epochs=20"], ranks=2)
    checks.check(job.creep_until(lambda: len(journaled(directory)) >= 9), f"{directory}: the run is under way")
    for process in job.rank_processes():  # mpiexec would end them a little later
        os.kill(process, signal.SIGKILL)
    job.go_on()
    job.finish()
    checks.check(not os.path.exists(f"{directory}/results.csv"), f"{directory}: the run is not finished")
    verify(directory, ALL, ranks=2, texts=["have the same bits"], case="after a kill")

forge("search", "empty", lambda body, is_header: body)
for path in journals("empty"):
    with open(path, "rb") as file:
        header = file.readline()
    with open(path, "wb") as file:
        file.write(header)
for name in ("results.csv", "results.h5"):
    os.remove(f"empty/{name}")
refused("empty", text="'empty' has no finished iteration", case="a run without results")

# ---- Refusals

with h5py.File("copy.h5", "r+") as file:
    file["features"][0, 20] += 1
refused("search", "--data.file=copy.h5", text="the data or model files of 'search' have changed", case="other data")
refused("search", "--iterations=0", text="--iterations = '0' is not valid")
refused("search", "--train.epochs=5", text="train.epochs")
for directory in (".", "absent"):
    result = sheaf("verify", directory, ranks=2)
    checks.check(result.code == 2 and len(result.error_lines()) == 1, f"'{directory}' is not a run", describe(result))

# ---- Stopping

run("long", *SMALL, "--model.hidden=200 200", "--train.epochs=150", "--study.iterations=4")
job = Started([SHEAF, "verify", "long", "--run.lanes=1"])
time.sleep(argument("--seconds", 1))
job.process.send_signal(signal.SIGINT)
done = job.finish()
checks.check(done.code == 75, "SIGINT stops it", describe(done))
counts = re.search(r"compared: results of (\d+)", done.stdout)
checks.check(counts and int(counts.group(1)) < 4, "it reports what it has compared", describe(done))
sys.exit(checks.finish())
