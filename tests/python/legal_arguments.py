"""Bad values, and the parameters that some of them are good for (bad_arguments.py)."""

from __future__ import annotations

from typing import Any

BAD: dict[str, Any] = {
    "None": None,
    "object": object(),
    "text": "text",
    "bytes": b"bytes",
    "list": [object()],
    "list of None": [None],
    "nan": float("nan"),
    "-1": -1,
    "2**60": 2**60,
}

# Bad values that are good for one parameter. Everything else must be refused.
TEXTS = {"text", "bytes"}
LEGAL: dict[str, set[str]] = {
    "Evaluator.__init__/evaluations": {"None"},
    "Evaluator.__init__/seconds": {"None"},
    "Graph.from_arrays/name": TEXTS,
    "Graph.from_arrays/op_names": {"None"},
    "Graph.from_arrays/op_seconds": {"None"},
    "Graph.from_arrays/op_types": {"None"},
    "GraphBuilder.__init__/name": TEXTS,
    "GraphBuilder.__init__/origin": TEXTS,
    "GraphBuilder.constant/name": TEXTS,
    "GraphBuilder.placeholder/name": TEXTS,
    "GraphBuilder.scope/name": TEXTS,
    "GraphBuilder.weight/name": TEXTS,
    "OneShotEnv.__init__/max_edges": {"None"},
    "OneShotEnv.__init__/max_ops": {"None"},
    "OneShotEnv.find_plan/action": set(BAD),  # None for what is illegal
    "OneShotEnv.reset/graph": {"None"},
    "OneShotEnv.reset/machine": {"None"},
    "OneShotEnv.reset/seed": {"None", "2**60"},
    "OneShotEnv.step/action": set(BAD),  # costs ten, and is no exception
    "StepEnv.__init__/devices": {"None"},
    "StepEnv.__init__/max_edges": {"None"},
    "StepEnv.__init__/max_ops": {"None"},
    "StepEnv.reset/graph": {"None"},
    "StepEnv.reset/machine": {"None"},
    "StepEnv.reset/plan": {"None"},
    "StepEnv.reset/seed": {"None", "2**60"},
    "StepEnv.step/action": set(BAD),
    "StepVectorEnv.__init__/max_episode_steps": {"None"},
    "StepVectorEnv.reset/graph": {"None"},
    "StepVectorEnv.reset/machine": {"None"},
    "StepVectorEnv.reset/plan": {"None"},
    "StepVectorEnv.reset/seeds": {"list of None"},
    "StepVectorEnv.step/actions": {"-1"},  # costs ten
    # NotImplemented, as Python wants it.
    **{f"{kind}.__eq__/other": set(BAD) for kind in ("Graph", "Machine", "Plan", "Problem")},
    **{
        f"{kind}.__eq__/self": {"None", "object"}
        for kind in ("Graph", "Machine", "Plan", "Problem")
    },
    "Problem.__init__/devices": {"None"},
    "OneShotEnv.__init__/devices": {"None"},
    "describe_start/start": TEXTS,
    "envs.OneShotEnv.__init__/devices": {"None"},
    "place/devices": {"None"},
    "Plan.__init__/queue": {"None"},
    "Plan.save/path": TEXTS,
    "Plan.trace/path": {"None", *TEXTS},
    "Problem.plan/fusion_priority": {"None"},
    "Problem.plan/op_priority": {"None"},
    "Problem.plan/placement": {"None"},
    "Problem.plan/queue": {"None"},
    "Scope.__exit__/error": set(BAD),
    "Scope.__exit__/kind": set(BAD),
    "Scope.__exit__/traceback": set(BAD),
    "classical_agents/python": {"None"},
    "classical_agents/why_not_learned": TEXTS,
    "envs.OneShotEnv.__init__/max_edges": {"None"},
    "envs.OneShotEnv.__init__/max_ops": {"None"},
    "envs.OneShotEnv.__init__/render_mode": {"None"},
    "envs.OneShotEnv.reset/options": {"None"},
    "envs.OneShotEnv.reset/seed": {"None", "2**60"},
    "envs.OneShotEnv.step/action": set(BAD),
    "experiment_with_new_names/matrix": TEXTS,  # what is no JSON stays as it is
    "experiment_with_new_names/resolved": TEXTS,
    "find_output_problem/path": TEXTS,
    "is_standard_output/path": TEXTS,
    "place/evaluations": {"None"},
    "place/params": {"None"},
    "place/reference": {"None", "2**60"},  # of an agent that learns, 2**60 s are refused
    "place/seconds": {"None"},
    "place/seed": {"2**60"},
    "read_graph/place": TEXTS,
    "read_graphml/name": TEXTS,
    "read_machine/place": TEXTS,
    "read_plan/place": TEXTS,
    "run_command_line/python": {"None"},
    "run_command_line/why_not_learned": TEXTS,
    "search/evaluations": {"None"},
    "search/reference": {"None", "2**60"},
    "search/seconds": {"None"},
    "search/seed": {"2**60"},
    "with_new_names/agent": TEXTS,
    "with_new_names/label": TEXTS,
    "write_graph/path": TEXTS,
    "write_output/data": {"bytes"},
    "write_output/path": TEXTS,
}
