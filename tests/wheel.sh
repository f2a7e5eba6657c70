#!/usr/bin/env bash
# The wheels of a build in an empty environment without a compiler: makes them of BUILD, installs
# them as a user would, first without PyTorch, and runs what the README promises.
#
#   tests/wheel.sh BUILD
set -euo pipefail

root=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)
build=$(cd "$1" && pwd)
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
unset OPYARD_DATA OPYARD_PLUGINS PYTHONPATH

fail() {
  printf 'tests/wheel.sh: %s\n' "$*" >&2
  exit 1
}

say() { printf 'wheel: %s\n' "$*" >&2; }

# bare COMMAND...: with nothing on the path but the environment: no compiler, no cmake.
bare() { env PATH="$work/env/bin" "$@" </dev/null; }

# expect TEXT COMMAND...: the command's output holds the text.
expect() {
  local text=$1 output
  shift
  output=$(bare "$@" 2>&1) || fail "$* ended with $?: $output"
  [[ $output == *"$text"* ]] || fail "$*: found \"$output\", expected \"$text\" in it"
}

# Each library comes with the wheels, or with every Linux (PEP 600 lists them).
check_libraries() {
  local library found
  while IFS= read -r library; do
    found=$(ldd "$library" | grep -vE "$work/env/|linux-vdso|ld-linux|lib(c|m|dl|rt|pthread|z|gcc_s|stdc\+\+)\.so" || true)
    [[ -z $found ]] || fail "$library needs what no wheel has: $found"
  done < <(find "$work"/env/lib/python*/site-packages/opyard* -name '*.so*' -type f)
}

install() { bare python -m pip install --quiet --disable-pip-version-check "$@"; }

"$root/.venv/bin/python" "$root/scripts/make_wheels.py" "$build" "$work/dist"
"$("$root/.venv/bin/python" -c 'import sys; print(sys._base_executable)')" -m venv "$work/env"
cd "$work"

say "opyard alone"
install dist/opyard-*.whl
check_libraries
[[ -z $(bare python -c 'import importlib.util as u; print(u.find_spec("torch") or "")') ]] ||
  fail "the wheel without learned agents brought PyTorch"
expect "opyard-learned" opyard agents show go
expect "extra report" opyard doctor
expect "opyard/data/docs" opyard doctor
expect "machines can be read" opyard doctor
bare opyard run quickstart --out results/alone --quiet --set 'agents=[single_device, metis, brkga]' \
  --set budget.evaluations=100 >/dev/null
expect "Speed-up over" opyard compare results/alone

say "with opyard-learned and the report"
install dist/opyard_learned-*.whl dist/opyard-*.whl "$(echo dist/opyard-*.whl)[report]"
check_libraries
expect "LibTorch" opyard doctor
expect "step time" opyard place --agent go-zeroshot --graph inception_v3 --hardware p100x2-pcie \
  --evaluations 4
bare opyard run quickstart --out results/quickstart --quiet --set 'seeds=[0]' >/dev/null
bare opyard validate results/quickstart >/dev/null
bare opyard compare results/quickstart --out report >/dev/null
[[ -s report/report.html ]] || fail "compare --out wrote no report.html"
examples=$(bare python -c 'import opyard; print(opyard._core.data_root() / "examples")')
bare python "$examples/train/ppo_placement.py" --total-steps 1536 >ppo.txt || fail "$(<ppo.txt)"
say "$(tail -1 ppo.txt)"
