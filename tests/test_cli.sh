#!/bin/bash
# The skein command from outside: exit codes, JSON, saved solutions, bad input, history, bench, validate.
# Usage: test_cli.sh PATH_OF_SKEIN
. "$(dirname "$0")/cli_support.sh"
cd "$work" || exit 2

# refuses NAME CODE TEXT ARGUMENTS...: exits with CODE and one line on stderr that holds TEXT and begins with "skein: ".
refuses() {
  local name=$1 expected=$2 text=$3
  shift 3
  exits "$name" "$expected" "$@"
  if [ "$(wc -l <err)" -eq 1 ] && grep -q '^skein: ' err && grep -qF -- "$text" err; then ok "$name (message)"
  else not_ok "$name (message)" "'$text' not in: $(cat err)"; fi
}

# json NAME EXPRESSION: EXPRESSION of Python is true for the object o on the only line of out.
json() {
  if "$python" -c 'import json, sys
o = json.loads(sys.stdin.read(), parse_constant=lambda x: sys.exit("not JSON: " + x))
sys.exit(0 if eval(sys.argv[1]) else "false for: %s" % o)' "$2" <out 2>err; then ok "$1"
  else not_ok "$1" "$(tail -1 err)"; fi
}

make_problems() {
  exits "gen hairlike" 0 gen hairlike --rods 12 --contacts 40 --seed 3 --form both -o hair.hdf5
  exits "gen manufactured" 0 gen manufactured --contacts 20 --seed 2 -o known.hdf5
  exits "gen 2d" 0 gen manufactured --contacts 20 --d 2 --mu 0 --form local -o flat.hdf5
  exits "gen sizes follow" 0 gen hairlike --rods 5 -o five.hdf5
  check "gen sizes: 3n/m = 2.4" grep -q "64 contacts, 80 dofs, 3n/m = 2.40" out
  check "both forms" test -s hair.hdf5 -a -s hair-local.hdf5
  "$skein" gen hairlike --rods 12 --contacts 40 --seed 3 -o again.hdf5 >out 2>&1
  check "same seed, same file" cmp hair.hdf5 again.hdf5
  rm -f again.hdf5 five.hdf5
}

test_help() {
  local command
  exits "help" 0 --help
  exits "version" 0 --version
  check "version text" grep -Eq '^skein [0-9]+\.[0-9]+\.[0-9]+' out
  for command in solve info gen bench validate; do
    exits "$command --help" 0 "$command" --help
    check "$command --help has examples" grep -q '^Examples:' out
    exits "help $command" 0 help "$command"
  done
  exits "no command" 2
  refuses "unknown command" 2 "did you mean 'solve'" slove known.hdf5
  refuses "unknown option" 2 "did you mean '--method'" solve --metod gs known.hdf5
  refuses "unknown main option" 2 "--nothing" --nothing
  refuses "no file" 2 "no file" solve
}

test_solve() {
  exits "solve" 0 solve known.hdf5
  check "solve says converged" grep -q " converged" out
  exits "solve several" 0 solve known.hdf5 flat.hdf5 hair.hdf5 hair-local.hdf5 --tol 1e-4
  check "one line per file" test "$(grep -c '\.hdf5' out)" -eq 4
  exits "solve --json" 0 solve --json known.hdf5
  check "valid JSON" "$python" -m json.tool out
  json "JSON keys" '{"file", "contacts", "method", "local", "converged", "iterations", "error_fb", "error_rel",
    "seconds", "threads"} <= set(o)'
  json "JSON more keys" '{"dofs", "nu", "islands", "stick", "slide", "open", "local_failures", "seconds_setup",
    "form", "version"} <= set(o)'
  json "JSON values" 'o["converged"] is True and o["contacts"] == 20 and 0 <= o["error_rel"] <= 1e-6'
  exits "JSON lines" 0 solve --json known.hdf5 flat.hdf5
  check "an object per line" test "$(wc -l <out)" -eq 2
  exits "JSON unknown dofs" 0 solve --json flat.hdf5
  json "JSON null" '"dofs" in o and (o["dofs"] is None or o["dofs"] > 0)'
  exits "not converged" 1 solve hair.hdf5 --method gs --max-sweeps 1 --tol 1e-12
  check "says so" grep -q "NOT CONVERGED" out
  exits "options" 0 solve known.hdf5 --method gs --local mfb+enum --accelerate none --no-freeze --measure fb \
    --form explicit --threads 1 --max-seconds 10 --tol 1e-6
  refuses "factored form of a reduced problem" 2 "hair-local.hdf5" solve hair-local.hdf5 --form factored
}

test_methods() {
  local name
  for name in auto gs newton-ac newton-mfb admm ipm; do
    "$skein" solve --json known.hdf5 --method "$name" --max-sweeps 2000 >out 2>err
    case $? in 0 | 1) ok "method $name" ;; *) not_ok "method $name" "$(cat err)" ;; esac
  done
  for name in secular mfb pac dac enum duriez06 duriez08 pyramid4 mfb+enum pyramid4+enum; do
    "$skein" solve --json known.hdf5 --method gs --local "$name" --max-sweeps 200 >out 2>err
    case $? in 0 | 1) ok "local $name" ;; *) not_ok "local $name" "$(cat err)" ;; esac
    json "local $name in JSON" "o['local'] == '$name'"
  done
}

test_history() {
  exits "history" 0 solve known.hdf5 flat.hdf5 --history h.csv
  check "history header" test "$(head -1 h.csv)" = "file,method,iteration,seconds,error"
  check "history of both files" grep -q '^flat.hdf5,[a-z-]*,[0-9]*,[0-9.e+-]*,[0-9.e+-]*$' h.csv
  exits "history fb" 0 solve known.hdf5 --measure fb --history h.csv
  # shellcheck disable=SC2016
  check "history fb has numbers" awk -F, 'NR > 1 && $5 == "" {exit 1}' h.csv
  check "history never NaN" sh -c '! grep -qi nan h.csv'
  exits "without history" 0 solve --json hair.hdf5 --method gs --tol 1e-12 -j1
  cp out plain.json
  exits "with history, on two threads" 0 solve --json hair.hdf5 --method gs --tol 1e-12 -j2 --history h.csv
  json "history: the same answer" \
    'all(v == o[k] for k, v in json.load(open("plain.json")).items() if k[:7] not in ("seconds", "threads"))'
  json "history: the guess and every sweep" 'o["iterations"] > 20 and o["iterations"] + 2 <= len(open("h.csv").readlines())'
  refuses "history in no directory" 3 "nowhere/h.csv" solve known.hdf5 --history nowhere/h.csv
  refuses "history is a directory" 3 "$work" solve known.hdf5 --history "$work"
  [ -e /dev/full ] && refuses "history on a full disk" 3 "/dev/full" solve known.hdf5 --history /dev/full
  rm -f h.csv
  exits "bad input, history" 2 solve text.hdf5 --history h.csv
  check "bad input writes no history" test ! -e h.csv
}

test_save() {
  local before
  cp hair.hdf5 saved.hdf5
  exits "no solution" 0 info --json saved.hdf5
  json "info: none" 'o["solution"] is False and o["solution_error_rel"] is None'
  exits "save" 0 solve saved.hdf5 --save
  exits "info after save" 0 info --json saved.hdf5
  json "saved solution" 'o["solution"] is True and o["solution_error_rel"] <= 1e-6'
  exits "warm start" 0 solve saved.hdf5 --warm-start --json
  json "warm start is there" 'o["converged"] is True'
  before=$(cksum <saved.hdf5)
  exits "save, not converged" 1 solve saved.hdf5 --save --method gs --max-sweeps 1 --tol 1e-13
  check "nothing saved" test "$before" = "$(cksum <saved.hdf5)"
  exits "info of the known answer" 0 info --json known.hdf5
  json "known answer" 'o["solution_error_rel"] <= 1e-10 and o["form"] == "global" and o["d"] == 3'
  exits "info, text" 0 info hair.hdf5 flat.hdf5
  check "info, text: islands" test "$(grep -c 'islands' out)" -eq 2
  rm -f saved.hdf5
}

test_bad_files() {
  local file command code before
  mkdir folder.hdf5
  : >empty.hdf5
  echo "this is not HDF5" >text.hdf5
  head -c 3000 hair.hdf5 >cut.hdf5
  for file in empty text cut missing folder; do
    for command in solve info "bench friction"; do
      # shellcheck disable=SC2086
      "$skein" $command "$file.hdf5" >out 2>err
      code=$?
      case $code in 2 | 3) ok "$command $file" ;; *) not_ok "$command $file" "exit $code" ;; esac
      check "$command $file: one line" test "$(wc -l <err)" -eq 1
      check "$command $file: names it" grep -q "^skein: .*$file" err
      check "$command $file: no output" test ! -s out
    done
  done
  for file in empty text cut; do
    before=$(cksum <$file.hdf5)
    exits "solve --save $file" 2 solve --save $file.hdf5
    check "solve --save $file: untouched" test "$before" = "$(cksum <$file.hdf5)"
  done
  exits "bad and good" 2 solve text.hdf5 known.hdf5
  check "the good one is solved" grep -q "known.hdf5.* converged" out
}

test_bad_values() {
  refuses "unknown method" 2 "did you mean 'newton-ac'" solve known.hdf5 --method newton-a
  refuses "unknown local" 2 "did you mean 'secular'" solve known.hdf5 --local seculr
  refuses "local+other" 2 "+enum" solve known.hdf5 --local mfb+pac
  refuses "negative tol" 2 "--tol" solve known.hdf5 --tol -1
  refuses "tol nan" 2 "--tol" solve known.hdf5 --tol nan
  refuses "tol garbage" 2 "--tol" solve known.hdf5 --tol 1e-6x
  refuses "tol empty" 2 "--tol" solve known.hdf5 --tol ''
  refuses "sweeps" 2 "--max-sweeps" solve known.hdf5 --max-sweeps 0
  refuses "sweeps overflow" 2 "--max-sweeps" solve known.hdf5 --max-sweeps 99999999999999999999
  refuses "seconds" 2 "--max-seconds" solve known.hdf5 --max-seconds -3
  refuses "threads" 2 "--threads" solve known.hdf5 --threads -1
  refuses "form" 2 "--form" solve known.hdf5 --form dense
  refuses "accelerate" 2 "--accelerate" solve known.hdf5 --accelerate fast
  refuses "missing value" 2 "needs a value" solve known.hdf5 --tol
  refuses "value of a flag" 2 "takes no value" solve known.hdf5 --json=yes
  refuses "gen kind" 2 "did you mean 'hairlike'" gen hairlik -o x.hdf5
  refuses "gen no kind" 2 "hairlike" gen -o x.hdf5
  refuses "gen no output" 2 "-o FILE" gen hairlike
  refuses "gen mu" 2 "--mu" gen hairlike --mu -0.3 -o x.hdf5
  refuses "gen contacts" 2 "--contacts" gen hairlike --contacts ten -o x.hdf5
  refuses "gen one rod" 2 "rods is 1" gen hairlike --rods 1 -o x.hdf5
  refuses "gen seed" 2 "--seed" gen hairlike --seed -1 -o x.hdf5
  refuses "gen d" 2 "--d" gen manufactured --d 4 -o x.hdf5
  refuses "gen shares" 2 "open + stick" gen manufactured --open 0.8 --stick 0.8 -o x.hdf5
  refuses "gen hairlike --d" 2 "manufactured" gen hairlike --d 2 -o x.hdf5
  check "gen wrote nothing" test ! -e x.hdf5
  refuses "gen in no directory" 3 "nowhere/x.hdf5" gen hairlike --rods 4 -o nowhere/x.hdf5
  refuses "bench subject" 2 "friction" bench frictoin known.hdf5
  refuses "bench locals" 2 "did you mean 'mfb'" bench friction known.hdf5 --locals secular,mfc
}

test_bench() {
  mkdir set
  "$skein" gen hairlike --rods 6 --contacts 15 -o set/a.hdf5 >out 2>&1
  "$skein" gen manufactured --contacts 8 -o set/b.hdf5 >out 2>&1
  "$skein" gen manufactured --contacts 8 --d 2 -o set/c.hdf5 >out 2>&1
  exits "bench friction" 0 bench friction set --max-sweeps 200 --csv b.csv
  check "bench: 19 solvers x 3 problems" test "$(wc -l <b.csv)" -eq 58
  check "bench: columns" grep -q '%alt *%fail *%>tol *sweeps' out
  check "bench: tolerance of approximate solvers" grep -q '^pyramid4 *5e-02' out
  exits "bench, plot" 0 bench friction set/a.hdf5 --locals mfb+enum,secular,pyramid4 --max-sweeps 50 --plot b.svg
  if command -v gnuplot >/dev/null; then check "bench: SVG" grep -q '<svg' b.svg
  else ok "bench: SVG # skip no gnuplot"; fi
  mkdir bin
  PATH="$work/bin" "$skein" bench friction set/a.hdf5 --locals secular --plot none.svg >out 2>err
  check "bench without gnuplot exits 3" test $? -eq 3
  check "bench without gnuplot says so" grep -q 'gnuplot' err
  check "bench without gnuplot writes no SVG" test ! -e none.svg
  refuses "bench, no directory for CSV" 3 "nowhere" bench friction set/a.hdf5 --locals secular --csv nowhere/b.csv
}

test_validate() {
  exits "validate" 0 validate cantilever --model super-helix
  check "validate: verdicts" grep -q '^[1-9][0-9]* pass, 0 fail, 0 cannot$' out
  check "validate: matrix" grep -q '^cantilever  *pass' out
  exits "validate --list" 0 validate --list
  check "validate --list: 22 tests" test "$(wc -l <out)" -eq 22
  exits "validate: contacts" 0 validate stopping ball --model bodies,der
  check "validate: contacts pass" grep -q '^stopping  *pass  *pass' out
  exits "validate: frames" 0 validate frame
  check "validate: no frame matters" grep -q '^9 pass, 0 fail, 0 cannot$' out
  refuses "validate: no test of these models" 2 "none of these tests" validate ball --model der
  exits "validate --json" 0 validate frequencies helix --json --model super-helix,mass-spring,der-projection
  check "validate: valid JSON" "$python" -m json.tool out
  json "validate: JSON keys" '{"version", "pass", "fail", "cannot", "rows"} <= set(o) and o["fail"] == 0'
  json "validate: JSON rows" 'all({"test", "model", "case", "reference", "result", "error", "allowed", "verdict"}
    <= set(r) for r in o["rows"])'
  json "validate: JSON cannot" '[r["verdict"] for r in o["rows"] if r["test"] == "helix"][-2:] == ["cannot", "same"]'
  mv out first
  exits "validate, one thread" 0 validate frequencies helix --json -j 1 --model super-helix,mass-spring,der-projection
  check "validate: threads do not matter" cmp out first
  exits "validate --plot" 0 validate column --model super-helix,mass-spring --plot figures
  check "validate: script and data" test -s figures/buckling.gp -a -s figures/buckling.dat
  if command -v gnuplot >/dev/null; then check "validate: SVG and PNG" test -s figures/buckling.svg -a -s figures/buckling.png
  else ok "validate: SVG and PNG # skip no gnuplot"; fi
  PATH="$work/bin" "$skein" validate frequencies --model mass-spring --plot bare >out 2>err
  check "validate without gnuplot exits 3" test $? -eq 3
  check "validate without gnuplot says so" grep -q 'gnuplot' err
  refuses "validate: unknown test" 2 "did you mean 'cantilever'" validate cantilver
  refuses "validate: unknown model" 2 "did you mean 'super-helix'" validate --model superhelix
  refuses "validate: threads" 2 "--threads" validate -j many
  refuses "validate: no directory for plots" 3 "nowhere/figures" validate column --plot nowhere/figures
  refuses "validate: plots into a file" 3 "first" validate column --plot first
  rm -rf figures bare first
}

test_interrupt() {
  local pid code
  "$skein" gen hairlike --rods 150 -o large.hdf5 >out 2>&1
  set -m # a shell without job control starts background commands deaf to SIGINT
  "$skein" solve large.hdf5 --method gs --accelerate none --tol 1e-14 --max-sweeps 1000000 --max-seconds 30 >out 2>err &
  pid=$!
  set +m
  sleep 0.7
  kill -INT "$pid"
  wait "$pid"
  code=$?
  check "interrupt: exit 130" test "$code" -eq 130
  check "interrupt: prints what it has" grep -q "NOT CONVERGED" out
}

test_output() {
  [ -e /dev/full ] || return
  "$skein" solve known.hdf5 >/dev/full 2>err
  check "full stdout: exit 3" test $? -eq 3
}

make_problems
test_help
test_solve
test_methods
test_bad_files
test_history
test_save
test_bad_values
test_bench
test_validate
test_interrupt
test_output
check "no temporary file left" test -z "$(find . -regex '.*\.\(hdf5\|csv\|svg\)\..*')"

echo "$failures failures"
[ "$failures" -eq 0 ]
