#include "agents/genetic/gene_codec.h"

#include <algorithm>
#include <cmath>

#include "agents/genetic/gene_sampler.h"
#include "agents/genetic/key_ranks.h"
#include "agents/planning/decisions.h"
#include "env/action_codec.h"
#include "sim/base/array_index.h"
#include "sim/base/check.h"

namespace opyard::agents {
namespace {

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
  if (layout_.num_transfers > 0) {
    readers_ = ReadersOf(problem, layout_.num_devices);
  }
}

std::vector<GeneCodec::Reader> GeneCodec::ReadersOf(const env::Problem& problem,
                                                    std::size_t num_devices) {
  std::vector<Reader> readers;
  for (std::size_t i = 0; i < problem.graph().num_tensors(); ++i) {
    const OpId producer = problem.graph().tensor(TensorId(i)).producer;
    for (const OpId consumer : problem.graph().consumers(TensorId(i))) {
      readers.push_back({.tensor = TensorId(i),
                         .producer = producer,
                         .consumer = consumer,
                         .first_gene = Size32(GroupOf(problem, producer) * num_devices)});
    }
  }
  return readers;
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
  sim::Plan plan =
      layout_.num_affinities == 0
          ? env::DefaultPlan(problem_)
          : env::PlanFromGroups(problem_, DevicesOf(genes.first(layout_.num_affinities)));
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
  std::vector<sim::TransferPriority>& copies = plan.transfer_priority;
  copies.resize(readers_.size());
  std::vector<float> keys(readers_.size());
  // The tensor that was last seen to go to each device: all its readers there share a copy.
  std::vector<TensorId> last_to(layout_.num_devices, TensorId(-1));
  std::size_t num_copies = 0;
  // Each is written, and counted if it is a copy: a branch would be mispredicted half of the time.
  for (const Reader& reader : readers_) {
    const DeviceId device = plan.placement[reader.consumer.index()];
    copies[num_copies] = {.tensor = reader.tensor, .destination = device};
    keys[num_copies] = genes[At(reader.first_gene) + device.index()];
    const bool is_remote = device != plan.placement[reader.producer.index()];
    num_copies += static_cast<std::size_t>(is_remote & (last_to[device.index()] != reader.tensor));
    last_to[device.index()] = reader.tensor;
  }
  copies.resize(num_copies);
  const std::vector<std::int64_t> ranks = RanksOfKeys(std::span(keys).first(num_copies));
  for (std::size_t i = 0; i < num_copies; ++i) {
    copies[i].priority = ranks[i];
  }
}

void GeneCodec::EncodeTransfers(std::span<const DeviceId> placement, std::span<float> genes) const {
  const auto transfers = genes.subspan(layout_.first_transfer(), layout_.num_transfers);
  std::vector<char> has_reader(layout_.num_transfers, 0);
  for (const Reader& reader : readers_) {
    const DeviceId device = placement[reader.consumer.index()];
    if (device != placement[reader.producer.index()]) {
      const std::size_t i = At(reader.first_gene) + device.index();
      const float priority = genes[layout_.first_priority() + GroupOf(problem_, reader.consumer)];
      transfers[i] = has_reader[i] != 0 ? std::max(transfers[i], priority) : priority;
      has_reader[i] = 1;
    }
  }
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
