// Observations filled up to fixed shapes, for trainers that want one shape for all problems.
#pragma once

#include <cstdint>
#include <vector>

#include "env/observation.h"

namespace opyard::env {

// The numbers of ops, edges and devices that an observation is filled up to.
struct Room {
  std::int64_t max_ops = 0;
  std::int64_t max_edges = 0;
  std::int64_t max_devices = 0;
};

// The arrays of an Observation filled up with zeros to their room (O ops, E edges, D devices), and
// masks of what is there.
struct PaddedObservation {
  Room room;
  std::vector<std::int64_t> op_type;            // [O]
  std::vector<float> x;                         // [O, kNumFeatures]
  std::vector<std::int64_t> edge_index;         // [2, E]
  std::vector<float> edge_x;                    // [E, kNumEdgeFeatures]
  std::vector<float> device_x;                  // [D, kNumDeviceFeatures]
  std::vector<float> pair_x;                    // [D, D, kNumPairFeatures]
  std::vector<std::int64_t> topological_order;  // [O]
  std::vector<std::int64_t> group_id;           // [O]
  std::vector<std::uint8_t> op_mask;            // [O], 1: an op
  std::vector<std::uint8_t> edge_mask;          // [E], 1: an edge
  std::vector<std::uint8_t> machine_mask;       // [D], 1: a device of the machine
};

// Throws InputError if there are more ops, edges or devices than there is room for.
[[nodiscard]] PaddedObservation Pad(const Observation& observation, const Room& room);

// The number of values that Flatten gives.
[[nodiscard]] std::size_t FlatSize(const Room& room, std::size_t action_mask_size);

// Everything in one array with values in [0, 1], for policies that take a vector, in this order:
//   `[O, kNumFeatures + 3]`        per op: op_mask, op_type / 256, group_id / O, its row of x;
//   `[E, kNumEdgeFeatures + 3]`    per edge: edge_mask, producer / O, consumer / O, its row of
//                                  edge_x;
//   `[D, kNumDeviceFeatures + 1]`  per device: machine_mask, its row of device_x;
//   `pair_x`, `action_mask`.
[[nodiscard]] std::vector<float> Flatten(const PaddedObservation& padded,
                                         const std::vector<std::uint8_t>& action_mask);

}  // namespace opyard::env
