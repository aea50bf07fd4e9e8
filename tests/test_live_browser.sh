#!/bin/sh
# test_live_browser.sh SKEIN ROOT NODE_DIR: the live page in Chromium: a strand is dragged and the simulation answers. Skipped,
# and says so, without a browser.
set -eu
browser=${SKEIN_CHROMIUM:-/usr/bin/chromium}
[ -x "$browser" ] || { echo "there is no $browser: skipped"; exit 77; }
dir=$(mktemp -d)
server=
trap '[ -z "$server" ] || kill "$server" 2>/dev/null || true; rm -rf "$dir"' EXIT
"$1" view --live "$2/tests/live_strands.json" --port 0 --no-open >"$dir/out" &
server=$!
for _ in $(seq 200); do
  grep -q http: "$dir/out" && break
  sleep 0.05
done
address=$(sed -n 's/.*\(http:[^ ]*\).*/\1/p' "$dir/out")
HOME=$dir node "$2/tests/test_live_browser.mjs" "$3" "$address"
kill -INT "$server"
wait "$server"
server=
