"""An installation in a prefix that was moved: the test of the installation, plugins that find it with CMake, and the job
scripts. No file has the path of the build folder."""

import glob
import os
import shutil
import subprocess
import sys

from program import SHEAF, SOURCE, Checks, launch

checks = Checks()
BUILD = os.path.dirname(SHEAF)
shutil.rmtree("installed", ignore_errors=True)
os.makedirs("installed/home")
os.chdir("installed")
done = launch(["cmake", "--install", BUILD, "--prefix", os.path.abspath("first"), "--strip"])
checks.check(done.code == 0, "cmake --install", done.stderr)
os.rename("first", "moved prefix")
PREFIX = os.path.abspath("moved prefix")
SHARE = os.path.join(PREFIX, "share/sheaf")
PROGRAM = os.path.join(PREFIX, "bin/sheaf")
os.chdir("home")


def files_of(folder):
    return sorted(os.path.join(path, name) for path, _, names in os.walk(folder) for name in names)


# The Torch_DIR of this build, and folders of libraries outside the system, may be in the build folder.
torch = subprocess.run(["cmake", "-LA", "-N", BUILD], capture_output=True, text=True, check=True).stdout
torch = next(line.split("=", 1)[1] for line in torch.splitlines() if line.startswith("Torch_DIR:"))
libraries = os.path.realpath(os.path.join(torch, "../../../lib")).encode()
for path in files_of(PREFIX):
    with open(path, "rb") as file:
        content = file.read().replace(libraries, b"")
    checks.check(BUILD.encode() not in content, f"{path} does not have the path of the build folder")

for name in ("man1/sheaf.1.gz", "man1/sheaf-run.1.gz", "man5/sheaf-study.5.gz"):
    checks.check(os.path.exists(os.path.join(PREFIX, "share/man", name)), f"{name} is installed")

# ---- The program and its library

for ranks in (None, 2):
    done = launch([PROGRAM, "info", "--test"], ranks=ranks)
    checks.check(done.code == 0 and [line.split()[0] for line in done.stdout.splitlines()] == ["passed"] * 3,
                 f"info --test passes (ranks: {ranks})", done.stdout + done.stderr)
checks.check(not glob.glob("*"), "info --test leaves no file in the current directory", os.listdir())

library = glob.glob(os.path.join(PREFIX, "lib*/**/libsheaf_libtorch.so"), recursive=True)
checks.check(len(library) == 1, "one library", library)
os.rename(library[0], library[0] + ".hidden")
done = launch([PROGRAM, "info", "--test"])
checks.check(done.code == 0 and done.stdout.splitlines()[-1] == "skipped  LibTorch: not installed (package sheaf-torch)",
             "info --test without the library skips LibTorch", done.stdout + done.stderr)
done = launch([PROGRAM, "info"], ranks=2)
checks.check(done.code == 0 and "\nLibTorch     not installed (package sheaf-torch)\n" in done.stdout and not done.error_lines(),
             "info without the library", done.stdout + done.stderr)
with open(library[0], "w") as file:
    file.write("no library")
done = launch([PROGRAM, "info", "--test"])
checks.check(done.code == 1 and done.stdout.splitlines()[-1].startswith("FAILED   training and prediction with LibTorch: "
                                                                       "LibTorch is required but cannot be loaded ("),
             "info --test reports a damaged library", done.stdout + done.stderr)
os.rename(library[0] + ".hidden", library[0])

os.mkdir("temporary")
done = launch([PROGRAM, "info", "--test"], environment={"TMPDIR": os.path.abspath("temporary")})
checks.check(done.code == 0 and not os.listdir("temporary"), "info --test removes its files", os.listdir("temporary"))
done = launch([PROGRAM, "info", "--test"], environment={"TMPDIR": "/proc"})
checks.check(done.code == 1 and len(done.error_lines()) == 1 and "cannot be created" in done.stderr,
             "info --test without a temporary directory: one error line", done.stderr)

# ---- A plugin

done = launch(["cmake", "-S", os.path.join(SHARE, "jobs/plugin"), "-B", "plugin", f"-DCMAKE_PREFIX_PATH={PREFIX}",
               f"-DTorch_DIR={torch}"], timeout=600)
checks.check(done.code == 0, "find_package(Sheaf) finds the installation", done.stdout + done.stderr)
done = launch(["cmake", "--build", "plugin"], timeout=600)
checks.check(done.code == 0, "the plugin is built", done.stdout + done.stderr)
done = launch(["cmake", "-S", os.path.join(SHARE, "jobs/plugin"), "-B", "other", f"-DSheaf_DIR={BUILD}",
               f"-DTorch_DIR={torch}"], timeout=600)
checks.check(done.code == 0, "find_package(Sheaf) finds a build folder", done.stdout + done.stderr)

# ---- The scripts, with the installed studies and data

done = launch(["bash", os.path.join(SHARE, "jobs/local.sh"), "--train.epochs=2", "--model.hidden=none",
               "--model.kind=plugin:plugin/gated_mlp.so"],
              environment={"STUDY": os.path.join(SHARE, "jobs/studies/digits-bagging.cfg"), "RANKS": "2",
                           "OUTPUT": "bagging", "SHEAF": ""})
checks.check(done.code == 0 and os.path.exists("bagging/results.csv"), "local.sh runs a study with the plugin", done.stderr)

shutil.copy(os.path.join(SHARE, "jobs/program.sh"), "program.sh")
os.mkdir("tools")
for tool in ("bash", "dirname"):
    os.symlink(shutil.which(tool), f"tools/{tool}")
done = launch(["bash", "program.sh"], environment={"PATH": os.path.abspath("tools"), "SHEAF": ""})
checks.check(done.code == 2 and done.stderr.startswith("error: the program sheaf was not found"),
             "program.sh without a program: an error", done.stderr)

def run_copy(script, command, path):
    """Runs a copy of a Slurm script, as slurmd does. `command`: the command of the job that scontrol shows. Returns the
    result and the program that the script starts."""
    shutil.copy(script, "slurm_script")
    for tool, text in (("scontrol", f"echo '   Command={command}'"), ("srun", "for word; do echo \"$word\"; done")):
        with open(f"bin/{tool}", "w") as file:
            file.write(f"#!/bin/sh\n{text}\n")
        os.chmod(f"bin/{tool}", 0o755)
    done = launch(["bash", "slurm_script", "--study.name=a/b"], environment={
        "PATH": f"{os.path.abspath('bin')}:{path}", "STUDY": "my.cfg", "SHEAF": "", "SLURM_JOB_ID": "7",
        "SLURM_CPUS_PER_TASK": "1", "SLURM_CPUS_PER_TASK_HET_GROUP_0": "1", "SLURM_CPUS_PER_TASK_HET_GROUP_1": "1"})
    return done, next((word for word in done.stdout.splitlines() if word.endswith("/sheaf")), "none")


# A script finds slurm.sh next to its original, as Slurm names it, or beside the program in PATH.
os.mkdir("bin")
scripts = glob.glob(os.path.join(SHARE, "jobs/*.sbatch"))
checks.check(len(scripts) == 4, "four Slurm scripts are installed", scripts)
for script in scripts:
    for command, path in ((f"{script} --study.name=a/b", "/usr/bin:/bin"), ("(null)", f"{PREFIX}/bin:/usr/bin:/bin")):
        done, program = run_copy(script, command, path)
        checks.check(done.code == 0 and os.path.realpath(program) == PROGRAM, f"{script} as {command}",
                     done.stdout + done.stderr)
    done, _ = run_copy(script, "(null)", "/usr/bin:/bin")
    checks.check(done.code == 2 and done.stderr.startswith("error: slurm.sh was not found."), f"{script} alone", done.stderr)

# ---- The modulefile

MODULES = """
. /usr/share/modules/init/bash
module use "$1"
module load sheaf
command -v sheaf
man -w sheaf-run ls
echo "$CMAKE_PREFIX_PATH"
module unload sheaf
command -v sheaf
echo "left: $MANPATH$CMAKE_PREFIX_PATH"
"""
if os.path.exists("/usr/share/modules/init/bash") and shutil.which("man"):
    done = launch(["bash", "-c", MODULES, "bash", os.path.join(SHARE, "modulefiles")],
                  environment={"MANPATH": "", "CMAKE_PREFIX_PATH": "", "PATH": "/usr/bin:/bin"})
    lines = done.stdout.splitlines()
    checks.check(len(lines) == 5 and lines[0] == PROGRAM and lines[1] == os.path.join(PREFIX, "share/man/man1/sheaf-run.1.gz")
                 and lines[2].startswith("/usr/share/man/") and lines[3].split(":")[0] == PREFIX
                 and lines[4].strip(":") == "left: ", "the modulefile", done.stdout + done.stderr)

sys.exit(checks.finish())
