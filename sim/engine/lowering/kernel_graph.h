// The work of a step as flat arrays: kernels, the tensors they make, and who reads what.
#pragma once

#include <cstdint>
#include <vector>

#include "sim/base/ids.h"
#include "sim/graph/op_graph.h"
#include "sim/hardware/hardware_profile.h"

namespace opyard::sim {

// Ranges of kernel k end where those of kernel k + 1 begin.
struct Kernel {
  std::int64_t start_bytes = 0;  // allocated when it starts: outputs of its own, workspace
  std::int64_t workspace_bytes = 0;
  std::int32_t first_output = 0;   // tensors, numbered by producer, then output index
  std::int32_t first_input = 0;    // of KernelGraph::input_edges
  std::int32_t first_control = 0;  // of KernelGraph::control_consumers
  std::int32_t first_edge = 0;     // of KernelGraph::consumers: those of all its outputs
};

struct KernelTensor {
  std::int64_t bytes = 0;
  std::int32_t first_consumer = 0;  // of KernelGraph::consumers
  // Alias::kInput: the edge whose storage it shares, or else the tensor of its own kernel.
  std::int32_t alias_edge = -1;
  std::int32_t alias_tensor = -1;
  Alias alias = Alias::kNone;
  bool keep = false;
  bool aliases_params = false;  // through any number of aliases
};

// Plain data. `kernels` and `tensors` have one more element as the end. Edges are (tensor, distinct
// consumer) pairs, in order of the tensors; for OnePer::kEdge consumers are distinct by op.
struct KernelGraph {
  std::size_t num_kernels = 0;
  std::size_t num_tensors = 0;
  std::vector<Kernel> kernels;
  // [num_kernels]: distinct input tensors + control inputs of each; and the kernels without any.
  std::vector<std::int32_t> num_dependencies;
  std::vector<std::int32_t> sources;
  std::vector<std::int64_t> release_ps;   // [num_kernels]; empty if all are 0
  std::vector<std::int32_t> input_edges;  // the edges by which each kernel reads
  std::vector<std::int32_t> control_consumers;
  std::vector<KernelTensor> tensors;
  std::vector<std::int32_t> producer;       // [num_tensors]: kernel
  std::vector<std::int32_t> origin;         // [num_tensors]: index in the graph without fusion
  std::vector<std::int32_t> consumers;      // [num_edges]: kernel
  std::vector<std::int32_t> edge_producer;  // [num_edges]: kernel
  std::vector<std::int32_t> edge_uses;  // [num_edges] for OnePer::kEdge: times the tensor is read
  std::size_t num_uses = 0;             // the most transfers that a plan can need

  [[nodiscard]] std::size_t num_edges() const { return consumers.size(); }
};

// One kernel per op, in topological order. Tensors are numbered by their producer's topological
// index, then output index.
[[nodiscard]] KernelGraph LowerGraph(const OpGraph& graph, OnePer one_per);

// The same under the rules `placeto` (docs/modelling.md, section 6). A control edge reads output 0
// of its producer; from an op without outputs it still only orders. Of several outputs that one op
// reads of another only the last listed counts. No output shares the storage of an input.
[[nodiscard]] KernelGraph LowerGraphForPlaceto(const OpGraph& graph, OnePer one_per);

// Makes the input edges of kernels out of the consumers of tensors, counts the dependencies that
// they and control edges are, and lists the sources. `count` is scratch.
void ConnectInputs(KernelGraph& graph, std::vector<std::int32_t>& count);

// [num_tensors]: the graph's id of each of the tensors that LowerGraph numbers.
[[nodiscard]] std::vector<TensorId> LoweredOrderOfTensors(const OpGraph& graph);

}  // namespace opyard::sim
