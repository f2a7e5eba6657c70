// BRKGA as a search that agents run with genes drawn as they like.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "agents/base/decisions.h"
#include "agents/genetic/brkga_options.h"
#include "agents/genetic/gene_codec.h"
#include "agents/genetic/gene_sampler.h"
#include "agents/genetic/population.h"
#include "env/evaluator.h"
#include "env/problem.h"
#include "sim/base/rng.h"

namespace opyard::agents {

// Gonçalves and Resende, "Biased random-key genetic algorithms for combinatorial optimization"
// (J. Heuristics 2011), over the genes of gene_layout.h. A generation copies the elites, draws
// mutants afresh, and fills up with children of one elite and one non-elite parent (population.h).
//
// Elites are not judged again: every decode is one evaluation, and with a population of 100, 20
// elites and 15 mutants, k generations after the first cost 100 + 80·k of them. A generation is one
// batch, whose members are bred, decoded and judged on the evaluator's threads; each draws from a
// generator of its own, so that the result does not depend on the number of threads.
class BrkgaSearch {
 public:
  // `sampler` draws the first population, but for the starts, and the mutants. Throws InputError
  // for a population of 1, InternalError for what the option table would not let through.
  explicit BrkgaSearch(const BrkgaOptions& options, GeneSampler sampler = {});

  // Searches until the evaluator is done; where only one plan exists, that is judged once. `start`,
  // if there is one, is judged first, in place of what options.start names. Draws from `rng`.
  // REQUIRES: the sampler is uniform, or has GeneLayout(problem, options.genes).num_genes() genes.
  void Search(const env::Problem& problem,
              env::Evaluator& evaluator,
              Rng& rng,
              const std::optional<Decisions>& start = std::nullopt) const;

  [[nodiscard]] const BrkgaOptions& options() const { return options_; }

 private:
  [[nodiscard]] PopulationShape Shape(const env::Evaluator& evaluator) const;
  // The starts' genes, the best first.
  [[nodiscard]] std::vector<Chromosome> StartGenes(const env::Problem& problem,
                                                   const GeneCodec& codec,
                                                   std::size_t most,
                                                   const std::optional<Decisions>& start,
                                                   Rng& rng) const;

  BrkgaOptions options_;
  GeneSampler sampler_;
};

}  // namespace opyard::agents
