#!/bin/bash
# `--hairs` of skein render, view and export from outside: pictures, pages and files with as many hairs as were asked for,
# the same for any number of threads, and bad input.
# Usage: test_hairs_cli.sh PATH_OF_SKEIN
. "$(dirname "$0")/cli_support.sh"
cd "$work" || exit 2

refuses() { # refuses NAME TEXT ARGUMENTS...: exit code 2, one line on stderr with TEXT, and no file
  local name=$1 text=$2
  shift 2
  exits "$name" 2 "$@"
  if [ "$(wc -l <err)" -eq 1 ] && grep -qF -- "$text" err; then ok "$name (message)"
  else not_ok "$name (message)" "'$text' not in: $(cat err)"; fi
  if compgen -G "no*" >/dev/null; then not_ok "$name (no files)" "$(compgen -G "no*")"; else ok "$name (no files)"; fi
}

# ---- A run: 25 hairs on a box that turns, contacts, and a rope beside them ----
cat >scene.json <<'EOT'
{"units": {"length": "mm"}, "time": {"duration": 0.06, "dt": 0.002},
 "materials": {"wisp": {"preset": "hair-caucasian", "collision_radius": 0.6, "colour": "#8a5a2b"}},
 "rods": [{"name": "hair", "elements": 3, "material": "wisp", "group": "hair", "length": 40, "natural": {"curvature": [0.03, 0]},
           "root": {"position": [0, 0, 10], "direction": [0, 0, 1], "body": "skin"},
           "grid": {"count": [5, 5, 1], "spacing": 4.2, "jitter": 0.1}},
          {"name": "rope", "model": "mass-spring", "elements": 6, "material": "rope", "group": "rope", "length": 60,
           "root": {"type": "free", "position": [60, 0, 10], "direction": [0, 1, 0]}}],
 "bodies": [{"name": "skin", "group": "skin", "shape": {"type": "box", "size": [40, 40, 20]},
             "motion": {"waves": [{"turn": true, "axis": [0, 0, 1], "amplitude": 10, "frequency": 3}]}}],
 "friction": 0.3, "output": {"fps": 50}}
EOT
exits "a run" 0 run scene.json -o run.h5 -q -j1 || cat err
fast=(--size 64x48 --samples 2 -q)

# ---- Pictures ----
exits "one thread" 0 render run.h5 -o one.png --hairs 500 "${fast[@]}" -j1
exits "three threads" 0 render run.h5 -o three.png --hairs 500 "${fast[@]}" -j3
check "the same bits" cmp one.png three.png
exits "another seed" 0 render run.h5 -o seed.png --hairs 500 --hair-seed 2 "${fast[@]}"
check "another picture" sh -c '! cmp -s one.png seed.png'
for by in group speed status force island; do
  exits "colour by $by" 0 render run.h5 -o "c-$by.png" --hairs 200 -c $by "${fast[@]}"
done
check "colours differ" sh -c '! cmp -s c-speed.png c-status.png'
exits "all options, with motion blur" 0 render run.h5 -o all.png --hairs 200 --clump 1 --frizz 2 --hair-width 0.2 \
  --hair-group hair,rope --blur 0.5 "${fast[@]}"

# ---- Files ----
exits "csv" 0 export run.h5 -o hairs.csv --hairs 300 --points 12
exits "usda" 0 export run.h5 -o hairs.usda --hairs 300 --contacts -q
exits "vtp" 0 export run.h5 -o hairs.pvd --hairs 300 --contacts -q
for format in hair obj ply; do exits "$format" 0 export run.h5 -o hairs.$format --hairs 300 --frames 2; done
check "as many as asked for, on the skin, finite" $python -c '
import csv, math
rows = list(csv.DictReader(open("hairs.csv")))
frames = {r["frame"] for r in rows}
assert len(frames) == 4, frames
for f in frames:
    mine = [r for r in rows if r["frame"] == f]
    hairs = [r for r in mine if r["group"] == mine[0]["group"]]
    assert len(hairs) == 300 * 12 and len({r["rod"] for r in mine}) == 301, (len(hairs), len(mine))
    assert all(math.isfinite(float(r[k])) for r in mine for k in ("x", "y", "z", "speed", "force", "radius"))
    assert all(abs(float(r["z"]) - 0.01) < 1e-4 for r in hairs if r["point"] == "0")
    assert {r["status"] for r in hairs} <= {"0", "1", "2"}
assert any(float(r["speed"]) > 0 for r in rows)'
check "as many in USD" $python -c '
import re
text = open("hairs.usda").read()
counts = re.search(r"curveVertexCounts = \[([^\]]*)\]", text).group(1).split(",")
assert len(counts) == 300, len(counts)'

# ---- A page ----
exits "a page" 0 view run.h5 -o page.html --hairs 300
check "says how many" grep -q "page.html: 4 frames, 301 strands" out
exits "a small page" 0 view run.h5 -o small.html --hairs 300 --max-size 0.8

# ---- Bad input ----
cat >free.json <<'EOT'
{"time": {"duration": 0.01}, "rods": [{"length": 0.1, "group": "a", "root": {"type": "free"}}], "output": {"fps": 100}}
EOT
exits "a run without guides" 0 run free.json -o free.h5 -q -j1
for command in "render -o no.png" "view -o no.html" "export -o no.usda"; do
  set -- $command
  refuses "$1: no number" "--hairs is 'many', expected a whole number from 1 to 1000000" "$1" run.h5 "$2" "$3" --hairs many
  refuses "$1: none" "--hairs is '0'" "$1" run.h5 "$2" "$3" --hairs 0
  refuses "$1: clump" "--clump is '1.5', expected a number from 0 to 1" "$1" run.h5 "$2" "$3" --hairs 9 --clump 1.5
  refuses "$1: width" "--hair-width is '-1'" "$1" run.h5 "$2" "$3" --hairs 9 --hair-width -1
  refuses "$1: seed" "--hair-seed" "$1" run.h5 "$2" "$3" --hairs 9 --hair-seed x
  refuses "$1: without --hairs" "--frizz: says how hairs are, and needs --hairs N" "$1" run.h5 "$2" "$3" --frizz 1
  refuses "$1: a group that is none" "the scene has no group 'wig' for hairs" "$1" run.h5 "$2" "$3" --hairs 9 --hair-group wig
  refuses "$1: nothing to follow" "no rods for hairs to follow: expected a group" "$1" free.h5 "$2" "$3" --hairs 9
done
refuses "view: too many" "expected at most 20000 in a page" view run.h5 -o no.html --hairs 20001
refuses "view: live" "--hairs is for runs, not for --live" view --live scene.json --hairs 9
exits "a group by name" 0 render free.h5 -o free.png --hairs 9 --hair-group a "${fast[@]}"

echo "$failures failures"
[ $failures = 0 ]
