"""What the oracle scripts share: running dump_training on study files.

SPDX-License-Identifier: MIT
"""
import json
import subprocess
import sys


def skip(reason):
    """Ends the script as a skipped test."""
    print(f"skipped: {reason}", file=sys.stderr)
    sys.exit(77)


def study_text(sections):
    """{section: {key: value}} as a study file."""
    lines = []
    for section, keys in sections.items():
        lines.append(f"[{section}]")
        lines.extend(f"{key} = {value}" for key, value in keys.items())
    return "\n".join(lines) + "\n"


def train(program, studies, folder):
    """Trains {name: sections} with our engine; the list that dump_training prints."""
    paths = []
    for name, sections in studies.items():
        path = folder / f"{name}.cfg"
        path.write_text(study_text({"study": {"name": name, "seed": 7}, **sections}))
        paths.append(path)
    finished = subprocess.run([program, *paths], stdout=subprocess.PIPE, check=True, text=True)
    return json.loads(finished.stdout)
