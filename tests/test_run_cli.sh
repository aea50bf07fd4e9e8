#!/bin/bash
# `skein run` and `skein stats` from outside: kills, interrupts, resumes, dumps, a full disk, blow-ups, h5py.
# Usage: test_run_cli.sh PATH_OF_SKEIN ROOT
. "$(dirname "$0")/cli_support.sh"
scenes=$(realpath "$2")/scenes || exit 2
cd "$work" || exit 2
RANDOM=7

# Everything but the wall clock is the same to the last bit.
cat >same.py <<'EOF'
import sys, h5py
a, b = h5py.File(sys.argv[1], "r"), h5py.File(sys.argv[2], "r")
def names(f, group=""):
    for name in f[group or "/"]:
        path = f"{group}/{name}"
        yield path
        if isinstance(f[path], h5py.Group): yield from names(f, path)
assert sorted(names(a)) == sorted(names(b)), set(names(a)) ^ set(names(b))
count = 0
for name in names(a):
    x, y = a[name], b[name]
    assert dict(x.attrs) == dict(y.attrs), name
    if isinstance(x, h5py.Dataset):
        assert x.shape == y.shape and x.dtype == y.dtype, name
        if "seconds" in name or "memory" in name or name == "/files": continue
        assert x[()].tobytes() == y[()].tobytes() if x.shape else x[()] == y[()], name
        count += 1
assert count > 100
EOF

# Opens, with N frames at least, each of them whole.
cat >opens.py <<'EOF'
import sys, h5py
f = h5py.File(sys.argv[1], "r")
assert len(f["frames"]) == f.attrs["frames"] >= int(sys.argv[2])
for k, frame in enumerate(f["frames"].values()):
    assert frame.attrs["index"] == k and abs(frame.attrs["time"] - k / f.attrs["fps"]) < 1e-9
    assert frame["point_start"][-1] == len(frame["points"])
    assert len(frame["contacts/gap"]) == len(frame["contacts/impulse"])
    assert k == 0 or len(frame["steps/time"]) > 0
EOF

for command in run stats measure; do
  exits "$command --help" 0 $command --help
  says "$command --help has examples" out "Examples:"
done

# ---- A run, and what is in it ----
exits "a run" 0 run "$scenes/rotating-sphere.json" -o whole.h5 --frames 30 -j1
says "its summary" out "sweeps mean"
says "and what it is worth" out "verdict  "
says "lines where there is no terminal" err "frame 30/30"
check "one file is left" test ! -e whole.h5.d
check "h5py reads it" $python opens.py whole.h5 31
exits "quiet" 0 run "$scenes/crossing-rods.json" --frames 2 -q -j1
check "quiet says nothing" test ! -s out -a ! -s err
check "the name comes from the scene" test -s crossing-rods.h5
exits "threads" 0 run "$scenes/rotating-sphere.json" -o threads.h5 --frames 30 -j2 -q
check "the bits do not depend on threads" $python same.py whole.h5 threads.h5

# ---- Killed twenty times, at random ----
kills=0 rounds=0
while [ $kills -lt 20 ] && [ $rounds -lt 200 ]; do
  rounds=$((rounds + 1))
  if [ -e killed.h5 ]; then set -- --resume killed.h5 --frames 30; else set -- "$scenes/rotating-sphere.json" -o killed.h5 --frames 30; fi
  "$skein" run "$@" -q -j$((1 + rounds % 2)) 2>kill.err &
  job=$!
  sleep "0.$(printf %03d $((5 + RANDOM % 90)))"
  if kill -9 $job 2>/dev/null; then kills=$((kills + 1)); fi
  wait $job 2>/dev/null
  code=$?
  if [ $code -ne 137 ] && [ $code -ne 0 ]; then not_ok "killed run" "exit $code: $(cat kill.err)"; break; fi
  if [ $code -eq 0 ]; then rm -rf killed.h5 killed.h5.d; # too fast: from the beginning
  elif [ -e killed.h5 ]; then
    if ! "$skein" stats killed.h5 >/dev/null 2>open.err; then not_ok "opens after kill $kills" "$(tail -n1 open.err)"; fi
    if [ $((kills % 5)) -eq 0 ] && ! $python opens.py killed.h5 1 2>open.err; then not_ok "h5py after kill $kills" "$(tail -n1 open.err)"; fi
  fi
done
check "killed 20 times" test $kills -ge 20
if [ -e killed.h5 ]; then set -- --resume killed.h5; else set -- "$scenes/rotating-sphere.json" -o killed.h5; fi
exits "the last resume" 0 run "$@" --frames 30 -q -j1
check "killed and resumed, it has the same bits" $python same.py whole.h5 killed.h5
check "nothing is left beside it" test ! -e killed.h5.d

# ---- Interrupted ----
"$skein" run "$scenes/rotating-sphere.json" -o stopped.h5 -j1 >out 2>err &
job=$!
for _ in $(seq 100); do [ -e stopped.h5.d/000003.h5 ] && break; sleep 0.05; done
kill -TERM $job
wait $job
check "SIGTERM: exit 130" test $? -eq 130
says "it says how to resume" err "resume with: skein run --resume stopped.h5"
exits "resumed" 0 run --resume stopped.h5 --frames 30 -q
check "interrupted and resumed, it has the same bits" $python same.py whole.h5 stopped.h5
exits "made longer" 0 run --resume stopped.h5 --frames 35 -q
exits "and at once" 0 run "$scenes/rotating-sphere.json" -o longer.h5 --frames 35 -q -j1
check "a finished run goes on with the same bits" $python same.py longer.h5 stopped.h5
exits "nothing to do" 0 run --resume stopped.h5 --frames 20
says "and says so" err "already has frame 35"
check "it stays as it was" $python same.py longer.h5 stopped.h5

# ---- Dumps ----
exits "dumps" 0 run "$scenes/rotating-sphere.json" -o dumped.h5 --frames 20 -q --dump-problems dumps --dump-every 50
exits "each is a problem with its solution" 0 solve dumps/*.hdf5 --warm-start --tol 1e-5
exits "dumps of what was missed: nothing" 0 run "$scenes/rotating-sphere.json" -o good.h5 --frames 8 -q \
  --dump-problems none --dump-missed
check "is nothing" test -z "$(ls none)"
exits "dumps of what was missed" 0 run "$scenes/rotating-sphere.json" -o missed.h5 --frames 8 -q \
  --set solver.method=gs --set solver.max_sweeps=1 --dump-problems missed --dump-missed
check "is something" test -n "$(ls missed)"
check "of every 50th step" test -z "$(ls dumps | grep -v 'step-[0-9]*[05]0.hdf5')"

# ---- Files that the scene names are found again, wherever it is resumed ----
mkdir -p there
printf 'v -1 -1 0\nv 1 -1 0\nv 1 1 0\nv -1 1 0\nf 1 2 3\nf 1 3 4\n' >there/floor.obj
cat >there/mesh.json <<'EOF'
{
  "time": {"duration": 0.1, "dt": 0.01},
  "bodies": [
    {"name": "floor", "shape": {"type": "mesh", "file": "floor.obj"}},
    {"name": "ball", "shape": {"type": "sphere", "radius": 0.1}, "position": [0, 0, 0.11], "density": 100}
  ],
  "friction": 0.3,
  "output": {"fps": 50}
}
EOF
exits "a scene with a mesh" 0 run there/mesh.json -q
mkdir -p elsewhere && mv mesh.h5 elsewhere
exits "resumed elsewhere" 0 run --resume elsewhere/mesh.h5 --frames 8 -q

# ---- A frame of every step: the same motion, also after settling, also resumed; points where the curve is ----
cat >curls.json <<'EOF'
{
  "time": {"duration": 0.1, "dt": 0.002, "settle": 0.05},
  "materials": {"hair": {"preset": "hair-caucasian", "collision_radius": 0.0005}},
  "rods": [{"name": "curl", "material": "hair", "length": 0.12, "elements": 4, "natural": {"helix": {"radius": 0.006, "pitch": 0.02}},
            "root": {"position": [0, 0, 0.03], "direction": [1, 0, 0]}, "bundle": {"count": 3}}],
  "bodies": [{"name": "ball", "shape": {"type": "sphere", "radius": 0.04}, "position": [0.03, 0, -0.02]}],
  "solver": {"chord": 1},
  "output": {"fps": 50, "checkpoint_every": 7}
}
EOF
cat >every.py <<'EOF'
import sys
import h5py
import numpy as np
each, whole, fine = (h5py.File(name) for name in sys.argv[1:4])
assert whole["state/bytes"][()].tobytes() == each["state/bytes"][()].tobytes()
frames = list(each["frames"].values())
times = np.concatenate([f["steps/time"][()] for f in whole["frames"].values()])
assert len(frames) == len(times) + 1 > 40, len(frames)
assert [f.attrs["time"] for f in frames[1:]] == list(times) and frames[0].attrs["time"] == 0
for k, f in enumerate(frames):
    assert f.attrs["index"] == k and (k == 0 or list(f["steps/time"]) == [f.attrs["time"]])
def off(points, line):
    """Largest distance of a point from the polyline."""
    a, d = line[None, :-1], np.diff(line, axis=0)[None]
    t = np.clip(((points[:, None] - a) * d).sum(-1) / (d * d).sum(-1), 0, 1)
    return np.sqrt(((points[:, None] - a - t[..., None] * d) ** 2).sum(-1)).min(1).max()
def rod(frame, i):
    s = frame["point_start"][()]
    return frame["points"][s[i]:s[i + 1]].astype(float)
def worst(few, many):
    return max(off(rod(many, i), rod(few, i)) / many["radius"][i] for i in range(3))
last = list(fine["frames"].values())
exact = max(worst(e, f) for e, f in list(zip(frames, last))[::9])
coarse = worst(whole["frames/000005"], last[-1])
assert 0.02 < exact <= 0.126 < coarse, (exact, coarse)
EOF
exits "frames at 1/fps" 0 run curls.json -o whole-curls.h5 -q -j1
exits "a frame of every step" 0 run curls.json -o each.h5 -q -j1 --set output.every=step
exits "with many points" 0 run curls.json -o fine.h5 -q -j1 --set output.every=step --set output.points=400
check "the same motion, and polylines within an eighth of the radius" $python every.py each.h5 whole-curls.h5 fine.h5
exits "a part of it" 0 run curls.json -o part.h5 -q -j1 --set output.every=step --frames 2
exits "and the rest" 0 run --resume part.h5 --frames 5 -q
check "has the same bits" $python same.py each.h5 part.h5
"$skein" run curls.json -o stopped-each.h5 -j1 -q --set output.every=step --set time.duration=4 2>err &
job=$!
for _ in $(seq 200); do [ -e stopped-each.h5.d/000020.h5 ] && break; sleep 0.05; done
kill -9 $job
wait $job 2>/dev/null
exits "killed and resumed" 0 run --resume stopped-each.h5 --frames 60 -q
exits "at once" 0 run curls.json -o at-once.h5 -j1 -q --set output.every=step --set time.duration=4 --frames 60
check "has the same bits, too" $python same.py at-once.h5 stopped-each.h5
exits "an end between two multiples of 1/fps" 0 run curls.json -o between.h5 -j1 -q --set output.every=step --set time.duration=0.05
check "the last frame is there" $python -c 'import h5py; f = list(h5py.File("between.h5")["frames"].values())
assert f[-1].attrs["time"] == 0.05 and abs(f[-2].attrs["time"] - 0.05) > 1e-6, [g.attrs["time"] for g in f[-2:]]'
exits "no such word" 2 run curls.json --set output.every=second
says "names the field and what was expected" err "output.every"

# ---- A blow-up ----
cat >blow.json <<'EOF'
{
  "time": {"duration": 1, "dt": 0.01},
  "bodies": [
    {"name": "floor", "shape": {"type": "plane"}},
    {"name": "box", "shape": {"type": "box", "size": [0.1, 0.1, 0.1]}, "position": [0, 0, 0.05], "density": 100}
  ],
  "friction": 0.3,
  "events": [{"time": 0.1, "gravity": [1e9, 0, -10]}],
  "output": {"fps": 50}
}
EOF
exits "a blow-up: exit 3" 3 run blow.json -q
says "the message names the step" err "blew up in step 11"
exits "its problem is kept" 0 info blow-blowup.hdf5
check "and the frames before it" $python opens.py blow.h5 6
check "one file of them" test ! -e blow.h5.d
cat >state.py <<'EOF'
import sys
import h5py
sys.exit(int(h5py.File(sys.argv[1])["state"].attrs["frames"]) != int(sys.argv[2]))
EOF
for every in 1 2 5; do
  exits "a state every $every frames" 3 run blow.json -o "every-$every.h5" --set "output.checkpoint_every=$every" -q
  check "the last one: frame $((5 - 5 % every))" $python state.py "every-$every.h5" $((6 - 5 % every))
done

# ---- Bad input, and a full disk ----
exits "no scene" 2 run
exits "no such scene" 3 run none.json
exits "two scenes" 2 run a.json b.json
exits "resume and -o" 2 run --resume whole.h5 -o other.h5
exits "resume and --set" 2 run --resume whole.h5 --set time.dt=1
exits "resume what is no run" 2 run --resume same.py
exits "a bad --set" 2 run "$scenes/incline.json" --set time.no_such=1
exits "the scene is not overwritten" 2 run "$scenes/incline.json" -o same.py
exits "no such folder" 3 run "$scenes/incline.json" -o no/such/run.h5
head -c 5000 whole.h5 >cut.h5
exits "a cut run" 2 stats cut.h5
exits "a cut run is not resumed" 2 run --resume cut.h5
(ulimit -f 20; "$skein" run "$scenes/spaghetti-31.json" -o full.h5 --frames 2 -q -j1 2>err); code=$?
check "a full disk: exit 3" test $code -eq 3
says "and a message" err "cannot write: File too large"

# ---- Stats ----
exits "stats" 0 stats whole.h5
says "tables" out "dissipated"
exits "stats as JSON and CSV" 0 stats whole.h5 --json --csv steps.csv
check "JSON agrees with CSV" $python -c "
import json, csv
s = json.load(open('out'))
rows = list(csv.DictReader(open('steps.csv')))
assert s['steps'] == len(rows) and s['frames'] == 31
assert s['columns']['contacts']['max'] == max(int(r['contacts']) for r in rows)
assert abs(s['time'] - 30 / 60) < 1e-12
assert abs(sum(s[k] for k in ('stick', 'slide', 'open')) - 1) < 1e-12"
if command -v gnuplot >/dev/null; then
  exits "figures" 0 stats whole.h5 --plot figures
  check "twelve pictures" test "$(find figures -size +2k \( -name '*.svg' -o -name '*.png' \) | wc -l)" -eq 12
fi

# ---- What a run is worth: verdicts that were planted ----
plant=$(dirname "$scenes")/tests/plant_verdicts.py
flawed='{"turnover": 1e-3, "steps": {
  "12": {"flaws": ["too deep"], "overlap": [1.3, 0, 1]},
  "13": {"flaws": ["too deep", "unbalanced"], "overlap": [1, 1, 2], "crossed": [1, 0, 1], "balance": [0.35, 1, -1]},
  "40": {"flaws": ["too deep"], "crossed": [2, 0, 1]}, "50": {"flaws": ["unbalanced"], "speed": [3.1, 0, -1]},
  "51": {"flaws": ["diverged"], "balance": [Infinity, 0, -1]}},
  "attempts": {"12": [[["too deep"], "halve"], [["missed"], "solve on"], [["too deep"], "accept flawed"]]}}'
line() { # line NAME REGEX: a whole line of out
  check "$1" grep -qxE -- "$2" out
}
worth() { # worth NAME PLAN: a run with these verdicts, and what stats says of it
  cp whole.h5 "$1.h5" && $python "$plant" "$1.h5" "$2" && exits "stats of $1" 0 stats "$1.h5"
}
worth clean '{}'
line "within tolerance" "verdict      within tolerance: none of 510 steps flawed, no crossing, 0 % of the work came from nothing"
worth flawed "$flawed"
line "how often" "verdict      flawed: 5 of 510 steps \(0.98 %; 0.98 % of the time\)"
line "what, when, who" "  too deep   3 steps, first at 0.012745 s, worst at 0.012745 s: 1.3 collision radii, strand in ball"
line "the worse of two measures" "  unbalanced 2 steps, first at 0.013725 s, worst at 0.013725 s: 0.35 times its energy from nothing, ball"
line "one step" "  diverged   1 step at 0.05098 s: not finite, strand"
line "crossings are counted" "  crossings  3, first at 0.013725 s: strand through ball"
line "attempts by reason and action" "too deep  *0  *1  *0  *1"
exits "the same as JSON, every step as CSV" 0 stats flawed.h5 --json --csv flawed.csv
check "JSON agrees with CSV" $python -c "
import json, csv
v = json.load(open('out'))['verdict']
rows = list(csv.DictReader(open('flawed.csv')))
assert v['within_tolerance'] is False and v['flawed'] == 5 == sum(r['flaws'] != '' for r in rows)
assert rows[13]['flaws'] == 'too deep+unbalanced' and rows[13]['balance_a'] == 'ball' and rows[12]['overlap_b'] == 'ball'
assert v['flaws']['too deep']['worst'] == {'time': float(v['first']), 'size': 1.3, 'objects': ['strand', 'ball'],
                                           'text': '1.3 collision radii, strand in ball'}
assert v['crossings'] == 3 and v['flaws']['diverged']['worst']['size'] is None
assert v['attempts'] == {'solved': {'accept': 509}, 'missed': {'solve on': 1}, 'too deep': {'accept flawed': 1, 'halve': 1}}"
worth odd '{"steps": {
  "5": {"flaws": ["too deep"], "overlap": [3, 0, 1], "deeper": [0.05, 1, 2]}, "7": {"flaws": ["diverged"], "balance": [0.1, 0, -1]},
  "9": {"flaws": ["too fast"], "reach": [0.7, 0, -1]}}}'
line "a pair that grew, beside a deeper one that did not" "  too deep   1 step at 0.0058824 s: 0.1 % of the smaller body deeper, ball in body 1"
line "another number that is not finite" "  diverged   1 step at 0.0078431 s: not finite"
line "a place that nothing looked at" "  too fast   1 step at 0.0098039 s: strand"
worth sly '{"turnover": 1e-4, "steps": {"3": {"made": 1.53e-3}}}'
line "a fiftieth of the work" "  energy     3 % of the work came from nothing, expected less than 2 %"
line "is flawed without a flawed step" "verdict      flawed: none of 510 steps by itself"
worth fair '{"turnover": 1e-4, "steps": {"3": {"made": 9.8e-4}}}'
line "less is not" "verdict      within tolerance: none of 510 steps flawed, no crossing, 1.9 % of the work came from nothing"
worth unjudged '{"unjudged": true}'
line "a run from before verdicts" "verdict      unknown: this run was made before verdicts"
exits "goes on" 0 run --resume unjudged.h5 --frames 31
says "its old steps stay unknown" out "510 steps were made before verdicts"
says "its names are not known, which is no failure" err "frame 31/31"
for run in flawed sly unjudged; do
  exits "$run --strict: exit 4" 4 run --resume $run.h5 --frames 30 -q --strict
  says "it says where to look" err "see 'skein stats $run.h5'"
done
exits "tolerances that are missed, --strict: exit 4" 4 run "$scenes/rotating-sphere.json" -o sloppy.h5 --frames 8 --strict \
  --set solver.method=gs --set solver.max_sweeps=1
check "progress counts them" grep -qE "frame 8/8 .* [0-9]+ flawed  speed" err
check "and the verdict says how far" grep -qE "^  missed .*worst at .*: error .*, tolerance " out
exits "clean --strict: exit 0" 0 run --resume clean.h5 --frames 30 -q --strict
exits "without --strict a flawed run is no failure" 0 run --resume flawed.h5 --frames 30 -q

# ---- Measures ----
exits "measure" 0 measure whole.h5 --csv frames.csv
says "tables" out "clump_of_rod"
exits "measure as JSON, against itself" 0 measure whole.h5 --json --against threads.h5 --cell 0.005
check "numbers agree" $python -c "
import json, csv
m = json.load(open('out'))
rows = list(csv.DictReader(open('frames.csv')))
assert m['frames'] == len(rows) == 31 and m['all']['frames'] == 30
assert {k: v for k, v in m.items() if k not in ('file', 'against')} == {k: v for k, v in m['against'].items() if k != 'file'}
assert abs(sum(float(r['friction']) for r in rows) - m['all']['friction']) < 1e-12
assert m['all']['contacts'] > 0 and 0 <= m['rest']['speed']"
exits "a bad option" 2 measure whole.h5 --share 2
exits "no run" 2 measure
exits "not a run" 2 measure same.py
if command -v gnuplot >/dev/null; then
  exits "figures of measures" 0 measure whole.h5 --plot measures
  check "ten pictures of them" test "$(find measures -size +2k \( -name '*.svg' -o -name '*.png' \) | wc -l)" -eq 10
fi

exits "stats without a run" 2 stats
exits "stats of no file" 3 stats none.h5

echo
if [ $failures -eq 0 ]; then echo "all passed"; else echo "$failures failed"; fi
[ $failures -eq 0 ]
