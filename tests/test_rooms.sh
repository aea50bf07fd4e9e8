#!/bin/sh
# test_rooms.sh BUILD ROOT: rooms cannot be broken into. Every file of tests/planted is built as if it lay in the room
# that it names (target planted_NAME): what it breaks must stop the compiler or the linker by the name that it expects.
# Every public header stands alone, in C and C++; no include leaves its folder by a path.
set -eu
build=$1
root=$2
export LC_ALL=C
log=$(mktemp)
trap 'rm -f "$log"' EXIT

for file in "$root"/tests/planted/*.c; do
  name=$(basename "$file" .c)
  expected=$(sed -n 's/^ \* expect: \(.*\) \*\/$/\1/p' "$file")
  test -n "$expected"
  if cmake --build "$build" --target "planted_$name" >"$log" 2>&1; then found=nothing; else found=$(cat "$log"); fi
  if [ "$expected" = nothing ] && [ "$found" = nothing ]; then echo "ok $name builds"; continue; fi
  if [ "$expected" != nothing ] && printf '%s\n' "$found" | grep -qE "$expected"; then
    echo "ok $name: $(printf '%s\n' "$found" | grep -m1 -oE "$expected.*")"
    continue
  fi
  echo "not ok $name: expected '$expected', found:"
  printf '%s\n' "$found" | tail -n 20
  exit 1
done

for header in "$root"/include/skein/*.h; do
  cc -std=c17 -Wall -Wextra -Werror -I "$root/include" -x c -fsyntax-only -include "$header" /dev/null
  c++ -Wall -Wextra -Werror -I "$root/include" -x c++ -fsyntax-only -include "$header" /dev/null
done
echo "ok every public header stands alone"

# docs/architecture.md says of each room what CMakeLists.txt does, and its picture is that of scripts/draw_rooms.py.
cd "$root"
sed -n 's/^skein_room(\([a-z]*\).*DEPENDS \([a-z ]*[a-z]\).*/\1: \2/p; t; s/^skein_room(\([a-z]*\).*/\1: -/p' CMakeLists.txt >"$log"
sed -n 's/^| `\([a-z]*\)` |.*| \([^|]*[^| ]\) |$/\1: \2/p' docs/architecture.md | diff "$log" -
scripts/draw_rooms.py | cmp - docs/images/rooms.svg
echo "ok docs/architecture.md shows the rooms as they are"

if grep -nE '^ *# *include *["<](\.|/|src/|include/)' src/*/*.[ch] tool/*.[ch] lab/*.[ch] render/*.[ch] include/skein/*.h; then
  echo "not ok: an include by a path"
  exit 1
fi
echo "ok no include goes by a path"
