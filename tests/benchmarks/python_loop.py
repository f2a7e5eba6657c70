"""The simulator that an author writes in an afternoon: heapq, one graph, serial channels.

It is the feature scale of `./dev bench --quick`: how fast this machine is right now, and what a
reader's own loop would do. FIFO queues, one send engine per device, no memory, no priorities.
"""

import heapq
import random
import time
from collections import deque

NUM_OPS = 10_000
NUM_DEVICES = 2


def make_graph(seed: int) -> list[list[int]]:
    """The readers of each op: two inputs per op, sampled among the hundred ops before it."""
    rng = random.Random(seed)
    readers: list[list[int]] = [[] for _ in range(NUM_OPS)]
    for op in range(1, NUM_OPS):
        for producer in {rng.randrange(max(0, op - 100), op) for _ in range(2)}:
            readers[producer].append(op)
    return readers


def simulate(readers: list[list[int]], device: list[int]) -> float:
    """The makespan when every op takes 1 and every copy 0.5."""
    waits = [0] * NUM_OPS
    for followers in readers:
        for op in followers:
            waits[op] += 1
    ready = [deque() for _ in range(NUM_DEVICES)]
    waiting = [deque() for _ in range(NUM_DEVICES)]
    is_busy, sends = [False] * NUM_DEVICES, [False] * NUM_DEVICES
    events: list[tuple[float, int, int, int]] = []
    for op in range(NUM_OPS):
        if waits[op] == 0:
            ready[device[op]].append(op)
    now = 0.0
    while True:
        for d in range(NUM_DEVICES):
            if ready[d] and not is_busy[d]:
                is_busy[d] = True
                heapq.heappush(events, (now + 1.0, 0, ready[d].popleft(), d))
            if waiting[d] and not sends[d]:
                sends[d] = True
                op, target = waiting[d].popleft()
                heapq.heappush(events, (now + 0.5, 1, op, d * NUM_DEVICES + target))
        if not events:
            return now
        now, kind, op, where = heapq.heappop(events)
        source, target = (where, where) if kind == 0 else divmod(where, NUM_DEVICES)
        if kind == 0:
            is_busy[source] = False
            for other in {device[follower] for follower in readers[op]} - {source}:
                waiting[source].append((op, other))
        else:
            sends[source] = False
        for follower in readers[op]:
            if device[follower] == target:
                waits[follower] -= 1
                if waits[follower] == 0:
                    ready[target].append(follower)


def ops_per_second(seconds: float = 2.0) -> float:
    """Ops per second in the fastest run of about `seconds`, each with a placement of its own."""
    readers = make_graph(1)
    rng = random.Random(2)
    spent, fastest = 0.0, float("inf")
    while spent < seconds:
        device = [rng.randrange(NUM_DEVICES) for _ in range(NUM_OPS)]
        begin = time.perf_counter()
        simulate(readers, device)
        run = time.perf_counter() - begin
        spent += run
        fastest = min(fastest, run)
    return NUM_OPS / fastest
