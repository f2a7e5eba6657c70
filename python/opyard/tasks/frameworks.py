"""The configuration files of the frameworks that search for programs.

Written for OpenEvolve 0.4.1 and SkyDiscover 0.1.0.
"""

from __future__ import annotations

FRAMEWORKS = ("openevolve", "skydiscover")

_PROMPT = """\
  system_message: |
    You improve a Python function that places and orders the ops of a neural network's training
    step on a machine with several devices. The docstring of the file says what `graph` and
    `machine` hold and what a plan is. A simulator runs the plan: devices run one kernel at a time,
    links send one transfer at a time, memory is limited, and small ops that follow each other fuse.
    The score is the geometric mean over several networks and machines of the best known step time
    over that of your plan, so 1 is excellent and a failure anywhere is 0. Hidden networks and
    machines decide in the end: find a better algorithm, not constants for these workloads. Ideas:
    ranks by longest paths, fewer and earlier transfers, a weight beside its readers, balance
    against communication, local improvement with a model of the machine inside the time limit of
    {seconds:g} s per workload.
"""

_EVALUATOR = """\
evaluator:
  timeout: {timeout}
  max_retries: 0
  cascade_evaluation: true
  # A program that fails or is 20 times too slow on the small workloads is not run on all.
  cascade_thresholds: [0.05]
  parallel_evaluations: 1
"""

_OPENEVOLVE = """\
# OpenEvolve 0.4.1: openevolve-run initial_program.py evaluator.py --config config.yaml
max_iterations: 100
checkpoint_interval: 10
random_seed: 0
diff_based_evolution: true
max_code_length: 40000
llm:
  # Any server with the OpenAI interface; the key comes from OPENAI_API_KEY.
  api_base: "https://api.openai.com/v1"
  primary_model: "NAME-OF-YOUR-MODEL"
  temperature: 0.7
prompt:
{prompt}  include_artifacts: true
  max_artifact_bytes: 20480
database:
  population_size: 60
  archive_size: 20
  num_islands: 3
  random_seed: 0
"""

_SKYDISCOVER = """\
# SkyDiscover 0.1.0: skydiscover-run initial_program.py evaluator.py --config config.yaml
max_iterations: 100
checkpoint_interval: 10
random_seed: 0
diff_based_generation: true
llm:
  # PROVIDER/MODEL; the key comes from the provider's variable. Of a local server the name that it
  # has there, its address below, and any text as OPENAI_API_KEY.
  models:
    - name: "NAME-OF-YOUR-MODEL"
      # api_base: "http://localhost:8000/v1"
      weight: 1.0
  temperature: 0.7
prompt:
{prompt}search:
  type: adaevolve
"""


def config_text(framework: str, seconds: float, num_workloads: int) -> str:
    """The text of `config.yaml`.

    Args:
        framework: One of `FRAMEWORKS`.
        seconds: The time limit of a program for each workload.
        num_workloads: How many are run; the framework waits longer than all of them may take.
    """
    template = _OPENEVOLVE if framework == "openevolve" else _SKYDISCOVER
    timeout = int(60 + num_workloads * (seconds + 5))
    prompt = _PROMPT.format(seconds=seconds)
    return (template + _EVALUATOR).format(prompt=prompt, timeout=timeout)
