#!/bin/sh
# test_install.sh BUILD: installs into a temporary prefix and builds a ten-line program against it, by pkg-config and by
# CMake's find_package; checks manual pages, completion, and that only skein_ symbols leave the library.
set -eu
build=$1
here=$(cd "$(dirname "$0")" && pwd)
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT

cmake --install "$build" --prefix "$dir/usr" >/dev/null
libdir=$(dirname "$(find "$dir/usr" -name libskein.so)")
export PKG_CONFIG_PATH="$libdir/pkgconfig" LD_LIBRARY_PATH="$libdir"
sed -i "s|^prefix=.*|prefix=$dir/usr|" "$libdir/pkgconfig/skein.pc"

cc "$here/install/main.c" $(pkg-config --cflags --libs skein) -o "$dir/by-pkg-config"
"$dir/by-pkg-config"
echo "ok pkg-config"

cmake -S "$here/install" -B "$dir/user" -DCMAKE_PREFIX_PATH="$dir/usr" >/dev/null
cmake --build "$dir/user" >/dev/null
"$dir/user/user"
echo "ok find_package"

"$dir/usr/bin/skein" --version
test -f "$dir/usr/share/man/man1/skein.1" && test -f "$dir/usr/share/bash-completion/completions/skein"
echo "ok command, manual pages, completion"

if nm -D --defined-only "$libdir/libskein.so" | awk '{print $3}' | grep -vE '^skein_'; then
  echo "not ok: the library exports more than skein_*"
  exit 1
fi
echo "ok exports"
