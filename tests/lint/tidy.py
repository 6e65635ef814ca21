"""tidy.py SOURCE BUILD PROCESSES: runs clang-tidy with the checks of SOURCE/.clang-tidy on all of SOURCE/src, in
PROCESSES processes, and fails if there are findings. BUILD has the compile commands and must be built, since some
headers are generated. Skipped without the major version that .clang-tidy names: findings depend on the version."""

import concurrent.futures
import json
import pathlib
import re
import shutil
import subprocess
import sys

SOURCE, BUILD = pathlib.Path(sys.argv[1]), pathlib.Path(sys.argv[2])
PROCESSES = int(sys.argv[3])


def major_version(program):
    """The major version of clang-tidy; None if it is not installed."""
    if shutil.which(program) is None:
        return None
    output = subprocess.run([program, "--version"], capture_output=True, text=True, check=True).stdout
    return int(re.search(r"version (\d+)\.", output)[1])


def chosen_program():
    wanted = int(re.search(r"^# For clang-tidy (\d+)", (SOURCE / ".clang-tidy").read_text())[1])
    for program in [f"clang-tidy-{wanted}", "clang-tidy"]:
        if major_version(program) == wanted:
            return program
    print(f"skipped: .clang-tidy requires clang-tidy {wanted} (installed: {major_version('clang-tidy')})")
    sys.exit(77)


def single_files(entry):
    """The compile command of each source file of an entry, which may be a file of a unity build: it includes them."""
    file = pathlib.Path(entry["file"])
    if file.parent.name != "Unity":
        return [entry]
    sources = re.findall(r'^#include "(.*)"$', file.read_text(), re.M)
    return [{**entry, "file": source, "command": entry["command"].replace(str(file), source)} for source in sources]


def write_commands():
    """Writes compile_commands.json for the sources of src to the working directory; returns the source files."""
    commands = json.loads((BUILD / "compile_commands.json").read_text())
    commands = [single for entry in commands for single in single_files(entry)]
    commands = [entry for entry in commands if pathlib.Path(entry["file"]).is_relative_to(SOURCE / "src")]
    pathlib.Path("compile_commands.json").write_text(json.dumps(commands))
    return sorted({entry["file"] for entry in commands})


def findings(program, file):
    """Findings in one file and in the headers of src that it includes, as text; empty if there are none."""
    command = [program, "--quiet", "-p", ".", f"--config-file={SOURCE / '.clang-tidy'}",
               f"--header-filter=^{re.escape(str(SOURCE / 'src'))}/", "--extra-arg=-Wno-unknown-warning-option", file]
    done = subprocess.run(command, capture_output=True, text=True)
    return "" if done.returncode == 0 else done.stdout or f"{' '.join(command)}:\n{done.stderr}"


program = chosen_program()
files = write_commands()
if len(files) < 100:
    sys.exit(f"{BUILD / 'compile_commands.json'} has only {len(files)} files of src. Configure the build folder.")
found = 0
with concurrent.futures.ThreadPoolExecutor(PROCESSES) as pool:
    for text in pool.map(lambda file: findings(program, file), files):
        if text:
            found += 1
            print(text, flush=True)
if found:
    sys.exit(f"{program} has findings in {found} of {len(files)} files. Fix them; if a check is wrong more often than "
             "right, remove it from .clang-tidy.")
print(f"tidy: {len(files)} files, no findings")
