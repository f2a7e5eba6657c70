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
    num_ops = graph["num_ops"]
    num_devices = machine["num_devices"]
    seconds = graph["seconds"]
    incoming = [[] for _ in range(num_ops)]
    outgoing = [[] for _ in range(num_ops)]
    for edge in graph["edges"]:
        incoming[edge["dst"]].append(edge)
        outgoing[edge["src"]].append(edge)
    for first, second in graph["control_edges"]:
        edge = {"src": first, "dst": second, "bytes": 0}
        incoming[second].append(edge)
        outgoing[first].append(edge)

    # The rank of an op: the longest path from it to the end, with its transfers.
    pairs = [(a, b) for a in range(num_devices) for b in range(num_devices) if a != b]
    per_byte = sum(machine["seconds_per_byte"][a][b] for a, b in pairs) / max(1, len(pairs))
    mean = [sum(seconds[i][d] for d in graph["allowed"][i]) / len(graph["allowed"][i])
            for i in range(num_ops)]
    rank = [0.0] * num_ops
    for i in reversed(graph["topological_order"]):
        after = [rank[e["dst"]] + SLOWER * per_byte * e["bytes"] for e in outgoing[i]]
        rank[i] = mean[i] + max(after, default=0.0)

    # Variables, and what only reads them and takes no time, go with the first op that needs them.
    goes_along = [False] * num_ops
    for i in graph["topological_order"]:
        takes_none = max(seconds[i]) == 0.0
        goes_along[i] = takes_none and all(goes_along[e["src"]] for e in incoming[i])

    # Ops by falling rank; an op never comes before one that it waits for.
    position = {op: p for p, op in enumerate(graph["topological_order"])}
    by_rank = sorted(range(num_ops), key=lambda i: (-rank[i], position[i]))

    groups, allowed = graph["groups"], graph["allowed"]
    device_of_group = {}
    placement = [None] * num_ops
    finish = [0.0] * num_ops
    free = [0.0] * num_devices
    held = [0] * num_devices

    def put(i, d, end):
        """Puts an op on a device, and along with it what has no device yet."""
        d = device_of_group.setdefault(groups[i], d if d in allowed[i] else allowed[i][0])
        placement[i] = d
        finish[i] = end
        held[d] += graph["parameter_bytes"][i]
        for e in incoming[i]:
            if placement[e["src"]] is None:
                put(e["src"], d, 0.0)

    for i in by_rank:
        if goes_along[i]:
            continue
        choices = [device_of_group[groups[i]]] if groups[i] in device_of_group else allowed[i]
        best = None
        for d in choices:
            ready = 0.0
            for e in incoming[i]:
                source = placement[e["src"]]
                if source is None:
                    source = device_of_group.get(groups[e["src"]], d)
                delay = 0.0
                if source != d:
                    delay = (machine["latency"][source][d]
                             + SLOWER * e["bytes"] * machine["seconds_per_byte"][source][d])
                ready = max(ready, finish[e["src"]] + delay)
            end = max(ready, free[d]) + seconds[i][d]
            is_full = held[d] + graph["parameter_bytes"][i] > 0.6 * machine["memory_bytes"][d]
            if best is None or (is_full, end) < best[:2]:
                best = (is_full, end, d)
        _, end, d = best
        put(i, d, end)
        free[d] = end

    for i in range(num_ops):  # what nothing needs
        if placement[i] is None:
            put(i, allowed[i][0], 0.0)

    priority = [0] * num_ops
    for p, i in enumerate(by_rank):
        priority[i] = num_ops - p
    return {"placement": placement, "priority": priority}
# EVOLVE-BLOCK-END
