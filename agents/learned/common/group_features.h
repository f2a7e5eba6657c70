// The input of a policy over groups, as tensors.
#pragma once

#include <torch/torch.h>

#include "agents/planning/grouping/group_sequence.h"
#include "env/observation.h"

namespace opyard::agents {

// The columns of GroupFeatures::x: the means of env::kNumFeatures columns, and the share of ops.
inline constexpr std::int64_t kGroupFeatureWidth = static_cast<std::int64_t>(env::kNumFeatures) + 1;

// G groups in the order of the sequence, D devices. float32 unless said otherwise; no gradients.
struct GroupFeatures {
  torch::Tensor type_share;   // [G, kTypeVocabulary]: how its ops divide into types; rows sum to 1
  torch::Tensor x;            // [G, kGroupFeatureWidth], in [0, 1]
  torch::Tensor adjacency;    // [G, 2 G]: 1 where the row's group feeds the column's; then where it
                              // reads from it
  torch::Tensor neighbours;   // [2, G, G]: row-wise means over the groups that the row's group
                              // feeds, then over those that it reads from; 0 where there are none
  torch::Tensor device_x;     // [D, env::kNumDeviceFeatures]
  torch::Tensor device_slot;  // [D] int64: how many devices of its kind come before it
  torch::Tensor device_mask;  // [G, D] bool: allowed
};

// The features of the devices alone: `device_x` and `device_slot` of GroupFeatures, and features of
// each pair of devices.
struct DeviceFeatures {
  torch::Tensor x;
  torch::Tensor slot;
  torch::Tensor pair;  // [D, D, env::kNumPairFeatures], from the first to the second
};

[[nodiscard]] DeviceFeatures MakeDeviceFeatures(const env::Observation& observation);

[[nodiscard]] GroupFeatures MakeGroupFeatures(const env::Observation& observation,
                                              const GroupSequence& sequence);

// The same on `device`.
[[nodiscard]] DeviceFeatures ToDevice(const DeviceFeatures& features, torch::Device device);
[[nodiscard]] GroupFeatures ToDevice(const GroupFeatures& features, torch::Device device);

// Sets what speaks of memory to 0: bytes of parameters and workspaces, and the shares of a device's
// capacity that they and all ops need. Bytes of outputs, which travel, stay.
void HideMemory(GroupFeatures& features);

}  // namespace opyard::agents
