// What a network proposes, as distributions of genes.
#pragma once

#include <vector>

#include <torch/torch.h>

#include "agents/genetic/beta_shape.h"
#include "agents/genetic/gene_layout.h"
#include "agents/learned/regal/view.h"

namespace opyard::agents {

// The distribution of each gene of `layout`, where `middles`, float64 [decisions] in (0, 1), is
// what a policy proposes for `view` (MiddlesOf). The genes of a group's copies have the
// distribution of its priority; what is not proposed is even, and so are fusion genes.
[[nodiscard]] std::vector<BetaShape> ShapesOf(const RegalView& view,
                                              const GeneLayout& layout,
                                              const torch::Tensor& middles);

// The elite bias among `middles`, in (0.5, 1): its decision stands for the share of the way from
// 0.5. REQUIRES: the network proposes it, as the last decision.
[[nodiscard]] double EliteBiasOf(const torch::Tensor& middles);

}  // namespace opyard::agents
