"""Steps per second of EnvPool's CartPole, for a Python that has EnvPool and not opyard.

python envpool_steps.py NUM_ENVS THREADS SECONDS

Prints the version of EnvPool and the rate.
"""

from __future__ import annotations

import json
import sys
import time


def main(num_envs: int, threads: int, seconds: float) -> None:
    """Steps by random actions, made before; after one episode the next begins by itself."""
    import envpool  # type: ignore[import-not-found]
    import numpy as np

    envs = envpool.make("CartPole-v1", env_type="gymnasium", num_envs=num_envs, num_threads=threads)
    actions = np.random.default_rng(0).integers(0, 2, (128, num_envs))
    envs.reset()
    done = 0
    start = time.perf_counter()
    while time.perf_counter() - start < seconds:
        for action in actions:
            envs.step(action)
        done += len(actions) * num_envs
    rate = done / (time.perf_counter() - start)
    print(json.dumps({"version": envpool.__version__, "steps_per_second": rate}))


if __name__ == "__main__":
    main(int(sys.argv[1]), int(sys.argv[2]), float(sys.argv[3]))
