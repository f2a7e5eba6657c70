#include "agents/genetic/gene_codec.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "agents/genetic/gene_sampler.h"
#include "agents/genetic/key_ranks.h"
#include "agents/planning/encoding/decisions.h"
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

// The middle of level `level`.
float LevelGene(std::int64_t level, std::int64_t num_levels) {
  return AsGene((static_cast<double>(level) + 0.5) / static_cast<double>(num_levels));
}

// One of kDefaultLevels levels of equal width.
std::int64_t LevelOf(float gene) {
  return static_cast<std::int64_t>(gene * static_cast<float>(kDefaultLevels));
}

// The level of an order at which ops stand that have not been moved, and copies that go by their
// readers.
constexpr std::int64_t kUnmoved = kDefaultLevels / 2;

}  // namespace

GeneCodec::GeneCodec(const env::Problem& problem,
                     const GeneChoice& choice,
                     std::shared_ptr<const OpOrder> order)
    : problem_(problem), layout_(problem, choice), order_(std::move(order)), first_allowed_{0} {
  for (std::size_t group = 0; group < layout_.num_groups; ++group) {
    const auto allowed = problem.AllowedDevices(GroupId(group));
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

env::GroupPlacement GeneCodec::DevicesOf(std::span<const float> affinities) const {
  env::GroupPlacement devices(layout_.num_groups);
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
    env::SetPriorities(
        plan, PrioritiesOf(genes.subspan(layout_.first_priority(), layout_.num_priorities)));
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

std::vector<std::int64_t> GeneCodec::PrioritiesOf(std::span<const float> genes) const {
  std::vector<std::int64_t> of_op(problem_.graph().num_ops());
  if (order_ == nullptr) {
    const std::vector<std::int64_t> ranks = RanksOfKeys(genes);
    for (std::size_t op = 0; op < of_op.size(); ++op) {
      of_op[op] = ranks[GroupOf(problem_, OpId(op))];
    }
    return of_op;
  }
  for (std::size_t op = 0; op < of_op.size(); ++op) {
    of_op[op] = order_->of_op[op] + order_->per_level * LevelOf(genes[GroupOf(problem_, OpId(op))]);
  }
  return of_op;
}

void GeneCodec::DecodeTransfers(std::span<const float> genes, sim::Plan& plan) const {
  if (order_ == nullptr) {
    RankCopies(genes, plan);
  } else {
    MoveCopies(genes, plan);
  }
}

void GeneCodec::RankCopies(std::span<const float> genes, sim::Plan& plan) const {
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

void GeneCodec::MoveCopies(std::span<const float> genes, sim::Plan& plan) const {
  // The last copy to each device: all readers of its tensor there share it.
  std::vector<std::size_t> last_to(layout_.num_devices, plan.transfer_priority.max_size());
  for (const Reader& reader : readers_) {
    const DeviceId device = plan.placement[reader.consumer.index()];
    const std::int64_t level = LevelOf(genes[At(reader.first_gene) + device.index()]);
    if (device == plan.placement[reader.producer.index()] || level == kUnmoved) {
      continue;
    }
    const std::int64_t priority =
        plan.op_priority[reader.consumer.index()] + order_->per_level * (level - kUnmoved);
    std::vector<sim::TransferPriority>& copies = plan.transfer_priority;
    std::size_t& last = last_to[device.index()];
    if (last < copies.size() && copies[last].tensor == reader.tensor) {
      copies[last].priority = std::max(copies[last].priority, priority);
    } else {
      last = copies.size();
      copies.push_back({.tensor = reader.tensor, .destination = device, .priority = priority});
    }
  }
}

void GeneCodec::EncodeTransfers(std::span<const DeviceId> placement, std::span<float> genes) const {
  const auto transfers = genes.subspan(layout_.first_transfer(), layout_.num_transfers);
  if (order_ != nullptr) {
    std::ranges::fill(transfers, LevelGene(kUnmoved, kDefaultLevels));
    return;
  }
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

bool GeneCodec::IsExactFor(const Decisions& decisions) const {
  const bool has_fusion = decisions.fusion_of_group.empty() || layout_.num_fusions > 0;
  const bool has_copies = order_ != nullptr || layout_.num_transfers == 0;
  return decisions.order == order_ && has_fusion && has_copies;
}

Chromosome GeneCodec::Encode(const Decisions& decisions, Rng& rng) const {
  Chromosome genes = GeneSampler().Sample(layout_.num_genes(), rng);
  for (std::size_t i = 0; i < layout_.num_affinities; ++i) {
    const bool is_chosen =
        decisions.device_of_group[i / layout_.num_devices].index() == i % layout_.num_devices;
    genes[i] = AsGene(static_cast<double>(genes[i]) * 0.5 + (is_chosen ? 0.5 : 0.0));
  }
  for (std::size_t i = 0; i < layout_.num_priorities; ++i) {
    genes[layout_.first_priority() + i] = LevelGene(decisions.priority_of_group[i], kDefaultLevels);
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
