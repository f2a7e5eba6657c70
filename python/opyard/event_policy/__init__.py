"""The agent `event_policy`: a graph network that chooses among ready ops as time goes on.

It plays `opyard/ListSchedule-v0`. After Mao et al., "Learning Scheduling Algorithms for Data
Processing Clusters" (Decima), SIGCOMM 2019: embeddings by messages from children to parents, a
summary per device and one of all, a score per runnable op, REINFORCE with baselines that depend on
the input. docs/results/event-policy.md says how good it is.

Importing this package needs no PyTorch; `network`, `episodes`, `reinforce`, `weights` and `train`
do.
"""
