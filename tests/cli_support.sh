# What the tests of the command share; sourced by them with SKEIN as $1. They run in an empty folder of their own.
set -u
skein=$(realpath "$1") || exit 2
python=/usr/bin/python3
work=$(mktemp -d) || exit 2
trap 'rm -rf "$work"' EXIT
failures=0
export OMP_WAIT_POLICY=passive # tests share the machine

ok() { echo "ok $1"; }
not_ok() { echo "not ok $1${2:+: $2}"; failures=$((failures + 1)); }

check() { # check NAME COMMAND...: the command succeeds
  local name=$1
  shift
  if "$@" >log 2>&1; then ok "$name"; else not_ok "$name" "$(tail -c 400 log)"; fi
}

exits() { # exits NAME CODE ARGUMENTS...: skein exits with CODE; its output is in out and err
  local name=$1 expected=$2 code
  shift 2
  "$skein" "$@" >out 2>err </dev/null
  code=$?
  if [ "$code" -eq "$expected" ]; then ok "$name"
  else not_ok "$name" "exit $code, expected $expected: $(head -c 300 err)"; fi
}

says() { # says NAME FILE TEXT
  if grep -qF -- "$3" "$2"; then ok "$1"; else not_ok "$1" "'$3' is not in: $(head -c 300 "$2")"; fi
}
