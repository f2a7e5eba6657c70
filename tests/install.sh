#!/usr/bin/env bash
# An installed opyard from outside: installs the build BUILD, moves the installation, and builds and
# runs examples/cpp against it, as a user would who has nothing of this tree.
#
#   tests/install.sh BUILD
set -euo pipefail

root=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)
build=$(cd "$1" && pwd)
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
unset OPYARD_DATA OPYARD_PLUGINS

fail() {
  printf 'tests/install.sh: %s\n' "$*" >&2
  exit 1
}

# expect TEXT COMMAND...: the command's output holds the text.
expect() {
  local text=$1 output
  shift
  output=$("$@" 2>&1) || fail "$* ended with $?: $output"
  [[ $output == *"$text"* ]] || fail "$*: found \"$output\", expected \"$text\" in it"
}

# refused TEXT COMMAND...: it ends with status 2 and one line that holds the text.
refused() {
  local text=$1 output status=0
  shift
  output=$("$@" 2>&1) || status=$?
  [[ $status -eq 2 && $output == *"$text"* && $output != *$'\n'* ]] ||
    fail "$*: found status $status and \"$output\", expected 2 and \"$text\""
}

check_files() {
  local installed=$1 found
  [[ ! -e $installed/opyard && -z $(find "$installed" -name '*.py' -o -name '_core*') ]] ||
    fail "the Python package was installed, too"
  found=$(grep -rlF -e "$root" -e "$build" "$installed/include" "$installed/lib/cmake" || true)
  [[ -z $found ]] || fail "these name a folder of this tree: $found"
  # Packages stay behind their fences; only boost_graph.h, for those who want it, shows one.
  found=$(grep -rlE '#include <(boost|nlohmann|CLI|yaml-cpp|torch|pugixml|sqlite3|protozero|openssl)' \
    "$installed/include" | grep -v '/boost_graph\.h$' || true)
  [[ -z $found ]] || fail "these headers show a package: $found"
}

cmake --install "$build" --prefix "$work/first" >"$work/install.log" || fail "$(<"$work/install.log")"
mv "$work/first" "$work/opyard"
check_files "$work/opyard"

cp -r "$root/examples/cpp" "$work/mine"
cd "$work/mine"
cmake -S . -B build -DCMAKE_PREFIX_PATH="$work/opyard" -DCMAKE_BUILD_TYPE=Release >"$work/log" 2>&1 ||
  fail "$(<"$work/log")"
cmake --build build -j 2 >"$work/log" 2>&1 || fail "$(<"$work/log")"

# fork.cc derives the 10 and 8 ms.
expect $'on one card:  10 ms\nc on another: 8 ms' build/fork hardware/machines/pair.yaml
refused 'nowhere.yaml' build/fork nowhere.yaml

opyard=$work/opyard/bin/opyard
plugin=build/least_loaded.so
expect "$work/opyard/share/opyard" "$opyard" doctor --plugin "$plugin"
expect least_loaded "$opyard" agents list --plugin "$plugin"
place=("$opyard" place --graph fork.graph.json --hardware hardware/machines/pair.yaml --agent
  least_loaded)
# b goes to the idle card, c behind a: 2 + 5 ms, while b ends after 2 + 1 + 3 ms.
expect 'step time 7.000 ms' "${place[@]}" --plugin "$plugin"
expect 'step time 10.000 ms' env OPYARD_PLUGINS="$plugin" "${place[@]}" --param devices=1
refused 'agent "least_loaded" does not exist' "${place[@]}"
refused 'exports no opyard_plugin' "$opyard" agents list --plugin "$work/opyard/lib/libopyard.so"

# The package's own library serves the plugin: one copy in the process.
if compgen -G "$build/python/opyard/_core*.so" >/dev/null; then
  expect 'step time 7.000 ms' "$root/.venv/bin/opyard" "${place[@]:1}" --plugin "$plugin"
fi
