"""`opyard/ListSchedule-v0`: which ready op an idle device takes, as time goes on."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

from opyard import _core
from opyard.envs.common import GraphChoice, MachineChoice, as_list
from opyard.envs.step_env import StepEnv


class ListScheduleEnv(StepEnv):
    """List scheduling at event time: the simulation stops wherever there is something to choose.

    A step starts one of the ops that are ready on an idle device; a device with a ready op is never
    left idle. With the task "placement", a step may instead choose the device of an op and of its
    group: of ops without inputs before they are ready, of others just before the first op that they
    read ends, when its transfers are offered. Steps with one legal action are skipped, but for the
    last start of an episode.

    An action is op * D + device with the task "placement" (D devices of the largest machine), else
    the op. Ops are indices of the graph. Where ops fuse, the one with the least topological index
    stands for its kernel.

    Observations differ in: `plan`, which has devices only; `current`, 0 for an op that waits for
    others, 1 for one that the next action may start or place, 2 for one that is ready on another
    device, or does not fit now, 3 while it runs, 4 when it is done; `device_load`, where q is what
    the running op still takes / T_ref; `device_memory`, where q is the bytes in use / the
    capacity; `progress`: ops started / ops, and q the time so far / T_ref. `info["makespan_s"]` is
    the time so far.

    The episode is that of `plan`: devices, op priorities in the order of the starts, and transfer
    priorities; `opyard.simulate` gives the same makespan. Where memory runs out while devices are
    chosen, it does not: parameters count from time 0.
    """

    def __init__(
        self,
        graph: GraphChoice | Iterable[GraphChoice] = "random:layered?n=64&seed=0",
        hardware: MachineChoice | Iterable[MachineChoice] = "p100x2-pcie",
        tasks: Sequence[str] = ("placement", "scheduling"),
        objective: str | Mapping[str, Mapping[str, float]] = "makespan",
        obs: str = "dict",
        reward: str = "sqrt",
        group: str | int = "none",
        mask: str = "forbidden",
        plans: Sequence[_core.Plan] = (),
        max_ops: int | None = None,
        max_edges: int | None = None,
        render_mode: str | None = None,
        fusion: str = "none",
        queue: str = "fifo",
        devices: Sequence[str] | None = None,
        cost_model: str = "roofline",
        noise: float = 0.0,
    ) -> None:
        """Makes the environment; arguments that are not listed are those of `PlacementEnv`.

        Args:
            graph: As of `PlacementEnv`.
            hardware: As of `PlacementEnv`.
            tasks: "scheduling", and "placement" if devices are chosen, too.
            objective: As of `PlacementEnv`.
            obs: As of `PlacementEnv`.
            reward: As of `PlacementEnv`. Before the end r is that of the time and the peak memory
                so far, 0 at the beginning: "improvement" adds up to -r, "shaped" to -sqrt(r).
            group: What gets a device together: by default co-located ops alone.
            mask: "full" also forbids devices without room for the group's parameters beside the
                most that they have held, as long as another has room.
            plans: Where devices are not chosen: the plan of each graph on each machine, the
                machines of a graph together, from which ops take their devices, and transfers and
                fusion their priorities; by default all is on the first accelerator. The option
                `plan` of `reset` comes before it, and before choosing.
            max_ops: As of `PlacementEnv`.
            max_edges: As of `PlacementEnv`.
            render_mode: As of `PlacementEnv`.
            fusion: "none"; "framework" only where devices are not chosen.
            queue: "order" for plans with the order of the starts in place of priorities; "fifo" and
                "priority" mean the same here, and "program", which leaves no choice, is refused.
            devices: As of `PlacementEnv`.
            cost_model: As of `PlacementEnv`.
            noise: As of `PlacementEnv`.

        Raises:
            opyard.InputError: An argument, graph or machine is not legal; machines with rules
                placeto, or, where devices are chosen, without a route or with `on_exceed: wait`,
                are an UnsupportedError.
        """
        graphs, machines = as_list(graph), as_list(hardware)
        env = _core.StepEnv(
            graphs,
            machines,
            kind="list_schedule",
            tasks=tasks,
            objective=objective,
            group=group,
            fusion=fusion,
            queue=queue,
            reward=reward,
            mask=mask,
            plans=plans,
            max_ops=max_ops,
            max_edges=max_edges,
            devices=devices,
            cost_model=cost_model,
            noise=noise,
        )
        super().__init__(env, graphs, machines, obs, render_mode)
