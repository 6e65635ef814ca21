"""The messages of Sheaf in jobs/TROUBLESHOOTING.md are those of the sources: each fixed part of a message, between its
"...", is in one string of src.

    python3 messages.py PAGE SOURCES

SPDX-License-Identifier: MIT
"""
import glob
import os
import re
import sys

# Messages of other programs, and names that are not messages.
OTHERS = {"mpirun has detected an attempt to run as root.", "There are not enough slots available in the system",
          "No space left on device", "Disk quota exceeded", "Killed", "oom-kill", "*.partial", "diverged", "rank 0", "engine:"}


def strings_of(path):
    """The string literals of a source file; adjacent ones are joined."""
    with open(path, encoding="utf-8") as file:
        text = file.read()
    literal = r'"(?:[^"\\\n]|\\.)*"'
    for joined in re.findall(rf"{literal}(?:\s*{literal})*", text):
        yield "".join(part[1:-1] for part in re.findall(literal, joined)).replace('\\"', '"')


def messages_of(page):
    """The code in the first column of the tables."""
    with open(page, encoding="utf-8") as file:
        for line in file:
            if line.startswith("|") and not line.startswith(("|---", "| symptom")):
                yield from re.findall(r"`([^`]+)`", line.split("|")[1])


page, sources = sys.argv[1:]
literals = [text for path in glob.glob(os.path.join(sources, "**", "*.[ch]pp"), recursive=True) for text in strings_of(path)]
messages = [message for message in messages_of(page) if message not in OTHERS]
failed = len(messages) < 15
for message in messages:
    # Values of messages are "{}" in the sources.
    parts = [re.escape(part) for part in re.split(r"\.\.\.", message)]
    pattern = re.compile(r"\{[^{}]*\}".join(parts) if len(parts) > 1 else parts[0])
    if not any(pattern.search(literal) for literal in literals):
        print(f"FAILED: no message of the sources is like '{message}'")
        failed = True
print(f"{len(messages)} messages")
sys.exit(failed)
