"""Completion: the candidates of `sheaf complete`, which does not start MPI, and the scripts for bash, zsh and fish. Shells
that are not installed are left out."""

import os
import resource
import shutil
import subprocess
import sys

from program import SHEAF, SOURCE, Checks, sheaf

checks = Checks()
shutil.rmtree("completion", ignore_errors=True)
os.makedirs("completion/bin")
os.chdir("completion")
os.symlink(SHEAF, "bin/sheaf")
with open("study.cfg", "w"):
    pass
SCRIPTS = os.path.join(SOURCE, "cmake/install")
ENVIRONMENT = {**os.environ, "PATH": f"{os.path.abspath('bin')}:{os.environ['PATH']}", "HOME": os.getcwd(),
               "LC_ALL": "C.UTF-8"}


def shell(*command):
    return subprocess.run(command, env=ENVIRONMENT, stdin=subprocess.DEVNULL, capture_output=True, text=True, timeout=60)


# ---- The command

done = sheaf("complete", "run", "--train.sched")
checks.check(done.code == 0 and done.stdout == "--train.schedule=\n" and not done.stderr, "one candidate", done.stdout)
done = sheaf("complete", "run", "stud")
checks.check(done.code == 0 and not done.stdout and not done.stderr, "no candidate", done.stdout)
checks.check(sheaf("complete").stdout == "", "no words")
checks.check("complete" not in sheaf("--help").stdout, "the command is hidden")

before = resource.getrusage(resource.RUSAGE_CHILDREN)
for _ in range(10):
    sheaf("complete", "run", "--")
after = resource.getrusage(resource.RUSAGE_CHILDREN)
seconds = (after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime) / 10
checks.check(seconds < 0.05, "a completion takes less than 50 ms of processor time", seconds)

# ---- The shells: pairs of the line before the cursor, and what completes its last part

BASH = """
source "$1"
COMP_LINE=$2 COMP_POINT=${#2}
_sheaf
printf '%s\\n' "${COMPREPLY[@]}"
"""
for line, expected in (("sheaf ru", ["run"]), ("sheaf run --train.sched", ["--train.schedule="]),
                       ("sheaf run --model.norm=", ["none", "layer", "batch"]),
                       ("sheaf run --model.norm=la", ["layer"]), ("sheaf run --model.norm la", ["layer"]),
                       ("sheaf help status ", [""]), ("sheaf status --output ", ["text", "json"]),
                       ("sheaf run study.cfg --model.kind=plug", ["plugin:"]), ("sheaf run stu", [""])):
    done = shell("bash", "-c", BASH, "bash", os.path.join(SCRIPTS, "sheaf.bash"), line)
    checks.check(done.stdout.splitlines() == expected and not done.stderr, f"bash: {line}", done.stdout + done.stderr)

# Functions stand in for the completion system, which needs a terminal.
ZSH = """
compadd() { [[ $1 != -S ]] || shift 2; shift; (( ! $# )) || print -l -- "$@" }
compset() { }
_files() { print files }
words=(${(z)2}); [[ $2 != *" " ]] || words+=("")
CURRENT=$#words PREFIX=$words[-1]
source "$1"
"""
if shutil.which("zsh"):
    for line, expected in (("sheaf ru", ["run"]), ("sheaf run --train.sched", ["--train.schedule="]),
                           ("sheaf run --model.norm=l", ["--model.norm=layer"]), ("sheaf run stu", ["files"]),
                           ("sheaf run --data.file=s", ["files"]), ("sheaf status --output ", ["text", "json"])):
        done = shell("zsh", "-f", "-c", ZSH, "zsh", os.path.join(SCRIPTS, "_sheaf"), line)
        checks.check(done.stdout.splitlines() == expected and not done.stderr, f"zsh: {line}", done.stdout + done.stderr)

if shutil.which("fish"):
    for line, expected in (("sheaf ru", ["run"]), ("sheaf run --train.sched", ["--train.schedule="]),
                           ("sheaf run --model.norm=l", ["--model.norm=layer"]), ("sheaf run stu", ["study.cfg"]),
                           ("sheaf run --data.file=stu", ["--data.file=study.cfg"]),
                           ("sheaf status --output ", ["json", "text"])):
        done = shell("fish", "--no-config", "-c", "source $argv[1]; complete -C $argv[2]",
                     os.path.join(SCRIPTS, "sheaf.fish"), line)
        checks.check(done.stdout.splitlines() == expected and not done.stderr, f"fish: {line}", done.stdout + done.stderr)

sys.exit(checks.finish())
