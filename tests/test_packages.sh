#!/bin/bash
# What is in the packages, where no source is: installs the Debian packages into an empty root and the wheel into a fresh
# environment, and does five minutes of README.md there.
# Usage: test_packages.sh FOLDER_OF_DEBS FOLDER_OF_WHEEL
set -u
debs=$(realpath "$1") wheel=$(ls "$(realpath "$2")"/skein-*.whl) || exit 2
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work" || exit 2
failures=0
check() { # check NAME COMMAND...
  local name=$1
  shift
  if "$@" >log 2>&1; then echo "ok $name"; else echo "not ok $name: $(tail -c 300 log)"; failures=$((failures + 1)); fi
}
field() { dpkg-deb -f "$debs/$1"_*.deb "$2"; }

# ---- What they say ----
for package in libskein0 libskein-dev skein python3-skein; do check "$package is there" test -s "$debs/$package"_*.deb; done
check "the library needs what it links" grep -q 'libhdf5.*libjansson' <<<"$(field libskein0 Depends)"
check "the command needs the library of its version" grep -q "libskein0 (= $(field skein Version))" <<<"$(field skein Depends)"
check "headers need the library" grep -q "libskein0 (=" <<<"$(field libskein-dev Depends)"
check "the module is for all machines" test "$(field python3-skein Architecture)" = all

# ---- Installed into an empty root ----
root=$work/root
mkdir -p "$root/var/lib/dpkg/info" "$root/var/lib/dpkg/updates" "$root/var/lib/dpkg/triggers"
touch "$root/var/lib/dpkg/status" "$root/var/lib/dpkg/available"
run_dpkg() { dpkg --root="$root" --log=/dev/null --force-not-root --force-depends --force-script-chrootless "$@"; }
check "they install" run_dpkg -i "$debs"/*.deb
files=$(cd "$root" && find usr -type f)
for file in usr/bin/skein usr/include/skein/skein.h usr/share/man/man1/skein-run.1 usr/share/bash-completion/completions/skein \
  usr/share/zsh/vendor-completions/_skein usr/share/fish/vendor_completions.d/skein.fish usr/share/skein/scenes/knot.json \
  usr/lib/python3/dist-packages/skein/__init__.py; do
  check "$file" grep -q "^$file" <<<"$files"
done
lib=$(dirname "$(find "$root/usr/lib" -name libskein.so.0)")
check "no path of the build is in them" test -z "$(grep -rlaE "$(dirname "$(dirname "$debs")")" "$root/usr" 2>/dev/null)"
check "no RUNPATH" test -z "$(readelf -d "$root/usr/bin/skein" "$lib/libskein.so.0" | grep -E 'R(UN)?PATH')"

export LD_LIBRARY_PATH=$lib PATH=$root/usr/bin:$PATH
check "a problem" skein gen hairlike --rods 40 --contacts 200 --mu 0.3 --seed 1 -o hair.hdf5
check "its solution" skein solve hair.hdf5
check "a scene of the package" skein run "$root/usr/share/skein/scenes/crossing-rods.json" -o cross.h5 --frames 3 -q
check "what happened" skein stats cross.h5
check "its picture" skein render cross.h5 -o cross.png --size 64x64 -q
check "its page" skein view cross.h5
check "an export" skein export cross.h5 -o cross.usda
echo '#include <skein/skein.h>
#include <stdio.h>
int main(void) { return puts(skein_version()) < 0; }' >main.c
export PKG_CONFIG_PATH=$lib/pkgconfig
check "a program in C" sh -c 'cc main.c $(pkg-config --cflags --libs skein) -o main && ./main'
check "private requirements" grep -q -- '-lsuperlu' <<<"$(pkg-config --static --libs skein)"
cat >try.py <<'END'
import sys, skein
assert skein.__file__.startswith(sys.argv[1]) and skein.library_path.startswith(sys.argv[1]), skein.library_path
assert skein.solve([[1, 0, 0], [0, 1, 0], [0, 0, 1]], [-1, 0.8, 0], 0.5).converged
scene = skein.Scene.parse({"rods": [{"length": 0.1, "root": {"direction": [1, 0, 0]}}]})
with skein.World(scene) as world:
    world.step(0.01)
    assert world.time > 0
END
check "the Python module" env PYTHONDONTWRITEBYTECODE=1 PYTHONPATH="$root/usr/lib/python3/dist-packages" /usr/bin/python3 try.py "$root"
check "they can be removed" run_dpkg -P skein libskein-dev python3-skein libskein0
check "and leave nothing" test -z "$(find "$root/usr" -type f 2>/dev/null)"

# ---- The wheel ----
unset LD_LIBRARY_PATH
check "a fresh environment" /usr/bin/python3 -m venv --system-site-packages venv # numpy is the system's
check "the wheel installs without network" venv/bin/python -m pip --disable-pip-version-check install -q --no-index --no-deps "$wheel"
check "and solves and simulates" venv/bin/python try.py "$work/venv"
check "and goes" venv/bin/python -m pip --disable-pip-version-check uninstall -q -y skein

[ $failures -eq 0 ] || { echo "$failures failed"; exit 1; }
echo "all passed"
