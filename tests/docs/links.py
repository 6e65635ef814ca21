"""Links between the pages of the repository lead to files and sections that exist.

    python3 links.py REPOSITORY

SPDX-License-Identifier: MIT
"""
import glob
import os
import re
import sys

repository = sys.argv[1]


def without_code(path):
    with open(path, encoding="utf-8") as file:
        return re.sub(r"```.*?```", "", file.read(), flags=re.DOTALL)


def sections_of(path):
    """The names of the sections of a page, as GitHub makes them."""
    headings = re.findall(r"^#+ (.*)$", without_code(path), re.MULTILINE)
    return {re.sub(r"[^\w\- ]", "", re.sub(r"\[([^\]]*)\]\([^)]*\)", r"\1", heading).lower()).replace(" ", "-")
            for heading in headings}


pages = [path for folder in (".", ".github", "cmake", "data", "jobs", "jobs/*", "src", "src/*", "tests", "tests/*")
         for path in glob.glob(os.path.join(repository, folder, "*.md"))]
failed, count = len(pages) < 10, 0
for page in pages:
    for target in re.findall(r'(?:\]\(|src=")([^)"\s]+)[)"]', without_code(page)):
        if re.match(r"[a-z]+:", target):
            continue
        count += 1
        name, _, section = target.partition("#")
        path = os.path.normpath(os.path.join(os.path.dirname(page), name)) if name else page
        if not os.path.exists(path) or (section and section not in sections_of(path)):
            print(f"FAILED: {os.path.relpath(page, repository)} has a link to '{target}', which does not exist")
            failed = True
print(f"{count} links in {len(pages)} pages")
sys.exit(failed)
