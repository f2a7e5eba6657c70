"""Places and orders the ops of one training step on a machine with several devices.

`place(graph, machine)` is called once for each workload, in a process of its own, and returns a
plan. A simulator runs the plan; less time is better. Python's standard library and numpy are there.
Threads, other processes, the network and files outside the current folder are not.

graph, a dict of plain lists; ops have indices from 0, and edges lead from producers to readers:
  num_ops            how many ops
  names, types       a text for each op, such as "layer3/MatMul" and "MatMul"
  phases             "forward", "backward", "update" or "unknown" for each op
  seconds            seconds[op][device]: what the op takes there, alone
  edges              dicts with "src" and "dst" (ops), "bytes", and "tensor": edges of one tensor
                     to one device cost one transfer
  control_edges      pairs [first, second] of ops that are ordered without a transfer
  topological_order  all ops, each after those that it waits for
  parameter_bytes    bytes that stay on the op's device for the whole step
  groups             a number for each op: ops of one group have to be on one device
  allowed            the devices that each op may be on

machine, a dict:
  num_devices        how many devices
  names              a text for each device
  memory_bytes       the memory of each device; a plan that needs more fails
  latency            latency[a][b] in seconds, and
  seconds_per_byte   seconds_per_byte[a][b]: a transfer of n bytes from a to b takes
                     latency[a][b] + n * seconds_per_byte[a][b] once its links are free
  links              dicts with "name", "between" (devices and switches), "bytes_per_second"; most
                     machines send one transfer at a time over each link and direction

The plan, a dict:
  placement          the device of each op
  priority           optional: an int for each op; of the ops that are ready, a device takes that
                     of the highest priority. Without it, the one that was ready first.
  order              optional, instead of priority: for each device the list of its ops in the
                     order of their start
Small ops that follow each other on one device run fused, as one kernel.
"""

# EVOLVE-BLOCK-START
SLOWER = 2.0  # transfers take longer than alone, since they wait for each other


def place(graph, machine):
    """List scheduling: by the longest path to the end, each group where its first op ends first."""
    incoming, outgoing = edges_by_op(graph)
    by_rank = ops_by_rank(graph, machine, outgoing)
    placement = devices_of_ops(graph, machine, incoming, by_rank)
    priority = [0] * graph["num_ops"]
    for p, i in enumerate(by_rank):
        priority[i] = graph["num_ops"] - p
    return {"placement": placement, "priority": priority}


def edges_by_op(graph):
    """The edges into and out of each op; control edges carry no bytes."""
    incoming = [[] for _ in range(graph["num_ops"])]
    outgoing = [[] for _ in range(graph["num_ops"])]
    control = [{"src": a, "dst": b, "bytes": 0} for a, b in graph["control_edges"]]
    for edge in graph["edges"] + control:
        incoming[edge["dst"]].append(edge)
        outgoing[edge["src"]].append(edge)
    return incoming, outgoing


def ops_by_rank(graph, machine, outgoing):
    """Ops by falling rank: the longest path to the end with its transfers, in mean times.

    An op never comes before one that it waits for.
    """
    devices = range(machine["num_devices"])
    pairs = [(a, b) for a in devices for b in devices if a != b]
    per_byte = sum(machine["seconds_per_byte"][a][b] for a, b in pairs) / max(1, len(pairs))
    rank = [0.0] * graph["num_ops"]
    for i in reversed(graph["topological_order"]):
        times = [graph["seconds"][i][d] for d in graph["allowed"][i]]
        after = [rank[e["dst"]] + SLOWER * per_byte * e["bytes"] for e in outgoing[i]]
        rank[i] = sum(times) / len(times) + max(after, default=0.0)
    position = {op: p for p, op in enumerate(graph["topological_order"])}
    return sorted(range(graph["num_ops"]), key=lambda i: (-rank[i], position[i]))


def devices_of_ops(graph, machine, incoming, by_rank):
    """The device of each op: where it ends first, if there is room for its parameters."""
    num_ops, groups, allowed = graph["num_ops"], graph["groups"], graph["allowed"]
    follows = ops_that_follow(graph, incoming)
    device_of_group = {}
    placement = [None] * num_ops
    finish = [0.0] * num_ops
    free = [0.0] * machine["num_devices"]
    held = [0] * machine["num_devices"]

    def put(i, d, end):
        """Puts an op on a device, and along with it what has no device yet."""
        d = device_of_group.setdefault(groups[i], d if d in allowed[i] else allowed[i][0])
        placement[i] = d
        finish[i] = end
        held[d] += graph["parameter_bytes"][i]
        for e in incoming[i]:
            if placement[e["src"]] is None:
                put(e["src"], d, 0.0)

    def arrival(e, d):
        """When the tensor of an edge is on device d."""
        src = placement[e["src"]]
        if src is None:
            src = device_of_group.get(groups[e["src"]], d)
        if src == d:
            return finish[e["src"]]
        seconds = e["bytes"] * machine["seconds_per_byte"][src][d]
        return finish[e["src"]] + machine["latency"][src][d] + SLOWER * seconds

    for i in by_rank:
        if follows[i]:
            continue
        choices = []
        for d in [device_of_group[groups[i]]] if groups[i] in device_of_group else allowed[i]:
            ready = max([arrival(e, d) for e in incoming[i]], default=0.0)
            end = max(ready, free[d]) + graph["seconds"][i][d]
            is_full = held[d] + graph["parameter_bytes"][i] > 0.6 * machine["memory_bytes"][d]
            choices.append((is_full, end, d))
        _, end, d = min(choices)
        put(i, d, end)
        free[d] = end

    for i in range(num_ops):  # what nothing needs
        if placement[i] is None:
            put(i, allowed[i][0], 0.0)
    return placement


def ops_that_follow(graph, incoming):
    """Whether an op is a variable, or only reads some and takes no time.

    Such an op goes with the first one that needs it.
    """
    follows = [False] * graph["num_ops"]
    for i in graph["topological_order"]:
        takes_none = max(graph["seconds"][i]) == 0.0
        follows[i] = takes_none and all(follows[e["src"]] for e in incoming[i])
    return follows


# EVOLVE-BLOCK-END
