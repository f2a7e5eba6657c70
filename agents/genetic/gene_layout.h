// Which genes a chromosome has, and where they stand.
#pragma once

#include <cstddef>

#include "env/problem.h"

namespace opyard::agents {

// The genes that are a matter of choice.
struct GeneChoice {
  bool transfer_genes = false;  // where scheduling is a task
  bool fusion_genes = true;     // where fusion is a task; else it is that of the default plan
};

// Four blocks, one after the other. A block has no genes where its task is not open, or where its
// genes were not chosen.
//   Affinities  [num_groups, num_devices]  row-major, placement
//   Priorities  [num_groups]               scheduling
//   Transfers   [num_groups, num_devices]  row-major, scheduling: copies from a group to a device
//   Fusions     [num_groups]               fusion.
// With one op per group, each with one output, these are REGAL's genes (Paliwal et al., ICLR 2020)
// and one for fusion. Its tensor genes are one per tensor and device. Here the tensors that a group
// makes share theirs, as its ops share a priority: coarsened groups make hundreds of tensors, of
// which few leave, and which ones no other gene says either.
struct GeneLayout {
  GeneLayout(const env::Problem& problem, const GeneChoice& choice);

  std::size_t num_groups;
  std::size_t num_devices;
  std::size_t num_affinities;
  std::size_t num_priorities;
  std::size_t num_transfers;
  std::size_t num_fusions;

  // The first gene of a block; the block of affinities begins at 0.
  [[nodiscard]] std::size_t first_priority() const { return num_affinities; }
  [[nodiscard]] std::size_t first_transfer() const { return first_priority() + num_priorities; }
  [[nodiscard]] std::size_t first_fusion() const { return first_transfer() + num_transfers; }
  [[nodiscard]] std::size_t num_genes() const { return first_fusion() + num_fusions; }
};

}  // namespace opyard::agents
