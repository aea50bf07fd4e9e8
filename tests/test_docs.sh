#!/bin/sh
# test_docs.sh SKEIN ROOT: runs every command of the ```sh blocks of README.md and docs/*.md as written, page by page, in an
# empty folder with skein on the path. A block whose first line is "# not run" is left out.
set -eu
PATH=$(dirname "$1"):$PATH
export PATH
root=$2
for page in "$root"/README.md "$root"/docs/*.md; do
  dir=$(mktemp -d)
  awk '/^```sh/ {on = 1; first = 1; next} /^```/ {on = 0} on && first && /^# not run/ {on = 0} {if (on) print; first = 0}' \
    "$page" >"$dir/commands.sh"
  if [ -s "$dir/commands.sh" ]; then
    if (cd "$dir" && sh -eu commands.sh >output 2>&1); then
      echo "ok $(basename "$page"): $(grep -cv '^ *#' "$dir/commands.sh") lines"
    else
      echo "not ok $(basename "$page")"
      tail -n 20 "$dir/output"
      exit 1
    fi
  fi
  rm -rf "$dir"
done
