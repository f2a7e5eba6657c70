"""Prints the quantiles that beta_sampler_test.cc holds samples to.

python tests/agents/genetic/make_beta_quantiles.py > tests/agents/genetic/beta_quantiles.txt

It needs SciPy, which nothing else here does.
"""

from __future__ import annotations

import scipy
from scipy.stats import beta

# Both algorithms, each with its parameters either way round and equal, shapes that are nearly a
# point, nearly two points, and near the border between the algorithms.
SHAPES = [
    (1.0, 1.0),
    (2.0, 3.0),
    (3.0, 2.0),
    (5.0, 5.0),
    (1.01, 1.02),
    (1.5, 40.0),
    (40.0, 1.5),
    (900.0, 300.0),
    (0.5, 0.5),
    (0.3, 2.0),
    (2.0, 0.3),
    (1.0, 4.0),
    (4.0, 1.0),
    (0.05, 0.05),
    (0.02, 0.3),
    (0.9, 60.0),
]
STEPS = 50  # quantiles of 1/50, 2/50, … 49/50


def main() -> None:
    print(f"# alpha, beta, and the quantiles of 1/{STEPS} to {STEPS - 1}/{STEPS}: by SciPy")
    print(f"# {scipy.__version__} (make_beta_quantiles.py).")
    for alpha, second in SHAPES:
        quantiles = [beta.ppf(k / STEPS, alpha, second) for k in range(1, STEPS)]
        print(alpha, second, *(f"{quantile:.15g}" for quantile in quantiles))


if __name__ == "__main__":
    main()
