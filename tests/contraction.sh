#!/bin/sh
# No fused multiply-add in the files: a product is rounded before it is added, on every processor, so that all of them
# give the same bits. (GCC 12 makes some with -march=native, whatever -ffp-contract says.)
# Usage: contraction.sh FILE...
for file in "$@"; do
  found=$(objdump -d "$file" | grep -cE '\sv?fn?m(add|sub|la|ls)')
  [ "$found" = 0 ] || { echo "$file: $found fused instructions"; exit 1; }
done
