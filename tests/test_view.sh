#!/bin/sh
# test_view.sh SKEIN ROOT NODE_DIR: the page of a run of 200 strands in Chromium. Skipped, and says so, without a browser.
set -eu
browser=${SKEIN_CHROMIUM:-/usr/bin/chromium}
[ -x "$browser" ] || { echo "there is no $browser: skipped"; exit 77; }
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
"$1" run "$2/tests/view_strands.json" -o "$dir/run.h5" --threads 1 --quiet
"$1" view "$dir/run.h5" -o "$dir/run.html"
/usr/bin/python3 - "$dir" <<'END'
import json, sys, h5py
with h5py.File(sys.argv[1] + "/run.h5") as run:
    n = int(run.attrs["frames"])
    k = n * 2 // 3
    f = run["frames/%06d" % k]
    truth = {"title": json.loads(run["scene"].asstr()[()])["title"], "frames": n, "frame": k, "rods": len(f["radius"]),
             "time": float(f.attrs["time"]), "contacts": len(f["contacts/gap"]),
             "points": [float(x) for x in f["points"][:].ravel()]}
    json.dump(truth, open(sys.argv[1] + "/truth.json", "w"))
END
HOME=$dir node "$2/tests/test_view.mjs" "$3" "$dir/run.html" "$dir/truth.json"
HOME=$dir node "$2/tests/test_view_live.mjs" "$3" "$dir/run.html"
