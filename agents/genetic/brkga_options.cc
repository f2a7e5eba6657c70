#include "agents/genetic/brkga_options.h"

namespace opyard::agents {
namespace {

OptionTable<GeneChoice> GeneChoiceTable() {
  return OptionTable<GeneChoice>(
      {{.name = "transfer_genes",
        .field = Flag(&GeneChoice::transfer_genes),
        .meaning = "whether copies have genes of their own, one per group that makes them and "
                   "device, where scheduling is a task; else they go by their readers' priorities",
        .paper = "true"},
       {.name = "fusion_genes",
        .field = Flag(&GeneChoice::fusion_genes),
        .meaning = "whether groups have genes for what fuses, where fusion is a task; else the "
                   "default fusion stays",
        .paper = "false"}});
}

}  // namespace

OptionTable<BrkgaOptions> BrkgaOptionTable() {
  return OptionTable<BrkgaOptions>(
             {{.name = "population",
               .field = Whole(&BrkgaOptions::population, 0, 100'000),
               .meaning = "members of a generation, at least 2; 0: a twentieth of the "
                          "evaluations, from 20 to 100"},
              {.name = "elite_share",
               .field = Real(&BrkgaOptions::elite_share, 0.0, 0.5),
               .meaning = "share of the population that lives on; at least one member does",
               .paper = "0.1 to 0.25"},
              {.name = "mutant_share",
               .field = Real(&BrkgaOptions::mutant_share, 0.0, 0.5),
               .meaning = "share of the population that is sampled afresh in each generation",
               .paper = "0.1 to 0.3"},
              {.name = "elite_bias",
               .field = Real(&BrkgaOptions::elite_bias, 0.5, kMostEliteBias),
               .meaning = "probability that a gene comes from the elite parent",
               .paper = "0.5 to 0.8"},
              StartRow(&BrkgaOptions::start)})
      .With(&BrkgaOptions::genes, GeneChoiceTable());
}

}  // namespace opyard::agents
