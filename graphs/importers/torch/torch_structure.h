// The implicit structure of a graph of ATen ops: which output an edge reads, where the backward
// pass begins.
#pragma once

#include <cstddef>
#include <optional>
#include <string_view>
#include <vector>

#include "graphs/importers/torch/torch_graph.h"

namespace opyard::graphs {

// "aten.add_.Tensor" → "add_"; other texts as they are.
[[nodiscard]] std::string_view BareName(std::string_view op);

// True for a node that selects one output of its only input.
[[nodiscard]] bool IsGetitem(const TorchNode& node);

// Which output each getitem selects.
struct Selections {
  std::vector<std::optional<std::size_t>> port;    // [nodes]; nothing: it selects no tensor
  std::vector<std::vector<std::size_t>> getitems;  // [nodes]: those of a producer, in order
};

// The getitems of an op come in the order of its outputs. One without a shape selects a result that
// is not made, and such results are not listed at the op. O(nodes · outputs of one node).
[[nodiscard]] Selections FindSelections(const TorchGraph& graph, ImportSummary& summary);

// The first node of the backward pass: the first gradient, or the seed of all gradients before it.
// The number of nodes if there is none.
[[nodiscard]] std::size_t FirstBackward(const TorchGraph& graph);

}  // namespace opyard::graphs
