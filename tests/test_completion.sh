#!/bin/bash
# `skein completion`: what the shells offer. zsh and fish where they are installed.
# Usage: test_completion.sh PATH_OF_SKEIN
. "$(dirname "$0")/cli_support.sh"
cd "$work" || exit 2
for shell in bash zsh fish; do
  exits "completion $shell" 0 completion $shell
  mv out "$shell"
done
exits "another shell" 2 completion tcsh
says "is refused by name" err "(one of bash, zsh, fish)"
touch scene.json run.h5 problem.hdf5 notes.txt
mkdir folder
mv bash zsh fish folder

cat >offer.sh <<'EOF2'
# offer.sh WORD...: what bash offers for the last word
. folder/bash
compopt() { :; }
COMP_WORDS=("$@") COMP_CWORD=$(($# - 1))
_skein
printf '%s\n' "${COMPREPLY[@]}"
EOF2
offers() { # offers NAME "WANTED ..." WORD...: exactly these, in any order
  local name=$1 wanted=$2
  shift 2
  bash offer.sh "$@" | sort | xargs >got
  if [ "$(tr ' ' '\n' <<<"$wanted" | sort | xargs)" = "$(cat got)" ]; then ok "$name"; else not_ok "$name" "$(cat got)"; fi
}
offers "bash: commands" "render reproduce" skein re
offers "bash: options of run" "--dump-every --dump-missed --dump-problems" skein run --dump
offers "bash: scenes" "folder scene.json" skein run ""
offers "bash: runs" "folder run.h5" skein stats ""
offers "bash: methods" "newton-ac newton-mfb" skein solve --method newton
offers "bash: locals" "mfb mfb+enum" skein solve --local mf
offers "bash: locals of bench" "pac pac/plain pac/plain+enum pac+enum" skein bench --locals pac
offers "bash: balls" "augmented plain" skein solve --ball ""
offers "bash: tests" "cantilever capstan column" skein validate c
offers "bash: formats" "$("$skein" export --help | grep -o 'usda' | head -n 1)" skein export --format us
while read -r command; do # every option that --help has
  "$skein" "$command" --help | grep -oE '^ +(-., )?--[a-z-]+' | grep -oE -- '--[a-z-]+' | sort >wanted
  bash offer.sh skein "$command" -- | sort >got
  cmp -s wanted got || not_ok "bash: options of $command" "$(diff wanted got | head -n 5 | tr '\n' ' ')"
  while read -r option; do
    grep -qe "$option" folder/zsh || not_ok "zsh: $command $option"
    [ "$option" = --help ] || grep -q -- "$command' -l ${option#--} \|$command' -l ${option#--}\$" folder/fish || not_ok "fish: $command $option"
  done <wanted
done < <("$skein" --help | sed -n 's/^  \([a-z]*\)  *.*/\1/p' | sed '/^$/d' | sed '/skein/d')
if command -v zsh >/dev/null; then check "zsh reads it" zsh -n folder/zsh; else ok "zsh # skip not installed"; fi
if command -v fish >/dev/null; then
  fish --no-config -c 'source folder/fish; complete -C "skein solve --method newton-"' >got 2>&1
  check "fish: methods" grep -q '^newton-mfb' got
  fish --no-config -c 'source folder/fish; complete -C "skein run --dump"' >got 2>&1
  check "fish: options" grep -q '^--dump-problems' got
  fish --no-config -c 'source folder/fish; complete -C "skein re"' >got 2>&1
  check "fish: commands" grep -q '^render' got
else ok "fish # skip not installed"; fi

[ $failures -eq 0 ] || { echo "$failures failed"; exit 1; }
echo "all passed"
