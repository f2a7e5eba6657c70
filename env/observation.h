// What a learner sees of a problem: named arrays with fixed shapes.
#pragma once

#include <array>
#include <cstdint>
#include <string_view>
#include <vector>

#include "env/problem.h"

namespace opyard::env {

// Raised whenever a feature changes its place or formula, so that stored policies can refuse.
inline constexpr std::int32_t kFeatureVersion = 1;
inline constexpr std::size_t kNumFeatures = 24;
inline constexpr std::int64_t kTypeVocabulary = 256;

// Names of the columns of Observation::x.
//
// Let o be an op of a graph of N ops, t(o) its mean compute time over the devices that allow it
// (CostTable::MeanSeconds), and in the formulas log1p(v) = ln(1 + v). Raw values:
//
//  0  output_bytes     log1p(bytes of all outputs)
//  1  param_bytes      log1p(parameter bytes)
//  2  workspace_bytes  log1p(workspace bytes)
//  3  flops            log1p(FLOPs)
//  4  compute_time     log1p(t(o) in microseconds)
//  5… shape0 … shape4  log1p(dimension) of the first output's first five dimensions; 0 where none
// 10  in_degree        edges into o   } of edge_index: each pair of ops once
// 11  out_degree       edges out of o }
// 12  rank             topological index / N
// 13  from_sources     longest path that ends with o, o included ÷ critical path
// 14  to_sinks         longest path that starts with o, o included ÷ critical path
// 15… elementwise, broadcast, reduction, reshape, heavy, opaque: one-hot of the fusion class
// 21  is_colocated     1 if o has a co-location label
// 22  is_backward      1 in the backward phase
// 23  is_update        1 in the update phase
//
// Paths run along data and control edges; their length is Σ t, without transfers; without any
// compute time both are 0. Each column is then divided by its maximum over the graph (if that is
// not 0), so that all values lie in [0, 1] and features carry over to other graphs.
inline constexpr std::array<std::string_view, kNumFeatures> kFeatureNames = {
    "output_bytes", "param_bytes",  "workspace_bytes", "flops",        "compute_time", "shape0",
    "shape1",       "shape2",       "shape3",          "shape4",       "in_degree",    "out_degree",
    "rank",         "from_sources", "to_sinks",        "elementwise",  "broadcast",    "reduction",
    "reshape",      "heavy",        "opaque",          "is_colocated", "is_backward",  "is_update"};

// Ops stand in the order of the graph (OpId), N = num_ops, E = num_edges.
struct Observation {
  std::int64_t num_ops = 0;
  std::int64_t num_edges = 0;
  std::int64_t num_groups = 0;
  std::int64_t num_devices = 0;
  std::vector<std::int64_t> op_type;            // [N], TypeHash
  std::vector<float> x;                         // [N, kNumFeatures] row-major, in [0, 1]
  std::vector<std::int64_t> edge_index;         // [2, E] row-major: producers, then consumers
  std::vector<std::int64_t> topological_order;  // [N]: ops in Kahn's order, smallest index first
  std::vector<std::int64_t> group_id;           // [N], in [0, num_groups)
  std::vector<std::uint8_t> device_mask;        // [num_groups, num_devices] row-major, 1: allowed
};

// Edges are the pairs (producer, consumer) joined by data or control, each once, sorted by the
// topological index of the producer, then of the consumer. O((N + E) log E).
[[nodiscard]] Observation Observe(const Problem& problem);

// FNV-1a (64 bits) of the type's bytes, modulo kTypeVocabulary: the same on every platform.
[[nodiscard]] std::int64_t TypeHash(std::string_view type);

// The per-op and per-edge arrays filled up with zeros to `max_ops` and `max_edges`.
struct PaddedObservation {
  std::int64_t max_ops = 0;
  std::int64_t max_edges = 0;
  std::vector<std::int64_t> op_type;            // [max_ops]
  std::vector<float> x;                         // [max_ops, kNumFeatures]
  std::vector<std::int64_t> edge_index;         // [2, max_edges]
  std::vector<std::int64_t> topological_order;  // [max_ops]
  std::vector<std::int64_t> group_id;           // [max_ops]
  std::vector<std::uint8_t> op_mask;            // [max_ops], 1: an op
  std::vector<std::uint8_t> edge_mask;          // [max_edges], 1: an edge
};

// Throws InputError if the graph has more ops or edges than there is room for.
[[nodiscard]] PaddedObservation Pad(const Observation& observation,
                                    std::int64_t max_ops,
                                    std::int64_t max_edges);

// How many numbers FlatObservation has.
[[nodiscard]] std::size_t FlatSize(std::int64_t max_ops,
                                   std::int64_t max_edges,
                                   std::size_t action_mask_size);

// Everything in one array with values in [0, 1], for policies that take a vector:
//   per op     op_mask, op_type / 256, group_id / max_ops, the 24 features     [max_ops, 27]
//   per edge   edge_mask, producer / max_ops, consumer / max_ops               [max_edges, 3]
//   then       action_mask
[[nodiscard]] std::vector<float> Flatten(const PaddedObservation& padded,
                                         const std::vector<std::uint8_t>& action_mask);

// Per op: op_type / 256, group_id / num_groups, the 24 features: [N, kNumNodeFeatures] row-major,
// for graph policies that take one array per node.
inline constexpr std::size_t kNumNodeFeatures = kNumFeatures + 2;
[[nodiscard]] std::vector<float> NodeFeatures(const Observation& observation);

}  // namespace opyard::env
