// The placement that an expert would choose for the parts of a network.
#pragma once

#include "agents/base/agent_entry.h"

namespace opyard::agents {

// A written rule in place of the hand-made placements that published tables divide by. Mirhoseini
// et al. (ICML 2017, section 4.1) put each LSTM layer of RNNLM and NMT on a device of its own, the
// embedding with the first, attention and softmax with the last. They cut Inception into contiguous
// parts. No paper says how its expert placed the other families.
//
// 1. Recurrent networks (stages.h, FindCellStages) with as many cells as main devices or more: runs
//    of whole cells, of equal number (the first ones one longer), the embedding with the first and
//    attention and softmax with the last. With fewer cells, the embedding and the softmax count as
//    cells, too.
// 2. Where that runs out of memory, and for all others that say their layers: contiguous blocks of
//    whole layers with the least time on the busiest device among those that fit (GroupMemory;
//    contiguous_blocks.h). Layers count from the embedding to the softmax.
// 3. Where ops say no layers, or fewer than there are devices: the same with the places of the
//    forward pass in place of layers (ForwardStages).
//
// Backward ops and updates stand with the forward ops of their layer. All main devices are used,
// also where fewer would be faster: that is not the expert's to know. A group that may not be where
// it belongs stays where the default placement has it. One evaluation where the plan fits; for
// blocks that do not, shares of 0.85 and 0.7 of the memory are tried (memory_rule.h): four at most.
// No random numbers.
[[nodiscard]] AgentEntry HumanExpertEntry();

}  // namespace opyard::agents
