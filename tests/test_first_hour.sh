#!/bin/bash
# Wrong turns of a first hour, each of which must end in a sentence that helps: one mistake, one check or two.
# Usage: test_first_hour.sh PATH_OF_SKEIN ROOT
. "$(dirname "$0")/cli_support.sh"
root=$(realpath "$2") || exit 2
cd "$work" || exit 2

strand='{"rods": [{"name": "strand", "length": 0.2, "root": {"direction": [1, 0, 0]}}], "time": {"duration": 0.1}}'
echo "$strand" >strand.json
exits "a strand" 0 run strand.json -o strand.h5 -q -j1
exits "a problem" 0 gen hairlike --rods 5 --contacts 10 -o problem.hdf5

# warns NAME SCENE WORD...: the warning has the words, in one line; with --strict it is an error
warns() {
  local name=$1 word
  echo "$2" >odd.json
  shift 2
  exits "$name: runs" 0 run odd.json -o odd.h5 --frames 0 --overwrite
  grep warning: err >said
  for word in "$@"; do says "$name: says '$word'" said "$word"; done
  exits "$name: --strict refuses" 2 run odd.json -o strict.h5 --frames 0 --strict
  check "$name: and makes no run" test ! -e strict.h5
}

# ---- A preset is changed, not shadowed ----
exits "a field of a preset" 0 run strand.json -o preset.h5 -q -j1 --set materials.hair-caucasian.damping=0.05
end() { $python -c 'import h5py,sys; print(h5py.File(sys.argv[1])["frames/000003/points"][-1])' "$1"; }
check "it matters" test "$(end strand.h5)" != "$(end preset.h5)"
exits "a material that is no preset needs all" 2 run strand.json -o no.h5 --set materials.wool.drag=1e-4
says "and says so" err "materials.wool: the field 'E' is missing"

# ---- Durations that are no whole number of frames ----
times() { $python -c 'import h5py,sys; print(*["%.6g" % g.attrs["time"] for g in h5py.File(sys.argv[1])["frames"].values()])' "$1"; }
exits "less than a frame" 0 run strand.json -o short.h5 -q --set time.duration=0.02
check "the last frame is at the end" test "$(times short.h5)" = "0 0.02"
exits "two frames and a half" 0 run strand.json -o half.h5 -q --set time.duration=0.05 --set output.fps=50
check "one more at the end" test "$(times half.h5)" = "0 0.02 0.04 0.05"
exits "it goes on" 0 run --resume half.h5 -q --frames 5
check "on whole frames" test "$(times half.h5)" = "0 0.02 0.04 0.05 0.08 0.1"

# ---- Values that are hardly meant ----
hair() { # hair MATERIAL ROOM...: a strand of a material, other fields
  echo '{"materials": {"hair": {"preset": "hair-asian", '"$1"'}}, "rods": [{"name": "hair", "length": 0.2, "material": "hair"}],
         "time": {"duration": 0.1'"${2:-}"'}'"${3:-}"'}'
}
warns "E in GPa" "$(hair '"E": 4')" "odd.json:1:" "materials.hair.E is 4 Pa" "1e+04 to 1e+12 Pa" "meant in GPa, write 4e+09"
warns "density in g/cm^3" "$(hair '"density": 1.3')" "materials.hair.density is 1.3 kg/m^3" "meant in g/cm^3, write 1300"
warns "radius in mm" "$(hair '"radius": 0.04')" "materials.hair.radius is 0.04 m" "0.02 m" "meant in mm, write 4e-05"
warns "friction in percent" "$(hair '"E": 4e9' '' ', "friction": 30')" "friction is 30" "0 to 5" "meant in percent, write 0.3"
warns "dt in ms" "$(hair '"E": 4e9' ', "dt": 1')" "time.dt is 1 s" "meant in ms, write 0.001"
warns "a loose tolerance" "$(hair '"E": 4e9' '' ', "solver": {"tol": 1}')" "solver.tol is 1, usual is"
warns "gravity in m/s^2 in a scene in mm" '{"units": {"length": "mm"}, "gravity": [0, 0, -9.81],
  "rods": [{"length": 200}], "time": {"duration": 0.1}}' "gravity is 0.00981 m/s^2" "meant in m/s^2, write 9810"
$python - <<'EOF2'
# 20 strands of 20 cm on a head of 23 cm, in cm: OBJ lines
with open("groom.obj", "w") as f:
    for k in range(20):
        for j in range(5):
            f.write(f"v {k - 10} 0 {12 + 5 * j}\n")
    for k in range(20):
        f.write("l " + " ".join(str(5 * k + j + 1) for j in range(5)) + "\n")
EOF2
groom='{"bodies": [{"name": "head", "shape": {"type": "head"}}], "rods": [{"name": "hair", "file": "groom.obj",
        "root": {"body": "head"}}], "time": {"duration": 0.1}}'
warns "a groom in cm" "$groom" "rods[0].file: the longest rod is 20 m" "on 'head' of" "meant in cm, write 0.01 as its 'scale'"
exits "the groom in metres" 0 run odd.json -o scaled.h5 --frames 0 --strict --set rods[0].scale=0.01
for scene in "$root"/scenes/*.json; do # none of the scenes that are there is odd; what reading says is all that is looked at
  case $scene in *schema* | */curly.json | */free-?.json | */pony.json) continue ;; esac
  "$skein" run "$scene" -o scene.h5 --overwrite --frames 0 --strict >out 2>err || not_ok "$(basename "$scene") has usual values" "$(head -n 2 err)"
done

# ---- What starts inside a body ----
echo '{"bodies": [{"name": "table", "shape": {"type": "box", "size": [1, 1, 0.1]}}], "rods": [{"name": "noodle", "length": 0.2,
  "root": {"type": "free", "position": [0, 0, 0.03], "direction": [1, 0, 0]}}], "time": {"duration": 0.1}}' >inside.json
exits "a rod inside a box" 0 run inside.json -o inside.h5 --frames 0
says "names and depth" err "start: the rod 'noodle' is inside 'table', by 20"

# ---- The wrong kind of file ----
wrong() { # wrong NAME TEXT ARGUMENTS...
  local name=$1 text=$2
  shift 2
  exits "$name" 2 "$@"
  says "$name: says what it is" err "$text"
  check "$name: in one line" test "$(wc -l <err)" -eq 1
}
wrong "run on a run" "strand.h5: is a run, expected a scene" run strand.h5 -o a.h5
wrong "run on a problem" "problem.hdf5: is a friction problem, expected a scene" run problem.hdf5 -o a.h5
wrong "live view of a run" "strand.h5: is a run, expected a scene" view --live strand.h5
for command in stats measure view "run --resume"; do
  wrong "$command on a scene" "strand.json: is a scene, expected a run; 'skein run' makes one of it" $command strand.json
done
wrong "render on a scene" "is a scene, expected a run" render strand.json -o a.png
wrong "export on a scene" "is a scene, expected a run" export strand.json -o a.usda
wrong "solve on a scene" "is a scene, expected a friction problem" solve strand.json
wrong "info on a run" "is a run, expected a friction problem" info strand.h5
wrong "stats on a problem" "is a friction problem, expected a run" stats problem.hdf5
echo hello >text.json
exits "no file of ours" 2 run text.json -o a.h5
says "keeps its message" err "text.json:1: not JSON"

# ---- Places to write to ----
exits "a folder that is not there" 3 run strand.json -o nodir/x.h5
says "is named" err "nodir/x.h5: cannot write: the folder 'nodir' is not there"
exits "also of a picture" 3 render strand.h5 -o nodir/x.png --size 64x64 -f 0
says "in the same words" err "nodir/x.png: cannot write: the folder 'nodir' is not there"
cp strand.h5 before.h5
exits "a run that is there" 2 run strand.json -o strand.h5
says "is not replaced" err "strand.h5: is there already; --overwrite replaces it"
check "and stays" cmp strand.h5 before.h5
exits "unless it may be" 0 run strand.json -o strand.h5 --overwrite -q

# ---- Fields ----
exits "two points" 2 run strand.json -o a.h5 --set 'rods[0]={"points": [[0, 0, 0], [0, 0, 1]]}'
says "length and direction" err "has 2 points, expected 3 to a million (a straight rod: 'length', and 'direction' in its 'root')"
unknown() { # unknown FIELD TEXT
  exits "unknown $1" 2 run strand.json -o a.h5 --set "$1=1"
  says "unknown $1: where it is" err "$2"
}
unknown rods[0].radius "unknown field, it belongs in a material: 'materials' has them by name"
unknown rods[0].position "it belongs in the 'root' of a rod"
unknown solver.dt "it belongs in 'time'"
unknown fps "it belongs in 'output'"
unknown time.gravity "it belongs in the scene itself"
unknown rods[0].elments "did you mean 'elements'?"
unknown output.frames "expected one of: fps, points"

# ---- The rest ----
exits "measure without contacts" 0 measure strand.h5
says "says that there were none" out "friction     took nothing, there were no contacts"
check "and no nan" test -z "$(grep -i nan out)"
exits "rods=N of a file without count" 0 run odd.json -o sampled.h5 --frames 0 -q --set rods=7 --set rods[0].scale=0.01
check "samples its strands" $python -c 'import h5py; f = h5py.File("sampled.h5"); assert len(f["frames/000000/point_start"]) == 8'
mkdir bin
PATH="$work/bin" "$skein" stats strand.h5 --plot figures >out 2>err
check "stats --plot without gnuplot: exit 3" test $? -eq 3
says "what to install" err "gnuplot is not installed (Debian: gnuplot-nox)"

[ $failures -eq 0 ] || { echo "$failures checks failed"; exit 1; }
echo "all passed"
