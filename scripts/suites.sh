# Builds, and the suites that run what was built. Read by ../dev.
#
# Each adds a line for the tally (.ci/tally.py) to RESULTS: a suite NAME=STATUS=SECONDS[=REPORT],
# any other step NAME==SECONDS.

RESULTS=()

# --- Builds ---

# timed NAME COMMAND...: a step that is no suite, for the tally.
timed() {
  local name=$1 start=$SECONDS
  shift
  "$@"
  RESULTS+=("$name==$((SECONDS - start))")
}

# Configures the preset $1 and builds the targets that follow.
build() { timed "build $*" build_preset "$@"; }

build_preset() {
  local preset=$1 log=build/$1.log
  shift
  mkdir -p build
  say "building $preset: $*"
  if ! cmake --preset "$preset" >"$log" 2>&1; then
    cat "$log" >&2
    fail "cmake --preset $preset failed"
  fi
  cmake --build --preset "$preset" -j "$JOBS" --target "$@" >&2
}

# --- Suites ---

# run_suite NAME REPORT COMMAND...; REPORT may be empty. Never ends the script: the tally does.
run_suite() {
  local name=$1 report=$2 start=$SECONDS status=0
  shift 2
  [[ -z $report ]] || rm -f "$report"
  say "$name"
  "$@" </dev/null || status=$?
  RESULTS+=("$name=$status=$((SECONDS - start))${report:+=$report}")
}

run_ctest() {
  local preset=$1 report=$ROOT/build/$1.junit.xml
  shift
  run_suite "ctest $preset" "$report" ctest --preset "$preset" -j "$JOBS" --timeout 300 \
    --no-tests=error --output-junit "$report" "$@"
}

run_fast_ctest() {
  say "without the tests labelled slow, which ./dev test --all runs:"
  ctest --preset dev -N -L slow | tail -1 >&2
  run_ctest dev -LE slow
}

# run_pytest [OPTION...] of pytest. As many files at a time as there are cores.
run_pytest() {
  local report=$ROOT/build/pytest.junit.xml
  run_suite pytest "$report" "$PYTHON" -m pytest -q -n "$JOBS" --dist loadfile --junitxml="$report" "$@"
}

# The address and undefined-behaviour sanitizers over what reads strangers' files, and over what it
# is made of: sim, env, and of the graphs the importers.
run_address_sanitizer() {
  local importers
  importers=$(grep -rhoP '^TEST(_[FP])?\(\K\w+' tests/graphs/importers | sort -u | paste -sd '|')
  build asan sim_tests env_tests graphs_tests
  run_ctest asan -R "^(sim|env)\.|^graphs\.([A-Za-z]+/)?($importers)\."
}

# The thread sanitizer over all that threads share: batches, the pool, the matrix of runs.
run_thread_sanitizer() {
  build tsan threads_tests
  run_ctest tsan -R '^threads\.'
}

# What users of C++ do: tests/install.sh, on the build that is there.
run_installed() { run_suite installed '' tests/install.sh build/dev; }

# What users of wheels do: tests/wheel.sh, on the build that is there.
run_wheels() { run_suite wheels '' tests/wheel.sh build/dev; }

# --- Fuzzing ---

# run_fuzzers SECONDS: each of them, as many at a time as there are cores.
run_fuzzers() {
  local fuzzers=() fuzzer
  build asan fuzzers
  mapfile -t fuzzers < <(find build/asan -type f -name '*_fuzzer' -perm -u+x | sort)
  [[ ${#fuzzers[@]} -gt 0 ]] || fail "tests/fuzz built no *_fuzzer"
  for fuzzer in "${fuzzers[@]}"; do
    while [[ $(jobs -rp | wc -l) -ge $JOBS ]]; do wait -n || true; done
    run_fuzzer "$1" "$fuzzer" &
  done
  wait
  for fuzzer in "${fuzzers[@]}"; do RESULTS+=("$(<"$fuzzer.result")"); done
}

# Leaves the line for the tally in a file: it runs in a shell of its own.
run_fuzzer() {
  local seconds=$1 fuzzer=$2 name seeds
  name=$(basename "$fuzzer" _fuzzer)
  mapfile -t seeds < <(seeds_of "$name")
  mkdir -p "build/asan/fuzz/corpus/$name"
  run_suite "fuzz $name" '' show_if_failed "build/asan/fuzz/$name.log" "$fuzzer" \
    "build/asan/fuzz/corpus/$name" "${seeds[@]}" "-max_total_time=$seconds" -timeout=10 \
    -rss_limit_mb=2048 -print_final_stats=1 "-artifact_prefix=build/asan/fuzz/"
  printf '%s\n' "${RESULTS[-1]}" >"$fuzzer.result"
}

# Folders of real inputs: what is shipped, and tests/fuzz/corpus.
seeds_of() {
  case $1 in
    device_yaml) echo hardware_profiles/devices ;;
    machine_yaml) echo hardware_profiles/machines ;;
    experiment_yaml) echo experiments/configs ;;
  esac
  [[ ! -d tests/fuzz/corpus/$1 ]] || echo "tests/fuzz/corpus/$1"
}

# show_if_failed LOG COMMAND...
show_if_failed() {
  local log=$1 status=0
  shift
  "$@" >"$log" 2>&1 || status=$?
  [[ $status -eq 0 ]] || tail -n 60 "$log" >&2
  return "$status"
}

# --- The sum ---

tally() { python3 .ci/tally.py "${RESULTS[@]}" "in all==$SECONDS"; }
