// Search by the cross-entropy method over per-group distributions.
#pragma once

#include "agents/base/agent_entry.h"

namespace opyard::agents {

// The cross-entropy half of Post (Gao, Chen and Li, "Post: Device Placement with Cross-Entropy
// Minimization and Proximal Policy Optimization", NeurIPS 2018): each group has a distribution over
// its allowed devices, and where they are tasks over priority levels and fusion priorities. A batch
// of plans is sampled from them, group by group independently. The best `elite_share` of the batch
// are counted, and each distribution moves towards what they chose:
//   p ← (1 − step) · p + step · counts / elites.
// It is then mixed with the uniform one so that nothing becomes impossible (de Boer, Kroese, Mannor
// and Rubinstein, Annals of OR 2005, section 2 and remark on smoothing). When a batch holds nothing
// but one plan, it begins again from the best plan so far.
//
// Deviations from Post: no steps by PPO between those by cross-entropy, and a distribution per
// group in place of a network's; `start: rules` begins near the best of the rules' plans, so that a
// sample differs from it in a few groups of a hundred, `start: random` at uniform, as Post does.
// It searches on several levels of coarser and finer groups (planning/multilevel/level_search.h), a
// slice of the budget on one at a time, each from distributions near the best plan so far; with
// more than 512 groups they are so near that no more groups differ than with 512. Batches are
// evaluated on all threads; plans do not depend on their number.
[[nodiscard]] AgentEntry CrossEntropyEntry();

}  // namespace opyard::agents
