#!/bin/bash
# `skein reproduce` from outside: a report that is whole, well-formed and needs nothing else; interrupts; bad input.
# Usage: test_reproduce_cli.sh PATH_OF_SKEIN ROOT
. "$(dirname "$0")/cli_support.sh"
scenes=$(realpath "$2")/scenes || exit 2
SKEIN_SCENES=$scenes
export SKEIN_SCENES
cd "$work" || exit 2

cat >page.py <<'EOF_PAGE'
import html.parser, json, re, sys
class Page(html.parser.HTMLParser):
    """Every tag is closed in its order, every link leads to a place on the page, nothing is fetched."""
    empty = {"meta", "line", "circle", "rect", "path", "br"}
    def __init__(self):
        super().__init__()
        self.open, self.ids, self.links, self.counts = [], set(), [], {}
    def handle_starttag(self, tag, attributes):
        self.counts[tag] = self.counts.get(tag, 0) + 1
        if tag not in self.empty: self.open.append(tag)
        for name, value in attributes:
            if name == "id": self.ids.add(value)
            if name in ("href", "src", "srcset", "data", "action"): self.links.append(value)
    def handle_startendtag(self, tag, attributes):
        self.handle_starttag(tag, attributes)
        if tag not in self.empty: self.open.pop()
    def handle_endtag(self, tag):
        assert self.open and self.open[-1] == tag, (tag, self.open[-3:], self.getpos())
        self.open.pop()
text = open(sys.argv[1] + "/report.html", encoding="utf-8").read()
page = Page()
page.feed(text)
page.close()
assert not page.open, page.open
assert all(link.startswith("#") and link[1:] in page.ids for link in page.links), page.links
own = re.sub(r"""xmlns(:\w+)?=["'][^"']*["']|url\(#\w+\)""", "", text) # names of XML, and pictures' own parts
assert not re.search(r"https?:|url\(|@import|<script|\b-?(nan|inf)\b", own), "fetches something, or NaN"
for word in sys.argv[2:]: assert word in text, word
report = json.load(open(sys.argv[1] + "/report.json"))
assert report["cores"] > 0 and report["version"] and report["experiments"]
print(page.counts)
EOF_PAGE

exits "--help" 0 reproduce --help
says "--help has examples" out "Examples:"
says "--help names the experiments" out "local-global"
exits "--list" 0 reproduce --list
check "thirteen of them" test "$(wc -l <out)" -eq 13

exits "a few steps of the knot" 0 reproduce knot --steps 4 -o report
says "it says where the report is" out "report/report.html"
check "the page is well-formed and whole" $python page.py report "Tight knot" "not judged" "trefoil" "<svg" "load average"
check "the numbers are there" $python - <<'EOF'
import csv, json
rows = list(csv.DictReader(open("report/knot.csv")))
assert len(rows) == 5 and all(r["determinant, least"] == "3" and r["determinant, most"] == "3" for r in rows), rows
assert [float(r["pull (EI/L^2)"]) for r in rows] == [10, 100, 1e3, 1e4, 1e5]
report = json.load(open("report/report.json"))
assert report["finished"] and report["experiments"][0]["tables"]["knot"][0]["steps"] == 4
assert report["experiments"][0]["cut_short"] and report["experiments"][0]["steps"] == 24
EOF
exits "problems that are solved again" 0 reproduce local-global --steps 50 -o second -j1
check "its page" $python page.py second "newton-ac"
check "nothing is left beside it" test -z "$(find second report -name '*.??????')"

# ---- Hair, from run files: small scenes in their place ----
mkdir heads
for name in free-a free-b pony curly; do
  cat >heads/$name.json <<'EOF'
{"rods": [{"name": "tuft", "group": "hair", "grid": {"count": [3, 2, 1], "spacing": 0.004}, "length": 0.12,
           "elements": 4, "root": {"type": "clamped", "position": [0, 0, 0.09], "direction": [0.8, 0, 0.6]}}],
 "bodies": [{"name": "floor", "group": "body", "shape": {"type": "plane"}}],
 "friction": 0.3, "pairs": [{"groups": ["hair", "body"], "mu": 0.5}],
 "time": {"duration": 0.2, "dt": 0.002}, "output": {"fps": 50}}
EOF
done
SKEIN_SCENES=$work/heads
exits "whole runs of hair, cut short" 0 reproduce hair hair-friction assembly locals --steps 60 --problems 2 -j1 -o hair
check "their pages" $python page.py hair "Free/A, paper" "24659" "with friction" "Time to assemble W" "mfb+enum" "Figure 11"
check "what they hold" $python - <<'EOF'
import csv, json
rows = list(csv.DictReader(open("hair/hair.csv")))
assert len(rows) == 8 and rows[1]["mu hair / body"] == "0.3 / 0.5" and float(rows[1]["T_dt (s)"]) > 0, rows
assert float(rows[1]["T_GS (s)"]) <= float(rows[1]["T_solv (s)"]) <= float(rows[1]["T_dt (s)"]) * 1.0001
locals_ = {r["local solver"]: r for r in csv.DictReader(open("hair/locals.csv"))}
assert len(locals_) == 16 and "dac" in locals_ and "dac/plain" in locals_ and float(locals_["mfb+enum"]["% > tol"]) == 0, locals_
hybrid = locals_["mfb+enum"]
assert float(hybrid["max error"]) <= 1e-3 and hybrid["sweeps, common"] == hybrid["sweeps, mean"], hybrid
assert all(float(r["difference"]) < 1e-9 for r in csv.DictReader(open("hair/assembly.csv")))
names = [r["measure"] for r in csv.DictReader(open("hair/hair-friction.csv"))]
assert "clumps" in names and "envelope" in names
EOF
mkdir runs
for name in free-a free-b pony curly; do "$skein" run heads/$name.json -o runs/$name.h5 -q -j1 || failures=$((failures + 1)); done
exits "a claim that small runs cannot hold: exit 1" 1 reproduce hair --runs runs -o from-runs
check "no step was taken, all of them were read" $python - <<'EOF'
import json
e = json.load(open("from-runs/report.json"))["experiments"][0]
assert e["steps"] == 0 and not e["cut_short"] and e["failed"] > 0 and len(e["tables"]["hair-runs"]) == 4, e
assert all(r["frames"] == r["of"] == 10 and r["memory (MB)"] > 1 for r in e["tables"]["hair-runs"])
EOF
exits "problems that are there are used" 0 reproduce locals --runs hair --problems 1 --steps 1 -j1 -o again
check "no run was made for them" grep -q "locals: .* 0 steps" err
exits "bad --problems" 2 reproduce locals --problems 0
SKEIN_SCENES=$scenes

# ---- Interrupted: what there is is written ----
"$skein" reproduce reef spaghetti -o stopped -j1 >out 2>err &
job=$!
for _ in $(seq 50); do grep -q reef err && break; sleep 0.05; done
sleep 0.3
kill -TERM $job # bash lets background jobs ignore SIGINT
wait $job
check "interrupted: exit 130" test $? -eq 130
check "the page is there" $python page.py stopped "cut short"

# ---- What is not there ----
exits "no such experiment" 2 reproduce knots
says "the nearest one" err "did you mean"
exits "bad --steps" 2 reproduce knot --steps 0
exits "no folder" 3 reproduce knot --steps 1 -o no/such/folder
SKEIN_SCENES=$work exits "no scenes: a failed experiment" 1 reproduce knot --steps 1 -o none
says "the message names the scene" err "tight-knot.json is not there"
check "and the page tells it" $python page.py none "tight-knot.json is not there"

echo
if [ $failures -eq 0 ]; then echo "all passed"; else echo "$failures failed"; fi
[ $failures -eq 0 ]
