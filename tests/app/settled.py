"""Settings that affect results are settled by the first job of a run. Later jobs with other memory, threads, engines,
model files or versions of the program either give the same results or are refused."""

import os
import shutil
import sys
import zlib

import h5py
import numpy

from interrupted import results
from program import SHEAF, Checks, Started, journaled, launch, one_rank_each, read_csv, sheaf

try:
    import torch
except ImportError as error:
    torch = None
    print(f"TorchScript files: skipped ({error})")

SHIM = os.environ["FAKED_MEMORY_LIBRARY"]
PLUGIN = os.path.join(os.environ["SHEAF_PLUGINS"], "gated_mlp.so")
ROWS = 20000
DATA = ROWS * (64 * 4 + 8)  # bytes in memory
PLENTY, LITTLE, TOO_LITTLE = 4 * DATA, DATA * 3 // 2, DATA // 2
ITERATIONS = 4

checks = Checks()
shutil.rmtree("settled", ignore_errors=True)
os.makedirs("settled")
os.chdir("settled")
random = numpy.random.default_rng(3)
with h5py.File("data.h5", "w") as file:
    file["features"] = random.random((ROWS, 64), dtype="f4")
    file["targets"] = random.integers(0, 10, ROWS)
with open("study.cfg", "w") as file:
    file.write(f"""
[study]
iterations = {ITERATIONS // 2}
[ensemble]
members = 2
[data]
file = data.h5
task = classification
image = 1x8x8
validation = 0.2
normalize = none
[model]
kind = linear
[train]
epochs = 1
optimizer = sgd
batch_size = 500
loss = cross_entropy
[run]
device = cpu
progress = none
curves = true
models = none
""")
STUDY = ["run", "study.cfg"]


def memory(size):
    return {"LD_PRELOAD": SHIM, "FAKED_MEMORY": str(size // 1024)}


def begin(name, *args, size=PLENTY, of=STUDY):
    """Starts a run and trains the first half of its iterations."""
    shutil.rmtree(name, ignore_errors=True)
    result = sheaf(*of, f"--run.output={name}", "--run.array=0/2", *args, environment=memory(size))
    checks.check(result.code == 0, f"{name}: the first half succeeds", result.stderr)


def whole(name, *args, size=PLENTY):
    result = sheaf(*STUDY, f"--run.output={name}", *args, environment=memory(size))
    checks.check(result.code == 0, f"{name}: the whole run succeeds", result.stderr)
    return results(name)


def stored(name):
    with open(f"{name}/study.cfg") as file:
        lines = file.read().splitlines()
    return {key: line.split(" = ")[1] for key in ("mode", "engine") for line in lines if line.startswith(key + " = ")}


def refused(result, code, *texts, case, name="run"):
    errors = result.error_lines()
    checks.check(result.code == code and len(errors) == 1 and all(text in errors[0] for text in texts), case,
                 f"{result.code}\n{result.stderr}")
    checks.check(not os.path.exists(f"{name}/results.csv"), f"{case}: no result files")


def finished(result, expected, case, name="run"):
    checks.check(result.code == 0 and results(name) == expected, case, f"{result.code}\n{result.stderr}")


def engines(name):
    return {(row.get("model.kind", ""), row["engine"]) for row in read_csv(f"{name}/results.csv")}


# The memory of the first job settles data.mode = auto.
in_memory, streamed = whole("memory"), whole("streamed", size=LITTLE)
checks.check(stored("memory") == {"mode": "memory", "engine": "native"}, "plenty of memory: data.mode and engine",
             str(stored("memory")))
checks.check(stored("streamed") == {"mode": "streamed", "engine": "native"}, "little memory: data.mode and engine",
             str(stored("streamed")))
checks.check(in_memory != streamed, "streamed and in-memory results differ")
begin("run")
refused(sheaf("resume", "run", environment=memory(TOO_LITTLE)), 1, "data.h5' does not fit into memory",
        case="resume with too little memory")
refused(sheaf("resume", "run", "--data.mode=streamed"), 2, "data.mode = streamed, was memory",
        case="resume in another data mode")
refused(sheaf(*STUDY, "--run.output=run", "--resume", "--data.mode=streamed"), 2, "data.mode = streamed, was memory",
        case="run --resume in another data mode")
finished(sheaf("resume", "run", environment=memory(LITTLE)), in_memory, "resume with less memory: data stay in memory")
begin("run")
finished(sheaf(*STUDY, "--run.output=run", "--run.array=1/2", environment=memory(LITTLE)), in_memory,
         "a task with less memory: data stay in memory")
begin("run", size=LITTLE)
finished(sheaf(*STUDY, "--run.output=run", "--resume", ranks=2, environment=memory(PLENTY)), streamed,
         "run --resume with more memory: data stay streamed")
checks.check(stored("run") == stored("streamed"), "run --resume with more memory: the stored settings do not change")

# The rank with the least memory decides.
shutil.rmtree("run", ignore_errors=True)
parts = [["env", *[f"{key}={value}" for key, value in memory(size).items()], SHEAF, *STUDY, "--run.output=run"]
         for size in (PLENTY, LITTLE)]
finished(launch(one_rank_each(*parts)), streamed, "one rank with little memory: streamed")

# Two tasks settle the study at the same time. The later one uses the settings that the first one has stored.
shutil.rmtree("run", ignore_errors=True)
late = Started(["env", *[f"{key}={value}" for key, value in memory(LITTLE).items()], "FAKED_HOLD=hold", SHEAF, *STUDY,
                "--run.output=run", "--run.array=1/2"])
checks.check(late.wait_for(lambda: os.path.exists("hold.reached")), "the later task settles its study first")
begin("run")
open("hold", "w").close()
result = late.finish()
checks.check("data.h5' is streamed" in result.stderr, "the later task had settled on streaming", result.stderr)
finished(result, in_memory, "the later task uses the stored settings")

# The engine of each trial is settled and stored as well.
begin("run")
for args in (["resume", "run"], [*STUDY, "--run.output=run", "--resume"]):
    refused(sheaf(*args, "--run.lanes=1", "--run.threads=2"), 2, "run.engine = native", "run.threads = 2",
            case=f"{args[0]} with more threads")
refused(sheaf("resume", "run", "--run.engine=torch"), 2, "run.engine = torch, was native",
        case="resume with another engine")
refused(sheaf("resume", "run", "--run.device=cuda"), 2, "run.device = cuda",
        case="resume of the native engine on a GPU")
checks.check(len(journaled("run")) == ITERATIONS // 2, "refused jobs train no iteration")
finished(sheaf("resume", "run", "--run.lanes=1", "--run.engine=auto"), in_memory,
         "run.engine = auto: the stored engine")
begin("run", "--run.lanes=1", "--run.threads=2")
checks.check(stored("run")["engine"] == "torch", "a run with two threads is stored with engine torch",
             str(stored("run")))
result = sheaf("resume", "run", "--run.threads=1")
checks.check(result.code == 0 and engines("run") == {("", "torch")} and
             "warning: the run began with run.threads = 2, now 1" in result.stderr,
             "resume with one thread: still torch", f"{result.code}\n{result.stderr}")
checks.check(f"engine: torch {ITERATIONS} iterations (the run began with this engine)\n" in result.stdout,
             "the summary gives the stored engine as the reason", result.stdout)
SEARCH = ["--search.method=grid", "--search.model.kind=linear, cnn", "--model.channels=2"]
begin("run", *SEARCH)
checks.check(stored("run")["engine"] == "by_model", "several kinds of models: the engine is stored by model",
             str(stored("run")))
result = sheaf("resume", "run", "--run.lanes=1", "--run.threads=2")
checks.check(result.code == 0 and engines("run") == {("linear", "native"), ("cnn", "torch")} and
             "the run began with run.threads = 1" in result.stderr, "resume with threads: the same engines",
             f"{result.code}\n{result.stderr}")


# Model files are compared by content, not by time.
def changed_file(path, kind, other):
    shutil.copy(path, "original")
    args = [f"--model.kind={kind}:{path}"]
    expected = whole("model", *args)
    shutil.rmtree("model")
    begin("run", *args)
    with open(path, "wb") as file:
        file.write(other)
    refused(sheaf("resume", "run", ranks=2), 1, "the model file '", f"/{path}' has changed", "--force",
            case=f"{path} has changed")
    refused(sheaf(*STUDY, *args, "--run.output=run", "--run.array=1/2"), 1, f"/{path}' has changed",
            case=f"{path} has changed: a task")
    shutil.copytree("run", "forced")
    result = sheaf("resume", "forced", "--force")
    checks.check(result.code == 0 and os.path.exists("forced/results.csv"), f"{path} has changed: --force",
                 result.stderr)
    checks.check(f"/{path}' has changed" in result.stderr and "results will be mixed" in result.stderr,
                 f"{path} has changed: --force warns", result.stderr)
    shutil.rmtree("forced")
    shutil.copy("original", path)
    os.utime(path, (1, 1))
    finished(sheaf("resume", "run"), expected, f"{path} is restored: same results")


if torch is not None:
    for seed, path in enumerate(("net.pt", "other.pt")):
        torch.manual_seed(seed)
        layers = [torch.nn.Flatten(), torch.nn.Linear(64, 10)] + [torch.nn.Tanh()] * seed
        torch.jit.script(torch.nn.Sequential(*layers)).save(path)
    with open("other.pt", "rb") as file:
        changed_file("net.pt", "torchscript", file.read())
    # Ranks that find different files under the same name.
    for folder, source in (("one", "net.pt"), ("two", "other.pt")):
        os.mkdir(folder)
        shutil.copy(source, f"{folder}/net.pt")
        os.link("data.h5", f"{folder}/data.h5")
        shutil.copy("study.cfg", folder)
    parts = [["env", "-C", folder, SHEAF, *STUDY, "--model.kind=torchscript:/proc/self/cwd/net.pt",
              "--data.file=/proc/self/cwd/data.h5",
              f"--run.output={os.path.abspath('ranks')}"] for folder in ("one", "two")]
    refused(launch(one_rank_each(*parts)), 1, "rank 1 of 2 has a different model file ('/proc/self/cwd/net.pt' with fingerprint",
            case="different model files on two ranks", name="ranks")
# Ranks with different studies take different collective calls, so they are compared before.
for own, other in ((["--data.task=auto", "--train.loss=auto"], ["--data.task=classification", "--train.loss=mse"]),
                   ([], ["--data.mode=streamed"]), ([], ["--data.validation=0"]), ([], ["--study.iterations=3"])):
    parts = [[SHEAF, *STUDY, *args, f"--run.output={os.path.abspath('differing')}"] for args in (own, other)]
    refused(launch(one_rank_each(*parts)), 2, "rank 1 has other arguments than rank 0", "Start all ranks with the same",
            case=f"{own} and {other} on two ranks", name="differing")
# Copies of a file on two nodes, of which one is older: the targets have another type, so other values are chosen.
for folder, kind in (("newer", "f4"), ("older", "i4")):
    os.mkdir(folder)
    with h5py.File(f"{folder}/copy.h5", "w") as file:
        file["features"] = numpy.arange(300, dtype="f4").reshape(100, 3)
        file["targets"] = numpy.arange(100, dtype=kind) % 3
COPY = "/proc/self/cwd/copy.h5"
for command in (["run", COPY, f"--run.output={os.path.abspath('differing')}"], ["plan", COPY]):
    parts = [["env", "-C", folder, SHEAF, *command] for folder in ("newer", "older")]
    refused(launch(one_rank_each(*parts)), 1, "has a different study (checksum", case=f"{command[0]}: stale copy",
            name="differing")
result = sheaf("run", "newer/copy.h5", "--run.output=copied", "--train.epochs=1")
checks.check(result.code == 0, "the model of the copies", result.stderr)
parts = [["env", "-C", folder, SHEAF, "evaluate", os.path.abspath("copied"), f"--data.file={COPY}"]
         for folder in ("newer", "older")]
result = launch(one_rank_each(*parts))
checks.check(result.code == 1 and len(result.error_lines()) == 1 and "differs from that of rank 0" in result.stderr,
             "evaluate: stale copy", result.stderr)

# A job that joins a run of a file that has grown keeps all values that were chosen for the first file.
with h5py.File("grows.h5", "w") as file:
    file["features"] = numpy.random.default_rng(1).normal(size=(100, 3))
    file["targets"] = numpy.random.default_rng(2).normal(size=100)
with open("grows.cfg", "w") as file:
    file.write("[study]\niterations = 4\n[data]\nfile = grows.h5\n[run]\noutput = grown\narray = 0/2\n")
result = sheaf("run", "grows.cfg")
checks.check(result.code == 0, "the first task of a run on a file that grows", result.stderr)
with h5py.File("grows.h5", "w") as file:
    file["features"] = numpy.random.default_rng(1).normal(size=(3000, 3))
    file["targets"] = numpy.random.default_rng(2).normal(size=3000)
result = sheaf("run", "grows.cfg", "--run.array=none", "--resume", "--force")
epochs = {row["epochs"] for row in read_csv("grown/results.csv")} if result.code == 0 else None
checks.check(result.code == 0 and epochs == {"148"}, "--force keeps the chosen number of epochs",
             f"{epochs} {result.stderr}")
with h5py.File("grown/results.h5") as file:
    predicted = file["predictions"]["iteration"]
checks.check(sorted(set(predicted)) == [1, 3] and len(predicted) == 600 and
             "the predictions of 2 iterations are left out (they were made for other validation rows)" in result.stderr,
             "--force leaves out predictions for other rows", f"{len(predicted)} {set(predicted)} {result.stderr}")
shutil.copy(PLUGIN, "plugin.so")
with open(PLUGIN, "rb") as file:
    changed_file("plugin.so", "plugin", file.read() + b"\0")

# Another version of the program in the study file and in a journal.
begin("run")
with open("run/study.cfg") as file:
    text = file.read()
first, _, rest = text.partition("\n")
checks.check(first == "# Written by sheaf " + sheaf("--version").stdout.split()[1],
             "the stored study has the version of the program", first)
for args in (["resume", "run"], [*STUDY, "--run.output=run", "--resume"]):
    # A later version may have unknown keys. The error is about the version, not about a key.
    with open("run/study.cfg", "w") as file:
        file.write("# Written by sheaf 9.9.9\n" + rest + ("future = 1\n" if args[0] == "resume" else ""))
    refused(sheaf(*args), 1, "is a run of sheaf 9.9.9", "--force", case=f"{args[0]}: a study of another version")
finished(sheaf("resume", "run", "--force"), in_memory, "a study of another version with --force")
begin("run")
with open("run/study.cfg", "w") as file:
    file.write(rest.replace("mode = memory", "mode = auto"))
refused(sheaf("resume", "run", "--force"), 1, "does not store how the run was trained (data.mode = auto",
        case="a stored study that is not settled")
with open("run/study.cfg", "w") as file:
    file.write(text)
journal = "run/journal/00001/00000.jsonl"
with open(journal, "rb") as file:
    header, *lines = file.readlines()
version = first.split()[-1].encode()
body = header[:header.rindex(b',"crc32"')].replace(b'"program":"' + version + b'"', b'"program":"0.1.0"')
with open(journal, "wb") as file:
    file.writelines([body + b',"crc32":"%08x"}\n' % zlib.crc32(body), *lines])
refused(sheaf("resume", "run", ranks=2), 1, "was written by sheaf 0.1.0", "--force",
        case="a journal of another version")
finished(sheaf("resume", "run", "--force"), in_memory, "a journal of another version with --force")
sys.exit(checks.finish())
