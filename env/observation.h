// The observation of a problem for learners: named arrays with fixed shapes.
#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

#include "env/features/columns.h"
#include "env/problem.h"

namespace opyard::env {

// The buckets that types of ops are hashed into, so that any type has a number.
inline constexpr std::int64_t kTypeVocabulary = 256;

// Ops stand in the order of the graph (OpId), devices in that of the machine (DeviceId); N =
// num_ops, E = num_edges, G = num_groups, D = num_devices. Arrays are row-major. What the columns
// of x, edge_x, device_x and pair_x are stands in env/features/columns.h; they lie in [0, 1].
struct Observation {
  std::int64_t num_ops = 0;
  std::int64_t num_edges = 0;
  std::int64_t num_groups = 0;
  std::int64_t num_devices = 0;
  std::vector<std::int64_t> op_type;     // [N]: OpTypeHash
  std::vector<float> x;                  // [N, kNumFeatures]
  std::vector<std::int64_t> edge_index;  // [2, E]: producers, then consumers
  std::vector<float> edge_x;             // [E, kNumEdgeFeatures]
  std::vector<float> device_x;           // [D, kNumDeviceFeatures]
  std::vector<float> pair_x;             // [D, D, kNumPairFeatures]: source, then destination
  std::vector<std::int64_t> topological_order;  // [N]: ops in Kahn's order, smallest index first
  std::vector<std::int64_t> group_id;           // [N], in [0, G)
  std::vector<std::uint8_t> device_mask;        // [G, D], 1: allowed
};

// Edges are the pairs (producer, consumer) joined by data or control, each once, sorted by the
// topological index of the producer, then of the consumer. O((N + E) log E + N·D + D²).
[[nodiscard]] Observation Observe(const Problem& problem);

// The bucket of an op's type, in [0, kTypeVocabulary): the FNV-1a hash (64 bits) of its bytes,
// modulo kTypeVocabulary. The same on every platform; different types may share a bucket.
[[nodiscard]] std::int64_t OpTypeHash(std::string_view type);

// Per op: op_type / 256, group_id / num_groups, its features: [N, kNumNodeFeatures] row-major, for
// graph policies that take one array per node.
inline constexpr std::size_t kNumNodeFeatures = kNumFeatures + 2;
[[nodiscard]] std::vector<float> NodeFeatures(const Observation& observation);

}  // namespace opyard::env
