// The meaning of genes.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "agents/base/decisions.h"
#include "agents/genetic/chromosome.h"
#include "agents/genetic/gene_layout.h"
#include "env/group_placement.h"
#include "env/problem.h"
#include "sim/base/rng.h"
#include "sim/plan/plan.h"

namespace opyard::agents {

// Plans from genes, and genes from plans that others made. A group goes to the device of its
// greatest affinity among those it may be on, the first of equals; fusion genes are one of twenty
// levels of equal width. Priorities and copies:
//
//   Without an order, as published: priorities become ranks, which all ops of a group share. A copy
//   of a tensor has the gene of the group that makes it and the device it goes to. The genes of all
//   copies that the placement asks for become ranks among each other.
//   With the order of ops of a plan to begin at: a priority is one of twenty levels, which moves
//   the ops of a group before or behind their places in the order (decisions.h). The gene of a copy
//   likewise moves it from its readers' place.
//
// Where there are no transfer genes, copies take their priorities from their readers.
// Immutable, so that threads may share it. Keeps a reference to `problem`.
class GeneCodec {
 public:
  // Levels are counted from `order`; null: there is none. REQUIRES: an order for kDefaultLevels.
  GeneCodec(const env::Problem& problem,
            const GeneChoice& choice,
            std::shared_ptr<const OpOrder> order = nullptr);

  [[nodiscard]] const GeneLayout& layout() const { return layout_; }

  // REQUIRES: layout().num_genes() genes.
  [[nodiscard]] sim::Plan Decode(std::span<const float> genes) const;

  // Random genes that decode to `decisions`; the chosen device has a gene in [0.5, 1), the others
  // in [0, 0.5). Equal priorities have equal genes. Without an order, the gene of a copy is the
  // greatest among the priorities of its readers, as if there were no gene. REQUIRES: priorities
  // are levels in [0, kDefaultLevels), and of the codec's order.
  [[nodiscard]] Chromosome Encode(const Decisions& decisions, Rng& rng) const;

  // True if genes can hold `decisions`, so that what they decode to runs alike. Not so for another
  // order than the codec's, for fusion without genes, and for copies that have genes without an
  // order, since the tensors of a group share them.
  [[nodiscard]] bool IsExactFor(const Decisions& decisions) const;

 private:
  // An op that reads a tensor which another op makes. A tensor's readers follow each other.
  struct Reader {
    TensorId tensor;
    OpId producer;
    OpId consumer;
    std::int32_t first_gene = 0;  // of the producer's group, in the block of transfers
  };

  [[nodiscard]] static std::vector<Reader> ReadersOf(const env::Problem& problem,
                                                     std::size_t num_devices);
  [[nodiscard]] env::GroupPlacement DevicesOf(std::span<const float> affinities) const;
  // [num_ops]
  [[nodiscard]] std::vector<std::int64_t> PrioritiesOf(std::span<const float> genes) const;
  void DecodeTransfers(std::span<const float> genes, sim::Plan& plan) const;
  void RankCopies(std::span<const float> genes, sim::Plan& plan) const;
  void MoveCopies(std::span<const float> genes, sim::Plan& plan) const;
  void EncodeTransfers(std::span<const DeviceId> placement, std::span<float> genes) const;
  // The devices that group `group` may be on.
  [[nodiscard]] std::span<const DeviceId> AllowedOf(std::size_t group) const {
    return std::span(allowed_).subspan(first_allowed_[group],
                                       first_allowed_[group + 1] - first_allowed_[group]);
  }

  const env::Problem& problem_;
  GeneLayout layout_;
  std::shared_ptr<const OpOrder> order_;    // null: there is none
  std::vector<Reader> readers_;             // of all tensors, if there are transfer genes
  std::vector<std::size_t> first_allowed_;  // [num_groups + 1], into allowed_
  std::vector<DeviceId> allowed_;
};

}  // namespace opyard::agents
