// random:regal: the synthetic graphs of REGAL's experiments, memory and run time sampled op by op.
#pragma once

#include "graphs/common/graph_source.h"

namespace opyard::graphs {

// After Paliwal et al., "REGAL" (ICLR 2020, appendix), with the numbers of "One-Shot Priority
// Sampling" (ICLR 2023): a topology of four families (topology.h), oriented into a DAG. Each op has
// a memory m from a mixture of four Gaussians with equal weights, means 0.5, 1, 3, 5 and standard
// deviations 0.5, 1, 1, 1, sampled again while it is not positive. Its run time is
// round(100 · m) + 1.
//
// Deviations, where the sources name no unit or value: the run time is in microseconds, measured on
// every device. m counts `unit` MiB of the op's one output tensor. The weights of the mixture, the
// random order that orients the edges, attach 2, degree 4 and rewire 0.1 are ours. REGAL keeps only
// graphs that are hard for a search, and repeats no topology; here none is left out, but `opyard
// graph sample` applies both filters to the graphs of any family.
//
// Options, with default and range:
//
// `n`         500 or 1000, by the seed      1 … 1,000,000;
// `seed`      0                             0 … 2^53;
// `topology`  any: one of them by the seed  barabasi_albert, erdos_renyi, stochastic_block,
//                                           watts_strogatz;
// `unit`      16                            1e-3 … 4096, MiB.
//
// The options of the topology, too, if it is named (families.h).
class RegalGraphSource final : public GraphSource {
 public:
  [[nodiscard]] std::string name() const override { return "random:regal"; }
  [[nodiscard]] std::string summary() const override {
    return "REGAL's synthetic graphs: n, seed, topology (and its keys), unit";
  }
  [[nodiscard]] std::shared_ptr<const sim::OpGraph> Make(const std::string& graph_name,
                                                         Options& options) const override;
};

}  // namespace opyard::graphs
