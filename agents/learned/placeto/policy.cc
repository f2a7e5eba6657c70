#include "agents/learned/placeto/policy.h"

#include <string>

#include "agents/learned/common/reinforce.h"
#include "sim/base/check.h"

namespace opyard::agents {

namespace nn = torch::nn;

namespace {

constexpr std::array<const char*, kNumPools> kPoolNames = {"ancestors", "descendants", "parallel"};

PlacetoSizes WithWidth(PlacetoSizes sizes) {
  OPYARD_CHECK(sizes.num_devices > 0, "a network is made for some devices");
  if (sizes.width == 0) {
    sizes.width = kPlacetoColumns + sizes.num_devices;
  }
  return sizes;
}

nn::Sequential OneHiddenLayer(std::int64_t width) {
  return nn::Sequential(nn::Linear(width, width), nn::ReLU(), nn::Linear(width, width));
}

}  // namespace

PlacetoPolicy::PlacetoPolicy(const PlacetoSizes& sizes, Rng& rng)
    : sizes_(WithWidth(sizes)), own_(kPlacetoColumns + sizes_.num_devices, sizes_.width) {
  const std::int64_t width = sizes_.width;
  register_module("own", own_);
  from_sources_ = Register("from_sources", width);
  from_sinks_ = Register("from_sinks", width);
  for (std::size_t pool = 0; pool < kNumPools; ++pool) {
    pools_[pool] = Register(kPoolNames[pool], 2 * width);
  }
  head_ = register_module("head",
                          nn::Sequential(nn::Linear((1 + kNumPools) * 2 * width, 2 * width),
                                         nn::ReLU(),
                                         nn::Linear(2 * width, width),
                                         nn::ReLU(),
                                         nn::Linear(width, sizes_.num_devices)));
  InitialiseWeights(*this, rng);
}

PlacetoPolicy::Aggregator PlacetoPolicy::Register(const std::string& name, std::int64_t width) {
  return {.f = register_module(name + "_f", OneHiddenLayer(width)),
          .g = register_module(name + "_g", OneHiddenLayer(width))};
}

torch::Tensor PlacetoPolicy::Pass(const torch::Tensor& own,
                                  const SparseEdges& edges,
                                  Aggregator& aggregator) const {
  torch::Tensor heard = own;
  for (std::int64_t round = 0; round < sizes_.rounds; ++round) {
    const torch::Tensor told = Gather(aggregator.f->forward(heard), edges);  // [T, E, width]
    heard = own + aggregator.g->forward(Scatter(told, edges, sizes_.aggregation));
  }
  return heard;
}

torch::Tensor PlacetoPolicy::Embed(const PlacetoView& view, const torch::Tensor& states) {
  const torch::Tensor own = own_(states);  // [T, G, width]
  return torch::cat(
      {Pass(own, view.from_sources, from_sources_), Pass(own, view.from_sinks, from_sinks_)}, 2);
}

torch::Tensor PlacetoPolicy::LogProbs(const PlacetoView& view,
                                      const torch::Tensor& states,
                                      const std::vector<std::int64_t>& nodes) {
  const torch::Tensor embeddings = Embed(view, states);                  // [T, G, 2 width]
  const torch::Tensor all = embeddings.flatten(0, 1).unsqueeze(0);       // [1, T · G, 2 width]
  const torch::Tensor node = torch::tensor(nodes, torch::kLong);         // [T]
  const torch::Tensor state = torch::arange(states.size(0));             // [T]
  std::vector<torch::Tensor> parts = {embeddings.index({state, node})};  // [T, 2 width] each
  for (std::size_t pool = 0; pool < kNumPools; ++pool) {
    const SparseEdges members = PoolEdges(view, nodes, static_cast<Pool>(pool));
    const torch::Tensor told = Gather(pools_[pool].f->forward(all), members);
    parts.push_back(pools_[pool].g->forward(Scatter(told, members, sizes_.aggregation)).squeeze(0));
  }
  const torch::Tensor logits = head_->forward(torch::cat(parts, 1));  // [T, D]
  return MaskedLogProbs(logits, view.device_mask.index_select(0, node));
}

}  // namespace opyard::agents
