// Sums, means and maxima over the edges of a graph, for a batch at once, with gradients.
#pragma once

#include <cstdint>
#include <vector>

#include <torch/torch.h>

#include "agents/learned/common/aggregation.h"

namespace opyard::agents {

// The sources that each row reads, as compressed rows: row r of R reads
// source[first[r]], …, source[first[r + 1] − 1], in this order, none, or one of them again.
struct SparseRows {
  std::vector<std::int64_t> first = {0};  // [R + 1]
  std::vector<std::int64_t> source;       // [E]

  [[nodiscard]] std::int64_t num_rows() const { return std::ssize(first) - 1; }
  // A further row.
  void Append(const std::vector<std::int64_t>& sources);
};

// The same as tensors; no gradients.
struct SparseEdges {
  std::int64_t num_rows = 0;
  torch::Tensor source;   // int64 [E]
  torch::Tensor target;   // int64 [E], ascending
  torch::Tensor inverse;  // [R, 1]: 1 / number of edges of the row; 1 where it has none
};

[[nodiscard]] SparseEdges MakeSparseEdges(const SparseRows& rows);
// The same on `device`.
[[nodiscard]] SparseEdges ToDevice(const SparseEdges& edges, torch::Device device);

// The value of each edge, [B, S, W] → [B, E, W]: that of its source. REQUIRES: sources < S.
[[nodiscard]] torch::Tensor Gather(const torch::Tensor& values, const SparseEdges& edges);

// The values of the edges, [B, E, W], put together per row, [B, R, W]: 0 for a row without edges.
// Sums add in the order of the edges on the CPU, whatever the number of threads. The gradient of a
// maximum goes to the edge that has it, in equal parts where several do.
[[nodiscard]] torch::Tensor Scatter(const torch::Tensor& values,
                                    const SparseEdges& edges,
                                    Aggregation aggregation);

}  // namespace opyard::agents
