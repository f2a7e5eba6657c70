// random:enas: training steps of networks of random cells, as Placeto's graph sets have them.
#pragma once

#include "graphs/common/graph_source.h"

namespace opyard::graphs {

// Placeto (Addanki et al., NeurIPS 2019) trains on graphs whose cells a search over architectures
// proposed (ENAS, Pham et al. 2018): images (`space=cifar10`) and words (`space=ptb`). Its graphs
// are not available; these are sampled uniformly from ENAS's two search spaces and written down
// with the zoo's layers: forward, backward, update.
//
// cifar10: `layers` cells one behind the other, a third of them in front of each of two reductions,
// which halve the image and double the filters. A cell has `nodes` nodes; each adds two operations,
// each on the cell's two inputs or an earlier node: separable convolutions of 3×3 and 5×5, average
// and maximum pooling of 3×3, identity. What no node reads is joined. All normal cells of a graph
// are alike, and so are the reductions.
// ptb: one recurrent cell of `nodes` nodes, unrolled over `seq` steps. Node 0 mixes word and state;
// each further node mixes an earlier one through a gate of its own and one activation of tanh,
// relu, sigmoid, identity. The mean of what no node reads is the next state.
//
// Deviations: architectures are uniform, not those that a controller prefers; fused updates (one op
// per weight, SGD with momentum) and fused normalisation; a separable convolution is applied once,
// not twice.
//
// Options, with default and range:
//
// `space`    cifar10 or ptb, by the seed;
// `seed`     0                     0 … 2^53;
// `nodes`    4 (cifar10), 8 (ptb)  1 … 32         nodes of a cell;
// `batch`    128 (cifar10), 64     1 … 65536;
// `layers`   3                     3 … 60         cifar10: normal cells, a multiple of 3;
// `filters`  36                    4 … 4096       cifar10: of the first cells;
// `seq`      5                     1 … 256        ptb: time steps;
// `hidden`   1000                  1 … 65536      ptb: width of word and state;
// `vocab`    10000                 1 … 1,000,000  ptb: words.
class EnasGraphSource final : public GraphSource {
 public:
  [[nodiscard]] std::string name() const override { return "random:enas"; }
  [[nodiscard]] std::string summary() const override {
    return "training steps of random cells as Placeto's: space (cifar10, ptb), seed, nodes, batch, "
           "layers, filters, seq, hidden, vocab";
  }
  [[nodiscard]] std::shared_ptr<const sim::OpGraph> Make(const std::string& graph_name,
                                                         Options& options) const override;
};

}  // namespace opyard::graphs
