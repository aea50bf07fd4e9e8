#!/bin/sh
# test_view_cli.sh SKEIN: what `skein view` does with good and bad input.
set -eu
skein=$1
dir=$(mktemp -d)
trap 'chmod -R u+w "$dir"; rm -rf "$dir"' EXIT
cd "$dir"
failed=0
fail() { echo "not ok: $*"; failed=1; }
# expect CODE TEXT COMMAND...: exits with CODE, says TEXT, leaves no page
expect() {
  code=$1 text=$2
  shift 2
  status=0
  "$@" >out 2>err || status=$?
  [ $status = "$code" ] || fail "$*: exit $status, expected $code: $(cat err)"
  grep -q -- "$text" out err || fail "$*: does not say '$text': $(cat out err)"
  [ "$(wc -l <err)" -le 1 ] || fail "$*: more than one line: $(cat err)"
  echo "ok $code $*"
}
gone() { [ -z "$(ls | grep -E '^\.?(no|run).*html' || true)" ] || fail "left $(ls -a | grep html)"; }

cat >cord.json <<'END'
{"title": "A </script><b>cord</b> falls", "time": {"duration": 0.2, "dt": 0.002}, "rods": [{"name": "cord", "model": "mass-spring",
 "material": "rope", "elements": 12, "length": 0.3, "root": {"type": "free", "position": [-0.15, 0, 0.08], "direction": [1, 0, 0]},
 "bundle": {"count": 3, "spacing": 0.02}}], "bodies": [{"name": "ball", "shape": {"type": "sphere", "radius": 0.05}},
 {"name": "floor", "shape": {"type": "plane"}, "position": [0, 0, -0.05]}], "gravity": [0, 0, -9.81], "output": {"fps": 100},
 "events": [{"time": 0.1, "cut": "cord[1]", "at": 0.5}]}
END
"$skein" run cord.json -o run.h5 --quiet --threads 1

# Bad input
expect 2 "no run given" "$skein" view
expect 2 "takes one run" "$skein" view run.h5 run.h5
expect 3 "none.h5" "$skein" view none.h5
expect 2 "cord.json" "$skein" view cord.json
head -c 4000 run.h5 >cut.h5
expect 2 "cut.h5" "$skein" view cut.h5 -o no.html
: >empty.h5
expect 2 "empty.h5" "$skein" view empty.h5 -o no.html
for range in 5:2 a:b 1:2:0 1:2:3:4 -1 ::x 1.5:2 99999999999:; do
  expect 2 "--frames" "$skein" view run.h5 -o no.html --frames="$range"
done
expect 2 "expected less than 21" "$skein" view run.h5 -o no.html --frames 21:30
expect 2 "--max-size" "$skein" view run.h5 -o no.html --max-size 0
expect 2 "--max-size: one frame alone" "$skein" view run.h5 -o no.html --max-size 0.3
expect 3 "no/where" "$skein" view run.h5 -o no/where/run.html
expect 3 "cannot write" "$skein" view run.h5 -o "$dir"
if [ "$(id -u)" != 0 ]; then
  mkdir closed && chmod a-w closed
  expect 3 "cannot write" "$skein" view run.h5 -o closed/run.html
fi
if [ -e /dev/full ]; then expect 3 "cannot write" "$skein" view run.h5 -o /dev/full; fi
timeout --foreground -s INT 1 "$skein" run cord.json -o early.h5 --quiet --threads 1 --set time.settle=1e4 2>/dev/null || true
for command in "view -o no.html" stats measure; do # stopped before frame 0
  expect 2 "early.h5: has no frames yet" "$skein" $command early.h5
done
gone

# Good input
expect 0 "run.html: 21 frames, [34] strands, 0\.[0-9] MB" "$skein" view run.h5
[ "$(grep -c '<script type="text/plain" id="skein-chunk-' run.html)" = 2 ] || fail "21 frames are two chunks"
grep -q '"title":"A \\u003c/script>\\u003cb>cord' run.html || fail "a title that closes its element"
grep -qiE '(src|href)="?https?://|@import|url\(http' run.html && fail "the page refers to the network"
grep -q '"verdict":{"state":"within","text":"within tolerance: none of' run.html || fail "the page does not know the verdict"
expect 0 "4 frames" "$skein" view run.h5 -o some.html --frames 2:17:5
expect 0 "1 frame," "$skein" view run.h5 -o one.html -f 3
expect 0 "21 frames" "$skein" view run.h5 -o all.html --frames :
expect 0 "11 frames" "$skein" view run.h5 -o late.html --frames 10:
cp run.html kept.html
expect 3 "none.h5" "$skein" view none.h5 -o kept.html
cmp -s run.html kept.html || fail "a failed call changed the page that was there"
size=$(wc -c <run.html)
limit=$(awk "BEGIN {print ($size - 2000) / 1e6}")
expect 0 "to keep the page small" "$skein" view run.h5 -o small.html --max-size "$limit"
[ "$(wc -c <small.html)" -lt "$size" ] || fail "--max-size does not make it smaller"
exit $failed
