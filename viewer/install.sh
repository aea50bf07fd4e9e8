#!/bin/sh
# install.sh DIR: the packages of package-lock.json in DIR/node_modules. Once they are there, the network is not needed again.
set -eu
here=$(cd "$(dirname "$0")" && pwd)
mkdir -p "$1"
exec 9>"$1/lock"
flock 9 # several builds may share DIR
cmp -s "$here/package-lock.json" "$1/installed" && exit 0
rm -f "$1/installed"
cp "$here/package.json" "$here/package-lock.json" "$1/"
(cd "$1" && npm ci --no-audit --no-fund --loglevel=error)
cp "$here/package-lock.json" "$1/installed"
