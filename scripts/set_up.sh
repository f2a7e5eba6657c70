# What a fresh machine lacks: Debian packages and .venv. Read by ../dev.

LIBRARIES=(coinor-libclp-dev libboost-dev libcli11-dev libgmock-dev libgtest-dev libmetis-dev libprotozero-dev
  libpugixml-dev librapidcheck-dev libscotch-dev libsqlite3-dev libssl-dev libyaml-cpp-dev nlohmann-json3-dev zlib1g-dev)
FUZZ_PACKAGES=(clang-16 libclang-rt-16-dev)
SLURM_PACKAGES=(slurmctld slurmd slurm-client)  # of which tests start one of their own
BROWSER_PACKAGES=(chromium fonts-dejavu-core poppler-utils)  # open and print pages in tests

# --- System packages ---

has_package() { [[ "$(dpkg-query -W -f='${Status}' "$1" 2>/dev/null)" == *' installed' ]]; }

has_cmake() {
  local version
  version=$(cmake --version 2>/dev/null | awk 'NR == 1 { print $3 }') || return 1
  [[ "$(printf '3.25\n%s\n' "$version" | sort -V | head -n 1)" == 3.25 ]]
}

# Prints a Python of version 3.11 or later that can make environments and compile modules.
find_python() {
  local candidate
  for candidate in python3.11 python3 /usr/bin/python3; do
    if "$candidate" - 2>/dev/null <<'EOF'; then
import ensurepip, os, sys, sysconfig, venv
header = os.path.join(sysconfig.get_path("include"), "Python.h")
sys.exit(sys.version_info < (3, 11) or not os.path.exists(header))
EOF
      command -v "$candidate"
      return 0
    fi
  done
  return 1
}

# Prints the names of Debian packages that are not there yet, among those given and our own.
missing_packages() {
  local package
  has_cmake || echo cmake
  ninja --version >/dev/null 2>&1 || echo ninja-build
  g++ --version >/dev/null 2>&1 || echo g++
  ccache --version >/dev/null 2>&1 || echo ccache
  find_python >/dev/null || printf '%s\n' python3 python3-dev python3-venv
  for package in "${LIBRARIES[@]}" "$@"; do
    has_package "$package" || echo "$package"
  done
}

# Installs what missing_packages names, where we may; otherwise says which line does it.
install_packages() {
  local missing as_root=()
  if ! command -v dpkg-query >/dev/null; then
    say "not a Debian system: ${LIBRARIES[*]} and cmake, ninja, g++ are yours to provide"
    return 0
  fi
  mapfile -t missing < <(missing_packages "$@")
  [[ ${#missing[@]} -gt 0 ]] || return 0
  if [[ $(id -u) -ne 0 ]]; then
    as_root=(sudo -n)
    sudo -n true 2>/dev/null || fail "run this first: sudo apt-get install -y ${missing[*]}"
  fi
  say "installing ${missing[*]}"
  "${as_root[@]}" apt-get -o Acquire::Retries=3 update -qq </dev/null
  "${as_root[@]}" env DEBIAN_FRONTEND=noninteractive \
    apt-get -o Acquire::Retries=3 install -y -qq --no-install-recommends "${missing[@]}" </dev/null >&2
}

# --- Python environment ---

make_environment() {
  local python
  python=$(find_python) || fail "needs Python 3.11 or later with venv and headers"
  # An environment holds its own path: one that was copied here from elsewhere is made anew.
  if [[ "$(cat "$VENV/stamp-root" 2>/dev/null)" != "$ROOT" ]] ||
    ! "$PYTHON" -m pip --version >/dev/null 2>&1; then
    say "making .venv with $("$python" --version)"
    "$python" -m venv --clear "$VENV"
    printf '%s' "$ROOT" >"$VENV/stamp-root"
  fi
}

# Runs a command unless it ran before and the files that it depends on are as they were then:
# when_changed STAMP FILE... -- COMMAND...
when_changed() {
  local stamp=$VENV/stamp-$1 files=() hash
  shift
  while [[ $1 != -- ]]; do
    files+=("$1")
    shift
  done
  shift
  hash=$(sha256sum "${files[@]}")
  if [[ ! -f $stamp || "$(<"$stamp")" != "$hash" ]]; then
    "$@"
    printf '%s' "$hash" >"$stamp"
  fi
}

install_requirements() {
  local name
  for name in "$@"; do
    when_changed "$name" "requirements/$name.txt" -- pip_install "requirements/$name.txt"
  done
}

# pip_install FILE [OPTION...] of pip.
pip_install() {
  say "installing $1 into .venv"
  "$PYTHON" -m pip install --quiet --disable-pip-version-check -r "$@" </dev/null
}

# Beside the packages of .venv: a folder of versions that do not fit in, which one test puts first on
# the path of a Python.
install_beside() { when_changed "$1" "requirements/$1.txt" -- fill_folder "$1"; }

fill_folder() {
  rm -rf "${VENV:?}/$1"
  pip_install "requirements/$1.txt" --no-deps --target "$VENV/$1"
}

# The environment sees the package as the build stages it, so nothing is compiled twice.
install_package() {
  local site
  OPYARD_METADATA_ONLY=true "$PYTHON" -m pip install --quiet --disable-pip-version-check \
    --no-deps --no-build-isolation --editable . </dev/null
  site=$("$PYTHON" -c 'import sysconfig; print(sysconfig.get_path("purelib"))')
  printf '%s\n' "$ROOT/build/dev/python" >"$site/opyard_staged.pth"
}

# --- All of it ---

# set_up_base [PACKAGE...]: what every command needs, and further Debian packages.
set_up_base() { timed set-up set_up_parts "$@"; }

set_up_parts() {
  install_packages "$@"
  make_environment
  install_requirements base report exact
  install_beside gymnasium-oldest
  when_changed package pyproject.toml -- install_package
}

set_up_torch() { timed PyTorch install_requirements torch layouts; }
# What only the tests of --all need.
set_up_rest() { timed 'packages of --all' set_up_rest_parts; }

set_up_rest_parts() {
  install_requirements wheel tracking ray browser programs
  install_beside mlflow
}

set_up_wheel() { timed 'wheel tools' install_requirements wheel; }
set_up_lint() { timed 'lint tools' install_requirements lint; }
