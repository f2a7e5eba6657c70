#include "agents/learned/placeto/policy.h"

#include <algorithm>
#include <cmath>
#include <string>

#include "agents/learned/common/reinforce.h"
#include "sim/base/check.h"

namespace opyard::agents::placeto {

namespace nn = torch::nn;

namespace {

constexpr std::int64_t kSlots = 32;
constexpr auto kDeviceColumns = static_cast<std::int64_t>(env::kNumDeviceFeatures);
constexpr std::array<const char*, kNumPools> kPoolNames = {"ancestors", "descendants", "parallel"};

Sizes WithWidth(Sizes sizes) {
  OPYARD_CHECK(!sizes.faithful || sizes.num_devices > 0, "a network is made for some devices");
  if (sizes.width == 0) {
    sizes.width = kColumns + (sizes.faithful ? sizes.num_devices : kDeviceColumns);
  }
  return sizes;
}

nn::Sequential OneHiddenLayer(std::int64_t width) {
  return nn::Sequential(nn::Linear(width, width), nn::ReLU(), nn::Linear(width, width));
}

// The stack of networks that OneHiddenLayer made.
StackedLayers Stack(const std::vector<nn::Sequential>& networks) {
  std::array<std::vector<torch::Tensor>, 2> weights;
  std::array<std::vector<torch::Tensor>, 2> biases;
  for (const nn::Sequential& network : networks) {
    for (std::size_t layer = 0; layer < 2; ++layer) {
      const auto linear = network->ptr<nn::LinearImpl>(2 * layer);
      weights[layer].push_back(linear->weight.t());
      biases[layer].push_back(linear->bias.unsqueeze(0));
    }
  }
  return {.hidden_weight = torch::stack(weights[0]),
          .hidden_bias = torch::stack(biases[0]),
          .weight = torch::stack(weights[1]),
          .bias = torch::stack(biases[1])};
}

}  // namespace

torch::Tensor StackedLayers::Apply(const torch::Tensor& rows) const {
  const torch::Tensor hidden =  // [networks, rows, hidden]
      torch::baddbmm(hidden_bias, rows, hidden_weight).relu_();
  return torch::baddbmm(bias, hidden, weight);
}

Policy::Policy(const Sizes& sizes, Rng& rng)
    : sizes_(WithWidth(sizes)),
      own_(kColumns + (sizes_.faithful ? sizes_.num_devices : 0), sizes_.width),
      device_embedding_(kDeviceColumns, sizes_.width),
      slot_(kSlots, sizes_.width) {
  const std::int64_t width = sizes_.width;
  RegisterOwn();
  from_sources_ = Register("from_sources", width);
  from_sinks_ = Register("from_sinks", width);
  for (std::size_t pool = 0; pool < kNumPools; ++pool) {
    pools_[pool] = Register(kPoolNames[pool], 2 * width);
  }
  RegisterHead();
  if (!sizes_.faithful) {
    register_module("device_embedding", device_embedding_);
    register_module("slot", slot_);
  }
  InitialiseWeights(*this, rng);
}

void Policy::RegisterOwn() {
  if (sizes_.layers == Layers::kCompact) {
    register_module("own", own_);
    return;
  }
  const std::int64_t input = own_->options.in_features();
  published_own_ = register_module("own",
                                   nn::Sequential(nn::Linear(input, input),
                                                  nn::ReLU(),
                                                  nn::Linear(input, input),
                                                  nn::ReLU(),
                                                  nn::Linear(input, sizes_.width)));
}

void Policy::RegisterHead() {
  const std::int64_t width = sizes_.width;
  const bool is_published = sizes_.layers == Layers::kPublished;
  const std::int64_t first = is_published ? 16 * width : 2 * width;
  const std::int64_t second = is_published ? 8 * width : width;
  head_ = register_module(
      "head",
      nn::Sequential(nn::Linear((1 + kNumPools) * 2 * width, first),
                     nn::ReLU(),
                     nn::Linear(first, second),
                     nn::ReLU(),
                     nn::Linear(second, sizes_.faithful ? sizes_.num_devices : width)));
}

torch::Tensor Policy::TransformOwn(const torch::Tensor& columns) {
  return sizes_.layers == Layers::kPublished ? published_own_->forward(columns) : own_(columns);
}

torch::Tensor Policy::Apply(const StackedLayers& networks, const torch::Tensor& rows) const {
  const torch::Tensor values = networks.Apply(rows);
  return sizes_.layers == Layers::kPublished ? torch::relu(values) : values;
}

Policy::Aggregator Policy::Register(const std::string& name, std::int64_t width) {
  return {.f = register_module(name + "_f", OneHiddenLayer(width)),
          .g = register_module(name + "_g", OneHiddenLayer(width))};
}

PolicyInput Policy::PolicyInputOf(const View& view) {
  torch::Tensor devices;
  if (!sizes_.faithful) {
    devices = torch::layer_norm(
        device_embedding_(view.devices.x) + slot_(view.devices.slot.remainder(kSlots)),
        {sizes_.width});
  }
  return {.view = &view,
          .message = Stack({from_sources_.f, from_sinks_.f}),
          .update = Stack({from_sources_.g, from_sinks_.g}),
          .pool_message = Stack({pools_[0].f, pools_[1].f, pools_[2].f}),
          .pool_update = Stack({pools_[0].g, pools_[1].g, pools_[2].g}),
          .devices = devices};
}

torch::Tensor Policy::Own(const PolicyInput& input, const torch::Tensor& states) {
  if (sizes_.faithful) {
    return TransformOwn(states);
  }
  return TransformOwn(states.slice(2, 0, kColumns)) +
         states.slice(2, kColumns).matmul(input.devices);
}

torch::Tensor Policy::Embed(const PolicyInput& input, const torch::Tensor& states) {
  const std::int64_t num_states = states.size(0);
  const std::int64_t num_nodes = states.size(1);
  const std::int64_t width = sizes_.width;
  const SparseEdges& edges = input.view->edges;
  const torch::Tensor own =  // [2, G · T, width]: the same in both directions
      Own(input, states)
          .transpose(0, 1)
          .reshape({1, -1, width})
          .expand({2, -1, width})
          .contiguous();
  torch::Tensor receives = own.new_ones({2 * num_nodes});
  if (sizes_.layers == Layers::kPublished) {
    receives.zero_().index_fill_(0, edges.target, 1.0);
  }
  receives = receives
                 .view({2, num_nodes, 1, 1})  // [2, G · T, 1]
                 .expand({2, num_nodes, num_states, 1})
                 .reshape({2, -1, 1});
  torch::Tensor embeddings = own;
  for (std::int64_t round = 0; round < sizes_.rounds; ++round) {
    const torch::Tensor messages =  // [1, 2 G, T · width]
        Apply(input.message, embeddings).view({1, 2 * num_nodes, num_states * width});
    const torch::Tensor sums = Scatter(Gather(messages, edges), edges, sizes_.aggregation);
    embeddings = own + receives * Apply(input.update, sums.view_as(own));
  }
  return torch::cat({embeddings[0], embeddings[1]}, 1).view({num_nodes, num_states, 2 * width});
}

torch::Tensor Policy::PoolsOf(const PolicyInput& input,
                              const torch::Tensor& embeddings,
                              const std::vector<std::int64_t>& nodes) const {
  const std::int64_t width = embeddings.size(2);
  const SparseEdges members = PoolEdges(*input.view, nodes);
  const torch::Tensor messages =  // [3, G · T, 2 · width]
      Apply(input.pool_message, embeddings.view({1, -1, width}).expand({kNumPools, -1, width}));
  const torch::Tensor sums =
      Scatter(Gather(messages.view({1, -1, width}), members), members, sizes_.aggregation);
  return Apply(input.pool_update, sums.view({kNumPools, -1, width}));
}

torch::Tensor Policy::StayLogits(const View& view,
                                 const torch::Tensor& states,
                                 const torch::Tensor& nodes,
                                 const torch::Tensor& mask) const {
  const torch::Tensor row =  // [T]: of each node among those of all states
      torch::arange(states.size(0), nodes.options()) * states.size(1) + nodes;
  const torch::Tensor device =  // [T, D], one-hot
      states.flatten(0, 1).index_select(0, row).slice(1, kColumns);
  const torch::Tensor others = mask.sum(1, true) - 1;  // [T, 1]
  const double staying = static_cast<double>(view.visited.size()) / sizes_.moves - 1.0;
  return device * (others * std::max(staying, 0.0)).log().clamp_min(0.0);
}

torch::Tensor Policy::LogProbs(const PolicyInput& input,
                               const torch::Tensor& states,
                               const std::vector<std::int64_t>& nodes) {
  const std::int64_t num_states = states.size(0);
  const torch::Tensor embeddings = Embed(input, states);  // [G, T, 2 width]
  const torch::Tensor node =                              // [T]
      torch::tensor(nodes, states.options().dtype(torch::kLong));
  const torch::Tensor own =  // [1, T, 2 width]
      embeddings.flatten(0, 1)
          .index_select(0, node * num_states + torch::arange(num_states, node.options()))
          .unsqueeze(0);
  const torch::Tensor read =  // [T, 4 · 2 width]
      torch::cat({own, PoolsOf(input, embeddings, nodes)}, 0).transpose(0, 1).flatten(1);
  torch::Tensor logits = head_->forward(read);  // [T, D]; of a pointer [T, width]
  if (!sizes_.faithful) {
    logits = logits.matmul(input.devices.t()) / std::sqrt(static_cast<double>(sizes_.width));
  }
  const torch::Tensor mask = input.view->device_mask.index_select(0, node);  // [T, D]
  if (sizes_.moves > 0.0) {
    logits = logits + StayLogits(*input.view, states, node, mask);
  }
  return MaskedLogProbs(logits, mask);
}

}  // namespace opyard::agents::placeto
