# Long experiments in pieces, in the background. Read by ../dev.

RUNS_MOST_BYTES=$((5 * 1024 * 1024)) # of a piece's store, which is kept and joined
RUNS_MOST_MINUTES=90                 # of a piece

# What runs and reads experiments; tests put their own in its place.
opyard() { ${OPYARD_COMMAND:-"$VENV/bin/opyard"} "$@"; }

runs_usage() {
  fail "runs start EXPERIMENT [--pieces N] [--minutes M] [--out DIR] [-- OPTION OF opyard run...]
     runs status DIR
     runs collect DIR [--out DIR]"
}

command_runs() {
  local what=${1:-}
  [[ $# -eq 0 ]] || shift
  case $what in
    start | status | collect | drive) "runs_$what" "$@" ;;
    *) runs_usage ;;
  esac
}

# --- start ---

runs_start() {
  local experiment=${1:-} pieces=4 minutes=$RUNS_MOST_MINUTES folder=''
  [[ -n $experiment && $experiment != -* ]] || runs_usage
  shift
  while [[ $# -gt 0 && $1 != -- ]]; do
    [[ $# -ge 2 ]] || runs_usage
    case $1 in
      --pieces) pieces=$2 ;;
      --minutes) minutes=$2 ;;
      --out) folder=$2 ;;
      *) runs_usage ;;
    esac
    shift 2
  done
  [[ $# -eq 0 ]] || shift
  [[ $pieces =~ ^[1-9][0-9]{0,3}$ ]] || fail "--pieces: found $pieces, expected 1 to 9999"
  [[ $minutes =~ ^[1-9][0-9]?$ && $minutes -le $RUNS_MOST_MINUTES ]] ||
    fail "--minutes: found $minutes, expected 1 to $RUNS_MOST_MINUTES"
  folder=${folder:-results/$(basename "$experiment" .yaml)-pieces}
  mkdir -p "$folder" || fail "$folder: cannot make this folder"
  runs_is_free "$folder" || fail "$folder: these runs go on already; ./dev runs status $folder"
  runs_remember "$folder" "$experiment" "$pieces" "$minutes" "$@"
  [[ -n ${OPYARD_COMMAND:-} ]] || { set_up_base && set_up_torch && build dev opyard_program opyard_python; }
  nohup setsid nice -n 15 bash "$ROOT/dev" runs drive "$folder" >>"$folder/log" 2>&1 </dev/null &
  say "pieces 1 to $pieces run in the background, $minutes minutes each at most; log in $folder/log"
}

# True if nobody drives the runs of a folder.
runs_is_free() { flock --nonblock "$1" true; }

# Writes down what is run, and refuses to go on with something else.
runs_remember() {
  local folder=$1 asked
  shift
  asked=$(printf '%q ' "$@")
  if [[ -f $folder/asked && "$(<"$folder/asked")" != "$asked" ]]; then
    fail "$folder: holds pieces of: $(<"$folder/asked")
     asked for: $asked
     give other pieces another --out"
  fi
  printf '%s' "$asked" >"$folder/asked"
}

# --- the background ---

# Runs one piece after the other; what is stopped is gone on with by the next start.
runs_drive() {
  local folder=$1 asked experiment pieces minutes piece status
  exec 9<"$folder"
  flock --nonblock 9 || fail "$folder: these runs go on already"
  eval "asked=($(<"$folder/asked"))"
  experiment=${asked[0]} pieces=${asked[1]} minutes=${asked[2]}
  for ((piece = 1; piece <= pieces; ++piece)); do
    if runs_is_done "$folder/piece-$piece"; then
      continue
    fi
    printf '%s piece %d of %d begins\n' "$(date -Is)" "$piece" "$pieces"
    status=0
    runs_piece "$folder" "$piece" "$pieces" "$minutes" "$experiment" "${asked[@]:3}" || status=$?
    case $status in
      0) status='is finished' ;;
      124 | 130) status="was stopped after $minutes minutes; the next start goes on with it" ;;
      *) status="failed with status $status" ;;
    esac
    printf '%s piece %d of %d %s\n' "$(date -Is)" "$piece" "$pieces" "$status"
  done
}

runs_piece() {
  local folder=$1 piece=$2 pieces=$3 minutes=$4 experiment=$5
  shift 5
  timeout --signal=INT --kill-after=60 "${minutes}m" ${OPYARD_COMMAND:-"$VENV/bin/opyard"} \
    run "$experiment" --shard "$piece/$pieces" --out "$folder/piece-$piece" --resume "$@" 9<&-
}

# True if a piece has all of its runs.
runs_is_done() {
  [[ -f $1/results.sqlite ]] &&
    opyard results list "$1" --json | grep -q '"missing":0[,}]'
}

# --- status and collect ---

runs_folder() {
  [[ $# -ge 1 && -f $1/asked ]] || fail "${1:-nothing}: found no runs here; ./dev runs start makes them"
}

runs_stores() { find "$1" -path "$1/piece-*/results.sqlite" -printf '%h\n' | sort -V; }

runs_status() {
  runs_folder "$@"
  local stores
  printf 'asked for: %s\n' "$(<"$1/asked")"
  if runs_is_free "$1"; then echo 'nothing runs now'; else echo 'runs now'; fi
  mapfile -t stores < <(runs_stores "$1")
  [[ ${#stores[@]} -eq 0 ]] || opyard results list "${stores[@]}"
  [[ ! -s $1/log ]] || { echo; tail -n 5 "$1/log"; }
}

# Joins what the pieces hold by now, finished or not, and simulates every plan again.
runs_collect() {
  runs_folder "$@"
  local folder=$1 out=$1/joined store bytes stores
  shift
  if [[ $# -gt 0 ]]; then
    [[ $# -eq 2 && $1 == --out ]] || runs_usage
    out=$2
  fi
  mapfile -t stores < <(runs_stores "$folder")
  [[ ${#stores[@]} -gt 0 ]] || fail "$folder: found no store yet; ./dev runs status $folder"
  for store in "${stores[@]}"; do
    bytes=$(stat -c %s "$store/results.sqlite")
    [[ $bytes -le $RUNS_MOST_BYTES ]] ||
      say "warning: $store holds $bytes bytes, more than the $RUNS_MOST_BYTES that are kept: take more pieces"
  done
  opyard results merge "${stores[@]}" --out "$out"
  opyard validate "$out"
}
