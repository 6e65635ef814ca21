#!/usr/bin/env python3
"""Compares the tables of keys in a page with those of the program, or updates them.
Usage: keys_page.py PROGRAM PAGE [--write]"""
import subprocess
import sys

BEGIN, END = "<!-- keys: begin -->\n", "<!-- keys: end -->\n"


def main():
    program, path = sys.argv[1:3]
    tables = subprocess.run([program], capture_output=True, text=True, check=True).stdout
    with open(path) as file:
        page = file.read()
    before, rest = page.split(BEGIN)
    old, after = rest.split(END)
    if "--write" in sys.argv:
        with open(path, "w") as file:
            file.write(before + BEGIN + tables + "\n" + END + after)
        return 0
    if old != tables + "\n":
        print(f"The keys in {path} differ from those of the program. Update them with: {' '.join(sys.argv)} --write")
        return 1
    print(f"{tables.count('| `')} keys")
    return 0


sys.exit(main())
