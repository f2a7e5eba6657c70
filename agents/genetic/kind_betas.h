// Beta distributions that know nothing of a graph: one per kind of gene.
#pragma once

#include "agents/base/option_table.h"
#include "agents/genetic/beta_shape.h"
#include "agents/genetic/gene_layout.h"
#include "agents/genetic/gene_sampler.h"
#include "env/problem.h"

namespace opyard::agents {

// Distributions of affinities to the first accelerator, of affinities to devices that do not share
// the main work (a host), and of fusion genes. All other genes are uniform, which loses nothing.
// One increasing function of all priorities, of all genes of copies, or of the affinities to all
// devices changes no decode, so that a distribution common to them would come to the same plans.
struct KindBetas {
  double first_device_alpha = 1.0;
  double first_device_beta = 1.0;
  double host_alpha = 1.0;
  double host_beta = 1.0;
  double fusion_alpha = 1.0;
  double fusion_beta = 1.0;
};

// The rows of all of them.
[[nodiscard]] OptionTable<KindBetas> KindBetaTable();

// A sampler of that many genes; the uniform one where all parameters that matter are 1.
[[nodiscard]] GeneSampler SamplerOf(const env::Problem& problem,
                                    const GeneLayout& layout,
                                    const KindBetas& betas);

}  // namespace opyard::agents
