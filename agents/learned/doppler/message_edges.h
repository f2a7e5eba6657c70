// The edges of a graph in blocks that share a matrix.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include <torch/torch.h>

namespace opyard::agents::doppler {

// From one node to another, with a number that messages depend on.
struct MessageEdge {
  std::int64_t source = 0;
  std::int64_t target = 0;
  float feature = 0.0F;
};

// Edges with one feature are kept together, in B blocks of kBlock edges, of which the last one of a
// feature is filled up: U features need U matrices, and a product of a block is one of matrices.
struct MessageEdges {
  static constexpr std::int64_t kBlock = 8;

  torch::Tensor feature;           // [U, 1]
  torch::Tensor feature_of_block;  // int64 [B]
  torch::Tensor source;            // int64 [B · kBlock]; 0 where a block is filled up
  torch::Tensor target;            // int64 [B · kBlock]
  torch::Tensor is_edge;           // [B · kBlock, 1]: 1, or 0 where a block is filled up
};

// On `device`; without edges all have no rows.
[[nodiscard]] MessageEdges MakeMessageEdges(std::vector<MessageEdge> edges, torch::Device device);

}  // namespace opyard::agents::doppler
