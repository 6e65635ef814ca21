"""Helpers of the oracle scripts: writing study files and running dump_training on them.

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
    """The text of a study file for {section: {key: value}}."""
    lines = []
    for section, keys in sections.items():
        lines.append(f"[{section}]")
        lines.extend(f"{key} = {value}" for key, value in keys.items())
    return "\n".join(lines) + "\n"


def train(program, studies, folder):
    """Trains the studies {name: sections} with dump_training; returns the list that it prints."""
    paths = []
    for name, sections in studies.items():
        path = folder / f"{name}.cfg"
        path.write_text(study_text({"study": {"name": name, "seed": 7}, **sections}))
        paths.append(path)
    finished = subprocess.run([program, *paths], stdout=subprocess.PIPE, check=True, text=True)
    return json.loads(finished.stdout)
