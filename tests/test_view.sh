#!/bin/sh
# test_view.sh SKEIN ROOT NODE_DIR: the page of a run of 200 strands in Chromium. Skipped, and says so, without a browser.
set -eu
browser=${SKEIN_CHROMIUM:-/usr/bin/chromium}
[ -x "$browser" ] || { echo "there is no $browser: skipped"; exit 77; }
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
"$1" run "$2/tests/view_strands.json" -o "$dir/run.h5" --threads 1 --quiet
cp "$dir/run.h5" "$dir/plain.h5"
"$2/tests/plant_verdicts.py" "$dir/run.h5" '{"steps": {
  "30": {"flaws": ["too deep"], "overlap": [1.3, 17, 23]},
  "31": {"flaws": ["too deep", "unbalanced"], "crossed": [1, 17, 23], "balance": [0.35, 17, -1]},
  "120": {"flaws": ["deep"], "overlap": [1.2, 30, 200]}}}'
"$2/tests/plant_verdicts.py" "$dir/plain.h5" '{"steps": {}}'
"$1" view "$dir/run.h5" -o "$dir/run.html"
"$1" view "$dir/plain.h5" -o "$dir/plain.html"
/usr/bin/python3 - "$dir" <<'END'
import json, sys, h5py
with h5py.File(sys.argv[1] + "/run.h5") as run:
    ends = [float(t) for f in run["frames"].values() for t in f["steps/time"]]
    n = int(run.attrs["frames"])
    k = n * 2 // 3
    f = run["frames/%06d" % k]
    truth = {"title": json.loads(run["scene"].asstr()[()])["title"], "frames": n, "frame": k, "rods": len(f["radius"]),
             "time": float(f.attrs["time"]), "contacts": len(f["contacts/gap"]),
             "ends": ends, "points": [float(x) for x in f["points"][:].ravel()]}
    json.dump(truth, open(sys.argv[1] + "/truth.json", "w"))
END
HOME=$dir node "$2/tests/test_view.mjs" "$3" "$dir/run.html" "$dir/truth.json"
HOME=$dir node "$2/tests/test_view_live.mjs" "$3" "$dir/run.html"
