#!/bin/sh
# test_install.sh BUILD: installs into a temporary prefix and builds programs against it: ten lines by pkg-config and by
# CMake's find_package, the example of README.md by pkg-config. Checks the command, its manual pages and completion, and
# that only skein_ symbols leave the library.
set -eu
build=$1
here=$(cd "$(dirname "$0")" && pwd)
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT

cmake --install "$build" --prefix "$dir/usr" >/dev/null
libdir=$(dirname "$(find "$dir/usr" -name libskein.so)")
export PKG_CONFIG_PATH="$libdir/pkgconfig" LD_LIBRARY_PATH="$libdir"

compile() { # compile SOURCE PROGRAM
  cc -std=c17 -Wall -Wextra -Werror "$1" $(pkg-config --cflags --libs skein) -o "$2"
}
compile "$here/install/main.c" "$dir/by-pkg-config"
"$dir/by-pkg-config"
echo "ok pkg-config $(pkg-config --modversion skein)"

cmake -S "$here/install" -B "$dir/user" -DCMAKE_PREFIX_PATH="$dir/usr" >/dev/null
cmake --build "$dir/user" >/dev/null
"$dir/user/user"
echo "ok find_package"

"$dir/usr/bin/skein" --version
for page in skein skein-solve skein-info skein-gen skein-bench; do test -s "$dir/usr/share/man/man1/$page.1"; done
test -s "$dir/usr/share/bash-completion/completions/skein"
test -s "$dir/usr/share/zsh/vendor-completions/_skein"
test -s "$dir/usr/share/fish/vendor_completions.d/skein.fish"
echo "ok command, manual pages, completion"

# The first C block of README.md: includes stay in front, the rest is the body of main.
awk '/^```c$/ {on = 1; next} /^```/ {if (on) exit} on' "$here/../README.md" >"$dir/example"
{
  echo '#include <stdio.h>'
  grep '^#include' "$dir/example"
  echo 'int main(void)' && echo '{'
  grep -v '^#include' "$dir/example"
  echo '  return s.code != SKEIN_OK || !info.converged;' && echo '}'
} >"$dir/example.c"
compile "$dir/example.c" "$dir/by-readme"
"$dir/usr/bin/skein" gen hairlike --rods 10 --contacts 40 -o "$dir/hair.hdf5" >/dev/null
(cd "$dir" && ./by-readme)
echo "ok example of README.md"

module=$(dirname "$(find "$dir/usr" -path '*/dist-packages/skein' -type d)")
(cd "$dir" && env -u LD_LIBRARY_PATH PYTHONPATH="$module" PYTHONDONTWRITEBYTECODE=1 /usr/bin/python3 -c "
import skein
assert skein.__file__.startswith('$dir') and skein.library_path.startswith('$dir'), skein.library_path
assert skein.solve([[1, 0, 0], [0, 1, 0], [0, 0, 1]], [-1, 0, 0], 0.5).converged")
echo "ok Python module"

if nm -D --defined-only "$libdir/libskein.so" | awk '{print $3}' | grep -vE '^skein_'; then
  echo "not ok: the library exports more than skein_*"
  exit 1
fi
echo "ok exports"
