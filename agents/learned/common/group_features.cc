#include "agents/learned/common/group_features.h"

#include <array>
#include <string_view>

#include "agents/learned/common/feature_tensors.h"

namespace opyard::agents {
namespace {

// [N, G]: 1 / (ops of the group) where the op belongs to the group, so that its transpose times a
// per-op matrix is the mean per group.
torch::Tensor MeanWeights(const GroupSequence& sequence) {
  const auto num_ops = static_cast<std::int64_t>(sequence.group_of_op.size());
  const torch::Tensor group_of = torch::tensor(sequence.group_of_op, torch::kLong);  // [N]
  const torch::Tensor is_member = torch::zeros({num_ops, sequence.num_groups})       // [N, G]
                                      .scatter_(1, group_of.unsqueeze(1), 1.0);
  return is_member / is_member.sum(0, /*keepdim=*/true);
}

torch::Tensor Adjacency(const env::Observation& observation, const GroupSequence& sequence) {
  torch::Tensor feeds = torch::zeros({sequence.num_groups, sequence.num_groups});  // [G, G]
  auto cell = feeds.accessor<float, 2>();
  const auto num_edges = static_cast<std::size_t>(observation.num_edges);
  const auto group_at = [&](std::size_t i) {
    return sequence.group_of_op[static_cast<std::size_t>(observation.edge_index[i])];
  };
  for (std::size_t edge = 0; edge < num_edges; ++edge) {
    const std::int32_t producer = group_at(edge);
    const std::int32_t consumer = group_at(num_edges + edge);
    if (producer != consumer) {
      cell[producer][consumer] = 1.0F;
    }
  }
  return torch::cat({feeds, feeds.t()}, 1);  // [G, 2 G]
}

// [G, 2 G] of zeros and ones → [2, G, G], each row divided by its sum.
torch::Tensor Neighbours(const torch::Tensor& adjacency) {
  const std::int64_t num_groups = adjacency.size(0);
  const torch::Tensor both =  // [2, G, G]
      adjacency.view({num_groups, 2, num_groups}).transpose(0, 1);
  return (both / both.sum(2, /*keepdim=*/true).clamp_min(1.0)).contiguous();
}

// [D, features] → [D]: the devices of equal kind that come before each.
torch::Tensor Slots(const torch::Tensor& device_x) {
  const torch::Tensor kind = device_x.slice(1, 0, env::kNumDeviceKinds);  // [D, kinds], one-hot
  return kind.matmul(kind.t()).tril(-1).sum(1).to(torch::kLong);
}

constexpr std::array<std::string_view, 4> kMemoryColumns = {
    "param_bytes", "workspace_bytes", "params_to_capacity", "working_to_capacity"};
constexpr std::string_view kMemoryColumnOfDevices = "capacity_to_needs";

}  // namespace

DeviceFeatures MakeDeviceFeatures(const env::Observation& observation) {
  const torch::NoGradGuard no_grad;
  const torch::Tensor x =  // [D, device features]
      torch::tensor(observation.device_x)
          .view({observation.num_devices, static_cast<std::int64_t>(env::kNumDeviceFeatures)});
  const torch::Tensor pair = torch::tensor(observation.pair_x)
                                 .view({observation.num_devices,
                                        observation.num_devices,
                                        static_cast<std::int64_t>(env::kNumPairFeatures)});
  return {.x = x, .slot = Slots(x), .pair = pair};
}

GroupFeatures MakeGroupFeatures(const env::Observation& observation,
                                const GroupSequence& sequence) {
  const torch::NoGradGuard no_grad;
  const torch::Tensor weights = MeanWeights(sequence);                             // [N, G]
  const torch::Tensor op_type = torch::tensor(observation.op_type, torch::kLong);  // [N]
  const torch::Tensor x =                                                          // [N, F]
      torch::tensor(observation.x)
          .view({observation.num_ops, static_cast<std::int64_t>(env::kNumFeatures)});
  const torch::Tensor op_share =  // [G, 1]
      (weights > 0).sum(0).to(torch::kFloat).unsqueeze(1) /
      static_cast<double>(observation.num_ops);
  const torch::Tensor adjacency = Adjacency(observation, sequence);  // [G, 2 G]
  const DeviceFeatures devices = MakeDeviceFeatures(observation);
  return {.type_share =
              weights.t().matmul(torch::one_hot(op_type, env::kTypeVocabulary).to(torch::kFloat)),
          .x = torch::cat({weights.t().matmul(x), op_share}, 1),
          .adjacency = adjacency,
          .neighbours = Neighbours(adjacency),
          .device_x = devices.x,
          .device_slot = devices.slot,
          .device_mask = DeviceMask(sequence)};
}

DeviceFeatures ToDevice(const DeviceFeatures& features, torch::Device device) {
  return {.x = features.x.to(device),
          .slot = features.slot.to(device),
          .pair = features.pair.to(device)};
}

GroupFeatures ToDevice(const GroupFeatures& features, torch::Device device) {
  return {.type_share = features.type_share.to(device),
          .x = features.x.to(device),
          .adjacency = features.adjacency.to(device),
          .neighbours = features.neighbours.to(device),
          .device_x = features.device_x.to(device),
          .device_slot = features.device_slot.to(device),
          .device_mask = features.device_mask.to(device)};
}

void HideMemory(GroupFeatures& features) {
  const torch::NoGradGuard no_grad;
  for (const std::string_view name : kMemoryColumns) {
    features.x.select(1, ColumnOf(env::kFeatureNames, name)).zero_();
  }
  features.device_x.select(1, ColumnOf(env::kDeviceFeatureNames, kMemoryColumnOfDevices)).zero_();
}

}  // namespace opyard::agents
