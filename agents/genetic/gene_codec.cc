#include "agents/genetic/gene_codec.h"

#include <algorithm>
#include <cmath>

#include "agents/genetic/gene_sampler.h"
#include "agents/genetic/key_ranks.h"
#include "agents/planning/decisions.h"
#include "env/action_codec.h"
#include "sim/base/check.h"

namespace opyard::agents {
namespace {

// Calls visit(tensor, consumer, device) for the readers of each tensor that `placement` puts on
// another device than its producer.
template <class Visit>
void ForEachRemoteReader(const sim::OpGraph& graph,
                         std::span<const DeviceId> placement,
                         Visit&& visit) {
  for (std::size_t i = 0; i < graph.num_tensors(); ++i) {
    const TensorId tensor(i);
    const DeviceId source = placement[graph.tensor(tensor).producer.index()];
    for (const OpId consumer : graph.consumers(tensor)) {
      if (const DeviceId device = placement[consumer.index()]; device != source) {
        visit(tensor, consumer, device);
      }
    }
  }
}

// The nearest multiple of 2^−24 below, and below 1.
float AsGene(double value) {
  return static_cast<float>(std::min(std::floor(value * 0x1p24), 0x1p24 - 1.0)) * 0x1p-24F;
}

// A place in the middle half of level `level`, so that rounding cannot leave it.
double InLevel(std::int64_t level, float gene) {
  return static_cast<double>(level) + 0.25 + static_cast<double>(gene) * 0.5;
}

}  // namespace

GeneCodec::GeneCodec(const env::Problem& problem, const GeneChoice& choice)
    : problem_(problem), layout_(problem, choice), first_allowed_{0} {
  for (std::size_t group = 0; group < layout_.num_groups; ++group) {
    const auto allowed = problem.AllowedDevices(static_cast<std::int32_t>(group));
    allowed_.insert(allowed_.end(), allowed.begin(), allowed.end());
    first_allowed_.push_back(allowed_.size());
  }
}

std::vector<DeviceId> GeneCodec::DevicesOf(std::span<const float> affinities) const {
  std::vector<DeviceId> devices(layout_.num_groups);
  for (std::size_t group = 0; group < layout_.num_groups; ++group) {
    const std::span<const DeviceId> allowed = AllowedOf(group);
    const float* affinity = &affinities[group * layout_.num_devices];
    DeviceId best = allowed.front();
    float most = affinity[best.index()];
    // Selects, which compilers make of these two, and not branches: half of them would be
    // mispredicted.
    for (const DeviceId device : allowed.subspan(1)) {
      const bool is_better = affinity[device.index()] > most;
      best.value = is_better ? device.value : best.value;
      most = is_better ? affinity[device.index()] : most;
    }
    devices[group] = best;
  }
  return devices;
}

sim::Plan GeneCodec::Decode(std::span<const float> genes) const {
  OPYARD_CHECK(genes.size() == layout_.num_genes(), "a chromosome has all genes");
  sim::Plan plan = layout_.num_affinities == 0
                       ? env::DefaultPlan(problem_)
                       : env::PlanFromGroups(problem_,
                                             DevicesOf(genes.first(layout_.num_affinities)));
  if (layout_.num_priorities > 0) {
    const std::vector<std::int64_t> ranks =
        RanksOfKeys(genes.subspan(layout_.first_priority(), layout_.num_priorities));
    std::vector<std::int64_t> of_op(plan.placement.size());
    for (std::size_t op = 0; op < of_op.size(); ++op) {
      of_op[op] = ranks[GroupOf(problem_, OpId(op))];
    }
    env::SetPriorities(plan, std::move(of_op));
  }
  if (layout_.num_transfers > 0) {
    DecodeTransfers(genes.subspan(layout_.first_transfer(), layout_.num_transfers), plan);
  }
  if (layout_.num_fusions > 0) {
    std::vector<std::int32_t> levels;
    for (const float gene : genes.last(layout_.num_fusions)) {
      levels.push_back(static_cast<std::int32_t>(gene * kNumFusionLevels));
    }
    env::SetFusionLevels(problem_, levels, plan);
  }
  return plan;
}

void GeneCodec::DecodeTransfers(std::span<const float> genes, sim::Plan& plan) const {
  std::vector<float> keys;
  // The tensor that was last seen to go to each device: a copy has one entry for all its readers.
  std::vector<TensorId> last_to(layout_.num_devices, TensorId(std::int32_t{-1}));
  const sim::OpGraph& graph = problem_.graph();
  ForEachRemoteReader(graph, plan.placement, [&](TensorId tensor, OpId, DeviceId device) {
    if (last_to[device.index()] != tensor) {
      last_to[device.index()] = tensor;
      plan.transfer_priority.push_back({.tensor = tensor, .destination = device});
      const std::size_t group = GroupOf(problem_, graph.tensor(tensor).producer);
      keys.push_back(genes[group * layout_.num_devices + device.index()]);
    }
  });
  const std::vector<std::int64_t> ranks = RanksOfKeys(keys);
  for (std::size_t i = 0; i < ranks.size(); ++i) {
    plan.transfer_priority[i].priority = ranks[i];
  }
}

void GeneCodec::EncodeTransfers(std::span<const DeviceId> placement,
                                std::span<float> genes) const {
  const auto transfers = genes.subspan(layout_.first_transfer(), layout_.num_transfers);
  std::vector<char> has_reader(layout_.num_transfers, 0);
  ForEachRemoteReader(
      problem_.graph(), placement, [&](TensorId tensor, OpId consumer, DeviceId device) {
        const std::size_t group = GroupOf(problem_, problem_.graph().tensor(tensor).producer);
        const std::size_t i = group * layout_.num_devices + device.index();
        const float priority = genes[layout_.first_priority() + GroupOf(problem_, consumer)];
        transfers[i] = has_reader[i] != 0 ? std::max(transfers[i], priority) : priority;
        has_reader[i] = 1;
      });
}

Chromosome GeneCodec::Encode(const Decisions& decisions, Rng& rng) const {
  Chromosome genes = GeneSampler().Draw(layout_.num_genes(), rng);
  for (std::size_t i = 0; i < layout_.num_affinities; ++i) {
    const bool is_chosen =
        decisions.device_of_group[i / layout_.num_devices].index() == i % layout_.num_devices;
    genes[i] = AsGene(static_cast<double>(genes[i]) * 0.5 + (is_chosen ? 0.5 : 0.0));
  }
  if (layout_.num_priorities > 0) {
    const auto& priority = decisions.priority_of_group;
    const auto [least, most] = std::ranges::minmax(priority);
    const auto range = static_cast<double>(most - least + 1);
    for (std::size_t i = 0; i < layout_.num_priorities; ++i) {
      float& gene = genes[layout_.first_priority() + i];
      gene = AsGene(InLevel(priority[i] - least, gene) / range);
    }
  }
  for (std::size_t i = 0; i < layout_.num_fusions; ++i) {
    float& gene = genes[layout_.first_fusion() + i];
    gene = AsGene(InLevel(decisions.fusion_of_group[i], gene) / kNumFusionLevels);
  }
  if (layout_.num_transfers > 0) {
    const Decisions placed{.device_of_group = decisions.device_of_group};
    EncodeTransfers(ToPlan(problem_, placed).placement, genes);
  }
  return genes;
}

}  // namespace opyard::agents
