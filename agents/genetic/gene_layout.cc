#include "agents/genetic/gene_layout.h"

#include "agents/planning/encoding/decisions.h"

namespace opyard::agents {

GeneLayout::GeneLayout(const env::Problem& problem, const GeneChoice& choice)
    : num_groups(NumGroups(problem)),
      num_devices(problem.hardware().num_devices()),
      num_affinities(problem.tasks().placement ? num_groups * num_devices : 0),
      num_priorities(problem.tasks().scheduling ? num_groups : 0),
      num_transfers(problem.tasks().scheduling && choice.transfer_genes ? num_groups * num_devices
                                                                        : 0),
      num_fusions(problem.tasks().fusion && choice.fusion_genes ? num_groups : 0) {}

}  // namespace opyard::agents
