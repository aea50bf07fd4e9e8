#!/bin/sh
# Data flows one way: which room may include which. `tool` and `bench` enter by the front door.
set -eu
cd "$1"
status=0
allow() { # allow ROOM "rooms it may include"
  for file in src/"$1"/*.c src/"$1"/*.h; do
    [ -e "$file" ] || continue
    for room in $(sed -n 's/^#include "\([a-z]*\)\/.*/\1/p' "$file" | sort -u); do
      case " $1 $2 " in
        *" $room "*) ;;
        *) echo "$file: includes room '$room', which '$1' may not enter (allowed: $2)"; status=1 ;;
      esac
    done
  done
}
allow base ""
allow math "base"
allow sparse "base math"
allow friction "base math sparse"
allow rod "base math sparse"
allow body "base math"
allow collide "base math body"
allow scene "base math body"
allow output "base"
allow look "base math body scene"
allow hairs "base math body scene"
allow measure "base math"
allow export "base math"
allow world "base math sparse friction rod body collide scene"
for file in tool/*.c tool/*.h lab/*.c lab/*.h; do
  if grep -nE '^#include "(base|math|sparse|friction|rod|body|collide|scene|output|measure|look|hairs|export|world)/' "$file"; then
    echo "$file: the tool and the lab use <skein/skein.h> only"
    status=1
  fi
done
for file in render/*.c render/*.h; do # arrays in, pictures out: it knows its own files and the public header
  if grep -nE '^#include "' "$file" | grep -vE '"(render|inside|font)\.h"'; then
    echo "$file: the renderer knows no room"
    status=1
  fi
done
[ $status = 0 ] && echo "rooms: every include goes the right way"
exit $status
