#!/bin/bash
# `skein export` from outside: every format against the run as h5py reads it, frame ranges, axes and units, bad input,
# a run that was killed, a full disk, an interrupt; nothing is left half written.
# Usage: test_export_cli.sh PATH_OF_SKEIN
. "$(dirname "$0")/cli_support.sh"
cd "$work" || exit 2

refuses() { # refuses NAME CODE TEXT ARGUMENTS...: CODE, one line on stderr with TEXT, and no new file in the folder
  local name=$1 expected=$2 text=$3 before after
  shift 3
  before=$(find . ! -name out ! -name err ! -name log | sort)
  exits "$name" "$expected" "$@"
  after=$(find . ! -name out ! -name err ! -name log | sort)
  if [ "$(wc -l <err)" -eq 1 ] && grep -q '^skein: ' err && grep -qF -- "$text" err; then ok "$name (message)"
  else not_ok "$name (message)" "'$text' not in: $(cat err)"; fi
  if [ "$before" = "$after" ]; then ok "$name (no files)"; else not_ok "$name (no files)" "$(echo $after)"; fi
}

# ---- A run: a cord that is cut, boxes, contacts ----
cat >scene.json <<'EOT'
{"title": "A cord is \"cut\"", "units": {"length": "cm"}, "time": {"duration": 0.2, "dt": 0.002},
 "materials": {"cord": {"preset": "rope", "radius": 0.2, "E": 2e6}},
 "rods": [{"name": "a", "model": "der", "elements": 10, "material": "cord", "group": "cords", "length": 20,
           "root": {"position": [0, 0, 21]}},
          {"name": "b", "model": "der", "elements": 12, "material": "cord", "group": "cords", "length": 20,
           "root": {"type": "free", "position": [2, 3, 0.2], "direction": [1, 0, 0]}}],
 "bodies": [{"name": "floor", "shape": {"type": "plane"}},
            {"name": "box", "shape": {"type": "box", "size": [4, 4, 4]}, "position": [-8, 0, 6], "density": 500}],
 "events": [{"time": 0.1, "cut": "a"}], "output": {"fps": 50}}
EOT
exits "a run" 0 run scene.json -o run.h5 -q -j1
exits "export --help" 0 export --help
check "--help has examples and formats" grep -q "usda   USD" out

# ---- Every format, against the run ----
cat >compare.py <<'EOT'
import csv, re, struct
import h5py, numpy as np
run = h5py.File("run.h5", "r")
frames = list(run["frames"].values())
# The strands of the run: as many points in every frame as a rod has where it has most; what a cut takes off is one, too.
sizes = [np.diff(f["point_start"][:]) for f in frames]
counts = [max(int(s[i]) for s in sizes if len(s) > i) for i in range(max(map(len, sizes)))]
start = np.concatenate([[0], np.cumsum(counts)])
born = len(sizes[0])
assert len(counts) == 3 and len(sizes[-1]) == 3 and born == 2

def follows(p, frame, atol=1e-7, turn=lambda p: p):  # the points of all strands against the rods of the frame
    assert len(p) == start[-1]
    first, points = frame["point_start"][:], turn(frame["points"][:])
    for i, (a, b) in enumerate(zip(first, first[1:])):
        mine, rod = p[start[i]:start[i + 1]], points[a:b]
        if len(mine) == len(rod): assert np.allclose(mine, rod, rtol=0, atol=atol)
        else: assert np.allclose(mine[[0, -1]], rod[[0, -1]], rtol=0, atol=atol)
    if len(first) - 1 < len(counts):  # on the stretch that it is cut from, tip at tip
        assert np.allclose(p[-1], points[first[1] - 1], rtol=0, atol=1e-3 * np.abs(points).max())
    return len(first) - 1  # strands that are there

def turned(p): return 100 * np.stack([p[:, 0], p[:, 2], -p[:, 1]], axis=1)  # cm, y up

def hair():
    for k, frame in enumerate(frames):
        data = open(f"h_{k:03d}.hair", "rb").read()
        strands, points, flags, _ = struct.unpack("<4I", data[4:20])
        assert data[:4] == b"HAIR" and strands == len(counts) and points == start[-1] and flags == 1 | 2 | 4 | 16
        segments = np.frombuffer(data, "<u2", strands, 128)
        xyz = np.frombuffer(data, "<f4", 3 * points, 128 + 2 * strands).reshape(-1, 3)
        wide = np.frombuffer(data, "<f4", points, 128 + 2 * strands + 12 * points)
        assert (segments + 1 == counts).all()
        there = start[follows(xyz, frame, 1e-5, turned)]
        assert np.allclose(wide[:there], 0.4) and not wide[there:].any() and len(data) == 128 + 2 * strands + 28 * points

def obj():
    for k, frame in enumerate(frames):
        lines = open(f"o_{k:04d}.obj").read().splitlines()
        v = np.array([line.split()[1:] for line in lines if line.startswith("v ")], float)
        l = np.array([line.split()[1:] for line in lines if line.startswith("l ")], int)
        follows(v[:start[-1]], frame, 1e-5, turned)
        assert len(v) == start[-1] + 4 + 24
        assert l.shape == (start[-1] - len(counts), 2) and (l[:, 1] == l[:, 0] + 1).all() and l.max() == start[-1]
        assert sum(line.startswith("f ") for line in lines) == 2 + 12
        pose = frame["body_pose"][1]
        assert np.allclose(v[-24:].mean(axis=0), turned(pose[None, :3])[0], atol=1e-4)

def ply():
    for k, frame in enumerate(frames):
        data = open(f"p_{k:04d}.ply", "rb").read()
        head, body = data.split(b"end_header\n", 1)
        vertices, edges = (int(re.search(rb"element %s (\d+)" % e, head).group(1)) for e in (b"vertex", b"edge"))
        kind = np.dtype([("p", "<f4", 3), ("rgb", "u1", 3), ("radius", "<f4"), ("speed", "<f4"), ("force", "<f4"),
                         ("status", "<i4"), ("rod", "<i4")])
        v = np.frombuffer(body, kind, vertices)
        e = np.frombuffer(body, "<i4", 2 * edges, vertices * kind.itemsize).reshape(-1, 2)
        assert len(body) == vertices * kind.itemsize + 8 * edges and edges == vertices - len(counts)
        follows(v["p"], frame)
        assert (v["rod"] == np.repeat(np.arange(len(counts)), counts)).all()
        if k:
            assert v["speed"].max() > 0 and np.isfinite(v["speed"]).all()
        status = frame["contacts/status"][:]
        assert v["status"].max() <= (status.max() if len(status) else 0)

def csv_():
    rows = list(csv.DictReader(open("c.csv")))
    assert len(rows) == len(frames) * start[-1]
    last = [r for r in rows if r["frame"] == str(len(frames) - 1)]
    p = np.array([[float(r[c]) for c in "xyz"] for r in last])
    follows(p, frames[-1])
    assert abs(float(last[0]["time"]) - 0.2) < 1e-9
    assert [int(r["source"]) for r in last if r["point"] == "0"] == [0, 1, 0]
    contacts = list(csv.DictReader(open("c_contacts.csv")))
    assert len(contacts) == sum(len(f["contacts/gap"]) for f in frames) > 0
    assert all(r["object_a"] != r["object_b"] for r in contacts)
    force = sum(float(r["force"]) for r in rows)
    assert force > 0

def vtp():
    times = re.findall(r'timestep="([^"]+)" part="0" file="([^"]+)"', open("v.pvd").read())
    assert len(times) == len(frames)
    for (time, name), frame in zip(times, frames):
        data = open(name, "rb").read()
        head, body = data.split(b'<AppendedData encoding="raw">\n_', 1)
        def array(what, kind):
            offset = int(re.search(rb'Name="%s"[^>]*offset="(\d+)"' % what, head).group(1))
            size = struct.unpack("<Q", body[offset:offset + 8])[0]
            return np.frombuffer(body[offset + 8:offset + 8 + size], kind)
        assert abs(float(time) - frame.attrs["time"]) < 1e-12
        follows(array(b"Points", "<f4").reshape(-1, 3), frame)
        assert np.array_equal(array(b"offsets", "<i4"), start[1:])
        assert np.isfinite(array(b"force", "<f4")).all() and array(b"abscissa", "<f4").max() < 0.25
    assert len(re.findall("<DataSet", open("v_contacts.pvd").read())) == len(frames)

def usda():
    text = open("u.usda").read()
    block = re.search(r"point3f\[\] points.timeSamples = \{(.*?)\n            \}", text, re.S).group(1)
    samples = re.findall(r"(\d+): \[(.*?)\],\n", block + "\n")
    assert len(samples) == len(frames)
    for (code, points), (k, frame) in zip(samples, enumerate(frames)):
        p = np.array(re.findall(r"\(([^)]*)\)", points))
        p = np.array([[float(x) for x in row.split(",")] for row in p])
        assert int(code) == k
        follows(p, frame, 1e-5, turned)
    assert "metersPerUnit = 0.01" in text and 'upAxis = "Y"' in text and 'doc = "A cord is \\"cut\\""' in text

for what in (hair, obj, ply, csv_, vtp, usda):
    try:
        what()
        print("ok", what.__name__.strip("_"), "is the run")
    except Exception as error:
        print("not ok", what.__name__.strip("_"), "is the run:", repr(error))
EOT
exits "hair" 0 export run.h5 -o h_%03d.hair --up y --unit cm
exits "obj" 0 export run.h5 -o o.obj --up y --unit cm
exits "ply" 0 export run.h5 -o p.ply
exits "csv" 0 export run.h5 -o c.csv --contacts
exits "vtp" 0 export run.h5 -o v --format vtp --contacts
check "its summary" grep -q "11 frames in 36 files" out
exits "usda" 0 export run.h5 -o u.usda --up y --unit cm
$python compare.py | tee log
[ "$(grep -c '^ok' log)" = 6 ] || not_ok "all formats"
check "no temporary files" test -z "$(find . -name '*.new')"

# ---- Ranges ----
exits "one frame" 0 export run.h5 -o one.hair --frames 3
check "one frame: the name as it is" test -s one.hair
exits "a range" 0 export run.h5 -o r.hair -n 2:8:3
check "a range: frames 2, 5, 8" test "$(echo r_*.hair)" = "r_0002.hair r_0005.hair r_0008.hair"
exits "from a frame on" 0 export run.h5 -o s.hair -n 9:
check "from a frame on: 9 and 10" test "$(echo s_*.hair)" = "s_0009.hair s_0010.hair"
exits "up to a frame" 0 export run.h5 -o t.hair -n :1
exits "points" 0 export run.h5 -o even.usda --points 16
check "points: every rod has 16" grep -q "curveVertexCounts = \[16, 16, 16\]" even.usda
exits "to a pipe" 0 export run.h5 --format csv -o /dev/stdout --frames 0 --quiet
check "to a pipe: the header first" test "$(head -n1 out | cut -c1-15)" = "frame,time,rod,"

# ---- What is refused ----
refuses "an unknown format" 2 "did you mean 'usda'?" export run.h5 -o x --format usd
refuses "no format" 2 "choose one with --format" export run.h5 -o x.foo
refuses "another program's format" 2 "take .abc, which what reads FBX reads too" export run.h5 -o a.fbx
refuses "another program's format: all" 2 "all formats: .usda .vtp .hair .obj .ply .csv .abc" export run.h5 -o a.FBX
refuses "no output" 2 "expected -o OUT" export run.h5
refuses "no run" 2 "no run given" export -o x.csv
refuses "a run that is not there" 3 "nowhere.h5" export nowhere.h5 -o x.csv
echo "not a run" >wrong.h5
refuses "not a run" 2 "wrong.h5" export wrong.h5 -o x.csv
refuses "a frame beyond the end" 2 "expected a whole number from 0 to 10" export run.h5 -o x.csv --frames 5:11
refuses "a range backwards" 2 "expected A of at most B" export run.h5 -o x.csv --frames 5:4
refuses "not a range" 2 "--frames is" export run.h5 -o x.csv --frames 1-4
refuses "not an axis" 2 "--up is 'x'" export run.h5 -o x.csv --up x
refuses "not a unit" 2 "--unit is 'km'" export run.h5 -o x.csv --unit km
refuses "bodies in hair" 2 "hair files hold no bodies" export run.h5 -o x.hair --bodies
refuses "contacts in ply" 2 "ply files hold no contacts" export run.h5 -o x.ply --contacts
refuses "a folder that is not there" 3 "no/x.csv: cannot write" export run.h5 -o no/x.csv
refuses "a pattern with words" 2 "expected one number like %04d" export run.h5 -o x_%s.hair
mkfifo pipe.abc
cat pipe.abc >/dev/null &
refuses "a pipe" 3 "is no file that can be gone back in" export run.h5 -o pipe.abc
rm pipe.abc
mkdir dir.csv
refuses "a folder" 3 "Is a directory" export run.h5 -o dir.csv
[ -e /dev/full ] && refuses "a full device" 3 "No space left on device" export run.h5 --format csv -o /dev/full
for file in f.usda f.abc f.pvd f.hair f.obj f.ply f.csv; do
  (ulimit -f 1; "$skein" export run.h5 -o big_$file >out 2>err); code=$?
  case $file in f.hair) [ $code = 0 ] || not_ok "small files" "$(cat err)"; rm -f big_f_*; continue ;; esac
  if [ $code = 3 ] && grep -q "cannot write" err && [ -z "$(find . -name 'big_*')" ]; then ok "a full disk, $file"
  else not_ok "a full disk, $file" "exit $code: $(cat err) $(echo big_*)"; fi
done

# ---- A run that was killed: its finished frames ----
"$skein" run scene.json -o cut.h5 -q -j1 --set time.duration=100 >/dev/null 2>&1 &
pid=$!
for _ in $(seq 300); do [ "$(find cut.h5.d -name '[0-9]*.h5' 2>/dev/null | wc -l)" -ge 4 ] && break; sleep 0.1; done
kill -9 $pid
wait $pid 2>/dev/null
exits "a killed run" 0 export cut.h5 -o cut.csv
check "its last frame is whole" $python -c '
import csv, h5py
frames = h5py.File("cut.h5")["frames"]
rows = list(csv.DictReader(open("cut.csv")))
assert len({r["frame"] for r in rows}) == len(frames) >= 3
assert len(rows) == len(frames) * sum(len([r for r in rows if r["frame"] == "0" and r["rod"] == i]) for i in {r["rod"] for r in rows})'

# ---- An interrupt leaves nothing ----
"$skein" export run.h5 --format csv -o fifo_$$.csv --points 40000 >out 2>err &
pid=$!
sleep 0.5
kill -INT $pid 2>/dev/null
wait $pid
code=$?
if [ $code = 130 ] && [ -z "$(find . -name 'fifo_*')" ] && grep -q "nothing was written" err; then ok "an interrupt"
else not_ok "an interrupt" "exit $code: $(cat err) $(echo fifo_*)"; fi

echo "$failures failures"
[ $failures = 0 ]
