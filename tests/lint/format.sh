#!/usr/bin/env bash
# format.sh SOURCE: lists the C and C++ files of the repository SOURCE that clang-format would change; fails if there
# are any. Skipped without the major version that .clang-format names, since other versions format differently.
# SPDX-License-Identifier: MIT
set -euo pipefail
cd "$1"

# major_version PROGRAM: prints the major version of clang-format; nothing if it is not installed.
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
  echo "skipped: .clang-format requires clang-format $wanted (installed: ${version:-none})"
  exit 77
}

# Checks the tracked files that still exist; without git, all files in the source folders.
existing() { while read -r file; do [ ! -e "$file" ] || echo "$file"; done; }
files=$(git ls-files -- '*.c' '*.cpp' '*.h' '*.hpp' '*.cu' '*.cuh' 2>/dev/null | existing || true)
[ -n "$files" ] || files=$(find include src tests jobs -type f -regex '.*\.\(c\|cpp\|h\|hpp\|cu\|cuh\)')
mapfile -t files <<<"$files"
[ ${#files[@]} -ge 100 ] || {
  echo "too few files were found: ${files[*]}"
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
echo "These files do not have the format of .clang-format:"
sed 's/^/  /' <<<"$differing"
echo "Format them in the repository with: $program -i" $differing
exit 1
