"""MaskablePPO of sb3-contrib on a graph: trains, saves, loads again, and prints what it is worth.

    python examples/train/sb3_maskable_ppo.py --graph "random:layered?n=64&seed=1" --envs 64 \
      --steps 200000

The same words and seed give the same policy and the same last line, on one machine. With
`--evaluate FILE` nothing is trained: a saved policy has the number again that it was saved with.
"""

from __future__ import annotations

import argparse
import sys
import time
from pathlib import Path

import torch
from opyard.envs import PlacementEnv
from opyard.envs.graph_policy import MaskableGraphPolicy
from opyard.envs.sb3 import make_sb3_vec
from sb3_contrib import MaskablePPO
from stable_baselines3.common.callbacks import BaseCallback


def parse(words: list[str] | None = None) -> argparse.Namespace:
    """The command line."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--graph", default="random:fork_join?n=12&seed=1")
    parser.add_argument("--hardware", default="p100x4-pcie")
    parser.add_argument("--envs", type=int, default=16, help="copies of the environment")
    parser.add_argument("--steps", type=int, default=9216, help="ops that are placed in all")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--samples", type=int, default=16, help="plans that are sampled, 1 or more")
    parser.add_argument("--out", type=Path, default=Path("sb3_maskable_ppo.zip"))
    parser.add_argument("--evaluate", type=Path, help="a saved policy; nothing is trained")
    return parser.parse_args(words)


class Progress(BaseCallback):
    """Prints on standard error how many ops are placed, at most every five seconds."""

    def __init__(self, steps: int) -> None:
        super().__init__()
        self.steps = steps
        self.last = time.monotonic()

    def _on_step(self) -> bool:
        if time.monotonic() > self.last + 5:
            self.last = time.monotonic()
            print(f"{self.num_timesteps} of {self.steps} steps", file=sys.stderr, flush=True)
        return True


def train(words: argparse.Namespace) -> MaskablePPO:
    """A policy after at least `steps` ops."""
    torch.set_num_threads(1)  # sums in another order are other policies
    vector = make_sb3_vec(
        "opyard/Placement-v0",
        num_envs=words.envs,
        graph=words.graph,
        hardware=words.hardware,
        reward="shaped",
    )
    model = MaskablePPO(
        MaskableGraphPolicy,
        vector,
        n_steps=24,
        batch_size=96,
        n_epochs=4,
        learning_rate=lambda left: 2e-3 * left,
        gamma=1.0,
        seed=words.seed,
        policy_kwargs={"features_extractor_kwargs": {"hidden": 32}},
    )
    return model.learn(words.steps, Progress(words.steps))


def makespans(model: MaskablePPO, words: argparse.Namespace) -> list[float]:
    """The step times in seconds of the plan of most probable actions, and of sampled ones."""
    env = PlacementEnv(words.graph, words.hardware)
    torch.manual_seed(words.seed)
    found = []
    for sample in range(1 + words.samples):
        seen, info = env.reset(seed=words.seed)
        is_over = False
        while not is_over:
            action, _ = model.predict(
                seen, action_masks=env.action_masks(), deterministic=sample == 0
            )
            seen, _, is_over, _, info = env.step(int(action))
        found.append(info["makespan_s"])
    return found


def main(words: list[str] | None = None) -> None:
    """Trains and saves, or loads; then evaluates what stands in the file."""
    options = parse(words)
    if options.evaluate is None:
        train(options).save(options.out)
    path = options.evaluate or options.out
    model = MaskablePPO.load(path, device="cpu")
    greedy, *samples = makespans(model, options)
    best = f"best of {options.samples} samples {1e3 * min(samples):.4f} ms"
    print(f"{path}: step time {1e3 * greedy:.4f} ms; {best}")


if __name__ == "__main__":
    main()
