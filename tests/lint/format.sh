#!/usr/bin/env bash
# format.sh SOURCE: lists the C and C++ files of the repository SOURCE that clang-format would change, and fails if any
# are. Other major versions than the one that .clang-format names format differently: skipped without that one.
# SPDX-License-Identifier: MIT
set -euo pipefail
cd "$1"

# major_version PROGRAM: of clang-format; nothing if it is not installed.
major_version() { "$1" --version 2>/dev/null | sed -n 's/.*version \([0-9]*\)\..*/\1/p' || true; }

wanted=$(sed -n 's/^# For clang-format \([0-9]*\).*/\1/p' .clang-format)
[ -n "$wanted" ] || {
  echo ".clang-format names no version. Add the line: # For clang-format 14"
  exit 1
}
program=clang-format-$wanted
[ "$(major_version "$program")" = "$wanted" ] || program=clang-format
version=$(major_version "$program")
[ "$version" = "$wanted" ] || {
  echo "skipped: .clang-format is for clang-format $wanted, installed is: ${version:-none}"
  exit 77
}

# The tracked files that were not deleted since the last commit; where git knows none, what the folders hold.
existing() { while read -r file; do [ ! -e "$file" ] || echo "$file"; done; }
files=$(git ls-files -- '*.c' '*.cpp' '*.h' '*.hpp' '*.cu' '*.cuh' 2>/dev/null | existing || true)
[ -n "$files" ] || files=$(find include src tests jobs -type f -regex '.*\.\(c\|cpp\|h\|hpp\|cu\|cuh\)')
mapfile -t files <<<"$files"
[ ${#files[@]} -ge 100 ] || {
  echo "there are only these files to check: ${files[*]}"
  exit 1
}

if problems=$("$program" --dry-run -Werror "${files[@]}" 2>&1); then
  echo "format: ${#files[@]} files are formatted"
  exit 0
fi
differing=$(sed -n 's/^\([^ :]*\):[0-9]*:[0-9]*: error: .*/\1/p' <<<"$problems" | sort -u)
[ -n "$differing" ] || {
  echo "$program failed:"
  echo "$problems"
  exit 1
}
echo "These files are not formatted as .clang-format says:"
sed 's/^/  /' <<<"$differing"
echo "Format them, in the repository: $program -i" $differing
exit 1
