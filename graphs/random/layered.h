// random:layered: seeded training-step-like graphs, layer by layer, with their backward half.
#pragma once

#include "graphs/common/graph_source.h"

namespace opyard::graphs {

// Model. `n` ops in all: `variables`·n Variables, `backward`·n backward ops, and forward ops in
// layers. Each forward op of layer k > 0 reads one op of layer k − 1, so that the depth is the
// number of layers. On average it reads `fan_in` − 1 more, of layer k − 1 or, with probability
// `skip`, of any earlier one. A share `heavy` of the forward ops are matrix products, each with one
// of the Variables (which are shared where there are fewer); the others are elementwise ops,
// reductions and views (op_figures.h, also for sizes and FLOPs). Layer 0 are placeholders. The last
// forward ops have a backward twin, in reverse order: it reads the gradients that its op's readers
// make, and its op's output; a heavy one does twice the FLOPs and makes a weight gradient, too.
// There are no weight updates.
//
// Options, with default and range:
//
// `n`          1000            1 … 1,000,000  number of ops;
// `seed`       0               0 … 2^53       equal seeds give equal graphs;
// `layers`     √(forward ops)  1 … n          forward layers; fewer if there are not enough ops;
// `fan_in`     2               1 … 16         mean number of data inputs of a forward op;
// `skip`       0.1             0 … 1          share of long edges;
// `backward`   0.4             0 … 0.5        share of backward ops;
// `variables`  0.1             0 … 0.5        share of Variables.
//
// The options of op_figures.h, too: heavy, ccr, memory_scale, heterogeneity; and those of
// arriving_jobs.h: jobs, interarrival. Several jobs are as many graphs of `n` ops each, which share
// nothing, with "job0/" and so on before the names of their ops.
class LayeredGraphSource final : public GraphSource {
 public:
  [[nodiscard]] std::string name() const override { return "random:layered"; }
  [[nodiscard]] std::string summary() const override {
    return "layered training-step graphs: n, seed, layers, fan_in, skip, backward, variables, "
           "heavy, "
           "ccr, memory_scale, heterogeneity, jobs, interarrival";
  }
  [[nodiscard]] std::shared_ptr<const sim::OpGraph> Make(const std::string& graph_name,
                                                         Options& options) const override;
};

}  // namespace opyard::graphs
