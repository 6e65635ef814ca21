"""LibTorch is loaded only by commands that need it. If it cannot be loaded, these commands fail with one error line; info
has advice."""

import glob
import json
import os
import shutil

from program import DIGITS, SHEAF, Checks, launch, sheaf

checks = Checks()
shutil.rmtree("libtorch", ignore_errors=True)
os.makedirs("libtorch")
os.chdir("libtorch")
with open("study.cfg", "w") as file:
    file.write(f"""
[data]
file = {DIGITS}
task = classification
validation = 0.2
[model]
kind = mlp
hidden = 8
[train]
epochs = 1
loss = cross_entropy
""")
with open("table.csv", "w") as file:
    file.write("a,b\n1,2\n3,4\n")


def run(name, *args):
    return ["run", "study.cfg", "--run.device=cpu", "--run.progress=none", f"--run.output={name}",
            *([] if any("run.models" in arg for arg in args) else ["--run.models=none"]), *args]


def line_of(done, begin):
    """The first line of stdout that begins like this, or ""."""
    return next((line for line in done.stdout.splitlines() if line.startswith(begin)), "")


def loads_torch(*args, ranks=None):
    """Whether a process of the command loads LibTorch, according to the debug output of the dynamic linker."""
    for path in glob.glob("linker.*"):
        os.remove(path)
    done = sheaf(*args, ranks=ranks, environment={"LD_DEBUG": "files", "LD_DEBUG_OUTPUT": "linker"})
    checks.check(done.code == 0, f"{args}: succeeds", done.stderr)
    found = []
    for path in glob.glob("linker.*"):
        with open(path, errors="replace") as file:
            found.append("libc10" in file.read())
    checks.check(found, f"{args}: the linker has written its debug output")
    return any(found)


for args, ranks in ((["--version"], None), (["plan", "study.cfg", "--run.device=cpu"], 2), (run("alone_run"), None),
                     (["resume", "alone_run"], None), (run("two_ranks"), 2),
                     (run("saved", "--run.models=best"), 2), (run("all_saved", "--run.models=all"), None),
                     (["resume", "all_saved"], None),
                     (run("streamed", "--data.mode=streamed", "--data.memory=1"), 2),
                     (["import", "table.csv", "table.h5"], None),
                     (["preprocess", DIGITS, "scaled.h5", "--normalize=standard"], 2)):
    checks.check(not loads_torch(*args, ranks=ranks), f"{args}: LibTorch is not loaded")
evaluate = ["evaluate", "saved", f"--data.file={DIGITS}"]
for args, ranks in ((["info"], None), (run("torch", "--run.engine=torch"), 2),
                     (run("cnn", "--model.kind=cnn", "--data.image=1x8x8", "--model.channels=2"), None),
                     ([*evaluate, "--run.engine=torch"], None)):
    checks.check(loads_torch(*args, ranks=ranks), f"{args}: LibTorch is loaded")
for args in (evaluate, ["evaluate", "saved/models/iteration-0.pt", f"--data.file={DIGITS}"]):
    checks.check(not loads_torch(*args, ranks=2), f"{args}: LibTorch is not loaded")

# The program without libsheaf_libtorch.so.
os.mkdir("bare")
shutil.copy(SHEAF, "bare/sheaf")
for ranks in (None, 2):
    done = launch(["bare/sheaf"] + run(f"native_{ranks}"), ranks=ranks)
    checks.check(done.code == 0, f"the native engine trains without the library (ranks: {ranks})", done.stderr)
    done = launch(["bare/sheaf"] + evaluate, ranks=ranks)
    checks.check(done.code == 0, f"the native engine evaluates without the library (ranks: {ranks})", done.stderr)
    done = launch(["bare/sheaf"] + run("missed", "--run.engine=torch"), ranks=ranks)
    lines = done.error_lines()
    checks.check(done.code == 1 and len(lines) == 1 and
                 lines[0].endswith("). Install the package sheaf-torch, or put the libsheaf_libtorch.so from the "
                                   "program's build next to the program."),
                 f"a missing library gives one error line (ranks: {ranks})", done.stderr)
    checks.check(not os.path.exists("missed"), f"a missing library: no run directory (ranks: {ranks})")
    done = launch(["bare/sheaf"] + run(f"saved_{ranks}", "--run.models=best"), ranks=ranks)
    with open("saved/models/iteration-0.pt", "rb") as one, open(f"saved_{ranks}/models/iteration-0.pt", "rb") as other:
        checks.check(done.code == 0 and one.read() == other.read(),
                     f"models are saved without the library (ranks: {ranks})", done.stderr)
    with open(f"saved_{ranks}/summary.json") as file:
        checks.check(json.load(file)["libtorch"] == "not used", f"the summary knows it (ranks: {ranks})")

# A library that throws an exception while it is loaded.
os.mkdir("throwing")
shutil.copy(SHEAF, "throwing/sheaf")
shutil.copy(os.path.join(os.environ["SHEAF_PLUGINS"], "throwing_library.so"), "throwing/libsheaf_libtorch.so")
for ranks in (None, 2):
    done = launch(["throwing/sheaf"] + run("thrown", "--run.engine=torch"), ranks=ranks)
    lines, problem = done.error_lines(), "cannot be loaded (this operator is already registered)"
    checks.check(done.code == 1 and len(lines) == 1 and problem in lines[0],
                 f"run: an exception while loading gives one error line (ranks: {ranks})", f"{done.code}\n{done.stderr}")
    done = launch(["throwing/sheaf", "info"], ranks=ranks)
    checks.check(done.code == 0 and not done.error_lines() and problem in line_of(done, "ADVICE   LibTorch: "),
                 f"info: an exception while loading gives advice (ranks: {ranks})", f"{done.code}\n{done.stdout}{done.stderr}")
    checks.check(not os.path.exists("thrown"), f"an exception while loading: no run directory (ranks: {ranks})")

# run.device = cuda without a usable GPU: refused by all commands that have the key, even if the build has CUDA.
for args in (["plan", "study.cfg"], ["run", "study.cfg", "--run.output=no_gpu"],
              ["run", "study.cfg", "--run.output=no_gpu", "--run.engine=torch"], evaluate,
              [*evaluate, "--run.engine=torch"]):
    for ranks in (None, 2):
        done = sheaf(*args, "--run.device=cuda", ranks=ranks, environment={"CUDA_VISIBLE_DEVICES": ""})
        lines = done.error_lines()
        checks.check(done.code == 1 and len(lines) == 1 and "no GPU is available (" in lines[0] and not done.stdout,
                     f"{args}: run.device = cuda is refused without a GPU (ranks: {ranks})",
                     f"{done.code}\n{done.stdout}{done.stderr}")
checks.check(not os.path.exists("no_gpu"), "run.device = cuda without a GPU: no run directory")

# If LibTorch has no CUDA support, the message gives that reason, not a missing driver.
without_cuda = "built without CUDA" in sheaf("info").stdout
refused = sheaf("run", "study.cfg", "--run.device=cuda", "--run.output=no_gpu").stderr if without_cuda else ""
checks.check(("(the LibTorch of this build has no CUDA support)" in refused) == without_cuda,
             "run.device = cuda names LibTorch without CUDA as the reason for no GPU", refused)
planned = sheaf("plan", "study.cfg").stdout
checks.check(("(GPU not used: the LibTorch of this build has no CUDA support)" in planned) ==
             (without_cuda and os.path.exists("/dev/nvidiactl")), "only a machine with a GPU has a note on it", planned)

# The BLAS library that is loaded, not the one that LibTorch was built with.
blas = [line for line in sheaf("info").stdout.splitlines() if line.startswith("BLAS ")]
checks.check(len(blas) == 1 and "/lib" in blas[0],
             "info names the BLAS library", str(blas))

# A library of another build, which differs in the build id only, is refused before any of its functions is called.
version = sheaf("--version").stdout
with open(os.path.join(os.path.dirname(SHEAF), "libsheaf_libtorch.so"), "rb") as file:
    library = file.read()
build = version.split("build ")[1].split(")")[0]
checks.check(library.count(build.encode()) == 1, "the library contains the build id of the program", version)
torch_library = b"libtorch_cpu.so"
checks.check(library.count(torch_library) == 1, "the library contains the name of LibTorch's library once")
for name, content in (("unlinked", library.replace(torch_library, b"libtorch_gpu.so")),
                      ("other", library.replace(build.encode(), b"0123456789abcdef")), ("same", library)):
    os.mkdir(name)
    shutil.copy(SHEAF, f"{name}/sheaf")
    with open(f"{name}/libsheaf_libtorch.so", "wb") as file:
        file.write(content)
for ranks in (None, 2):
    done = launch(["other/sheaf"] + run("mixed", "--run.engine=torch"), ranks=ranks)
    lines = done.error_lines()
    checks.check(done.code == 1 and len(lines) == 1 and f"and this program are from different builds "
                 f"(0123456789abcdef and {build})" in lines[0],
                 f"a library of another build is refused (ranks: {ranks})", f"{done.code}\n{done.stderr}")
    checks.check(not os.path.exists("mixed"), f"a library of another build: no run directory (ranks: {ranks})")
done = launch(["other/sheaf", "info"])
checks.check(done.code == 0 and not done.error_lines() and "different builds" in line_of(done, "ADVICE   LibTorch: ")
             and "LibTorch     cannot be loaded" in done.stdout and "HDF5 " in done.stdout,
             "info shows everything else with a library of another build", done.stdout + done.stderr)
done = launch(["unlinked/sheaf"] + run("mixed", "--run.engine=torch"))
checks.check(done.code == 1 and len(done.error_lines()) == 1 and "cannot be loaded (libtorch_gpu.so" in done.stderr
             and "Install the LibTorch that the program was built with, or add the folder" in done.stderr,
             "a missing library of LibTorch gives one error line", f"{done.code}\n{done.stderr}")
for name, spoil in (("pipe", os.mkfifo), ("cut", lambda path: shutil.copy("same/libsheaf_libtorch.so", path))):
    os.mkdir(name)
    shutil.copy(SHEAF, f"{name}/sheaf")
    spoil(f"{name}/libsheaf_libtorch.so")
os.truncate("cut/libsheaf_libtorch.so", 4096)
for name, message in (("pipe", "is a pipe (FIFO)"), ("cut", "is truncated: it has 4096 of ")):
    done = launch([f"{name}/sheaf"] + run("mixed", "--run.engine=torch"))
    checks.check(done.code == 1 and len(done.error_lines()) == 1 and message in done.error_lines()[0],
                 f"damaged library: error line with '{message}'", f"{done.code}\n{done.stderr}")
done = launch(["same/sheaf"] + run("copied", "--run.engine=torch"))
checks.check(done.code == 0, "a copy of the library is accepted", done.stderr)

raise SystemExit(checks.finish())
