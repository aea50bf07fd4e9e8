#!/bin/sh
# test_docs.sh SKEIN ROOT: runs what README.md and docs/*.md say, page by page, in an empty folder with skein on the path: every
# command of the ```sh blocks as written, then the ```python blocks of the page as one script. A block whose first line is
# "# not run" is left out. Links between the pages must lead somewhere.
set -eu
root=$2
bin=$(mktemp -d)
trap 'rm -rf "$bin"' EXIT
PATH=$bin:$(dirname "$1"):$PATH
SKEIN_LIBRARY=$(dirname "$1")/libskein.so
PYTHONPATH=$root/python
export PATH SKEIN_LIBRARY PYTHONPATH PYTHONDONTWRITEBYTECODE=1 OMP_WAIT_POLICY=passive
asan=$(ldd "$SKEIN_LIBRARY" | awk '/libasan/ {print $3}')
cat >"$bin/python3" <<END
#!/bin/sh
# Debian's, whatever comes first elsewhere. ASan, where the library has it, must come first into it.
exec env LD_PRELOAD="$asan" ASAN_OPTIONS=detect_leaks=0 /usr/bin/python3 "\$@"
END
chmod +x "$bin/python3"

blocks() { # blocks LANGUAGE PAGE
  awk -v start="^\`\`\`$1\$" '$0 ~ start {on = 1; first = 1; next} /^```/ {on = 0} on && first && /^# not run/ {on = 0} {if (on) print; first = 0}' "$2"
}
try() { # try NAME COMMAND...: in $dir, output shown when it fails
  what=$1
  shift
  if (cd "$dir" && "$@" >output 2>&1); then
    echo "ok $what"
  else
    echo "not ok $what"
    tail -n 20 "$dir/output"
    exit 1
  fi
}

for page in "$root"/README.md "$root"/docs/*.md; do
  dir=$(mktemp -d)
  name=$(basename "$(dirname "$page")")/$(basename "$page")
  case $name in docs/tutorial.md) rm -rf "$dir"; continue ;; esac # test_tutorial.py does it, and compares
  blocks sh "$page" >"$dir/commands.sh"
  blocks python "$page" >"$dir/blocks.py"
  if [ -s "$dir/commands.sh" ]; then
    try "$name: $(grep -cv '^ *#' "$dir/commands.sh") lines" sh -eu commands.sh
  fi
  if [ -s "$dir/blocks.py" ]; then
    try "$name: $(grep -cv '^ *#' "$dir/blocks.py") lines of Python" python3 blocks.py
  fi
  rm -rf "$dir"
done
"$root/tests/check_links.py" "$root"
