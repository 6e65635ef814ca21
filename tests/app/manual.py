"""The man pages: no warnings of man and mandoc, and the options and keys of the help as a terminal shows them."""

import glob
import os
import re
import shutil
import subprocess
import sys

from program import SHEAF, Checks, sheaf

if not (shutil.which("man") and shutil.which("mandoc")):
    print("skipped: man or mandoc is not installed")
    sys.exit(77)

checks = Checks()
PAGES = {os.path.basename(path).split(".")[0]: path for path in glob.glob(os.path.join(os.path.dirname(SHEAF), "man/*/*.gz"))}
ENVIRONMENT = {**os.environ, "LC_ALL": "C.UTF-8", "MANWIDTH": "80", "MAN_KEEP_FORMATTING": ""}


def run(*command):
    return subprocess.run(command, env=ENVIRONMENT, capture_output=True, text=True, stdin=subprocess.DEVNULL)


def shown(name):
    """The words of a page."""
    done = run("man", "--warnings", "-E", "UTF-8", "--no-hyphenation", "--no-justification", "-l", PAGES[name])
    checks.check(done.returncode == 0 and not done.stderr, f"{name}: man has no warnings", done.stderr)
    done_lint = run("mandoc", "-T", "lint", "-W", "warning", PAGES[name])
    checks.check(not done_lint.stdout + done_lint.stderr, f"{name}: mandoc has no warnings", done_lint.stdout)
    return re.sub("\x1b\\[[0-9;]*m|.\b", "", done.stdout)


OPTION = re.compile(r"--[a-z][a-z0-9_.-]*[a-z0-9]")
commands = re.findall(r"^  ([a-z]+) ", sheaf("--help").stdout.split("\noptions\n")[0], re.MULTILINE)
checks.check(set(PAGES) == {"sheaf", "sheaf-study", *(f"sheaf-{command}" for command in commands)}, "one page per command",
             sorted(PAGES))
study = shown("sheaf-study")
for command in ("", *commands):
    help = sheaf(*command.split(), "--help").stdout
    page = shown(f"sheaf-{command}".rstrip("-"))
    if "\n[" in help:
        help, keys = help.split("\n[", 1)
        names = re.findall(r"^  ([a-z_0-9]+) =", keys, re.MULTILINE)
        checks.check(len(names) > 50, f"{command}: the help has keys", names)
        missing = [name for name in names if not re.search(rf"^       {name}\b", study, re.MULTILINE)]
        checks.check(not missing, f"sheaf-study has the keys of {command}", missing)
        page += study
    missing = set(OPTION.findall(help)) - set(OPTION.findall(page))
    checks.check(not missing, f"the page of '{command}' has the options of its help", sorted(missing))

sys.exit(checks.finish())
