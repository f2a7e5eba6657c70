# What tools can say of the sources without a test. Read by ../dev.

# --- Lint ---

cpp_files() {
  local folder folders=()
  for folder in sim graphs env agents experiments bindings examples tests; do
    [[ ! -d $folder ]] || folders+=("$folder")
  done
  find "${folders[@]}" \( -name '*.h' -o -name '*.cc' \) -print0
}

lint_tidy() {
  cpp_files | grep -z '\.cc$' | xargs -0 -n 1 -P "$JOBS" "$VENV/bin/clang-tidy" -p build/dev --quiet
}

fix_format() {
  cpp_files | xargs -0 -r "$VENV/bin/clang-format" -i
  "$VENV/bin/ruff" check --fix --quiet . || true # the check after it lists what is left
  "$VENV/bin/ruff" format --quiet .
}

lint_format() { cpp_files | xargs -0 -r "$VENV/bin/clang-format" --dry-run --Werror; }

lint_lengths() {
  "$VENV/bin/lizard" -L 60 -C 15 --warnings_only --exclude './build/*' --exclude './.venv/*' .
}

run_lint() {
  run_suite clang-format '' lint_format
  run_suite ruff '' "$VENV/bin/ruff" check --quiet .
  run_suite 'ruff format' '' "$VENV/bin/ruff" format --check --quiet .
}
