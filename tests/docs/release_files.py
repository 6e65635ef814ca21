"""CHANGELOG.md and CITATION.cff have the version of the program.

    python3 release_files.py VERSION REPOSITORY

SPDX-License-Identifier: MIT
"""
import os
import re
import sys

version, repository = sys.argv[1:]
failed = False
for name, pattern in (("CHANGELOG.md", r"^## (\S+) "), ("CITATION.cff", r"^version: (\S+)$")):
    with open(os.path.join(repository, name)) as file:
        found = re.search(pattern, file.read(), re.MULTILINE)
    if found is None or found[1] != version:
        print(f"FAILED: {name} has version {found and found[1]}, the program {version}")
        failed = True
sys.exit(failed)
