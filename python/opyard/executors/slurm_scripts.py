r"""The texts of Slurm scripts.

A job stops itself before its time ends: Slurm sends USR1 (`--signal=B:USR1@SECONDS`) to the script,
which passes TERM to opyard and has the job queued again. A job in which no run ended, or which did
not save a state, is not queued again: it would do so for ever.
"""

from __future__ import annotations

import re
import shlex
from collections.abc import Sequence
from pathlib import Path
from string import Template

from opyard.executors.described import OPYARD, Experiment
from opyard.executors.folders import FILES
from opyard.executors.pieces import Pieces
from opyard.executors.request import Request

_MINUTES = 60  # of a job, where the user does not say it
_NOTICE_SECONDS = 120  # before its end

_HEAD = Template("""#!/usr/bin/env bash
# Written by `opyard $subcommand --executor slurm`; the same command with --resume writes it anew.
#SBATCH --job-name=$name
#SBATCH --time=$minutes
#SBATCH --ntasks=1
#SBATCH --cpus-per-task=$cpus
#SBATCH --open-mode=append
#SBATCH --requeue
$options
set -uo pipefail
cd -- $folder || exit 2
opyard() { $opyard "$$@"; }
""")

# Runs "$@" and stops it before the time ends. Needs the function `state`, which prints something
# else as soon as the work has got on, and `job`, the number by which the job is queued again.
_WORK = Template("""
work() {
  local before child status=0
  before=$$(state)
  $opyard "$$@" &
  child=$$!
  stopped=0
  trap 'stopped=1; kill -TERM "$$child" 2>/dev/null' USR1
  trap 'kill -TERM "$$child" 2>/dev/null' TERM INT
  wait "$$child" || status=$$?
  while kill -0 "$$child" 2>/dev/null; do
    status=0
    wait "$$child" || status=$$?
  done
  trap - USR1 TERM INT
  [[ $$stopped -eq 1 ]] || return "$$status"
  if [[ "$$(state)" == "$$before" ]]; then
    echo "nothing was finished within the job's time: expected a longer --time-limit" >&2
    return 1
  fi
  scontrol requeue "$$job" && return
  echo "job $$job is not queued again: expected a Slurm that allows it, without --no-requeue" >&2
  echo "the same command with --resume goes on" >&2
  return 1
}
""")

_PIECES = Template("""#SBATCH --array=$array
#SBATCH --signal=B:USR1@$notice
""")

_PIECES_WORK = Template("""
piece=$${SLURM_ARRAY_TASK_ID:?this script is for sbatch, which numbers the pieces}
job=$${SLURM_ARRAY_JOB_ID:-0}_$$piece
out=$pieces/piece-$$piece

# How many runs are missing; nothing before the store is there.
state() {
  [[ -s "$$out/results.sqlite" ]] || return 0
  opyard results list "$$out" --json 2>/dev/null | sed -n 's/.*"missing":\\([0-9]*\\).*/\\1/p'
}

if [[ "$$(state)" == 0 ]]; then
  echo "piece $$piece of $count is finished"
  exit 0
fi
work run $experiment --shard "$$piece/$count" --out "$$out" --resume --quiet$options
""")

_JOIN_WORK = Template("""
stores=()
for ((piece = 1; piece <= $count; ++piece)); do
  [[ ! -s $pieces/piece-$$piece/results.sqlite ]] || stores+=($pieces/piece-"$$piece")
done
for ((first = 0; first < $${#stores[@]}; first += 500)); do
  joined=$$(opyard results merge "$${stores[@]:first:500}" --out $results --json) || exit
done
missing=$$(sed -n 's/.*"missing":\\([0-9]*\\).*/\\1/p' <<<"$${joined:-}")
if [[ "$$missing" != 0 ]]; then
  echo "$${missing:-all} runs are missing; these commands go on with their pieces:" >&2
  printf '%s\\n'$again >&2
  exit 1
fi
opyard $subcommand $experiment --out $results --resume --quiet$options
""")

_PREPARATION_WORK = Template("""
job=$${SLURM_JOB_ID:-0}

# When the state was saved last; nothing before that.
state() { stat -c %Y-%s -- $state 2>/dev/null; }

work $subcommand $experiment --out $results --resume --quiet$options
""")


def pieces_script(
    request: Request, experiment: Experiment, pieces: Pieces, missing: Sequence[int]
) -> str:
    """The array job of the pieces `missing`, which goes on with what they have."""
    at_once = request.options.at_once
    array = array_text(missing) + (f"%{at_once}" if at_once else "")
    more = _PIECES.substitute(array=array, notice=_NOTICE_SECONDS)
    options = [*request.changes(), *request.plugins(), *request.tracking()]
    options += ["--threads", str(request.cpus)]
    if request.options.jobs is not None:
        options += ["--jobs", str(request.options.jobs)]
    work = _PIECES_WORK.substitute(
        pieces=_path(pieces.folder),
        count=pieces.count,
        experiment=shlex.quote(request.options.experiment),
        options=_after(options),
    )
    return _head(request, experiment, more) + _work() + work


def join_script(request: Request, experiment: Experiment, pieces: Pieces) -> str:
    """The job that joins the pieces and prints the table of the whole experiment."""
    again = ["opyard", *request.local_words(pieces.results), *request.executor_words()]
    lines = [shlex.join(words) for words in (["cd", str(request.folder)], again)]
    work = _JOIN_WORK.substitute(
        subcommand=request.subcommand,
        count=pieces.count,
        pieces=_path(pieces.folder),
        results=_path(pieces.results),
        again=_after(lines),
        experiment=shlex.quote(request.options.experiment),
        options=_after([*request.changes(), *request.plugins()]),
    )
    return _head(request, experiment, "") + work


def preparation_script(request: Request, experiment: Experiment) -> str:
    """The job of a training or a tuning, which goes on with its state."""
    options = [*request.changes(), *request.choices(), *request.plugins(), *request.tracking()]
    work = _PREPARATION_WORK.substitute(
        subcommand=request.subcommand,
        experiment=shlex.quote(request.options.experiment),
        results=_path(experiment.results),
        state=_path(experiment.results / FILES[request.subcommand][0]),
        options=_after([*options, "--threads", str(request.cpus)]),
    )
    more = f"#SBATCH --signal=B:USR1@{_NOTICE_SECONDS}\n"
    return _head(request, experiment, more) + _work() + work


def array_text(numbers: Sequence[int]) -> str:
    """Sorted numbers as `sbatch --array` takes them: "1-4,7"."""
    runs: list[list[int]] = []
    for number in numbers:
        if runs and number == runs[-1][1] + 1:
            runs[-1][1] = number
        else:
            runs.append([number, number])
    return ",".join(str(a) if a == b else f"{a}-{b}" for a, b in runs)


def _head(request: Request, experiment: Experiment, more: str) -> str:
    given = "".join(f"#SBATCH {line}\n" for line in request.options.slurm_option)
    return _HEAD.substitute(
        subcommand=request.subcommand,
        name=re.sub(r"[^A-Za-z0-9_.-]", "_", experiment.name),
        minutes=request.options.time_limit or _MINUTES,
        cpus=request.cpus,
        options=more + given,
        folder=_path(request.folder),
        opyard=shlex.join(OPYARD),
    )


def _work() -> str:
    return _WORK.substitute(opyard=shlex.join(OPYARD))


def _path(path: Path) -> str:
    return shlex.quote(str(path.absolute()))


def _after(words: Sequence[str]) -> str:
    return "".join(f" {word}" for word in map(shlex.quote, words))
